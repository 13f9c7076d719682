//! Finds the API spec for a name on a page or in the navigation.
//!
//! A path from the docs root or from the page is exact, and nothing else is tried. Otherwise, any spec whose
//! path ends with the name matches, and without a name, all specs match: the one in the nearest folder is used.

use super::Spec;
use crate::{Diagnostic, Rule, content::document};

/// The requested part, and where it is.
#[derive(Debug, Clone)]
pub struct FoundPart<'a, T> {
    /// The description.
    pub spec: &'a Spec,
    /// Its part.
    pub part: T,
    /// Paths of other specs that are equally near and also have the part.
    pub others: Vec<&'a str>,
}

impl<T> FoundPart<'_, T> {
    /// The warning that `reference` is ambiguous; `None` if it isn't.
    pub fn ambiguity(&self, reference: &str) -> Option<Diagnostic> {
        if self.others.is_empty() {
            return None;
        }
        let used = &self.spec.path;
        let message = format!(
            "`{reference}` can mean any of these API specs: {used}, {}; the first is used",
            self.others.join(", ")
        );
        let help = format!("name the one that is meant by its path from the docs root: `/{used}`");
        Some(Diagnostic::new(Rule::AmbiguousSpec, "", message).help(help))
    }
}

/// The spec for `name` in the file at `from`, if it has the part.
pub fn named<'a, T>(
    specs: &'a [Spec],
    name: &str,
    from: &str,
    part: impl Fn(&'a Spec) -> Option<T>,
) -> Option<FoundPart<'a, T>> {
    nearest(candidates(specs, name, from), from, part)
}

/// The possible specs for `name` in the file at `from`, by path.
pub fn candidates<'a>(specs: &'a [Spec], name: &str, from: &str) -> Vec<&'a Spec> {
    let exact = exact(specs, name, from);
    if !exact.is_empty() {
        return exact;
    }
    let end = format!("/{}", without_start(name));
    let ends = |spec: &&Spec| spec.path.ends_with(&end) || stem(&spec.path).ends_with(&end);
    specs.iter().filter(ends).collect()
}

/// The description that has the part and shares the longest folder with the file at `from`; of equally near ones,
/// the first.
pub fn nearest<'a, T>(
    specs: impl IntoIterator<Item = &'a Spec>,
    from: &str,
    part: impl Fn(&'a Spec) -> Option<T>,
) -> Option<FoundPart<'a, T>> {
    let mut found: Option<(usize, FoundPart<'a, T>)> = None;
    for spec in specs {
        let Some(part) = part(spec) else { continue };
        let shared = shared_folders(&spec.path, from);
        match &mut found {
            Some((longest, best)) if *longest == shared => best.others.push(&spec.path),
            Some((longest, _)) if *longest > shared => {}
            _ => found = Some((shared, FoundPart { spec, part, others: Vec::new() })),
        }
    }
    found.map(|(_, found)| found)
}

/// Specs whose path equals the name. Several if the name lacks the extension.
pub fn exact<'a>(specs: &'a [Spec], name: &str, from: &str) -> Vec<&'a Spec> {
    let paths: Vec<_> = specs.iter().map(|spec| spec.path.as_str()).collect();
    let found = exact_paths(&paths, name, from);
    specs.iter().filter(|spec| found.contains(&spec.path.as_str())).collect()
}

/// Paths that equal the name. Several if the name lacks the extension.
pub(super) fn exact_paths<'a>(all: &[&'a str], name: &str, from: &str) -> Vec<&'a str> {
    let beside = document::join(from, name);
    let below_root = Some(without_start(name).to_owned());
    let paths = if name.starts_with('.') { [beside, below_root] } else { [below_root, beside] };
    for path in paths.iter().flatten() {
        if let Some(one) = all.iter().find(|each| *each == path) {
            return vec![one];
        }
        let same: Vec<_> = all.iter().filter(|each| stem(each) == path).copied().collect();
        if !same.is_empty() {
            return same;
        }
    }
    Vec::new()
}

/// A name without leading `/`, `./`, or `../`.
fn without_start(mut name: &str) -> &str {
    while let Some(rest) = ["./", "../", "/"].iter().find_map(|start| name.strip_prefix(start)) {
        name = rest;
    }
    name
}

/// A path without the ending of its file.
fn stem(path: &str) -> &str {
    let file = path.rfind('/').map_or(0, |at| at + 1);
    path[file..].rfind('.').map_or(path, |at| &path[..file + at])
}

/// How many folders from the root two files share.
fn shared_folders(one: &str, other: &str) -> usize {
    let folders = |path: &str| path.matches('/').count();
    let same = one.split('/').zip(other.split('/')).take_while(|(one, other)| one == other).count();
    same.min(folders(one)).min(folders(other))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn paths<'a>(specs: &'a [Spec], name: &str, from: &str) -> Vec<&'a str> {
        candidates(specs, name, from).into_iter().map(|spec| spec.path.as_str()).collect()
    }

    #[test]
    fn exact_path_leaves_no_other_candidate() {
        let all = ["api.json", "api.yaml", "fr/api.json", "v1.2/api.json"];
        let specs: Vec<_> = all.iter().map(|path| Spec::new(path, json!({}))).collect();
        assert_eq!(paths(&specs, "/api.json", "fr/p.mdx"), ["api.json"]);
        assert_eq!(paths(&specs, "./api.json", "fr/p.mdx"), ["fr/api.json"]);
        assert_eq!(paths(&specs, "../api.json", "fr/x/p.mdx"), ["fr/api.json"]);
        assert_eq!(paths(&specs, "api", "fr/p.mdx"), ["api.json", "api.yaml"]);
        assert_eq!(paths(&specs, "v1", "p.mdx"), [""; 0], "a dot in a folder begins no ending");
    }

    #[test]
    fn folders_are_shared_from_the_root() {
        assert_eq!(shared_folders("a/b/c.json", "a/b/d.mdx"), 2);
        assert_eq!(shared_folders("a/x/c.json", "a/b/d.mdx"), 1);
        assert_eq!(shared_folders("c.json", "a/b/d.mdx"), 0);
        assert_eq!(shared_folders("a/b", "a/b"), 1, "a file is no folder");
    }
}
