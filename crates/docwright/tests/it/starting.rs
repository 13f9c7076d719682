//! Startup errors are printed once, within seconds, with a remedy and without secrets.

use std::{
    io::{Read, Write},
    net::{Ipv4Addr, TcpListener},
};

use docwright_testing::ports::Port;
use sqlx::{Connection, Executor};

use crate::{
    postgres,
    running::ended,
    server::{Process, docwright, write_repository},
};

const SECRET: &str = "s3cret";

/// The first message of a client that requests TLS.
const ASKS_FOR_TLS: [u8; 8] = [0, 0, 0, 8, 4, 210, 22, 47];

/// A server whose response depends on the client's message, or is missing. Returns its port.
fn server(answer: impl Fn(&[u8]) -> Option<Vec<u8>> + Send + 'static) -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        let mut silent = Vec::new();
        for mut stream in listener.incoming().flatten() {
            let mut asked = [0; 1024];
            let mut length = stream.read(&mut asked).unwrap_or_default();
            if asked[..length] == ASKS_FOR_TLS {
                // The response of a server without TLS.
                drop(stream.write_all(b"N"));
                length = stream.read(&mut asked).unwrap_or_default();
            }
            match answer(&asked[..length]) {
                Some(answer) => drop(stream.write_all(&answer)),
                None => silent.push(stream),
            }
        }
    });
    port
}

/// An error in PostgreSQL's protocol.
/// <https://www.postgresql.org/docs/current/protocol-message-formats.html>
fn refusal(code: &str, message: &str) -> Vec<u8> {
    let fields = format!("SFATAL\0VFATAL\0C{code}\0M{message}\0\0");
    let length = u32::try_from(fields.len() + 4).unwrap();
    [b"E", &length.to_be_bytes()[..], fields.as_bytes()].concat()
}

/// Checks that `admin` and `serve` report the same database error.
fn fails_with(url: &str, said: &str) {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data").display().to_string();
    for command in [
        &["admin", "organization", "list", "--data", &data][..],
        &["serve", "--listen", "127.0.0.1:0", "--data", &data],
    ] {
        let failed = ended(command, &[("DOCWRIGHT_DATABASE_URL", url)]);
        failed.failed_with(said);
        assert!(failed.errors.contains("--database-url"), "{failed:?}");
        assert!(!failed.errors.contains(SECRET), "{failed:?}");
        let flag = ended(&[command, &["--database-url", url]].concat(), &[]);
        assert_eq!(flag.errors, failed.errors);
    }
}

#[test]
fn unreachable_database_is_named_once() {
    let unused = Port::take();
    let free = unused.number();
    let there = format!("the database server at 127.0.0.1:{free} can't be reached");
    fails_with(&format!("postgres://docwright:{SECRET}@127.0.0.1:{free}/docs"), &there);
    let silent = server(|_| None);
    let there = format!("127.0.0.1:{silent} did not respond within 5 seconds");
    fails_with(&format!("postgres://docwright:{SECRET}@127.0.0.1:{silent}/docs"), &there);
    let nowhere = format!("postgres://docwright:{SECRET}@docs.invalid/docs");
    fails_with(&nowhere, "the database server at docs.invalid:5432 can't be reached");
}

#[test]
fn refusal_of_database_is_named_once() {
    let password = server(|_| Some(refusal("28P01", "password authentication failed")));
    fails_with(
        &format!("postgres://docwright:{SECRET}@127.0.0.1:{password}/docs"),
        "refused the user `docwright`: password authentication failed; check the user and the password",
    );
    let missing = server(|_| Some(refusal("3D000", "database \"docs\" does not exist")));
    fails_with(
        &format!("postgres://docwright:{SECRET}@127.0.0.1:{missing}/docs"),
        "has no database `docs`; create it, for example with `createdb docs`",
    );
    let starting = server(|_| Some(refusal("57P03", "the database system is starting up")));
    fails_with(
        &format!("postgres://docwright:{SECRET}@127.0.0.1:{starting}/docs"),
        "can't be opened: the database system is starting up",
    );
    let answering = server(|_| Some(refusal("57P03", "the database system is starting up")));
    fails_with(
        &format!("postgres://docwright:{SECRET}@127.0.0.1:{answering}/docs?sslmode=require"),
        "offers no TLS: server does not support TLS; turn on `ssl` on the server",
    );
    let web = server(|_| Some(b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec()));
    fails_with(
        &format!("postgres://docwright:{SECRET}@127.0.0.1:{web}/docs"),
        "is not a PostgreSQL server, or it closed the connection",
    );
}

