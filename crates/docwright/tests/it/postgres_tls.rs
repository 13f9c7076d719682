//! TLS to PostgreSQL with the test's own server: TLS modes, certificates, and errors.

use std::{
    fs,
    io::{BufRead, BufReader},
    os::unix::{fs::chown, process::CommandExt},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, date_time_ymd};
use sqlx::{Connection, Executor, PgConnection};
use tempfile::TempDir;

use crate::{
    postgres,
    running::{Ended, ended},
    server::{Process, docwright},
};

/// PostgreSQL refuses to run as root, so root runs it as this user.
const NOBODY: u32 = 65_534;
const PORT: u16 = 5433;
const USER: &str = "docwright";
/// Users, their databases, and the required authentication.
const ACCESS: &str = "\
hostssl   postgres  all 127.0.0.0/8 trust
hostssl   encrypted all 127.0.0.0/8 trust
hostnossl plain     all 127.0.0.0/8 trust
hostssl   certified all 127.0.0.0/8 trust clientcert=verify-ca
hostssl   named     all 127.0.0.0/8 cert
";

/// A certificate authority.
struct Authority(Issuer<'static, KeyPair>);

impl Authority {
    /// Creates an authority. Writes its certificate to a file.
    fn new(file: &Path) -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name.push(DnType::CommonName, file.display().to_string());
        let key = KeyPair::generate().unwrap();
        fs::write(file, params.self_signed(&key).unwrap().pem()).unwrap();
        Self(Issuer::new(params, key))
    }

    /// Writes a certificate for a name to `NAME.pem` and `NAME.key` below a path.
    fn issue(&self, file: &Path, (name, is_expired): (&str, bool)) {
        let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        params.distinguished_name.push(DnType::CommonName, name);
        if is_expired {
            params.not_before = date_time_ymd(2019, 1, 1);
            params.not_after = date_time_ymd(2020, 1, 1);
        }
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.0).unwrap();
        fs::write(file.with_extension("pem"), certificate.pem()).unwrap();
        fs::write(file.with_extension("key"), key.serialize_pem()).unwrap();
    }
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// A program of the PostgreSQL server.
fn program(name: &str) -> Command {
    let packaged = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut folders: Vec<_> = packaged.map(|entry| entry.path().join("bin")).collect();
    folders.sort();
    folders.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
    let program = folders.iter().rev().map(|folder| folder.join(name)).find(|path| path.exists());
    let mut command = Command::new(program.expect("PostgreSQL's server is installed"));
    if is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// A folder with the server's data and certificates, and a free port.
struct ServerFolder {
    folder: TempDir,
    host: String,
}

impl ServerFolder {
    fn new() -> Self {
        let [_, high, middle, low] = std::process::id().to_be_bytes();
        let host = format!("127.{}.{middle}.{low}", 64 + high % 128);
        let place = Self { folder: tempfile::tempdir().unwrap(), host };
        fs::create_dir(place.path("server")).unwrap();
        place.give("server");
        if is_root() {
            use std::os::unix::fs::PermissionsExt;
            fs::set_permissions(place.folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        }
        let data = place.path("server/data").display().to_string();
        let made = program("initdb").args(["-D", &data, "-U", USER, "--no-sync"]).status().unwrap();
        assert!(made.success());
        fs::write(place.path("server/data/pg_hba.conf"), ACCESS).unwrap();
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Makes the server's user the owner of a file.
    fn give(&self, name: &str) {
        if is_root() {
            chown(self.path(name), Some(NOBODY), Some(NOBODY)).unwrap();
        }
    }

    /// Starts a server with the certificate `NAME.pem` and its key.
    fn start(&self, name: &str) -> Server {
        use std::os::unix::fs::PermissionsExt;
        for (from, to) in [("pem", "server/own.pem"), ("key", "server/own.key")] {
            fs::copy(self.path(name).with_extension(from), self.path(to)).unwrap();
            fs::set_permissions(self.path(to), fs::Permissions::from_mode(0o600)).unwrap();
            self.give(to);
        }
        fs::copy(self.path("authority.pem"), self.path("server/authority.pem")).unwrap();
        let data = self.path("server/data").display().to_string();
        let mut server = program("postgres");
        server.args(["-D", &data, "-p", &PORT.to_string(), "-h", &self.host]);
        let file = |name: &str| self.path(name).display().to_string();
        for setting in [
            "unix_socket_directories=".to_owned(),
            "fsync=off".to_owned(),
            "ssl=on".to_owned(),
            format!("ssl_cert_file={}", file("server/own.pem")),
            format!("ssl_key_file={}", file("server/own.key")),
            format!("ssl_ca_file={}", file("server/authority.pem")),
        ] {
            server.args(["-c", &setting]);
        }
        let mut child = server.stderr(Stdio::piped()).spawn().expect("PostgreSQL starts");
        let mut log = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
        let ready = log.find(|line| line.contains("ready to accept connections"));
        assert!(ready.is_some(), "PostgreSQL did not start");
        // The server would block if its log weren't read.
        std::thread::spawn(move || log.for_each(drop));
        Server(child)
    }

    fn url(&self, database: &str, query: &str) -> String {
        let query = query.replace("DIR", &self.folder.path().display().to_string());
        format!("postgres://{USER}:s3cret@{}:{PORT}/{database}?{query}", self.host)
    }

    /// Runs a command on a database.
    fn list(&self, database: &str, query: &str) -> Ended {
        let url = self.url(database, query);
        let secret = "0a".repeat(32);
        let variables = [("DOCWRIGHT_DATABASE_URL", &*url), ("DOCWRIGHT_ROOT_SECRET", &*secret)];
        let data = self.path("data").display().to_string();
        ended(&["admin", "organization", "list", "--data", &data], &variables)
    }

    fn connects(&self, database: &str, query: &str) {
        self.list(database, query).succeeded();
    }

    fn refuses(&self, database: &str, query: &str, said: &str) {
        let failed = self.list(database, query);
        failed.failed_with(said);
        assert!(!failed.errors.contains("s3cret"), "{failed:?}");
        assert!(failed.errors.contains("--database-url"), "{failed:?}");
    }
}

/// A running server.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        // The server ends its children at this signal, but not when it is killed.
        let id = rustix::process::Pid::from_child(&self.0);
        let _ended = rustix::process::kill_process(id, rustix::process::Signal::QUIT);
        let _reaped = self.0.wait();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn postgres_is_used_over_tls() {
    let place = ServerFolder::new();
    let authority = Authority::new(&place.path("authority.pem"));
    let stranger = Authority::new(&place.path("stranger.pem"));
    authority.issue(&place.path("good"), (&place.host, false));
    authority.issue(&place.path("other"), ("other.example.com", false));
    authority.issue(&place.path("expired"), (&place.host, true));
    authority.issue(&place.path("client"), (USER, false));
    authority.issue(&place.path("someone"), ("someone", false));
    stranger.issue(&place.path("unknown"), (USER, false));

    let server = place.start("good");
    let url = place.url("postgres", "sslmode=require");
    let mut connection = PgConnection::connect(&url).await.unwrap();
    for name in ["encrypted", "plain", "certified", "named"] {
        let sql = format!("CREATE DATABASE {name}");
        connection.execute(sqlx::AssertSqlSafe(sql)).await.unwrap();
    }
    modes(&place);
    client_certificates(&place);
    files(&place);
    every_connection_is_encrypted(&place, &mut connection).await;
    drop((connection, server));

    let server = place.start("other");
    let root = "sslrootcert=DIR/authority.pem";
    let said = "is for another hostname";
    place.refuses("encrypted", &format!("sslmode=verify-full&{root}"), said);
    place.refuses("encrypted", &format!("sslmode=verify-full&{root}"), "other.example.com");
    place.connects("encrypted", &format!("sslmode=verify-ca&{root}"));
    drop(server);

    let _server = place.start("expired");
    let said = "has expired; renew it on the server";
    place.refuses("encrypted", &format!("sslmode=verify-ca&{root}"), said);
    place.connects("encrypted", "sslmode=require");
}

fn modes(place: &ServerFolder) {
    let root = "sslrootcert=DIR/authority.pem";
    for query in ["", "sslmode=allow", "sslmode=prefer", "sslmode=require"] {
        place.connects("encrypted", query);
    }
    for query in ["sslmode=require", "sslmode=verify-ca", "sslmode=verify-full"] {
        place.connects("encrypted", &format!("{query}&{root}"));
    }
    place.refuses("encrypted", "sslmode=disable", "set sslmode=require in the address");
    for query in ["", "sslmode=disable", "sslmode=allow", "sslmode=prefer"] {
        place.connects("plain", query);
    }
    place.refuses("plain", "sslmode=require", "refused the user `docwright`");
    let said = "is signed by an unknown authority; set sslrootcert in the address";
    for query in ["verify-ca", "verify-full", "verify-ca&sslrootcert=DIR/stranger.pem"] {
        place.refuses("encrypted", &format!("sslmode={query}"), said);
    }
    // As in PostgreSQL's own library, naming an authority turns on verification.
    place.refuses("encrypted", "sslmode=require&sslrootcert=DIR/stranger.pem", said);
}

fn client_certificates(place: &ServerFolder) {
    let own = "sslmode=require&sslcert=DIR/client.pem&sslkey=DIR/client.key";
    for database in ["certified", "named"] {
        place.connects(database, own);
        let said = "set sslcert and sslkey in the address to the files of a certificate";
        place.refuses(database, "sslmode=require", said);
        let unknown = own.replace("client", "unknown");
        place.refuses(database, &unknown, "refuses the client certificate (UnknownCA)");
    }
    let said = "name the user of the certificate of sslcert";
    place.refuses("named", &own.replace("client", "someone"), said);
}

fn files(place: &ServerFolder) {
    let none = place.path("none").display().to_string();
    for (query, said) in [
        ("sslrootcert=DIR/none", format!("cannot read {none}, the file of sslrootcert")),
        ("sslcert=DIR/client.pem", "only one of sslcert and sslkey".to_owned()),
        (
            "sslcert=DIR/client.pem&sslkey=DIR/authority.pem",
            "holds no private key without a passphrase as PEM".to_owned(),
        ),
        (
            "sslrootcert=DIR/client.key",
            "the file of sslrootcert in the address, holds no certificate".to_owned(),
        ),
        (
            "sslcert=DIR/client.pem&sslkey=DIR/unknown.key",
            "the private key of sslkey doesn't belong to the certificate of sslcert".to_owned(),
        ),
    ] {
        place.refuses("certified", &format!("sslmode=require&{query}"), &said);
    }
}

async fn every_connection_is_encrypted(place: &ServerFolder, admin: &mut PgConnection) {
    let query = "sslmode=verify-full&sslrootcert=DIR/authority.pem&sslcert=DIR/client.pem&sslkey=DIR/client.key";
    let url = place.url("certified", query);
    let data = place.path("data").display().to_string();
    let mut serve = docwright(&["serve", "--listen", "127.0.0.1:0", "--data", &data]);
    serve.env("DOCWRIGHT_DATABASE_URL", &url).env("DOCWRIGHT_ROOT_SECRET", "0a".repeat(32));
    let _process = Process::start(serve);
    let sql = "SELECT COUNT(*), COUNT(*) FILTER (WHERE ssl) FROM pg_stat_activity JOIN pg_stat_ssl USING (pid) WHERE datname = 'certified'";
    let (all, encrypted): (i64, i64) = sqlx::query_as(sql).fetch_one(admin).await.unwrap();
    assert!(all > 0);
    assert_eq!(all, encrypted);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL"]
async fn postgres_without_tls_is_reported() {
    let (folder, url) = (tempfile::tempdir().unwrap(), postgres::database("no_tls").await);
    let (data, url) = (folder.path().display().to_string(), format!("{url}?sslmode=require"));
    let list = ["admin", "organization", "list", "--data", &data, "--database-url", &url];
    ended(&list, &[]).failed_with("offers no TLS: server does not support TLS; turn on `ssl`");
}
