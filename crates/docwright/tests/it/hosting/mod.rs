//! Built sites on other hosts: nginx and Caddy with the manual's recipes, and services with the files of
//! `build --redirects`. All must respond like docwright's own server. Also docwright behind both proxies.

mod below_a_path;
mod proxies;
mod recipes;
mod services;
mod web_servers;

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use docwright_testing::wait::eventually;
use tempfile::TempDir;

use crate::server::{Process, docwright};

const PAGES: &[&str] = &[
    "index",
    "guides",
    "guides/start",
    "guides/advanced/deep",
    "release-1.2",
    "tools/app.js",
    "v2/here",
    "Case",
    "zwölf",
];

/// A component that needs its own script.
const COMPONENT: &str = "export const Counter = () => {
  const [count, setCount] = useState(0);
  return <button onClick={() => setCount(count + 1)}>{count}</button>;
};

<Counter />
";

/// Redirects of every kind, including hostile ones.
const REDIRECTS: &str = r#"[
  {"source": "/old", "destination": "/guides/start"},
  {"source": "/soon/", "destination": "/guides/start?x=1#steps", "permanent": false},
  {"source": "/out", "destination": "https://example.com/a b?c=$d&e={f}"},
  {"source": "/case", "destination": "/Case"},
  {"source": "/a%20b", "destination": "/guides"},
  {"source": "/zwölfe", "destination": "/zwölf"},
  {"source": "/quo'te", "destination": "/guides"},
  {"source": "/qu%22o%5Cte", "destination": "/guides"},
  {"source": "/a; } return 200 evil; #", "destination": "/x\"; } evil { \n"},
  {"source": "/guides", "destination": "/hidden"},
  {"source": "/nowhere", "destination": "/not/a/page"},
  {"source": "/v1/:rest*", "destination": "/v2/:rest*"},
  {"source": "/v2/*", "destination": "/guides/*", "permanent": false},
  {"source": "/any/*", "destination": "/*"},
  {"source": "/fixed/:rest*", "destination": "/guides/start"},
  {"source": "/Case/:rest*", "destination": "/guides/:rest*"},
  {"source": "/short/:id", "destination": "/:id"},
  {"source": "/users/:id/edit", "destination": "/edit/:id"},
  {"source": "/x-*", "destination": "/y/*"},
  {"source": "/ä/:x", "destination": "https://example.com:80/:x"},
  {"source": "/:lang/same/*", "destination": "/en/same/*"},
  {"source": "/:first/login", "destination": "/in/:first", "permanent": false}
]"#;

/// Addresses without a file, or in another form.
const ADDRESSES: &[&str] = &[
    "/guides/",
    "/guides/start/",
    "/guides/start/?x=1",
    "/img/a.svg/",
    "/old",
    "/old/",
    "/old?x=1",
    "/Old",
    "/soon",
    "/soon/",
    "/out",
    "/case",
    "/CASE",
    "/a%20b",
    "/a%20b/",
    "/zw%C3%B6lfe",
    "/zw%c3%b6lf",
    "/quo'te",
    "/qu%22o%5Cte",
    "/a;%20%7D%20return%20200%20evil;%20",
    "/nowhere",
    "/v1",
    "/v1/",
    "/v1/a",
    "/v1/a/b/",
    "/v1/a%20b",
    "/v1/a%3Fb",
    "/v1/a;b'c$1",
    "/v1/%0D%0AX:y",
    "/v1/old",
    "/v2",
    "/v2/gone",
    "/v2/here/",
    "/any",
    "/any/x",
    "/any//evil.example",
    "/any/%5Cevil.example",
    "/fixed",
    "/fixed/a/b",
    "/short/x",
    "/short/x/",
    "/short//evil.example",
    "/Case/",
    "/Case/a",
    "/users/7/edit",
    "/users/7/edit/",
    "/users/7/8/edit",
    "/users/edit",
    "/x-",
    "/x-1",
    "/x-1/2",
    "/x",
    "/%C3%A4/q",
    "/me/login",
    "/login",
    "//evil.example/",
    "/nothing",
    "/nothing/",
    "/guides/nothing",
    "/guides/advanced",
    "/guides/advanced/",
    "/img",
    "/img/",
    "/_docwright",
    "/_docwright/",
    "/v1x",
];

/// A docs root, the site built from it, and docwright's own server with the same site.
struct Hosted {
    folder: TempDir,
    own: Process,
}

/// A server's response.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Answered {
    status: u16,
    /// The target of a redirect.
    location: Option<String>,
    /// The content type.
    kind: Option<String>,
    body: Vec<u8>,
}

