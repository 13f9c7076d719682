//! Third-party git hosts: reports and requests to them, over real HTTP with real git.

mod github;
mod hooks;
mod questions;
mod reports;
mod story;

use std::time::Duration;

use docwright_repository::{
    git_hosts::{GitHubApp, HostSettings, RemoteHost},
    location::RemoteAddress,
    network::{AllowedHosts, Network},
};
use docwright_testing::wait::eventually;
use docwright_types::git_host::GitHostKind;
use serde_json::Value;

use crate::{
    agent::{mocks::Mock, write_site},
    server::{Api, Process, Setup, git},
};

const TOKEN: &str = "github-test-token";

struct Hub {
    folder: tempfile::TempDir,
    mock: Mock,
}

impl Hub {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (work, bare) = (folder.path().join("work"), folder.path().join("acme/docs.git"));
        write_site(&work);
        git(&work, &["init", "--quiet", "--initial-branch", "trunk"]);
        git(&work, &["add", "--all"]);
        git(&work, &["commit", "--quiet", "--message", "Start"]);
        std::fs::create_dir_all(bare.parent().unwrap()).unwrap();
        let paths = [work.display().to_string(), bare.display().to_string()];
        git(folder.path(), &["clone", "--quiet", "--bare", &paths[0], &paths[1]]);
        let mock = Mock::start("github.mjs", &[&folder.path().display().to_string(), TOKEN]);
        Self { folder, mock }
    }

    fn bare(&self) -> std::path::PathBuf {
        self.folder.path().join("acme/docs.git")
    }

    /// Starts a service with a project on this host. The operator has a token for the host.
    fn serve(&self, variables: &[(&str, &str)]) -> Running {
        let setup = Setup::at_address(&format!("{}/acme/docs.git", self.mock.address));
        self.serve_setup(setup, variables)
    }

    /// Restarts the service with other settings.
    fn serve_again(&self, running: Running, variables: &[(&str, &str)]) -> Running {
        let Running { setup, _process: process, .. } = running;
        drop(process);
        self.serve_setup(setup, variables)
    }

    fn serve_setup(&self, setup: Setup, variables: &[(&str, &str)]) -> Running {
        let host = self.mock.address.trim_start_matches("http://");
        let (hosts, tokens) = (format!("{host}=github"), format!("{host}={TOKEN}"));
        let mut all = vec![
            ("DOCWRIGHT_GIT_HOSTS", hosts.as_str()),
            ("DOCWRIGHT_GIT_TOKENS", tokens.as_str()),
            ("DOCWRIGHT_LEASE_SECONDS", "2"),
        ];
        all.extend(variables);
        let process = setup.serve_with(&all);
        let api = setup.api(&process);
        Running { setup, _process: process, api }
    }

    /// Pushes a change to a page. Returns the commit.
    fn push(&self, words: &str) -> String {
        let work = self.folder.path().join("work");
        std::fs::write(work.join("page-0.mdx"), format!("---\ntitle: Zero\n---\n\n{words}\n"))
            .unwrap();
        git(&work, &["commit", "--quiet", "--all", "--message", words]);
        git(&work, &["push", "--quiet", &self.bare().display().to_string(), "HEAD:trunk"]);
        git(&work, &["rev-parse", "HEAD"])
    }

    /// The repository, opened with a token or as an app.
    fn git_hosts(&self, is_app: bool) -> RemoteHost {
        let host = self.mock.address.trim_start_matches("http://").to_owned();
        let mut settings = HostSettings {
            kinds: [(host.clone(), GitHostKind::GitHub)].into(),
            first_wait: Some(Duration::from_millis(1)),
            ..HostSettings::default()
        };
        if is_app {
            let key = std::fs::read(self.folder.path().join("app.pem")).unwrap();
            settings.github_app = Some(GitHubApp::new("12", &key).unwrap());
        } else {
            settings.tokens = [(host.clone(), TOKEN.to_owned())].into();
        }
        let network = Network::new(host.parse::<AllowedHosts>().unwrap());
        let address = format!("http://{host}/acme/docs.git");
        let address = RemoteAddress::parse(&address).unwrap();
        RemoteHost::new(&address, None, &settings, &network).unwrap()
    }

    async fn ask(&self, path: &str) -> Value {
        reqwest::get(format!("{}{path}", self.mock.address)).await.unwrap().json().await.unwrap()
    }

    /// Requests that GitHub received. All must be valid.
    async fn journal(&self) -> Value {
        let journal = self.ask("/journal").await;
        for request in journal["requests"].as_array().unwrap() {
            assert_eq!(request["valid"], true, "{request}");
        }
        journal
    }
}

struct Running {
    setup: Setup,
    _process: Process,
    api: Api,
}

impl Running {
    async fn page(&self, path: &str) -> String {
        let request = self.api.client.get(format!("{}/{path}", self.api.base));
        request.header("host", "docs.example.com").send().await.unwrap().text().await.unwrap()
    }

    /// Waits until a page contains a text.
    async fn shows(&self, path: &str, words: &str) {
        eventually(&format!("{path} shows {words:?}"), async || {
            let page = self.page(path).await;
            if page.contains(words) { Ok(()) } else { Err(page) }
        })
        .await;
    }

    /// Reads a number from the service's database.
    async fn number(&self, sql: &str) -> i64 {
        sqlx::any::install_default_drivers();
        let url = format!("sqlite://{}", self.setup.data().join("docwright.db").display());
        let pool = sqlx::AnyPool::connect(&url).await.unwrap();
        let query = sqlx::query_scalar(sqlx::AssertSqlSafe(sql.to_owned()));
        let number = query.fetch_one(&pool).await.unwrap();
        pool.close().await;
        number
    }
}
