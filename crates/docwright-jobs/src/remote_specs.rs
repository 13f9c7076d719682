//! API specs and fonts on other hosts, with a copy of each in case the host does not respond.

use std::{
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use docwright_repository::network::Network;
use docwright_site::{
    Diagnostic, Rule, Severity,
    content::{config::remote_fonts, openapi::remote_specs},
    source::{MAXIMUM_DATA, Source},
    theme::FontFile,
};
use futures::{StreamExt, stream};
use sha2::{Digest, Sha256};
use url::Url;

use crate::child::work::BuildDiagnostic;

/// Longest spec, in bytes: that of a file in a docs root.
const MAXIMUM_SPEC: usize = 64 * 1024 * 1024;
const _: () = assert!(MAXIMUM_SPEC as u64 == MAXIMUM_DATA);
/// Longest font, in bytes.
const MAXIMUM_FONT: usize = 5 * 1024 * 1024;
/// All files of one site, in bytes.
const MAXIMUM_TOTAL: usize = 128 * 1024 * 1024;
/// Specs of one site.
const MAXIMUM_COUNT: usize = 100;
/// Fonts of one site: for text and for headings.
pub(crate) const MAXIMUM_FONTS: usize = 2;
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

/// What a site has on other hosts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RemoteAddresses {
    /// Addresses of API specs.
    pub specs: Vec<String>,
    /// Addresses of fonts.
    pub fonts: Vec<String>,
}

impl RemoteAddresses {
    /// The addresses that a docs root names.
    pub fn of(source: &Source) -> Self {
        Self {
            specs: remote_specs(source).into_iter().collect(),
            fonts: remote_fonts(source).into_iter().collect(),
        }
    }
}

/// Files by address, and errors of those that are missing or only available as a copy.
#[derive(Debug, Default)]
pub struct Fetched {
    /// Address and text of each spec.
    pub specs: Vec<(String, String)>,
    /// Address and contents of each font.
    pub fonts: Vec<(String, Vec<u8>)>,
    /// The errors.
    pub diagnostics: Vec<Diagnostic>,
}

/// Fetches specs and fonts for the sites of organizations.
#[derive(Debug, Clone)]
pub struct RemoteSpecs {
    /// Folder of the copies.
    pub folder: PathBuf,
    /// Access to other hosts.
    pub network: Network,
}

impl RemoteSpecs {
    /// The files that a child process requests, for an organization, and what diagnostics authors see. Errors, also
    /// of the disk of copies, are errors of the site, not a failure.
    pub async fn fetch(
        &self,
        addresses: RemoteAddresses,
        owner: &str,
    ) -> (Fetched, Vec<BuildDiagnostic>) {
        let copies = Copies { folder: &self.folder, owner };
        let fetched = fetch_all(addresses, &copies, &self.network).await;
        let mut fetched = fetched.unwrap_or_else(|error| {
            tracing::error!(%error, "copies of remote files not saved");
            Fetched::default()
        });
        let diagnostics = std::mem::take(&mut fetched.diagnostics).into_iter();
        (fetched, diagnostics.filter_map(BuildDiagnostic::from_diagnostic).collect())
    }
}

/// Adds the specs and fonts that a docs root names by address. A diagnostic reports missing ones and used copies.
pub async fn bring_in(
    source: &mut Source,
    copies: &Copies<'_>,
    network: &Network,
) -> std::io::Result<Vec<Diagnostic>> {
    let fetched = fetch_all(RemoteAddresses::of(source), copies, network).await?;
    for (address, text) in &fetched.specs {
        source.add_remote(address, text);
    }
    for (address, contents) in &fetched.fonts {
        source.add_font(address, contents);
    }
    Ok(fetched.diagnostics)
}

