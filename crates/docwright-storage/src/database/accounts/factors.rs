//! Second factors: an app that generates one-time codes, and recovery codes for a lost app or last passkey.
//! Passkeys are second factors too; they have their own module.

use docwright_types::{
    timestamp::{HOUR, Timestamp},
    totp::{RecoveryCode, TotpSecret},
};
use sqlx::{Any, Row, Transaction};

use crate::{
    StorageError,
    database::Database,
    keyring::{Encrypted, Keyring},
};

/// Wrong codes accepted for checking within an hour for one account, in all sessions. Only people who know the
/// password can try codes. Recovery codes have no such limit: they can't be guessed.
pub const CODES_AN_HOUR: i64 = 20;

/// Result of checking a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodeUse {
    /// It was right, and is used up.
    Right,
    /// It is wrong, or was used before.
    Wrong,
    /// Too many wrong codes were tried; this one was not checked.
    TooMany,
}

impl Database {
    /// Whether password sign-in to an account needs a second factor: an app or a passkey.
    pub async fn has_second_factor(&self, account_id: &str) -> Result<bool, StorageError> {
        has_second_factor(&self.pool, account_id).await
    }

    /// Whether an account has an app that generates codes.
    pub async fn has_totp(&self, account_id: &str) -> Result<bool, StorageError> {
        let query = sqlx::query("SELECT account_id FROM totp_factors WHERE account_id = $1");
        Ok(query.bind(account_id).fetch_optional(&self.pool).await?.is_some())
    }

    /// Turns on the app of an account, and stores these recovery codes. `step` is the step of the code that proved
    /// that the app has the secret; that code is used up. All other sessions end, since none of them showed a
    /// code. Returns whether the app was off.
    pub async fn turn_on_totp(
        &self,
        account_id: &str,
        (secret, step, codes): (&TotpSecret, i64, &[RecoveryCode]),
        keyring: &Keyring,
        (session_id, now): (&str, Timestamp),
    ) -> Result<bool, StorageError> {
        let encrypted = keyring.encrypt(&context(account_id), &secret.reveal())?;
        let mut transaction = self.begin().await?;
        let inserted = sqlx::query(
            "INSERT INTO totp_factors (account_id, secret, key_id, last_step, attempts, attempts_since, created_at) \
             VALUES ($1, $2, $3, $4, 0, 0, $5) ON CONFLICT (account_id) DO NOTHING",
        )
        .bind(account_id)
        .bind(&encrypted.text)
        .bind(&encrypted.key_id)
        .bind(step)
        .bind(now)
        .execute(&mut *transaction)
        .await?;
        if inserted.rows_affected() == 0 {
            return Ok(false);
        }
        replace_codes(&mut transaction, account_id, codes).await?;
        let others = sqlx::query("DELETE FROM sessions WHERE account_id = $1 AND id <> $2");
        others.bind(account_id).bind(session_id).execute(&mut *transaction).await?;
        self.record_change(&mut transaction, account_id).await?;
        transaction.commit().await?;
        Ok(true)
    }

    /// Turns off the app of an account. If there is no passkey, its recovery codes are removed too. Returns
    /// whether the app was on.
    pub async fn turn_off_totp(&self, account_id: &str) -> Result<bool, StorageError> {
        let mut transaction = self.begin().await?;
        let query = sqlx::query("DELETE FROM totp_factors WHERE account_id = $1").bind(account_id);
        let was_on = query.execute(&mut *transaction).await?.rows_affected() == 1;
        if was_on {
            remove_codes_of_nothing(&mut transaction, account_id).await?;
            self.record_change(&mut transaction, account_id).await?;
        }
        transaction.commit().await?;
        Ok(was_on)
    }

    /// Removes every second factor of an account: its app, passkeys, and recovery codes. All of its sessions end.
    /// Returns whether it had one.
    pub async fn remove_second_factors(&self, account_id: &str) -> Result<bool, StorageError> {
        let mut transaction = self.begin().await?;
        let mut had_one = false;
        for sql in [
            "DELETE FROM totp_factors WHERE account_id = $1",
            "DELETE FROM passkeys WHERE account_id = $1",
        ] {
            let query = sqlx::query(sql).bind(account_id);
            had_one |= query.execute(&mut *transaction).await?.rows_affected() > 0;
        }
        if had_one {
            replace_codes(&mut transaction, account_id, &[]).await?;
            let query = sqlx::query("DELETE FROM sessions WHERE account_id = $1").bind(account_id);
            query.execute(&mut *transaction).await?;
            self.record_change(&mut transaction, account_id).await?;
        }
        transaction.commit().await?;
        Ok(had_one)
    }

    /// Replaces the recovery codes of an account.
    pub async fn replace_recovery_codes(
        &self,
        account_id: &str,
        codes: &[RecoveryCode],
    ) -> Result<(), StorageError> {
        let mut transaction = self.begin().await?;
        replace_codes(&mut transaction, account_id, codes).await?;
        self.record_change(&mut transaction, account_id).await?;
        Ok(transaction.commit().await?)
    }

    /// How many recovery codes an account has left.
    pub async fn recovery_codes(&self, account_id: &str) -> Result<i64, StorageError> {
        let query =
            sqlx::query("SELECT COUNT(*) AS codes FROM recovery_codes WHERE account_id = $1");
        Ok(query.bind(account_id).fetch_one(&self.pool).await?.try_get("codes")?)
    }

