//! Members of organizations and their roles.

use docwright_types::{account::Role, timestamp::Timestamp};
use sqlx::{Any, AssertSqlSafe, Row, Transaction, any::AnyRow};

use super::{Account, read};
use crate::{
    StorageError,
    database::{
        Database, Organization,
        lists::{Order, PageRequest, Rows, text},
        organizations, personal_tokens,
        plans::{self, Counted},
        revisions::{Record, revise},
    },
};

/// A member of an organization.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// The account.
    pub account: Account,
    /// The role.
    pub role: Role,
    /// Since when.
    pub since: Timestamp,
    /// Number of its version, which changes of the role increment.
    pub revision: i64,
}

/// An organization of someone.
#[derive(Debug, Clone)]
pub struct Membership {
    /// Which.
    pub organization: Organization,
    /// The role.
    pub role: Role,
}

const MEMBERS: &str = "SELECT accounts.id, accounts.email, accounts.name, accounts.is_operator, accounts.created_at, role, \
     members.created_at AS since, members.revision FROM members JOIN accounts ON accounts.id = account_id";

impl Database {
    /// The organizations of an account, by name.
    pub async fn memberships(&self, account_id: &str) -> Result<Vec<Membership>, StorageError> {
        let sql = "SELECT organizations.id, organizations.name, plan, organizations.revision, role FROM members \
             JOIN organizations ON organizations.id = organization_id WHERE account_id = $1 ORDER BY organizations.name";
        let rows = sqlx::query(sql).bind(account_id).fetch_all(&self.pool).await?;
        let each =
            |row| Ok(Membership { organization: organizations::read(row)?, role: role(row)? });
        rows.iter().map(each).collect()
    }

    /// The role of an account in an organization; `None` if it isn't a member.
    pub async fn role(
        &self,
        organization_id: &str,
        account_id: &str,
    ) -> Result<Option<Role>, StorageError> {
        let sql = "SELECT role FROM members WHERE organization_id = $1 AND account_id = $2";
        let query = sqlx::query(sql).bind(organization_id).bind(account_id);
        query.fetch_optional(&self.pool).await?.as_ref().map(role).transpose()
    }

    /// Members of an organization by email address, searched by a part of it or of the name. An `email` limits them to
    /// that address.
    pub async fn members(
        &self,
        organization_id: &str,
        email: Option<&str>,
        page: PageRequest<'_>,
    ) -> Result<Vec<Member>, StorageError> {
        const EMAIL: &str = text!("accounts.email");
        const NAME: &str = text!("accounts.name");
        let rows = Rows::all()
            .with("organization_id", Some(organization_id))
            .with("accounts.email", email)
            .containing_one(&[EMAIL, NAME], page);
        rows.read(&self.pool, MEMBERS, Order::by_id(EMAIL), page, member).await
    }

    /// A member of an organization.
    pub async fn member(
        &self,
        organization_id: &str,
        account_id: &str,
    ) -> Result<Option<Member>, StorageError> {
        let sql = format!("{MEMBERS} WHERE organization_id = $1 AND account_id = $2");
        let query = sqlx::query(AssertSqlSafe(sql)).bind(organization_id).bind(account_id);
        query.fetch_optional(&self.pool).await?.as_ref().map(member).transpose()
    }

    /// Adds a member, or changes a member's role.
    pub async fn add_member(
        &self,
        organization_id: &str,
        account_id: &str,
        role: Role,
        now: Timestamp,
    ) -> Result<(), StorageError> {
        let mut transaction = self.begin().await?;
        put(&mut transaction, organization_id, account_id, role, now).await?;
        self.record_change(&mut transaction, account_id).await?;
        Ok(transaction.commit().await?)
    }

