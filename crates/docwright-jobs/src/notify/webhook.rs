//! Notifications to servers, signed by the Standard Webhooks specification.
//! <https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md>

use docwright_repository::network::Network;
use docwright_storage::database::ClaimedNotification;
use docwright_types::timestamp::{SECOND, Timestamp};
use standardwebhooks::{
    HEADER_WEBHOOK_ID, HEADER_WEBHOOK_SIGNATURE, HEADER_WEBHOOK_TIMESTAMP, Webhook,
};
use url::Url;

use super::{PATIENCE, Refusal};

/// Sends a notification. Returns the status of a successful response. Redirects are not followed, and the body is
/// not read.
pub(super) async fn send(
    network: &Network,
    notification: &ClaimedNotification,
    url: &str,
    now: Timestamp,
) -> Result<u16, Refusal> {
    let url = Url::parse(url).map_err(|_| never(format!("`{url}` isn't a valid URL")))?;
    let seconds = now / SECOND;
    let signature = sign(notification, seconds).map_err(never)?;
    // This resolves the host, which can take as long as the request.
    let request = async {
        let client = network.client(&url).await.map_err(|error| Refusal {
            status: None,
            reason: error.to_string(),
            is_transient: error.is_transient(),
            wait: None,
        })?;
        let request = client
            .post(url.clone())
            .header("content-type", "application/json")
            .header(HEADER_WEBHOOK_ID, &notification.id)
            .header(HEADER_WEBHOOK_TIMESTAMP, seconds.to_string())
            .header(HEADER_WEBHOOK_SIGNATURE, signature)
            .body(notification.payload.clone());
        request.send().await.map_err(|error| {
            let reason = if error.is_connect() { "the connection failed" } else { "it breaks off" };
            later(None, format!("{} can't be reached: {reason}", host(&url)))
        })
    };
    let answered = tokio::time::timeout(PATIENCE, request).await;
    let response = answered.map_err(|_| {
        later(None, format!("{} did not respond within {} seconds", host(&url), PATIENCE.as_secs()))
    })??;
    let status = response.status();
    if status.is_success() {
        return Ok(status.as_u16());
    }
    let retry_after = response.headers().get("retry-after").and_then(|value| value.to_str().ok());
    let wait = retry_after.and_then(|seconds| seconds.trim().parse::<Timestamp>().ok());
    let reason = if status.is_redirection() {
        format!(
            "{} returned {status}; redirects are not followed, use the final address",
            host(&url)
        )
    } else {
        format!("{} answered {status}", host(&url))
    };
    Err(Refusal {
        status: Some(status.as_u16()),
        reason,
        // With "Gone" a server requests no further deliveries.
        is_transient: status.as_u16() != 410,
        wait: wait.map(|seconds| seconds.saturating_mul(SECOND).max(0)),
    })
}

fn sign(notification: &ClaimedNotification, seconds: i64) -> Result<String, String> {
    let secret = notification.secret.as_deref().ok_or("the subscription has no secret")?;
    let webhook = Webhook::new(secret).map_err(|error| error.to_string())?;
    let signed = webhook.sign(&notification.id, seconds, notification.payload.as_bytes());
    signed.map_err(|error| error.to_string())
}

fn host(url: &Url) -> &str {
    url.host_str().unwrap_or_default()
}

fn later(status: Option<u16>, reason: String) -> Refusal {
    Refusal { status, reason, is_transient: true, wait: None }
}

fn never(reason: String) -> Refusal {
    Refusal { status: None, reason, is_transient: false, wait: None }
}
