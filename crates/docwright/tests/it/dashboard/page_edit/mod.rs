//! Editing the text of a page: from the list of pages to a merged pull request, with its preview.

mod refusals;
mod remote;
mod story;

use std::path::{Path, PathBuf};

use docwright_testing::wait::eventually;
use serde_json::json;

use super::{Browser, Dashboard, Page};
use crate::server::{Api, Setup, git};

/// The file of `crlf`: with a byte order mark, line endings of Windows, and no line break at its end.
const CRLF: &str = "\u{feff}---\r\ntitle: Windows\r\n---\r\n\r\nOld words.\r\n\r\nLast line";

/// A docs root in a folder, with pages that are hard to edit.
fn write_docs(folder: &Path) {
    let docs = folder.join("docs");
    std::fs::create_dir_all(docs.join("guides")).unwrap();
    let pages = ["index", "guides/start", "crlf", "latin", "binary", "long", "link", "leads-out"];
    let config = json!({ "theme": "mint", "name": "Test", "colors": { "primary": "#0f766e" }, "navigation": { "pages": pages } });
    std::fs::write(docs.join("docs.json"), config.to_string()).unwrap();
    let page = |title: &str, text: &str| format!("---\ntitle: \"{title}\"\n---\n\n{text}\n");
    let write = |path: &str, contents: &[u8]| std::fs::write(docs.join(path), contents).unwrap();
    write("index.mdx", page("Home </title><script>alert(1)</script>", "Welcome.").as_bytes());
    write("guides/start.mdx", page("Start", "Begin [here](/crlf).").as_bytes());
    write("crlf.mdx", CRLF.as_bytes());
    write("latin.mdx", b"---\ntitle: Latin\n---\n\nGr\xfc\xdfe.\n");
    write("binary.mdx", b"---\ntitle: Binary\n---\n\nA\0B\n");
    write("long.mdx", page("Long", &"A line of a long page.\n\n".repeat(50_000)).as_bytes());
    std::fs::write(folder.join("outside.mdx"), page("Outside", "Not a page.")).unwrap();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("crlf.mdx", docs.join("link.mdx")).unwrap();
        std::os::unix::fs::symlink("../outside.mdx", docs.join("leads-out.mdx")).unwrap();
    }
}

/// A service whose project has a published site of these pages.
async fn published() -> Dashboard {
    let dashboard = Dashboard::on(Setup::built_in(write_docs, &[]), &[]).await;
    let api = dashboard.api("admin");
    let export = api.start_export().await;
    api.wait_for(&export, &["completed"]).await;
    dashboard.released(&api, 1).await;
    dashboard
}

impl Dashboard {
    fn edit_path(&self, path: &str) -> String {
        format!("/projects/{}/pages/edit?path={path}", self.setup.project)
    }

    /// The repository on the server.
    fn bare(&self) -> PathBuf {
        self.setup.data().join("git").join(format!("{}.git", self.setup.project))
    }

    /// Commits a file to the main branch and pushes it, as someone with git does.
    fn push(&self, change: impl Fn(&Path)) {
        let folder = self.setup.folder.path();
        let work = folder.join("pushed");
        let address =
            self.process.address.replace("http://", &format!("http://me:{}@", self.setup.key));
        let url = format!("{address}/git/{}.git", self.setup.project);
        if !work.exists() {
            git(folder, &["clone", "--quiet", &url, "pushed"]);
        }
        git(&work, &["pull", "--quiet", &url, "main"]);
        change(&work);
        git(&work, &["add", "--all"]);
        git(&work, &["commit", "--quiet", "--message", "Change"]);
        git(&work, &["push", "--quiet", &url, "main"]);
    }
}

/// A page that is opened for editing.
struct Form {
    page: Page,
    path: String,
    revision: String,
}

impl Form {
    async fn open(dashboard: &Dashboard, browser: &Browser, path: &str) -> Self {
        let page = browser.get(&dashboard.edit_path(path)).await;
        assert_eq!(page.status, 200, "{}", page.text);
        let revision = page.after("name=\"revision\" value=\"");
        Self { page, path: path.to_owned(), revision }
    }

    /// The text in the form, as browsers show it.
    fn text(&self) -> String {
        let area = self.page.text.split_once("<textarea class=\"source\"").unwrap().1;
        let area = area.split_once('>').unwrap().1.split_once("</textarea>").unwrap().0;
        let text = area.strip_prefix('\n').unwrap();
        let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"");
        text.replace("&amp;", "&").replace("\r\n", "\n").replace('\r', "\n")
    }

    /// The fields that a browser sends.
    fn fields<'a>(&'a self, text: &'a str, title: &'a str) -> [(&'a str, &'a str); 4] {
        [("path", &self.path), ("revision", &self.revision), ("text", text), ("title", title)]
    }

    async fn save(
        &self,
        dashboard: &Dashboard,
        browser: &Browser,
        text: &str,
        title: &str,
    ) -> Page {
        let path = format!("/projects/{}/pages/edit", dashboard.setup.project);
        browser.submit(&path, &self.fields(&sent(text), title)).await
    }

    /// The address that previews are sent to, and what allows them.
    fn preview(&self) -> (String, String) {
        (self.page.after("formaction=\""), self.page.after("name=\"draft\" value=\""))
    }
}

/// A text as browsers send it.
fn sent(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\n', "\r\n")
}

/// Sends a text to the host of previews, without any cookie.
async fn compile(api: &Api, (action, access): &(String, String), text: &str) -> Page {
    let mut form = url::form_urlencoded::Serializer::new(String::new());
    let form = form.extend_pairs([("draft", access.as_str()), ("text", &sent(text))]).finish();
    let (host, path) = place(action);
    let request = api.client.post(format!("{}/{path}", api.base)).header("host", host);
    let request = request.header("content-type", "application/x-www-form-urlencoded");
    let answer = request.header("origin", &api.base).body(form).send().await.unwrap();
    let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
    Page { status, headers, text: answer.text().await.unwrap() }
}

/// Host and path of an address.
fn place(address: &str) -> (&str, &str) {
    let rest = address.split_once("://").unwrap().1;
    rest.split_once('/').unwrap()
}

/// Waits until the site shows a text on a page.
async fn shows(api: &Api, path: &str, words: &str) {
    eventually(&format!("{path} shows {words:?}"), async || {
        let request = api.client.get(format!("{}/{path}", api.base));
        let answer = request.header("host", "docs.example.com").send().await.unwrap();
        let text = answer.text().await.unwrap();
        if text.contains(words) { Ok(()) } else { Err(text) }
    })
    .await;
}
