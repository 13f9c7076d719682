//! Accounts with their sessions, memberships, and links.

mod anonymization;
mod deletion;
mod factors;
mod identities;
mod invitations;
mod links;
mod members;
mod passkeys;
mod preview_codes;
mod sessions;

use docwright_types::{account::Email, timestamp::Timestamp};
use sqlx::{Any, AssertSqlSafe, Row, Transaction, any::AnyRow};

use super::{
    Actor, Change, Database,
    lists::{Order, PageRequest, Rows, text},
    new_id,
};
use crate::StorageError;

pub use anonymization::DELETED_ACCOUNT;
pub use deletion::DeletedAccount;
pub use factors::{CODES_AN_HOUR, CodeUse};
pub use identities::{Identity, IdentityLink};
pub use invitations::{INVITATIONS, Invitation, Invited, NewInvitation};
pub use members::{Member, Membership};
pub use passkeys::{AddedPasskey, NewPasskey, PASSKEYS, Passkey, PasskeyChallenge};
pub use sessions::{ATTEMPTS, NewSession, Session};

/// An account that can sign in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// Its id.
    pub id: String,
    /// The email address, in lower case.
    pub email: String,
    /// The person's name.
    pub name: String,
    /// Whether it can access every organization.
    pub is_operator: bool,
    /// When it was created.
    pub created_at: Timestamp,
}

/// A new account.
#[derive(Debug, Clone)]
pub struct NewAccount {
    /// The email address.
    pub email: Email,
    /// The person's name.
    pub name: String,
    /// The hash of their password; `None` if they sign in by other means.
    pub password: Option<String>,
}

const COLUMNS: &str =
    "accounts.id, accounts.email, accounts.name, accounts.is_operator, accounts.created_at";

impl Database {
    /// Whether there is no account yet.
    pub async fn has_no_accounts(&self) -> Result<bool, StorageError> {
        let found = sqlx::query("SELECT id FROM accounts LIMIT 1").fetch_optional(&self.pool);
        Ok(found.await?.is_none())
    }

    /// Creates the first account, an operator; `None` if there is one already.
    pub async fn create_first_account(
        &self,
        new: &NewAccount,
        now: Timestamp,
    ) -> Result<Option<Account>, StorageError> {
        let mut transaction = self.begin().await?;
        if self.postgres {
            let sql = "LOCK TABLE accounts IN SHARE ROW EXCLUSIVE MODE";
            sqlx::query(sql).execute(&mut *transaction).await?;
        }
        let found = sqlx::query("SELECT id FROM accounts LIMIT 1");
        if found.fetch_optional(&mut *transaction).await?.is_some() {
            return Ok(None);
        }
        let account = insert(&mut transaction, new, true, now).await?;
        self.as_account(&account.id).record_change(&mut transaction, &account.id).await?;
        transaction.commit().await?;
        Ok(Some(account))
    }

    /// The same database, which records a change under an account created by that change.
    fn as_account(&self, id: &str) -> Self {
        let Some(change) = &self.change else { return self.clone() };
        let actor = Actor { id: id.to_owned(), ..change.actor.clone() };
        self.recording(Change { actor, ..Change::clone(change) })
    }

    /// The account of an id.
    pub async fn account(&self, id: &str) -> Result<Option<Account>, StorageError> {
        let sql = format!("SELECT {COLUMNS} FROM accounts WHERE id = $1");
        let row = sqlx::query(AssertSqlSafe(sql)).bind(id).fetch_optional(&self.pool).await?;
        row.as_ref().map(read).transpose()
    }

    /// The account of an email address, and the hash of its password.
    pub async fn account_of_email(
        &self,
        email: &Email,
    ) -> Result<Option<(Account, Option<String>)>, StorageError> {
        let sql = format!("SELECT {COLUMNS}, password FROM accounts WHERE email = $1");
        let query = sqlx::query(AssertSqlSafe(sql)).bind(email.as_str());
        let Some(row) = query.fetch_optional(&self.pool).await? else { return Ok(None) };
        Ok(Some((read(&row)?, row.try_get("password")?)))
    }

    /// Changes a password. All other sessions of the account end, and its links and codes are removed.
    pub async fn set_password(
        &self,
        account_id: &str,
        password: &str,
        session_id: &str,
    ) -> Result<(), StorageError> {
        let mut transaction = self.begin().await?;
        let query = sqlx::query("UPDATE accounts SET password = $1 WHERE id = $2");
        query.bind(password).bind(account_id).execute(&mut *transaction).await?;
        let others = sqlx::query("DELETE FROM sessions WHERE account_id = $1 AND id <> $2");
        others.bind(account_id).bind(session_id).execute(&mut *transaction).await?;
        for sql in [
            "DELETE FROM sign_in_links WHERE account_id = $1",
            "DELETE FROM preview_codes WHERE account_id = $1",
        ] {
            sqlx::query(sql).bind(account_id).execute(&mut *transaction).await?;
        }
        self.record_change(&mut transaction, account_id).await?;
        Ok(transaction.commit().await?)
    }

    /// Accounts by email address, which is also the search text. An `email` limits them to that address.
    pub async fn accounts_page(
        &self,
        email: Option<&str>,
        page: PageRequest<'_>,
    ) -> Result<Vec<Account>, StorageError> {
        const EMAIL: &str = text!("accounts.email");
        let select = format!("SELECT {COLUMNS} FROM accounts");
        let rows = Rows::all().with("accounts.email", email).searched(EMAIL, page);
        rows.read(&self.pool, &select, Order::by_id(EMAIL), page, read).await
    }

    /// Changes the name of a person.
    pub async fn rename_account(&self, id: &str, name: &str) -> Result<bool, StorageError> {
        let query = sqlx::query("UPDATE accounts SET name = $1 WHERE id = $2").bind(name).bind(id);
        self.change_one(query, id).await
    }
}

/// Ends all sessions of an account, and removes the links and codes that could start one.
async fn sign_out_everywhere(
    transaction: &mut Transaction<'_, Any>,
    account_id: &str,
) -> Result<(), StorageError> {
    for sql in [
        "DELETE FROM sessions WHERE account_id = $1",
        "DELETE FROM sign_in_links WHERE account_id = $1",
        "DELETE FROM preview_codes WHERE account_id = $1",
    ] {
        sqlx::query(sql).bind(account_id).execute(&mut **transaction).await?;
    }
    Ok(())
}

/// Adds an account. Fails if another account has its address.
async fn insert(
    transaction: &mut Transaction<'_, Any>,
    new: &NewAccount,
    is_operator: bool,
    now: Timestamp,
) -> Result<Account, StorageError> {
    let account = Account {
        id: new_id("acc"),
        email: new.email.to_string(),
        name: new.name.clone(),
        is_operator,
        created_at: now,
    };
    let inserted = sqlx::query(
        "INSERT INTO accounts (id, email, name, password, is_operator, created_at) \
         VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (email) DO NOTHING",
    )
    .bind(&account.id)
    .bind(&account.email)
    .bind(&account.name)
    .bind(&new.password)
    .bind(i64::from(is_operator))
    .bind(now)
    .execute(&mut **transaction)
    .await?;
    if inserted.rows_affected() == 0 {
        return Err(StorageError::Exists(format!("there is an account of {} already", new.email)));
    }
    Ok(account)
}

fn read(row: &AnyRow) -> Result<Account, StorageError> {
    Ok(Account {
        id: row.try_get("id")?,
        email: row.try_get("email")?,
        name: row.try_get("name")?,
        is_operator: row.try_get::<i64, _>("is_operator")? == 1,
        created_at: row.try_get("created_at")?,
    })
}
