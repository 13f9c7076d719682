//! Which objects with readers' events are no longer kept.

use std::collections::{HashMap, HashSet};

use docwright_storage::{
    Database, StorageError,
    event_key::{events_of_domain, parse_event_key},
};
use docwright_types::timestamp::{DAY, Timestamp};

/// Objects of days that ended before a time, or of domains that are gone. Objects keep the name that a domain had.
#[derive(Debug)]
pub(super) struct OldEvents<'a> {
    database: &'a Database,
    before: Timestamp,
    /// Prefixes of the domains of projects that were looked up.
    domains: HashMap<String, HashSet<String>>,
}

impl<'a> OldEvents<'a> {
    pub(super) fn new(database: &'a Database, before: Timestamp) -> Self {
        Self { database, before, domains: HashMap::new() }
    }

    /// Whether an object is one of them. Other objects aren't.
    pub(super) async fn contains(&mut self, key: &str) -> Result<bool, StorageError> {
        let Some((project, domain, day)) = parse_event_key(key) else { return Ok(false) };
        if day + DAY <= self.before {
            return Ok(true);
        }
        if !self.domains.contains_key(project) {
            let found = self.database.domains(project).await?;
            let names: Vec<_> = found.iter().map(|found| found.name.as_str()).collect();
            let former = self.database.former_domains(&names).await?;
            let names = names.into_iter().chain(former.iter().map(|former| former.name.as_str()));
            let names = names.map(|name| events_of_domain(project, name));
            self.domains.insert(project.to_owned(), names.collect());
        }
        Ok(!self.domains.get(project).is_some_and(|domains| domains.contains(domain)))
    }
}
