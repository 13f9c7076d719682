//! Tests whether a database can be opened. The error names the server, never a password, and comes within seconds.

use std::{borrow::Cow, io::ErrorKind, str::FromStr, sync::LazyLock, time::Duration};

use sqlx::{
    AnyConnection, AnyPool, AssertSqlSafe, Connection, Row, SqlSafeStr,
    any::AnyConnectOptions,
    migrate::{MigrateError, Migration, MigrationType, Migrator},
};
use tokio::time::timeout;

use super::tls;
use crate::StorageError;

/// How long a server can take to accept a connection.
const PATIENCE: Duration = Duration::from_secs(5);
/// The supported forms of an address.
const FORMS: &str = "write it as postgres://USER:PASSWORD@HOST:PORT/NAME";

/// Why a database created by an unreleased version is refused.
const UNRELEASED: &str =
    "its tables were created by an unreleased docwright; start with a new database";

/// The migrations, and the same for SQLite. sqlx's macro for that would compile both databases a second time, for the
/// compiler's own use.
static MIGRATIONS: LazyLock<Migrator> = LazyLock::new(|| migrations("PostgreSQL"));
static SQLITE_MIGRATIONS: LazyLock<Migrator> = LazyLock::new(|| migrations("SQLite"));

fn migrations(database: &str) -> Migrator {
    let files = [(1, "schema", include_str!("../../migrations/0001_schema.sql"))];
    let migrations = files.map(|(version, name, sql)| {
        let sql = AssertSqlSafe(with_parts_of(database, sql)).into_sql_str();
        Migration::new(version, name.into(), MigrationType::Simple, sql, false)
    });
    Migrator::with_migrations(migrations.into())
}

/// A migration with the parts that only one database has. They stand in comments, such as `/* SQLite: WITHOUT ROWID */`.
fn with_parts_of(database: &str, sql: &str) -> String {
    let mark = format!("/* {database}: ");
    let mut parts = sql.split(&mark);
    let mut whole = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (own, after) = part.split_once(" */").unwrap_or((part, ""));
        whole.extend([own, after]);
    }
    whole
}

fn migrations_of(is_postgres: bool) -> &'static Migrator {
    if is_postgres { &MIGRATIONS } else { &SQLITE_MIGRATIONS }
}

/// Opens the first connection, and returns the options for others. A pool would try for long, and report only a
/// timeout.
pub(super) async fn connect(
    url: &str,
    is_postgres: bool,
) -> Result<(AnyConnection, AnyConnectOptions), StorageError> {
    let options = AnyConnectOptions::from_str(url).map_err(|error| {
        // The text can contain a password, so only the error is reported.
        let reason = without_prefix(&error);
        StorageError::Open(format!(
            "the address can't be read: {reason}; {FORMS}, and escape special characters of the password, such as %40 for @ and %2F for /"
        ))
    })?;
    let server = Server::of(&options);
    if !is_postgres {
        let opened = server.connect(&options).await?;
        return Ok((opened.map_err(|error| server.refusal(error))?, options));
    }
    let mut attempts = tls::attempts(&options).map_err(|error| server.refusal(error))?;
    let last = attempts.pop().unwrap_or(options);
    for options in attempts {
        tls::check_files(&options)?;
        match server.connect(&options).await? {
            Err(error) if tls::is_refusal(&error) => {}
            opened => return Ok((opened.map_err(|error| server.refusal(error))?, options)),
        }
    }
    tls::check_files(&last)?;
    let opened = server.connect(&last).await?;
    Ok((opened.map_err(|error| server.refusal(error))?, last))
}

/// Brings the tables up to date.
pub(super) async fn migrate(pool: &AnyPool, is_postgres: bool) -> Result<(), StorageError> {
    if is_postgres {
        add_collation(pool).await.map_err(refused)?;
    }
    match migrations_of(is_postgres).run(pool).await {
        Err(MigrateError::VersionMissing(_) | MigrateError::VersionMismatch(_))
            if is_unreleased(pool, is_postgres).await? =>
        {
            Err(StorageError::Open(UNRELEASED.to_owned()))
        }
        migrated => migrated.map_err(refused),
    }
}