    /// Changes a member's role; `None` ends the membership and its personal access tokens. Returns the previous role;
    /// `None` if the member doesn't exist. An organization keeps its last admin. Fails if the member hasn't the
    /// revision that a change names.
    pub async fn set_role(
        &self,
        organization_id: &str,
        account_id: &str,
        role: Option<Role>,
        revision: Option<i64>,
    ) -> Result<Option<Role>, StorageError> {
        let mut transaction = self.begin().await?;
        // Admins who remove each other's role in parallel wait for each other here.
        let turn = sqlx::query("UPDATE organizations SET name = name WHERE id = $1");
        turn.bind(organization_id).execute(&mut *transaction).await?;
        let sql = "SELECT role FROM members WHERE organization_id = $1 AND account_id = $2";
        let query = sqlx::query(sql).bind(organization_id).bind(account_id);
        let row = query.fetch_optional(&mut *transaction).await?;
        let Some(before) = row.as_ref().map(self::role).transpose()? else { return Ok(None) };
        if let Some(role) = role {
            change(&mut transaction, (organization_id, account_id), role, revision).await?;
        } else {
            let sql = "DELETE FROM members WHERE organization_id = $1 AND account_id = $2";
            let query = sqlx::query(sql).bind(organization_id).bind(account_id);
            query.execute(&mut *transaction).await?;
            personal_tokens::delete_in(&mut transaction, organization_id, account_id).await?;
        }
        if before == Role::Admin && role != Some(Role::Admin) {
            let sql = "SELECT account_id FROM members WHERE organization_id = $1 AND role = 'admin' LIMIT 1";
            let other = sqlx::query(sql).bind(organization_id);
            if other.fetch_optional(&mut *transaction).await?.is_none() {
                return Err(StorageError::Exists(
                    "an organization needs an admin; make another member an admin first".to_owned(),
                ));
            }
        }
        self.record_change(&mut transaction, account_id).await?;
        transaction.commit().await?;
        Ok(Some(before))
    }
}

/// Adds a member, or changes a member's role.
pub(super) async fn put(
    transaction: &mut Transaction<'_, Any>,
    organization_id: &str,
    account_id: &str,
    role: Role,
    now: Timestamp,
) -> Result<(), StorageError> {
    let turn = sqlx::query("UPDATE organizations SET name = name WHERE id = $1");
    turn.bind(organization_id).execute(&mut **transaction).await?;
    if change(transaction, (organization_id, account_id), role, None).await? {
        return Ok(());
    }
    let sql = "INSERT INTO members (organization_id, account_id, role, created_at) VALUES ($1, $2, $3, $4)";
    let query = sqlx::query(sql).bind(organization_id).bind(account_id).bind(role.name());
    query.bind(now).execute(&mut **transaction).await?;
    plans::require_room(transaction, organization_id, Counted::Members).await
}

/// Changes a member's role. Returns whether the member exists. Fails if it hasn't the named revision.
async fn change(
    transaction: &mut Transaction<'_, Any>,
    (organization_id, account_id): (&str, &str),
    role: Role,
    revision: Option<i64>,
) -> Result<bool, StorageError> {
    let record = Record::Member(organization_id, account_id);
    if !revise(transaction, record, revision).await? {
        return Ok(false);
    }
    let sql = "UPDATE members SET role = $3 WHERE organization_id = $1 AND account_id = $2";
    let query = sqlx::query(sql).bind(organization_id).bind(account_id).bind(role.name());
    query.execute(&mut **transaction).await?;
    Ok(true)
}

/// Whether someone is a member.
pub(super) async fn is_there(
    transaction: &mut Transaction<'_, Any>,
    organization_id: &str,
    account_id: &str,
) -> Result<bool, StorageError> {
    let sql = "SELECT role FROM members WHERE organization_id = $1 AND account_id = $2";
    let query = sqlx::query(sql).bind(organization_id).bind(account_id);
    Ok(query.fetch_optional(&mut **transaction).await?.is_some())
}

fn member(row: &AnyRow) -> Result<Member, StorageError> {
    Ok(Member {
        account: read(row)?,
        role: role(row)?,
        since: row.try_get("since")?,
        revision: row.try_get("revision")?,
    })
}

pub(super) fn role(row: &AnyRow) -> Result<Role, StorageError> {
    row.try_get::<String, _>("role")?.parse().map_err(StorageError::Value)
}
