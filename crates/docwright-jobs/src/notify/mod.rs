//! Sends notifications: to servers over HTTP (`webhook`), and by email over SMTP (`email`).
//!
//! Notifications are in the database, recorded together with their change. A failed delivery is retried over some
//! days; a slow target delays no other. A notification can arrive twice, with the same id, by which receivers
//! recognize it.

mod email;
mod webhook;

use std::{fmt, sync::Arc, time::Duration};

use docwright_repository::network::Network;
use docwright_storage::{Database, Keyring, database::ClaimedNotification};
use docwright_types::{
    notification::Target,
    timestamp::{HOUR, MINUTE, SECOND, Timestamp},
};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::clock::Clock;

pub use email::{EmailText, Mailer, SmtpError, is_address};

/// Notifications that one process sends in parallel.
const AT_ONCE: usize = 8;
/// Time limit of a target. A lease lasts longer, so no other sender sends the same notification in the meantime.
const PATIENCE: Duration = Duration::from_secs(15);
const LEASE: Timestamp = 60 * SECOND;
/// Waits between attempts, as the Standard Webhooks specification suggests them: three days in all.
/// <https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md>
const WAITS: [Timestamp; 9] = [
    5 * SECOND,
    5 * MINUTE,
    30 * MINUTE,
    2 * HOUR,
    5 * HOUR,
    10 * HOUR,
    14 * HOUR,
    20 * HOUR,
    24 * HOUR,
];
/// Longest wait that a target can request.
const LONGEST_WAIT: Timestamp = 24 * HOUR;
/// Emails that an address gets in an hour: subscribers need not own the address.
const EMAILS_AN_HOUR: i64 = 20;
/// When an address at its limit is checked again.
const POSTPONED: Timestamp = 15 * MINUTE;
/// Longest stored error, in characters.
const LONGEST_REASON: usize = 500;

/// Outcome of an attempt, for metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attempt {
    /// The target accepted it.
    Delivered,
    /// It will be sent again later.
    Retried,
    /// It failed permanently.
    Failed,
}

/// Receives the outcome of each attempt.
pub type AttemptObserver = Arc<dyn Fn(Attempt) + Send + Sync>;

/// Why a target did not accept a notification.
#[derive(Debug, PartialEq, Eq)]
struct Refusal {
    /// HTTP status of the response, if there was one.
    status: Option<u16>,
    reason: String,
    /// Whether a retry can succeed.
    is_transient: bool,
    /// The pause that the target requested, in milliseconds.
    wait: Option<Timestamp>,
}

/// Sends notifications.
#[derive(Clone)]
pub struct Notifier {
    /// The database.
    pub database: Database,
    /// Reads the secrets of subscriptions.
    pub keyring: Keyring,
    /// Network access: no private addresses, unless the operator allows them.
    pub network: Network,
    /// The mailer, if email is set up.
    pub mailer: Option<Mailer>,
    /// Writes the texts of emails.
    pub text: EmailText,
    /// The time.
    pub clock: Clock,
    /// Wakes it when there is a notification to send.
    pub wake: Arc<Notify>,
    /// Receives the outcome of each attempt.
    pub observer: AttemptObserver,
}

impl fmt::Debug for Notifier {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Notifier").field("mailer", &self.mailer).finish_non_exhaustive()
    }
}

impl Notifier {
    /// Sends until `stop`. Interrupted deliveries are sent again by another sender.
    pub async fn run(self, stop: CancellationToken) {
        let senders = (0..AT_ONCE).map(|_| {
            let (notifier, stop) = (self.clone(), stop.clone());
            tokio::spawn(async move {
                while !stop.is_cancelled() {
                    tokio::select! {
                        () = notifier.send_or_wait() => {}
                        () = stop.cancelled() => {}
                    }
                }
            })
        });
        for sender in senders.collect::<Vec<_>>() {
            // A panic ends one sender, and its notification is sent again by another.
            let _ended = sender.await;
        }
    }

    async fn send_or_wait(&self) {
        match self.send_next().await {
            // There can be more, for which the others were not woken.
            Ok(true) => self.wake.notify_one(),
            Ok(false) => self.wake.notified().await,
            Err(error) => {
                tracing::error!(%error, "notifications not read or recorded; retrying");
                self.wake.notified().await;
            }
        }
    }

