use super::*;
use crate::{
    checker::{BrokenLink, LinkFault, Problem},
    workspace::{Changes, Limits},
};

/// A compiler that finds these links broken.
struct Compiler(Vec<BrokenLink>);

impl Checker for Compiler {
    fn check(&self, _: &Workspace) -> Result<Vec<Problem>, String> {
        Ok(Vec::new())
    }

    fn broken_links(&self, _: &Changes) -> Result<Vec<BrokenLink>, String> {
        Ok(self.0.clone())
    }

    fn preview(&self, _: &Changes, _: &str) -> Result<String, String> {
        Ok(String::new())
    }
}

/// Works with a compiler that finds nothing.
fn edit(prompt: &str, workspace: &mut Workspace) -> Result<String, String> {
    work(prompt, workspace, &Compiler(Vec::new()))
}

fn site(files: &[(&str, &str)]) -> (tempfile::TempDir, Workspace) {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let workspace = Workspace::open(folder.path(), Changes::default(), Limits::default()).unwrap();
    (folder, workspace)
}

const CONFIG: &str = "{\n  \"name\": \"S\",\n  \"navigation\": {\n    \"groups\": [\n      {\n        \"group\": \"Start\",\n        \"pages\": [\n          \"index\",\n          \"guides/start\"\n        ]\n      }\n    ]\n  }\n}\n";

#[test]
fn a_term_is_replaced_in_prose_only() {
    let (_folder, mut workspace) = site(&[
        ("docs.json", CONFIG),
        (
            "index.mdx",
            "---\ntitle: Your repo\n---\n\nRepo and `repo`, repos, [a repo](/repo).\n\n```sh\ncd repo\n```\n",
        ),
    ]);
    let summary = edit("replace repo with repository", &mut workspace).unwrap();
    assert_eq!(summary, "Replace “repo” with “repository” (3 times in 1 file)");
    assert_eq!(
        workspace.read("index.mdx").unwrap(),
        "---\ntitle: Your repository\n---\n\nRepository and `repo`, repos, [a repository](/repo).\n\n```sh\ncd repo\n```\n"
    );
}

#[test]
fn a_renamed_page_takes_its_links_along() {
    let (_folder, mut workspace) = site(&[
        ("docs.json", CONFIG),
        (
            "index.mdx",
            "[a](/guides/start#x) [b](guides/start.mdx) <Card href=\"/guides/start\" /> [c](/guides/started)",
        ),
        ("guides/start.mdx", "[home](../index) [self](/guides/start)"),
    ]);
    let summary = edit("rename page guides/start to begin", &mut workspace).unwrap();
    assert_eq!(summary, "Rename page guides/start to begin (1 navigation entries, 4 links)");
    assert_eq!(
        workspace.read("index.mdx").unwrap(),
        "[a](/begin#x) [b](/begin) <Card href=\"/begin\" /> [c](/guides/started)"
    );
    assert_eq!(workspace.read("begin.mdx").unwrap(), "[home](/index) [self](/begin)");
    assert_eq!(workspace.read("docs.json").unwrap(), CONFIG.replace("guides/start", "begin"));
}

#[test]
fn a_page_is_added_and_listed() {
    let (_folder, mut workspace) = site(&[("docs.json", CONFIG), ("index.mdx", "x")]);
    edit("add page new titled \"New: things\" to group start with text \"Hello.\"", &mut workspace)
        .unwrap();
    assert_eq!(workspace.read("new.mdx").unwrap(), "---\ntitle: \"New: things\"\n---\n\nHello.\n");
    assert!(
        workspace.read("docs.json").unwrap().contains("\"guides/start\",\n          \"new\"\n")
    );
    assert!(edit("add page new titled X", &mut workspace).unwrap_err().contains("already"));
}

#[test]
fn the_layout_of_the_configuration_is_kept() {
    let config = "{ \"name\":\"S\",\n  \"navigation\": { \"groups\": [\n    { \"group\": \"A\", \"pages\": [\"a\", \"b\"] },\n    { \"group\": \"B\", \"pages\": [] }\n  ] } }\n";
    let (_folder, mut workspace) = site(&[("docs.json", config), ("a.mdx", "x")]);
    edit("add page c titled C\nadd page d titled D to group b\nrename page a to e", &mut workspace)
        .unwrap();
    let expected =
        config.replace("[\"a\", \"b\"]", "[\"e\", \"b\", \"c\"]").replace("[]", "[\"d\"]");
    assert_eq!(workspace.read("docs.json").unwrap(), expected);
}