    /// Uses up a code that someone typed: a code of the app, or a recovery code.
    pub async fn use_code(
        &self,
        account_id: &str,
        typed: &str,
        keyring: &Keyring,
        now: Timestamp,
    ) -> Result<CodeUse, StorageError> {
        match RecoveryCode::parse(typed) {
            Some(code) => self.use_recovery_code(account_id, &code).await,
            None => self.use_totp(account_id, typed, keyring, now).await,
        }
    }

    async fn use_recovery_code(
        &self,
        account_id: &str,
        code: &RecoveryCode,
    ) -> Result<CodeUse, StorageError> {
        let query =
            sqlx::query("DELETE FROM recovery_codes WHERE account_id = $1 AND code_hash = $2");
        let query = query.bind(account_id).bind(code.hash());
        let used = query.execute(&self.pool).await?.rows_affected() == 1;
        Ok(if used { CodeUse::Right } else { CodeUse::Wrong })
    }

    async fn use_totp(
        &self,
        account_id: &str,
        typed: &str,
        keyring: &Keyring,
        now: Timestamp,
    ) -> Result<CodeUse, StorageError> {
        let mut transaction = self.begin().await?;
        // The attempt counts before the code is checked. Simultaneous attempts wait here.
        let counted = sqlx::query(
            "UPDATE totp_factors SET attempts = CASE WHEN attempts_since < $2 THEN 1 ELSE attempts + 1 END, \
             attempts_since = CASE WHEN attempts_since < $2 THEN $3 ELSE attempts_since END \
             WHERE account_id = $1 AND (attempts < $4 OR attempts_since < $2) RETURNING secret, key_id, last_step",
        );
        let counted = counted.bind(account_id).bind(now - HOUR).bind(now).bind(CODES_AN_HOUR);
        let Some(row) = counted.fetch_optional(&mut *transaction).await? else {
            drop(transaction);
            let has_app = self.has_totp(account_id).await?;
            return Ok(if has_app { CodeUse::TooMany } else { CodeUse::Wrong });
        };
        let kept = Encrypted { key_id: row.try_get("key_id")?, text: row.try_get("secret")? };
        let secret = TotpSecret::parse(&keyring.decrypt(&context(account_id), &kept)?);
        let secret =
            secret.ok_or_else(|| StorageError::Value("a stored secret is invalid".to_owned()))?;
        let last: i64 = row.try_get("last_step")?;
        let code: String = typed.chars().filter(|letter| !letter.is_whitespace()).collect();
        let step = secret.step_of(&code, now).filter(|step| *step > last);
        if let Some(step) = step {
            let sql = "UPDATE totp_factors SET last_step = $1, attempts = 0 WHERE account_id = $2";
            let query = sqlx::query(sql).bind(step).bind(account_id);
            query.execute(&mut *transaction).await?;
        }
        transaction.commit().await?;
        Ok(if step.is_some() { CodeUse::Right } else { CodeUse::Wrong })
    }

    /// Encrypts secrets of apps that don't use the newest key. Returns how many there were.
    pub(in crate::database) async fn reencrypt_factors(
        &self,
        keyring: &Keyring,
    ) -> Result<u64, StorageError> {
        let select = "SELECT account_id AS id, secret, key_id FROM totp_factors WHERE key_id <> $1";
        let update = "UPDATE totp_factors SET secret = $1, key_id = $2 WHERE account_id = $3 AND secret = $4";
        let of_account = |row: &sqlx::any::AnyRow| Ok(context(row.try_get("id")?));
        self.reencrypt_rows(keyring, (select, update), of_account).await
    }
}

/// Whether an account has an app or a passkey.
pub(super) async fn has_second_factor(
    executor: impl sqlx::Executor<'_, Database = Any>,
    account_id: &str,
) -> Result<bool, StorageError> {
    let query = sqlx::query(
        "SELECT account_id FROM totp_factors WHERE account_id = $1 \
         UNION ALL SELECT account_id FROM passkeys WHERE account_id = $1 LIMIT 1",
    );
    Ok(query.bind(account_id).fetch_optional(executor).await?.is_some())
}

/// Removes the recovery codes of an account without any other second factor.
pub(super) async fn remove_codes_of_nothing(
    transaction: &mut Transaction<'_, Any>,
    account_id: &str,
) -> Result<(), StorageError> {
    if has_second_factor(&mut **transaction, account_id).await? {
        return Ok(());
    }
    replace_codes(transaction, account_id, &[]).await
}

/// Replaces the recovery codes of an account.
pub(super) async fn replace_codes(
    transaction: &mut Transaction<'_, Any>,
    account_id: &str,
    codes: &[RecoveryCode],
) -> Result<(), StorageError> {
    let query = sqlx::query("DELETE FROM recovery_codes WHERE account_id = $1");
    query.bind(account_id).execute(&mut **transaction).await?;
    for code in codes {
        let sql = "INSERT INTO recovery_codes (account_id, code_hash) VALUES ($1, $2)";
        let query = sqlx::query(sql).bind(account_id).bind(code.hash());
        query.execute(&mut **transaction).await?;
    }
    Ok(())
}

/// Context that the secret of an account is bound to.
fn context(account_id: &str) -> String {
    format!("totp\n{account_id}")
}
