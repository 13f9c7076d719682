//! The install of this machine: its store, and the router of the API in this very process.

use std::sync::Arc;

use axum::{
    Router,
    body::Body,
    http::{Method, Request, header},
};
use docwright_flows::{
    child::{Launcher, Limits},
    comparer::Comparer,
    disk::Disk,
    lost_bundles::LostBundles,
};
use docwright_operations::{
    Operations, Resources, callers::CliUser, failed_sign_ins::FailedSignIns,
    model_answers::ModelAnswers, ownership::Ownership, page_lookup::PageLookup,
};
use docwright_storage::Objects;
use serde_json::Value;
use tempfile::TempDir;
use tower::ServiceExt;

use super::{client::Answer, install::Install};
use crate::{
    api,
    config::{GitHostSettings, StoreSettings},
    dashboard,
    error::Cause,
    flows,
    markdown::MarkdownReader,
    metrics::Webhooks,
    refusals::Refusals,
    repositories::repositories,
    request,
    state::{AppState, Shared},
};

/// Longest answer of a command, in bytes.
const MAXIMUM_ANSWER: usize = 64 * 1024 * 1024;

/// The install of this machine.
#[derive(Debug)]
pub(super) struct Here {
    pub(super) install: Install,
    /// What the router works with.
    pub(super) app: AppState,
    router: Router,
    /// Goes away with the command.
    _scratch: TempDir,
}

impl Here {
    /// Opens the store; that of bundles only for commands that delete. Others get an empty one, so that a
    /// bucket that is away, or not set here, is in nobody's way.
    pub(super) async fn open(store: StoreSettings, deletes: bool) -> anyhow::Result<Self> {
        let install = Install::open(store).await?;
        let (database, store) = (&install.database, &install.store);
        let keyring = store.keyring(database).await?;
        // Nothing that is done from here asks a git host, or is asked by one.
        let places = (store, &GitHostSettings::default());
        let repositories = repositories(places, (database, &keyring), String::new())?;
        let scratch = tempfile::tempdir()?;
        let objects = if deletes {
            store.open_objects(keyring, database).await?
        } else {
            Objects::open_folder(scratch.path(), keyring)?
        };
        let comparer = Comparer { objects: objects.clone(), scratch: scratch.path().to_owned() };
        let clock = repositories.clock.clone();
        let lost_bundles = LostBundles::new(database.clone(), None, clock, Arc::default());
        let operations = Operations::new(Resources {
            objects,
            lost_bundles,
            comparer,
            page_lookup: PageLookup::new(Launcher::new(flows::program()?, Limits::default())),
            repositories,
            release_wake: Arc::default(),
            agent_wake: Arc::default(),
            look_wake: Arc::default(),
            models: Arc::default(),
            model_answers: ModelAnswers::default(),
            ownership: Arc::new(Ownership::new(database.clone(), (&[], &[]), Arc::default())),
            // A running service decides whether there is room.
            disk: Disk::new(store.data.clone(), 0),
            site_origin: database.site_origin().await?,
            public_url: None,
            link_lifetime: 0,
            mailer: None,
            invitation_text: dashboard::emails::invitation,
            failed_sign_ins: Arc::new(FailedSignIns::new(|_| ())),
            database: database.clone(),
        });
        let app = AppState::new(Shared {
            operations,
            markdown: MarkdownReader::new(flows::program()?),
            webhooks: Webhooks::default(),
            refusals: Refusals::default(),
            maximum_push: 0,
            stopping: tokio_util::sync::CancellationToken::new(),
            provider: None,
        });
        let router = api::router("").with_state(app.clone());
        Ok(Self { install, app, router, _scratch: scratch })
    }

    /// Makes a request, as the shell.
    pub(super) async fn ask(
        &self,
        method: Method,
        path: &str,
        body: Option<Value>,
    ) -> anyhow::Result<Answer> {
        let mut asked =
            Request::builder().method(method).uri(path).extension(CliUser::of_process());
        if body.is_some() {
            asked = asked.header(header::CONTENT_TYPE, "application/json");
        }
        let body = body.map(|body| Body::from(body.to_string())).unwrap_or_default();
        let mut asked = asked.body(body)?;
        request::identify(&mut asked);
        let mut response = self.router.clone().oneshot(asked).await?;
        let cause = response.extensions_mut().remove().map(|Cause(cause)| cause);
        let status = response.status();
        let bytes = axum::body::to_bytes(response.into_body(), MAXIMUM_ANSWER).await?;
        let body = serde_json::from_slice(&bytes).unwrap_or_default();
        Ok(Answer { status, body, cause })
    }
}
