//! Access control: every operation with every kind of key, and attacks by holders of valid keys.

mod attacks;
mod keys;
mod lists;
mod mcp;
mod table;
mod things;

pub(crate) use table::{description, files};

use reqwest::Method;
use serde_json::{Value, json};

use crate::server::{Api, Process, Setup, id, write_repository};

/// A service with two organizations and a record for every operation.
pub(crate) struct AccessSetup {
    pub(crate) setup: Setup,
    process: Process,
    /// A key of the instance.
    pub(crate) operator: Api,
    /// Another project of the first organization.
    pub(crate) second: String,
    /// The other organization, and its project.
    pub(crate) other: String,
    pub(crate) other_project: String,
}

impl AccessSetup {
    /// Starts the service on SQLite or on another database.
    pub(crate) async fn new(url: Option<&str>) -> Self {
        let write = |folder: &std::path::Path| write_repository(folder, 1);
        let setup = match url {
            None => Setup::built_in(write, &[]),
            Some(url) => Setup::on_database(write, url),
        };
        setup.admin(&["project", "update", &setup.project, "--model", "builtin:edits"]);
        let made = setup.admin(&["key", "create", "operator", "--scope", "operator"]);
        let process = setup.serve();
        let key = made["key"].as_str().unwrap().to_owned();
        let operator = Api { key, ..setup.api(&process) };
        let mut place = Self {
            setup,
            process,
            operator,
            second: String::new(),
            other: String::new(),
            other_project: String::new(),
        };
        place.second = place.project(&place.setup.organization, "Second").await;
        place.other = place.organization("Other").await;
        place.other_project = place.project(&place.other, "Docs").await;
        place
    }

    /// Sends a request that must succeed. Returns its response.
    pub(crate) async fn made(&self, api: &Api, method: Method, path: &str, body: Value) -> Value {
        let answer = api.send(method.clone(), path, Some(body)).await;
        let status = answer.status();
        let body: Value = answer.json().await.unwrap_or_default();
        assert!(status.is_success(), "{method} {path}: {status} {body}");
        body
    }

    pub(crate) async fn organization(&self, name: &str) -> String {
        let body = json!({ "name": name });
        id(&self.made(&self.operator, Method::POST, "/v1/organizations", body).await)
    }

    pub(crate) async fn project(&self, organization: &str, name: &str) -> String {
        let body = json!({ "name": name, "organizationId": organization });
        id(&self.made(&self.operator, Method::POST, "/v1/projects", body).await)
    }

    /// Returns a client with a new key of an organization, created by the operator.
    pub(crate) async fn key(&self, organization: &str, scope: &str, more: Value) -> Api {
        let mut body = json!({ "name": "k", "scope": scope, "organizationId": organization });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let made = self.made(&self.operator, Method::POST, "/v1/keys", body).await;
        let key = made["key"].as_str().unwrap().to_owned();
        self.forget_the_hour().await;
        Api { key, ..self.operator.clone() }
    }

    /// Moves the time window of the limit of ten keys an hour.
    pub(crate) async fn forget_the_hour(&self) {
        let sql = "UPDATE api_keys SET created_at = created_at - 7200000";
        let pool = self.pool().await;
        sqlx::query(sql).execute(&pool).await.unwrap();
        pool.close().await;
    }

    /// Connects to the database.
    pub(crate) async fn pool(&self) -> sqlx::AnyPool {
        sqlx::any::install_default_drivers();
        let file = format!("sqlite://{}", self.setup.data().join("docwright.db").display());
        let shared = self.setup.shared();
        let url = shared.first().map_or(file, |(_, url)| (*url).to_owned());
        sqlx::AnyPool::connect(&url).await.unwrap()
    }

    pub(crate) fn address(&self) -> &str {
        &self.process.address
    }
}
