//! `GET /v2/agent/{projectId}/job/{id}/events`.

use std::{
    collections::VecDeque,
    convert::Infallible,
    sync::LazyLock,
    time::{Duration, Instant},
};

use axum::{
    extract::{Path, State},
    http::HeaderMap,
    response::sse::{Event, KeepAlive, Sse},
};
use docwright_domain::agent_job::{AgentEvent, AgentStatus};
use docwright_storage::StorageError;
use futures::{Stream, stream};
use tokio::time::timeout;

use super::missing;
use crate::{
    authorize::Caller,
    error::{ApiError, Error},
    state::AppState,
    turns::{Turn, Turns},
};

/// How often the database is asked for news. Any node may write them.
const EVERY: Duration = Duration::from_millis(300);
/// How often the key is looked at again.
const CONFIRM: Duration = Duration::from_secs(1);
/// Streams that are open at once, in all and of one organisation.
static STREAMS: LazyLock<Turns<String>> = LazyLock::new(|| Turns::new(200, 20));

/// What happens in a job, live, as server-sent events. Ends with the job. A client that was cut off
/// sends `Last-Event-ID` and misses nothing.
#[utoipa::path(
    get,
    path = "/v2/agent/{projectId}/job/{id}/events",
    tag = "Agent jobs",
    params(("projectId" = String, Path, description = "Identifier of the project"), ("id" = String, Path, description = "Identifier of the agent job"), ("Last-Event-ID" = Option<i64>, Header, description = "Number of the last event that was seen")),
    responses(
        (status = 200, description = "The events", content_type = "text/event-stream", body = String, headers(("X-Request-Id" = String))),
        (status = 401, description = "No key, or one that is unknown, revoked or expired", body = Error, headers(("WWW-Authenticate" = String))),
        (status = 403, description = "The key does not allow it", body = Error),
        (status = 404, description = "There is no such project or job", body = Error),
        (status = 429, description = "Too many streams are open", body = Error, headers(("Retry-After" = String))),
        (status = 500, description = "A fault of the server's own", body = Error),
        (status = 503, description = "The database does not answer", body = Error, headers(("Retry-After" = String))),
    ),
    security(("key" = []))
)]
pub(crate) async fn events(
    State(app): State<AppState>,
    caller: Caller,
    Path((project_id, id)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, ApiError> {
    let project = caller.project(&app, &project_id).await?;
    app.database.agent_job(&project.id, &id).await?.ok_or_else(missing)?;
    let organization = &caller.organization.id;
    let turn = STREAMS.take(organization, Duration::ZERO).await.ok_or_else(|| {
        let sentence =
            "Too many streams of events are open; close some, or ask for the job instead.";
        ApiError::Busy(sentence.to_owned())
    })?;
    let seen = headers.get("last-event-id").and_then(|id| id.to_str().ok()?.parse().ok());
    let watch = Watch {
        access: Access { app, key_id: caller.key_id, confirmed: Instant::now() },
        project_id: project.id,
        id,
        seen: seen.unwrap_or(0),
        waiting: VecDeque::new(),
        ended: false,
        _turn: turn,
    };
    let events = stream::unfold(watch, |mut watch| async move {
        let event = watch.next().await?;
        let sent = Event::default().id(event.number.to_string()).event(event.kind).data(event.data);
        Some((Ok(sent), watch))
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::default()))
}

/// Somebody who watches a job.
struct Watch {
    access: Access,
    project_id: String,
    id: String,
    /// Number of the last event that was taken.
    seen: i64,
    waiting: VecDeque<AgentEvent>,
    /// The job had ended when the events were read last, so there are no more.
    ended: bool,
    _turn: Turn<String>,
}

/// What a stream needs to go on: the service, and a key that is good.
struct Access {
    app: AppState,
    key_id: String,
    /// When the key was found to be good.
    confirmed: Instant,
}

impl Access {
    /// Whether the key is still good.
    async fn confirm(&mut self) -> Result<bool, StorageError> {
        if self.confirmed.elapsed() < CONFIRM {
            return Ok(true);
        }
        self.confirmed = Instant::now();
        let key = self.app.database.key(&self.key_id).await?;
        Ok(key.is_some_and(|key| key.check_validity(self.app.now()).is_ok()))
    }
}

impl Watch {
    async fn next(&mut self) -> Option<AgentEvent> {
        loop {
            if let Some(event) = self.waiting.pop_front() {
                self.seen = event.number;
                return Some(event);
            }
            if self.ended {
                return None;
            }
            let stopping = self.access.app.stopping.clone();
            // The client comes back with the number of the last event that it saw.
            if stopping.is_cancelled()
                || !matches!(self.access.confirm().await, Ok(true))
                || self.refill().await.is_err()
            {
                return None;
            }
            if self.waiting.is_empty() && !self.ended {
                // A service that stops ends the stream at the next look.
                drop(timeout(EVERY, stopping.cancelled()).await);
            }
        }
    }

    /// The state is read first: events that come before the end are then all there.
    async fn refill(&mut self) -> Result<(), StorageError> {
        let database = &self.access.app.database;
        let job = database.agent_job(&self.project_id, &self.id).await?;
        let active = job.is_some_and(|job| job.status == AgentStatus::Active);
        self.waiting = database.agent_events(&self.id, self.seen).await?.into();
        self.ended = !active && self.waiting.is_empty();
        Ok(())
    }
}
