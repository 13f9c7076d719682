//! Browsers that are signed in.

use docwright_types::{
    timestamp::{MINUTE, Timestamp},
    token::Token,
};
use sqlx::{AssertSqlSafe, Row, any::AnyRow};

use super::{Account, COLUMNS, read};
use crate::{
    StorageError,
    database::{Database, new_id},
};

/// A new session.
#[derive(Debug, Clone)]
pub struct NewSession<'a> {
    /// The account.
    pub account_id: &'a str,
    /// Whether the session is complete; otherwise it waits for the second factor.
    pub complete: bool,
    /// The address of the browser.
    pub address: Option<String>,
    /// The user agent of the browser.
    pub user_agent: &'a str,
    /// How long it lasts once it is complete, in milliseconds.
    pub lifetime: i64,
}

/// How long a session waits for the second factor.
const WAIT: i64 = 10 * MINUTE;
/// Codes that are checked in a session that waits for the second factor.
pub const ATTEMPTS: i64 = 5;

/// A browser that is signed in.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "as in NewSession")]
pub struct Session {
    /// Its id, which isn't secret.
    pub id: String,
    pub complete: bool,
    pub address: Option<String>,
    pub user_agent: String,
    pub created_at: Timestamp,
    /// When it was last used, to the minute.
    pub seen_at: Timestamp,
    /// When it ends.
    pub expires_at: Timestamp,
}

const SESSION: &str = "sessions.id AS session_id, complete, address, user_agent, \
     sessions.created_at AS began_at, seen_at, expires_at";

impl Database {
    /// Creates a session and returns its token, only here.
    pub async fn create_session(
        &self,
        new: &NewSession<'_>,
        now: Timestamp,
    ) -> Result<Token, StorageError> {
        let token = Token::generate().map_err(|error| StorageError::Random(error.to_string()))?;
        let sql = "INSERT INTO sessions (id, token_hash, account_id, complete, address, user_agent, created_at, \
             seen_at, expires_at, lifetime) VALUES ($1, $2, $3, $4, $5, $6, $7, $7, $8, $9)";
        let ends = now + if new.complete { new.lifetime } else { WAIT };
        let query = sqlx::query(sql).bind(new_id("ses")).bind(token.hash()).bind(new.account_id);
        let query = query.bind(i64::from(new.complete)).bind(&new.address).bind(new.user_agent);
        query.bind(now).bind(ends).bind(new.lifetime).execute(&self.pool).await?;
        Ok(token)
    }

    /// Counts an attempt with a code in a session that waits for the second factor. Returns how many more are
    /// allowed; `None` if the limit is exceeded, or the session no longer waits.
    pub async fn count_attempt(
        &self,
        session: &Session,
        now: Timestamp,
    ) -> Result<Option<i64>, StorageError> {
        let sql = "UPDATE sessions SET attempts = attempts + 1 \
             WHERE id = $1 AND complete = 0 AND attempts < $2 AND expires_at > $3 RETURNING attempts";
        let query = sqlx::query(sql).bind(&session.id).bind(ATTEMPTS).bind(now);
        let row = query.fetch_optional(&self.pool).await?;
        row.map(|row| Ok(ATTEMPTS - row.try_get::<i64, _>("attempts")?)).transpose()
    }

    /// Completes a session that waited for the second factor. Returns its new token, only here; the previous token
    /// becomes invalid. `None` if the session no longer waits.
    pub async fn complete_session(
        &self,
        session: &Session,
        now: Timestamp,
    ) -> Result<Option<Token>, StorageError> {
        let token = Token::generate().map_err(|error| StorageError::Random(error.to_string()))?;
        let sql = "UPDATE sessions SET complete = 1, token_hash = $1, seen_at = $2, expires_at = $2 + lifetime \
             WHERE id = $3 AND complete = 0 AND expires_at > $2";
        let query = sqlx::query(sql).bind(token.hash()).bind(now).bind(&session.id);
        let completed = query.execute(&self.pool).await?.rows_affected() == 1;
        Ok(completed.then_some(token))
    }

