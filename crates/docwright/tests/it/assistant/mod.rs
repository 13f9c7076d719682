//! The assistant of sites over real HTTP: with the real program, and a scripted host of a model.

mod agents;
mod answers;
mod embeddings;
mod failures;
mod gaps;
mod guidance;
pub(crate) mod hosted;
mod injections;
mod kept;
mod keys;
mod limits;
pub(crate) mod model;

use std::{fs, net::IpAddr, path::Path};

use docwright_testing::wait::eventually;
use reqwest::{Client, Response};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::server::{Process, docwright};
use model::{KEY, ScriptedModel};

/// A docs root about a program.
pub(crate) fn write_docs(folder: &Path) {
    let page = |path: &str, title: &str, text: &str| {
        let path = folder.join(format!("{path}.mdx"));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, format!("---\ntitle: {title}\n---\n\n{text}\n")).unwrap();
    };
    let pages = ["index", "guides/start", "guides/backups", "guides/colors"];
    fs::create_dir_all(folder).unwrap();
    let config = json!({
        "theme": "mint", "name": "Harbor", "colors": { "primary": "#0f766e" },
        "navigation": { "groups": [{ "group": "Guides", "pages": pages }] },
    });
    fs::write(folder.join("docs.json"), config.to_string()).unwrap();
    page("index", "Welcome", "Harbor keeps boats in order.");
    page(
        "guides/start",
        "Start",
        "Install the harbor tool before you begin.\n\n## Install\n\nRun `npm install -g harbor` once. It needs \
         Node 22 or later. See [backups](/guides/backups).\n\n## Keys\n\nCreate a key at [the console]\
         (https://console.example.com/keys). Keys expire after 30 days.",
    );
    page(
        "guides/backups",
        "Backups",
        "## Harbor Cloud\n\nIn Harbor Cloud, backups run every night.\n\n## Harbor Server\n\nIn Harbor Server, run \
         backups with the command `harbor backup`.",
    );
    page(
        "guides/colors",
        "Colors",
        "## Paint\n\nBoats are painted in three colors of the rainbow.",
    );
}

/// A site with the assistant, exported and deployed by the real program.
struct AssistedSite {
    address: String,
    _process: Process,
    _folder: TempDir,
}

impl AssistedSite {
    /// Without a model.
    async fn start() -> Self {
        Self::with(&["--assistant"], &[], write_docs).await
    }

    async fn with_model(model: &ScriptedModel) -> Self {
        Self::with_docs(model, write_docs).await
    }

    async fn with_docs(model: &ScriptedModel, write: impl Fn(&Path)) -> Self {
        let (urls, keys) = (format!("openai-chat={}", model.address), format!("openai-chat={KEY}"));
        let flags = ["--assistant-model", "openai-chat:tiny", "--agent-urls", &urls];
        let flags = [&flags[..], &["--agent-keys", &keys, "--agent-answer-seconds", "1"]].concat();
        Self::with(&["--assistant"], &flags, write).await
    }

    async fn with(export_flags: &[&str], flags: &[&str], write: impl Fn(&Path)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        write(&folder.path().join("docs"));
        let [docs, bundle, values, data] =
            ["docs", "bundle.tar.gz", "values.yaml", "data"].map(path);
        let export = [&["export", &docs, "--out", &bundle], export_flags].concat();
        assert!(docwright(&export).status().unwrap().success());
        fs::write(&values, format!("staticExport:\n  bundleUrl: \"{bundle}\"\n")).unwrap();
        let mut command =
            docwright(&["deploy", "--listen", "127.0.0.1:0", "--values", &values, "--data", &data]);
        command.args(flags);
        let process = Process::start(command);
        let base = flags.iter().skip_while(|flag| **flag != "--base-path").nth(1);
        let address = format!("{}{}", process.address, base.copied().unwrap_or_default());
        let site = Self { address, _process: process, _folder: folder };
        eventually("the site is served", async || site.page().await.status() == 200).await;
        site
    }