impl Hosted {
    /// Writes the docs root and serves it.
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let docs = folder.path().join("docs");
        for page in PAGES {
            let path = docs.join(format!("{page}.mdx"));
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            let text = if *page == "guides" { COMPONENT } else { "" };
            let text = format!("---\ntitle: {page}\n---\n\n[Start](/guides/start)\n\n{text}");
            fs::write(path, text).unwrap();
        }
        fs::create_dir(docs.join("img")).unwrap();
        fs::write(docs.join("img/a.svg"), "<svg xmlns='http://www.w3.org/2000/svg'/>").unwrap();
        let configuration = format!(
            r##"{{"theme": "mint", "name": "Docs", "colors": {{"primary": "#0f766e"}},
                "navigation": {{"pages": {PAGES:?}}}, "redirects": {REDIRECTS}}}"##
        );
        fs::write(docs.join("docs.json"), configuration).unwrap();
        let own = deploy(folder.path(), &docs, &[]).await;
        Self { folder, own }
    }

    /// Builds the site into a folder of `www`. Returns the output.
    fn build(&self, name: &str, arguments: &[&str]) -> String {
        let (docs, out) = (self.folder.path().join("docs"), self.www().join(name));
        let mut command = docwright(&["build", docs.to_str().unwrap(), "--out"]);
        command.arg(out).args(arguments).stderr(std::process::Stdio::piped());
        let output = command.output().unwrap();
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{errors}");
        errors
    }

    fn www(&self) -> PathBuf {
        self.folder.path().join("www")
    }

    /// Addresses to request: the list above, and each file of the site with and without its extension.
    fn addresses(&self, site: &str) -> BTreeSet<String> {
        let mut addresses: BTreeSet<_> = ADDRESSES.iter().map(|&each| each.to_owned()).collect();
        for file in files(&self.www().join(site)) {
            let address = format!("/{}", file.replace('ö', "%C3%B6"));
            if let Some(page) = address.strip_suffix(".html") {
                addresses.insert(if page == "/index" { "/" } else { page }.to_owned());
            }
            addresses.insert(address);
        }
        assert!(addresses.len() > ADDRESSES.len() + 2 * PAGES.len());
        addresses
    }
}

/// Paths of the files below a folder, except files that hosts read.
fn files(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap().map(Result::unwrap) {
            if entry.file_type().unwrap().is_dir() {
                folders.push(entry.path());
            } else {
                let path = entry.path();
                found.push(path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned());
            }
        }
    }
    found.retain(|path| !matches!(path.as_str(), "_redirects" | "vercel.json"));
    found
}

/// Serves a docs root's bundle with `docwright deploy` and more options.
async fn deploy(folder: &Path, docs: &Path, options: &[&str]) -> Process {
    let bundle = folder.join("bundle.tar.gz");
    let paths = [docs, &bundle].map(|path| path.to_str().unwrap());
    let exported = docwright(&["export", paths[0], "--out", paths[1]]).status().unwrap();
    assert!(exported.success());
    let values = folder.join("values.yaml");
    let text = format!("staticExport:\n  enabled: true\n  bundleUrl: {:?}\n", paths[1]);
    fs::write(&values, text).unwrap();
    let process = Process::start({
        let mut command = docwright(&["deploy", "--listen", "127.0.0.1:0", "--values"]);
        command.arg(values).arg("--data").arg(folder.join("data")).args(options);
        command
    });
    eventually("the deployment is ready", async || {
        let ready = reqwest::get(format!("{}/readyz", process.address)).await;
        ready.is_ok_and(|answer| answer.status() == 200)
    })
    .await;
    process
}

/// Sends a request with the exact address, which no client library does.
async fn ask(host: &str, address: &str) -> Answered {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let mut connection = tokio::net::TcpStream::connect(host).await.unwrap();
    let request = format!("GET {address} HTTP/1.0\r\nHost: {host}\r\n\r\n");
    connection.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    connection.read_to_end(&mut answer).await.unwrap();
    let end =
        answer.windows(4).position(|four| four == b"\r\n\r\n").expect("a response has a head");
    let head = String::from_utf8(answer[..end].to_vec()).unwrap();
    let header = |name: &str| {
        let lines = head.lines().skip(1).filter_map(|line| line.split_once(": "));
        let mut values = lines.filter(|(key, _)| key.eq_ignore_ascii_case(name));
        let value = values.next().map(|(_, value)| value.to_owned());
        assert!(values.next().is_none(), "two of {name}: {head}");
        value
    };
    assert!(header("x").is_none(), "a header came from the address: {head}");
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let is_file = status == 200 || status == 404;
    Answered {
        status,
        location: header("location"),
        kind: header("content-type").filter(|_| is_file),
        body: if is_file { answer[end + 4..].to_vec() } else { Vec::new() },
    }
}