#[test]
fn invalid_database_address_is_refused() {
    for (url, said) in [
        (format!("mysql://docwright:{SECRET}@db/docs"), "unsupported database scheme `mysql://`"),
        (format!("docwright:{SECRET}@db/docs"), "the address has no scheme"),
        (SECRET.to_owned(), "the address has no scheme"),
        (
            format!("postgres://docwright:{SECRET}@db/docs?sslmode=bogus"),
            "the address can't be used: unknown value \"bogus\" for `ssl_mode`",
        ),
        (format!("postgres://docwright:{SECRET}/x@db/docs"), "the address can't be read"),
        (format!("postgres://docwright:{SECRET}@db:port/docs"), "the address can't be read"),
    ] {
        fails_with(&url, said);
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL"]
async fn missing_or_newer_postgres_database_is_named() {
    let url = postgres::database("newer").await;
    let missing = format!("{url}_missing");
    fails_with(&missing, "create it, for example with `createdb service_newer_");
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().display().to_string();
    let list = ["admin", "organization", "list", "--data", &data, "--database-url", &url];
    let secret = "0a".repeat(32);
    ended(&list, &[("DOCWRIGHT_ROOT_SECRET", &secret)]).succeeded();
    let mut connection = sqlx::PgConnection::connect(&url).await.unwrap();
    connection.execute(NEWER).await.unwrap();
    connection.close().await.unwrap();
    fails_with(&url, "they are at version 9999 or later, and this docwright knows ");
}

/// A migration of a newer version.
const NEWER: &str = "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
     SELECT 9999, 'later', success, checksum, 0 FROM _sqlx_migrations WHERE version = 1";

#[tokio::test]
async fn newer_database_in_data_folder_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().display().to_string();
    ended(&["admin", "organization", "list", "--data", &data], &[]).succeeded();
    let url = format!("sqlite://{data}/docwright.db");
    let mut connection = sqlx::SqliteConnection::connect(&url).await.unwrap();
    connection.execute(NEWER).await.unwrap();
    connection.close().await.unwrap();
    for command in [&["admin", "organization", "list"][..], &["serve", "--listen", ":0"]] {
        let failed = ended(&[command, &["--data", &data]].concat(), &[]);
        failed.failed_with("a newer docwright has changed its tables");
        assert!(failed.errors.contains(&data), "{failed:?}");
    }
}

#[test]
fn impossible_data_folder_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "x").unwrap();
    let (file, below) = (file.display().to_string(), file.join("data").display().to_string());
    for command in [&["admin", "organization", "list"][..], &["serve", "--listen", "127.0.0.1:0"]] {
        for data in [&file, &below] {
            let failed = ended(&[command, &["--data", data]].concat(), &[]);
            failed.failed_with(&format!("cannot create the data folder {data}: {file} is a file"));
            assert!(failed.errors.contains("choose another --data"), "{failed:?}");
        }
    }
    assert_eq!(std::fs::read_to_string(file).unwrap(), "x");
}

#[test]
fn data_folder_can_have_any_name() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("100%41 a?mode=ro#b ü").display().to_string();
    ended(&["admin", "organization", "create", "Acme", "--data", &data], &[]).succeeded();
    let listed = ended(&["admin", "organization", "list", "--data", &data], &[]);
    assert!(listed.succeeded().contains("Acme"));
    assert!(std::path::Path::new(&data).join("docwright.db").is_file());
}

/// A preview of a small site, which starts quickly.
fn preview(listen: &str) -> (tempfile::TempDir, std::process::Command) {
    let folder = tempfile::tempdir().unwrap();
    write_repository(folder.path(), 1);
    let command = docwright(&["dev", &folder.path().display().to_string(), "--listen", listen]);
    (folder, command)
}

