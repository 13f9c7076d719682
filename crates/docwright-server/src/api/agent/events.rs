//! `GET /v2/agent/{projectId}/job/{id}/events`.

use std::{
    collections::VecDeque,
    convert::Infallible,
    sync::LazyLock,
    time::{Duration, Instant},
};

use axum::{
    extract::State,
    http::HeaderMap,
    response::sse::{Event, KeepAlive, Sse},
};
use docwright_domain::agent_job::{AgentEvent, AgentStatus};
use docwright_storage::StorageError;
use futures::{Stream, stream};
use tokio::time::timeout;
use utoipa::{IntoParams, ToSchema};

use super::{JobPath, missing};
use crate::{
    authorize::Reader,
    error::{ApiError, Error},
    parameters::Path,
    state::AppState,
    turns::{Turn, Turns},
};

/// The header as it is described to callers.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
#[expect(dead_code, reason = "it describes a header, which is read by its name")]
pub(crate) struct LastEvent {
    /// Number of the last event that was seen; only those after it are sent.
    #[param(rename = "Last-Event-ID", value_type = i64, required = false, minimum = 0, example = 12)]
    last_event_id: Option<i64>,
}

/// Something that happened in an agent job.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it describes the events, which are sent as the database has them")]
pub(crate) struct AgentJobEvent {
    /// Its number. Send the last one as `Last-Event-ID` to go on after it.
    #[schema(example = "12")]
    id: String,
    /// What kind of event it is: `step` for a step of the work, `status` for another status of the job.
    #[schema(example = "step")]
    event: String,
    /// More about it, as JSON.
    #[schema(example = r#"{"step":"checked_out"}"#)]
    data: String,
}

/// How often the database is asked for news. Any node may write them.
const EVERY: Duration = Duration::from_millis(300);
/// How often the key is looked at again.
const CONFIRM: Duration = Duration::from_secs(1);
/// Streams that are open at once, in all and of one organisation.
static STREAMS: LazyLock<Turns<String>> = LazyLock::new(|| Turns::new(200, 20));

/// Watch an agent job
///
/// What happens in a job, live, as [server-sent events](https://html.spec.whatwg.org/multipage/server-sent-events.html).
/// The stream ends with the job. A client that was cut off sends `Last-Event-ID` and misses nothing.
#[utoipa::path(
    get,
    path = "/v2/agent/{projectId}/job/{id}/events",
    tag = "Agent jobs",
    operation_id = "watchAgentJob",
    params(JobPath, LastEvent),
    responses(
        (status = 200, description = "The events", content_type = "text/event-stream", body = AgentJobEvent),
        (status = 404, description = "There is no such project or job", body = Error),
        (status = 429, description = "Too many streams are open", body = Error, headers(("Retry-After" = String))),
    ),
)]
pub(crate) async fn events(
    State(app): State<AppState>,
    caller: Reader,
    Path(JobPath { project_id, id }): Path<JobPath>,
    headers: HeaderMap,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, ApiError> {
    let seen = last_seen(&headers)?;
    let project = caller.project(&app, &project_id).await?;
    app.database.agent_job(&project.id, &id).await?.ok_or_else(missing)?;
    let turn = STREAMS.take(&project.organization_id, Duration::ZERO).await.ok_or_else(|| {
        let sentence = "Too many open event streams. Close some, or poll the job.";
        ApiError::Busy(sentence.to_owned())
    })?;
    let watch = Watch {
        access: Access {
            app,
            key_id: caller.key_id().map(str::to_owned),
            confirmed: Instant::now(),
        },
        project_id: project.id,
        id,
        seen,
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

/// Number of the last event that the client has seen; 0 for none.
fn last_seen(headers: &HeaderMap) -> Result<i64, ApiError> {
    let Some(given) = headers.get("last-event-id") else { return Ok(0) };
    let number = given.to_str().ok().and_then(|text| text.parse().ok());
    number.filter(|number| *number >= 0).ok_or_else(|| {
        ApiError::Invalid("`Last-Event-ID` must be the number of an event.".to_owned())
    })
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
    /// `None` for the shell, which needs none.
    key_id: Option<String>,
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
        let Some(key_id) = &self.key_id else { return Ok(true) };
        let key = self.app.database.key(key_id).await?;
        Ok(key.is_some_and(|(key, _)| key.check_validity(self.app.now()).is_ok()))
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
