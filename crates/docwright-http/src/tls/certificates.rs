//! The certificates of this process, by the host that a client names. A client without a host gets the certificate
//! of the service.

use std::{
    collections::{HashMap, HashSet},
    fmt,
    sync::{Arc, Mutex, PoisonError, RwLock},
};

use docwright_types::timestamp::Timestamp;
use rustls::{
    client::verify_server_name,
    pki_types::ServerName,
    server::{ClientHello, ParsedCertificate, ResolvesServerCert},
    sign::CertifiedKey,
};

/// Requested hosts without a certificate that are remembered until the next round of orders.
const MOST_ASKED: usize = 100;

/// Certificates with their keys.
pub(super) struct Certificates {
    /// The service's own host.
    own: Option<String>,
    known: RwLock<KnownCertificates>,
    /// Requested hosts without a certificate.
    asked: Mutex<HashSet<String>>,
}

#[derive(Default)]
struct KnownCertificates {
    /// Certificates from files, which have priority.
    files: Vec<Arc<CertifiedKey>>,
    /// Ordered certificates, and when they were issued.
    issued: HashMap<String, (Timestamp, Arc<CertifiedKey>)>,
}

impl fmt::Debug for Certificates {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Certificates")
    }
}

impl Certificates {
    /// Certificates from files. `own` is the service's own host.
    pub(super) fn new(own: Option<String>, files: Vec<Arc<CertifiedKey>>) -> Self {
        let known = KnownCertificates { files, ..KnownCertificates::default() };
        Self { own, known: RwLock::new(known), asked: Mutex::default() }
    }

    /// Whether there is a certificate for a host.
    pub(super) fn has(&self, host: &str) -> bool {
        self.find(host).is_some()
    }

    /// Whether a file has the certificate of a host, so none is ordered.
    pub(super) fn is_in_files(&self, host: &str) -> bool {
        self.known().files.iter().any(|pair| is_for(pair, host))
    }

    /// Takes over the present certificates of the files.
    pub(super) fn set_files(&self, files: Vec<Arc<CertifiedKey>>) {
        self.known.write().unwrap_or_else(PoisonError::into_inner).files = files;
    }

    /// When the ordered certificate of a host was issued.
    pub(super) fn issued_at(&self, host: &str) -> Option<Timestamp> {
        self.known().issued.get(host).map(|(issued_at, _)| *issued_at)
    }

    /// Takes over an ordered certificate.
    pub(super) fn insert(&self, host: &str, issued_at: Timestamp, pair: Arc<CertifiedKey>) {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        known.issued.insert(host.to_owned(), (issued_at, pair));
    }

    /// Removes certificates ordered for other hosts.
    pub(super) fn retain(&self, hosts: &HashSet<&str>) {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        known.issued.retain(|host, _| hosts.contains(host.as_str()));
    }

    /// Requested hosts without a certificate since the last call.
    pub(super) fn take_asked(&self) -> Vec<String> {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *asked).into_iter().collect()
    }

    fn find(&self, host: &str) -> Option<Arc<CertifiedKey>> {
        let known = self.known();
        let file = known.files.iter().find(|pair| is_for(pair, host));
        let found = file.or_else(|| known.issued.get(host).map(|(_, pair)| pair));
        found.cloned()
    }

    fn known(&self) -> std::sync::RwLockReadGuard<'_, KnownCertificates> {
        self.known.read().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ResolvesServerCert for Certificates {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        let Some(host) = hello.server_name() else {
            let own = self.own.as_deref().and_then(|own| self.find(own));
            return own.or_else(|| self.known().files.first().cloned());
        };
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        let found = self.find(&host);
        if found.is_none() {
            let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
            if asked.len() < MOST_ASKED {
                asked.insert(host);
            }
        }
        found
    }
}

/// Whether a certificate covers a host, also by a wildcard.
fn is_for(pair: &CertifiedKey, host: &str) -> bool {
    let certificate = pair.cert.first().and_then(|end| ParsedCertificate::try_from(end).ok());
    let name = ServerName::try_from(host).ok();
    certificate.zip(name).is_some_and(|(end, name)| verify_server_name(&end, &name).is_ok())
}
