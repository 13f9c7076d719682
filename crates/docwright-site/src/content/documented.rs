//! The part of an API spec that each page shows.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use super::{
    Page, PageKind,
    frontmatter::{self, Frontmatter},
    navigation::GivenSpecs,
    openapi::{self, FoundPart, Part, PartKind, ReferenceContext, Spec},
};
use crate::{Diagnostic, source::Source};

/// The API specs of a site.
pub(super) struct Descriptions<'a> {
    /// The available specs.
    pub(super) specs: &'a [Spec],
    /// The specs assigned to each page.
    pub(super) given: &'a GivenSpecs<'a>,
    /// URLs of unavailable specs on other hosts.
    pub(super) missing: &'a BTreeSet<String>,
}

/// Finds the part in the frontmatter of each page. Pages inherit missing fields from it. Names that match
/// several specs are reported.
pub(super) fn resolve(
    source: &Source,
    descriptions: &Descriptions<'_>,
    pages: &mut BTreeMap<String, Page>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    for page in pages.values_mut().filter(|page| page.kind == PageKind::File) {
        let Page { slug, path, frontmatter, part, missing_specs, .. } = page;
        let given = descriptions.given.of(slug);
        let place = ReferenceContext { specs: descriptions.specs, given: &given.specs, from: path };
        let Some((found, ambiguity)) = find(place, frontmatter) else {
            *missing_specs = elsewhere(frontmatter, &given.elsewhere, descriptions.missing);
            continue;
        };
        *part = Some(found);
        if let Some(ambiguity) = ambiguity {
            let line = line_of_reference(source.text(path).unwrap_or_default());
            diagnostics.push(Diagnostic { path: path.clone(), ..ambiguity }.at(line, 0));
        }
    }
}

/// Where the part in the frontmatter could be described, if no available description has it.
fn elsewhere(
    frontmatter: &Frontmatter,
    given: &[String],
    missing: &BTreeSet<String>,
) -> Vec<String> {
    let named = if let Some(reference) = frontmatter.openapi.as_deref() {
        openapi::parse_reference(reference).and_then(|reference| reference.spec)
    } else if let Some(reference) = frontmatter.asyncapi.as_deref() {
        reference.trim().split_once(char::is_whitespace).map(|(spec, _)| spec)
    } else if let Some(reference) = frontmatter.openapi_schema.as_deref() {
        openapi::split_schema(reference).0
    } else {
        return Vec::new();
    };
    match named {
        Some(address) if address.contains("://") => vec![address.to_owned()],
        // A file of the repository is missing, which is an error.
        Some(_) => Vec::new(),
        None if given.is_empty() => missing.iter().cloned().collect(),
        None => given.to_vec(),
    }
}

/// The part in frontmatter, and a warning if several specs contain it.
fn find(
    place: ReferenceContext<'_>,
    frontmatter: &mut Arc<Frontmatter>,
) -> Option<(Part, Option<Diagnostic>)> {
    if let Some(reference) = frontmatter.openapi.as_deref() {
        let found = place.operation(&openapi::parse_reference(reference)?)?;
        let operation = found.part;
        let (method, path) = (operation.method.clone(), operation.path.clone());
        let part = described(&found, PartKind::Operation { method, path }, reference);
        if !frontmatter.has_title {
            Arc::make_mut(frontmatter).title.clone_from(&operation.title);
        }
        if operation.deprecated {
            Arc::make_mut(frontmatter).deprecated = true;
        }
        Some(part)
    } else if let Some(reference) = frontmatter.asyncapi.as_deref() {
        let found = place.channel(reference)?;
        let channel = found.part;
        let part = described(&found, PartKind::Channel(channel.name.clone()), reference);
        if !frontmatter.has_title {
            Arc::make_mut(frontmatter).title.clone_from(&channel.title);
        }
        Some(part)
    } else {
        let reference = frontmatter.openapi_schema.as_deref()?;
        let found = place.schema(reference)?;
        Some(described(&found, PartKind::Schema(found.part.clone()), reference))
    }
}

fn described<T>(
    found: &FoundPart<'_, T>,
    kind: PartKind,
    reference: &str,
) -> (Part, Option<Diagnostic>) {
    (Part { spec: found.spec.path.clone(), kind }, found.ambiguity(reference))
}

/// 1-based line of the key that names a part.
fn line_of_reference(text: &str) -> u32 {
    let is_reference = |line: &str| {
        let key = line.split_once(':').map(|(key, _)| key.trim_matches(['"', '\'', ' ']));
        matches!(key, Some("openapi" | "asyncapi" | "openapi-schema"))
    };
    let head = text.len() - text[frontmatter::split(text).body_offset..].len();
    let line = text[..head].lines().position(is_reference);
    line.and_then(|at| u32::try_from(at + 1).ok()).unwrap_or(1)
}
