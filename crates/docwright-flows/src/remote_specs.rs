//! API descriptions on other hosts, with a copy of each for when the host does not answer.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use docwright_site::{Diagnostic, content::openapi::remote_specs, source::Source};
use futures::{StreamExt, stream};
use reqwest::{Client, redirect};
use sha2::{Digest, Sha256};

/// Longest description. Bytes.
const MAXIMUM_LENGTH: usize = 16 * 1024 * 1024;
/// Descriptions of one site.
const MAXIMUM_COUNT: usize = 100;
/// Transfers at once.
const AT_ONCE: usize = 8;
/// How long a host may take.
const TIMEOUT: Duration = Duration::from_secs(20);

/// Puts the descriptions that a docs root names by address into it, and keeps copies in `folder`.
/// Blocks. A diagnostic says what can't be fetched, or only as a copy.
pub fn bring_in(source: &mut Source, folder: &Path) -> std::io::Result<Vec<Diagnostic>> {
    let addresses: Vec<_> = remote_specs(source).into_iter().take(MAXIMUM_COUNT).collect();
    if addresses.is_empty() {
        return Ok(Vec::new());
    }
    std::fs::create_dir_all(folder)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let fetched = runtime.block_on(fetch_all(addresses));
    let mut diagnostics = Vec::new();
    for (address, outcome) in fetched {
        let copy = copy_of(&address, folder);
        match outcome {
            Ok(text) => {
                // A copy that is half written must not be read later.
                let partial = tempfile::NamedTempFile::new_in(folder)?;
                std::fs::write(partial.path(), &text)?;
                partial.persist(&copy).map_err(|error| error.error)?;
                source.add_remote(&address, &text);
            }
            Err(problem) => {
                let text = std::fs::read_to_string(&copy);
                diagnostics.push(failure(&address, &problem, text.is_ok()));
                if let Ok(text) = text {
                    source.add_remote(&address, &text);
                }
            }
        }
    }
    Ok(diagnostics)
}

fn failure(address: &str, problem: &str, has_copy: bool) -> Diagnostic {
    let message = format!("the API description {address} can't be fetched: {problem}");
    let diagnostic = Diagnostic::warning("remote-spec", "docs.json", message);
    diagnostic.help(if has_copy {
        "the copy from an earlier time is used"
    } else {
        "check the address, or put a copy of the description into the repository"
    })
}

fn copy_of(address: &str, folder: &Path) -> PathBuf {
    folder.join(hex::encode(Sha256::digest(address)))
}

async fn fetch_all(addresses: Vec<String>) -> Vec<(String, Result<String, String>)> {
    let client = Client::builder().timeout(TIMEOUT).redirect(redirect::Policy::limited(5)).build();
    let client = client.map_err(|error| error.to_string());
    let fetch = |address: String| {
        let client = client.clone();
        async move {
            let outcome = match client {
                Ok(client) => fetch(&client, &address).await,
                Err(problem) => Err(problem),
            };
            (address, outcome)
        }
    };
    stream::iter(addresses).map(fetch).buffered(AT_ONCE).collect().await
}

async fn fetch(client: &Client, address: &str) -> Result<String, String> {
    let describe = |error: reqwest::Error| error.without_url().to_string();
    let answer = client.get(address).send().await.map_err(describe)?;
    if !answer.status().is_success() {
        return Err(format!("the host answered {}", answer.status()));
    }
    let mut bytes = Vec::new();
    let mut parts = answer.bytes_stream();
    while let Some(part) = parts.next().await {
        bytes.extend_from_slice(&part.map_err(describe)?);
        if bytes.len() > MAXIMUM_LENGTH {
            return Err(format!("it is longer than {} MB", MAXIMUM_LENGTH / 1024 / 1024));
        }
    }
    String::from_utf8(bytes).map_err(|_| "it is not text".to_owned())
}

#[cfg(test)]
mod tests {
    use std::{
        io::{Read, Write},
        net::TcpListener,
    };

    use super::*;

    /// Answers one request, then is gone.
    fn host(answer: &'static str) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/api.json", listener.local_addr().unwrap());
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let _read = stream.read(&mut [0; 4096]).unwrap();
            let length = answer.len();
            write!(
                stream,
                "HTTP/1.1 200 OK\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{answer}"
            )
            .unwrap();
        });
        address
    }

    #[test]
    fn a_copy_stands_in_for_a_host_that_is_gone() {
        const SPEC: &str = r#"{"openapi":"3.1.0","paths":{"/a":{"get":{"summary":"Read"}}}}"#;
        let folder = tempfile::tempdir().unwrap();
        let address = host(SPEC);
        let page = format!("---\nopenapi: \"{address} GET /a\"\n---\n");
        let files =
            [("docs.json".to_owned(), b"{}".to_vec()), ("a.mdx".to_owned(), page.into_bytes())];
        for expected in [0, 1] {
            let mut source = Source::from_files(files.clone());
            let diagnostics = bring_in(&mut source, folder.path()).unwrap();
            assert_eq!(diagnostics.len(), expected, "{diagnostics:?}");
            assert_eq!(source.remote().collect::<Vec<_>>(), [(address.as_str(), SPEC)]);
        }
        let mut source = Source::from_files(files);
        let diagnostics = bring_in(&mut source, &folder.path().join("empty")).unwrap();
        assert!(
            diagnostics[0].help.as_deref().is_some_and(|help| help.contains("put a copy")),
            "{diagnostics:?}"
        );
        assert_eq!(source.remote().count(), 0);
    }
}
