//! The order of crates, and of modules within the compiler and the program. Dependencies only point down, so
//! there are no cycles.

use std::collections::BTreeMap;

use anyhow::Context;
use serde_json::Value;

use super::{
    crate_paths::{self, CratePath},
    sources::SourceFile,
};
use crate::process;

/// The crates that each crate can use. `ARCHITECTURE.md` explains why.
const CRATES: &[(&str, &[&str])] = &[
    ("docwright-types", &[]),
    ("docwright-site", &["docwright-types"]),
    ("docwright-repository", &["docwright-types"]),
    ("docwright-agent", &["docwright-types"]),
    ("docwright-storage", &["docwright-types"]),
    ("docwright-assistant", &["docwright-types", "docwright-site", "docwright-agent"]),
    (
        "docwright-jobs",
        &[
            "docwright-types",
            "docwright-site",
            "docwright-repository",
            "docwright-agent",
            "docwright-storage",
        ],
    ),
    (
        "docwright-operations",
        &[
            "docwright-types",
            "docwright-site",
            "docwright-repository",
            "docwright-agent",
            "docwright-storage",
            "docwright-jobs",
        ],
    ),
    (
        "docwright-http",
        &["docwright-types", "docwright-storage", "docwright-jobs", "docwright-operations"],
    ),
    (
        "docwright-api",
        &[
            "docwright-types",
            "docwright-site",
            "docwright-repository",
            "docwright-agent",
            "docwright-storage",
            "docwright-jobs",
            "docwright-operations",
            "docwright-http",
        ],
    ),
    (
        "docwright-dashboard",
        &[
            "docwright-types",
            "docwright-site",
            "docwright-repository",
            "docwright-agent",
            "docwright-storage",
            "docwright-jobs",
            "docwright-operations",
            "docwright-http",
        ],
    ),
    (
        "docwright-serving",
        &[
            "docwright-types",
            "docwright-site",
            "docwright-assistant",
            "docwright-repository",
            "docwright-storage",
            "docwright-jobs",
            "docwright-operations",
            "docwright-http",
        ],
    ),
    ("docwright-manual", &[]),
    (
        "docwright",
        &[
            "docwright-types",
            "docwright-site",
            "docwright-repository",
            "docwright-agent",
            "docwright-assistant",
            "docwright-storage",
            "docwright-jobs",
            "docwright-operations",
            "docwright-http",
            "docwright-api",
            "docwright-dashboard",
            "docwright-serving",
            "docwright-manual",
        ],
    ),
    // Only for development, so it can use the crates it helps to test.
    ("docwright-testing", &["docwright-types", "docwright-storage"]),
    ("xtask", &[]),
];

/// The order of the modules of one crate.
struct Order {
    /// The folder of the crate.
    crate_path: &'static str,
    /// The crate's modules, lowest first: each can use earlier ones.
    modules: &'static [&'static str],
    /// Modules that can't use each other, regardless of their order.
    rooms: &'static [&'static str],
    /// Items that the crate's root exports under a shorter path, and their modules.
    exported: &'static [(&'static str, &'static str)],
}

const SITE: Order = Order {
    crate_path: "crates/docwright-site/src/",
    modules: &[
        "diagnostic",
        "hashed_path",
        "options",
        "packed_text",
        "result_cache",
        "stamp",
        "output",
        "source",
        "mdx",
        "script",
        "openapi",
        "content",
        "render",
        "search",
        "embedding",
        "answer",
        "guidance",
        "theme",
        "generated",
        "bundle",
        "folder",
        "comparison",
        "outline",
        "build",
        "hosting",
    ],
    rooms: &[],
    exported: &[
        ("Diagnostic", "diagnostic"),
        ("Rule", "diagnostic"),
        ("Severity", "diagnostic"),
        ("Options", "options"),
    ],
};

const PROGRAM: Order = Order {
    crate_path: "crates/docwright/src/",
    modules: &[
        "logging",
        "hashing_file",
        "partial_file",
        "progress",
        "timings",
        "sandbox",
        "embedder",
        "config",
        "repositories",
        "baseline_file",
        "diagnostic_report",
        "last_build",
        "result_cache",
        "compile",
        "git_host",
        "webhooks",
        "dev_server",
        "flows",
        "front",
        "reader_records",
        "service",
        "commands",
    ],
    rooms: &["git_host", "webhooks", "dev_server"],
    exported: &[],
};

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
            if let Some(target) = upward(dependency, allowed) {
                problems.push(format!("{name} must not use {target}: arrows only point down"));
            }
        }
    }
    Ok(problems)
}

