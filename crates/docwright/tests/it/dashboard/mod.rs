//! The dashboard, as browsers have it: over real HTTP, with people who signed in by its own forms.

mod access;
mod account;
mod account_deletion;
mod audit;
mod browser;
mod factors;
mod instance;
mod jobs;
mod keys;
mod lists;
mod members;
mod openid;
mod passkeys;
mod plans;
mod preview_access;
mod project;
mod pull_requests;
mod setup;
mod sign_in;
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

pub(crate) use browser::{Browser, Page};

use crate::server::{Api, Process, Setup, write_repository};

/// The password of everybody here.
pub(crate) const PASSWORD: &str = "correct horse battery";

/// A service with an operator, and an organization (`setup.organization`) with a project (`setup.project`)
/// that is on docwright's own git host.
pub(crate) struct Dashboard {
    pub(crate) setup: Setup,
    pub(crate) process: Process,
    /// The organization that the operator made first.
    pub(crate) other: String,
    /// A browser of the operator, `root@example.com`.
    pub(crate) operator: Browser,
    people: AtomicU32,
}

impl Dashboard {
    /// On SQLite, as it is by default.
    pub(crate) async fn start() -> Self {
        Self::with(&[]).await
    }

    /// With more of the environment.
    pub(crate) async fn with(variables: &[(&str, &str)]) -> Self {
        let setup = Setup::built_in(|folder| write_repository(folder, 1), &[]);
        Self::on(setup, variables).await
    }

