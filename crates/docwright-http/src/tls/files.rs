//! Certificates and keys in files.

use std::{io::ErrorKind, path::PathBuf, sync::Arc};

use anyhow::{Context, ensure};
use docwright_storage::database::Certificate;
use rustls::{
    crypto::aws_lc_rs,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
    sign::CertifiedKey,
};

use super::shown;

/// Pairs of files: a certificate and its key.
pub(super) type Pairs = Vec<(PathBuf, PathBuf)>;

/// Reads pairs of files.
pub(super) async fn read(pairs: Pairs) -> anyhow::Result<Vec<Arc<CertifiedKey>>> {
    tokio::task::spawn_blocking(move || pairs.iter().map(read_pair).collect()).await?
}

fn read_pair((certificate, key): &(PathBuf, PathBuf)) -> anyhow::Result<Arc<CertifiedKey>> {
    let text = |path: &PathBuf| {
        std::fs::read_to_string(path).map_err(|error| match error.kind() {
            ErrorKind::NotFound => anyhow::anyhow!("file {} not found", shown(path)),
            _ => anyhow::anyhow!("{} can't be read: {error}", shown(path)),
        })
    };
    let pair = Certificate { chain: text(certificate)?, private_key: text(key)? };
    parse(&pair).with_context(|| format!("{} and {}", shown(certificate), shown(key)))
}

/// A certificate for rustls. Fails if the key does not belong to the certificate.
pub(super) fn parse(pair: &Certificate) -> anyhow::Result<Arc<CertifiedKey>> {
    let chain = CertificateDer::pem_slice_iter(pair.chain.as_bytes());
    let chain: Vec<_> = chain.collect::<Result<_, _>>().context("the certificate isn't PEM")?;
    ensure!(
        !chain.is_empty(),
        "the file contains no certificate; use a PEM file that starts with -----BEGIN CERTIFICATE-----"
    );
    // Errors of a key reveal nothing of it.
    let key = PrivateKeyDer::from_pem_slice(pair.private_key.as_bytes()).map_err(|_| {
        anyhow::anyhow!("the key file contains no private key; use a PEM file without a password")
    })?;
    let pair = CertifiedKey::from_der(chain, key, &aws_lc_rs::default_provider());
    Ok(Arc::new(pair.context("the key does not belong to the certificate")?))
}
