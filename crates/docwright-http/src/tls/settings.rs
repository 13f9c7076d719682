//! Settings of TLS: its listener, and the source of certificates.

use std::path::PathBuf;

use anyhow::ensure;

use crate::listen_address::ListenAddress;

/// The directory of Let's Encrypt.
const LETS_ENCRYPT: &str = "https://acme-v02.api.letsencrypt.org/directory";

/// Settings of TLS. Each flag has a variable of the same name.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "TLS")]
pub struct TlsSettings {
    /// Address to listen on for HTTPS, such as :443
    #[arg(long, value_name = "ADDR", env = "DOCWRIGHT_TLS_LISTEN", hide_short_help = true)]
    pub tls_listen: Option<ListenAddress>,
    /// Email address for the ACME account, such as ops@example.com
    ///
    /// With it, docwright requests certificates for its own host and for the hosts of domains, and you
    /// agree to the terms of the certificate authority. Without it, docwright uses only the certificates of
    /// --tls-certificate.
    #[arg(long, value_name = "EMAIL", env = "DOCWRIGHT_ACME_CONTACT", hide_short_help = true)]
    pub acme_contact: Option<String>,
    /// ACME directory of the certificate authority
    #[arg(long, value_name = "URL", env = "DOCWRIGHT_ACME_DIRECTORY", default_value = LETS_ENCRYPT, hide_short_help = true)]
    pub acme_directory: url::Url,
    /// Root certificate of a private ACME server
    #[arg(long, value_name = "FILE", env = "DOCWRIGHT_ACME_CA", hide_short_help = true)]
    pub acme_ca: Option<PathBuf>,
    /// Certificates in PEM; each needs a --tls-key
    ///
    /// docwright reloads the files when they change.
    #[arg(
        long,
        value_name = "FILE",
        env = "DOCWRIGHT_TLS_CERTIFICATE",
        value_delimiter = ',',
        hide_short_help = true
    )]
    pub tls_certificate: Vec<PathBuf>,
    /// Private keys of --tls-certificate, in the same order
    #[arg(
        long,
        value_name = "FILE",
        env = "DOCWRIGHT_TLS_KEY",
        value_delimiter = ',',
        hide_short_help = true
    )]
    pub tls_key: Vec<PathBuf>,
    /// Seconds that browsers use HTTPS only (HSTS); 0 sends no header
    #[arg(
        long,
        value_name = "SECONDS",
        env = "DOCWRIGHT_HSTS_SECONDS",
        default_value_t = 0,
        hide_short_help = true
    )]
    pub hsts_seconds: u32,
}

impl Default for TlsSettings {
    fn default() -> Self {
        #[derive(clap::Parser)]
        struct Only {
            #[command(flatten)]
            settings: TlsSettings,
        }
        <Only as clap::Parser>::parse_from(["docwright"]).settings
    }
}

impl TlsSettings {
    /// Fails if there is no source of certificates, or settings have no effect.
    pub fn check(&self) -> anyhow::Result<()> {
        let (certificates, keys) = (self.tls_certificate.len(), self.tls_key.len());
        ensure!(
            certificates == keys,
            "{certificates} files of --tls-certificate don't match {keys} of --tls-key; name a key for each certificate, in the same order"
        );
        if self.tls_listen.is_none() {
            ensure!(
                certificates == 0 && self.acme_contact.is_none(),
                "certificates need --tls-listen; name an address for HTTPS, such as --tls-listen :443"
            );
            return Ok(());
        }
        ensure!(
            certificates > 0 || self.acme_contact.is_some(),
            "--tls-listen needs certificates; set --acme-contact to order them, or --tls-certificate and --tls-key to use your own files"
        );
        if let Some(contact) = &self.acme_contact {
            let is_address = contact.split_once('@').is_some_and(|(name, host)| {
                !name.is_empty() && host.contains('.') && !contact.contains([' ', ','])
            });
            ensure!(is_address, "--acme-contact: `{contact}` isn't an email address");
        }
        Ok(())
    }
}
