//! Checks links of a site to other hosts, with a file of earlier results, so that no address is requested twice a
//! day.

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
};

use docwright_repository::network::{Network, Probe, Verdict};
use docwright_site::{Diagnostic, Rule, render::ExternalLink};
use docwright_types::{domain_name::DomainName, timestamp::Timestamp};
use futures::{StreamExt, stream};
use serde::{Deserialize, Serialize};
use url::Url;

/// Hosts that are checked in parallel.
const AT_ONCE: usize = 16;
/// Good addresses are checked again after a day. Milliseconds.
const GOOD_FOR: Timestamp = 24 * 60 * 60 * 1000;
/// Other addresses are checked again after an hour. Milliseconds.
const BAD_FOR: Timestamp = 60 * 60 * 1000;
/// The file in the folder that the caller names.
const FILE: &str = "external-links.jsonl";
/// Names reserved for examples (RFC 2606): links to them are not checked.
const EXAMPLES: &[&str] =
    &["example", "test", "invalid", "localhost", "example.com", "example.net", "example.org"];

/// Results for the links of a site.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Dead links, and notes for links that couldn't be checked.
    pub diagnostics: Vec<Diagnostic>,
    /// Distinct addresses of the links.
    pub addresses: usize,
    /// Addresses requested now.
    pub asked: usize,
    /// Dead addresses.
    pub dead: usize,
    /// Addresses that could not be checked.
    pub unchecked: usize,
}

/// The result for an address.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct LinkState {
    url: String,
    /// When, in milliseconds since 1970.
    at: Timestamp,
    state: State,
    /// The reason, unless the link works.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    reason: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum State {
    Good,
    Dead,
    Unchecked,
}

/// Checks links. `folder` stores results; `progress` receives the numbers of finished and of all addresses.
pub async fn check(
    links: &[ExternalLink],
    folder: &Path,
    network: &Network,
    now: Timestamp,
    progress: impl Fn(usize, usize),
) -> io::Result<Outcome> {
    std::fs::create_dir_all(folder)?;
    let results = Results { file: folder.join(FILE) };
    let mut known = results.read(now);
    let wanted: BTreeMap<String, Url> = links
        .iter()
        .filter_map(|link| address_of(&link.url))
        .map(|url| (url.to_string(), url))
        .collect();
    known.retain(|url, _| wanted.contains_key(url));
    let missing: Vec<_> =
        wanted.iter().filter(|(text, _)| !known.contains_key(*text)).map(|(_, url)| url).collect();
    let asked = missing.len();
    let mut keep = |found: Vec<LinkState>| {
        known.extend(found.into_iter().map(|found| (found.url.clone(), found)));
        // An interrupted run keeps its results.
        results.write(known.values())
    };
    ask(&missing, network, now, |done| progress(done, asked), &mut keep).await?;
    let count = |state| known.values().filter(|found| found.state == state).count();
    Ok(Outcome {
        diagnostics: links.iter().filter_map(|link| diagnostic(link, &known)).collect(),
        addresses: wanted.len(),
        asked,
        dead: count(State::Dead),
        unchecked: count(State::Unchecked),
    })
}

/// The address of a link, without its fragment; `None` for examples and invalid addresses.
fn address_of(written: &str) -> Option<Url> {
    let whole =
        if written.starts_with("//") { format!("https:{written}") } else { written.to_owned() };
    let mut url = Url::parse(&whole).ok()?;
    url.set_fragment(None);
    // A password in an address is the author's responsibility.
    url.set_username("").ok()?;
    url.set_password(None).ok()?;
    let host = url.host_str()?.trim_end_matches('.');
    // Placeholders such as `https://{your-company}.example` are for readers to fill in.
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || "-_.:[]".contains(letter);
    if !host.chars().all(is_name) {
        return None;
    }
    let is_example = EXAMPLES.iter().any(|name| DomainName::is_at_or_below(host, name));
    (!is_example).then_some(url)
}

