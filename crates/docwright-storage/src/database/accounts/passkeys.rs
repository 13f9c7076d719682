//! Passkeys of accounts: each is a second factor, and can sign in alone. Callers verify the answers of passkeys.

use docwright_types::{timestamp::Timestamp, totp::RecoveryCode};
use sqlx::{Any, AssertSqlSafe, Row, Transaction, any::AnyRow};

use super::{
    Account,
    factors::{has_second_factor, remove_codes_of_nothing, replace_codes},
};
use crate::{
    StorageError,
    database::{Database, new_id},
};

/// Passkeys that an account can have.
pub const PASSKEYS: i64 = 10;

/// A passkey of an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passkey {
    /// Its id, by which its owner addresses it.
    pub id: String,
    /// The account.
    pub account_id: String,
    /// The owner's name for it.
    pub name: String,
    /// The id given by the authenticator, in base64url.
    pub credential_id: String,
    /// The public key, in COSE and base64url.
    pub public_key: String,
    /// Number of signatures, if the authenticator counts them.
    pub sign_count: u32,
    /// Whether the authenticator can back it up.
    pub is_backup_eligible: bool,
    /// When it was added.
    pub created_at: Timestamp,
    /// When it last signed in.
    pub used_at: Option<Timestamp>,
}

/// A new passkey.
#[derive(Debug, Clone, Copy)]
#[expect(missing_docs, reason = "as in Passkey")]
pub struct NewPasskey<'a> {
    pub account_id: &'a str,
    pub name: &'a str,
    pub credential_id: &'a str,
    pub public_key: &'a str,
    pub sign_count: u32,
    pub is_backup_eligible: bool,
}

/// A challenge that a passkey answered.
#[derive(Debug, Clone, Copy)]
pub struct PasskeyChallenge<'a> {
    /// The bytes to sign.
    pub text: &'a str,
    /// When it expires.
    pub expires_at: Timestamp,
}

/// Result of adding a passkey.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddedPasskey {
    /// It is the first second factor of its account, which now has the recovery codes.
    First,
    /// The account already had another passkey.
    Another,
    /// Someone has it already.
    Known,
    /// The account already has [`PASSKEYS`].
    TooMany,
    /// The challenge was answered before.
    Replayed,
}

const COLUMNS: &str = "id, account_id, name, credential_id, public_key, sign_count, backup_eligible, created_at, used_at";

impl Database {
    /// The passkeys of an account, the oldest first.
    pub async fn passkeys(&self, account_id: &str) -> Result<Vec<Passkey>, StorageError> {
        let sql = format!("SELECT {COLUMNS} FROM passkeys WHERE account_id = $1 ORDER BY id");
        let query = sqlx::query(AssertSqlSafe(sql)).bind(account_id);
        query.fetch_all(&self.pool).await?.iter().map(read).collect()
    }

    /// A passkey by the id given by its authenticator, and its account.
    pub async fn passkey_of_credential(
        &self,
        credential_id: &str,
    ) -> Result<Option<(Passkey, Account)>, StorageError> {
        let sql = format!("SELECT {COLUMNS} FROM passkeys WHERE credential_id = $1");
        let query = sqlx::query(AssertSqlSafe(sql)).bind(credential_id);
        let Some(row) = query.fetch_optional(&self.pool).await? else { return Ok(None) };
        let passkey = read(&row)?;
        let account = self.account(&passkey.account_id).await?;
        Ok(account.map(|account| (passkey, account)))
    }

