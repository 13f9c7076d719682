//! Invitations to organizations.

use docwright_types::{
    account::{Email, Role},
    timestamp::Timestamp,
    token::Token,
};
use sqlx::{AssertSqlSafe, Row, any::AnyRow};

use super::{Account, NewAccount, insert, members};
use crate::{
    StorageError,
    database::{
        Allowance, Database, Limited, RequestLimit,
        lists::{Order, PageRequest, Rows, text},
        new_id,
    },
};

/// Pending invitations per organization.
pub const INVITATIONS: i64 = 200;

/// A new invitation.
#[derive(Debug, Clone)]
pub struct NewInvitation<'a> {
    /// The organization.
    pub organization_id: &'a str,
    /// The invited address.
    pub email: &'a Email,
    /// The role.
    pub role: Role,
    /// Name of the inviting account.
    pub invited_by: &'a str,
    /// When it expires.
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

/// Result of inviting someone.
#[derive(Debug)]
pub enum Invited {
    /// They are invited. The token of the invitation is returned only here.
    Asked(Invitation, Token),
    /// They are already a member.
    Member,
    /// There are already [`INVITATIONS`] pending invitations.
    Full,
    /// The hourly limit is reached.
    Limited(Allowance),
}

const INVITATION: &str = "id, organization_id, email, role, invited_by, created_at, expires_at";

impl Database {
    /// Invites someone. An earlier invitation of the same address is replaced.
    pub async fn invite(
        &self,
        new: &NewInvitation<'_>,
        now: Timestamp,
    ) -> Result<Invited, StorageError> {
        let token = Token::generate().map_err(|error| StorageError::Random(error.to_string()))?;
        let invitation = Invitation {
            id: new_id("inv"),
            organization_id: new.organization_id.to_owned(),
            email: new.email.to_string(),
            role: new.role,
            invited_by: new.invited_by.to_owned(),
            created_at: now,
            expires_at: new.expires_at,
        };
        let mut transaction = self.begin().await?;
        // Parallel invitations of one organization wait for each other here.
        let turn = sqlx::query("UPDATE organizations SET name = name WHERE id = $1");
        turn.bind(new.organization_id).execute(&mut *transaction).await?;
        let sql = "SELECT account_id FROM members JOIN accounts ON accounts.id = account_id \
             WHERE organization_id = $1 AND email = $2";
        let member = sqlx::query(sql).bind(new.organization_id).bind(new.email.as_str());
        if member.fetch_optional(&mut *transaction).await?.is_some() {
            return Ok(Invited::Member);
        }
        let limit = RequestLimit::INVITATIONS;
        let counted = self.count_request_of(&mut transaction, new.organization_id, limit).await?;
        if let Limited::Refused(allowance) = counted {
            return Ok(Invited::Limited(allowance));
        }
        let ended = "DELETE FROM invitations WHERE organization_id = $1 AND (email = $2 OR expires_at <= $3)";
        let ended = sqlx::query(ended).bind(new.organization_id).bind(new.email.as_str()).bind(now);
        ended.execute(&mut *transaction).await?;
        let inserted = sqlx::query(
            "INSERT INTO invitations (id, token_hash, organization_id, email, role, invited_by, created_at, expires_at) \
             SELECT $1, $2, $3, $4, $5, $6, $7, $8 \
             WHERE (SELECT COUNT(*) FROM invitations WHERE organization_id = $3) < $9",
        )
        .bind(&invitation.id)
        .bind(token.hash())
        .bind(&invitation.organization_id)
        .bind(&invitation.email)
        .bind(invitation.role.name())
        .bind(&invitation.invited_by)
        .bind(now)
        .bind(invitation.expires_at)
        .bind(INVITATIONS)
        .execute(&mut *transaction)
        .await?;
        if inserted.rows_affected() == 0 {
            return Ok(Invited::Full);
        }
        self.record_change(&mut transaction, &invitation.id).await?;
        transaction.commit().await?;
        Ok(Invited::Asked(invitation, token))
    }

    /// Valid invitations of an organization, searched by a part of the email address; the newest first.
    pub async fn invitations(
        &self,
        organization_id: &str,
        now: Timestamp,
        page: PageRequest<'_>,
    ) -> Result<Vec<Invitation>, StorageError> {
        const EMAIL: &str = text!("email");
        let select = format!("SELECT {INVITATION} FROM invitations");
        let rows = Rows::all()
            .with("organization_id", Some(organization_id))
            .later("expires_at", now)
            .containing(EMAIL, page);
        let order = Order::grouped(EMAIL, "id", page);
        rows.read(&self.pool, &select, order, page, invitation).await
    }

    /// An invitation of an organization.
    pub async fn invitation_of(
        &self,
        organization_id: &str,
        id: &str,
    ) -> Result<Option<Invitation>, StorageError> {
        let sql =
            format!("SELECT {INVITATION} FROM invitations WHERE organization_id = $1 AND id = $2");
        let query = sqlx::query(AssertSqlSafe(sql)).bind(organization_id).bind(id);
        query.fetch_optional(&self.pool).await?.as_ref().map(invitation).transpose()
    }

    /// The invitation of a token, if it is valid.
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

    /// Revokes an invitation. Returns whether there was one.
    pub async fn withdraw_invitation(
        &self,
        organization_id: &str,
        id: &str,
    ) -> Result<bool, StorageError> {
        let query = sqlx::query("DELETE FROM invitations WHERE organization_id = $1 AND id = $2");
        self.change_one(query.bind(organization_id).bind(id), id).await
    }

    /// Accepts an invitation: its account becomes a member, and is created if it is given as new. Existing members
    /// keep their role. `None` if the invitation is gone or is for another address. Fails if the address of a new
    /// account is taken.
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
        let email = match &who {
            Ok(known) => known.email.as_str(),
            Err(new) => new.email.as_str(),
        };
        if email != accepted.email {
            return Ok(None);
        }
        let account = match who {
            Ok(known) => known.clone(),
            Err(new) => insert(&mut transaction, new, false, now).await?,
        };
        let (organization, role) = (&accepted.organization_id, accepted.role);
        if !members::is_there(&mut transaction, organization, &account.id).await? {
            members::put(&mut transaction, organization, &account.id, role, now).await?;
        }
        self.as_account(&account.id).record_change(&mut transaction, &accepted.id).await?;
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
