//! A separate instance for a test: a database, git, and a way to make time pass for jobs.

use std::{future::Future, path::Path, sync::Arc, time::Duration};

use docwright_jobs::{
    clock::Clock,
    lost_bundles::LostBundles,
    repositories::{NoPreviews, Repositories},
    result_caches::ResultCaches,
};
use docwright_repository::{
    checkout::{Checkouts, Limits},
    clones::{CloneLimits, Clones},
    git::{Environment, Git},
    git_hosts::HostSettings,
    network::{AllowedHosts, Network},
};
use docwright_storage::{
    Database, Keyring, Objects,
    database::{NewProject, Project, Queue, Requested},
};
use docwright_types::{
    domain_address::DomainAddress,
    plan::Plan,
    release::{Release, ReleaseStatus, Trigger},
    site::Activation,
};
use sqlx::{AnyPool, AssertSqlSafe};
use tempfile::TempDir;

/// Longer than any wait of a test.
pub(crate) const LONG: Duration = Duration::from_secs(30);

pub(crate) struct Instance {
    pub(crate) database: Database,
    pool: AnyPool,
    folder: TempDir,
}

impl Instance {
    pub(crate) async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let database = Database::open_folder(folder.path()).await.unwrap();
        let url = format!("sqlite://{}", folder.path().join("docwright.db").display());
        Self { database, pool: AnyPool::connect(&url).await.unwrap(), folder }
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Detects lost bundles in its folder.
    pub(crate) fn lost_bundles(&self) -> LostBundles {
        let objects = Objects::open_folder(self.folder(), Self::keyring()).unwrap();
        LostBundles::new(self.database.clone(), Some(objects), Clock::default(), Arc::default())
    }

    pub(crate) async fn execute(&self, sql: &str) {
        let mut connection = self.pool.acquire().await.unwrap();
        // Tests can write rows that the program never writes.
        for sql in ["PRAGMA busy_timeout = 20000", "PRAGMA foreign_keys = OFF", sql] {
            sqlx::query(AssertSqlSafe(sql.to_owned())).execute(&mut *connection).await.unwrap();
        }
    }

    /// The number from a query; 0 for NULL.
    pub(crate) async fn number(&self, sql: &str) -> i64 {
        let query = sqlx::query_scalar(AssertSqlSafe(sql.to_owned()));
        query.fetch_one(&self.pool).await.unwrap()
    }

    /// A project of a new organization, with a site.
    pub(crate) async fn project(&self, name: &str, repository: &str) -> Project {
        let organization = self.database.create_organization(name, Plan::Free, 1).await.unwrap();
        let new = NewProject {
            organization_id: &organization.id,
            name,
            repository,
            docs_path: "",
            model: None,
            activation: Activation::Automatic,
        };
        let project = self.database.create_project(new, 1).await.unwrap();
        let domain = DomainAddress::parse(&format!("{name}.example.com")).unwrap();
        self.database.add_domain(&domain, &project.id, None, 1).await.unwrap();
        project
    }

    /// Requests a release of a new project. Returns its id.
    pub(crate) async fn queue(&self, name: &str) -> String {
        let project = self.project(name, "/nowhere").await;
        self.request(&project).await
    }

    /// Requests a release of the site of a project. Returns its id.
    pub(crate) async fn request(&self, project: &Project) -> String {
        let asked = self.database.request_update(&project.id, None, Trigger::Api, None, 1).await;
        let Requested::Update(update) = asked.unwrap() else { panic!("the project has a site") };
        self.database.releases_of_update(&update).await.unwrap()[0].id.clone()
    }

    pub(crate) async fn release(&self, id: &str) -> Release {
        self.database.release(id).await.unwrap().unwrap()
    }

    pub(crate) async fn status(&self, id: &str) -> ReleaseStatus {
        self.release(id).await.status
    }

    /// Whether a worker would find a job now. A found job is requeued.
    pub(crate) async fn has_work(&self) -> bool {
        let Some(claim) = self.database.claim(Queue::Releases, 60_000, 1).await.unwrap() else {
            return false;
        };
        self.database.requeue(&claim.lease, 1).await.unwrap();
        true
    }

    pub(crate) fn git(&self) -> Git {
        Git::new(&Environment::for_testing(self.folder()))
    }

    pub(crate) fn keyring() -> Keyring {
        Keyring::parse(&"0a".repeat(32)).unwrap()
    }

    pub(crate) fn repositories(&self, hosts: HostSettings) -> Repositories {
        Repositories {
            database: self.database.clone(),
            keyring: Self::keyring(),
            clock: Clock::default(),
            checkouts: Checkouts {
                clones: Clones::new(self.folder().join("clones"), CloneLimits::default()),
                git: self.git(),
                network: Network::new(AllowedHosts::default()),
                limits: Limits::default(),
            },
            hosts,
            git_folder: self.folder().join("git"),
            result_caches: ResultCaches::new(self.folder().join("cache/builds")),
            public_url: "http://localhost".to_owned(),
            previews: Err(NoPreviews("there are none here".to_owned())),
        }
    }
}

/// Fails if a future takes longer than any test can.
pub(crate) async fn soon<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(LONG, future).await.expect("the future takes too long")
}
