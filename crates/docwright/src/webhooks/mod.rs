//! Webhooks of git hosts: `POST /hooks/{projectId}`.
//!
//! A webhook only triggers a poll of a repository; its data about branches and commits is not read. Its signature
//! is its authentication. Owns verification and duplicates of deliveries; `docwright_jobs::poll` polls.

mod names;
mod refusals;
mod signature;

use std::{
    net::IpAddr,
    sync::{Arc, LazyLock},
    time::Duration,
};

use axum::{
    Json, Router,
    body::Body,
    extract::{Request, State},
    http::{HeaderMap, StatusCode},
    response::IntoResponse,
    routing::post,
};
use docwright_http::{
    client::ClientAddress,
    error::ApiError,
    metrics::{WebhookOutcome, Webhooks},
    parameters::Path,
    request::concerns,
};
use docwright_operations::{OperationError, Operations, fair_limiter::FairLimiter};
use docwright_storage::database::Received;
use docwright_types::network::network;
use futures::StreamExt;
use serde::Serialize;
use tokio::time::timeout;

use refusals::Refusals;
use signature::Signatures;

/// Longest delivery: GitHub's maximum, in bytes.
const MAXIMUM_BODY: usize = 25 * 1024 * 1024;
/// Deliveries that are read at once, in all and of one client.
static READS: LazyLock<FairLimiter<Option<IpAddr>>> = LazyLock::new(|| FairLimiter::new(256, 32));
/// Time limit of a delivery. Hosts don't wait longer for a response.
const BODY_TIME: Duration = Duration::from_secs(10);
/// How long a client waits for its turn: as long as the turns of others last, so that slow clients exclude no
/// other.
const PATIENCE: Duration = BODY_TIME;
/// A placeholder for a missing secret, so that the response takes as long. Nobody knows it.
static NO_SECRET: LazyLock<String> = LazyLock::new(|| hex::encode(rand::random::<[u8; 32]>()));

/// Resources of webhooks.
#[derive(Debug, Clone)]
pub(crate) struct WebhookState {
    operations: Operations,
    /// Counts them.
    counted: Webhooks,
    /// Clients whose webhooks were refused.
    refusals: Arc<Refusals>,
}

/// The route.
pub(crate) fn router(operations: Operations, counted: Webhooks) -> Router {
    let state = WebhookState { operations, counted, refusals: Arc::default() };
    Router::new().route("/hooks/{project_id}", post(receive)).with_state(state)
}

/// The response to a host.
#[derive(Debug, Serialize)]
struct DeliveryResponse {
    /// Id of the delivery; null if it was received before.
    delivery: Option<String>,
    /// What docwright will do.
    message: &'static str,
}

async fn receive(
    State(WebhookState { operations, counted, refusals }): State<WebhookState>,
    Path(project_id): Path<String>,
    request: Request,
) -> Result<impl IntoResponse, ApiError> {
    let (parts, body) = request.into_parts();
    let client = ClientAddress::of(&parts).address.map(network);
    let limited = |why: &str| {
        counted.came(WebhookOutcome::Limited);
        OperationError::Busy(why.to_owned())
    };
    let turn = READS.take(&client, PATIENCE).await;
    let turn =
        turn.ok_or_else(|| limited("Too many webhooks at once. Send this one again later."))?;
    let keyring = &operations.repositories.keyring;
    let known = operations.database.webhook_secret(&project_id, keyring).await?;
    let secret = known.as_deref().unwrap_or(&NO_SECRET);
    // A project without a secret is refused like a missing one, and as slowly.
    let read = is_signed(secret, &parts.headers, body).await;
    // Signed deliveries are always accepted: a refused host doesn't retry.
    drop(turn);
    if !matches!(read, Ok(signed) if signed & known.is_some()) {
        // Counted only now: a client without the secret can't exclude one that has it.
        if !refusals.allow(client, &project_id) {
            return Err(
                limited("Too many webhooks with wrong signatures. Try again in a minute.").into()
            );
        }
        refusals.count(client, &project_id);
        counted.came(WebhookOutcome::Refused);
        read?;
        return Err(OperationError::Unauthorized(
            "The webhook's signature doesn't match the project's secret. Create a new secret, and set it on the git host.",
        )
        .into());
    }
    concerns("project", &project_id);
    let event = names::event(&parts.headers).unwrap_or_else(|| "unnamed".to_owned());
    // Without an id a delivery can't be distinguished from others.
    let delivery = names::delivery(&parts.headers)
        .unwrap_or_else(|| format!("unnamed-{}", hex::encode(rand::random::<[u8; 16]>())));
    let received =
        operations.database.receive_delivery(&project_id, (&delivery, &event), operations.now());
    Ok(match received.await? {
        Received::New(id) => {
            counted.came(WebhookOutcome::Accepted);
            operations.wakes.polls.notify_one();
            let message = "Poll scheduled.";
            (StatusCode::ACCEPTED, Json(DeliveryResponse { delivery: Some(id), message }))
        }
        Received::Known | Received::NoProject => {
            counted.came(WebhookOutcome::Known);
            let message = "This delivery was received before.";
            (StatusCode::OK, Json(DeliveryResponse { delivery: None, message }))
        }
    })
}

/// Whether a body is signed with a secret. It is always read to its end, and never stored.
async fn is_signed(secret: &str, headers: &HeaderMap, body: Body) -> Result<bool, OperationError> {
    let read = timeout(BODY_TIME, read_signed(secret, headers, body)).await;
    read.unwrap_or_else(|_| {
        let seconds = BODY_TIME.as_secs();
        Err(OperationError::Invalid(format!("The body did not arrive within {seconds} seconds.")))
    })
}

async fn read_signed(
    secret: &str,
    headers: &HeaderMap,
    body: Body,
) -> Result<bool, OperationError> {
    let mut signatures = Signatures::new(secret, headers);
    let mut body = body.into_data_stream();
    let mut length = 0_usize;
    while let Some(piece) = body.next().await {
        let piece =
            piece.map_err(|_| OperationError::Invalid("The body is incomplete.".to_owned()))?;
        length = length.saturating_add(piece.len());
        if length > MAXIMUM_BODY {
            return Err(OperationError::Invalid("The body exceeds 25 MiB.".to_owned()));
        }
        signatures.update(&piece);
    }
    Ok(signatures.has_good_one())
}

#[cfg(test)]
mod tests {
    use futures::stream;
    use tokio::time::{Instant, sleep};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn slow_body_is_refused_within_time_limit() {
        let drops = stream::repeat(()).then(|()| async {
            sleep(Duration::from_secs(1)).await;
            Ok::<_, std::io::Error>(vec![b'x'; 1024])
        });
        let started = Instant::now();
        let read = is_signed("secret", &HeaderMap::new(), Body::from_stream(drops)).await;
        assert!(matches!(read, Err(OperationError::Invalid(_))), "{read:?}");
        assert!(started.elapsed() <= PATIENCE, "{:?}", started.elapsed());
    }
}
