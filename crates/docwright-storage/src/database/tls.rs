//! TLS to PostgreSQL: which connections are tried, and why one fails.
//!
//! The driver implements TLS. The modes have the meaning of PostgreSQL's own library where it differs from the
//! driver's. <https://www.postgresql.org/docs/current/libpq-ssl.html>

use rustls::{
    AlertDescription, CertificateError, Error as TlsError,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
};
use sqlx::{
    any::AnyConnectOptions,
    postgres::{PgConnectOptions, PgSslMode},
};

use crate::StorageError;

/// The parameters of an address that the driver knows. It would write unknown ones into the log with their values.
const PARAMETERS: [&str; 17] = [
    "application_name",
    "dbname",
    "host",
    "hostaddr",
    "options",
    "password",
    "port",
    "ssl-ca",
    "ssl-cert",
    "ssl-key",
    "ssl-mode",
    "ssl-root-cert",
    "sslcert",
    "sslkey",
    "sslmode",
    "sslrootcert",
    "user",
];
const MODE: [&str; 2] = ["sslmode", "ssl-mode"];
const ROOT: [&str; 3] = ["sslrootcert", "ssl-root-cert", "ssl-ca"];
const CERTIFICATE: [&str; 2] = ["sslcert", "ssl-cert"];
const KEY: [&str; 2] = ["sslkey", "ssl-key"];
/// The value of `sslrootcert` for public authorities. The driver always trusts them.
const PUBLIC: &str = "system";

/// The connections that a mode allows: if the server refuses one, the next is tried.
pub(super) fn attempts(options: &AnyConnectOptions) -> Result<Vec<AnyConnectOptions>, sqlx::Error> {
    let options = known(options);
    let parsed = PgConnectOptions::try_from(&options)?;
    let root = parameter(&options, &ROOT);
    let modes: &[&str] = match parsed.get_ssl_mode() {
        // A socket is local, and PostgreSQL encrypts nothing there.
        _ if parsed.get_socket().is_some() => &["disable"],
        PgSslMode::Disable => &["disable"],
        PgSslMode::Allow => &["disable", "require"],
        PgSslMode::Prefer => &["prefer", "disable"],
        _ if root.as_deref() == Some(PUBLIC) => &["verify-full"],
        PgSslMode::Require if root.is_some() => &["verify-ca"],
        PgSslMode::Require => &["require"],
        PgSslMode::VerifyCa => &["verify-ca"],
        PgSslMode::VerifyFull => &["verify-full"],
    };
    Ok(modes.iter().map(|mode| with_mode(&options, mode)).collect())
}

/// The address without unknown parameters.
fn known(options: &AnyConnectOptions) -> AnyConnectOptions {
    let is_known = |name: &str| {
        PARAMETERS.contains(&name)
            || name == "statement-cache-capacity"
            || name.starts_with("options[")
    };
    let all = options.database_url.query_pairs();
    let (known, other): (Vec<_>, Vec<_>) = all.partition(|(name, _)| is_known(name));
    for (name, _) in other {
        tracing::warn!(parameter = %name, "ignored an unknown parameter of the database address");
    }
    with_parameters(options, known.iter().map(|(name, value)| (&**name, &**value)))
}

fn with_mode(options: &AnyConnectOptions, mode: &str) -> AnyConnectOptions {
    let all: Vec<_> = options.database_url.query_pairs().collect();
    let kept = all.iter().map(|(name, value)| (&**name, &**value));
    let kept = kept
        .filter(|(name, value)| !(MODE.contains(name) || ROOT.contains(name) && *value == PUBLIC));
    with_parameters(options, kept.chain([("sslmode", mode)]))
}

fn with_parameters<'a>(
    options: &AnyConnectOptions,
    parameters: impl Iterator<Item = (&'a str, &'a str)>,
) -> AnyConnectOptions {
    let mut changed = options.clone();
    changed.database_url.query_pairs_mut().clear().extend_pairs(parameters);
    changed
}

fn parameter(options: &AnyConnectOptions, names: &[&str]) -> Option<String> {
    let mut all = options.database_url.query_pairs();
    all.find(|(name, _)| names.contains(&&**name)).map(|(_, value)| value.into_owned())
}

/// Whether PostgreSQL's library would try the next connection.
pub(super) fn is_refusal(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(sqlx::error::DatabaseError::code);
    code.as_deref() == Some("28000") || cause(error).is_some()
}

/// Reads the files that an address names. The driver's own error doesn't name the missing file.
pub(super) fn check_files(options: &AnyConnectOptions) -> Result<(), StorageError> {
    let (certificate, key) = (parameter(options, &CERTIFICATE), parameter(options, &KEY));
    if certificate.is_some() != key.is_some() {
        return Err(StorageError::Open(
            "the address has only one of sslcert and sslkey; set both, to the files of a client certificate and its private key".to_owned(),
        ));
    }
    let is_certificate = |pem: &[u8]| {
        let mut all = CertificateDer::pem_slice_iter(pem);
        matches!(all.next(), Some(Ok(_))) && all.all(|each| each.is_ok())
    };
    let is_key = |pem: &[u8]| PrivateKeyDer::from_pem_slice(pem).is_ok();
    check("sslrootcert", parameter(options, &ROOT), "certificate", is_certificate)?;
    check("sslcert", certificate, "certificate", is_certificate)?;
    check("sslkey", key, "private key without a passphrase", is_key)
}

