//! Nothing that identifies a reader is written: not to the database, objects, logs, what waits on the disk, or backups.

use std::{
    fs,
    io::{self, ErrorKind},
    net::IpAddr,
    path::{Path, PathBuf},
    process::Command,
};

use docwright_storage::database::VisitorKey;
use docwright_testing::wait::eventually;
use memchr::memmem;
use parquet::file::reader::{FileReader, SerializedFileReader};
use sha2::{Digest, Sha256};

use super::{BROWSER, HOST, has_lines, publish, views_are};
use crate::{
    agent::write_site,
    observing::Logged,
    postgres::database_on_wire,
    server::{Api, Setup},
    sites::ask,
};

const PROXIES: (&str, &str) = ("DOCWRIGHT_TRUSTED_PROXIES", "127.0.0.1/32");
const ADDRESSES: [&str; 4] =
    ["203.0.113.77", "198.51.100.177", "2001:db8:77:77::77", "2001:db8:cafe:1::9"];

/// User agents of a browser, an AI agent, and a bot.
fn user_agents() -> [String; 3] {
    [BROWSER, "Claude-User/1.0", "Googlebot/2.1"].map(|name| format!("{name} Unmistakable/77.1"))
}

/// What must not be found: its name, and its bytes, in lower case if it is a text.
struct Trace {
    name: String,
    bytes: Vec<u8>,
    is_text: bool,
}

impl Trace {
    fn text(text: &str) -> Self {
        let bytes = text.to_ascii_lowercase().into_bytes();
        Self { name: text.to_owned(), bytes, is_text: true }
    }

    /// A hash, as it is and in hexadecimal digits.
    fn hash(of: &str, hash: &[u8]) -> [Self; 2] {
        let hex = hex::encode(hash);
        let name = format!("hash of {of}");
        [Self { name, bytes: hash.to_owned(), is_text: false }, Self::text(&hex)]
    }
}

/// Bytes as letters, so that texts can be searched for them.
fn letters(bytes: &[u8]) -> String {
    bytes.iter().copied().map(char::from).collect()
}

/// All traces of the readers. Hashes are plain ones, and those with the key of the day.
fn traces(key: Option<&VisitorKey>) -> Vec<Trace> {
    let mut all = Vec::new();
    all.extend(["unmistakable", "firefox/133", "2001:db8:77", "2001:db8:cafe"].map(Trace::text));
    for address in ADDRESSES {
        let number = match address.parse().unwrap() {
            IpAddr::V4(address) => address.to_ipv6_mapped().octets(),
            IpAddr::V6(address) => address.octets(),
        };
        // Visitors of IPv6 are networks.
        let network = if address.contains(':') {
            let mut network = number;
            network[8..].fill(0);
            network
        } else {
            number
        };
        all.push(Trace::text(address));
        all.extend(Trace::hash(address, &Sha256::digest(address)));
        all.push(Trace {
            name: format!("bytes of {address}"),
            bytes: number.to_vec(),
            is_text: false,
        });
        for user_agent in user_agents() {
            all.extend(Trace::hash(&user_agent, &Sha256::digest(&user_agent)));
            let both = format!("{address}{user_agent}");
            all.extend(Trace::hash(&both, &Sha256::digest(&both)));
            if let Some(key) = key {
                let hash = key.hash([HOST.as_bytes(), &network, user_agent.as_bytes()]);
                all.extend(Trace::hash(&both, &hash.to_be_bytes()));
                all.extend(Trace::hash(&both, &hash.to_le_bytes()));
                all.push(Trace::text(&hash.to_string()));
            }
        }
    }
    all
}

/// The traces in bytes.
fn found<'a>(bytes: &[u8], traces: &'a [Trace]) -> Vec<&'a str> {
    let lower = bytes.to_ascii_lowercase();
    let found = traces.iter().filter(|trace| {
        let searched = if trace.is_text { &lower } else { bytes };
        memmem::find(searched, &trace.bytes).is_some()
    });
    found.map(|trace| &*trace.name).collect()
}

/// `None` if a running service has removed a file or folder since it was listed.
fn unless_removed<T>(result: io::Result<T>) -> Option<T> {
    match result {
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        found => Some(found.unwrap()),
    }
}

/// The files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = unless_removed(fs::read_dir(folder)).into_iter().flatten();
    let entries = entries.map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// What a file says: the rows of a Parquet file besides its bytes. `None` if it was removed.
fn contents(path: &Path) -> Option<Vec<u8>> {
    let mut bytes = unless_removed(fs::read(path))?;
    if path.extension().is_some_and(|ending| ending == "parquet") {
        let reader = SerializedFileReader::new(fs::File::open(path).unwrap()).unwrap();
        for row in reader.get_row_iter(None).unwrap() {
            bytes.extend(format!("{}\n", row.unwrap()).into_bytes());
        }
    }
    Some(bytes)
}

/// Fails if a file below a folder has a trace. Returns all that was searched.
fn assert_traceless(folder: &Path, traces: &[Trace]) -> String {
    let mut all = String::new();
    for path in files(folder) {
        let Some(contents) = contents(&path) else { continue };
        assert_eq!(found(&contents, traces), [""; 0], "{}", path.display());
        all += &letters(&contents);
    }
    all
}