    async fn page(&self) -> Response {
        reqwest::get(format!("{}/index.html", self.address)).await.unwrap()
    }

    async fn ask(&self, question: &str) -> Answer {
        self.ask_with(json!({ "question": question })).await
    }

    async fn ask_with(&self, body: Value) -> Answer {
        Answer::whole(send(&Client::new(), &self.address, &body).await).await
    }
}

/// A client whose address is another one of this machine.
fn reader(last: u8) -> Client {
    Client::builder().local_address(IpAddr::from([127, 0, 0, last])).build().unwrap()
}

async fn send(client: &Client, address: &str, body: &Value) -> Response {
    let request = client.post(format!("{address}/_docwright/assistant")).json(body);
    request.send().await.expect("the server responds")
}

/// The events of an answer.
#[derive(Debug)]
struct Answer(Vec<(String, Value)>);

impl Answer {
    async fn whole(response: Response) -> Self {
        assert_eq!(response.status(), 200, "{response:?}");
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        assert_eq!(response.headers()["cache-control"], "no-store");
        Self::parse(&response.text().await.unwrap())
    }

    fn parse(text: &str) -> Self {
        let events = text.split("\n\n").filter(|event| event.starts_with("event: "));
        let events = events.map(|event| {
            let (name, data) = event["event: ".len()..].split_once("\ndata: ").unwrap();
            (name.to_owned(), serde_json::from_str(data).unwrap())
        });
        Self(events.collect())
    }

    fn names(&self) -> Vec<&str> {
        self.0.iter().map(|(name, _)| name.as_str()).collect()
    }

    fn all(&self, name: &str) -> Vec<&Value> {
        self.0.iter().filter(|(other, _)| other == name).map(|(_, data)| data).collect()
    }

    fn texts(&self) -> Vec<&str> {
        self.all("paragraph").iter().map(|data| data["text"].as_str().unwrap()).collect()
    }

    /// The kind of its end, which is its last event.
    fn kind(&self) -> &str {
        let (name, data) = self.0.last().expect("an answer has an end");
        assert_eq!(self.all("done").len() + self.all("error").len(), 1, "{self:?}");
        if name == "done" { data["kind"].as_str().unwrap() } else { name }
    }

    /// Asserts that every paragraph has sources that were sent before, and that their words are in the site's own text
    /// of the page that they name. Returns the number of sources.
    async fn holds(&self, address: &str) -> usize {
        let mut sources: Vec<&Value> = Vec::new();
        for (name, data) in &self.0 {
            match name.as_str() {
                "source" => {
                    assert_eq!(data["index"], sources.len(), "{self:?}");
                    sources.push(data);
                }
                "paragraph" => {
                    let named = data["sources"].as_array().unwrap();
                    assert!(!named.is_empty(), "{self:?}");
                    for index in named {
                        assert!(index.as_u64().unwrap() < sources.len() as u64, "{self:?}");
                    }
                }
                _ => {}
            }
        }
        for source in &sources {
            let page = source["page"].as_str().unwrap();
            let page = reqwest::get(format!("{address}/{page}.md")).await.unwrap();
            assert_eq!(page.status(), 200, "{source}");
            let page = words(&page.text().await.unwrap());
            let quote = words(source["quote"].as_str().unwrap());
            assert!(!quote.is_empty() && page.contains(&quote), "`{quote}` is not in `{page}`");
        }
        sources.len()
    }
}

/// The letters and digits of a text as words, without where its links lead.
fn words(text: &str) -> String {
    let mut plain = String::new();
    let mut parts = text.split("](");
    plain.push_str(parts.next().unwrap_or_default());
    for part in parts {
        plain.push_str(part.split_once(')').map_or(part, |(_, rest)| rest));
    }
    let marks = |letter: char| !letter.is_alphanumeric();
    let words: Vec<_> = plain.split(marks).filter(|word| !word.is_empty()).collect();
    format!(" {} ", words.join(" ").to_lowercase())
}