/// Fetches specs and fonts, and stores copies.
pub async fn fetch_all(
    addresses: RemoteAddresses,
    copies: &Copies<'_>,
    network: &Network,
) -> std::io::Result<Fetched> {
    let RemoteAddresses { specs, fonts } = addresses;
    let fonts = fonts.into_iter().take(MAXIMUM_FONTS).map(|address| (Kind::Font, address));
    let mut fetched = Fetched::default();
    for address in specs.iter().skip(MAXIMUM_COUNT) {
        let problem = format!("a site can have {MAXIMUM_COUNT} specs on other hosts");
        fetched.diagnostics.push(Kind::Spec.failure(address, &problem, false));
    }
    let specs = specs.into_iter().take(MAXIMUM_COUNT).map(|address| (Kind::Spec, address));
    let addresses: Vec<_> = fonts.chain(specs).collect();
    if addresses.is_empty() {
        return Ok(fetched);
    }
    std::fs::create_dir_all(copies.folder)?;
    let transfers = stream::iter(addresses).map(|(kind, address)| async move {
        let outcome = fetch(network, &address, kind).await;
        (kind, address, outcome)
    });
    let mut outcomes = transfers.buffered(AT_ONCE);
    let mut total = 0;
    while let Some((kind, address, outcome)) = outcomes.next().await {
        let contents = match outcome {
            Ok(contents) => {
                copies.store(&address, &contents)?;
                Some(contents)
            }
            Err(problem) => {
                let copy = copies.read(&address).filter(|copy| kind.check(copy).is_ok());
                fetched.diagnostics.push(kind.failure(&address, &problem, copy.is_some()));
                copy
            }
        };
        let Some(contents) = contents else { continue };
        if total + contents.len() > MAXIMUM_TOTAL {
            let limit = MAXIMUM_TOTAL >> 20;
            let problem = format!("with the files before it, it exceeds {limit} MiB");
            fetched.diagnostics.push(kind.failure(&address, &problem, false));
            continue;
        }
        total += contents.len();
        match kind {
            Kind::Font => fetched.fonts.push((address, contents)),
            // Checked above.
            Kind::Spec => {
                fetched.specs.extend(String::from_utf8(contents).ok().map(|text| (address, text)));
            }
        }
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

    fn store(&self, address: &str, contents: &[u8]) -> std::io::Result<()> {
        // A half-written copy must not be read later.
        let partial = tempfile::NamedTempFile::new_in(self.folder)?;
        std::fs::write(partial.path(), contents)?;
        partial.persist(self.path(address)).map_err(|error| error.error)?;
        Ok(())
    }

    fn read(&self, address: &str) -> Option<Vec<u8>> {
        let path = self.path(address);
        let copy = std::fs::read(&path).ok()?;
        if let Ok(used) = std::fs::File::open(&path) {
            // Copies that were not used for long are removed.
            drop(used.set_modified(SystemTime::now()));
        }
        Some(copy)
    }
}

/// Whether a file has the name of a copy.
pub(crate) fn is_copy(name: &str) -> bool {
    name.len() == 64 && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// A kind of file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Spec,
    Font,
}

impl Kind {
    const fn maximum(self) -> usize {
        match self {
            Self::Spec => MAXIMUM_SPEC,
            Self::Font => MAXIMUM_FONT,
        }
    }

    /// Whether contents are of this kind.
    fn check(self, contents: &[u8]) -> Result<(), String> {
        match self {
            Self::Spec => {
                std::str::from_utf8(contents).map(drop).map_err(|_| "it is not text".to_owned())
            }
            Self::Font => {
                FontFile::read(contents).map(drop).ok_or_else(|| "it is not a font".to_owned())
            }
        }
    }

    fn failure(self, address: &str, problem: &str, has_copy: bool) -> Diagnostic {
        let (rule, name) = match self {
            Self::Spec => (Rule::RemoteSpec, "API spec"),
            Self::Font => (Rule::RemoteFont, "font"),
        };
        let message = format!("the {name} {address} can't be fetched: {problem}");
        let diagnostic = Diagnostic::new(rule, "docs.json", message).severity(Severity::Warning);
        diagnostic.help(match self {
            _ if has_copy => "an earlier copy is used",
            Self::Spec => "check the address, or put a copy of the description into the repository",
            Self::Font => "check the address, or put a copy of the font into the repository",
        })
    }
}

async fn fetch(network: &Network, address: &str, kind: Kind) -> Result<Vec<u8>, String> {
    let url = Url::parse(address).map_err(|_| "the address is invalid".to_owned())?;
    let answer = network.get(&url, TIMEOUT, None).await.map_err(|error| error.to_string())?;
    if !answer.status().is_success() {
        return Err(format!("the host answered {}", answer.status()));
    }
    let mut bytes = Vec::new();
    let mut parts = answer.bytes_stream();
    while let Some(part) = parts.next().await {
        bytes.extend_from_slice(&part.map_err(|error| error.without_url().to_string())?);
        if bytes.len() > kind.maximum() {
            return Err(format!("it exceeds {} MiB", kind.maximum() >> 20));
        }
    }
    kind.check(&bytes)?;
    Ok(bytes)
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
    fn host(answer: impl AsRef<[u8]> + Send + 'static) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/api.json", listener.local_addr().unwrap());
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let _read = stream.read(&mut [0; 4096]).unwrap();
            let answer = answer.as_ref();
            let length = answer.len();
            write!(
                stream,
                "HTTP/1.1 200 OK\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
            )
            .unwrap();
            // The other side hangs up on what is too long.
            drop(stream.write_all(answer));
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

    /// A docs root whose text has the font at an address.
    fn with_font(address: &str) -> Source {
        let config = format!(r#"{{"fonts":{{"family":"A","source":"{address}"}}}}"#);
        Source::from_files([("docs.json".to_owned(), config.into_bytes())])
    }

    fn woff2(length: usize) -> Vec<u8> {
        let mut font = b"wOF2".to_vec();
        font.resize(length, 0);
        font
    }

    #[tokio::test]
    async fn font_is_fetched_and_copy_replaces_missing_host() {
        let folder = tempfile::tempdir().unwrap();
        let network = Network::new("127.0.0.1".parse().unwrap_or_default());
        let font = woff2(100);
        let address = host(font.clone());
        let copies = Copies { folder: folder.path(), owner: "org_1" };
        for expected in [0, 1] {
            let mut source = with_font(&address);
            let diagnostics = bring_in(&mut source, &copies, &network).await.unwrap();
            assert_eq!(diagnostics.len(), expected, "{diagnostics:?}");
            assert_eq!(source.font(&address), Some(font.as_slice()));
        }
    }

    #[tokio::test]
    async fn file_that_is_no_font_or_too_large_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let network = Network::new("127.0.0.1".parse().unwrap_or_default());
        let copies = Copies { folder: folder.path(), owner: "" };
        let page = b"<!doctype html><title>Sign in</title><p>A page instead of a font".to_vec();
        for (answer, problem) in
            [(page, "it is not a font"), (woff2(MAXIMUM_FONT + 1), "it exceeds 5 MiB")]
        {
            let address = host(answer);
            let mut source = with_font(&address);
            let diagnostics = bring_in(&mut source, &copies, &network).await.unwrap();
            assert_eq!(diagnostics[0].rule, Rule::RemoteFont);
            assert!(diagnostics[0].message.ends_with(problem), "{diagnostics:?}");
            assert_eq!(source.fonts().count(), 0);
        }
    }

    /// A spec of a length, whose letters must be escaped in the frame to the child.
    fn spec(length: usize) -> Vec<u8> {
        let mut spec = SPEC.as_bytes().to_vec();
        spec.resize(length, b'\n');
        spec
    }

    #[tokio::test]
    async fn spec_at_its_limit_is_fetched_and_larger_one_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        let network = Network::new("127.0.0.1".parse().unwrap_or_default());
        let copies = Copies { folder: folder.path(), owner: "" };
        let mut source = Source::from_files(page(&host(spec(MAXIMUM_SPEC))));
        let diagnostics = bring_in(&mut source, &copies, &network).await.unwrap();
        assert!(diagnostics.is_empty(), "{diagnostics:?}");
        assert_eq!(source.remote().map(|(_, text)| text.len()).collect::<Vec<_>>(), [MAXIMUM_SPEC]);
        let mut source = Source::from_files(page(&host(spec(MAXIMUM_SPEC + 1))));
        let diagnostics = bring_in(&mut source, &copies, &network).await.unwrap();
        assert!(diagnostics[0].message.ends_with("it exceeds 64 MiB"), "{diagnostics:?}");
    }

    #[tokio::test]
    async fn each_spec_over_the_limits_of_a_site_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        let network = Network::new("127.0.0.1".parse().unwrap_or_default());
        let copies = Copies { folder: folder.path(), owner: "" };
        let large = MAXIMUM_TOTAL / 3 + 1;
        let specs = [large, large, large, 100].map(|length| host(spec(length))).to_vec();
        let fetched = fetch_all(
            RemoteAddresses { specs: specs.clone(), fonts: Vec::new() },
            &copies,
            &network,
        );
        let fetched = fetched.await.unwrap();
        // Smaller files after one that is too large still have room.
        let addresses: Vec<_> = fetched.specs.iter().map(|(address, _)| address.as_str()).collect();
        assert_eq!(addresses, [&specs[0], &specs[1], &specs[3]]);
        let message = &fetched.diagnostics[0].message;
        assert!(message.contains(&specs[2]) && message.ends_with("exceeds 128 MiB"), "{message}");

        let network = Network::new(AllowedHosts::default());
        let address = |number| format!("http://127.0.0.1:9/{number}.json");
        let many = RemoteAddresses {
            specs: (0..=MAXIMUM_COUNT).map(address).collect(),
            fonts: Vec::new(),
        };
        let fetched = fetch_all(many, &copies, &network).await.unwrap();
        let message = &fetched.diagnostics[0].message;
        assert!(
            message
                .ends_with("100.json can't be fetched: a site can have 100 specs on other hosts"),
            "{message}"
        );
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
