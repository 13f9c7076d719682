//! The root secret of an instance, and the keys derived from it: one for links to objects, one for encryption in
//! the database, one that signs bundles.
//!
//! The root secret is created once and stored in a file of the data folder that only its owner can read, or given
//! by the operator. A new one can precede older ones, which are still accepted.

use std::{
    fmt, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use aws_lc_rs::aead::{AES_256_GCM, Aad, NONCE_LEN, Nonce, RandomizedNonceKey};
use base64::{Engine, engine::general_purpose::STANDARD};
use hkdf::Hkdf;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::{
    StorageError,
    bundle_key::{BundleKey, BundleSigner, SIGNATURE_LENGTH},
};

/// Name of the file in the data folder: secrets in hex, a line each, the newest first.
pub const FILE: &str = "root-secret";
/// Length of a secret in bytes.
const SECRET_BYTES: usize = 32;

/// The keys of an instance, newest first.
#[derive(Clone)]
pub struct Keyring {
    keys: Arc<Vec<Keys>>,
    /// The file of the secrets. Another process might have written a newer secret there.
    file: Option<PathBuf>,
}

/// The keys derived from one root secret.
struct Keys {
    id: String,
    /// The fingerprint of the root secret in the database. It reveals nothing of the keys.
    fingerprint: String,
    links: [u8; 32],
    access: [u8; 32],
    encryption: [u8; 32],
    bundles: BundleSigner,
}

impl fmt::Debug for Keyring {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ids = self.keys.iter().map(|keys| keys.id.as_str());
        write!(formatter, "Keyring({})", ids.collect::<Vec<_>>().join(", "))
    }
}

/// A secret as the database has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Encrypted {
    /// Id of the key.
    pub key_id: String,
    /// Nonce and ciphertext, in base64.
    pub text: String,
}

impl Keyring {
    /// The keyring of a data folder. Its root secret is created if there is none.
    pub fn open_folder(data: &Path) -> Result<Self, StorageError> {
        std::fs::create_dir_all(data)?;
        let path = data.join(FILE);
        if !path.exists() {
            write_new(&path, &generate()?)?;
        }
        Self::read(&path)
    }

    /// A keyring with a root secret that is stored nowhere: only this process reads what it encrypts.
    pub fn of_process() -> Result<Self, StorageError> {
        Self::parse(&generate()?).map_err(StorageError::Value)
    }

    /// Whether a data folder has a root secret.
    pub fn is_in_folder(data: &Path) -> bool {
        data.join(FILE).exists()
    }

    /// The keyring from a file with root secrets.
    pub fn read(path: &Path) -> Result<Self, StorageError> {
        let keyring = Self::parse(&std::fs::read_to_string(path)?).map_err(StorageError::Value)?;
        Ok(Self { file: Some(path.to_owned()), ..keyring })
    }

    /// Root secrets in hex, divided by white space or commas, newest first.
    pub fn parse(text: &str) -> Result<Self, String> {
        let secrets = text.split(|letter: char| letter.is_whitespace() || letter == ',');
        let keys = secrets.filter(|secret| !secret.is_empty()).map(|secret| {
            let bytes = hex::decode(secret).ok().filter(|bytes| bytes.len() >= SECRET_BYTES);
            let bytes = bytes.ok_or("a root secret must have at least 64 hexadecimal digits; create one with `openssl rand -hex 32`")?;
            Ok::<_, String>(Keys::derive(&bytes))
        });
        let keys = keys.collect::<Result<Vec<_>, _>>()?;
        if keys.is_empty() {
            return Err("there is no root secret".to_owned());
        }
        Ok(Self { keys: Arc::new(keys), file: None })
    }

    /// Puts a new root secret first in the file of a data folder. Older ones stay until
    /// [`forget_older`](Self::forget_older).
    pub fn rotate_folder(data: &Path) -> Result<Self, StorageError> {
        Self::open_folder(data)?;
        let path = data.join(FILE);
        let older = std::fs::read_to_string(&path)?;
        replace(&path, &format!("{}\n{}", generate()?, older.trim_end()))?;
        Self::read(&path)
    }

