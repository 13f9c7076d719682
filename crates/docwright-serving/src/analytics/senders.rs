//! Who can send reports about a domain: its own pages, and those of client-hosted sites of its project whose deployment
//! names an address for reports.
//!
//! The addresses of deployments are read when a report comes from another site, and kept for a minute. A reader waits
//! for no answer to a report.

use std::{collections::HashMap, sync::Mutex};

use axum::http::{header, request::Parts};
use docwright_http::{error::ApiError, origin};
use docwright_operations::OperationError;
use docwright_storage::{Database, StorageError};
use docwright_types::timestamp::{MINUTE, Timestamp};
use url::Url;

use super::lock;

/// How long the addresses of deployments are kept. Milliseconds.
const KEPT: Timestamp = MINUTE;
/// Most domains whose deployments are kept.
const MAXIMUM: usize = 10_000;

/// Origins of client-hosted sites, by the domain that counts their readers.
#[derive(Debug, Default)]
pub(super) struct Senders {
    known: Mutex<HashMap<String, Known>>,
}

/// The origins that were read at a time.
#[derive(Debug)]
struct Known {
    at: Timestamp,
    origins: Vec<String>,
}

/// The sender of a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Sender {
    /// A page of the domain.
    Own,
    /// A page of a client-hosted site on a host.
    Deployment(String),
}

impl Senders {
    /// The sender of a report to a domain.
    ///
    /// # Errors
    ///
    /// Fails if another site sent it, or if the database doesn't know.
    pub(super) async fn of(
        &self,
        (database, domain): (&Database, &str),
        parts: &Parts,
        now: Timestamp,
    ) -> Result<Sender, ApiError> {
        if origin::is_own(parts) {
            return Ok(Sender::Own);
        }
        let sent_from = parts.headers.get(header::ORIGIN).and_then(|origin| origin.to_str().ok());
        let url = sent_from.and_then(|origin| Url::parse(origin).ok());
        if let Some(url) = url
            && let Some(host) = url.host_str()
            && self.has(database, (domain, &url.origin().ascii_serialization()), now).await?
        {
            return Ok(Sender::Deployment(host.to_owned()));
        }
        let sentence = "This report was sent from another site.".to_owned();
        Err(OperationError::Forbidden(sentence).into())
    }

    async fn has(
        &self,
        database: &Database,
        (domain, origin): (&str, &str),
        now: Timestamp,
    ) -> Result<bool, StorageError> {
        let is_in = |known: &Known| known.origins.iter().any(|each| each == origin);
        let is_recent = |known: &&Known| (known.at..known.at + KEPT).contains(&now);
        if let Some(known) = lock(&self.known).get(domain).filter(is_recent) {
            return Ok(is_in(known));
        }
        let addresses = database.report_addresses(domain).await?;
        let origins = addresses.iter().filter_map(|address| Url::parse(address).ok());
        let origins = origins.map(|url| url.origin().ascii_serialization()).collect();
        let known = Known { at: now, origins };
        let found = is_in(&known);
        let mut all = lock(&self.known);
        if all.len() >= MAXIMUM {
            all.clear();
        }
        all.insert(domain.to_owned(), known);
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderValue, Request};
    use docwright_http::authority::Authority;
    use docwright_storage::database::NewDeployment;
    use docwright_testing::database::TestDatabase;
    use docwright_types::deployment::{Analytics, DeploymentType, Features, Switch};

    use super::*;

    fn parts(origin: &'static str) -> Parts {
        let mut parts = Request::new(()).into_parts().0;
        parts.extensions.insert(Authority::parse("read.example.com").unwrap());
        parts.headers.insert("origin", HeaderValue::from_static(origin));
        parts
    }

    #[tokio::test]
    async fn sites_of_the_project_send_reports_if_their_deployment_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let test = TestDatabase::sqlite(folder.path()).await;
        let (site, domain) = test.site("read").await;
        let silent = Features::of(DeploymentType::ClientHosted);
        let address = Some("https://read.example.com/_docwright/reading".to_owned());
        let analytics = Analytics { mode: Switch::On, address, behind_cdn: false };
        let sends = Features { analytics, ..silent.clone() };
        for (name, address, features) in [
            ("silent", "https://silent.example", &silent),
            ("plant", "http://plant.example:8080/docs", &sends),
        ] {
            let (project_id, kind) = (&*site.project_id, DeploymentType::ClientHosted);
            let new = NewDeployment { project_id, name, kind, features, address: Some(address) };
            test.database.create_deployment(new, 1).await.unwrap();
        }
        let senders = Senders::default();
        for (origin, sender) in [
            ("https://read.example.com", Some(Sender::Own)),
            ("http://plant.example:8080", Some(Sender::Deployment("plant.example".to_owned()))),
            ("http://plant.example", None),
            ("https://plant.example:8080", None),
            ("https://silent.example", None),
            ("https://evil.example", None),
            ("null", None),
        ] {
            let of = (&test.database, domain.as_str());
            let found = senders.of(of, &parts(origin), 1).await.ok();
            assert_eq!(found, sender, "{origin}");
        }
        test.execute("DELETE FROM deployments").await;
        for (now, is_known) in [(2, true), (KEPT + 1, false)] {
            let of = (&test.database, domain.as_str());
            let found = senders.of(of, &parts("http://plant.example:8080"), now).await;
            assert_eq!(found.is_ok(), is_known, "at {now}");
        }
    }
}
