//! Deletes accounts, and decides who is an operator. The rows of an account are deleted in one transaction, so no
//! organization loses its last admin and the instance keeps an operator, even if others are deleted at the same
//! time. [`super::anonymization`] then removes the person from the audit log.

use serde_json::json;
use sqlx::{Any, AssertSqlSafe, Row, Transaction, any::AnyRow};

use super::{anonymization::deleted_actor, sign_out_everywhere};
use crate::{
    StorageError,
    database::{Change, Database, personal_tokens},
};

/// Organizations that a refusal names.
const NAMED: usize = 3;

/// Numbers of what was deleted with an account.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DeletedAccount {
    /// Memberships of organizations.
    pub memberships: u64,
    /// API keys that the account created, and its personal access tokens.
    pub keys: u64,
    /// Invitations to its address.
    pub invitations: u64,
    /// Subscriptions that send email to its address.
    pub subscriptions: u64,
}

impl Database {
    /// Deletes an account with its sessions, links, memberships, keys, and ways to sign in. `None` if there is no
    /// such account. Fails with [`StorageError::Exists`] if it is the only admin of an organization, or the only
    /// operator.
    pub async fn delete_account(&self, id: &str) -> Result<Option<DeletedAccount>, StorageError> {
        self.attempt(|| Box::pin(self.try_delete_account(id))).await
    }