/// Whether the tables were created by an unreleased docwright, which had another first migration.
async fn is_unreleased(pool: &AnyPool, is_postgres: bool) -> Result<bool, StorageError> {
    let sql = "SELECT checksum FROM _sqlx_migrations WHERE version = 1";
    let row = sqlx::query(sql).fetch_optional(pool).await?;
    let found: Option<Vec<u8>> = row.map(|row| row.try_get("checksum")).transpose()?;
    let first = migrations_of(is_postgres).iter().find(|migration| migration.version == 1);
    Ok(found.as_deref() != first.map(|migration| &*migration.checksum))
}

/// Gives PostgreSQL the collation of SQLite: byte by byte, in every language of the database. So both answer a
/// search in the same way, and indexes use the same expressions.
async fn add_collation(pool: &AnyPool) -> Result<(), MigrateError> {
    let is_there =
        "SELECT 1 FROM pg_collation WHERE collname = 'binary' AND pg_collation_is_visible(oid)";
    if sqlx::query(is_there).fetch_optional(pool).await?.is_some() {
        return Ok(());
    }
    let sql = "CREATE COLLATION IF NOT EXISTS \"binary\" FROM \"C\"";
    match sqlx::query(sql).execute(pool).await {
        // Another node that starts now created it first.
        Err(error) if matches!(code(&error).as_deref(), Some("23505" | "42710")) => Ok(()),
        made => Ok(made.map(drop)?),
    }
}

/// Why the tables could not be updated.
fn refused(error: MigrateError) -> StorageError {
    match error {
        MigrateError::VersionMissing(found) => {
            let known = MIGRATIONS.iter().map(|each| each.version).max().unwrap_or_default();
            StorageError::Open(format!(
                "a newer docwright has changed its tables: they are at version {found} or later, and this docwright knows {known}; start the newer one, or restore a backup from before"
            ))
        }
        MigrateError::VersionMismatch(found) => StorageError::Open(format!(
            "its tables were not created by a released docwright: version {found} differs; start the docwright that created them, or restore a backup"
        )),
        MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _)
            if code(&error).as_deref() == Some("42501") =>
        {
            StorageError::Open(format!(
                "its user can't create tables: {}; let it own the database, or grant it CREATE on the schema",
                without_prefix(&error)
            ))
        }
        other => other.into(),
    }
}

/// Whether an address is that of a PostgreSQL server.
pub(super) fn is_postgres(url: &str) -> Result<bool, StorageError> {
    match url.split_once(':').map(|(scheme, _)| scheme) {
        Some("postgres" | "postgresql") => Ok(true),
        Some("sqlite") => Ok(false),
        // The text before a colon can be a username, followed by a password.
        Some(other) if url.contains("://") && other.len() < 20 => {
            Err(StorageError::Open(format!("unsupported database scheme `{other}://`; {FORMS}")))
        }
        _ => Err(StorageError::Open(format!("the address has no scheme; {FORMS}"))),
    }
}

/// Server and database of an address, without its password.
struct Server {
    is_postgres: bool,
    place: String,
    user: String,
    database: String,
}

impl Server {
    fn of(options: &AnyConnectOptions) -> Self {
        let url = &options.database_url;
        let asked = |name: &str| {
            url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
        };
        let host = url.host_str().filter(|host| !host.is_empty()).map(str::to_owned);
        let host = host.or_else(|| asked("host")).unwrap_or_else(|| "localhost".to_owned());
        let database = url.path().trim_start_matches('/').to_owned();
        let place = format!("{host}:{}", url.port().unwrap_or(5432));
        Self {
            is_postgres: url.scheme() != "sqlite",
            place,
            user: url.username().to_owned(),
            database,
        }
    }

    /// An unresponsive server is a separate error.
    async fn connect(
        &self,
        options: &AnyConnectOptions,
    ) -> Result<Result<AnyConnection, sqlx::Error>, StorageError> {
        timeout(PATIENCE, AnyConnection::connect_with(options)).await.map_err(|_| {
            StorageError::Open(format!(
                "the database server at {} did not respond within {} seconds; check that it runs and that no firewall blocks it",
                self.place,
                PATIENCE.as_secs()
            ))
        })
    }

