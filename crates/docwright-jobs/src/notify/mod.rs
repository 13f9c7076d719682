//! Sends notifications: to servers as webhooks (`webhook`), to mailboxes over SMTP (`email`).
//!
//! What is to be sent stands in the database, recorded together with the change that it tells of. A
//! target that doesn't take it gets it again later, over some days; one that is slow keeps no other
//! waiting. A notification can arrive twice, with the same id: receivers go by that.

mod email;
mod webhook;

use std::{fmt, sync::Arc, time::Duration};

use docwright_repository::network::Network;
use docwright_storage::{Database, Keyring, database::ClaimedNotification};
use docwright_types::{
    notification::Target,
    timestamp::{HOUR, MINUTE, SECOND, Timestamp},
};
use tokio::sync::{Mutex, Notify};
use tokio_util::sync::CancellationToken;

use crate::clock::Clock;

pub use email::{EmailText, Mailer, SmtpError, is_address};

/// Notifications that one process sends at a time.
const AT_ONCE: usize = 8;
/// How often one of the idle senders polls for something to send.
const IDLE: Duration = Duration::from_secs(1);
/// How long a target can take. A lease lasts longer, so that nobody else sends the same meanwhile.
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
/// Longest wait that a target can ask for.
const LONGEST_WAIT: Timestamp = 24 * HOUR;
/// Emails that a mailbox gets in an hour: whoever makes a subscription need not own the mailbox.
const EMAILS_AN_HOUR: i64 = 20;
/// When a mailbox that has got as many is checked again.
const POSTPONED: Timestamp = 15 * MINUTE;
/// Longest reason that is kept. Characters.
const LONGEST_REASON: usize = 500;

/// What became of an attempt, for those who count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attempt {
    /// The target took it.
    Delivered,
    /// It is sent again later.
    Retried,
    /// It is given up.
    Failed,
}

/// Learns what became of each attempt.
pub type AttemptObserver = Arc<dyn Fn(Attempt) + Send + Sync>;

/// Why a target did not take a notification.
#[derive(Debug, PartialEq, Eq)]
struct Refusal {
    /// Status of the answer over HTTP, where there was one.
    status: Option<u16>,
    reason: String,
    /// Whether it can take it later.
    is_transient: bool,
    /// How long the target wants to be left alone, in milliseconds.
    wait: Option<Timestamp>,
}

/// Sends notifications.
#[derive(Clone)]
pub struct Notifier {
    /// The database.
    pub database: Database,
    /// Reads the secrets of subscriptions.
    pub keyring: Keyring,
    /// The way to servers: none at a private address, unless the operator names it.
    pub network: Network,
    /// The way to mailboxes, if there is one.
    pub mailer: Option<Mailer>,
    /// What is written to them.
    pub text: EmailText,
    /// The time.
    pub clock: Clock,
    /// Learns what became of each attempt.
    pub observer: AttemptObserver,
}

impl fmt::Debug for Notifier {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Notifier").field("mailer", &self.mailer).finish_non_exhaustive()
    }
}

impl Notifier {
    /// Sends until `stop`. What is under way then is sent again by whoever comes next.
    pub async fn run(self, stop: CancellationToken) {
        let idle = Arc::new(Idle::default());
        let senders = (0..AT_ONCE).map(|_| {
            let (notifier, idle, stop) = (self.clone(), Arc::clone(&idle), stop.clone());
            tokio::spawn(async move {
                while !stop.is_cancelled() {
                    tokio::select! {
                        () = notifier.send_or_wait(&idle) => {}
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

    async fn send_or_wait(&self, idle: &Idle) {
        match self.send_next().await {
            // There can be more, which the others don't look for.
            Ok(true) => idle.wake.notify_one(),
            Ok(false) => idle.wait().await,
            Err(error) => {
                tracing::error!(%error, "notifications not read or recorded; retrying");
                idle.wait().await;
            }
        }
    }

    /// Sends the notification that comes next. Returns whether there was one.
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

/// How long to wait after a number of attempts before this one; `None` to give up. `random` is from 0
/// to 1: a tenth of the wait depends on it, so that what failed together doesn't come back together.
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

/// Senders that have nothing to send: one of them polls once in a while, and wakes the next.
#[derive(Default)]
struct Idle {
    wake: Notify,
    lookout: Mutex<()>,
}

impl Idle {
    async fn wait(&self) {
        let look_out = async {
            let _lookout = self.lookout.lock().await;
            tokio::time::sleep(IDLE).await;
        };
        tokio::select! {
            () = self.wake.notified() => {}
            () = look_out => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use docwright_types::timestamp::DAY;

    use super::*;

    fn refusal(is_transient: bool, wait: Option<Timestamp>) -> Refusal {
        Refusal { status: Some(503), reason: "busy".into(), is_transient, wait }
    }

    #[test]
    fn waits_grow_for_three_days_and_then_it_is_given_up() {
        let waits: Vec<_> =
            (0..).map_while(|attempt| wait(attempt, &refusal(true, None), 0.0)).collect();
        assert_eq!(waits, WAITS);
        let all: Timestamp = waits.iter().sum();
        assert!(all > 3 * DAY && all < 4 * DAY, "{all}");
        assert_eq!(wait(0, &refusal(true, None), 1.0), Some(5_500));
        assert_eq!(wait(0, &refusal(false, None), 0.0), None);
    }

    #[test]
    fn a_target_can_ask_for_a_longer_wait_up_to_a_day() {
        assert_eq!(wait(0, &refusal(true, Some(MINUTE)), 0.0), Some(MINUTE));
        assert_eq!(wait(2, &refusal(true, Some(MINUTE)), 0.0), Some(30 * MINUTE));
        assert_eq!(wait(0, &refusal(true, Some(90 * DAY)), 0.0), Some(DAY));
    }

    #[test]
    fn a_lease_outlasts_the_patience_with_a_target() {
        assert!(Duration::from_millis(LEASE.unsigned_abs()) > PATIENCE * 2);
    }
}