#[test]
fn broken_links_get_what_they_mean_where_that_is_certain() {
    let text = "[x](/one) [x](/one)\n\n```md\n[x](/gone)\n```\n\n<Card\n  title=\"T\"\n  href=\"/gone#p\"\n/>\n[x](/gone) [again](/gone) [z](/two) `[x](/one)`\n";
    let (_folder, mut workspace) = site(&[("docs.json", CONFIG), ("a/one.mdx", text)]);
    let link = |line, href: &str, fault, meant: Option<&str>, perhaps: &[&str]| BrokenLink {
        path: "a/one.mdx".to_owned(),
        line,
        href: href.to_owned(),
        fault,
        meant: meant.map(str::to_owned),
        perhaps: perhaps.iter().map(|address| (*address).to_owned()).collect(),
    };
    let (page, place) = (LinkFault::NoPage, LinkFault::NoPlace);
    let in_api =
        BrokenLink { path: "api.yaml".to_owned(), ..link(3, "/one", page, Some("/a/one"), &[]) };
    let compiler = Compiler(vec![
        link(1, "/one", page, Some("/a/one"), &[]),
        link(1, "/one", page, Some("/a/one"), &[]),
        link(7, "/gone#p", place, Some("/gone#q"), &[]),
        link(11, "/gone", page, Some("/b"), &[]),
        link(11, "/gone", page, None, &["/b"]),
        link(11, "/two", page, None, &["/a/two", "/b/two"]),
        link(11, "/made", page, Some("/a/made"), &[]),
        in_api,
    ]);
    let summary = work("fix broken links", &mut workspace, &compiler).unwrap();
    let expected = text
        .replacen("/one", "/a/one", 2)
        .replace("/gone#p", "/gone#q")
        .replace("\n[x](/gone) [", "\n[x](/b) [");
    assert_eq!(workspace.read("a/one.mdx").unwrap(), expected);
    let expected = "Fix broken links (4 of 8, in 1 files)\n\nLeft as they are: 4\n
- The page is not there, and no other is certainly meant (1):
  - `a/one.mdx:11`: `/gone` (perhaps `/b`)\n
- Several pages may be meant (1):
  - `a/one.mdx:11`: `/two` (perhaps `/a/two` or `/b/two`)\n
- They stand in another file than a page (1):
  - `api.yaml:3`: `/one`\n
- Code makes them, or they are written in a way that is not changed here (1):
  - `a/one.mdx:11`: `/made`";
    assert_eq!(summary, expected);
}

#[test]
fn links_that_stay_broken_are_counted() {
    let (_folder, mut workspace) = site(&[("docs.json", CONFIG), ("index.mdx", "x")]);
    let prompt = "fix broken links";
    let summary = work(prompt, &mut workspace, &Compiler(Vec::new())).unwrap();
    assert_eq!(summary, "No link is broken; nothing to fix");
    let link = |number: u32| BrokenLink {
        path: "index.mdx".to_owned(),
        line: number,
        href: format!("/{number}"),
        fault: LinkFault::Circle,
        meant: None,
        perhaps: Vec::new(),
    };
    let summary = work(prompt, &mut workspace, &Compiler((1..=54).map(link).collect())).unwrap();
    assert!(
        summary.starts_with("None of 54 broken links has a target that is certain"),
        "{summary}"
    );
    assert!(summary.contains("- Redirects run in a circle (54):"), "{summary}");
    assert!(summary.ends_with("`index.mdx:5`: `/5`\n  - and 49 more"), "{summary}");
    assert!(workspace.changes().is_empty());
}

#[test]
fn list_markers_change_outside_code() {
    let (_folder, mut workspace) = site(&[
        ("docs.json", CONFIG),
        ("index.mdx", "* a\n  * b\n- c\n\n* * *\n\n```\n* d\n```\n"),
    ]);
    edit("use - for list markers", &mut workspace).unwrap();
    assert_eq!(workspace.read("index.mdx").unwrap(), "- a\n  - b\n- c\n\n* * *\n\n```\n* d\n```\n");
}

#[test]
fn what_is_not_understood_changes_nothing() {
    let (_folder, mut workspace) = site(&[("docs.json", CONFIG), ("index.mdx", "* a\n")]);
    let error = edit("use - for list markers\nwrite a poem", &mut workspace).unwrap_err();
    assert!(error.contains("no language model") && error.contains("write a poem"), "{error}");
    assert!(workspace.changes().is_empty());
}