    /// Keeps the first two root secrets of the file of a data folder: links signed with the second one stay valid
    /// until they expire.
    pub fn forget_older(data: &Path) -> Result<Self, StorageError> {
        let path = data.join(FILE);
        let all = std::fs::read_to_string(&path)?;
        replace(&path, &all.lines().take(2).collect::<Vec<_>>().join("\n"))?;
        Self::read(&path)
    }

    /// The fingerprint of the newest root secret.
    pub fn fingerprint(&self) -> &str {
        self.keys.first().map_or("", |keys| &keys.fingerprint)
    }

    /// Whether a fingerprint is that of one of the root secrets.
    pub fn has_fingerprint(&self, fingerprint: &str) -> bool {
        self.keys.iter().any(|keys| keys.fingerprint == fingerprint)
    }

    /// Id of the newest key.
    pub fn key_id(&self) -> &str {
        self.keys.first().map_or("", |keys| &keys.id)
    }

    /// Encrypts a secret with the newest key. `context` says what it belongs to: it can't be decrypted for
    /// anything else.
    pub fn encrypt(&self, context: &str, secret: &str) -> Result<Encrypted, StorageError> {
        let failed = || StorageError::Value("a secret can't be encrypted".to_owned());
        let keys = self.keys.first().ok_or_else(failed)?;
        let key = RandomizedNonceKey::new(&AES_256_GCM, &keys.encryption).map_err(|_| failed())?;
        let mut bytes = secret.as_bytes().to_vec();
        let nonce = key
            .seal_in_place_append_tag(Aad::from(context.as_bytes()), &mut bytes)
            .map_err(|_| failed())?;
        let all = [nonce.as_ref().as_slice(), &bytes].concat();
        Ok(Encrypted { key_id: keys.id.clone(), text: STANDARD.encode(all) })
    }

    /// Decrypts the secret for `context`. An unknown key is looked up in the file of root secrets, where another
    /// process might have added it.
    pub fn decrypt(&self, context: &str, encrypted: &Encrypted) -> Result<String, StorageError> {
        let known = self.keys.iter().any(|keys| keys.id == encrypted.key_id);
        match &self.file {
            Some(file) if !known => Self::read(file)?.open(context, encrypted),
            _ => self.open(context, encrypted),
        }
    }

    fn open(&self, context: &str, encrypted: &Encrypted) -> Result<String, StorageError> {
        let missing = || {
            StorageError::Value(format!(
                "a secret was encrypted with the key {}, which belongs to none of the root secrets; add the root secret of that key",
                encrypted.key_id
            ))
        };
        let failed = || StorageError::Value("an encrypted secret was altered".to_owned());
        let keys = self.keys.iter().find(|keys| keys.id == encrypted.key_id).ok_or_else(missing)?;
        let key = RandomizedNonceKey::new(&AES_256_GCM, &keys.encryption).map_err(|_| failed())?;
        let all = STANDARD.decode(&encrypted.text).map_err(|_| failed())?;
        let (nonce, bytes) = all.split_at_checked(NONCE_LEN).ok_or_else(failed)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(|_| failed())?;
        let mut bytes = bytes.to_vec();
        let plain = key
            .open_in_place(nonce, Aad::from(context.as_bytes()), &mut bytes)
            .map_err(|_| failed())?;
        String::from_utf8(plain.to_vec()).map_err(|_| failed())
    }

    /// The signature of a link, with the newest key.
    pub(crate) fn sign(&self, message: &str) -> String {
        self.keys.first().map(|keys| keys.sign(message)).unwrap_or_default()
    }

    /// The signature of a bundle, about the SHA-256 of its manifest, with the newest key.
    pub fn sign_bundle(&self, manifest: &[u8; 32]) -> Result<[u8; SIGNATURE_LENGTH], StorageError> {
        let signed = self.keys.first().and_then(|keys| keys.bundles.sign(manifest));
        signed.ok_or_else(|| StorageError::Value("a bundle can't be signed".to_owned()))
    }

