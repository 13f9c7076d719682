//! The API descriptions that the configuration and the navigation give for a place.

use std::collections::BTreeMap;

use crate::content::{
    config::SpecSource,
    openapi::{Spec, lookup},
};

/// Names in the configuration are paths from the docs root, where it stands.
const CONFIGURATION: &str = "docs.json";

/// A description that a node names, and what it is.
#[derive(Debug, Clone)]
pub(super) struct Given<'a> {
    /// As it is named.
    pub(super) source: SpecSource,
    /// What is there: several if the name leaves out an ending, none if there is no such file.
    pub(super) specs: Vec<&'a Spec>,
}

impl<'a> Given<'a> {
    pub(super) fn new(source: SpecSource, specs: &'a [Spec]) -> Self {
        let specs = lookup::exact(specs, &source.source, CONFIGURATION);
        Self { source, specs }
    }
}

/// The descriptions that are given for each page.
#[derive(Debug)]
pub(in crate::content) struct GivenSpecs<'a> {
    /// For pages that the navigation does not list.
    pub(super) everywhere: Vec<&'a Spec>,
    /// For those that it lists, by slug.
    pub(super) pages: BTreeMap<String, Vec<&'a Spec>>,
}

impl<'a> GivenSpecs<'a> {
    /// Those for a page.
    pub(in crate::content) fn of(&self, slug: &str) -> &[&'a Spec] {
        self.pages.get(slug).unwrap_or(&self.everywhere)
    }
}

/// The descriptions that are given, each once, in the order of all.
pub(super) fn described_by<'a>(given: &[Given<'a>], all: &'a [Spec]) -> Vec<&'a Spec> {
    let is_given = |spec: &&Spec| {
        given.iter().flat_map(|given| &given.specs).any(|given| given.path == spec.path)
    };
    all.iter().filter(is_given).collect()
}
