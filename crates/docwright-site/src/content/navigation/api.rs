//! Entries of the navigation from API specs: named operations, groups by tag, channels.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{
    Division, Entry,
    build::{Builder, Inherited},
    given::{CONFIGURATION, NamedSpecs, described_by},
};
use crate::{
    Diagnostic, Rule,
    content::{
        config::{self, SpecSource},
        openapi::{self, Operation, Reference, ReferenceContext, Spec},
        pages, slug,
    },
};

/// Default folder of pages that are generated from API specs.
const GENERATED_FOLDER: &str = "api-reference";

impl<'a> Builder<'a, '_> {
    /// The API specs that an `openapi` of the configuration names. Missing ones are reported.
    pub(super) fn given_by(&mut self, openapi: Option<&Value>) -> Vec<NamedSpecs<'a>> {
        let sources = config::spec_sources(openapi).into_iter();
        let given: Vec<_> = sources.map(|source| NamedSpecs::new(source, self.specs)).collect();
        for missing in given.iter().filter(|given| given.specs.is_empty()) {
            self.missing_spec(&missing.source);
        }
        given
    }

    /// The page of an operation that an entry names. An entry without a spec means one of the given specs.
    pub(super) fn operation_entry(
        &mut self,
        text: &str,
        reference: &Reference<'_>,
        inherited: &Inherited<'a>,
    ) -> Option<Entry> {
        let given = described_by(&inherited.given, self.specs);
        let place = ReferenceContext { specs: self.specs, given: &given, from: self.document.path };
        let found = match reference.spec {
            None if !inherited.given.is_empty() => place.given_operation(reference),
            _ => place.operation(reference),
        };
        let Some(found) = found else {
            self.missing_operation(text, inherited);
            return None;
        };
        if let Some(ambiguity) = found.ambiguity(text) {
            self.diagnostics.push(self.document.at(text, ambiguity));
        }
        Some(Entry::Page(self.add_operation(found.spec, found.part, inherited)))
    }

    fn missing_operation(&mut self, text: &str, inherited: &Inherited<'a>) {
        let remote = inherited.given.iter().any(|given| given.source.source.contains("://"));
        let diagnostic = if remote {
            let message = format!("the API spec of `{text}` is not in the repository");
            Diagnostic::new(Rule::RemoteSpec, "", message).help(openapi::REMOTE_HELP)
        } else {
            let message = format!("no API spec has the operation `{text}`");
            Diagnostic::new(Rule::MissingOperation, "", message)
                .help("correct its method and path, or the `openapi` of the division around it")
        };
        self.diagnostics.push(self.document.at(text, diagnostic));
    }

    /// Groups by tag, if a division names specs but no operations. Pages that the division lists itself are
    /// left out.
    pub(super) fn generated_groups(
        &mut self,
        inherited: &Inherited<'a>,
        listed: &BTreeSet<String>,
    ) -> Vec<Entry> {
        let mut groups: Vec<(Option<String>, Vec<Entry>)> = Vec::new();
        for spec in described_by(&inherited.given, self.specs) {
            for operation in spec.operations.iter().filter(|operation| !operation.excluded) {
                let slug = self.add_operation(spec, operation, inherited);
                if operation.hidden || listed.contains(&slug) {
                    continue;
                }
                match groups.iter_mut().find(|(label, _)| *label == operation.group) {
                    Some((_, entries)) => entries.push(Entry::Page(slug)),
                    None => groups.push((operation.group.clone(), vec![Entry::Page(slug)])),
                }
            }
        }
        groups
            .into_iter()
            .flat_map(|(label, entries)| match label {
                Some(label) => vec![Entry::Division(Division::group(label, entries))],
                None => entries,
            })
            .collect()
    }

    /// A page for each channel, if a division names `AsyncAPI` specs but no pages.
    pub(super) fn channels(&mut self, asyncapi: Option<&Value>) -> Vec<Entry> {
        let mut entries = Vec::new();
        for source in config::spec_sources(asyncapi) {
            let given = NamedSpecs::new(source, self.specs);
            let Some(spec) = given.specs.into_iter().find(|spec| spec.is_async) else {
                self.missing_spec(&given.source);
                continue;
            };
            let directory = given.source.directory.as_deref().unwrap_or(GENERATED_FOLDER);
            for channel in &spec.channels {
                let slug = format!("{directory}/{}", slug::of_title(&channel.title));
                let make = || pages::of_channel(&slug, &spec.path, channel);
                self.pages.entry(slug.clone()).or_insert_with(make);
                entries.push(Entry::Page(slug));
            }
        }
        entries
    }

    fn missing_spec(&mut self, source: &SpecSource) {
        let name = &source.source;
        let diagnostic = if name.contains("://") {
            Diagnostic::new(Rule::RemoteSpec, "", format!("`{name}` is not in the repository"))
                .help(openapi::REMOTE_HELP)
        } else if let Some(unusable) = openapi::unusable(self.source, name, CONFIGURATION) {
            let message = format!("API spec `{name}` can't be used: the file {}", unusable.reason);
            Diagnostic::new(Rule::MissingSpec, "", message).help(unusable.help)
        } else {
            Diagnostic::new(Rule::MissingSpec, "", format!("API spec `{name}` not found"))
                .help("correct the path, or add the file")
        };
        self.diagnostics.push(self.document.at(name, diagnostic));
    }

    /// The slug of an operation's page, which is generated unless a file already documents the operation.
    fn add_operation(
        &mut self,
        spec: &Spec,
        operation: &Operation,
        inherited: &Inherited<'a>,
    ) -> String {
        let given = inherited.given.iter().find(|given| given.names(spec));
        let directory =
            given.and_then(|given| given.source.directory.as_deref()).unwrap_or(GENERATED_FOLDER);
        let title = slug::of_title(&operation.title);
        let slug = match (&operation.href, &operation.tag) {
            (Some(href), _) => slug::of_reference(href),
            (None, Some(tag)) => format!("{directory}/{}/{title}", slug::of_title(tag)),
            (None, None) => format!("{directory}/{title}"),
        };
        self.pages
            .entry(slug.clone())
            .or_insert_with(|| pages::of_operation(&slug, &spec.path, operation));
        slug
    }
}
