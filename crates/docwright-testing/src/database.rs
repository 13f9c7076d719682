//! A database for one test, with a way to make time pass in it.

use std::path::Path;

use docwright_storage::{
    Database,
    database::{NewProject, Queue},
};
use docwright_types::{
    domain_address::DomainAddress,
    plan::Plan,
    site::{Activation, Site},
};
use sqlx::{AnyPool, AssertSqlSafe, ConnectOptions, Row, any::AnyConnectOptions};

/// A database, and a separate connection to it.
pub struct TestDatabase {
    /// The database.
    pub database: Database,
    pool: AnyPool,
}

/// Address of a new, empty PostgreSQL database.
pub async fn postgres_url(name: &str) -> String {
    new_postgres(name, "").await
}

async fn new_postgres(name: &str, options: &str) -> String {
    let url = std::env::var("DOCWRIGHT_TEST_POSTGRES_URL");
    let url = url.expect("`cargo xtask test` starts a server; or set DOCWRIGHT_TEST_POSTGRES_URL");
    sqlx::any::install_default_drivers();
    let name = format!("{name}_{}", std::process::id());
    let server = AnyPool::connect(&url).await.unwrap();
    let sql = format!("CREATE DATABASE {name} {options}");
    sqlx::query(AssertSqlSafe(sql)).execute(&server).await.unwrap();
    format!("{}/{name}", url.rsplit_once('/').unwrap().0)
}

/// Address of a SQLite database in a folder.
pub fn sqlite_url(folder: &Path) -> String {
    format!("sqlite://{}?mode=rwc", folder.join("docwright.db").display())
}

impl TestDatabase {
    /// A SQLite database in a folder.
    pub async fn sqlite(folder: &Path) -> Self {
        Self::open(&sqlite_url(folder)).await
    }

    /// A new PostgreSQL database with a unique name.
    pub async fn postgres(name: &str) -> Self {
        Self::open(&postgres_url(name).await).await
    }

    /// A database with the collation of a language.
    pub async fn postgres_in(name: &str, language: &str) -> Self {
        let options = format!("TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE '{language}'");
        Self::open(&new_postgres(name, &options).await).await
    }

    /// The database at an address.
    pub async fn open(url: &str) -> Self {
        Self::beside(url, Database::open(url).await.unwrap()).await
    }

    /// A database that is already open.
    pub async fn beside(url: &str, database: Database) -> Self {
        // Statements of tests themselves are not recorded by the suite.
        let options: AnyConnectOptions = url.parse().unwrap();
        let pool = AnyPool::connect_with(options.disable_statement_logging()).await.unwrap();
        Self { database, pool }
    }

    /// Lets the lease and the wait of a job expire.
    pub async fn age(&self, table: &str, id: &str, milliseconds: i64) {
        let sql = format!(
            "UPDATE {table} SET lease_expires_at = lease_expires_at - {milliseconds}, run_after = run_after - {milliseconds} WHERE id = '{id}'"
        );
        self.execute(&sql).await;
    }

    /// Runs a statement on the separate connection.
    pub async fn execute(&self, sql: &str) {
        sqlx::query(AssertSqlSafe(sql.to_owned())).execute(&self.pool).await.unwrap();
    }

