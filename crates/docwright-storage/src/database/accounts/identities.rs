//! People as a provider of OpenID Connect knows them, and the memberships that its groups give.

use docwright_domain::{account::Role, timestamp::Timestamp};
use sqlx::{AssertSqlSafe, Row, any::AnyRow};

use super::{Account, COLUMNS, NewAccount, insert, members, read};
use crate::{StorageError, database::Database};

impl Database {
    /// The account of somebody whom a provider knows.
    pub async fn account_of_identity(
        &self,
        issuer: &str,
        subject: &str,
    ) -> Result<Option<Account>, StorageError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM identities JOIN accounts ON accounts.id = account_id \
             WHERE issuer = $1 AND subject = $2"
        );
        let query = sqlx::query(AssertSqlSafe(sql)).bind(issuer).bind(subject);
        query.fetch_optional(&self.pool).await?.as_ref().map(read).transpose()
    }

    /// Makes somebody whom a provider knows the owner of an account, which is made if it is given as new.
    /// `None` if they own one already.
    pub async fn link_identity(
        &self,
        (issuer, subject): (&str, &str),
        who: Result<&Account, &NewAccount>,
        now: Timestamp,
    ) -> Result<Option<Account>, StorageError> {
        let mut transaction = self.begin().await?;
        let account = match who {
            Ok(known) => known.clone(),
            Err(new) => insert(&mut transaction, new, false, now).await?,
        };
        let sql = "INSERT INTO identities (issuer, subject, account_id, created_at) VALUES ($1, $2, $3, $4) \
             ON CONFLICT (issuer, subject) DO NOTHING";
        let query = sqlx::query(sql).bind(issuer).bind(subject).bind(&account.id).bind(now);
        if query.execute(&mut *transaction).await?.rows_affected() == 0 {
            return Ok(None);
        }
        self.record_change(&mut transaction, &account.id).await?;
        transaction.commit().await?;
        Ok(Some(account))
    }

    /// The memberships of an account that the groups of a provider gave, by organisation.
    pub async fn provided_roles(
        &self,
        issuer: &str,
        account_id: &str,
    ) -> Result<Vec<(String, Role)>, StorageError> {
        let sql = "SELECT organization_id, role FROM members WHERE account_id = $1 AND issuer = $2";
        let query = sqlx::query(sql).bind(account_id).bind(issuer);
        let rows = query.fetch_all(&self.pool).await?;
        let each = |row: &AnyRow| Ok((row.try_get("organization_id")?, members::role(row)?));
        rows.iter().map(each).collect()
    }

    /// Makes an account a member by the word of a provider, changes what it is by that, or ends it with
    /// `None`. A membership that a person gave stays as it is. Returns whether anything changed.
    pub async fn provide_role(
        &self,
        (issuer, account_id): (&str, &str),
        organization_id: &str,
        role: Option<Role>,
        now: Timestamp,
    ) -> Result<bool, StorageError> {
        let query = match role {
            Some(role) => sqlx::query(
                "INSERT INTO members (organization_id, account_id, role, created_at, issuer) \
                 SELECT id, $2, $3, $4, $5 FROM organizations WHERE id = $1 \
                 ON CONFLICT (organization_id, account_id) DO UPDATE SET role = excluded.role, issuer = excluded.issuer \
                 WHERE members.issuer IS NOT NULL AND (members.role <> excluded.role OR members.issuer <> excluded.issuer)",
            )
            .bind(organization_id)
            .bind(account_id)
            .bind(role.name())
            .bind(now)
            .bind(issuer),
            None => sqlx::query(
                "DELETE FROM members WHERE organization_id = $1 AND account_id = $2 AND issuer = $3",
            )
            .bind(organization_id)
            .bind(account_id)
            .bind(issuer),
        };
        self.change_one(query, account_id).await
    }
}
