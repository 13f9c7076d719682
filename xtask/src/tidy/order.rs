//! The order of crates, and of modules within the compiler: arrows only point down.

use std::collections::BTreeMap;

use anyhow::Context;
use serde_json::Value;

use super::{
    crate_paths::{self, CratePath},
    sources::SourceFile,
};
use crate::process;

/// Where the compiler is.
const SITE: &str = "crates/docwright-site/src/";

/// Which crates each crate may use, besides itself. `ARCHITECTURE.md` says why.
const CRATES: &[(&str, &[&str])] = &[
    ("docwright-domain", &[]),
    ("docwright-site", &["docwright-domain"]),
    ("docwright-repository", &["docwright-domain"]),
    ("docwright-agent", &["docwright-domain"]),
    ("docwright-storage", &["docwright-domain"]),
    (
        "docwright-flows",
        &[
            "docwright-domain",
            "docwright-site",
            "docwright-repository",
            "docwright-agent",
            "docwright-storage",
        ],
    ),
    (
        "docwright-server",
        &[
            "docwright-domain",
            "docwright-site",
            "docwright-repository",
            "docwright-agent",
            "docwright-storage",
            "docwright-flows",
        ],
    ),
    ("xtask", &[]),
];

/// Modules of the compiler, lowest first: each may use those before it.
const SITE_MODULES: &[&str] = &[
    "diagnostic",
    "options",
    "output",
    "source",
    "mdx",
    "script",
    "openapi",
    "content",
    "render",
    "search",
    "theme",
    "generated",
    "bundle",
    "build",
];

/// What the root of the compiler exports under a shorter path, and its module.
const EXPORTED: &[(&str, &str)] =
    &[("Diagnostic", "diagnostic"), ("Severity", "diagnostic"), ("Options", "options")];

/// Compares the workspace's dependencies with [`CRATES`].
pub(crate) fn check_crates() -> anyhow::Result<Vec<String>> {
    let metadata =
        process::output("cargo", &["metadata", "--format-version=1", "--no-deps", "--offline"])
            .context("`cargo metadata` failed")?;
    let metadata: Value = serde_json::from_str(&metadata)?;
    let allowed: BTreeMap<_, _> = CRATES.iter().copied().collect();
    let mut problems = Vec::new();
    for package in metadata["packages"].as_array().into_iter().flatten() {
        let name = package["name"].as_str().unwrap_or_default();
        let Some(allowed) = allowed.get(name) else {
            problems.push(format!(
                "{name}: not in the order of crates; place it in xtask/src/tidy/order.rs"
            ));
            continue;
        };
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            let target = dependency["name"].as_str().unwrap_or_default();
            if target.starts_with("docwright-") && !allowed.contains(&target) {
                problems.push(format!("{name} must not use {target}: arrows only point down"));
            }
        }
    }
    Ok(problems)
}

/// Looks for paths in the compiler that point up, and for what has no place in the order.
pub(crate) fn check_modules(sources: &[SourceFile]) -> Vec<String> {
    let compiler = sources.iter().filter_map(|file| Some((file, file.path.strip_prefix(SITE)?)));
    compiler
        .filter(|(_, path)| *path != "lib.rs")
        .flat_map(|(file, path)| check_module(file, path))
        .collect()
}

fn check_module(file: &SourceFile, path: &str) -> Vec<String> {
    let parts = path.trim_end_matches(".rs").split('/');
    let names: Vec<_> = parts.filter(|name| *name != "mod").collect();
    let module = names.first().copied().unwrap_or_default();
    let Some(rank) = rank(module) else {
        return vec![format!(
            "{}: `{module}` is not in the order of modules; place it in xtask/src/tidy/order.rs",
            file.path
        )];
    };
    let paths = match crate_paths::find(&file.text, &names) {
        Ok(paths) => paths,
        Err(error) => return vec![format!("{}: can't be parsed: {error}", file.path)],
    };
    let problem = |CratePath { line, target }: CratePath| match self::rank(&target) {
        Some(other) if other <= rank => None,
        Some(_) => Some(format!("{}:{line}: `{module}` must not use `{target}`", file.path)),
        None => Some(format!(
            "{}:{line}: a path leads to `{target}` in the root of the crate, which is not in the \
             order of modules; import what you use from its module",
            file.path
        )),
    };
    paths.into_iter().filter_map(problem).collect()
}

/// Where a module, or what the root exports of it, stands in the order.
fn rank(name: &str) -> Option<usize> {
    let home = EXPORTED.iter().find(|(exported, _)| *exported == name);
    let module = home.map_or(name, |(_, module)| module);
    SITE_MODULES.iter().position(|each| *each == module)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, text: &str) -> Vec<String> {
        check_modules(&[SourceFile { path: format!("{SITE}{path}"), text: text.to_owned() }])
    }

    #[test]
    fn a_module_may_use_lower_ones_only() {
        let down = "use crate::{Diagnostic, render::{Rendered, a::b}};";
        assert!(check("theme/mod.rs", down).is_empty());
        assert!(check("render/mod.rs", "// see crate::theme::page").is_empty());
        assert!(check("render/mod.rs", "use crate::render::inline::text;").is_empty());
        let up = "\nuse crate::{content::{Page}, theme::{self, page}};";
        let expected = "crates/docwright-site/src/render/mod.rs:2: `render` must not use `theme`";
        assert_eq!(check("render/mod.rs", up), [expected]);
        assert_eq!(check("output.rs", "fn f() { super::build::build() }").len(), 1);
    }

    #[test]
    fn what_has_no_place_in_the_order_is_a_problem() {
        assert!(check("novelty/mod.rs", "")[0].contains("`novelty` is not in the order"));
        assert!(check("render/mod.rs", "use crate::novelty::x;")[0].contains("`novelty`"));
        assert!(check("render/mod.rs", "use crate::*;")[0].contains("`*`"));
        assert!(check("output.rs", "use super::{self as root};")[0].contains("leads to ``"));
        assert!(check("render/mod.rs", "fn")[0].contains("can't be parsed"));
    }
}
