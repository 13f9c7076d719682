//! Orders certificates: for hosts without one, and again after two thirds of the lifetime.
//!
//! Only verified names are ordered. A failed order is retried at growing intervals.

use std::{sync::Arc, time::Duration};

use anyhow::{Context, anyhow};
use docwright_storage::database::{Certificate, CertificateOrder};
use docwright_types::timestamp::{DAY, HOUR, MINUTE, Timestamp};
use rustls::pki_types::{CertificateDer, pem::PemObject};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::{
    Tls,
    acme::{Acme, ORDER_TIME, OrderError},
    files,
    validity::validity,
};

/// How often due orders are checked.
const EVERY: Duration = Duration::from_secs(2);
/// The turn to order lasts as long as an order, with a reserve.
#[expect(clippy::cast_possible_truncation, reason = "some minutes")]
const TURN: i64 = ORDER_TIME.as_millis() as i64 + 30_000;
/// Pause after a refused order: it doubles each time. Certificate authorities limit refusals.
const FIRST_PAUSE: i64 = 10 * MINUTE;
const LONGEST_PAUSE: i64 = DAY;
/// Pause after an order without a response of the authority.
const FIRST_AWAY: i64 = MINUTE;
const LONGEST_AWAY: i64 = HOUR;

impl Tls {
    /// Orders certificates until the service stops.
    pub(super) async fn order(self: Arc<Self>, stop: CancellationToken) {
        let Some(acme) = &self.acme else { return };
        let (mut is_away, mut seen) = (false, None);
        loop {
            match self.order_due(acme, &mut seen).await {
                Ok(true) => continue,
                Ok(false) => is_away = false,
                Err(error) if !is_away => {
                    let error = format!("{error:#}");
                    tracing::warn!(error, "certificates not ordered; retrying");
                    is_away = true;
                }
                Err(_) => {}
            }
            tokio::select! {
                () = sleep(EVERY) => {}
                () = stop.cancelled() => return,
            }
        }
    }

    /// Orders one certificate if one is due. Returns whether one was. `seen` is the last seen change of domains.
    async fn order_due(&self, acme: &Acme, seen: &mut Option<i64>) -> anyhow::Result<bool> {
        let now = self.clock.now();
        let asked = self.certificates.take_asked();
        let changes = self.database.serving_changes().await?;
        if *seen != Some(changes) || !asked.is_empty() {
            self.database.want_certificates(self.own.as_deref(), &asked, now).await?;
            *seen = Some(changes);
        }
        let Some(order) = self.database.order_certificate(TURN, now).await? else {
            return Ok(false);
        };
        if self.certificates.is_in_files(&order.host) {
            self.database.skip_certificate(&order, now + DAY).await?;
            return Ok(true);
        }
        match acme.order(&order.host).await {
            Ok(certificate) => self.keep(&order, &certificate).await?,
            Err(error) => self.fail(&order, error).await?,
        }
        Ok(true)
    }

    async fn keep(
        &self,
        order: &CertificateOrder,
        certificate: &Certificate,
    ) -> anyhow::Result<()> {
        let now = self.clock.now();
        let (begin, end) = match lifetime(certificate) {
            Ok(lifetime) => lifetime,
            Err(error) => return self.fail(order, OrderError::Away(error)).await,
        };
        let renew_at = end - (end - begin) / 3;
        let kept = (certificate, &self.keyring);
        if self.database.store_certificate(order, kept, (end, renew_at), now).await? {
            tracing::info!(host = order.host, "certificate issued");
            self.take_certificates().await?;
        }
        Ok(())
    }

    async fn fail(&self, order: &CertificateOrder, error: OrderError) -> anyhow::Result<()> {
        // The reason of a refusal comes from the authority; other reasons are for the operator only.
        let (problem, cause, first, longest) = match &error {
            OrderError::Refused(reason) => {
                let sentence = format!("The certificate authority refused: {reason}");
                (sentence, None, FIRST_PAUSE, LONGEST_PAUSE)
            }
            OrderError::Away(error) => {
                let sentence = "The certificate authority can't be reached right now. docwright retries automatically.";
                (sentence.to_owned(), Some(format!("{error:#}")), FIRST_AWAY, LONGEST_AWAY)
            }
        };
        let pause = pause(order.failures, first, longest);
        // A node whose turn is over records nothing: another node has ordered by now.
        if self.database.fail_certificate(order, &problem, self.clock.now() + pause).await? {
            tracing::warn!(host = order.host, problem, cause, "certificate not issued");
        }
        Ok(())
    }
}

fn pause(failures: i64, first: i64, longest: i64) -> i64 {
    let doublings = u32::try_from(failures.min(20)).unwrap_or(0);
    (first << doublings).min(longest)
}

/// The validity of an issued certificate, if it is usable.
fn lifetime(certificate: &Certificate) -> anyhow::Result<(Timestamp, Timestamp)> {
    files::parse(certificate)?;
    let end = CertificateDer::from_pem_slice(certificate.chain.as_bytes());
    let times = validity(&end.context("the certificate isn't PEM")?);
    let times = times.ok_or_else(|| anyhow!("the certificate has no validity period"))?;
    anyhow::ensure!(times.0 < times.1, "the certificate is never valid");
    Ok(times)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_after_each_refusal() {
        let pauses: Vec<_> =
            (0..9).map(|failures| pause(failures, FIRST_PAUSE, LONGEST_PAUSE) / MINUTE).collect();
        assert_eq!(pauses, [10, 20, 40, 80, 160, 320, 640, 1280, 1440]);
        assert_eq!(pause(i64::MAX, FIRST_AWAY, LONGEST_AWAY), HOUR);
    }
}
