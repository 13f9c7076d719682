//! API specs on other hosts, with a copy of each in case the host does not respond.

use std::{
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use docwright_repository::network::Network;
use docwright_site::{Diagnostic, Rule, Severity, content::openapi::remote_specs, source::Source};
use futures::{StreamExt, stream};
use sha2::{Digest, Sha256};
use url::Url;

use crate::child::work::BuildDiagnostic;

/// Longest spec, in bytes.
const MAXIMUM_LENGTH: usize = 16 * 1024 * 1024;
/// All specs of one site, in bytes.
const MAXIMUM_TOTAL: usize = 128 * 1024 * 1024;
/// Specs of one site.
const MAXIMUM_COUNT: usize = 100;
/// Transfers at once.
const AT_ONCE: usize = 8;
/// Time limit of a host.
const TIMEOUT: Duration = Duration::from_secs(20);

/// The folder of copies, and their owner: owners never share one.
#[derive(Debug, Clone, Copy)]
pub struct Copies<'a> {
    /// The folder.
    pub folder: &'a Path,
    /// Such as the id of an organization; empty for the operator's own.
    pub owner: &'a str,
}

/// Specs by address, and errors of those that are missing or only available as a copy.
#[derive(Debug, Default)]
pub struct Fetched {
    /// Address and text.
    pub texts: Vec<(String, String)>,
    /// The errors.
    pub diagnostics: Vec<Diagnostic>,
}

/// Fetches descriptions for the sites of organizations.
#[derive(Debug, Clone)]
pub struct RemoteSpecs {
    /// Folder of the copies.
    pub folder: PathBuf,
    /// Access to other hosts.
    pub network: Network,
}

impl RemoteSpecs {
    /// The specs that a child process requests, for an organization. Errors, also of the disk of copies, are
    /// errors of the site, not a failure.
    pub async fn fetch(
        &self,
        addresses: Vec<String>,
        owner: &str,
    ) -> (Vec<(String, String)>, Vec<BuildDiagnostic>) {
        let copies = Copies { folder: &self.folder, owner };
        let fetched = fetch_all(addresses, &copies, &self.network).await;
        let fetched = fetched.unwrap_or_else(|error| {
            tracing::error!(%error, "copies of API specs not saved");
            Fetched::default()
        });
        let diagnostics =
            fetched.diagnostics.into_iter().filter_map(BuildDiagnostic::from_diagnostic);
        (fetched.texts, diagnostics.collect())
    }
}

/// Adds the specs that a docs root names by address. A diagnostic reports missing specs and used copies.
pub async fn bring_in(
    source: &mut Source,
    copies: &Copies<'_>,
    network: &Network,
) -> std::io::Result<Vec<Diagnostic>> {
    let fetched = fetch_all(remote_specs(source), copies, network).await?;
    for (address, text) in &fetched.texts {
        source.add_remote(address, text);
    }
    Ok(fetched.diagnostics)
}

/// Fetches specs, and stores copies.
pub async fn fetch_all(
    addresses: impl IntoIterator<Item = String>,
    copies: &Copies<'_>,
    network: &Network,
) -> std::io::Result<Fetched> {
    let addresses: Vec<_> = addresses.into_iter().take(MAXIMUM_COUNT).collect();
    let mut fetched = Fetched::default();
    if addresses.is_empty() {
        return Ok(fetched);
    }
    std::fs::create_dir_all(copies.folder)?;
    let transfers = stream::iter(addresses).map(|address| async move {
        let outcome = fetch(network, &address).await;
        (address, outcome)
    });
    let mut outcomes = transfers.buffered(AT_ONCE);
    let mut total = 0;
    while let Some((address, outcome)) = outcomes.next().await {
        let copy = copies.path(&address);
        let text = match outcome {
            Ok(text) => {
                // A half-written copy must not be read later.
                let partial = tempfile::NamedTempFile::new_in(copies.folder)?;
                std::fs::write(partial.path(), &text)?;
                partial.persist(&copy).map_err(|error| error.error)?;
                Some(text)
            }
            Err(problem) => {
                let text = std::fs::read_to_string(&copy).ok();
                if let Ok(used) = std::fs::File::open(&copy) {
                    // Copies that were not used for long are removed.
                    drop(used.set_modified(SystemTime::now()));
                }
                fetched.diagnostics.push(failure(&address, &problem, text.is_some()));
                text
            }
        };
        let Some(text) = text else { continue };
        total += text.len();
        if total > MAXIMUM_TOTAL {
            let problem = format!("all specs together exceed {} MB", MAXIMUM_TOTAL >> 20);
            fetched.diagnostics.push(failure(&address, &problem, false));
            break;
        }
        fetched.texts.push((address, text));
    }
    Ok(fetched)
}

