//! The order of crates, and of modules within the compiler: arrows only point down.

use std::collections::BTreeMap;

use anyhow::Context;
use serde_json::Value;

use super::sources::SourceFile;
use crate::process;

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

/// Looks for `crate::` paths in the compiler that point up.
pub(crate) fn check_modules(sources: &[SourceFile]) -> Vec<String> {
    let prefix = "crates/docwright-site/src/";
    let mut problems = Vec::new();
    for file in sources {
        let Some(path) = file.path.strip_prefix(prefix) else { continue };
        let module = path.split(['/', '.']).next().unwrap_or_default();
        let Some(rank) = SITE_MODULES.iter().position(|each| *each == module) else { continue };
        for higher in &SITE_MODULES[rank + 1..] {
            if uses(&file.text, higher) {
                problems.push(format!("{}: `{module}` must not use `{higher}`", file.path));
            }
        }
    }
    problems
}

fn uses(text: &str, module: &str) -> bool {
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let path = format!("crate::{module}::");
    code.into_iter()
        .any(|line| line.contains(&path) || line.contains(&format!("crate::{{{module}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> SourceFile {
        SourceFile { path: path.to_owned(), text: text.to_owned() }
    }

    #[test]
    fn a_module_may_use_lower_ones_only() {
        let down = file("crates/docwright-site/src/theme/mod.rs", "use crate::render::Rendered;");
        let up = file("crates/docwright-site/src/render/mod.rs", "use crate::theme::page;");
        let comment = file("crates/docwright-site/src/render/mod.rs", "// see crate::theme::page");
        assert!(check_modules(&[down, comment]).is_empty());
        assert_eq!(check_modules(&[up]).len(), 1);
    }
}