#[tokio::test(flavor = "multi_thread")]
async fn addresses_are_accepted_in_common_forms() {
    for (listen, client) in [
        ("127.0.0.1:0", "127.0.0.1"),
        ("localhost:0", "127.0.0.1"),
        ("0", "127.0.0.1"),
        (":0", "127.0.0.1"),
        ("0.0.0.0:0", "127.0.0.1"),
        ("[::1]:0", "[::1]"),
    ] {
        let (_folder, command) = preview(listen);
        let process = Process::start(command);
        let port = process.address.rsplit(':').next().unwrap();
        let page = reqwest::get(format!("http://{client}:{port}/page-0")).await;
        assert_eq!(
            page.expect("the server responds").status(),
            200,
            "{listen} at {}",
            process.address
        );
    }
}

#[test]
fn unavailable_address_is_named() {
    let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    write_repository(&folder.path().join("docs"), 1);
    std::fs::write(path("values.yaml"), "staticExport:\n  bundleUrl: /none\n").unwrap();
    let (data, docs, values) = (path("data"), path("docs"), path("values.yaml"));
    let commands = [
        (&["serve", "--data", &data][..], "--listen"),
        (&["serve", "--data", &data, "--listen", "127.0.0.1:0"], "--probes"),
        (&["deploy", "--data", &data, "--values", &values], "--listen"),
        (&["deploy", "--data", &data, "--values", &values, "--listen", ":0"], "--probes"),
        (&["dev", &docs], "--listen"),
        (&["demo", "--exit", "--data", &data], "--listen"),
    ];
    for (command, flag) in commands {
        let with = |value: &str| ended(&[command, &[flag, value]].concat(), &[]);
        let failed = with(&address);
        let said = format!("cannot listen on {address}: another program listens there");
        assert_eq!(failed.code, Some(1), "{failed:?}");
        assert_eq!(failed.errors.matches(&said).count(), 1, "{command:?} {failed:?}");
        assert!(failed.errors.contains(&format!("such as {flag} 127.0.0.1:")), "{failed:?}");
        with("localhost").refused_with("no port; use an address such as 127.0.0.1:8080");
        with("::1:8080").refused_with("such as [::1]:8080");
        let failed = with("docs.invalid:8080");
        assert!(failed.errors.contains("`docs.invalid` can't be looked up"), "{failed:?}");
        let failed = with("192.0.2.1:8080");
        assert!(failed.errors.contains("this machine has no such address"), "{failed:?}");
    }
}

#[test]
fn invalid_model_is_refused_before_start() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let serve = ["serve", "--listen", "127.0.0.1:0", "--data", data.to_str().unwrap()];
    for (model, said) in [
        ("bogus:x", "--agent-model: unknown provider `bogus`"),
        ("acp:mine", "unknown external agent `mine`; add `mine=COMMAND` to --agent-commands"),
        ("gpt", "`gpt` isn't a model"),
    ] {
        for role in ["api", "worker", "all"] {
            let arguments = [&serve[..], &["--agent-model", model, "--role", role]].concat();
            ended(&arguments, &[]).failed_with(said);
        }
    }
    assert!(!data.exists(), "no data folder was created");
}

#[test]
fn help_is_grouped_and_short_help_fits_a_screen() {
    let long = ended(&["serve", "--help"], &[]);
    let text = long.succeeded();
    let headings: Vec<_> = text.lines().filter(|line| line.ends_with(':')).collect();
    for heading in ["Service:", "Store:", "Agents:", "Git hosts:", "Builds:", "Data retention:"] {
        assert_eq!(headings.iter().filter(|each| **each == heading).count(), 1, "{headings:?}");
    }
    assert!(!text.to_lowercase().contains("dashboard"));
    for command in ["serve", "admin", "deploy", "dev", "demo"] {
        let short = ended(&[command, "-h"], &[]);
        let lines: Vec<_> = short.succeeded().lines().collect();
        assert!(lines.len() <= 40, "{command} -h has {} lines", lines.len());
        assert!(lines.iter().all(|line| line.chars().count() <= 100), "{short:?}");
    }
}

#[test]
fn two_deployments_do_not_share_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(path("values.yaml"), "staticExport:\n  bundleUrl: http://127.0.0.1:1/\n")
        .unwrap();
    let (data, values) = (path("data"), path("values.yaml"));
    let arguments = ["deploy", "--data", &data, "--values", &values, "--listen", "127.0.0.1:0"];
    let _first = Process::start(docwright(&arguments));
    ended(&arguments, &[]).failed_with(&format!("another `docwright deploy` uses {data}"));
}