/// Checks addresses: those of one host in order, several hosts in parallel. `keep` receives the results of each
/// host.
async fn ask(
    addresses: &[&Url],
    network: &Network,
    now: Timestamp,
    progress: impl Fn(usize),
    keep: &mut impl FnMut(Vec<LinkState>) -> io::Result<()>,
) -> io::Result<()> {
    let mut hosts: BTreeMap<&str, Vec<&Url>> = BTreeMap::new();
    for url in addresses {
        hosts.entry(url.host_str().unwrap_or_default()).or_default().push(url);
    }
    let probe = &Probe::new(network.clone());
    let (progress, done) = (&progress, &std::cell::Cell::new(0));
    let mut answers = stream::iter(hosts.into_values())
        .map(|urls| async move {
            let mut answers = Vec::new();
            for url in urls {
                answers.push((url, probe.ask(url).await));
                done.set(done.get() + 1);
                progress(done.get());
            }
            answers
        })
        .buffer_unordered(AT_ONCE);
    let found = |url: &Url, state, reason: &str| LinkState {
        url: url.to_string(),
        at: now,
        state,
        reason: reason.to_owned(),
    };
    let mut without_name = Vec::new();
    while let Some(answers) = answers.next().await {
        let mut known = Vec::new();
        for (url, verdict) in answers {
            match verdict {
                Verdict::Good => known.push(found(url, State::Good, "")),
                Verdict::Dead(reason) => known.push(found(url, State::Dead, &reason)),
                Verdict::Unchecked(reason) => known.push(found(url, State::Unchecked, &reason)),
                Verdict::UnknownName => without_name.push(url),
            }
        }
        keep(known)?;
    }
    let (state, reason) = if probe.knows_names() {
        (State::Dead, "its host has no name that is known")
    } else {
        (State::Unchecked, "no name of a host is known; is this machine offline?")
    };
    keep(without_name.into_iter().map(|url| found(url, state, reason)).collect())
}

/// The diagnostic of a link.
fn diagnostic(link: &ExternalLink, known: &BTreeMap<String, LinkState>) -> Option<Diagnostic> {
    let found = known.get(address_of(&link.url)?.as_str())?;
    let (url, reason) = (&link.url, &found.reason);
    let diagnostic = match found.state {
        State::Good => return None,
        State::Dead => {
            let message = format!("the link to {url} is dead: {reason}");
            Diagnostic::new(Rule::DeadExternalLink, &link.path, message)
        }
        State::Unchecked => {
            let message = format!("the link to {url} could not be checked: {reason}");
            Diagnostic::new(Rule::UncheckedExternalLink, &link.path, message)
        }
    };
    let help = diagnostic.rule.advice().to_owned();
    Some(diagnostic.at(link.line, link.column).help(help))
}

/// The file of results: one line of JSON for each.
#[derive(Debug)]
struct Results {
    file: PathBuf,
}

impl Results {
    /// Valid results. An invalid file or line is ignored: its addresses are requested again.
    fn read(&self, now: Timestamp) -> BTreeMap<String, LinkState> {
        let text = std::fs::read_to_string(&self.file).unwrap_or_default();
        let found = text.lines().filter_map(|line| serde_json::from_str::<LinkState>(line).ok());
        let counts = |found: &LinkState| {
            let age = now - found.at;
            let most = if found.state == State::Good { GOOD_FOR } else { BAD_FOR };
            // A time in the future was written by another clock.
            (0..most).contains(&age)
        };
        found.filter(counts).map(|found| (found.url.clone(), found)).collect()
    }

    /// Writes the file atomically.
    fn write<'a>(&self, found: impl Iterator<Item = &'a LinkState>) -> io::Result<()> {
        let folder = self.file.parent().unwrap_or(Path::new("."));
        let partial = tempfile::NamedTempFile::new_in(folder)?;
        let mut text = String::new();
        for found in found {
            text += &serde_json::to_string(found)?;
            text.push('\n');
        }
        std::fs::write(partial.path(), text)?;
        partial.persist(&self.file).map(drop).map_err(|error| error.error)
    }
}

#[cfg(test)]
mod tests {
    use std::{
        io::{Read, Write},
        net::TcpListener,
        sync::{Arc, Mutex},
    };

    use docwright_repository::network::AllowedHosts;

    use super::*;

    /// A host on which only paths with the prefix `/none` are missing. Returns its address and the requests that
    /// it got.
    fn host() -> (String, Arc<Mutex<Vec<String>>>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::<Mutex<Vec<String>>>::default();
        let log = Arc::clone(&asked);
        std::thread::spawn(move || {
            while let Ok((mut stream, _)) = listener.accept() {
                let mut bytes = [0; 4096];
                let length = stream.read(&mut bytes).unwrap_or(0);
                let text = String::from_utf8_lossy(&bytes[..length]).into_owned();
                let line = text.lines().next().unwrap_or_default().replace(" HTTP/1.1", "");
                let status = if line.contains(" /none") { "404 Not Found" } else { "200 OK" };
                log.lock().unwrap().push(line);
                let _gone = write!(
                    stream,
                    "HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
                );
            }
        });
        (address, asked)
    }