fn check(
    name: &str,
    value: Option<String>,
    kind: &str,
    is_good: impl Fn(&[u8]) -> bool,
) -> Result<(), StorageError> {
    // The value can also be the text itself, even a key.
    let Some(path) = value.filter(|value| !value.trim_start().starts_with("-----BEGIN")) else {
        return Ok(());
    };
    let pem = std::fs::read(&path).map_err(|error| {
        StorageError::Open(format!(
            "cannot read {path}, the file of {name} in the address: {error}; correct the path, or let the user that runs docwright read it"
        ))
    })?;
    if is_good(&pem) {
        return Ok(());
    }
    Err(StorageError::Open(format!(
        "{path}, the file of {name} in the address, holds no {kind} as PEM; name another file"
    )))
}

/// Why TLS with a server failed; `None` if that is not the reason.
pub(super) fn refusal(error: &sqlx::Error, place: &str) -> Option<String> {
    if let sqlx::Error::Tls(reason) = error
        && reason.downcast_ref::<TlsError>().is_none()
    {
        let remedy = "turn on `ssl` on the server, or set sslmode=prefer in the address to connect without it";
        return Some(format!("the database server at {place} offers no TLS: {reason}; {remedy}"));
    }
    Some(match cause(error)? {
        TlsError::InvalidCertificate(wrong) => certificate(wrong, place),
        TlsError::AlertReceived(alert) => alerted(*alert, place),
        TlsError::InconsistentKeys(_) => {
            "the private key of sslkey doesn't belong to the certificate of sslcert; set both to files of one pair".to_owned()
        }
        other => format!(
            "TLS with the database server at {place} failed: {other}; check that it speaks TLS 1.2 or 1.3, and the files of the address"
        ),
    })
}

/// The problem of a server's certificate.
fn certificate(wrong: &CertificateError, place: &str) -> String {
    let (problem, remedy) = match wrong {
        CertificateError::UnknownIssuer => (
            "is signed by an unknown authority".to_owned(),
            "set sslrootcert in the address to the file with the certificate of its authority",
        ),
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => (
            format!("is for another hostname{}", presented(wrong)),
            "put a name of the certificate into the address, or set sslmode=verify-ca to accept any name",
        ),
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            ("has expired".to_owned(), "renew it on the server, or check the clock of this machine")
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            ("isn't valid yet".to_owned(), "check the clock of this machine")
        }
        other => (
            format!("can't be verified: {other}"),
            "give the server a certificate that its authority signed, and set sslrootcert to that of the authority",
        ),
    };
    format!("the certificate of the database server at {place} {problem}; {remedy}")
}

/// The names that a certificate is for.
fn presented(wrong: &CertificateError) -> String {
    match wrong {
        CertificateError::NotValidForNameContext { presented, .. } if !presented.is_empty() => {
            format!(", {}", presented.join(", "))
        }
        _ => String::new(),
    }
}

/// The server's error about the client's side.
fn alerted(alert: AlertDescription, place: &str) -> String {
    use AlertDescription as Alert;
    match alert {
        Alert::CertificateRequired => format!(
            "the database server at {place} asks for a client certificate; set sslcert and sslkey in the address to the files of a certificate and its private key"
        ),
        Alert::UnknownCA
        | Alert::BadCertificate
        | Alert::CertificateUnknown
        | Alert::CertificateExpired
        | Alert::CertificateRevoked
        | Alert::UnsupportedCertificate
        | Alert::AccessDenied => format!(
            "the database server at {place} refuses the client certificate ({alert:?}); set sslcert to one that its authority signed and that is valid"
        ),
        other => format!(
            "the database server at {place} ended TLS ({other:?}); check that it speaks TLS 1.2 or 1.3"
        ),
    }
}

/// The error of TLS itself.
fn cause(error: &sqlx::Error) -> Option<&TlsError> {
    match error {
        sqlx::Error::Io(error) => error.get_ref()?.downcast_ref(),
        sqlx::Error::Tls(error) => error.downcast_ref(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::str::FromStr;

    use super::*;

    fn tried(url: &str) -> Vec<String> {
        let options = AnyConnectOptions::from_str(url).unwrap();
        let attempts = attempts(&options).unwrap();
        let query = |each: &AnyConnectOptions| each.database_url.query().unwrap_or("").to_owned();
        attempts.iter().map(query).collect()
    }

    #[test]
    fn modes_match_libpq() {
        for (query, expected) in [
            ("", &["sslmode=prefer", "sslmode=disable"][..]),
            ("?sslmode=disable", &["sslmode=disable"]),
            ("?sslmode=allow", &["sslmode=disable", "sslmode=require"]),
            ("?sslmode=prefer", &["sslmode=prefer", "sslmode=disable"]),
            ("?sslmode=require", &["sslmode=require"]),
            ("?sslmode=require&sslrootcert=ca.pem", &["sslrootcert=ca.pem&sslmode=verify-ca"]),
            ("?ssl-mode=verify-ca&user=me", &["user=me&sslmode=verify-ca"]),
            ("?sslmode=verify-full", &["sslmode=verify-full"]),
            ("?sslmode=require&sslrootcert=system", &["sslmode=verify-full"]),
            (
                "?host=/run/postgresql&sslmode=require",
                &["host=%2Frun%2Fpostgresql&sslmode=disable"],
            ),
        ] {
            assert_eq!(tried(&format!("postgres://me@db/docs{query}")), expected, "{query}");
        }
    }

    #[test]
    fn unknown_parameters_reach_no_driver() {
        let query = "?sslpassword=s3cret&sslmode=require&channel_binding=require&options[a]=b";
        let url = format!("postgres://me@db/docs{query}");
        assert_eq!(tried(&url), ["options%5Ba%5D=b&sslmode=require"]);
    }

    #[test]
    fn wrong_modes_are_refused_without_the_password() {
        let options = AnyConnectOptions::from_str("postgres://me:s3cret@db/docs?sslmode=on");
        let refused = attempts(&options.unwrap()).unwrap_err().to_string();
        assert!(refused.contains("\"on\"") && !refused.contains("s3cret"), "{refused}");
    }
}
