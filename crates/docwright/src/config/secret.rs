//! The source of an instance's root secret.

use std::{fmt, path::PathBuf};

use anyhow::{Context, ensure};
use docwright_storage::Keyring;

/// Settings of the root secret. Each flag has a variable of the same name.
#[derive(Clone, Default, clap::Args)]
pub(crate) struct SecretSettings {
    /// Root secret: 64 hexadecimal digits
    ///
    /// It signs links and encrypts credentials. Older secrets can follow, comma-separated. Other users of
    /// the machine can read a command line, so use the variable or the file.
    #[arg(
        long,
        global = true,
        value_name = "SECRET",
        env = "DOCWRIGHT_ROOT_SECRET",
        hide_env_values = true,
        hide_short_help = true
    )]
    root_secret: Option<String>,
    /// File with the root secret, then older ones, one per line
    #[arg(
        long,
        global = true,
        value_name = "FILE",
        env = "DOCWRIGHT_ROOT_SECRET_FILE",
        conflicts_with = "root_secret",
        hide_short_help = true
    )]
    root_secret_file: Option<PathBuf>,
}

impl fmt::Debug for SecretSettings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("SecretSettings")
            .field("root_secret_file", &self.root_secret_file)
            .finish_non_exhaustive()
    }
}

impl SecretSettings {
    /// Whether the operator set a root secret, so docwright creates none.
    pub(crate) const fn is_given(&self) -> bool {
        self.root_secret.is_some() || self.root_secret_file.is_some()
    }

    /// The source of the root secret, for the operator.
    pub(crate) fn place(&self, data: &std::path::Path) -> String {
        match (&self.root_secret, &self.root_secret_file) {
            (Some(_), _) => "--root-secret (DOCWRIGHT_ROOT_SECRET)".to_owned(),
            (None, Some(file)) => file.display().to_string(),
            (None, None) => data.join(docwright_storage::keyring::FILE).display().to_string(),
        }
    }

    /// The keyring. Without a setting, the root secret is in the data folder; several nodes that share a database
    /// must share it, so it must be set.
    pub(crate) fn keyring(&self, data: &std::path::Path, shared: bool) -> anyhow::Result<Keyring> {
        if let Some(secret) = &self.root_secret {
            return Keyring::parse(secret).map_err(anyhow::Error::msg).context("--root-secret");
        }
        if let Some(file) = &self.root_secret_file {
            return Keyring::read(file)
                .with_context(|| format!("cannot read the root secret in {}", file.display()));
        }
        ensure!(
            !shared,
            "nodes that share a database must share a root secret; create one with `openssl rand -hex 32`, then set DOCWRIGHT_ROOT_SECRET or --root-secret-file"
        );
        Keyring::open_folder(data)
            .with_context(|| format!("cannot read or create the root secret in {}", data.display()))
    }
}
