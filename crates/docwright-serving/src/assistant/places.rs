//! Keys of the assistant and the owners of domains, in memory: a question asks no database.

use std::{
    collections::HashMap,
    sync::{Arc, RwLock},
};

use docwright_storage::database::{AssistantKey, DomainOwners};
use docwright_types::assistant_key::AssistantSecret;

/// What is known of domains; nothing where there is no database.
#[derive(Debug, Default)]
pub(crate) struct Places(RwLock<HashMap<String, Place>>);

#[derive(Debug, Default)]
struct Place {
    organization: Option<Arc<str>>,
    project: Option<Arc<str>>,
    keys: Vec<AssistantKey>,
}

impl Places {
    /// Takes over the state of the database: all keys, and domains with their owners.
    pub(crate) fn replace(&self, keys: Vec<AssistantKey>, owners: Vec<DomainOwners>) {
        let mut places: HashMap<String, Place> = HashMap::new();
        for DomainOwners { domain, project_id, organization_id } in owners {
            let place = places.entry(domain).or_default();
            (place.project, place.organization) =
                (Some(project_id.into()), Some(organization_id.into()));
        }
        for key in keys {
            places.entry(key.domain.clone()).or_default().keys.push(key);
        }
        if let Ok(mut known) = self.0.write() {
            *known = places;
        }
    }

    /// The organization of a domain.
    pub(super) fn organization(&self, domain: &str) -> Option<Arc<str>> {
        self.of(domain, |place| place.organization.clone())?
    }

    /// The project of a domain.
    pub(super) fn project(&self, domain: &str) -> Option<Arc<str>> {
        self.of(domain, |place| place.project.clone())?
    }

    /// Whether some key of a domain lists an origin.
    pub(super) fn is_listed(&self, domain: &str, origin: &str) -> bool {
        let listed = |place: &Place| place.keys.iter().any(|key| lists(key, origin));
        self.of(domain, listed).unwrap_or(false)
    }

    /// Whether a key is of a domain and lists an origin.
    pub(super) fn allows(&self, domain: &str, presented: &AssistantSecret, origin: &str) -> bool {
        let is_it = |key: &AssistantKey| {
            key.id == presented.id() && presented.has_hash(&key.secret_hash) && lists(key, origin)
        };
        self.of(domain, |place| place.keys.iter().any(is_it)).unwrap_or(false)
    }

    fn of<T>(&self, domain: &str, read: impl FnOnce(&Place) -> T) -> Option<T> {
        self.0.read().ok()?.get(domain).map(read)
    }
}

fn lists(key: &AssistantKey, origin: &str) -> bool {
    key.origins.iter().any(|own| own == origin)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_is_only_of_its_domain_and_origins() {
        let secret = AssistantSecret::generate().unwrap();
        let key = AssistantKey {
            id: secret.id().to_owned(),
            project_id: "p".to_owned(),
            domain: "a.example".to_owned(),
            name: "n".to_owned(),
            secret_hash: secret.secret_hash(),
            origins: vec!["https://shop.example".to_owned()],
            created_at: 0,
        };
        let places = Places::default();
        let owners = ["a.example", "b.example"].map(|name| DomainOwners {
            domain: name.to_owned(),
            project_id: format!("project of {name}"),
            organization_id: format!("org of {name}"),
        });
        places.replace(vec![key], owners.to_vec());
        let (shop, other) = ("https://shop.example", "https://other.example");
        assert!(places.allows("a.example", &secret, shop) && places.is_listed("a.example", shop));
        assert!(
            !places.allows("a.example", &secret, other) && !places.is_listed("a.example", other)
        );
        assert!(!places.allows("b.example", &secret, shop) && !places.is_listed("b.example", shop));
        let guessed = AssistantSecret::generate().unwrap();
        assert!(!places.allows("a.example", &guessed, shop));
        assert_eq!(places.organization("b.example").as_deref(), Some("org of b.example"));
        assert_eq!(places.project("b.example").as_deref(), Some("project of b.example"));
        places.replace(Vec::new(), Vec::new());
        assert!(!places.allows("a.example", &secret, shop));
    }
}
