//! `docwright verify`: Check a bundle, byte by byte.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, bail};
use docwright_serving::deployment::parse_sha256;
use docwright_site::bundle::{self, Limits, Manifest, Sha256Hash, Signature};
use docwright_storage::bundle_key::BundleKey;
use docwright_types::printable::printable_line;
use serde_json::{Value, json};

/// Verify a bundle byte by byte
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Bundle
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Expected SHA-256, as the API returned it
    #[arg(long, value_name = "HEX", value_parser = parse_sha256)]
    sha256: Option<String>,
    /// Public key that must have signed the bundle, as the instance shows it
    #[arg(long, value_name = "KEY")]
    key: Option<BundleKey>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Description of a valid bundle.
#[derive(Debug)]
struct Checked {
    manifest: Manifest,
    size: u64,
    sha256: String,
    signature: SignatureState,
}

/// The signature of a valid bundle.
#[derive(Debug, Clone, Copy)]
enum SignatureState {
    /// It has none.
    None,
    /// It has one, and no key was given to check it.
    Unchecked,
    /// It is from the given key.
    Valid,
}

impl SignatureState {
    const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Unchecked => "unchecked",
            Self::Valid => "valid",
        }
    }
}

/// Runs the command; the exit code is 0 if the bundle is complete and unchanged, and 1 otherwise.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let checked = check(&arguments.file, arguments.sha256.as_deref(), arguments.key)
        .with_context(|| arguments.file.display().to_string());
    match (checked, arguments.json) {
        (Ok(checked), true) => println!("{}", checked.to_json()),
        (Ok(checked), false) => checked.print(&arguments.file),
        (Err(error), true) => {
            println!("{}", json!({ "valid": false, "error": format!("{error:#}") }));
            return Ok(ExitCode::FAILURE);
        }
        (Err(error), false) => return Err(error),
    }
    Ok(ExitCode::SUCCESS)
}

fn check(file: &Path, promised: Option<&str>, key: Option<BundleKey>) -> anyhow::Result<Checked> {
    let about = std::fs::metadata(file).context("cannot read the file")?;
    if !about.is_file() {
        bail!("not a file");
    }
    let sha256 = Sha256Hash::of_file(file).context("cannot read the file")?.to_string();
    if let Some(promised) = promised.filter(|promised| *promised != sha256) {
        bail!("SHA-256 is {sha256}, expected {promised}; download it again");
    }
    let manifest = bundle::verify(file, Limits::default())?;
    let signature = bundle::signature(&std::fs::File::open(file)?)?;
    let signature = check_signature(signature, key)?;
    Ok(Checked { manifest, size: about.len(), sha256, signature })
}

fn check_signature(
    signature: Option<Signature>,
    key: Option<BundleKey>,
) -> anyhow::Result<SignatureState> {
    match (signature, key) {
        (None, None) => Ok(SignatureState::None),
        (Some(_), None) => Ok(SignatureState::Unchecked),
        (None, Some(_)) => bail!("the bundle has no signature; only a service signs bundles"),
        (Some(Signature { manifest, bytes }), Some(key)) => {
            if !key.has_signed(&manifest.0, &bytes) {
                bail!("the signature is not from this key; check the key, or get the bundle again");
            }
            Ok(SignatureState::Valid)
        }
    }
}

impl Checked {
    fn to_json(&self) -> Value {
        let Manifest { about, files } = &self.manifest;
        json!({
            "valid": true,
            "generator": about.generator,
            "version": about.version,
            "commit": about.commit,
            "pages": about.page_count,
            "files": files.len(),
            "sizeBytes": self.size,
            "sha256": self.sha256,
            "signature": self.signature.name(),
        })
    }

    fn print(&self, file: &Path) {
        let Manifest { about, files } = &self.manifest;
        let none = || "none".to_owned();
        println!("{} is intact", file.display());
        for (name, value) in [
            ("generator", about.generator.clone()),
            ("version", about.version.clone().unwrap_or_else(none)),
            ("commit", about.commit.clone().unwrap_or_else(none)),
            ("pages", about.page_count.to_string()),
            ("files", files.len().to_string()),
            ("bytes", self.size.to_string()),
            ("sha256", self.sha256.clone()),
            ("signature", self.signature.name().to_owned()),
        ] {
            println!("{name:>9}  {}", printable_line(&value));
        }
    }
}
