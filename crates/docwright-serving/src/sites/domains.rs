//! The active releases of domains, in memory.
//!
//! A domain keeps serving its release until the next one is open. So an outage of the store, or a damaged bundle,
//! changes nothing for readers.

use std::{
    borrow::Cow,
    collections::HashMap,
    sync::{Arc, RwLock},
};

use docwright_storage::database::Serving;
use percent_encoding::percent_decode_str;

/// The site or preview at an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hosted {
    /// A release, and the length in bytes of the base path.
    Release(Arc<Serving>, usize),
    /// A name whose readers belong on this domain: a host, followed by the base path if there is one. The number is the
    /// length in bytes of the base path of the name.
    Redirect(Arc<str>, usize),
    /// A domain whose site has no active release yet.
    NoRelease,
    /// Nothing: sites of this host are below other paths.
    Outside,
    /// Not a host of a site.
    Unknown,
}

/// The consequences of an update.
#[derive(Debug, Default)]
pub(super) struct Update {
    /// Releases to open before they replace others.
    pub(super) changed: Vec<Arc<Serving>>,
    /// Releases of removed domains, with bundles that no domain serves any more.
    pub(super) gone: Vec<Arc<Serving>>,
}

/// The state of each domain.
#[derive(Debug, Default)]
pub(super) struct Domains(RwLock<ServedDomains>);

#[derive(Debug, Default)]
struct ServedDomains {
    /// By name: a host, followed by the base path if there is one.
    domains: HashMap<String, Domain>,
    /// The number of segments in the longest base path of each host.
    depths: HashMap<String, usize>,
    /// The domains that default domains and former names redirect to.
    redirects: HashMap<String, Arc<str>>,
}

/// A domain with a release serves it; others wait for their first.
#[derive(Debug, Default)]
struct Domain {
    served: Option<Arc<Serving>>,
    /// The release that it will serve once it is open.
    next: Option<Arc<Serving>>,
}

impl Domains {
    /// The site or preview of a host at a path. The host is in lower case. The longest matching base path wins.
    pub(super) fn get(&self, host: &str, path: &str) -> Hosted {
        let Ok(known) = self.0.read() else { return Hosted::Unknown };
        let Some(depth) = known.depths.get(host) else { return Hosted::Unknown };
        for (name, length) in names(host, path, *depth).into_iter().rev() {
            if let Some(target) = known.redirects.get(&*name) {
                return Hosted::Redirect(Arc::clone(target), length);
            }
            match known.domains.get(&*name) {
                Some(Domain { served: Some(serving), .. }) => {
                    return Hosted::Release(Arc::clone(serving), length);
                }
                Some(_) => return Hosted::NoRelease,
                None => {}
            }
        }
        Hosted::Outside
    }

    /// The release that a domain serves, by the name of the domain.
    pub(super) fn serving(&self, name: &str) -> Option<Arc<Serving>> {
        self.0.read().ok()?.domains.get(name)?.served.clone()
    }

    /// Whether there is a domain, with or without a release.
    pub(super) fn has(&self, name: &str) -> bool {
        self.0.read().is_ok_and(|known| known.domains.contains_key(name))
    }

    /// The names of all domains.
    pub(super) fn names(&self) -> Vec<String> {
        self.0.read().map(|known| known.domains.keys().cloned().collect()).unwrap_or_default()
    }

    /// Takes over the names that redirect, and their targets.
    pub(super) fn redirect(&self, redirects: Vec<(String, String)>) {
        let Ok(mut known) = self.0.write() else { return };
        known.redirects = redirects.into_iter().map(|(from, to)| (from, to.into())).collect();
        known.measure();
    }

    /// Takes over the state of the database. A domain without a release serves its first one immediately, and a
    /// domain that lost its release serves nothing.
    pub(super) fn update(&self, all: Vec<(String, Option<Serving>)>) -> Update {
        let mut update = Update::default();
        let Ok(mut known) = self.0.write() else { return update };
        let mut before = std::mem::take(&mut known.domains);
        for (name, serving) in all {
            let mut domain = before.remove(&name).unwrap_or_default();
            match serving.map(Arc::new) {
                None => update.gone.extend(std::mem::take(&mut domain).served),
                Some(serving) if domain.waits_for_first(&serving) => {
                    domain = Domain { served: Some(serving), next: None };
                }
                Some(serving) if !domain.is_next(&serving) => {
                    domain.next = Some(Arc::clone(&serving));
                    update.changed.push(serving);
                }
                Some(_) => {}
            }
            known.domains.insert(name, domain);
        }
        known.measure();
        update.gone.extend(before.into_values().filter_map(|domain| domain.served));
        update.gone.retain(|gone| !known.domains.values().any(|domain| domain.serves(gone)));
        update
    }

    /// Whether a release is still the next one of its domain.
    pub(super) fn is_wanted(&self, serving: &Serving) -> bool {
        self.0.read().is_ok_and(|known| {
            known.domains.get(&serving.domain).is_some_and(|domain| domain.is_next(serving))
        })
    }