    /// The public key for signatures of new bundles.
    pub fn bundle_key(&self) -> Option<BundleKey> {
        self.keys.first().and_then(|keys| keys.bundles.key())
    }

    /// The signature of an access token, with the newest key.
    pub fn sign_access(&self, message: &str) -> String {
        self.keys.first().map(|keys| authenticated(&keys.access, message)).unwrap_or_default()
    }

    /// Whether an access token was signed with one of the keys.
    pub fn is_signed_access(&self, message: &str, signature: &str) -> bool {
        let is = |keys: &Keys| {
            let own = authenticated(&keys.access, message);
            bool::from(own.as_bytes().ct_eq(signature.as_bytes()))
        };
        self.keys.iter().any(is)
    }

    /// Whether a link was signed with one of the keys.
    pub(crate) fn verify(&self, message: &str, signature: &str) -> bool {
        let is =
            |keys: &Keys| bool::from(keys.sign(message).as_bytes().ct_eq(signature.as_bytes()));
        self.keys.iter().any(is)
    }
}

/// A message authenticated by a key, in hex.
fn authenticated(key: &[u8; 32], message: &str) -> String {
    // HMAC accepts a key of any length.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key) else { return String::new() };
    mac.update(message.as_bytes());
    hex::encode(mac.finalize().into_bytes())
}

impl Keys {
    fn derive(secret: &[u8]) -> Self {
        let source = Hkdf::<Sha256>::new(None, secret);
        let key = |purpose: &str| {
            let mut key = [0; 32];
            // SHA-256 always has 32 bytes.
            let _filled = source.expand(purpose.as_bytes(), &mut key);
            key
        };
        let encryption = key("docwright encryption");
        let id = hex::encode(&Sha256::digest([encryption.as_slice(), b"id"].concat())[..4]);
        let fingerprint = authenticated(&key("docwright fingerprint"), "root secret");
        Self {
            id,
            fingerprint,
            links: key("docwright links"),
            access: key("docwright access"),
            bundles: BundleSigner::new(key("docwright bundles")),
            encryption,
        }
    }

    fn sign(&self, message: &str) -> String {
        authenticated(&self.links, message)
    }
}

pub(crate) fn generate() -> Result<String, StorageError> {
    let mut secret = [0; SECRET_BYTES];
    getrandom::fill(&mut secret).map_err(|error| StorageError::Random(error.to_string()))?;
    Ok(hex::encode(secret))
}

