//! Personal access tokens: API keys that belong to an account in one organization, and end with its role there.

use docwright_types::{
    key::{ApiKey, PresentedKey},
    timestamp::{HOUR, MINUTE, Timestamp},
};
use sqlx::{Any, AssertSqlSafe, Row, Transaction};

use super::{
    Database, Organization,
    keys::{self, HELD_COLUMNS, JOINS, NewKey},
};
use crate::StorageError;

/// Tokens of an account in an organization that aren't revoked.
pub const PERSONAL_TOKENS: i64 = 20;

/// Tokens that an account can create in an organization in any hour.
pub const PERSONAL_TOKENS_AN_HOUR: i64 = 10;

impl Database {
    /// Creates a token of an account and returns it with its secret, only here. Fails with
    /// [`StorageError::Exists`] if the account has no role in the organization any more, or has
    /// [`PERSONAL_TOKENS`] there.
    pub async fn create_personal_token(
        &self,
        account_id: &str,
        new: &NewKey,
        now: Timestamp,
    ) -> Result<PresentedKey, StorageError> {
        let presented =
            PresentedKey::generate().map_err(|error| StorageError::Random(error.to_string()))?;
        let organization_id = new.organization_id.as_deref().unwrap_or_default();
        let mut transaction = self.begin().await?;
        // Of simultaneous creators, one continues.
        let turn = sqlx::query("UPDATE organizations SET name = name WHERE id = $1");
        turn.bind(organization_id).execute(&mut *transaction).await?;
        self.require_role(&mut transaction, organization_id, account_id).await?;
        let sql = "SELECT COUNT(CASE WHEN created_at > $3 THEN 1 END) AS made, \
             MIN(CASE WHEN created_at > $3 THEN created_at END) AS first, \
             COUNT(CASE WHEN revoked_at IS NULL THEN 1 END) AS valid \
             FROM api_keys WHERE account_id = $1 AND organization_id = $2";
        let query = sqlx::query(sql).bind(account_id).bind(organization_id).bind(now - HOUR);
        let row = query.fetch_one(&mut *transaction).await?;
        if row.try_get::<i64, _>("valid")? >= PERSONAL_TOKENS {
            return Err(StorageError::Exists(format!(
                "you have {PERSONAL_TOKENS} personal access tokens in this organization, the limit; revoke one first"
            )));
        }
        if row.try_get::<i64, _>("made")? >= PERSONAL_TOKENS_AN_HOUR {
            let first: i64 = row.try_get("first")?;
            let minutes = (first + HOUR - now + MINUTE - 1) / MINUTE;
            return Err(StorageError::TooManyPersonalTokens { minutes });
        }
        let new = NewKey { created_by: Some(account_id.to_owned()), ..new.clone() };
        keys::insert(&mut transaction, &presented, &new, Some(account_id), now).await?;
        self.record_change(&mut transaction, presented.id()).await?;
        transaction.commit().await?;
        Ok(presented)
    }

    /// The tokens of an account that aren't revoked, each with its organization, newest first.
    pub async fn personal_tokens(
        &self,
        account_id: &str,
    ) -> Result<Vec<(ApiKey, Option<Organization>)>, StorageError> {
        let sql = format!(
            "SELECT {HELD_COLUMNS} FROM api_keys {JOINS} WHERE api_keys.account_id = $1 AND revoked_at IS NULL \
             ORDER BY api_keys.created_at DESC, api_keys.id"
        );
        let rows = sqlx::query(AssertSqlSafe(sql)).bind(account_id).fetch_all(&self.pool).await?;
        rows.iter().map(keys::read_held).collect()
    }

    /// Fails unless an account is a member of an organization, or an operator. The end of the membership waits for
    /// the transaction, and then finds its token.
    async fn require_role(
        &self,
        transaction: &mut Transaction<'_, Any>,
        organization_id: &str,
        account_id: &str,
    ) -> Result<(), StorageError> {
        let lock = if self.postgres { " FOR KEY SHARE" } else { "" };
        let sql = format!(
            "SELECT role FROM members WHERE organization_id = $1 AND account_id = $2{lock}"
        );
        let query = sqlx::query(AssertSqlSafe(sql)).bind(organization_id).bind(account_id);
        if query.fetch_optional(&mut **transaction).await?.is_some() {
            return Ok(());
        }
        let lock = if self.postgres { " FOR SHARE" } else { "" };
        let sql = format!("SELECT id FROM accounts WHERE id = $1 AND is_operator = 1{lock}");
        let query = sqlx::query(AssertSqlSafe(sql)).bind(account_id);
        let found = query.fetch_optional(&mut **transaction).await?;
        found.map(drop).ok_or_else(|| {
            StorageError::Exists("you aren't a member of this organization any more".to_owned())
        })
    }
}

/// Deletes the tokens of an account in an organization that it leaves.
pub(super) async fn delete_in(
    transaction: &mut Transaction<'_, Any>,
    organization_id: &str,
    account_id: &str,
) -> Result<(), StorageError> {
    let sql = "DELETE FROM api_keys WHERE account_id = $1 AND organization_id = $2";
    let query = sqlx::query(sql).bind(account_id).bind(organization_id);
    query.execute(&mut **transaction).await?;
    Ok(())
}

/// Deletes the tokens of an account, which isn't an operator any more, where it isn't a member.
pub(super) async fn delete_elsewhere(
    transaction: &mut Transaction<'_, Any>,
    account_id: &str,
) -> Result<(), StorageError> {
    let sql = "DELETE FROM api_keys WHERE account_id = $1 AND organization_id NOT IN \
         (SELECT organization_id FROM members WHERE account_id = $1)";
    sqlx::query(sql).bind(account_id).execute(&mut **transaction).await?;
    Ok(())
}
