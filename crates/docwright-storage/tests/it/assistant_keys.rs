//! Keys of the assistant: shown again, of one project and domain, limited in number.

use docwright_storage::{
    Keyring,
    database::{ASSISTANT_KEYS, DomainOwners, NewAssistantKey, PageRequest, Position},
};
use docwright_testing::database::TestDatabase;
use docwright_types::{assistant_key::AssistantSecret, plan::Plan, timestamp::DAY};

pub(crate) async fn conform(place: &TestDatabase) {
    key_is_shown_again_and_deleted(place).await;
    number_of_keys_is_limited(place).await;
    keys_go_with_domain_and_project(place).await;
    tokens_of_nodes_add_up(place).await;
}

/// Tokens of answers by organization and day.
async fn tokens_of_nodes_add_up(place: &TestDatabase) {
    const TODAY: i64 = 30_000 * DAY;
    let database = &place.database;
    let organization = database.create_organization("tokens", Plan::Free, 1).await.unwrap().id;
    let nodes = (0..4).map(|_| {
        let (database, organization) = (database.clone(), organization.clone());
        tokio::spawn(async move {
            for _ in 0..5 {
                let tokens = [(organization.clone(), 7), ("org_gone".to_owned(), 1)];
                database.add_assistant_tokens(TODAY, &tokens).await.unwrap();
            }
        })
    });
    for node in futures::future::join_all(nodes).await {
        node.unwrap();
    }
    let read = database.assistant_tokens(TODAY).await.unwrap();
    assert_eq!(read, [(organization.clone(), 4 * 5 * 7)]);
    assert_eq!(database.assistant_tokens(TODAY + DAY).await.unwrap(), []);
    database.remove_old_assistant_tokens(TODAY).await.unwrap();
    assert_eq!(database.assistant_tokens(TODAY).await.unwrap().len(), 1);
    database.remove_old_assistant_tokens(TODAY + 1).await.unwrap();
    assert_eq!(database.assistant_tokens(TODAY).await.unwrap(), []);
    database.add_assistant_tokens(TODAY, &[(organization.clone(), 7)]).await.unwrap();
    database.delete_organization(&organization).await.unwrap().unwrap();
    assert_eq!(database.assistant_tokens(TODAY).await.unwrap(), []);
}

fn new<'a>(project_id: &'a str, domain: &'a str, origins: &'a [String]) -> NewAssistantKey<'a> {
    NewAssistantKey { project_id, domain, name: "Shop", origins }
}

async fn key_is_shown_again_and_deleted(place: &TestDatabase) {
    let database = &place.database;
    let (older, newer) = ("0a".repeat(32), "0b".repeat(32));
    let keyring = Keyring::parse(&older).unwrap();
    let (site, domain) = place.site("assistant-keys").await;
    let project = site.project_id.as_str();
    let origins = ["https://shop.example.com".to_owned()];
    let changes = database.serving_changes().await.unwrap();
    let made = new(project, domain.as_str(), &origins);
    let (key, secret) = database.create_assistant_key(made, &keyring, 5).await.unwrap();
    assert_eq!(database.serving_changes().await.unwrap(), changes + 1, "nodes read the keys again");
    assert_eq!(
        (key.secret_hash.as_str(), key.origins.as_slice()),
        (&*secret.secret_hash(), &origins[..])
    );
    assert_eq!(database.assistant_key(&key.id).await.unwrap().as_ref(), Some(&key));
    assert!(database.all_assistant_keys().await.unwrap().contains(&key));
    let of_domain = database.assistant_keys_of_domain(domain.as_str()).await.unwrap();
    assert_eq!(of_domain, std::slice::from_ref(&key));
    let shown = database.reveal_assistant_key(&key.id, &keyring).await.unwrap().unwrap();
    assert_eq!(AssistantSecret::parse(&shown).as_ref(), Some(&secret));
    let stored =
        format!("SELECT COUNT(*) FROM assistant_keys WHERE secret LIKE '%{}%'", &shown[22..40]);
    assert_eq!(place.number(&stored).await, 0, "the secret is encrypted");
    let owners = database.domain_owners().await.unwrap();
    let project_of_site = database.project(project).await.unwrap().unwrap();
    let own = DomainOwners {
        domain: domain.to_string(),
        project_id: project.to_owned(),
        organization_id: project_of_site.organization_id,
    };
    assert!(owners.contains(&own));
    // A new root secret.
    let both = Keyring::parse(&format!("{newer},{older}")).unwrap();
    assert_eq!(database.reencrypt_assistant_keys(&both).await.unwrap(), 1);
    let newest = Keyring::parse(&newer).unwrap();
    let again = database.reveal_assistant_key(&key.id, &newest).await.unwrap();
    assert_eq!(again.as_deref(), Some(shown.as_str()));
    assert!(!database.delete_assistant_key(("prj_other", &key.id)).await.unwrap());
    assert!(database.delete_assistant_key((project, &key.id)).await.unwrap());
    assert!(!database.delete_assistant_key((project, &key.id)).await.unwrap());
    assert_eq!(database.reveal_assistant_key(&key.id, &newest).await.unwrap(), None);
}

async fn number_of_keys_is_limited(place: &TestDatabase) {
    let database = &place.database;
    let keyring = Keyring::parse(&"0a".repeat(32)).unwrap();
    let (site, domain) = place.site("assistant-keys-many").await;
    let made = new(&site.project_id, domain.as_str(), &[]);
    for time in 0..ASSISTANT_KEYS {
        database.create_assistant_key(made, &keyring, time / 2).await.unwrap();
    }
    assert!(database.create_assistant_key(made, &keyring, 9).await.is_err());
    let (mut read, mut after) = (Vec::new(), None::<Position>);
    loop {
        let page = PageRequest { after: after.as_ref(), ..PageRequest::first(7) };
        let part = database.assistant_keys(&site.project_id, page).await.unwrap();
        let Some(last) = part.last() else { break };
        after = Some(Position { text: last.created_at.to_string(), id: last.id.clone() });
        read.extend(part);
    }
    assert_eq!(i64::try_from(read.len()).unwrap(), ASSISTANT_KEYS);
    assert!(read.is_sorted_by_key(|key| (key.created_at, key.id.clone())));
}

async fn keys_go_with_domain_and_project(place: &TestDatabase) {
    let database = &place.database;
    let keyring = Keyring::parse(&"0a".repeat(32)).unwrap();
    let (site, domain) = place.site("assistant-keys-go").await;
    let made = new(&site.project_id, domain.as_str(), &[]);
    let (key, _) = database.create_assistant_key(made, &keyring, 1).await.unwrap();
    database.delete_domain(&domain).await.unwrap().unwrap();
    assert_eq!(database.assistant_key(&key.id).await.unwrap(), None);
    database.add_domain(&domain, &site.project_id, None, 1).await.unwrap();
    let (key, _) = database.create_assistant_key(made, &keyring, 1).await.unwrap();
    database.delete_project(&site.project_id).await.unwrap().unwrap();
    assert_eq!(database.assistant_key(&key.id).await.unwrap(), None);
}
