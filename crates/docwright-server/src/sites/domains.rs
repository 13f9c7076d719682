//! What domains serve, in memory.
//!
//! A domain goes on with the release that it serves until the next one is open. So a store that is
//! away, or a bundle that is damaged, changes nothing for readers.

use std::{
    collections::HashMap,
    sync::{Arc, RwLock},
};

use docwright_storage::database::Serving;

/// What each domain serves.
#[derive(Debug, Default)]
pub(super) struct Domains(RwLock<HashMap<String, Domain>>);

/// What follows from a change.
#[derive(Debug, Default)]
pub(super) struct Update {
    /// Releases that have to be opened before others make way for them.
    pub(super) changed: Vec<Arc<Serving>>,
    /// Releases of domains that are gone, with bundles that nobody serves any more.
    pub(super) gone: Vec<Arc<Serving>>,
}

#[derive(Debug)]
struct Domain {
    served: Arc<Serving>,
    /// What it will serve as soon as that is open.
    next: Option<Arc<Serving>>,
}

impl Domains {
    /// What the domain of a name serves. The name is in lower case.
    pub(super) fn get(&self, name: &str) -> Option<Arc<Serving>> {
        let domains = self.0.read().ok()?;
        domains.get(name).map(|domain| Arc::clone(&domain.served))
    }

    /// Takes over what the database says. A domain that served nothing serves its release from now
    /// on, and one that was deleted serves nothing any more.
    pub(super) fn update(&self, all: Vec<Serving>) -> Update {
        let mut update = Update::default();
        let Ok(mut domains) = self.0.write() else { return update };
        let mut before = std::mem::take(&mut *domains);
        for serving in all {
            let serving = Arc::new(serving);
            let name = serving.domain.clone();
            let mut domain = before
                .remove(&name)
                .unwrap_or_else(|| Domain { served: Arc::clone(&serving), next: None });
            if domain.served.release_id == serving.release_id {
                domain.next = None;
            } else if !domain.is_next(&serving) {
                domain.next = Some(Arc::clone(&serving));
                update.changed.push(serving);
            }
            domains.insert(name, domain);
        }
        let gone = before.into_values().map(|domain| domain.served);
        let is_served =
            |gone: &Serving| domains.values().any(|domain| domain.served.bundle == gone.bundle);
        update.gone = gone.filter(|gone| !is_served(gone)).collect();
        update
    }

    /// Whether a release is still the next one of its domain.
    pub(super) fn is_wanted(&self, serving: &Serving) -> bool {
        let domains = self.0.read();
        domains.is_ok_and(|domains| {
            domains.get(&serving.domain).is_some_and(|domain| domain.is_next(serving))
        })
    }

    /// Serves a release that is open now, if it is still the next one. Returns the one before if nobody
    /// serves its bundle any more.
    pub(super) fn switch(&self, serving: &Arc<Serving>) -> Option<Arc<Serving>> {
        let mut domains = self.0.write().ok()?;
        let domain = domains.get_mut(&serving.domain).filter(|domain| domain.is_next(serving))?;
        let before = std::mem::replace(&mut domain.served, Arc::clone(serving));
        domain.next = None;
        let is_served = domains.values().any(|domain| domain.served.bundle == before.bundle);
        (!is_served).then_some(before)
    }
}

impl Domain {
    fn is_next(&self, serving: &Serving) -> bool {
        self.next.as_ref().is_some_and(|next| next.release_id == serving.release_id)
    }
}

#[cfg(test)]
mod tests {
    use docwright_domain::export_job::StoredBundle;

    use super::*;

    fn serving(domain: &str, release: &str) -> Serving {
        let bundle = StoredBundle {
            key: release.to_owned(),
            size: 1,
            sha256: release.to_owned(),
            commit: None,
        };
        Serving { domain: domain.to_owned(), release_id: release.to_owned(), bundle }
    }

    fn served(domains: &Domains, name: &str) -> Option<String> {
        domains.get(name).map(|serving| serving.release_id.clone())
    }

    #[test]
    fn a_domain_goes_on_until_the_next_release_is_open() {
        let domains = Domains::default();
        assert!(domains.update(vec![serving("a", "1"), serving("b", "1")]).changed.is_empty());
        assert_eq!(served(&domains, "a").as_deref(), Some("1"));
        let changed = domains.update(vec![serving("a", "2"), serving("b", "1")]).changed;
        assert_eq!(changed.len(), 1);
        assert_eq!(served(&domains, "a").as_deref(), Some("1"));
        assert!(
            domains.update(vec![serving("a", "2"), serving("b", "1")]).changed.is_empty(),
            "begun"
        );
        assert!(domains.is_wanted(&changed[0]));
        let before = domains.switch(&changed[0]);
        assert_eq!(before, None, "the other domain serves the same bundle");
        assert_eq!(served(&domains, "a").as_deref(), Some("2"));
        assert!(!domains.is_wanted(&changed[0]), "it is there");
        assert!(domains.update(vec![serving("a", "2")]).changed.is_empty());
        assert_eq!(served(&domains, "b"), None);
        let third = domains.update(vec![serving("a", "3")]).changed.remove(0);
        let before = domains.switch(&third).map(|before| before.release_id.clone());
        assert_eq!(before.as_deref(), Some("2"), "nobody needs it any more");
    }

    #[test]
    fn a_change_that_is_taken_back_never_shows() {
        let domains = Domains::default();
        domains.update(vec![serving("a", "1")]);
        let second = domains.update(vec![serving("a", "2")]).changed.remove(0);
        let third = domains.update(vec![serving("a", "3")]).changed.remove(0);
        assert!(!domains.is_wanted(&second));
        domains.switch(&second);
        assert_eq!(served(&domains, "a").as_deref(), Some("1"));
        assert!(domains.update(vec![serving("a", "1")]).changed.is_empty());
        domains.switch(&third);
        assert_eq!(served(&domains, "a").as_deref(), Some("1"));
    }

    #[test]
    fn a_domain_that_is_gone_serves_nothing() {
        let domains = Domains::default();
        domains.update(vec![serving("a", "1"), serving("b", "2"), serving("c", "2")]);
        let update = domains.update(vec![serving("b", "2")]);
        let gone: Vec<_> = update.gone.iter().map(|serving| serving.domain.as_str()).collect();
        assert_eq!(gone, ["a"], "the bundle of `c` is served by `b`");
        assert_eq!((served(&domains, "a"), served(&domains, "c")), (None, None));
        assert_eq!(served(&domains, "b").as_deref(), Some("2"));
    }
}
