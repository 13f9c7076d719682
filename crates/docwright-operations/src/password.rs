//! Passwords of people: hashed slowly, so that a stolen database reveals none, and a few at a time, so that
//! guesses don't use up the processor.

use std::{sync::LazyLock, time::Duration};

use argon2::{
    Argon2,
    password_hash::{PasswordHasher, PasswordVerifier, phc::PasswordHash},
};

use crate::{OperationError, fair_limiter::FairLimiter};

/// Simultaneous hashes: in all, and for one party.
static HASHES: LazyLock<FairLimiter<String>> = LazyLock::new(|| FairLimiter::new(2, 1));
/// A hash that matches no password.
const NOBODY: &str = "$argon2id$v=19$m=19456,t=2,p=1$MTIzNDU2Nzg5MDEyMzQ1Ng$PzZ2cZCgBQ1yqMK0HqLRU0KJx8rGgQ3cQEZ4M2s1h6c";
/// How long a request waits for its turn.
const PATIENCE: Duration = Duration::from_secs(10);

/// The hash of a password, in a text with its parameters (argon2id, with a salt).
pub async fn hash(party: &str, password: String) -> Result<String, OperationError> {
    slowly(party, move || {
        let hash = Argon2::default().hash_password(password.as_bytes());
        hash.map(|hash| hash.to_string())
            .map_err(|error| OperationError::Internal(error.to_string()))
    })
    .await?
}

/// Whether a password matches a hash.
pub async fn is_right(party: &str, hash: String, password: String) -> Result<bool, OperationError> {
    slowly(party, move || {
        let hash = PasswordHash::new(&hash);
        let hash = hash.map_err(|error| OperationError::Internal(error.to_string()))?;
        Ok(Argon2::default().verify_password(password.as_bytes(), &hash).is_ok())
    })
    .await?
}

/// Checks a password of a missing account, which takes as long as a wrong one: so the time does not reveal who has
/// an account.
pub async fn is_nobodys(party: &str, password: String) -> Result<bool, OperationError> {
    is_right(party, NOBODY.to_owned(), password).await.map(|_| false)
}

async fn slowly<T: Send + 'static>(
    party: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, OperationError> {
    let turn = HASHES.take(&party.to_owned(), PATIENCE).await;
    let busy =
        || OperationError::Busy("Too many passwords are being checked. Try again soon.".to_owned());
    let turn = turn.ok_or_else(busy)?;
    let done = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        work()
    });
    done.await.map_err(|error| OperationError::Internal(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn placeholder_hash_has_parameters_of_real_hashes() {
        let real = hash("a", "correct horse".to_owned()).await.unwrap();
        let parts = |text: &str| {
            let hash = PasswordHash::new(text).unwrap();
            let (salt, hashed) = (hash.salt.unwrap().len(), hash.hash.unwrap().len());
            (hash.algorithm, hash.version, hash.params.to_string(), salt, hashed)
        };
        assert_eq!(parts(NOBODY), parts(&real));
        assert!(!is_nobodys("a", "correct horse".to_owned()).await.unwrap());
    }

    #[tokio::test]
    async fn password_is_verified_by_its_hash() {
        let first = hash("a", "correct horse".to_owned()).await.unwrap();
        let second = hash("a", "correct horse".to_owned()).await.unwrap();
        assert!(first.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{first}");
        assert_ne!(first, second, "each has its own salt");
        assert!(is_right("a", first.clone(), "correct horse".to_owned()).await.unwrap());
        assert!(!is_right("a", first, "correct house".to_owned()).await.unwrap());
        assert!(is_right("a", "nonsense".to_owned(), "x".to_owned()).await.is_err());
    }
}
