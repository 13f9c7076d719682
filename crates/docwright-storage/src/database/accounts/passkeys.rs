//! Passkeys of accounts: each is a second factor, and signs in on its own. That an answer of one is right is not
//! decided here.

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

/// Passkeys that an account has at most.
pub const PASSKEYS: i64 = 10;

/// A passkey of an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passkey {
    /// Its id, by which its owner names it.
    pub id: String,
    /// Whose it is.
    pub account_id: String,
    /// What its owner calls it.
    pub name: String,
    /// The id that the authenticator gave it, in base64url.
    pub credential_id: String,
    /// The public key, in COSE and base64url.
    pub public_key: String,
    /// How often it has signed, where the authenticator counts that.
    pub sign_count: u32,
    /// Whether the authenticator can keep a copy of it elsewhere.
    pub is_backup_eligible: bool,
    /// When it was added.
    pub created_at: Timestamp,
    /// When it last signed in.
    pub used_at: Option<Timestamp>,
}

/// A passkey to be added.
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
    /// What was to be signed.
    pub text: &'a str,
    /// Until when it is good.
    pub expires_at: Timestamp,
}

/// What became of a passkey that was to be added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddedPasskey {
    /// It is the first second factor of its account, which has the recovery codes from now on.
    First,
    /// It is one more.
    Another,
    /// Someone has it already.
    Known,
    /// The account has [`PASSKEYS`].
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

    /// A passkey by the id that its authenticator gave it, and the account that has it.
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

    /// Adds a passkey. If it is the first second factor of its account, the account gets these recovery codes,
    /// and every other session ends, since a password alone began it.
    pub async fn add_passkey(
        &self,
        new: NewPasskey<'_>,
        codes: &[RecoveryCode],
        challenge: PasskeyChallenge<'_>,
        (session_id, now): (&str, Timestamp),
    ) -> Result<AddedPasskey, StorageError> {
        let mut transaction = self.begin().await?;
        // Passkeys of one account take turns here.
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

    /// Records that a passkey answered a challenge. Returns whether that is good: the challenge is used up by
    /// it, the count of its signatures only grows, and a passkey that was removed meanwhile is none.
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

    /// Removes a passkey of an account. With its last second factor its recovery codes go too. Returns whether
    /// it was there.
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

/// Uses a challenge up. Returns whether nobody had answered it.
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
            .map_err(|_| StorageError::Value("a count of signatures is none".to_owned()))?,
        is_backup_eligible: row.try_get::<i64, _>("backup_eligible")? == 1,
        created_at: row.try_get("created_at")?,
        used_at: row.try_get("used_at")?,
    })
}