impl Copies<'_> {
    fn path(&self, address: &str) -> PathBuf {
        let mut hash = Sha256::new();
        // The length distinguishes pairs that are equal when joined.
        hash.update(self.owner.len().to_le_bytes());
        hash.update(self.owner);
        hash.update(address);
        self.folder.join(hex::encode(hash.finalize()))
    }
}

/// Whether a file has the name of a copy.
pub(crate) fn is_copy(name: &str) -> bool {
    name.len() == 64 && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn failure(address: &str, problem: &str, has_copy: bool) -> Diagnostic {
    let message = format!("the API spec {address} can't be fetched: {problem}");
    let diagnostic =
        Diagnostic::new(Rule::RemoteSpec, "docs.json", message).severity(Severity::Warning);
    diagnostic.help(if has_copy {
        "an earlier copy is used"
    } else {
        "check the address, or put a copy of the description into the repository"
    })
}

async fn fetch(network: &Network, address: &str) -> Result<String, String> {
    let url = Url::parse(address).map_err(|_| "the address is invalid".to_owned())?;
    let answer = network.get(&url, TIMEOUT, None).await.map_err(|error| error.to_string())?;
    if !answer.status().is_success() {
        return Err(format!("the host answered {}", answer.status()));
    }
    let mut bytes = Vec::new();
    let mut parts = answer.bytes_stream();
    while let Some(part) = parts.next().await {
        bytes.extend_from_slice(&part.map_err(|error| error.without_url().to_string())?);
        if bytes.len() > MAXIMUM_LENGTH {
            return Err(format!("it exceeds {} MB", MAXIMUM_LENGTH >> 20));
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

    use docwright_repository::network::AllowedHosts;

    use super::*;

    /// Answers one request, then closes.
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

    fn page(address: &str) -> [(String, Vec<u8>); 2] {
        let page = format!("---\nopenapi: \"{address} GET /a\"\n---\n");
        [("docs.json".to_owned(), b"{}".to_vec()), ("a.mdx".to_owned(), page.into_bytes())]
    }

    const SPEC: &str = r#"{"openapi":"3.1.0","paths":{"/a":{"get":{"summary":"Read"}}}}"#;

    #[tokio::test]
    async fn copy_replaces_missing_host_only_for_its_owner() {
        let folder = tempfile::tempdir().unwrap();
        let network = Network::new("127.0.0.1".parse().unwrap_or_default());
        let address = host(SPEC);
        let copies = Copies { folder: folder.path(), owner: "org_1" };
        for expected in [0, 1] {
            let mut source = Source::from_files(page(&address));
            let diagnostics = bring_in(&mut source, &copies, &network).await.unwrap();
            assert_eq!(diagnostics.len(), expected, "{diagnostics:?}");
            assert_eq!(source.remote().collect::<Vec<_>>(), [(address.as_str(), SPEC)]);
        }
        let mut source = Source::from_files(page(&address));
        let others = Copies { owner: "org_2", ..copies };
        let diagnostics = bring_in(&mut source, &others, &network).await.unwrap();
        let help = diagnostics[0].help.as_deref();
        assert!(help.is_some_and(|help| help.contains("put a copy")), "{diagnostics:?}");
        assert_eq!(source.remote().count(), 0);
    }

    #[tokio::test]
    async fn private_host_is_requested_only_if_allowed() {
        let folder = tempfile::tempdir().unwrap();
        let network = Network::new(AllowedHosts::default());
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/api.json", listener.local_addr().unwrap());
        let mut source = Source::from_files(page(&address));
        let copies = Copies { folder: folder.path(), owner: "" };
        let diagnostics = bring_in(&mut source, &copies, &network).await.unwrap();
        assert!(diagnostics[0].message.contains("--private-hosts 127.0.0.1:"), "{diagnostics:?}");
        listener.set_nonblocking(true).unwrap();
        assert!(listener.accept().is_err(), "nobody asked");
    }
}
