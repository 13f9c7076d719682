//! Names of files that never change: they start with the hash of the contents, so that hosts and browsers can keep the
//! files forever.

use sha2::{Digest, Sha256};

/// Digits of the hash in a name.
const DIGITS: usize = 16;

/// The path of a file in a folder, whose name starts with the hash of the contents.
pub(crate) fn hashed_path(folder: &str, contents: &[u8], ending: &str) -> String {
    format!("{folder}/{}.{ending}", &hex::encode(Sha256::digest(contents))[..DIGITS])
}