    /// Adds a passkey. If it is the first second factor of its account, the account gets these recovery codes, and
    /// every other session ends, since it was started with a password alone.
    pub async fn add_passkey(
        &self,
        new: NewPasskey<'_>,
        codes: &[RecoveryCode],
        challenge: PasskeyChallenge<'_>,
        (session_id, now): (&str, Timestamp),
    ) -> Result<AddedPasskey, StorageError> {
        let mut transaction = self.begin().await?;
        // Parallel additions to one account wait for each other here.
        let turn = sqlx::query("UPDATE accounts SET name = name WHERE id = $1");
        turn.bind(new.account_id).execute(&mut *transaction).await?;
        if !use_challenge(&mut transaction, challenge).await? {
            return Ok(AddedPasskey::Replayed);
        }
        let count = sqlx::query("SELECT COUNT(*) AS passkeys FROM passkeys WHERE account_id = $1");
        let count = count.bind(new.account_id).fetch_one(&mut *transaction).await?;
        if count.try_get::<i64, _>("passkeys")? >= PASSKEYS {
            return Ok(AddedPasskey::TooMany);
        }
        let is_first = !has_second_factor(&mut *transaction, new.account_id).await?;
        let sql = format!(
            "INSERT INTO passkeys ({COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, NULL) \
             ON CONFLICT (credential_id) DO NOTHING"
        );
        let inserted = sqlx::query(AssertSqlSafe(sql))
            .bind(new_id("psk"))
            .bind(new.account_id)
            .bind(new.name)
            .bind(new.credential_id)
            .bind(new.public_key)
            .bind(i64::from(new.sign_count))
            .bind(i64::from(new.is_backup_eligible))
            .bind(now)
            .execute(&mut *transaction)
            .await?;
        if inserted.rows_affected() == 0 {
            return Ok(AddedPasskey::Known);
        }
        if is_first {
            replace_codes(&mut transaction, new.account_id, codes).await?;
            let others = sqlx::query("DELETE FROM sessions WHERE account_id = $1 AND id <> $2");
            others.bind(new.account_id).bind(session_id).execute(&mut *transaction).await?;
        }
        self.record_change(&mut transaction, new.account_id).await?;
        transaction.commit().await?;
        Ok(if is_first { AddedPasskey::First } else { AddedPasskey::Another })
    }

    /// Records that a passkey answered a challenge. Returns whether that is valid: the challenge is used up, the
    /// signature counter must grow, and the passkey must still exist.
    pub async fn use_passkey(
        &self,
        passkey: &Passkey,
        sign_count: u32,
        challenge: PasskeyChallenge<'_>,
        now: Timestamp,
    ) -> Result<bool, StorageError> {
        let mut transaction = self.begin().await?;
        if !use_challenge(&mut transaction, challenge).await? {
            return Ok(false);
        }
        let sql = "UPDATE passkeys SET sign_count = $1, used_at = $2 \
             WHERE id = $3 AND (sign_count < $1 OR (sign_count = 0 AND $1 = 0))";
        let query = sqlx::query(sql).bind(i64::from(sign_count)).bind(now).bind(&passkey.id);
        if query.execute(&mut *transaction).await?.rows_affected() == 0 {
            return Ok(false);
        }
        self.record_change(&mut transaction, &passkey.account_id).await?;
        transaction.commit().await?;
        Ok(true)
    }

    /// Removes a passkey of an account. If no second factor is left, its recovery codes are removed too. Returns
    /// whether it existed.
    pub async fn remove_passkey(&self, account_id: &str, id: &str) -> Result<bool, StorageError> {
        let mut transaction = self.begin().await?;
        let query = sqlx::query("DELETE FROM passkeys WHERE account_id = $1 AND id = $2");
        let query = query.bind(account_id).bind(id);
        let was_there = query.execute(&mut *transaction).await?.rows_affected() == 1;
        if was_there {
            remove_codes_of_nothing(&mut transaction, account_id).await?;
            self.record_change(&mut transaction, account_id).await?;
        }
        transaction.commit().await?;
        Ok(was_there)
    }
}

/// Uses up a challenge. Returns whether it had not been answered.
async fn use_challenge(
    transaction: &mut Transaction<'_, Any>,
    challenge: PasskeyChallenge<'_>,
) -> Result<bool, StorageError> {
    let sql = "INSERT INTO passkey_challenges (challenge, expires_at) VALUES ($1, $2) \
         ON CONFLICT (challenge) DO NOTHING";
    let query = sqlx::query(sql).bind(challenge.text).bind(challenge.expires_at);
    Ok(query.execute(&mut **transaction).await?.rows_affected() == 1)
}

fn read(row: &AnyRow) -> Result<Passkey, StorageError> {
    let sign_count = u32::try_from(row.try_get::<i64, _>("sign_count")?);
    Ok(Passkey {
        id: row.try_get("id")?,
        account_id: row.try_get("account_id")?,
        name: row.try_get("name")?,
        credential_id: row.try_get("credential_id")?,
        public_key: row.try_get("public_key")?,
        sign_count: sign_count
            .map_err(|_| StorageError::Value("a signature counter is out of range".to_owned()))?,
        is_backup_eligible: row.try_get::<i64, _>("backup_eligible")? == 1,
        created_at: row.try_get("created_at")?,
        used_at: row.try_get("used_at")?,
    })
}
