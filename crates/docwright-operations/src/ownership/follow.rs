//! Checks the records of pending domains, and where the names of domains lead, in the background, at growing
//! intervals. Gives default domains to projects that have none: those that are older than the setting, or were created
//! on the command line.

use std::{sync::Arc, time::Duration};

use docwright_jobs::clock::Clock;
use docwright_storage::StorageError;
use docwright_types::domain_address::DomainAddress;
use futures::{StreamExt, stream};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::Ownership;

/// Time between two rounds.
const EVERY: Duration = Duration::from_secs(10);
/// Domains that are checked, and projects that get a default domain, in one round.
const ROUND: i64 = 50;
/// Names that are asked at once.
const AT_ONCE: usize = 8;

/// Checks pending domains and gives default domains until the service stops.
pub async fn follow(ownership: Arc<Ownership>, clock: Clock, stop: CancellationToken) {
    let mut is_away = false;
    loop {
        // A name server that doesn't answer must not delay the end of the service.
        let checked = tokio::select! {
            checked = round(&ownership, &clock) => checked,
            () = stop.cancelled() => return,
        };
        match checked {
            Ok(()) => is_away = false,
            Err(error) if !is_away => {
                tracing::warn!(%error, "domains not checked; retrying");
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

async fn round(ownership: &Ownership, clock: &Clock) -> Result<(), StorageError> {
    give_default_domains(ownership, clock).await?;
    let now = clock.now();
    for claim in ownership.database.due_domain_claims(now, ROUND).await? {
        ownership.check(&ownership.database, &claim, clock.now()).await?;
    }
    let due = ownership.database.due_domain_dns_checks(now, ROUND).await?;
    let checks = due.into_iter().filter_map(|name| DomainAddress::parse(&name).ok());
    let checks = checks.map(|name| async move { ownership.find_lead(&name, clock.now()).await });
    let mut checks = stream::iter(checks).buffer_unordered(AT_ONCE);
    while let Some(checked) = checks.next().await {
        checked?;
    }
    Ok(())
}

/// Names take long to check, so projects don't wait for them.
async fn give_default_domains(ownership: &Ownership, clock: &Clock) -> Result<(), StorageError> {
    let Some(sites) = ownership.hosts.sites() else { return Ok(()) };
    for project in ownership.database.projects_without_default_domain(ROUND).await? {
        let domain = ownership.database.give_default_domain(&project, sites, clock.now()).await?;
        if let Some(domain) = domain {
            tracing::info!(domain, project, "default domain created");
        }
    }
    Ok(())
}
