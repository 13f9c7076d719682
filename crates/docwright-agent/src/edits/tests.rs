use super::*;
use crate::{
    checker::{BrokenLink, LinkError, MovedLink, Problem},
    workspace::{Changes, Limits},
};

/// A compiler that finds these links broken, and these moved.
struct Compiler(Vec<BrokenLink>, Vec<MovedLink>);

impl Checker for Compiler {
    fn check(&self, _: &Workspace) -> Result<Vec<Problem>, String> {
        Ok(Vec::new())
    }

    fn broken_links(&self, _: &Changes) -> Result<Vec<BrokenLink>, String> {
        Ok(self.0.clone())
    }

    fn moved_links(&self, _: &Changes, _: &Changes) -> Result<Vec<MovedLink>, String> {
        Ok(self.1.clone())
    }

    fn preview(&self, _: &Changes, _: &str) -> Result<String, String> {
        Ok(String::new())
    }
}

/// Works with a compiler that finds nothing.
fn edit(prompt: &str, workspace: &mut Workspace) -> Result<String, String> {
    work(prompt, workspace, &Compiler(Vec::new(), Vec::new()))
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
fn links_follow_headings_that_replacement_changes() {
    let page = "## Set up a repo\n\n[a](#set-up-a-repo) <a href=\"#set-up-a-repo\">b</a>\n\n```md\n[a](#set-up-a-repo)\n```\n\n[c]\n\n[c]: ./b?q=1#your-repo\n";
    let code = "export const L = () => <a href=\"/b#your-repo\">/b#your-repo</a>;\n";
    let config = CONFIG.replace("\"index\"", "\"index\", \"/b#your-repo\"");
    let (_folder, mut workspace) =
        site(&[("docs.json", &config), ("a.mdx", page), ("snippets/l.jsx", code)]);
    let moved = |path: &str, href: &str, to: &str| MovedLink {
        path: path.to_owned(),
        href: href.to_owned(),
        to: to.to_owned(),
    };
    let compiler = Compiler(
        Vec::new(),
        vec![
            moved("a.mdx", "#set-up-a-repo", "#set-up-a-repository"),
            moved("a.mdx", "./b?q=1#your-repo", "./b?q=1#your-repository"),
            moved("a.mdx", "/b#your-repo", "/b#your-repository"),
            moved("a.mdx", "#made", "#made-otherwise"),
            moved("docs.json", "/b#your-repo", "/b#your-repository"),
        ],
    );
    let summary = work("replace repo with repository", &mut workspace, &compiler).unwrap();
    let expected = "Replace “repo” with “repository” (once in 1 file), and rewrite 5 links to headings that changed\n\nLinks that code makes still have the old address:\n\n- `a.mdx`: `#made`, now `#made-otherwise`";
    assert_eq!(summary, expected);
    let expected = page
        .replace("a repo\n", "a repository\n")
        .replacen("#set-up-a-repo", "#set-up-a-repository", 2)
        .replace("#your-repo", "#your-repository");
    assert_eq!(workspace.read("a.mdx").unwrap(), expected);
    let expected = code.replace("\"/b#your-repo\"", "\"/b#your-repository\"");
    assert_eq!(workspace.read("snippets/l.jsx").unwrap(), expected);
    let expected = config.replace("#your-repo", "#your-repository");
    assert_eq!(workspace.read("docs.json").unwrap(), expected);
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
    let link = |line, href: &str, reason, meant: Option<&str>, perhaps: &[&str]| BrokenLink {
        path: "a/one.mdx".to_owned(),
        line,
        href: href.to_owned(),
        reason,
        meant: meant.map(str::to_owned),
        perhaps: perhaps.iter().map(|address| (*address).to_owned()).collect(),
    };
    let (page, place) = (LinkError::NoPage, LinkError::NoPlace);
    let in_api =
        BrokenLink { path: "api.yaml".to_owned(), ..link(3, "/one", page, Some("/a/one"), &[]) };
    let broken = vec![
        link(1, "/one", page, Some("/a/one"), &[]),
        link(1, "/one", page, Some("/a/one"), &[]),
        link(7, "/gone#p", place, Some("/gone#q"), &[]),
        link(11, "/gone", page, Some("/b"), &[]),
        link(11, "/gone", page, None, &["/b"]),
        link(11, "/two", page, None, &["/a/two", "/b/two"]),
        link(11, "/made", page, Some("/a/made"), &[]),
        in_api,
    ];
    let compiler = Compiler(broken, Vec::new());
    let summary = work("fix broken links", &mut workspace, &compiler).unwrap();
    let expected = text
        .replacen("/one", "/a/one", 2)
        .replace("/gone#p", "/gone#q")
        .replace("\n[x](/gone) [", "\n[x](/b) [");
    assert_eq!(workspace.read("a/one.mdx").unwrap(), expected);
    let expected = "Fix broken links (4 of 8, in 1 files)\n\nLeft as they are: 4\n
- The page is not there, and no other is certainly meant (1):
  - `a/one.mdx:11`: `/gone` (perhaps `/b`)\n
- Several pages can be meant (1):
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
    let summary = work(prompt, &mut workspace, &Compiler(Vec::new(), Vec::new())).unwrap();
    assert_eq!(summary, "No link is broken; nothing to fix");
    let link = |number: u32| BrokenLink {
        path: "index.mdx".to_owned(),
        line: number,
        href: format!("/{number}"),
        reason: LinkError::Circle,
        meant: None,
        perhaps: Vec::new(),
    };
    let summary =
        work(prompt, &mut workspace, &Compiler((1..=54).map(link).collect(), Vec::new())).unwrap();
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
    assert!(error.contains("isn't a language model") && error.contains("write a poem"), "{error}");
    assert!(workspace.changes().is_empty());
}