/// The crate of a dependency if it isn't allowed. All crates can use the testing crate.
fn upward<'a>(dependency: &'a Value, allowed: &[&str]) -> Option<&'a str> {
    let target = dependency["name"].as_str().filter(|name| name.starts_with("docwright-"))?;
    let is_for_tests = target == "docwright-testing" && dependency["kind"] == "dev";
    (!is_for_tests && !allowed.contains(&target)).then_some(target)
}

/// Finds paths that point up or into another area, and modules without a place in the order.
pub(crate) fn check_modules(sources: &[SourceFile]) -> Vec<String> {
    let orders = [SITE, PROGRAM];
    orders.iter().flat_map(|order| order.check(sources)).collect()
}

impl Order {
    fn check(&self, sources: &[SourceFile]) -> Vec<String> {
        let files = sources
            .iter()
            .filter_map(|file| Some((file, file.path.strip_prefix(self.crate_path)?)))
            .filter(|(_, path)| !matches!(*path, "lib.rs" | "main.rs"));
        files.flat_map(|(file, path)| self.check_file(file, path)).collect()
    }

    fn check_file(&self, file: &SourceFile, path: &str) -> Vec<String> {
        let parts = path.trim_end_matches(".rs").split('/');
        let names: Vec<_> = parts.filter(|name| *name != "mod").collect();
        let module = names.first().copied().unwrap_or_default();
        let Some(rank) = self.rank(module) else {
            return vec![format!(
                "{}: `{module}` is not in the order of modules; place it in xtask/src/tidy/order.rs",
                file.path
            )];
        };
        let paths = match crate_paths::find(&file.text, &names) {
            Ok(paths) => paths,
            Err(error) => return vec![format!("{}: can't be parsed: {error}", file.path)],
        };
        let is_room = |name: &str| self.rooms.contains(&name);
        let problem = |CratePath { line, target }: CratePath| match self.rank(&target) {
            Some(_) if is_room(module) && is_room(&target) && module != target => Some(format!(
                "{}:{line}: `{module}` must not know `{target}`; put what both need beside them",
                file.path
            )),
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

    /// The position of a module, or of an item exported by the root.
    fn rank(&self, name: &str) -> Option<usize> {
        let home = self.exported.iter().find(|(exported, _)| *exported == name);
        let module = home.map_or(name, |(_, module)| module);
        self.modules.iter().position(|each| *each == module)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_in(order: &Order, path: &str, text: &str) -> Vec<String> {
        let path = format!("{}{path}", order.crate_path);
        check_modules(&[SourceFile { path, text: text.to_owned() }])
    }

    fn check(path: &str, text: &str) -> Vec<String> {
        check_in(&SITE, path, text)
    }

    #[test]
    fn module_can_use_only_lower_modules() {
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
    fn module_outside_order_is_a_problem() {
        assert!(check("novelty/mod.rs", "")[0].contains("`novelty` is not in the order"));
        assert!(check("render/mod.rs", "use crate::novelty::x;")[0].contains("`novelty`"));
        assert!(check("render/mod.rs", "use crate::*;")[0].contains("`*`"));
        assert!(check("output.rs", "use super::{self as root};")[0].contains("leads to ``"));
        assert!(check("render/mod.rs", "fn")[0].contains("can't be parsed"));
    }

    #[test]
    fn crate_can_use_only_lower_crates() {
        let upward_of = |name: &str, kind: Value| {
            let dependency = serde_json::json!({ "name": name, "kind": kind });
            upward(&dependency, &["docwright-types"]).map(str::to_owned)
        };
        assert_eq!(upward_of("docwright-types", Value::Null), None);
        assert_eq!(upward_of("serde", Value::Null), None);
        assert_eq!(upward_of("docwright-api", Value::Null).as_deref(), Some("docwright-api"));
        assert_eq!(upward_of("docwright-testing", "dev".into()), None);
        assert!(upward_of("docwright-testing", Value::Null).is_some());
        assert!(upward_of("docwright-api", "dev".into()).is_some());
    }

    #[test]
    fn areas_of_program_do_not_use_each_other() {
        let shared = "use crate::{config::Settings, sandbox::Sandbox};";
        assert!(check_in(&PROGRAM, "webhooks/mod.rs", shared).is_empty());
        let own = "use crate::webhooks::signature::Signatures;";
        assert!(check_in(&PROGRAM, "webhooks/mod.rs", own).is_empty());
        assert!(check_in(&PROGRAM, "front.rs", "use crate::{webhooks, git_host};").is_empty());
        // The order alone would allow this path.
        let down = check_in(&PROGRAM, "webhooks/mod.rs", "use crate::git_host::router;");
        assert!(down[0].contains("`webhooks` must not know `git_host`"), "{down:?}");
        let up = check_in(&PROGRAM, "config.rs", "use crate::front::Faces;");
        assert!(up[0].contains("`config` must not use `front`"), "{up:?}");
    }
}
