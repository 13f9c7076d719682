//! Ownership of domains: which need no proof, which need a DNS record, and checking it; and where their names lead.
//!
//! Names below the operator's approved suffixes, and names of this machine, need no proof. Every other host
//! belongs to the organization whose record is found first.

mod dns;
mod follow;
mod leads;

use std::{net::SocketAddr, sync::Arc, time::Duration};

use docwright_storage::{
    Database, StorageError,
    database::{Claimed, DomainClaim},
};
use docwright_types::{
    domain_address::DomainAddress,
    domain_check::DnsState,
    domain_name::DomainName,
    timestamp::{HOUR, MINUTE, Timestamp},
};

use crate::service_hosts::ServiceHosts;
use dns::Dns;

pub use follow::follow;
pub use leads::{Leads, PATH};

/// Prefix of every record.
const VALUE: &str = "docwright-verification=";
/// Time limit of a look-up in all.
const LOOKUP_TIME: Duration = Duration::from_secs(10);
/// Waits between checks for a record: they double each time.
const FIRST_PAUSE: i64 = MINUTE;
const LONGEST_PAUSE: i64 = 6 * HOUR;

/// Ownership of domains.
#[derive(Debug)]
pub struct Ownership {
    database: Database,
    dns: Dns,
    approved: Vec<DomainName>,
    hosts: Arc<ServiceHosts>,
    /// `None` on the command line.
    leads: Option<Leads>,
}

/// A DNS record to add.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Its type.
    pub kind: &'static str,
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
}

impl Record {
    /// The record that verifies the host of a pending domain.
    pub fn of(claim: &DomainClaim) -> Self {
        let host = claim.name.split('/').next().unwrap_or_default();
        let value = format!("{VALUE}{}", claim.token);
        Self { kind: "TXT", name: format!("_docwright.{host}"), value }
    }
}

impl Ownership {
    /// Hosts below one of the `approved` suffixes need no proof. Records are looked up at `dns_servers`, or at
    /// those of this machine if there are none.
    pub fn new(
        database: Database,
        (approved, dns_servers): (&[DomainName], &[SocketAddr]),
        hosts: Arc<ServiceHosts>,
    ) -> Self {
        let dns = Dns::new(dns_servers);
        Self { database, dns, approved: approved.to_vec(), hosts, leads: None }
    }

    /// The same, which also finds where names lead.
    #[must_use]
    pub fn with_leads(self, leads: Leads) -> Self {
        Self { leads: Some(leads), ..self }
    }

    /// Finds where the name of a domain leads, unless that was just done.
    pub async fn find_lead(
        &self,
        name: &DomainAddress,
        now: Timestamp,
    ) -> Result<(), StorageError> {
        let Some(leads) = &self.leads else { return Ok(()) };
        let next = now + FIRST_PAUSE;
        let earlier = self.database.begin_domain_dns_check(name.as_str(), now, next).await?;
        let Some(failures) = earlier else { return Ok(()) };
        let (state, found) = leads.find(&self.dns, name).await;
        let pause = if state == DnsState::Correct { LONGEST_PAUSE } else { pause(failures) };
        self.database.record_domain_dns(name.as_str(), (state, &found), now + pause).await
    }

    /// The hosts of the service, which can't be domains.
    pub const fn service_hosts(&self) -> &Arc<ServiceHosts> {
        &self.hosts
    }

    /// Adds a domain to a branch of a project; it is pending if its host must be verified.
    pub async fn add(
        &self,
        database: &Database,
        name: &DomainAddress,
        (project_id, branch): (&str, Option<&str>),
        now: Timestamp,
    ) -> Result<Claimed, StorageError> {
        if !self.is_approved(name.host().as_str()) {
            return database.claim_domain(name, project_id, branch, now).await;
        }
        match database.add_domain(name, project_id, branch, now).await {
            Ok(()) => Ok(Claimed::Domain),
            Err(StorageError::Exists(_)) => Ok(Claimed::Taken),
            Err(error) => Err(error),
        }
    }

    /// Checks the record of a pending domain, unless it was just checked. Returns whether the domain is now
    /// verified.
    pub async fn check(
        &self,
        database: &Database,
        claim: &DomainClaim,
        now: Timestamp,
    ) -> Result<bool, StorageError> {
        let next = now + pause(claim.checks);
        if !database.begin_domain_check(&claim.id, now, next).await? {
            return Ok(false);
        }
        let problem = match self.problem(claim).await {
            None if database.grant_domain(&claim.id, now).await? => {
                tracing::info!(domain = claim.name, project = claim.project_id, "verified");
                return Ok(true);
            }
            None => "Another organization verified the domain first.".to_owned(),
            Some(problem) => problem,
        };
        database.fail_domain_check(&claim.id, &problem).await?;
        Ok(false)
    }

    /// The problem with the record of a pending domain.
    async fn problem(&self, claim: &DomainClaim) -> Option<String> {
        let record = Record::of(claim);
        let name = &record.name;
        let found = tokio::time::timeout(LOOKUP_TIME, self.dns.texts(name)).await;
        let found = match found {
            Ok(Ok(found)) => found,
            Ok(Err(error)) => {
                tracing::debug!(name, error, "DNS record not read");
                return Some(format!(
                    "The DNS servers of {name} didn't respond. docwright retries automatically."
                ));
            }
            Err(_) => {
                return Some(format!(
                    "The DNS servers of {name} didn't respond in time. docwright retries automatically."
                ));
            }
        };
        if found.iter().any(|text| text.trim() == record.value) {
            return None;
        }
        Some(if found.is_empty() {
            format!(
                "No TXT record found at {name}. Add it, then wait a few minutes for DNS to update."
            )
        } else {
            format!("The TXT record at {name} doesn't match {}.", record.value)
        })
    }

    /// Whether a host needs no proof.
    pub fn is_approved(&self, host: &str) -> bool {
        let is_below = |suffix: &str| {
            host.strip_suffix(suffix).is_some_and(|rest| rest.ends_with('.') && rest.len() > 1)
        };
        is_below("localhost") || self.approved.iter().any(|suffix| is_below(suffix.as_str()))
    }
}

/// The wait after some checks in vain.
fn pause(checks: i64) -> Timestamp {
    let doublings = u32::try_from(checks.clamp(0, 20)).unwrap_or(0);
    (FIRST_PAUSE << doublings).min(LONGEST_PAUSE)
}