/// Readers read pages, and their browsers report.
async fn read(service: &Logged, api: &Api) {
    for address in ADDRESSES {
        for user_agent in user_agents() {
            for path in ["/page-0", "/gone"] {
                let headers = [("user-agent", user_agent.as_str()), ("x-forwarded-for", address)];
                ask(&service.process.address, (HOST, &format!("GET {path}")), &headers).await;
            }
        }
    }
    // The script reports too: with an address that readers typed into the search, and with a link that has a secret.
    let events = serde_json::json!([
        { "view": { "referrer": "https://referrer.example/unmistakable" } },
        { "search": ["unmistakable@mail.example", 0] },
        { "search": ["marmot", 0] },
        { "link": "https://other.example/?unmistakable=1" },
    ]);
    let body = serde_json::json!({ "page": "page-0", "events": events });
    let request = api.client.post(format!("{}/_docwright/reading", service.process.address));
    let request = request.header("host", HOST).header("user-agent", &user_agents()[0]);
    let request = request.header("x-forwarded-for", ADDRESSES[0]).json(&body);
    assert_eq!(request.send().await.unwrap().status(), 204);
}

/// A copy of the data folder, made as the manual says.
fn backup(setup: &Setup) -> PathBuf {
    let copy = setup.folder.path().join("backup");
    fs::create_dir(&copy).unwrap();
    let archive = setup.folder.path().join("backup.tar");
    for arguments in [
        &[
            "-C",
            &setup.data().display().to_string(),
            "--exclude",
            "./cache",
            "--exclude",
            "./work",
            "-cf",
        ][..],
        &["-C", &copy.display().to_string(), "-xf"],
    ] {
        let mut tar = Command::new("tar");
        tar.args(arguments).arg(&archive);
        if arguments.contains(&"-cf") {
            tar.arg(".");
        }
        assert!(tar.status().unwrap().success());
    }
    copy
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn addresses_and_user_agents_are_not_written() {
    let setup = Setup::built_in(write_site, &[]);
    let mut service = Logged::start(setup.service(&[PROXIES]), "info");
    let api = setup.api(&service.process);
    publish(&api).await;
    read(&service, &api).await;
    views_are(&api, &setup, 5, 4).await;
    // The key of the day is in one file, which backups don't contain.
    let cache = setup.data().join("cache");
    let keys = fs::read_dir(&cache).unwrap().map(|entry| entry.unwrap().path());
    let keys: Vec<_> = keys.filter(|path| path.is_file()).collect();
    let [path] = keys.as_slice() else { panic!("one key of {keys:?}") };
    let secret = fs::read_to_string(path).unwrap();
    let day = path.file_name().unwrap().to_str().unwrap().strip_prefix("visitors-").unwrap();
    let key = VisitorKey::in_folder(&cache, day.parse().unwrap()).unwrap().unwrap();
    let traces = traces(Some(&key));
    let has_key = |path: &PathBuf| {
        unless_removed(fs::read(path)).is_some_and(|bytes| letters(&bytes).contains(secret.trim()))
    };
    let with_key: Vec<_> = files(&setup.data()).into_iter().filter(has_key).collect();
    assert_eq!(with_key, keys);
    // While events wait on the disk, and when they are objects.
    let waiting = assert_traceless(&setup.data(), &traces);
    assert!(waiting.contains("\"event\":\"view\""), "events wait");
    service.process.signal("TERM");
    assert!(service.process.wait().success());
    let data = assert_traceless(&setup.data(), &traces);
    let copied = assert_traceless(&backup(&setup), &traces);
    for all in [data, copied] {
        for known in ["referrer.example", "marmot", "claude-user", "event: \"view\""] {
            assert!(all.to_ascii_lowercase().contains(known), "the search reads {known}");
        }
        assert!(!all.contains("\"event\":\"view\""), "no event waits");
    }
    assert_eq!(found(service.text().as_bytes(), &traces), [""; 0], "the log");
    // The search finds what there is.
    for trace in &traces {
        let planted = [b"a", &*trace.bytes, b"z"].concat();
        assert!(found(&planted, &traces).contains(&&*trace.name), "{}", trace.name);
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL"]
async fn addresses_and_user_agents_are_not_in_postgres() {
    let (wire, url) = database_on_wire("analytics_traces").await;
    let setup = Setup::on_database(write_site, &url);
    let service = Logged::start(setup.service(&[PROXIES]), "info");
    let api = setup.api(&service.process);
    publish(&api).await;
    read(&service, &api).await;
    views_are(&api, &setup, 5, 4).await;
    // Sums that wait have no trace either.
    wire.set_open(false);
    read(&service, &api).await;
    let spool = setup.data().join("spool/sums");
    eventually("sums wait", async || has_lines(&spool)).await;
    let traces = traces(None);
    let data = assert_traceless(&setup.data(), &traces);
    assert!(data.contains("\"domain\":\"docs.example.com\"") && data.contains("\"views\":["));
    wire.set_open(true);
    views_are(&api, &setup, 10, 8).await;
    let dump = |arguments: &[&str]| {
        let output = Command::new("pg_dump").args(arguments).arg(&url).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    };
    let (whole, copy) = (dump(&[]), dump(&["--exclude-table-data=analytics_key"]));
    for dump in [&whole, &copy] {
        assert_eq!(found(dump, &traces), [""; 0]);
        assert!(letters(dump).contains("referrer.example"), "the search reads the sums");
    }
    let rows_of_key = |dump: &[u8]| {
        let text = letters(dump);
        let rows = text.split_once("COPY public.analytics_key").map(|(_, rest)| rest.to_owned());
        rows.map_or(0, |rest| rest.lines().skip(1).take_while(|line| *line != "\\.").count())
    };
    assert_eq!((rows_of_key(&whole), rows_of_key(&copy)), (1, 0));
    assert_eq!(found(service.text().as_bytes(), &traces), [""; 0], "the log");
}