    /// Serves an open release, if it is still the next one. Returns the release that this leaves without a reader,
    /// if no domain serves its bundle: the previous one, or this one if it was superseded.
    pub(super) fn switch(&self, serving: &Arc<Serving>) -> Option<Arc<Serving>> {
        let mut known = self.0.write().ok()?;
        let domain = known.domains.get_mut(&serving.domain);
        let unread = match domain.filter(|domain| domain.is_next(serving)) {
            Some(domain) => {
                domain.next = None;
                domain.served.replace(Arc::clone(serving))?
            }
            None => Arc::clone(serving),
        };
        (!known.domains.values().any(|domain| domain.serves(&unread))).then_some(unread)
    }
}

impl ServedDomains {
    /// Finds the longest base path of each host.
    fn measure(&mut self) {
        self.depths.clear();
        for name in self.domains.keys().chain(self.redirects.keys()) {
            let (host, base) = name.split_at(name.find('/').unwrap_or(name.len()));
            let segments = base.bytes().filter(|byte| *byte == b'/').count();
            let depth = self.depths.entry(host.to_owned()).or_default();
            *depth = segments.max(*depth);
        }
    }
}

/// Possible names of a domain that serves a path, the shortest first, each with the length of the base path in the
/// request, which can be encoded. Only whole segments count.
fn names<'a>(host: &'a str, path: &str, depth: usize) -> Vec<(Cow<'a, str>, usize)> {
    let mut names = vec![(Cow::Borrowed(host), 0)];
    let (mut name, mut length) = (host.to_owned(), 0);
    for segment in path.strip_prefix('/').unwrap_or_default().split('/').take(depth) {
        let Ok(decoded) = percent_decode_str(segment).decode_utf8() else { break };
        if decoded.is_empty() || decoded.contains('/') {
            break;
        }
        name = name + "/" + &decoded;
        length += 1 + segment.len();
        names.push((Cow::Owned(name.clone()), length));
    }
    names
}

impl Domain {
    /// Whether it serves the bundle of a release.
    fn serves(&self, serving: &Serving) -> bool {
        self.served.as_ref().is_some_and(|served| served.bundle == serving.bundle)
    }

    /// Whether the domain has no release to keep serving.
    fn waits_for_first(&self, serving: &Serving) -> bool {
        self.served.as_ref().is_none_or(|served| is_same(served, serving))
    }

    fn is_next(&self, serving: &Serving) -> bool {
        self.next.as_ref().is_some_and(|next| is_same(next, serving))
    }
}

/// Whether both are the same release with the same bundle: a rebuilt release has another bundle.
fn is_same(one: &Serving, other: &Serving) -> bool {
    one.release_id == other.release_id && one.bundle.key == other.bundle.key
}

#[cfg(test)]
mod tests {
    use docwright_types::export_job::StoredBundle;

    use super::*;

    fn serving(domain: &str, release: &str) -> (String, Option<Serving>) {
        let bundle = StoredBundle {
            key: release.to_owned(),
            size: 1,
            sha256: release.to_owned(),
            commit: None,
        };
        let serving = Serving { domain: domain.to_owned(), release_id: release.to_owned(), bundle };
        (domain.to_owned(), Some(serving))
    }

    fn served(domains: &Domains, name: &str) -> Option<String> {
        match domains.get(name, "/") {
            Hosted::Release(serving, 0) => Some(serving.release_id.clone()),
            _ => None,
        }
    }

