//! The dashboard over real HTTP, with accounts that sign in through its forms.

mod access;
mod account;
mod account_deletion;
mod audit;
mod browser;
mod empty_searches;
mod factors;
mod forgotten_password;
mod frame;
mod gaps;
mod inbox;
mod instance;
mod jobs;
mod keys;
mod lists;
mod members;
mod openid;
mod page_edit;
mod passkeys;
mod personal_tokens;
mod plans;
mod preview_access;
mod project;
mod pull_requests;
mod redirects;
mod reviews;
mod search;
mod setup;
mod sign_in;
mod site_pages;
mod two_tabs;

use std::{
    io::{BufRead, BufReader},
    sync::{
        atomic::{AtomicU32, Ordering},
        mpsc,
    },
};

use docwright_testing::wait::eventually;
use reqwest::Method;
use serde_json::Value;
use sha2::{Digest, Sha256};

pub(crate) use browser::{Browser, Page};

use crate::server::{Api, Process, Setup, write_repository};

/// The password of all accounts.
pub(crate) const PASSWORD: &str = "correct horse battery";

/// A service with an operator and an organization (`setup.organization`) that has a project (`setup.project`)
/// on the built-in git host.
pub(crate) struct Dashboard {
    pub(crate) setup: Setup,
    pub(crate) process: Process,
    /// Another organization, created first by the operator.
    pub(crate) other: String,
    /// A browser of the operator, `root@example.com`.
    pub(crate) operator: Browser,
    people: AtomicU32,
}

impl Dashboard {
    /// Starts the service on SQLite, the default.
    pub(crate) async fn start() -> Self {
        Self::with(&[]).await
    }

    /// Starts the service with more variables.
    pub(crate) async fn with(variables: &[(&str, &str)]) -> Self {
        let setup = Setup::built_in(|folder| write_repository(folder, 1), &[]);
        Self::on(setup, variables).await
    }

    /// Starts the service on a chosen data folder, database, or repository.
    pub(crate) async fn on(setup: Setup, variables: &[(&str, &str)]) -> Self {
        let (process, path) = New::start(&setup, variables);
        let operator = Browser::new(&process.address);
        let token = path.split_once("token=").expect("the setup path has a token").1;
        let fields = [
            ("token", token),
            ("name", "Root"),
            ("email", "root@example.com"),
            ("password", PASSWORD),
            ("organization", "First"),
        ];
        let home = operator.submit("/setup", &fields).await;
        let other = home.after("/organizations/org_");
        let other = format!("org_{}", other.split('/').next().unwrap_or_default());
        Self { setup, process, other, operator, people: AtomicU32::new(0) }
    }

    /// Opens a browser that isn't signed in.
    pub(crate) fn browser(&self) -> Browser {
        Browser::new(&self.process.address)
    }

    /// Returns an API client with a new key of the organization.
    pub(crate) fn api(&self, scope: &str) -> Api {
        let key = self.setup.new_key(&["--scope", scope]);
        Api { key, ..self.setup.api(&self.process) }
    }

    /// Opens the browser of a new `viewer`, `editor`, or `admin` of the organization.
    pub(crate) async fn member(&self, role: &str) -> Browser {
        self.member_of(&self.setup.organization, role).await.1
    }

    /// Opens the browser of a new member of an organization. Returns it with the email address.
    pub(crate) async fn member_of(&self, organization: &str, role: &str) -> (String, Browser) {
        let (_, email) = self.account_of(organization, role).await;
        let browser = self.sign_in(&email).await;
        (email, browser)
    }

    /// Creates a member of the organization who isn't signed in. Returns id and email address.
    pub(crate) async fn account(&self, role: &str) -> (String, String) {
        self.account_of(&self.setup.organization, role).await
    }

    async fn account_of(&self, organization: &str, role: &str) -> (String, String) {
        let number = self.people.fetch_add(1, Ordering::Relaxed);
        let (id, email) = (format!("acc_{number}"), format!("{role}{number}@example.com"));
        let pool = self.pool().await;
        // The password is the same as the operator's.
        let sql = "INSERT INTO accounts (id, email, name, password, is_operator, created_at) \
             SELECT $1, $2, $3, password, 0, created_at FROM accounts WHERE email = 'root@example.com'";
        let account = sqlx::query(sql).bind(&id).bind(&email).bind(format!("The {role}"));
        account.execute(&pool).await.expect("the account is created");
        let sql = "INSERT INTO members (organization_id, account_id, role, created_at) VALUES ($1, $2, $3, 0)";
        let member = sqlx::query(sql).bind(organization).bind(&id).bind(role);
        member.execute(&pool).await.expect("the member is created");
        pool.close().await;
        (id, email)
    }

    /// Adds an account to another organization.
    pub(crate) async fn join(&self, email: &str, organization: &str, role: &str) {
        let pool = self.pool().await;
        let sql = "INSERT INTO members (organization_id, account_id, role, created_at) \
             SELECT $1, id, $2, 0 FROM accounts WHERE email = $3";
        let joined = sqlx::query(sql).bind(organization).bind(role).bind(email);
        joined.execute(&pool).await.expect("the member is created");
        pool.close().await;
    }

