//! The service as a whole: database, storage, API and workers, started and stopped together.

use std::{net::SocketAddr, sync::Arc};

use anyhow::Context;
use docwright_flows::{clock::Clock, worker::Worker};
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
        let listener = TcpListener::bind(settings.listen).await.with_context(|| {
            format!("cannot listen on {}; choose another --listen", settings.listen)
        })?;
        let address = listener.local_addr()?;
        let app = App {
            database: database.clone(),
            objects,
            clock: Clock::default(),
            nudge: Arc::new(Notify::new()),
            scratch,
            public_url: settings
                .public_url
                .as_ref()
                .map(|url| url.as_str().trim_end_matches('/').to_owned()),
            link_lifetime: settings.link_seconds * 1000,
            counts: Arc::default(),
        };
        let (stop, stopped) = watch::channel(false);
        let mut tasks = Vec::new();
        if settings.role != Role::Api {
            tasks.push(tokio::spawn(worker(&app).run(stopped.clone())));
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

fn worker(app: &App) -> Worker {
    Worker {
        database: app.database.clone(),
        objects: app.objects.clone(),
        scratch: app.scratch.clone(),
        clock: app.clock.clone(),
        nudge: Arc::clone(&app.nudge),
    }
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
