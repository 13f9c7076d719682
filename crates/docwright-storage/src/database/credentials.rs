//! Credentials for git hosts: a name and a password or token, of a project or of an organization. The secret is
//! encrypted, and bound to its row.

use docwright_types::timestamp::Timestamp;
use sqlx::{AssertSqlSafe, Row, any::AnyRow};

use super::{Database, new_id, retention::placeholders};
use crate::{
    StorageError,
    keyring::{Encrypted, Keyring},
};

/// Owner of credentials.
#[derive(Debug, Clone, Copy)]
pub enum CredentialOwner<'a> {
    /// A project; its id.
    Project(&'a str),
    /// All projects of an organization without their own credentials; its id.
    Organization(&'a str),
}

/// Credentials without their secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credential {
    /// Their id.
    pub id: String,
    /// The organization that they belong to.
    pub organization_id: String,
    /// The project that they belong to; `None` for all projects.
    pub project_id: Option<String>,
    /// The git host that receives them, with its port if that is unusual.
    pub host: String,
    /// The name.
    pub username: String,
}

impl Database {
    /// Stores credentials for a host and replaces earlier ones. Returns their id. Fails if the owner doesn't
    /// exist.
    pub async fn set_credential(
        &self,
        owner: CredentialOwner<'_>,
        (host, username, secret): (&str, &str, &str),
        keyring: &Keyring,
        now: Timestamp,
    ) -> Result<String, StorageError> {
        let (organization, project) = match owner {
            CredentialOwner::Organization(id) => (id.to_owned(), String::new()),
            CredentialOwner::Project(id) => {
                let project = self.project(id).await?;
                let missing = || StorageError::Value(format!("there is no project {id}"));
                (project.ok_or_else(missing)?.organization_id, id.to_owned())
            }
        };
        let encrypted = keyring.encrypt(&context(&organization, &project, host), secret)?;
        let mut transaction = self.begin().await?;
        let row = sqlx::query(
            "INSERT INTO credentials (id, organization_id, project_id, host, username, secret, key_id, created_at) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (organization_id, project_id, host) \
             DO UPDATE SET username = $5, secret = $6, key_id = $7, created_at = $8 RETURNING id",
        )
        .bind(new_id("cred"))
        .bind(&organization)
        .bind(&project)
        .bind(host)
        .bind(username)
        .bind(&encrypted.text)
        .bind(&encrypted.key_id)
        .bind(now)
        .fetch_one(&mut *transaction)
        .await?;
        let id: String = row.try_get("id")?;
        self.record_change(&mut transaction, &id).await?;
        transaction.commit().await?;
        Ok(id)
    }

    /// Name and secret that a project uses for a host: its own, or else those of its organization.
    pub async fn credential_for(
        &self,
        project_id: &str,
        host: &str,
        keyring: &Keyring,
    ) -> Result<Option<(String, String)>, StorageError> {
        let row = sqlx::query(
            "SELECT credentials.organization_id, credentials.project_id, username, secret, key_id FROM credentials \
             JOIN projects ON projects.organization_id = credentials.organization_id \
             WHERE projects.id = $1 AND credentials.host = $2 AND credentials.project_id IN ($1, '') \
             ORDER BY credentials.project_id DESC LIMIT 1",
        )
        .bind(project_id)
        .bind(host)
        .fetch_optional(&self.pool)
        .await?;
        let Some(row) = row else { return Ok(None) };
        let (organization, project): (String, String) =
            (row.try_get("organization_id")?, row.try_get("project_id")?);
        let encrypted = Encrypted { key_id: row.try_get("key_id")?, text: row.try_get("secret")? };
        let secret = keyring.decrypt(&context(&organization, &project, host), &encrypted)?;
        Ok(Some((row.try_get("username")?, secret)))
    }