    /// An uncommitted transaction of another client with these changes.
    pub async fn begin(&self, changes: &[String]) -> sqlx::Transaction<'static, sqlx::Any> {
        let mut transaction = self.pool.begin().await.unwrap();
        for sql in changes {
            let query = sqlx::query(AssertSqlSafe(sql.clone()));
            query.execute(&mut *transaction).await.unwrap();
        }
        transaction
    }

    /// A reader of SQLite that sees the present state until it is dropped.
    pub async fn reader(&self) -> sqlx::Transaction<'static, sqlx::Any> {
        let mut reader = self.pool.begin().await.unwrap();
        sqlx::query("SELECT COUNT(*) FROM organizations").execute(&mut *reader).await.unwrap();
        reader
    }

    /// Fails if a text occurs in any column of any table.
    pub async fn lacks(&self, text: &str) {
        let columns = if self.database.kind() == "postgres" {
            "SELECT table_name::TEXT AS t, column_name::TEXT AS c FROM information_schema.columns \
             WHERE table_schema = 'public'"
        } else {
            "SELECT sqlite_schema.name AS t, columns.name AS c FROM sqlite_schema, \
             pragma_table_info(sqlite_schema.name) AS columns WHERE sqlite_schema.type = 'table'"
        };
        let columns = sqlx::query(columns).fetch_all(&self.pool).await.unwrap();
        assert!(columns.len() > 100, "there are more than {} columns", columns.len());
        for row in columns {
            let [table, column] = ["t", "c"].map(|name| row.try_get::<String, _>(name).unwrap());
            let sql = format!(
                "SELECT COUNT(*) FROM \"{table}\" WHERE lower(CAST(\"{column}\" AS TEXT)) LIKE '%{text}%'"
            );
            assert_eq!(self.number(&sql).await, 0, "{text} is in {table}.{column}");
        }
    }

    /// The number from a query.
    pub async fn number(&self, sql: &str) -> i64 {
        let row = sqlx::query_scalar(AssertSqlSafe(sql.to_owned())).fetch_one(&self.pool);
        row.await.unwrap()
    }

    /// The steps of SQLite's plan for a statement; `None` if SQLite can't parse it.
    pub async fn plan(&self, statement: &str) -> Option<Vec<String>> {
        let sql = AssertSqlSafe(format!("EXPLAIN QUERY PLAN {statement}"));
        let rows = sqlx::query(sql).fetch_all(&self.pool).await.ok()?;
        rows.iter().map(|row| row.try_get("detail").ok()).collect()
    }

    /// The steps of PostgreSQL's plan for a statement with any parameters; `None` if it isn't a query.
    pub async fn generic_plan(&self, statement: &str) -> Option<Vec<String>> {
        let mut connection = self.pool.acquire().await.unwrap();
        let count = (1..20).take_while(|number| statement.contains(&format!("${number}"))).count();
        let values = vec!["NULL"; count].join(", ");
        let values = if count == 0 { values } else { format!("({values})") };
        sqlx::raw_sql("SET plan_cache_mode = force_generic_plan")
            .execute(&mut *connection)
            .await
            .ok()?;
        let prepare = AssertSqlSafe(format!("PREPARE asked AS {statement}"));
        sqlx::raw_sql(prepare).execute(&mut *connection).await.ok()?;
        let explain = AssertSqlSafe(format!("EXPLAIN EXECUTE asked{values}"));
        let rows = sqlx::raw_sql(explain).fetch_all(&mut *connection).await;
        sqlx::raw_sql("DEALLOCATE asked").execute(&mut *connection).await.unwrap();
        rows.ok()?.iter().map(|row| row.try_get(0).ok()).collect()
    }

    /// The steps of the plan for a statement that must be read in the order of an index if there is one, even for
    /// small tables.
    pub async fn ordered_plan(&self, statement: &str) -> Vec<String> {
        if self.database.kind() == "sqlite" {
            return self.plan(statement).await.unwrap();
        }
        let mut connection = self.pool.acquire().await.unwrap();
        for way in ["seqscan", "bitmapscan", "sort"] {
            let sql = AssertSqlSafe(format!("SET enable_{way} = off"));
            sqlx::raw_sql(sql).execute(&mut *connection).await.unwrap();
        }
        let numbers = (1..20).take_while(|number| statement.contains(&format!("${number}")));
        let values = vec!["''"; numbers.count()].join(", ");
        sqlx::raw_sql("SET plan_cache_mode = force_generic_plan")
            .execute(&mut *connection)
            .await
            .unwrap();
        let prepare = AssertSqlSafe(format!("PREPARE ordered AS {statement}"));
        sqlx::raw_sql(prepare).execute(&mut *connection).await.unwrap();
        let explain = AssertSqlSafe(format!("EXPLAIN EXECUTE ordered({values})"));
        let rows = sqlx::raw_sql(explain).fetch_all(&mut *connection).await.unwrap();
        // Others get an unchanged connection.
        connection.close().await.unwrap();
        rows.iter().map(|row| row.try_get(0).unwrap()).collect()
    }

    /// Heads of branches from a query: project, branch, position, and commit.
    pub async fn heads(&self, sql: &str) -> Vec<(String, String, i64, Option<String>)> {
        let query = sqlx::query_as(AssertSqlSafe(sql.to_owned()));
        query.fetch_all(&self.pool).await.unwrap()
    }

    /// A site of a new organization, and its domain.
    pub async fn site(&self, name: &str) -> (Site, DomainAddress) {
        self.site_with(name, Activation::Automatic).await
    }

    /// A site of a new project with this activation.
    pub async fn site_with(&self, name: &str, activation: Activation) -> (Site, DomainAddress) {
        let organization = self.database.create_organization(name, Plan::Free, 1).await.unwrap();
        let project = NewProject {
            organization_id: &organization.id,
            name,
            repository: "/r",
            docs_path: "",
            model: None,
            activation,
        };
        let project = self.database.create_project(project, 1).await.unwrap();
        let domain = DomainAddress::parse(&format!("{name}.example.com")).unwrap();
        self.database.add_domain(&domain, &project.id, None, 1).await.unwrap();
        (self.database.site_of_domain(&domain).await.unwrap().unwrap(), domain)
    }

    /// Ends all jobs of a queue. Those that run, or wait for their next try, would otherwise be claimed in the middle of
    /// a slow test, when their time has come.
    pub async fn drain(&self, queue: Queue) {
        let table = queue.table();
        let due = format!("UPDATE {table} SET run_after = 0");
        let expired = format!("UPDATE {table} SET lease_expires_at = 0");
        self.execute(&due).await;
        self.execute(&format!("{expired} WHERE lease_expires_at IS NOT NULL")).await;
        while let Some(claim) = self.database.claim(queue, 60_000, 1).await.unwrap() {
            self.database.fail(&claim.lease, "drained", 1).await.unwrap();
        }
    }
}
