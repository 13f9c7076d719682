//! Sites over HTTP, served from their bundles.

mod agent_feedback;
mod ask;
mod base_paths;
mod hostile;
mod languages;
mod many;
mod nodes;
mod questions;
mod requests;

use std::{fs, path::Path};

use docwright_site::bundle::Bundle;
use reqwest::Method;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::server::{Api, Process, Setup};
pub(crate) use ask::{SiteResponse, ask, byte_ranges};

const HOST: &str = "docs.example.com";

/// A published site with files of every kind, and its bundle.
struct Site {
    _setup: Setup,
    process: Process,
    bundle: Bundle,
    _folder: TempDir,
}

impl Site {
    async fn publish() -> Self {
        Self::publish_with(json!({})).await
    }

    /// Publishes the site with changed features.
    async fn publish_with(features: Value) -> Self {
        let setup = Setup::with_repository(write_site);
        let process = setup.serve();
        let api = setup.api(&process);
        let admin = Api { key: setup.new_key(&["--scope", "admin"]), ..api.clone() };
        let path = format!("/v1/projects/{}/deployments/cloud", setup.project);
        let changed = admin.send(Method::PATCH, &path, Some(json!({ "features": features }))).await;
        assert_eq!(changed.status(), 200);
        let export = api.start_export().await;
        api.wait_for(&export, &["completed"]).await;
        let link = api.bundle(&export).await["bundleUrl"].as_str().unwrap().to_owned();
        let bytes = reqwest::get(link).await.unwrap().bytes().await.unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bundle.tar.gz");
        fs::write(&path, bytes).unwrap();
        let bundle = Bundle::open(&path).unwrap();
        Self { _setup: setup, process, bundle, _folder: folder }
    }

    async fn ask(&self, start: &str, headers: &[(&str, &str)]) -> SiteResponse {
        ask(&self.process.address, (HOST, start), headers).await
    }

    fn contents(&self, path: &str) -> Vec<u8> {
        self.bundle.read(self.bundle.get(path).unwrap_or_else(|| panic!("{path}"))).unwrap()
    }

    fn member(&self, path: &str) -> Vec<u8> {
        self.bundle.member(self.bundle.get(path).unwrap_or_else(|| panic!("{path}"))).unwrap()
    }

    /// The `ETag`s of a file: uncompressed and as gzip.
    fn tags(&self, path: &str) -> (String, String) {
        let hash = self.bundle.get(path).unwrap().sha256;
        (format!("\"{hash}\""), format!("\"{hash}-gzip\""))
    }
}

/// Incompressible bytes.
pub(crate) fn noise(length: usize) -> Vec<u8> {
    let mut state: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut bytes = Vec::with_capacity(length + 8);
    while bytes.len() < length {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        bytes.extend(state.to_le_bytes());
    }
    bytes.truncate(length);
    bytes
}

fn write_site(folder: &Path) {
    let write = |path: &str, contents: &[u8]| {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, contents).unwrap();
    };
    let config = json!({
        "theme": "mint", "name": "Test", "colors": { "primary": "#0f766e" },
        "navigation": { "pages": ["page", "guides/deep", "counter"] },
        "redirects": [
            { "source": "/old", "destination": "/page" },
            { "source": "/soon", "destination": "/page#part", "permanent": false },
            { "source": "/page", "destination": "/guides/deep" },
            { "source": "/v1/:rest*", "destination": "/v2/:rest*" },
            { "source": "/any/*", "destination": "/*", "permanent": false },
        ],
    });
    write("docs.json", config.to_string().as_bytes());
    let text = "Text of the page that gets smaller. ".repeat(50);
    let page = format!("---\ntitle: Page\n---\n\n## Part\n\n{text}\n");
    write("page.mdx", page.as_bytes());
    write("guides/deep.mdx", b"---\ntitle: Deep\n---\n\nDeep text.\n");
    let counter = "---\ntitle: Counter\n---\n\nexport const Counter = () => { const [count, set] = useState(0); \
         return <button onClick={() => set(count + 1)}>{count}</button>; };\n\n<Counter />\n";
    write("counter.mdx", counter.as_bytes());
    write("images/small.png", &noise(3_000));
    write("files/big.zip", &noise(2_500_001));
    // Compresses to half its length: too long for the memory cache in either form.
    let digits = hex::encode(noise(2_500_000));
    write("files/digits.txt", digits.as_bytes());
    write("files/empty.txt", b"");
}
