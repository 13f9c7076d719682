//! Polls of a service: applies its newest export, and remembers which exports need no second look.

use std::time::Duration;

use anyhow::anyhow;
use docwright_http::metrics::Update;
use docwright_types::timestamp::{DAY, Timestamp, iso};

use super::{
    Deployment,
    exports::{ExportPoll, ExportRequest, LinkedBundle},
    fetch::Download,
    folder::Carried,
    source::ServiceSource,
    update::Newer,
    update_error::UpdateError,
    values::{Pin, Values},
    versions::Check,
};

/// Time between two polls while an export runs, unless the values ask for less.
const PENDING: Duration = Duration::from_secs(5);

/// Time before the end of a key when warnings start, in milliseconds.
const WARNED_BEFORE: Timestamp = 14 * DAY;

/// Results of earlier polls, until the values change or SIGHUP arrives.
#[derive(Debug, Default)]
pub(super) struct Memory {
    /// The newest export that was applied or refused. A refused one isn't fetched again: it has the same bytes.
    pub(super) export: Option<String>,
    /// Why it was refused.
    pub(super) refusal: Option<String>,
    /// The files of a folder.
    pub(super) carried: Carried,
}

impl Deployment {
    /// Polls once. Returns the time until the next poll; `None` if the values changed.
    pub(super) async fn follow(
        &self,
        (values, source): (&Values, &ServiceSource),
        download: &mut Download,
        memory: &mut Memory,
        newer: &mut Newer,
    ) -> Result<Option<Duration>, UpdateError> {
        let version = values.pin.version.as_deref();
        let request = ExportRequest { version, known: memory.export.as_deref() };
        let Some(poll) = newer.unless(self.exports.poll(source, request)).await else {
            return Ok(None);
        };
        let ExportPoll { completed, pending, problem, key_expires_at } = poll?;
        self.polled(key_expires_at);
        let mut switched = false;
        if let Some(export) = completed
            && let Some(bundle) = export.bundle
        {
            let applied = self.apply(&bundle, values, download, newer).await;
            if let Ok(None) = applied {
                return Ok(None);
            }
            if applied.is_ok()
                && let Err(error) = self.exports.report(source, &export.id).await
            {
                let error = error.describe();
                tracing::warn!(error, export = export.id, "served export not reported");
            }
            if !matches!(applied, Err(UpdateError::Transient(_))) {
                memory.export = Some(export.id);
                memory.refusal = applied.as_ref().err().map(UpdateError::describe);
            }
            switched = applied? == Some(true);
        }
        let waits = pending.is_some();
        // A running export is a problem only while there is nothing to serve.
        let pending = pending.filter(|_| self.active().is_none());
        self.set_problem(memory.refusal.clone().or(problem).or(pending));
        if !switched {
            self.metrics.updated(if waits { Update::Waiting } else { Update::Unchanged });
        }
        Ok(Some(jittered(if waits { source.poll.min(PENDING) } else { source.poll })))
    }

    /// Makes the bundle of an export the active version. Returns whether another one was active before; `None` if
    /// the values changed.
    pub(super) async fn apply(
        &self,
        bundle: &LinkedBundle,
        values: &Values,
        download: &mut Download,
        newer: &mut Newer,
    ) -> Result<Option<bool>, UpdateError> {
        if let Some(reason) = values.pin.wrong_sha256(&bundle.sha256) {
            return Err(UpdateError::Permanent(anyhow!("{reason}; correct one of them")));
        }
        let pin = Pin { sha256: Some(bundle.sha256.clone()), ..values.pin.clone() };
        if self.active().is_some_and(|active| active.differs_from(&pin).is_none()) {
            return Ok(Some(false));
        }
        if self.switch_on_disk(&pin).await? {
            return Ok(Some(true));
        }
        let Some(fetched) = newer.unless(download.attempt(&bundle.link)).await else {
            return Ok(None);
        };
        fetched.map_err(renewed)?;
        let check = Check { promised: Some(bundle.sha256.clone()), ..Check::of(values) };
        self.take(download, check).await?;
        Ok(Some(true))
    }

    /// Records a successful poll.
    pub(super) fn polled(&self, key_expires_at: Option<Timestamp>) {
        let now = now();
        self.metrics.polled(now);
        let warning = key_expires_at.and_then(|end| ending(end, now));
        if let Ok(mut state) = self.state.write() {
            if let Some(warning) = warning.as_ref().filter(|_| state.warning != warning) {
                tracing::warn!(warning, "key expires soon");
            }
            (state.warning, state.polled_at) = (warning, Some(now));
        }
    }
}

/// The warning about a key that ends soon.
fn ending(end: Timestamp, now: Timestamp) -> Option<String> {
    let is_soon = end - now <= WARNED_BEFORE;
    is_soon.then(|| {
        format!("the API key of staticExport.source expires at {}; extend or replace it", iso(end))
    })
}

/// A link that was refused: the next attempt has a new one.
fn renewed(error: UpdateError) -> UpdateError {
    match error {
        UpdateError::Refused(error) => UpdateError::Transient(error),
        error => error,
    }
}

/// A time around a mean one, so that many deployments don't poll at once.
fn jittered(mean: Duration) -> Duration {
    mean.mul_f64(rand::random_range(0.8..1.2))
}

fn now() -> Timestamp {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |since| Timestamp::try_from(since.as_millis()).unwrap_or(Timestamp::MAX))
}

#[cfg(test)]
mod tests {
    use super::{DAY, Duration, ending, jittered};

    #[test]
    fn end_of_key_is_named_two_weeks_before() {
        assert_eq!(ending(14 * DAY + 1, 0), None);
        assert!(ending(14 * DAY, 0).unwrap().contains("expires at 1970-01-15T00:00:00Z"));
        assert!(ending(0, DAY).is_some());
    }

    #[test]
    fn time_between_polls_varies_by_a_fifth() {
        let times: Vec<_> = (0..100).map(|_| jittered(Duration::from_mins(1))).collect();
        let range = Duration::from_secs(48)..Duration::from_secs(72);
        assert!(times.iter().all(|time| range.contains(time)));
        assert!(times.iter().any(|time| *time != times[0]));
    }
}
