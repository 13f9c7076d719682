//! The tokens that the answers of an organization use in a day (UTC), and their limit.
//!
//! Answers add to sums in memory. A task writes them to the database and reads those of other nodes, so all nodes share a
//! limit. Until then, a node knows its own tokens only. Beyond the limit, answers are passages of the pages.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use docwright_storage::{Database, StorageError};
use docwright_types::timestamp::{DAY, Timestamp};

/// Tokens by organization. A server without a database has one, without a name.
#[derive(Debug)]
pub(super) struct Budget {
    /// Tokens of an organization in a day; `None` for no limit.
    limit: Option<u64>,
    used: Mutex<Used>,
}

#[derive(Debug, Default)]
struct Used {
    day: Timestamp,
    organizations: HashMap<Arc<str>, Tokens>,
}

#[derive(Debug, Default, Clone, Copy)]
struct Tokens {
    /// Those in the database, of all nodes.
    written: u64,
    /// Those of this process that aren't written yet.
    waiting: u64,
}

impl Budget {
    pub(super) fn new(limit: Option<u64>) -> Self {
        Self { limit, used: Mutex::default() }
    }

    /// Whether an organization has used its tokens of the day.
    pub(super) fn is_spent(&self, organization: &str, now: Timestamp) -> bool {
        let Some(limit) = self.limit else { return false };
        let used = self.today(now);
        let tokens = used.organizations.get(organization).copied().unwrap_or_default();
        tokens.written + tokens.waiting >= limit
    }

    /// Adds tokens of an organization.
    pub(super) fn spend(&self, organization: &str, tokens: u64, now: Timestamp) {
        let mut used = self.today(now);
        if let Some(known) = used.organizations.get_mut(organization) {
            known.waiting += tokens;
        } else {
            let new = Tokens { written: 0, waiting: tokens };
            used.organizations.insert(organization.into(), new);
        }
    }

    /// Writes the tokens of this process, and reads those of all nodes. Errors keep them.
    ///
    /// # Errors
    ///
    /// Fails if the database does.
    pub(super) async fn share(
        &self,
        database: &Database,
        now: Timestamp,
    ) -> Result<(), StorageError> {
        let (day, waiting) = {
            let used = self.today(now);
            let waiting = used.organizations.iter().filter(|(_, tokens)| tokens.waiting > 0);
            (
                used.day,
                waiting.map(|(id, tokens)| (id.to_string(), tokens.waiting)).collect::<Vec<_>>(),
            )
        };
        database.add_assistant_tokens(day, &waiting).await?;
        let written = database.assistant_tokens(day).await?;
        let mut used = self.used();
        if used.day != day {
            return Ok(());
        }
        for (id, tokens) in waiting {
            if let Some(known) = used.organizations.get_mut(id.as_str()) {
                known.waiting -= tokens.min(known.waiting);
            }
        }
        for (id, tokens) in written {
            used.organizations.entry(id.into()).or_default().written = tokens;
        }
        Ok(())
    }

    /// The tokens of the present day.
    fn today(&self, now: Timestamp) -> MutexGuard<'_, Used> {
        let mut used = self.used();
        let day = now - now.rem_euclid(DAY);
        if used.day < day {
            *used = Used { day, ..Used::default() };
        }
        used
    }

    fn used(&self) -> MutexGuard<'_, Used> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budget_is_of_an_organization_and_a_day() {
        let budget = Budget::new(Some(100));
        let now = 20_000 * DAY + 5;
        budget.spend("a", 60, now);
        assert!(!budget.is_spent("a", now));
        budget.spend("a", 40, now + 1);
        assert!(budget.is_spent("a", now + 1));
        assert!(!budget.is_spent("b", now + 1));
        assert!(!budget.is_spent("a", now + DAY));
        let unlimited = Budget::new(None);
        unlimited.spend("a", u64::MAX / 2, now);
        assert!(!unlimited.is_spent("a", now));
    }
}