    #[test]
    fn domain_serves_old_release_until_new_one_is_open() {
        let domains = Domains::default();
        assert!(domains.update(vec![serving("a", "1"), serving("b", "1")]).changed.is_empty());
        assert_eq!(served(&domains, "a").as_deref(), Some("1"));
        let changed = domains.update(vec![serving("a", "2"), serving("b", "1")]).changed;
        assert_eq!(changed.len(), 1);
        assert_eq!(served(&domains, "a").as_deref(), Some("1"));
        assert!(
            domains.update(vec![serving("a", "2"), serving("b", "1")]).changed.is_empty(),
            "started"
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
    fn reverted_change_is_never_served() {
        let domains = Domains::default();
        domains.update(vec![serving("a", "1")]);
        let second = domains.update(vec![serving("a", "2")]).changed.remove(0);
        let third = domains.update(vec![serving("a", "3")]).changed.remove(0);
        assert!(!domains.is_wanted(&second));
        assert_eq!(domains.switch(&second), Some(second), "no domain serves it");
        assert_eq!(served(&domains, "a").as_deref(), Some("1"));
        assert!(domains.update(vec![serving("a", "1")]).changed.is_empty());
        domains.switch(&third);
        assert_eq!(served(&domains, "a").as_deref(), Some("1"));
    }

    #[test]
    fn domain_is_known_from_creation_to_deletion() {
        let domains = Domains::default();
        assert!(domains.update(vec![("a".to_owned(), None)]).changed.is_empty());
        assert_eq!(domains.get("a", "/"), Hosted::NoRelease);
        assert!(
            domains.update(vec![serving("a", "1")]).changed.is_empty(),
            "there is nothing to go on with"
        );
        assert_eq!(served(&domains, "a").as_deref(), Some("1"));
        let update = domains.update(vec![("a".to_owned(), None)]);
        assert_eq!(domains.get("a", "/"), Hosted::NoRelease, "its release was taken away");
        assert_eq!(update.gone.len(), 1);
        domains.update(Vec::new());
        assert_eq!(domains.get("a", "/"), Hosted::Unknown);
    }

    #[test]
    fn deleted_domain_serves_nothing() {
        let domains = Domains::default();
        domains.update(vec![serving("a", "1"), serving("b", "2"), serving("c", "2")]);
        let update = domains.update(vec![serving("b", "2")]);
        let gone: Vec<_> = update.gone.iter().map(|serving| serving.domain.as_str()).collect();
        assert_eq!(gone, ["a"], "the bundle of `c` is served by `b`");
        assert_eq!((served(&domains, "a"), served(&domains, "c")), (None, None));
        assert_eq!(served(&domains, "b").as_deref(), Some("2"));
    }

    #[test]
    fn default_domain_redirects_while_it_has_a_target() {
        let domains = Domains::default();
        domains.update(vec![serving("a", "1"), serving("b/docs", "1")]);
        domains.redirect(vec![("a".to_owned(), "b/docs".to_owned())]);
        assert_eq!(domains.get("a", "/page"), Hosted::Redirect("b/docs".into(), 0));
        domains.update(vec![serving("a", "2"), serving("b/docs", "1")]);
        assert_eq!(domains.get("a", "/"), Hosted::Redirect("b/docs".into(), 0), "updates keep it");
        domains.redirect(Vec::new());
        assert_eq!(served(&domains, "a").as_deref(), Some("1"));
    }

    #[test]
    fn former_name_redirects_with_its_base_path() {
        let domains = Domains::default();
        domains.update(vec![serving("a/new", "1")]);
        let redirects = [("a/old/v1", "a/new"), ("gone", "a/new")];
        let redirects = redirects.map(|(from, to)| (from.to_owned(), to.to_owned()));
        domains.redirect(redirects.to_vec());
        for _ in 0..2 {
            assert_eq!(domains.get("a", "/old/v1/page"), Hosted::Redirect("a/new".into(), 7));
            assert_eq!(domains.get("gone", "/page"), Hosted::Redirect("a/new".into(), 0));
            assert_eq!(domains.get("a", "/old/v2"), Hosted::Outside);
            assert!(matches!(domains.get("a", "/new/x"), Hosted::Release(_, 4)));
            domains.update(vec![serving("a/new", "1")]);
        }
        domains.redirect(Vec::new());
        domains.update(vec![serving("a/new", "1")]);
        assert_eq!(domains.get("gone", "/page"), Hosted::Unknown);
        assert_eq!(domains.get("a", "/old/v1/page"), Hosted::Outside);
    }

    #[test]
    fn longest_base_path_of_whole_segments_wins() {
        let domains = Domains::default();
        let all = ["a", "a/docs", "a/docs/v1/x", "b/docs", "c/waits"];
        let mut all: Vec<_> = all.into_iter().map(|name| serving(name, name)).collect();
        all[4].1 = None;
        domains.update(all);
        for (host, path, expected) in [
            ("a", "/", Some(("a", 0))),
            ("a", "/page", Some(("a", 0))),
            ("a", "/docs", Some(("a/docs", 5))),
            ("a", "/docs/", Some(("a/docs", 5))),
            ("a", "/docs/page/deep/deeper", Some(("a/docs", 5))),
            ("a", "/docs/v1", Some(("a/docs", 5))),
            ("a", "/docs/v1/x/y", Some(("a/docs/v1/x", 10))),
            ("a", "/docsx", Some(("a", 0))),
            ("a", "/Docs/page", Some(("a", 0))),
            ("a", "//docs/page", Some(("a", 0))),
            ("a", "/%64ocs/page", Some(("a/docs", 7))),
            ("a", "/docs%2Fv1%2Fx", Some(("a", 0))),
            ("a", "/docs/%ff", Some(("a/docs", 5))),
            ("b", "/docs/page", Some(("b/docs", 5))),
            ("b", "/", None),
            ("b", "/page", None),
            ("b", "*", None),
        ] {
            let found = domains.get(host, path);
            match &found {
                Hosted::Release(serving, length) => {
                    assert_eq!(Some((&*serving.domain, *length)), expected, "{host}{path}");
                }
                _ => assert_eq!((&found, expected), (&Hosted::Outside, None), "{host}{path}"),
            }
        }
        assert_eq!(domains.get("c", "/waits/page"), Hosted::NoRelease);
        assert_eq!(domains.get("c", "/"), Hosted::Outside);
        assert_eq!(domains.get("d", "/docs"), Hosted::Unknown);
    }
}