    /// Invites an address to the organization. Returns the invitation's id.
    pub(crate) async fn invitation(&self, number: u32) -> String {
        let path = format!("/organizations/{}/invitations", self.setup.organization);
        let email = format!("guest{number}@example.com");
        let made = self.operator.post(&path, &[("email", &email), ("role", "viewer")]).await;
        let id = made.after("/invitations/inv_");
        format!("inv_{}", id.split('/').next().unwrap_or_default())
    }

    /// Signs in to an account in a new browser.
    pub(crate) async fn sign_in(&self, email: &str) -> Browser {
        let browser = self.browser();
        let page = browser.post("/sign-in", &[("email", email), ("password", PASSWORD)]).await;
        assert_eq!(page.status, 303, "{email} signs in: {}", page.text);
        browser
    }

    /// Creates a key of the organization. Returns its public id.
    pub(crate) async fn new_key(&self) -> String {
        let key = self.setup.new_key(&["--scope", "read"]);
        self.forget_the_hour().await;
        key.split('_').nth(1).expect("a key has an id").to_owned()
    }

    /// Runs an agent job of the project to its end. Returns its id.
    pub(crate) async fn ended_job(&self, prompt: &str) -> String {
        let api = self.setup.api(&self.process);
        let job = api.prompt(&self.setup.project, prompt).await;
        let job = job["id"].as_str().expect("a job has an id").to_owned();
        api.finished(&self.setup.project, &job).await;
        job
    }

    /// Moves the time window of the limit of ten keys an hour.
    pub(crate) async fn forget_the_hour(&self) {
        let pool = self.pool().await;
        let sql = "UPDATE api_keys SET created_at = created_at - 7200000";
        sqlx::query(sql).execute(&pool).await.expect("the keys can be moved back");
        pool.close().await;
    }

    /// Waits until a number of releases are ready. Returns the active release, as the API shows it.
    pub(crate) async fn released(&self, api: &Api, count: usize) -> Value {
        let path = format!("/v1/projects/{}/releases", self.setup.project);
        eventually(&format!("{count} releases are ready"), async || {
            let list: Value = api.send(Method::GET, &path, None).await.json().await.expect("JSON");
            let all = list["releases"].as_array().expect("releases are a list");
            let ready = all.iter().filter(|each| each["status"] == "ready").count();
            let active = all.iter().find(|each| each["active"] == true);
            active.filter(|_| ready >= count).cloned().ok_or(list)
        })
        .await
    }

    /// Stores feedback of a reader on the first page. Returns its id.
    pub(crate) async fn feedback(&self, helpful: bool, comment: Option<&str>) -> String {
        let number = self.people.fetch_add(1, Ordering::Relaxed);
        let id = format!("feedback_{number:04}");
        let pool = self.pool().await;
        let sql = "INSERT INTO feedback (id, domain, project_id, page, helpful, comment, created_at) \
             VALUES ($1, 'docs.example.com', $2, 'page-1', $3, $4, 1790000000000)";
        let said = sqlx::query(sql).bind(&id).bind(&self.setup.project).bind(i64::from(helpful));
        said.bind(comment).execute(&pool).await.expect("feedback can be stored");
        pool.close().await;
        id
    }

    /// Stores a question that the assistant refused. Returns the id of its gap.
    pub(crate) async fn gap(&self, question: &str) -> String {
        let id = format!("gap-{:04}", self.people.fetch_add(1, Ordering::Relaxed));
        let sources = r#"[{"page":"page-1","anchor":"","title":"One","heading":""}]"#;
        let pool = self.pool().await;
        let sql = "INSERT INTO assistant_questions (id, project_id, domain, thread, asked_at, expires_at, question, \
             answer, kind, sources, asked_from) VALUES ($1, $2, 'docs.example.com', $1, 1790000000000, \
             4790000000000, $3, '', 'refused', $4, 'site')";
        let asked = sqlx::query(sql).bind(&id).bind(&self.setup.project).bind(question);
        asked.bind(sources).execute(&pool).await.expect("a question can be stored");
        pool.close().await;
        hex::encode(&Sha256::digest(&id)[..8])
    }

    /// Connects to the database.
    pub(crate) async fn pool(&self) -> sqlx::AnyPool {
        sqlx::any::install_default_drivers();
        let file = format!("sqlite://{}", self.setup.data().join("docwright.db").display());
        let shared = self.setup.shared();
        let url = shared.first().map_or(file, |(_, url)| (*url).to_owned());
        sqlx::AnyPool::connect(&url).await.expect("the database exists")
    }
}

/// A service without accounts.
pub(crate) struct New;

impl New {
    /// Starts the service. Returns it with the setup path from its log.
    pub(crate) fn start(setup: &Setup, variables: &[(&str, &str)]) -> (Process, String) {
        let mut command = setup.service(variables);
        command.env("RUST_LOG", "info");
        let (sender, receiver) = mpsc::channel();
        let process = Process::start_logged(command, move |errors| {
            for line in BufReader::new(errors).lines().map_while(Result::ok) {
                if let Some((_, rest)) = line.split_once("/setup?token=") {
                    let is_token = |letter: &char| letter.is_ascii_alphanumeric();
                    let token: String = rest.chars().take_while(is_token).collect();
                    // The test might already be over.
                    let _sent = sender.send(format!("/setup?token={token}"));
                }
            }
        });
        let path = receiver.recv_timeout(std::time::Duration::from_mins(1));
        (process, path.expect("the log contains the setup path"))
    }
}