    /// Sends the next notification. Returns whether there was one.
    pub async fn send_next(&self) -> Result<bool, docwright_storage::StorageError> {
        let now = self.clock.now();
        let claimed = self.database.claim_notification(LEASE, &self.keyring, now).await?;
        let Some(claimed) = claimed else { return Ok(false) };
        let sent = match Target::of(&claimed.target) {
            Target::Webhook(url) => {
                webhook::send(&self.network, &claimed, url, now).await.map(Some)
            }
            Target::Email(address) => {
                let hour = self.database.delivered_since(&claimed.subscription_id, now - HOUR);
                if hour.await? >= EMAILS_AN_HOUR {
                    self.database.postpone_notification(&claimed, POSTPONED, now).await?;
                    return Ok(true);
                }
                email::send((self.mailer.as_ref(), self.text), &claimed, address)
                    .await
                    .map(|()| None)
            }
        };
        self.record(&claimed, sent).await?;
        Ok(true)
    }

    async fn record(
        &self,
        claimed: &ClaimedNotification,
        sent: Result<Option<u16>, Refusal>,
    ) -> Result<(), docwright_storage::StorageError> {
        let now = self.clock.now();
        let refusal = match sent {
            Ok(status) => {
                (self.observer)(Attempt::Delivered);
                return self.database.notification_delivered(claimed, status, now).await;
            }
            Err(refusal) => refusal,
        };
        let wait = wait(claimed.attempts, &refusal, rand::random());
        (self.observer)(if wait.is_some() { Attempt::Retried } else { Attempt::Failed });
        let reason: String = refusal.reason.chars().take(LONGEST_REASON).collect();
        tracing::info!(
            notification = claimed.id,
            subscription = claimed.subscription_id,
            reason,
            again = wait.is_some(),
            "notification rejected"
        );
        self.database.notification_refused(claimed, (refusal.status, &reason), wait, now).await
    }
}

/// How long to wait after a number of earlier attempts; `None` to stop. `random` is from 0 to 1: a tenth of the
/// wait depends on it, so that simultaneous failures are not retried simultaneously.
fn wait(attempts: i64, refusal: &Refusal, random: f64) -> Option<Timestamp> {
    let usual =
        WAITS.get(usize::try_from(attempts).unwrap_or(0)).filter(|_| refusal.is_transient)?;
    let asked = refusal.wait.unwrap_or(0).min(LONGEST_WAIT);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        reason = "a day at most"
    )]
    let jitter = (*usual as f64 / 10.0 * random.clamp(0.0, 1.0)) as Timestamp;
    Some((usual + jitter).max(asked))
}

#[cfg(test)]
mod tests {
    use docwright_types::timestamp::DAY;

    use super::*;

    fn refusal(is_transient: bool, wait: Option<Timestamp>) -> Refusal {
        Refusal { status: Some(503), reason: "busy".into(), is_transient, wait }
    }

    #[test]
    fn waits_grow_for_three_days_until_delivery_fails() {
        let waits: Vec<_> =
            (0..).map_while(|attempt| wait(attempt, &refusal(true, None), 0.0)).collect();
        assert_eq!(waits, WAITS);
        let all: Timestamp = waits.iter().sum();
        assert!(all > 3 * DAY && all < 4 * DAY, "{all}");
        assert_eq!(wait(0, &refusal(true, None), 1.0), Some(5_500));
        assert_eq!(wait(0, &refusal(false, None), 0.0), None);
    }

    #[test]
    fn target_can_request_wait_of_up_to_a_day() {
        assert_eq!(wait(0, &refusal(true, Some(MINUTE)), 0.0), Some(MINUTE));
        assert_eq!(wait(2, &refusal(true, Some(MINUTE)), 0.0), Some(30 * MINUTE));
        assert_eq!(wait(0, &refusal(true, Some(90 * DAY)), 0.0), Some(DAY));
    }

    #[test]
    fn lease_outlasts_timeout_of_target() {
        assert!(Duration::from_millis(LEASE.unsigned_abs()) > PATIENCE * 2);
    }
}