    /// Name and secret that the projects of an organization share for a host.
    pub async fn credential_of_organization(
        &self,
        organization_id: &str,
        host: &str,
        keyring: &Keyring,
    ) -> Result<Option<(String, String)>, StorageError> {
        let sql = "SELECT username, secret, key_id FROM credentials \
             WHERE organization_id = $1 AND project_id = '' AND host = $2";
        let query = sqlx::query(sql).bind(organization_id).bind(host);
        let Some(row) = query.fetch_optional(&self.pool).await? else { return Ok(None) };
        let encrypted = Encrypted { key_id: row.try_get("key_id")?, text: row.try_get("secret")? };
        let secret = keyring.decrypt(&context(organization_id, "", host), &encrypted)?;
        Ok(Some((row.try_get("username")?, secret)))
    }

    /// The credentials of an organization and its projects, without their secrets.
    pub async fn credentials(
        &self,
        organization_id: &str,
    ) -> Result<Vec<Credential>, StorageError> {
        let sql = "SELECT id, organization_id, project_id, host, username FROM credentials \
             WHERE organization_id = $1 ORDER BY project_id, host";
        let rows = sqlx::query(sql).bind(organization_id).fetch_all(&self.pool).await?;
        rows.iter().map(read).collect()
    }

    /// Credentials of an organization and its projects, or of all organizations, without their secrets, oldest
    /// first: those after `cursor`, which is the id of one. `only` limits them to those of some projects.
    pub async fn credentials_page(
        &self,
        organization_id: Option<&str>,
        only: &[String],
        cursor: Option<&str>,
        limit: i64,
    ) -> Result<Vec<(Credential, String)>, StorageError> {
        let of = if organization_id.is_some() { "organization_id = $1" } else { "$1 = ''" };
        let only_those = match only.len() {
            0 => String::new(),
            count => format!(" AND project_id IN ({})", placeholders(4, count)),
        };
        // Ids sort by time.
        let sql = format!(
            "SELECT credentials.id, organization_id, project_id, host, username, organizations.name AS organization \
             FROM credentials JOIN organizations ON organizations.id = organization_id \
             WHERE {of} AND credentials.id > $2{only_those} ORDER BY credentials.id LIMIT $3"
        );
        let query = sqlx::query(AssertSqlSafe(sql)).bind(organization_id.unwrap_or_default());
        let mut query = query.bind(cursor.unwrap_or_default()).bind(limit);
        for id in only {
            query = query.bind(id);
        }
        let rows = query.fetch_all(&self.pool).await?;
        rows.iter().map(|row| Ok((read(row)?, row.try_get("organization")?))).collect()
    }

    /// Credentials with an id, without their secret.
    pub async fn credential(&self, id: &str) -> Result<Option<Credential>, StorageError> {
        let sql =
            "SELECT id, organization_id, project_id, host, username FROM credentials WHERE id = $1";
        let row = sqlx::query(sql).bind(id).fetch_optional(&self.pool).await?;
        row.as_ref().map(read).transpose()
    }

    /// Removes credentials. Returns whether they existed.
    pub async fn remove_credential(&self, id: &str) -> Result<bool, StorageError> {
        let query = sqlx::query("DELETE FROM credentials WHERE id = $1").bind(id);
        self.change_one(query, id).await
    }

    /// Encrypts every secret that doesn't use the newest key. Returns how many there were.
    pub async fn reencrypt_credentials(&self, keyring: &Keyring) -> Result<u64, StorageError> {
        let select = "SELECT id, organization_id, project_id, host, secret, key_id FROM credentials WHERE key_id <> $1";
        let update =
            "UPDATE credentials SET secret = $1, key_id = $2 WHERE id = $3 AND secret = $4";
        let context = |row: &AnyRow| {
            let (organization, project) =
                (row.try_get("organization_id")?, row.try_get("project_id")?);
            Ok(context(organization, project, row.try_get("host")?))
        };
        self.reencrypt_rows(keyring, (select, update), context).await
    }
}

fn read(row: &sqlx::any::AnyRow) -> Result<Credential, StorageError> {
    let project: String = row.try_get("project_id")?;
    Ok(Credential {
        id: row.try_get("id")?,
        organization_id: row.try_get("organization_id")?,
        project_id: Some(project).filter(|project| !project.is_empty()),
        host: row.try_get("host")?,
        username: row.try_get("username")?,
    })
}

fn context(organization: &str, project: &str, host: &str) -> String {
    format!("credential\n{organization}\n{project}\n{host}")
}