    /// With a data folder, database or repository that someone chose.
    pub(crate) async fn on(setup: Setup, variables: &[(&str, &str)]) -> Self {
        let (process, path) = New::start(&setup, variables);
        let operator = Browser::new(&process.address);
        let token = path.split_once("token=").expect("it has a token").1;
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

    /// A browser that nobody has signed in with.
    pub(crate) fn browser(&self) -> Browser {
        Browser::new(&self.process.address)
    }

    /// A client of the API with a new key of the organization.
    pub(crate) fn api(&self, scope: &str) -> Api {
        let key = self.setup.new_key(&["--scope", scope]);
        Api { key, ..self.setup.api(&self.process) }
    }

    /// The browser of someone new who is `viewer`, `editor` or `admin` of the organization.
    pub(crate) async fn member(&self, role: &str) -> Browser {
        self.member_of(&self.setup.organization, role).await.1
    }

    /// The same in another organization, with their email address.
    pub(crate) async fn member_of(&self, organization: &str, role: &str) -> (String, Browser) {
        let (_, email) = self.account_of(organization, role).await;
        let browser = self.sign_in(&email).await;
        (email, browser)
    }

    /// The id and the email address of a new member of the organization, who is signed in nowhere.
    pub(crate) async fn account(&self, role: &str) -> (String, String) {
        self.account_of(&self.setup.organization, role).await
    }

    async fn account_of(&self, organization: &str, role: &str) -> (String, String) {
        let number = self.people.fetch_add(1, Ordering::Relaxed);
        let (id, email) = (format!("acc_{number}"), format!("{role}{number}@example.com"));
        let pool = self.pool().await;
        // Their password is that of the operator.
        let sql = "INSERT INTO accounts (id, email, name, password, is_operator, created_at) \
             SELECT $1, $2, $3, password, 0, created_at FROM accounts WHERE email = 'root@example.com'";
        let account = sqlx::query(sql).bind(&id).bind(&email).bind(format!("The {role}"));
        account.execute(&pool).await.expect("the account is made");
        let sql = "INSERT INTO members (organization_id, account_id, role, created_at) VALUES ($1, $2, $3, 0)";
        let member = sqlx::query(sql).bind(organization).bind(&id).bind(role);
        member.execute(&pool).await.expect("the member is made");
        pool.close().await;
        (id, email)
    }

    /// Invites someone to the organization; the id of the invitation.
    pub(crate) async fn invitation(&self, number: u32) -> String {
        let path = format!("/organizations/{}/invitations", self.setup.organization);
        let email = format!("guest{number}@example.com");
        let made = self.operator.post(&path, &[("email", &email), ("role", "viewer")]).await;
        let id = made.after("/invitations/inv_");
        format!("inv_{}", id.split('/').next().unwrap_or_default())
    }

    /// A new browser, in which someone signs in.
    pub(crate) async fn sign_in(&self, email: &str) -> Browser {
        let browser = self.browser();
        let page = browser.post("/sign-in", &[("email", email), ("password", PASSWORD)]).await;
        assert_eq!(page.status, 303, "{email} signs in: {}", page.text);
        browser
    }

    /// The public id of a new key of the organization.
    pub(crate) async fn new_key(&self) -> String {
        let key = self.setup.new_key(&["--scope", "read"]);
        self.forget_the_hour().await;
        key.split('_').nth(1).expect("it has an id").to_owned()
    }

    /// The id of an agent job of the project that has ended.
    pub(crate) async fn ended_job(&self, prompt: &str) -> String {
        let api = self.setup.api(&self.process);
        let job = api.prompt(&self.setup.project, prompt).await;
        let job = job["id"].as_str().expect("it has an id").to_owned();
        api.finished(&self.setup.project, &job).await;
        job
    }

    /// Lets the hour pass in which an organization makes ten keys.
    pub(crate) async fn forget_the_hour(&self) {
        let pool = self.pool().await;
        let sql = "UPDATE api_keys SET created_at = created_at - 7200000";
        sqlx::query(sql).execute(&pool).await.expect("the keys are older");
        pool.close().await;
    }

    /// The active release of the project, once a number of releases are ready, as the API shows it.
    pub(crate) async fn released(&self, api: &Api, count: usize) -> Value {
        let path = format!("/v1/projects/{}/releases", self.setup.project);
        eventually(&format!("{count} releases are ready"), async || {
            let list: Value = api.send(Method::GET, &path, None).await.json().await.expect("JSON");
            let all = list["releases"].as_array().expect("it is a list");
            let ready = all.iter().filter(|each| each["status"] == "ready").count();
            let active = all.iter().find(|each| each["active"] == true);
            active.filter(|_| ready >= count).cloned().ok_or(list)
        })
        .await
    }

    /// The id of what a reader said of the first page.
    pub(crate) async fn feedback(&self, helpful: bool, comment: Option<&str>) -> String {
        let number = self.people.fetch_add(1, Ordering::Relaxed);
        let id = format!("feedback_{number:04}");
        let pool = self.pool().await;
        let sql = "INSERT INTO feedback (id, domain, project_id, page, helpful, comment, created_at) \
             VALUES ($1, 'docs.example.com', $2, 'page-1', $3, $4, 1790000000000)";
        let said = sqlx::query(sql).bind(&id).bind(&self.setup.project).bind(i64::from(helpful));
        said.bind(comment).execute(&pool).await.expect("it is kept");
        pool.close().await;
        id
    }

    /// The database itself.
    pub(crate) async fn pool(&self) -> sqlx::AnyPool {
        sqlx::any::install_default_drivers();
        let file = format!("sqlite://{}", self.setup.data().join("docwright.db").display());
        let shared = self.setup.shared();
        let url = shared.first().map_or(file, |(_, url)| (*url).to_owned());
        sqlx::AnyPool::connect(&url).await.expect("the database is there")
    }
}

/// A service that nobody has an account of.
pub(crate) struct New;

impl New {
    /// Starts it. The second is the path of the set-up, which it writes into its log.
    pub(crate) fn start(setup: &Setup, variables: &[(&str, &str)]) -> (Process, String) {
        let mut command = setup.service(variables);
        command.env("RUST_LOG", "info");
        let (sender, receiver) = mpsc::channel();
        let process = Process::start_logged(command, move |errors| {
            for line in BufReader::new(errors).lines().map_while(Result::ok) {
                if let Some((_, rest)) = line.split_once("/setup?token=") {
                    let is_token = |letter: &char| letter.is_ascii_alphanumeric();
                    let token: String = rest.chars().take_while(is_token).collect();
                    // The test can be over.
                    let _sent = sender.send(format!("/setup?token={token}"));
                }
            }
        });
        let path = receiver.recv_timeout(std::time::Duration::from_mins(1));
        (process, path.expect("the log says where to begin"))
    }
}
