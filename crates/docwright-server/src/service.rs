//! The service as a whole: database, storage, API and workers, started and stopped together.

use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::Context;
use docwright_domain::timestamp::SECOND;
use docwright_flows::{
    clock::Clock,
    propose::Install,
    queue::{AgentWorker, ExportWorker},
    repositories::Repositories,
    upkeep,
};
use docwright_repository::{
    checkout::{self, Checkouts},
    clones::{CloneLimits, Clones},
    git::{Environment, Git},
};
use docwright_storage::{Database, LocalObjects};
use tokio::{
    net::TcpListener,
    sync::{Notify, watch},
    task::JoinHandle,
};

use crate::{
    api::{self, App},
    config::{Role, Settings},
};

/// A running service.
#[derive(Debug)]
pub(crate) struct Service {
    address: SocketAddr,
    database: Database,
    stop: watch::Sender<bool>,
    tasks: Vec<JoinHandle<()>>,
}

impl Service {
    /// Opens the data folder and starts what the role asks for.
    pub(crate) async fn start(settings: &Settings) -> anyhow::Result<Self> {
        let database = open_database(settings).await?;
        let objects = LocalObjects::open_folder(&settings.data)?;
        let scratch = settings.data.join("work");
        std::fs::create_dir_all(&scratch)
            .with_context(|| format!("cannot make {}", scratch.display()))?;
        let scratch = std::path::absolute(scratch)?;
        let listener = TcpListener::bind(settings.listen).await.with_context(|| {
            format!("cannot listen on {}; choose another --listen", settings.listen)
        })?;
        let address = listener.local_addr()?;
        let public_url = settings.public_url.as_ref().map(url::Url::as_str);
        let public_url = public_url.map(|url| url.trim_end_matches('/').to_owned());
        let app = App {
            install: install(settings, &database, scratch, public_url.as_deref(), address)?,
            database: database.clone(),
            objects,
            nudge: Arc::new(Notify::new()),
            agent_nudge: Arc::new(Notify::new()),
            public_url,
            link_lifetime: settings.link_seconds * SECOND,
            counts: Arc::default(),
        };
        let (stop, stopped) = watch::channel(false);
        let mut tasks = Vec::new();
        if settings.role != Role::Api {
            tasks.extend(start_workers(&app, settings, &stopped));
        }
        tasks.push(tokio::spawn(serve(listener, app, settings.role, stopped)));
        Ok(Self { address, database, stop, tasks })
    }

    /// Where it listens.
    pub(crate) const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Lets requests and writes come to an end, and gives unfinished jobs back to the queue.
    pub(crate) async fn stop(self) {
        // Receivers may be gone if a task ended by itself.
        let _gone = self.stop.send(true);
        for task in self.tasks {
            drop(task.await);
        }
        self.database.close().await;
    }
}

/// The database of the settings.
pub(crate) async fn open_database(settings: &Settings) -> anyhow::Result<Database> {
    match &settings.database_url {
        Some(url) => {
            Database::open(url).await.context("cannot open the database of --database-url")
        }
        None => Database::open_folder(&settings.data)
            .await
            .with_context(|| format!("cannot open the database in {}", settings.data.display())),
    }
}

fn install(
    settings: &Settings,
    database: &Database,
    scratch: PathBuf,
    public_url: Option<&str>,
    address: SocketAddr,
) -> anyhow::Result<Install> {
    Ok(Install {
        database: database.clone(),
        clock: Clock::default(),
        repositories: repositories(settings, &scratch)?,
        scratch,
        public_url: public_url.map_or_else(|| format!("http://{address}"), str::to_owned),
        models: settings.agent.models()?,
        author: settings.agent.author()?,
        limits: settings.agent.limits(),
        lease: settings.lease_seconds * SECOND,
        abort_after: settings.agent.abort_after,
    })
}

/// The way to the files of projects.
fn repositories(settings: &Settings, scratch: &Path) -> anyhow::Result<Repositories> {
    let checkouts = Checkouts {
        clones: Clones::new(scratch.join("clones"), CloneLimits::default()),
        git: git(scratch)?,
        network: settings.git_hosts.network(),
        limits: checkout::Limits::default(),
    };
    let hosts = settings.git_hosts.hosts()?;
    Ok(Repositories { checkouts, hosts, built_in: git_folder(settings)? })
}

/// Git with a home folder below another one.
pub(crate) fn git(folder: &Path) -> anyhow::Result<Git> {
    let home = std::path::absolute(folder.join("home"))?;
    std::fs::create_dir_all(&home).with_context(|| format!("cannot make {}", home.display()))?;
    Ok(Git::new(&Environment::new(home, std::env::vars_os())))
}

/// Folder of docwright's own git host.
pub(crate) fn git_folder(settings: &Settings) -> anyhow::Result<PathBuf> {
    let folder = settings.data.join("git");
    std::path::absolute(&folder).with_context(|| format!("cannot find {}", folder.display()))
}

fn start_workers(
    app: &App,
    settings: &Settings,
    stopped: &watch::Receiver<bool>,
) -> Vec<JoinHandle<()>> {
    let Install { database, clock, scratch, repositories, lease, .. } = app.install.clone();
    let exports = ExportWorker {
        database: database.clone(),
        objects: app.objects.clone(),
        scratch,
        repositories,
        remote_specs: settings.remote_specs.clone(),
        analytics: settings.analytics,
        lease,
        clock: clock.clone(),
        nudge: Arc::clone(&app.nudge),
    };
    let agents = AgentWorker { install: app.install.clone(), nudge: Arc::clone(&app.agent_nudge) };
    let after = settings.agent.archived_after();
    let mut tasks = vec![
        tokio::spawn(exports.run(stopped.clone())),
        tokio::spawn(upkeep::archive_old_jobs(database, clock, after, stopped.clone())),
    ];
    tasks.extend(
        (0..settings.agent.agent_jobs).map(|_| tokio::spawn(agents.clone().run(stopped.clone()))),
    );
    tasks
}

async fn serve(listener: TcpListener, app: App, role: Role, mut stopped: watch::Receiver<bool>) {
    // A process that only works still says that it lives.
    let router = if role == Role::Worker { api::health_router(app) } else { api::router(app) };
    let service = router.into_make_service_with_connect_info::<SocketAddr>();
    let stop = async move { drop(stopped.changed().await) };
    if let Err(error) = axum::serve(listener, service).with_graceful_shutdown(stop).await {
        tracing::error!(%error, "the server stopped");
    }
}