    /// The error for a missing connection.
    fn refusal(&self, error: sqlx::Error) -> StorageError {
        let Self { place, user, database, .. } = self;
        let reason = without_prefix(&error);
        let code = code(&error);
        if let Some(sentence) = tls::refusal(&error, place) {
            return StorageError::Open(sentence);
        }
        let sentence = match (&error, code.as_deref()) {
            // The server answered with another protocol.
            (sqlx::Error::Io(error), _) if error.kind() == ErrorKind::UnexpectedEof => {
                self.stranger(&reason)
            }
            (sqlx::Error::Io(_), _) => format!(
                "the database server at {place} can't be reached: {reason}; check that it runs, and the host and port in the address"
            ),
            (_, Some("28P01" | "28000")) => format!(
                "the database server at {place} refused the user `{user}`: {reason}; {}",
                admission(&reason)
            ),
            (_, Some("3D000")) => format!(
                "the database server at {place} has no database `{database}`; create it, for example with `createdb {database}`, or correct the address"
            ),
            (sqlx::Error::Database(_), Some(_)) if self.is_postgres => {
                format!("the database at {place} can't be opened: {reason}")
            }
            (sqlx::Error::Protocol(_), _) => self.stranger(&reason),
            (sqlx::Error::Configuration(_), _) => {
                format!("the address can't be used: {reason}; {FORMS}")
            }
            _ => return error.into(),
        };
        StorageError::Open(sentence)
    }

    fn stranger(&self, reason: &str) -> String {
        format!(
            "the server at {} is not a PostgreSQL server, or it closed the connection: {reason}; check the host and port in the address",
            self.place
        )
    }
}

/// Remedies for a refused user, by PostgreSQL's reason.
fn admission(reason: &str) -> &'static str {
    if reason.contains("client certificate") {
        "set sslcert and sslkey in the address to the files of a certificate and its private key"
    } else if reason.starts_with("certificate authentication failed") {
        "name the user of the certificate of sslcert in the address, or set sslcert to one for this user"
    } else if reason.contains("no encryption") {
        "set sslmode=require in the address if the server takes this user only over TLS, or add the user to its pg_hba.conf"
    } else {
        "check the user and the password in the address"
    }
}

/// The error code of a database.
fn code(error: &sqlx::Error) -> Option<Cow<'_, str>> {
    error.as_database_error().and_then(sqlx::error::DatabaseError::code)
}

/// The reason alone, without sqlx's prefix.
fn without_prefix(error: &sqlx::Error) -> String {
    match error {
        sqlx::Error::Database(inner) => inner.message().to_owned(),
        sqlx::Error::Io(inner) => inner.to_string(),
        sqlx::Error::Configuration(inner) | sqlx::Error::Tls(inner) => {
            let reason = inner.to_string();
            reason.strip_prefix("error with configuration: ").map_or(reason.clone(), str::to_owned)
        }
        sqlx::Error::Protocol(inner) => inner.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_migration_file_is_applied() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations");
        let files = std::fs::read_dir(folder).unwrap();
        let mut files: Vec<_> =
            files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
        files.sort();
        let name = |migration: &Migration| {
            format!("{:04}_{}.sql", migration.version, migration.description)
        };
        assert_eq!(MIGRATIONS.iter().map(name).collect::<Vec<_>>(), files);
    }

    #[test]
    fn parts_of_other_databases_are_left_as_comments() {
        let sql = "CREATE TABLE a (b INTEGER PRIMARY KEY /* PostgreSQL: INCLUDE (b) */) /* SQLite: WITHOUT ROWID */; -- c";
        let [postgres, sqlite] = ["PostgreSQL", "SQLite"].map(|name| with_parts_of(name, sql));
        let (include, without) = (" /* PostgreSQL: INCLUDE (b) */", " /* SQLite: WITHOUT ROWID */");
        assert_eq!(postgres, sql.replace(include, " INCLUDE (b)"));
        assert_eq!(sqlite, sql.replace(without, " WITHOUT ROWID"));
    }
}
