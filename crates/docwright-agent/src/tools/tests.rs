use serde_json::json;

use super::*;
use crate::{
    checker::{BrokenLink, MovedLink, Problem},
    policy::patterns::Patterns,
    workspace::{Changes, Limits},
};

/// A compiler that reports an error in every page with `broken`.
struct Words;

impl Checker for Words {
    fn check(&self, workspace: &Workspace) -> Result<Vec<Problem>, String> {
        let changes = workspace.changes();
        let broken = changes.iter().filter(|(_, change)| format!("{change:?}").contains("broken"));
        let problem = |path: &String| Problem {
            path: path.clone(),
            line: 1,
            message: "it is broken".into(),
            help: None,
        };
        Ok(broken.map(|(path, _)| problem(path)).collect())
    }

    fn moved_links(&self, _: &Changes, _: &Changes) -> Result<Vec<MovedLink>, String> {
        Ok(Vec::new())
    }

    fn broken_links(&self, _: &Changes) -> Result<Vec<BrokenLink>, String> {
        Ok(Vec::new())
    }

    fn preview(&self, _: &Changes, path: &str) -> Result<String, String> {
        Ok(format!("text of {path}"))
    }
}

struct Site {
    _folder: tempfile::TempDir,
    workspace: Workspace,
}

impl Site {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let config = json!({ "name": "S", "navigation": { "groups": [
            { "group": "Start", "pages": ["index", { "group": "More", "root": "more", "pages": ["a"] }] },
        ] } });
        let text = serde_json::to_string_pretty(&config).unwrap() + "\n";
        std::fs::write(folder.path().join("docs.json"), text).unwrap();
        std::fs::write(folder.path().join("index.mdx"), "One line.\nAnother line.\n").unwrap();
        let workspace =
            Workspace::open(folder.path(), Changes::default(), Limits::default()).unwrap();
        Self { _folder: folder, workspace }
    }

    fn call(&mut self, name: &str, arguments: Value) -> Result<String, String> {
        let mut context =
            Context { workspace: &mut self.workspace, checker: &Words, finished: None };
        run(name, &arguments, &mut context).map_err(|refusal| refusal.0)
    }
}

#[test]
fn files_are_listed_read_and_searched() {
    let mut site = Site::new();
    assert_eq!(site.call("list", json!({})).unwrap(), "docs.json\nindex.mdx\n");
    let range = json!({ "path": "index.mdx", "first": 2 });
    assert_eq!(site.call("read", range).unwrap(), "    2  Another line.\n");
    let found =
        site.call("search", json!({ "pattern": "an.*line", "regex": true, "ignore_case": true }));
    assert_eq!(found.unwrap(), "index.mdx:2: Another line.");
    assert_eq!(site.call("search", json!({ "pattern": "a.*b" })).unwrap(), "nothing found");
}

#[test]
fn edit_replaces_exact_text() {
    let mut site = Site::new();
    let edit =
        |old: &str, all: bool| json!({ "path": "index.mdx", "old": old, "new": "row", "all": all });
    assert!(site.call("edit", edit("line", false)).unwrap_err().contains("2 times"));
    assert!(site.call("edit", edit("lines", false)).unwrap_err().contains("doesn't contain"));
    assert_eq!(site.call("edit", edit("line", true)).unwrap(), "replaced 2 in index.mdx");
    assert_eq!(site.workspace.read("index.mdx").unwrap(), "One row.\nAnother row.\n");
}

#[test]
fn navigation_stays_valid() {
    let mut site = Site::new();
    let add = json!({ "action": "add", "page": "/b.mdx", "group": "more", "after": "a" });
    site.call("navigation", add.clone()).unwrap();
    assert!(site.call("navigation", add).unwrap_err().contains("already"));
    site.call("navigation", json!({ "action": "rename", "page": "more", "to": "less" })).unwrap();
    site.call("navigation", json!({ "action": "remove", "page": "index" })).unwrap();
    let config: Value = serde_json::from_str(&site.workspace.read("docs.json").unwrap()).unwrap();
    let expected = json!([{ "group": "More", "root": "less", "pages": ["a", "b"] }]);
    assert_eq!(config["navigation"]["groups"][0]["pages"], expected);
    let none = json!({ "action": "remove", "page": "none" });
    assert!(site.call("navigation", none).unwrap_err().contains("doesn't list"));
}

#[test]
fn navigation_is_found_where_a_configuration_refers_to() {
    let folder = tempfile::tempdir().unwrap();
    let config = json!({ "navigation": { "$ref": "./config/navigation.json" } }).to_string();
    let navigation = json!({ "groups": [{ "group": "G", "pages": ["x"] }] }).to_string();
    std::fs::create_dir(folder.path().join("config")).unwrap();
    std::fs::write(folder.path().join("docs.json"), &config).unwrap();
    std::fs::write(folder.path().join("config/navigation.json"), navigation).unwrap();
    let open = || Workspace::open(folder.path(), Changes::default(), Limits::default()).unwrap();
    let documentation = open().documentation(Patterns::default());
    let workspace = open().with_documentation(documentation);
    let mut site = Site { workspace, _folder: folder };
    site.call("navigation", json!({ "action": "add", "page": "y" })).unwrap();
    assert_eq!(site.workspace.read("docs.json").unwrap(), config);
    let text = site.workspace.read("config/navigation.json").unwrap();
    let changed: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(changed["groups"][0]["pages"], json!(["x", "y"]));
}

#[test]
fn refused_call_names_the_error() {
    let mut site = Site::new();
    assert!(site.call("shell", json!({})).unwrap_err().contains("unknown tool `shell`"));
    assert!(site.call("read", json!([])).unwrap_err().contains("JSON object"));
    assert!(site.call("read", json!({})).unwrap_err().contains("`path` is missing"));
    assert!(site.call("read", json!({ "path": 1 })).unwrap_err().contains("must be a string"));
    assert!(site.call("read", json!({ "path": "x", "y": 1 })).unwrap_err().contains("no argument"));
    assert!(
        site.call("read", json!({ "path": "../x" }))
            .unwrap_err()
            .contains("isn't a path in the docs root")
    );
}

#[test]
fn check_lists_diagnostics_of_changes() {
    let mut site = Site::new();
    assert_eq!(site.call("check", json!({})).unwrap(), "clean");
    site.call("write", json!({ "path": "a.mdx", "text": "broken" })).unwrap();
    assert_eq!(site.call("check", json!({})).unwrap(), "a.mdx:1: it is broken");
}

#[test]
fn schemas_list_required_arguments() {
    let schema = TOOLS.iter().find(|tool| tool.name == "edit").unwrap().schema();
    assert_eq!(schema["required"], json!(["path", "old", "new"]));
}
