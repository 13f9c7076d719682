//! Pebble, a small ACME certificate authority, packaged by Debian.

use std::{
    fs,
    process::{Child, Command, Stdio},
};

use docwright_testing::{ports::Port, wait::eventually};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use serde_json::json;
use tempfile::TempDir;

/// A running Pebble.
pub(super) struct Pebble {
    child: Child,
    folder: TempDir,
    pub(super) directory: String,
    management: String,
    _ports: [Port; 2],
}

/// A certificate with its key for some names, self-signed or signed by another certificate.
pub(crate) fn certificate(names: &[&str]) -> (String, String) {
    let params =
        CertificateParams::new(names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
    let key = KeyPair::generate().unwrap();
    (params.unwrap().self_signed(&key).unwrap().pem(), key.serialize_pem())
}

impl Pebble {
    /// Starts Pebble with the port of its checks and the lifetime of its certificates in seconds. Checks
    /// start immediately, or within a number of seconds.
    pub(super) async fn start(
        name_server: &str,
        http_port: u16,
        seconds: u64,
        asks_within: Option<u8>,
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let root_key = KeyPair::generate().unwrap();
        fs::write(path("root.pem"), params.self_signed(&root_key).unwrap().pem()).unwrap();
        let issuer = Issuer::new(params, root_key);
        let (own, key) = (
            CertificateParams::new(vec!["localhost".to_owned()]).unwrap(),
            KeyPair::generate().unwrap(),
        );
        fs::write(path("own.pem"), own.signed_by(&key, &issuer).unwrap().pem()).unwrap();
        fs::write(path("own.key"), key.serialize_pem()).unwrap();
        let ports = [Port::take(), Port::take()];
        let [port, management] = [ports[0].number(), ports[1].number()];
        let config = json!({ "pebble": {
            "listenAddress": format!("127.0.0.1:{port}"),
            "managementListenAddress": format!("127.0.0.1:{management}"),
            "certificate": path("own.pem"), "privateKey": path("own.key"),
            "httpPort": http_port, "tlsPort": 1,
            "certificateValidityPeriod": seconds,
        } });
        fs::write(path("config.json"), config.to_string()).unwrap();
        let child = Command::new("pebble")
            .args(["-config", &path("config.json"), "-dnsserver", name_server])
            .env("PEBBLE_WFE_NONCEREJECT", "5")
            .envs(asks_within.is_none().then_some(("PEBBLE_VA_NOSLEEP", "1")))
            .envs(asks_within.map(|seconds| ("PEBBLE_VA_SLEEPTIME", seconds.to_string())))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("`cargo xtask test` installs pebble; or install it");
        let pebble = Self {
            child,
            folder,
            directory: format!("https://localhost:{port}/dir"),
            management: format!("https://localhost:{management}"),
            _ports: ports,
        };
        for port in [port, management] {
            eventually("Pebble listens", async || {
                tokio::net::TcpStream::connect(("127.0.0.1", port)).await.is_ok()
            })
            .await;
        }
        pebble
    }

    /// The root certificate of Pebble's own server.
    pub(super) fn root(&self) -> String {
        self.folder.path().join("root.pem").display().to_string()
    }

    /// The root certificate of issued certificates.
    pub(super) async fn issuer(&self) -> reqwest::Certificate {
        let own = fs::read(self.root()).unwrap();
        let own = reqwest::Certificate::from_pem(&own).unwrap();
        let client = reqwest::Client::builder().add_root_certificate(own).build().unwrap();
        let root = client.get(format!("{}/roots/0", self.management)).send().await.unwrap();
        reqwest::Certificate::from_pem(&root.bytes().await.unwrap()).unwrap()
    }
}

impl Drop for Pebble {
    fn drop(&mut self) {
        let _ended = self.child.kill();
        let _reaped = self.child.wait();
    }
}