    /// The session of a token, and its account; `None` if it has ended.
    pub async fn session(
        &self,
        token: &Token,
        now: Timestamp,
    ) -> Result<Option<(Session, Account)>, StorageError> {
        let sql = format!(
            "SELECT {SESSION}, {COLUMNS} FROM sessions JOIN accounts ON accounts.id = account_id \
             WHERE token_hash = $1 AND expires_at > $2"
        );
        let query = sqlx::query(AssertSqlSafe(sql)).bind(token.hash()).bind(now);
        let Some(row) = query.fetch_optional(&self.pool).await? else { return Ok(None) };
        Ok(Some((session(&row)?, read(&row)?)))
    }

    /// Records that a session is used, at most once a minute.
    pub async fn touch_session(
        &self,
        session: &Session,
        now: Timestamp,
    ) -> Result<(), StorageError> {
        if now - session.seen_at < MINUTE {
            return Ok(());
        }
        let query = sqlx::query("UPDATE sessions SET seen_at = $1 WHERE id = $2 AND seen_at < $1");
        query.bind(now).bind(&session.id).execute(&self.pool).await?;
        Ok(())
    }

    /// The sessions of an account that have not ended, the newest first.
    pub async fn sessions(
        &self,
        account_id: &str,
        now: Timestamp,
    ) -> Result<Vec<Session>, StorageError> {
        let sql = format!(
            "SELECT {SESSION} FROM sessions WHERE account_id = $1 AND expires_at > $2 AND complete = 1 \
             ORDER BY sessions.id DESC LIMIT 100"
        );
        let query = sqlx::query(AssertSqlSafe(sql)).bind(account_id).bind(now);
        query.fetch_all(&self.pool).await?.iter().map(session).collect()
    }

    /// Ends a session of an account. Returns whether there was one.
    pub async fn end_session(&self, account_id: &str, id: &str) -> Result<bool, StorageError> {
        let query = sqlx::query("DELETE FROM sessions WHERE account_id = $1 AND id = $2");
        let query = query.bind(account_id).bind(id);
        Ok(query.execute(&self.pool).await?.rows_affected() == 1)
    }

    /// Ends every session of an account but one. Returns how many there were.
    pub async fn end_other_sessions(
        &self,
        account_id: &str,
        id: &str,
    ) -> Result<u64, StorageError> {
        let query = sqlx::query("DELETE FROM sessions WHERE account_id = $1 AND id <> $2");
        let query = query.bind(account_id).bind(id);
        Ok(query.execute(&self.pool).await?.rows_affected())
    }

    /// Removes sessions, links, codes, challenges, and invitations that expired before `before`.
    pub async fn remove_ended_sign_ins(&self, before: Timestamp) -> Result<u64, StorageError> {
        let mut removed = 0;
        for sql in [
            "DELETE FROM sessions WHERE expires_at < $1",
            "DELETE FROM sign_in_links WHERE expires_at < $1",
            "DELETE FROM preview_codes WHERE expires_at < $1",
            "DELETE FROM passkey_challenges WHERE expires_at < $1",
            "DELETE FROM invitations WHERE expires_at < $1",
        ] {
            removed += sqlx::query(sql).bind(before).execute(&self.pool).await?.rows_affected();
        }
        Ok(removed)
    }
}

fn session(row: &AnyRow) -> Result<Session, StorageError> {
    Ok(Session {
        id: row.try_get("session_id")?,
        complete: row.try_get::<i64, _>("complete")? == 1,
        address: row.try_get("address")?,
        user_agent: row.try_get("user_agent")?,
        created_at: row.try_get("began_at")?,
        seen_at: row.try_get("seen_at")?,
        expires_at: row.try_get("expires_at")?,
    })
}