/// Writes the file unless another process wrote it first: then that secret is kept.
pub(crate) fn write_new(path: &Path, secret: &str) -> io::Result<()> {
    let partial = write_beside(path, secret)?;
    let linked = std::fs::hard_link(&partial, path);
    std::fs::remove_file(&partial)?;
    match linked {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

fn replace(path: &Path, secrets: &str) -> io::Result<()> {
    std::fs::rename(write_beside(path, secrets)?, path)
}

/// A complete file under another name, which only the owner can read.
fn write_beside(path: &Path, secrets: &str) -> io::Result<std::path::PathBuf> {
    use io::Write;
    let partial = path.with_added_extension(uuid::Uuid::now_v7().simple().to_string());
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&partial)?;
    writeln!(file, "{secrets}")?;
    file.sync_all()?;
    Ok(partial)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secret_is_read_only_in_its_own_context() {
        let keyring = Keyring::parse(&"0a".repeat(32)).unwrap();
        let encrypted = keyring.encrypt("one", "token").unwrap();
        assert!(!encrypted.text.contains("token"));
        assert_ne!(encrypted, keyring.encrypt("one", "token").unwrap(), "nonces differ");
        assert_eq!(keyring.decrypt("one", &encrypted).unwrap(), "token");
        assert!(keyring.decrypt("two", &encrypted).is_err());
        let mut altered = encrypted.clone();
        altered.text.replace_range(..1, if altered.text.starts_with('A') { "B" } else { "A" });
        assert!(keyring.decrypt("one", &altered).is_err());
        let short = Encrypted { text: STANDARD.encode("x"), ..encrypted };
        assert!(keyring.decrypt("one", &short).is_err());
    }

    #[test]
    fn rotated_keyring_reads_secrets_of_older_keys() {
        let folder = tempfile::tempdir().unwrap();
        let before = Keyring::open_folder(folder.path()).unwrap();
        let (encrypted, signature) = (before.encrypt("c", "s").unwrap(), before.sign("m"));
        let after = Keyring::rotate_folder(folder.path()).unwrap();
        assert_ne!(before.key_id(), after.key_id());
        assert_eq!(after.decrypt("c", &encrypted).unwrap(), "s");
        assert!(after.verify("m", &signature) && !after.verify("n", &signature));
        assert_ne!(after.sign("m"), signature);
        let newest = after.encrypt("c", "t").unwrap();
        assert_eq!(before.decrypt("c", &newest).unwrap(), "t", "it looks into the file");
        Keyring::rotate_folder(folder.path()).unwrap();
        let two = Keyring::forget_older(folder.path()).unwrap();
        assert_eq!(two.decrypt("c", &newest).unwrap(), "t");
        let error = two.decrypt("c", &encrypted).unwrap_err().to_string();
        assert!(error.contains(before.key_id()), "{error}");
        assert!(!two.verify("m", &signature));
    }

    #[test]
    fn secret_is_created_once_and_private() {
        let folder = tempfile::tempdir().unwrap();
        let first = Keyring::open_folder(folder.path()).unwrap();
        assert_eq!(first.key_id(), Keyring::open_folder(folder.path()).unwrap().key_id());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::metadata(folder.path().join(FILE)).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        let secret = std::fs::read_to_string(folder.path().join(FILE)).unwrap();
        assert!(!format!("{first:?}").contains(secret.trim()));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "no partial file stays");
    }

    #[test]
    fn keyring_debug_output_shows_only_ids() {
        let keyring = Keyring::parse(&format!("{},{}", "0a".repeat(32), "0b".repeat(32))).unwrap();
        let older = Keyring::parse(&"0b".repeat(32)).unwrap();
        let expected = format!("Keyring({}, {})", keyring.key_id(), older.key_id());
        assert_eq!(format!("{keyring:?}"), expected);
    }

    #[test]
    fn known_key_needs_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let keyring = Keyring::open_folder(folder.path()).unwrap();
        let encrypted = keyring.encrypt("c", "s").unwrap();
        std::fs::remove_file(folder.path().join(FILE)).unwrap();
        assert_eq!(keyring.decrypt("c", &encrypted).unwrap(), "s");
    }

    #[test]
    fn first_of_two_processes_creates_the_secret() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE);
        write_new(&path, "first").unwrap();
        write_new(&path, "second").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "first\n");
    }

    #[test]
    fn bundles_are_signed_with_newest_key() {
        let one = Keyring::parse(&"0a".repeat(32)).unwrap();
        let rotated = Keyring::parse(&format!("{},{}", "0b".repeat(32), "0a".repeat(32))).unwrap();
        let manifest = [7; 32];
        let (key, signature) = (one.bundle_key().unwrap(), one.sign_bundle(&manifest).unwrap());
        assert_eq!(signature, one.sign_bundle(&manifest).unwrap(), "the same bytes each time");
        assert!(key.has_signed(&manifest, &signature) && !key.has_signed(&[8; 32], &signature));
        let newest = rotated.bundle_key().unwrap();
        assert_ne!(newest, key);
        assert!(!newest.has_signed(&manifest, &signature));
        assert!(newest.has_signed(&manifest, &rotated.sign_bundle(&manifest).unwrap()));
    }

    #[test]
    fn weak_secrets_are_refused() {
        for text in ["", " , ", "abc", "zz", &"0a".repeat(31)] {
            assert!(Keyring::parse(text).is_err(), "{text}");
        }
    }
}
