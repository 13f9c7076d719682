//! TLS: certificates from files and from a certificate authority, HSTS, and redirects to HTTPS.
//!
//! Certificates from a certificate authority are in the database, for all nodes; `orders` gets them and `follow`
//! reads them. Challenges are those of HTTP (RFC 8555, section 8.3): any node can answer them from the database,
//! on the port that readers who type a bare name need anyway.

mod acme;
mod certificates;
mod challenges;
mod files;
mod follow;
mod orders;
mod settings;
mod validity;

use std::{path::Path, sync::Arc};

use anyhow::Context;
use axum::{
    extract::Request,
    http::{HeaderValue, StatusCode, Uri, header},
    response::{IntoResponse, Response},
};
use docwright_jobs::clock::Clock;
use docwright_operations::OperationError;
use docwright_storage::{Database, Keyring};
use rustls::{ServerConfig, crypto::aws_lc_rs};
use tokio_util::sync::CancellationToken;

use crate::{client::ClientAddress, error::ApiError, metrics::CertificateMetrics};
use acme::Acme;
use certificates::Certificates;
use challenges::Challenges;
use files::Pairs;

pub use settings::TlsSettings;

/// Offered protocols, the best first.
const PROTOCOLS: [&[u8]; 2] = [b"h2", b"http/1.1"];

/// TLS settings of a service besides its listener.
#[derive(Debug)]
pub struct Tls {
    certificates: Arc<Certificates>,
    files: Pairs,
    challenges: Challenges,
    database: Database,
    keyring: Keyring,
    clock: Clock,
    acme: Option<Acme>,
    metrics: CertificateMetrics,
    /// The service's own host.
    own: Option<String>,
    /// The port that clients reach HTTPS at.
    port: u16,
}

impl Tls {
    /// TLS from the settings, which `TlsSettings::check` accepted. `port` is the one that clients connect to.
    pub async fn open(
        settings: &TlsSettings,
        (database, keyring, clock): (Database, Keyring, Clock),
        (own, port): (Option<String>, u16),
        metrics: CertificateMetrics,
    ) -> anyhow::Result<Arc<Self>> {
        let pairs = settings.tls_certificate.iter().cloned().zip(settings.tls_key.iter().cloned());
        let files: Pairs = pairs.collect();
        let certificates = Certificates::new(own.clone(), files::read(files.clone()).await?);
        let acme = settings.acme_contact.as_ref().map(|contact| {
            Acme::new(settings, contact, (database.clone(), keyring.clone(), clock.clone()))
        });
        let challenges = Challenges::new(database.clone());
        let certificates = Arc::new(certificates);
        let tls = Self {
            certificates,
            files,
            challenges,
            database,
            keyring,
            clock,
            acme,
            metrics,
            own,
            port,
        };
        let tls = Arc::new(tls);
        tls.take_certificates().await.context("cannot read certificates")?;
        Ok(tls)
    }

    /// TLS settings of a listener.
    pub fn config(&self) -> anyhow::Result<Arc<ServerConfig>> {
        let provider = Arc::new(aws_lc_rs::default_provider());
        let builder =
            ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
        let certificates = Arc::clone(&self.certificates);
        let mut config = builder.with_no_client_auth().with_cert_resolver(certificates);
        config.alpn_protocols = PROTOCOLS.map(<[u8]>::to_vec).to_vec();
        Ok(Arc::new(config))
    }

    /// Keeps certificates up to date until the service stops: those of files and those that nodes order.
    pub fn run(self: &Arc<Self>, stop: &CancellationToken) {
        tokio::spawn(Arc::clone(self).follow(stop.clone()));
        tokio::spawn(Arc::clone(self).order(stop.clone()));
    }

    /// The challenge of a certificate authority in a request, if it can be one.
    pub fn asked_token(request: &Request) -> Option<&str> {
        challenges::token(request.uri().path())
    }

    /// The answer of a host to a certificate authority.
    pub async fn answer_challenge(&self, host: &str, token: &str) -> Response {
        self.challenges.answer(host, token).await
    }

    /// The HTTPS redirect of a plain request, if its host has a certificate. Requests from a proxy are left to the
    /// proxy.
    pub fn redirect(&self, host: &str, request: &Request) -> Option<Response> {
        let client = request.extensions().get::<ClientAddress>().copied();
        let is_plain = client.is_none_or(|client| !client.is_https && !client.is_proxied);
        (is_plain && self.certificates.has(host)).then(|| redirect(host, self.port, request.uri()))
    }
}

/// The same address with HTTPS.
fn redirect(host: &str, port: u16, uri: &Uri) -> Response {
    let port = if port == 443 { String::new() } else { format!(":{port}") };
    let path = uri.path_and_query().map_or("/", |path| path.as_str());
    let Ok(location) = HeaderValue::try_from(format!("https://{host}{port}{path}")) else {
        let sentence = "The address is malformed.".to_owned();
        return ApiError::from(OperationError::Invalid(sentence)).into_response();
    };
    (StatusCode::PERMANENT_REDIRECT, [(header::LOCATION, location)]).into_response()
}

/// A path in errors.
fn shown(path: &Path) -> String {
    path.display().to_string()
}