    fn link(url: &str, path: &str) -> ExternalLink {
        ExternalLink { url: url.to_owned(), path: path.to_owned(), line: 3, column: 1 }
    }

    fn network() -> Network {
        Network::new("127.0.0.1".parse::<AllowedHosts>().unwrap())
    }

    #[tokio::test]
    async fn each_address_is_requested_once_a_day() {
        let (address, asked) = host();
        let folder = tempfile::tempdir().unwrap();
        let place = |page: usize| format!("page-{page}.mdx");
        let mut links: Vec<_> =
            (0..50).map(|page| link(&format!("{address}/a#part-{page}"), &place(page))).collect();
        links.extend((0..2).map(|page| link(&format!("{address}/none"), &place(page))));
        links.push(link("https://api.example.com/v1", "a.mdx"));
        let check =
            async |now| check(&links, folder.path(), &network(), now, |_, _| {}).await.unwrap();
        let first = check(1_000).await;
        assert_eq!(*asked.lock().unwrap(), ["HEAD /a", "HEAD /none", "GET /none"]);
        assert_eq!((first.addresses, first.asked, first.dead, first.unchecked), (2, 2, 1, 0));
        let dead: Vec<_> =
            first.diagnostics.iter().map(|each| (each.path.as_str(), each.rule)).collect();
        assert_eq!(
            dead,
            [("page-0.mdx", Rule::DeadExternalLink), ("page-1.mdx", Rule::DeadExternalLink)]
        );
        assert!(
            first.diagnostics[0].message.ends_with("/none is dead: the host answers 404 Not Found")
        );

        asked.lock().unwrap().clear();
        let again = check(2_000).await;
        assert_eq!((again.asked, again.diagnostics), (0, first.diagnostics));
        assert!(asked.lock().unwrap().is_empty(), "nobody was asked");
        check(1_000 + BAD_FOR).await;
        assert_eq!(
            asked.lock().unwrap().len(),
            2,
            "what was dead is asked for again after an hour"
        );
        check(1_000 + GOOD_FOR).await;
        assert_eq!(asked.lock().unwrap().len(), 5, "and all after a day");
        asked.lock().unwrap().clear();
        check(0).await;
        assert_eq!(asked.lock().unwrap().len(), 3, "results from the future count for nothing");
    }

    #[tokio::test]
    async fn damaged_file_repeats_requests() {
        let (address, asked) = host();
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(FILE), b"{\"url\":\n\xff\xfe{}").unwrap();
        let links = [link(&format!("{address}/a"), "a.mdx")];
        let outcome = check(&links, folder.path(), &network(), 1_000, |_, _| {}).await.unwrap();
        assert_eq!((outcome.asked, outcome.dead), (1, 0));
        assert_eq!(asked.lock().unwrap().len(), 1);
    }

    #[tokio::test]
    async fn no_link_is_dead_without_a_network() {
        #[derive(Debug)]
        struct Offline;
        impl docwright_repository::network::Resolver for Offline {
            fn resolve<'a>(
                &'a self,
                _host: &'a str,
            ) -> futures::future::BoxFuture<'a, io::Result<Vec<std::net::IpAddr>>> {
                Box::pin(async { Err(io::Error::other("no resolver")) })
            }
        }
        let network = Network::with_resolver("127.0.0.1".parse().unwrap(), Arc::new(Offline));
        let folder = tempfile::tempdir().unwrap();
        let links = [link("https://gone.dev/x", "a.mdx")];
        let alone = check(&links, folder.path(), &network, 1_000, |_, _| {}).await.unwrap();
        assert_eq!((alone.dead, alone.unchecked), (0, 1));
        let (address, _) = host();
        let links = [links[0].clone(), link(&format!("{address}/a"), "a.mdx")];
        let folder = tempfile::tempdir().unwrap();
        let online = check(&links, folder.path(), &network, 1_000, |_, _| {}).await.unwrap();
        assert_eq!((online.dead, online.unchecked), (1, 0));
    }

    #[test]
    fn example_urls_are_not_checked() {
        for (written, expected) in [
            ("https://a.dev/x#y", Some("https://a.dev/x")),
            ("//a.dev/x", Some("https://a.dev/x")),
            ("https://user:secret@a.dev/", Some("https://a.dev/")),
            ("https://api.example.com/v1", None),
            ("http://localhost:3000", None),
            ("https://notexample.com/", Some("https://notexample.com/")),
            ("https://{your-domain}.a.dev", None),
        ] {
            let url = address_of(written).map(|url| url.to_string());
            assert_eq!(url.as_deref(), expected, "{written}");
        }
    }
}