    async fn try_delete_account(&self, id: &str) -> Result<Option<DeletedAccount>, StorageError> {
        let mut transaction = self.begin().await?;
        self.lock_organizations(&mut transaction, id).await?;
        self.lock_operators(&mut transaction).await?;
        // Changes that the account is about to make finish before this, or are refused after it.
        let lock = if self.postgres { " FOR UPDATE" } else { "" };
        let sql = format!("SELECT email, is_operator FROM accounts WHERE id = $1{lock}");
        let row = sqlx::query(AssertSqlSafe(sql)).bind(id).fetch_optional(&mut *transaction);
        let Some(row) = row.await? else { return Ok(None) };
        // Memberships that these changes added.
        self.lock_organizations(&mut transaction, id).await?;
        let email: String = row.try_get("email")?;
        if row.try_get::<i64, _>("is_operator")? == 1 {
            require_another_operator(&mut transaction, id).await?;
        }
        require_other_admins(&mut transaction, id).await?;
        // A change of a deleted account is refused. This can be the last change of the account or of its keys.
        let memberships = self.end_memberships(&mut transaction, id).await?;
        self.record_change(&mut transaction, id).await?;
        sign_out_everywhere(&mut transaction, id).await?;
        let deleted =
            DeletedAccount { memberships, ..delete_rows(&mut transaction, id, &email).await? };
        let sql = "INSERT INTO account_deletions (account_id, email) VALUES ($1, $2)";
        sqlx::query(sql).bind(id).bind(&email).execute(&mut *transaction).await?;
        let account = sqlx::query("DELETE FROM accounts WHERE id = $1").bind(id);
        account.execute(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(Some(deleted))
    }

    /// Makes an account an operator, or an operator an account like others. Returns whether there is such an
    /// account. Fails with [`StorageError::Exists`] if it is the only operator.
    pub async fn set_operator(&self, id: &str, is_operator: bool) -> Result<bool, StorageError> {
        let mut transaction = self.begin().await?;
        self.lock_operators(&mut transaction).await?;
        let sql = "UPDATE accounts SET is_operator = $1 WHERE id = $2";
        let query = sqlx::query(sql).bind(i64::from(is_operator)).bind(id);
        if query.execute(&mut *transaction).await?.rows_affected() == 0 {
            return Ok(false);
        }
        if !is_operator {
            require_another_operator(&mut transaction, id).await?;
            personal_tokens::delete_elsewhere(&mut transaction, id).await?;
        }
        self.record_change(&mut transaction, id).await?;
        transaction.commit().await?;
        Ok(true)
    }

    /// Serializes transactions that remove an admin from an account's organizations. `SQLite` has only one writer
    /// anyway.
    async fn lock_organizations(
        &self,
        transaction: &mut Transaction<'_, Any>,
        id: &str,
    ) -> Result<(), StorageError> {
        if self.postgres {
            let sql = "SELECT id FROM organizations WHERE id IN \
                 (SELECT organization_id FROM members WHERE account_id = $1) ORDER BY id FOR NO KEY UPDATE";
            sqlx::query(sql).bind(id).execute(&mut **transaction).await?;
        }
        Ok(())
    }

    /// The same for transactions that remove an operator.
    async fn lock_operators(
        &self,
        transaction: &mut Transaction<'_, Any>,
    ) -> Result<(), StorageError> {
        if self.postgres {
            let sql = "SELECT id FROM accounts WHERE is_operator = 1 ORDER BY id FOR NO KEY UPDATE";
            sqlx::query(sql).execute(&mut **transaction).await?;
        }
        Ok(())
    }

    /// Ends the memberships of an account. Each gets an audit entry in its organization.
    async fn end_memberships(
        &self,
        transaction: &mut Transaction<'_, Any>,
        id: &str,
    ) -> Result<u64, StorageError> {
        let sql = "DELETE FROM members WHERE account_id = $1 RETURNING organization_id, role";
        let rows = sqlx::query(sql).bind(id).fetch_all(&mut **transaction).await?;
        for row in &rows {
            let Some(change) = &self.change else { break };
            let role: String = row.try_get("role")?;
            let ended = self.recording(Change {
                organization_id: Some(row.try_get("organization_id")?),
                action: "member.delete",
                before: Some(json!({ "role": role })),
                after: None,
                ..Change::clone(change)
            });
            ended.record_change(transaction, id).await?;
        }
        Ok(rows.len() as u64)
    }
}

async fn require_another_operator(
    transaction: &mut Transaction<'_, Any>,
    id: &str,
) -> Result<(), StorageError> {
    let sql = "SELECT id FROM accounts WHERE is_operator = 1 AND id <> $1 LIMIT 1";
    let other = sqlx::query(sql).bind(id).fetch_optional(&mut **transaction).await?;
    other.map(drop).ok_or_else(|| {
        let reason = "this account is the only operator of the instance; make another account an operator first";
        StorageError::Exists(reason.to_owned())
    })
}

async fn require_other_admins(
    transaction: &mut Transaction<'_, Any>,
    id: &str,
) -> Result<(), StorageError> {
    let sql = "SELECT organizations.name FROM members JOIN organizations ON organizations.id = organization_id \
         WHERE account_id = $1 AND role = 'admin' AND NOT EXISTS (SELECT 1 FROM members AS others \
         WHERE others.organization_id = members.organization_id AND others.role = 'admin' AND others.account_id <> $1) \
         ORDER BY organizations.name";
    let rows = sqlx::query(sql).bind(id).fetch_all(&mut **transaction).await?;
    let name = |row: &AnyRow| row.try_get::<String, _>("name");
    let names = rows.iter().map(name).collect::<Result<Vec<_>, _>>()?;
    if names.is_empty() {
        return Ok(());
    }
    Err(StorageError::Exists(only_admin(&names)))
}

/// The error for the only admin of organizations, with the remedy.
fn only_admin(names: &[String]) -> String {
    let named = names.iter().take(NAMED).map(|name| format!("\"{name}\"")).collect::<Vec<_>>();
    let more = names.len() - named.len();
    let listed = match (named.as_slice(), more) {
        ([only], 0) => {
            return format!(
                "this account is the only admin of the organization {only}; make another member an admin, or delete \
                 the organization, first"
            );
        }
        ([first, last], 0) => format!("{first} and {last}"),
        ([first, second, last], 0) => format!("{first}, {second}, and {last}"),
        (_, more) => format!("{}, and {more} more", named.join(", ")),
    };
    format!(
        "this account is the only admin of the organizations {listed}; make another member of each an admin, or \
         delete these organizations, first"
    )
}

async fn delete_rows(
    transaction: &mut Transaction<'_, Any>,
    id: &str,
    email: &str,
) -> Result<DeletedAccount, StorageError> {
    for table in ["totp_factors", "recovery_codes", "passkeys", "identities", "inboxes"] {
        let sql = format!("DELETE FROM {table} WHERE account_id = $1");
        sqlx::query(AssertSqlSafe(sql)).bind(id).execute(&mut **transaction).await?;
    }
    let by = "UPDATE invitations SET invited_by = $1 WHERE invited_by = $2";
    let by = sqlx::query(by).bind(deleted_actor(id)).bind(email);
    by.execute(&mut **transaction).await?;
    let target = format!("mailto:{email}");
    let sent = "DELETE FROM notifications WHERE subscription_id IN (SELECT id FROM subscriptions WHERE lower(target) = $1)";
    sqlx::query(sent).bind(&target).execute(&mut **transaction).await?;
    let mut delete = async |sql: &'static str, value: &str| {
        let query = sqlx::query(sql).bind(value.to_owned()).execute(&mut **transaction);
        Ok::<_, StorageError>(query.await?.rows_affected())
    };
    Ok(DeletedAccount {
        memberships: 0,
        keys: delete("DELETE FROM api_keys WHERE created_by = $1", id).await?,
        invitations: delete("DELETE FROM invitations WHERE email = $1", email).await?,
        subscriptions: delete("DELETE FROM subscriptions WHERE lower(target) = $1", &target)
            .await?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusal_names_organizations_up_to_limit() {
        let said = |names: &[&str]| {
            only_admin(&names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>())
        };
        assert!(said(&["A"]).contains("of the organization \"A\"; make"), "{}", said(&["A"]));
        for (names, listed) in [
            (&["A", "B"][..], "\"A\" and \"B\"; make"),
            (&["A", "B", "C"], "\"A\", \"B\", and \"C\"; make"),
            (&["A", "B", "C", "D", "E"], "\"A\", \"B\", \"C\", and 2 more; make"),
        ] {
            assert!(said(names).contains(listed), "{}", said(names));
        }
    }
}
