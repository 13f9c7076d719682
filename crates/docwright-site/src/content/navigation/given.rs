//! The API specs that the configuration and the navigation assign to pages.

use std::collections::BTreeMap;

use crate::content::{
    config::SpecSource,
    openapi::{Spec, lookup},
};

/// Names in the configuration are paths from the docs root.
pub(super) const CONFIGURATION: &str = "docs.json";

/// A spec named by a node, with its kind.
#[derive(Debug, Clone)]
pub(super) struct NamedSpecs<'a> {
    /// Its name as written.
    pub(super) source: SpecSource,
    /// The matching files: several if the name has no extension, none if no file matches.
    pub(super) specs: Vec<&'a Spec>,
}

impl<'a> NamedSpecs<'a> {
    pub(super) fn new(source: SpecSource, specs: &'a [Spec]) -> Self {
        let specs = lookup::exact(specs, &source.source, CONFIGURATION);
        Self { source, specs }
    }

    /// Whether it names a spec.
    pub(super) fn names(&self, spec: &Spec) -> bool {
        self.specs.iter().any(|each| each.path == spec.path)
    }
}

/// The descriptions assigned to one page.
#[derive(Debug, Default)]
pub(in crate::content) struct GivenForPage<'a> {
    /// Descriptions that are at hand.
    pub(in crate::content) specs: Vec<&'a Spec>,
    /// URLs of unavailable specs on other hosts.
    pub(in crate::content) elsewhere: Vec<String>,
}

impl<'a> GivenForPage<'a> {
    pub(super) fn new(given: &[NamedSpecs<'a>], all: &'a [Spec]) -> Self {
        let missing = given.iter().filter(|given| given.specs.is_empty());
        let elsewhere = missing.map(|given| &given.source.source);
        let elsewhere = elsewhere.filter(|address| address.contains("://"));
        Self { specs: described_by(given, all), elsewhere: elsewhere.cloned().collect() }
    }
}

/// The API specs assigned to each page.
#[derive(Debug)]
pub(in crate::content) struct GivenSpecs<'a> {
    /// For pages that the navigation does not list.
    pub(super) everywhere: GivenForPage<'a>,
    /// For listed pages, by slug.
    pub(super) pages: BTreeMap<String, GivenForPage<'a>>,
}

impl<'a> GivenSpecs<'a> {
    /// The specs assigned to a page.
    pub(in crate::content) fn of(&self, slug: &str) -> &GivenForPage<'a> {
        self.pages.get(slug).unwrap_or(&self.everywhere)
    }
}

/// The given specs without duplicates, in the order of all specs.
pub(super) fn described_by<'a>(given: &[NamedSpecs<'a>], all: &'a [Spec]) -> Vec<&'a Spec> {
    all.iter().filter(|spec| given.iter().any(|given| given.names(spec))).collect()
}
