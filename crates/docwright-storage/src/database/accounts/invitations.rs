//! Who is asked to join an organisation.

use docwright_domain::{
    account::{Email, Role},
    timestamp::Timestamp,
    token::Token,
};
use sqlx::{AssertSqlSafe, Row, any::AnyRow};

use super::{Account, NewAccount, insert, members};
use crate::{
    StorageError,
    database::{Database, new_id},
};

/// Invitations of an organisation that may stand at once.
pub const INVITATIONS: i64 = 200;

/// An invitation to be made.
#[derive(Debug, Clone)]
pub struct NewInvitation<'a> {
    /// To what.
    pub organization_id: &'a str,
    /// Whom.
    pub email: &'a Email,
    /// As what.
    pub role: Role,
    /// Who asks, as people know them.
    pub invited_by: &'a str,
    /// Until when it is good.
    pub expires_at: Timestamp,
}

/// An invitation.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "as in NewInvitation")]
pub struct Invitation {
    pub id: String,
    pub organization_id: String,
    pub email: String,
    pub role: Role,
    pub invited_by: String,
    pub created_at: Timestamp,
    pub expires_at: Timestamp,
}

const INVITATION: &str = "id, organization_id, email, role, invited_by, created_at, expires_at";

impl Database {
    /// Asks somebody to join, and returns the token of the invitation, this one time. An earlier one to the
    /// same address is replaced. `None` if [`INVITATIONS`] stand already.
    pub async fn invite(
        &self,
        new: &NewInvitation<'_>,
        now: Timestamp,
    ) -> Result<Option<(String, Token)>, StorageError> {
        let token = Token::generate().map_err(|error| StorageError::Random(error.to_string()))?;
        let id = new_id("inv");
        let mut transaction = self.begin().await?;
        let turn = sqlx::query("UPDATE organizations SET name = name WHERE id = $1");
        turn.bind(new.organization_id).execute(&mut *transaction).await?;
        let earlier =
            sqlx::query("DELETE FROM invitations WHERE organization_id = $1 AND email = $2");
        let earlier = earlier.bind(new.organization_id).bind(new.email.as_str());
        earlier.execute(&mut *transaction).await?;
        let inserted = sqlx::query(
            "INSERT INTO invitations (id, token_hash, organization_id, email, role, invited_by, created_at, expires_at) \
             SELECT $1, $2, $3, $4, $5, $6, $7, $8 \
             WHERE (SELECT COUNT(*) FROM invitations WHERE organization_id = $3) < $9",
        )
        .bind(&id)
        .bind(token.hash())
        .bind(new.organization_id)
        .bind(new.email.as_str())
        .bind(new.role.name())
        .bind(new.invited_by)
        .bind(now)
        .bind(new.expires_at)
        .bind(INVITATIONS)
        .execute(&mut *transaction)
        .await?;
        if inserted.rows_affected() == 0 {
            return Ok(None);
        }
        self.record_change(&mut transaction, &id).await?;
        transaction.commit().await?;
        Ok(Some((id, token)))
    }

    /// The invitations of an organisation, the newest first.
    pub async fn invitations(
        &self,
        organization_id: &str,
    ) -> Result<Vec<Invitation>, StorageError> {
        let sql = format!(
            "SELECT {INVITATION} FROM invitations WHERE organization_id = $1 ORDER BY id DESC"
        );
        let query = sqlx::query(AssertSqlSafe(sql)).bind(organization_id);
        query.fetch_all(&self.pool).await?.iter().map(invitation).collect()
    }

    /// The invitation of a token, while it is good.
    pub async fn invitation(
        &self,
        token: &Token,
        now: Timestamp,
    ) -> Result<Option<Invitation>, StorageError> {
        let sql = format!(
            "SELECT {INVITATION} FROM invitations WHERE token_hash = $1 AND expires_at > $2"
        );
        let query = sqlx::query(AssertSqlSafe(sql)).bind(token.hash()).bind(now);
        query.fetch_optional(&self.pool).await?.as_ref().map(invitation).transpose()
    }

    /// Takes an invitation back. Returns whether there was one.
    pub async fn withdraw_invitation(
        &self,
        organization_id: &str,
        id: &str,
    ) -> Result<bool, StorageError> {
        let query = sqlx::query("DELETE FROM invitations WHERE organization_id = $1 AND id = $2");
        self.change_one(query.bind(organization_id).bind(id), id).await
    }

    /// Uses an invitation up: its account becomes a member, and is made if it is given as new. `None` if
    /// the invitation is gone. Fails if a new account's address is taken.
    pub async fn accept_invitation(
        &self,
        token: &Token,
        who: Result<&Account, &NewAccount>,
        now: Timestamp,
    ) -> Result<Option<(Invitation, Account)>, StorageError> {
        let mut transaction = self.begin().await?;
        let sql = format!(
            "DELETE FROM invitations WHERE token_hash = $1 AND expires_at > $2 RETURNING {INVITATION}"
        );
        let query = sqlx::query(AssertSqlSafe(sql)).bind(token.hash()).bind(now);
        let Some(row) = query.fetch_optional(&mut *transaction).await? else { return Ok(None) };
        let accepted = invitation(&row)?;
        let account = match who {
            Ok(known) => known.clone(),
            Err(new) => insert(&mut transaction, new, false, now).await?,
        };
        let (organization, role) = (&accepted.organization_id, accepted.role);
        members::put(&mut transaction, organization, &account.id, role, now).await?;
        self.record_change(&mut transaction, &account.id).await?;
        transaction.commit().await?;
        Ok(Some((accepted, account)))
    }
}

fn invitation(row: &AnyRow) -> Result<Invitation, StorageError> {
    Ok(Invitation {
        id: row.try_get("id")?,
        organization_id: row.try_get("organization_id")?,
        email: row.try_get("email")?,
        role: members::role(row)?,
        invited_by: row.try_get("invited_by")?,
        created_at: row.try_get("created_at")?,
        expires_at: row.try_get("expires_at")?,
    })
}
