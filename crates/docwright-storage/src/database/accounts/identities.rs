//! Identities from OpenID Connect providers, and the memberships that their groups give.

use docwright_types::{account::Role, timestamp::Timestamp};
use sqlx::{AssertSqlSafe, Row, any::AnyRow};

use super::{Account, COLUMNS, NewAccount, insert, members, read, sign_out_everywhere};
use crate::{
    StorageError,
    database::{Database, personal_tokens},
};

/// An identity of an account at a provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The account.
    pub account_id: String,
    /// The provider.
    pub issuer: String,
    /// The provider's identifier for the person. It never passes to another person.
    pub subject: String,
    /// When it was linked to the account.
    pub linked_at: Timestamp,
}

/// Result of linking an identity to an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IdentityLink {
    /// The identity belongs to this account from now on.
    Linked(Account),
    /// The identity already belongs to this account: a second sign-in arrived at the same time.
    AlreadyLinked,
    /// The account has another identity of the issuer.
    AccountTaken,
}

impl Database {
    /// The account of an identity.
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

    /// Whether an account has an identity of an issuer.
    pub async fn has_identity(&self, account_id: &str, issuer: &str) -> Result<bool, StorageError> {
        let sql = "SELECT subject FROM identities WHERE account_id = $1 AND issuer = $2 LIMIT 1";
        let query = sqlx::query(sql).bind(account_id).bind(issuer);
        Ok(query.fetch_optional(&self.pool).await?.is_some())
    }

    /// Links an identity to an account, which is created if it is given as new. An account that has an
    /// identity of the issuer gets no second one, since an email address can pass to another person.
    pub async fn link_identity(
        &self,
        (issuer, subject): (&str, &str),
        who: Result<&Account, &NewAccount>,
        now: Timestamp,
    ) -> Result<IdentityLink, StorageError> {
        let mut transaction = self.begin().await?;
        let account = match who {
            Ok(known) => known.clone(),
            Err(new) => insert(&mut transaction, new, false, now).await?,
        };
        // Two indexes are unique: one of the identity, one of the account and its issuer.
        let sql = "INSERT INTO identities (issuer, subject, account_id, created_at) VALUES ($1, $2, $3, $4) \
             ON CONFLICT DO NOTHING";
        let query = sqlx::query(sql).bind(issuer).bind(subject).bind(&account.id).bind(now);
        if query.execute(&mut *transaction).await?.rows_affected() == 1 {
            self.as_account(&account.id).record_change(&mut transaction, &account.id).await?;
            transaction.commit().await?;
            return Ok(IdentityLink::Linked(account));
        }
        let sql = "SELECT account_id FROM identities WHERE issuer = $1 AND subject = $2";
        let query = sqlx::query(sql).bind(issuer).bind(subject);
        let is_linked = query.fetch_optional(&mut *transaction).await?.is_some();
        Ok(if is_linked { IdentityLink::AlreadyLinked } else { IdentityLink::AccountTaken })
    }

    /// The identities of accounts, the oldest first.
    pub async fn identities(&self, accounts: &[String]) -> Result<Vec<Identity>, StorageError> {
        if accounts.is_empty() {
            return Ok(Vec::new());
        }
        let numbers: Vec<_> = (1..=accounts.len()).map(|number| format!("${number}")).collect();
        let sql = format!(
            "SELECT account_id, issuer, subject, created_at FROM identities WHERE account_id IN ({}) \
             ORDER BY created_at, issuer, subject",
            numbers.join(", ")
        );
        let mut query = sqlx::query(AssertSqlSafe(sql));
        for account in accounts {
            query = query.bind(account);
        }
        let each = |row: &AnyRow| {
            Ok(Identity {
                account_id: row.try_get("account_id")?,
                issuer: row.try_get("issuer")?,
                subject: row.try_get("subject")?,
                linked_at: row.try_get("created_at")?,
            })
        };
        query.fetch_all(&self.pool).await?.iter().map(each).collect()
    }

    /// Removes an identity of an accountand ends all sessions of the account. Returns whether the account had that
    /// identity.
    pub async fn remove_identity(
        &self,
        account_id: &str,
        (issuer, subject): (&str, &str),
    ) -> Result<bool, StorageError> {
        let mut transaction = self.begin().await?;
        let sql = "DELETE FROM identities WHERE account_id = $1 AND issuer = $2 AND subject = $3";
        let query = sqlx::query(sql).bind(account_id).bind(issuer).bind(subject);
        if query.execute(&mut *transaction).await?.rows_affected() == 0 {
            return Ok(false);
        }
        sign_out_everywhere(&mut transaction, account_id).await?;
        self.record_change(&mut transaction, account_id).await?;
        transaction.commit().await?;
        Ok(true)
    }

    /// The memberships of an account that the groups of a provider gave, by organization.
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

    /// Makes an account a member through a provider, changes that role, or ends it with `None`. Memberships that a
    /// person gave stay unchanged. Returns whether anything changed.
    pub async fn provide_role(
        &self,
        (issuer, account_id): (&str, &str),
        organization_id: &str,
        role: Option<Role>,
        now: Timestamp,
    ) -> Result<bool, StorageError> {
        let Some(role) = role else {
            return self.end_provided_role((issuer, account_id), organization_id).await;
        };
        let query = sqlx::query(
            "INSERT INTO members (organization_id, account_id, role, created_at, issuer) \
             SELECT id, $2, $3, $4, $5 FROM organizations WHERE id = $1 \
             ON CONFLICT (organization_id, account_id) DO UPDATE SET role = excluded.role, issuer = excluded.issuer, \
             revision = members.revision + 1 WHERE members.issuer IS NOT NULL AND (members.role <> excluded.role OR members.issuer <> excluded.issuer)",
        )
        .bind(organization_id)
        .bind(account_id)
        .bind(role.name())
        .bind(now)
        .bind(issuer);
        self.change_one(query, account_id).await
    }

    /// Ends a membership that a provider gave, and its personal access tokens. Returns whether there was one.
    async fn end_provided_role(
        &self,
        (issuer, account_id): (&str, &str),
        organization_id: &str,
    ) -> Result<bool, StorageError> {
        let mut transaction = self.begin().await?;
        let sql =
            "DELETE FROM members WHERE organization_id = $1 AND account_id = $2 AND issuer = $3";
        let query = sqlx::query(sql).bind(organization_id).bind(account_id).bind(issuer);
        if query.execute(&mut *transaction).await?.rows_affected() == 0 {
            return Ok(false);
        }
        personal_tokens::delete_in(&mut transaction, organization_id, account_id).await?;
        self.record_change(&mut transaction, account_id).await?;
        transaction.commit().await?;
        Ok(true)
    }
}
