//! Personal access tokens: the owner's present role, the end of a membership, and limits.

use docwright_storage::{
    StorageError,
    database::{Account, NewKey, Organization, PERSONAL_TOKENS, PageRequest, Sort},
};
use docwright_types::{
    account::Role,
    key::{ApiKey, KeyRefusal, PresentedKey, Scope},
    timestamp::{DAY, HOUR},
};

use docwright_testing::database::TestDatabase;

use crate::account_deletion::{key, member, organization};

pub(crate) async fn conform(place: &TestDatabase) {
    role_of_owner_is_read(place).await;
    token_ends_with_membership(place).await;
    token_ends_with_account(place).await;
    tokens_of_former_operator_end_elsewhere(place).await;
    limits_are_exact(place).await;
}

fn token(of: &Organization, scope: Scope) -> NewKey {
    NewKey { scope, ..key(of, None) }
}

async fn created(
    place: &TestDatabase,
    owner: &Account,
    of: &Organization,
    scope: Scope,
) -> PresentedKey {
    place.database.create_personal_token(&owner.id, &token(of, scope), 10).await.unwrap()
}

async fn stored(place: &TestDatabase, token: &PresentedKey) -> Option<ApiKey> {
    place.database.key(token.id()).await.unwrap().map(|(key, _)| key)
}

async fn role_of_owner_is_read(place: &TestDatabase) {
    let database = &place.database;
    let of = organization(place, "token roles").await;
    let _admin = member(place, &of, "token-admin@example.com", Role::Admin).await;
    let owner = member(place, &of, "token-owner@example.com", Role::Admin).await;
    let token = created(place, &owner, &of, Scope::Write).await;
    for (role, expected) in
        [(Role::Viewer, Scope::Read), (Role::Editor, Scope::Write), (Role::Admin, Scope::Write)]
    {
        database.set_role(&of.id, &owner.id, Some(role), None).await.unwrap();
        let read = stored(place, &token).await.unwrap();
        let about = read.owner.clone().unwrap();
        assert_eq!((read.granted, read.scope()), (Scope::Write, expected), "{role:?}");
        assert_eq!((&about.account_id, &about.email), (&owner.id, &owner.email));
        assert_eq!(about.scope, Some(role.scope()));
        assert_eq!(read.check(&token, 20), Ok(()));
        let [listed] = database.keys(&of.id).await.unwrap().try_into().unwrap();
        assert_eq!(listed.owner, Some(about.clone()));
        let page = PageRequest { search: None, after: None, limit: 10 };
        let page = database.keys_page(Some(&of.id), Sort::Oldest, page).await.unwrap();
        assert_eq!(page[0].0.owner, Some(about.clone()));
        let own = database.personal_tokens(&owner.id).await.unwrap();
        assert_eq!(own[0].0.owner, Some(about));
        assert_eq!(own[0].1.as_ref().map(|own| &own.id), Some(&of.id));
    }
    let plain = database.create_key(&key(&of, Some(&owner)), 10).await.unwrap();
    assert!(stored(place, &plain).await.unwrap().owner.is_none(), "a key isn't its creator's");
    database.revoke_key(token.id(), 30).await.unwrap();
    assert!(database.personal_tokens(&owner.id).await.unwrap().is_empty());
}

async fn token_ends_with_membership(place: &TestDatabase) {
    let database = &place.database;
    let (of, other) =
        (organization(place, "token ends").await, organization(place, "token stays").await);
    let _admin = member(place, &of, "token-boss@example.com", Role::Admin).await;
    let owner = member(place, &of, "token-leaves@example.com", Role::Editor).await;
    database.add_member(&other.id, &owner.id, Role::Viewer, 10).await.unwrap();
    let (gone, kept) = (
        created(place, &owner, &of, Scope::Write).await,
        created(place, &owner, &other, Scope::Read).await,
    );
    database.set_role(&of.id, &owner.id, None, None).await.unwrap();
    assert!(stored(place, &gone).await.is_none());
    assert_eq!(stored(place, &kept).await.unwrap().check(&kept, 20), Ok(()));
    let refused = database.create_personal_token(&owner.id, &token(&of, Scope::Read), 20).await;
    assert!(matches!(refused, Err(StorageError::Exists(_))), "{refused:?}");
    // A provider gives another membership, and ends it.
    let provider = ("https://tokens.example.com", owner.id.as_str());
    assert!(database.provide_role(provider, &of.id, Some(Role::Editor), 30).await.unwrap());
    assert!(stored(place, &gone).await.is_none());
    let again = created(place, &owner, &of, Scope::Write).await;
    assert!(database.provide_role(provider, &of.id, None, 40).await.unwrap());
    assert!(!database.provide_role(provider, &of.id, None, 40).await.unwrap());
    assert!(stored(place, &again).await.is_none());
    assert!(stored(place, &kept).await.is_some());
}

async fn token_ends_with_account(place: &TestDatabase) {
    let of = organization(place, "token account").await;
    let owner = member(place, &of, "token-deleted@example.com", Role::Editor).await;
    let token = created(place, &owner, &of, Scope::Write).await;
    let deleted = place.database.delete_account(&owner.id).await.unwrap().unwrap();
    assert_eq!((deleted.keys, deleted.memberships), (1, 1));
    assert!(stored(place, &token).await.is_none());
}

async fn tokens_of_former_operator_end_elsewhere(place: &TestDatabase) {
    let database = &place.database;
    let (of, other) =
        (organization(place, "token own").await, organization(place, "token foreign").await);
    let owner = member(place, &of, "token-operator@example.com", Role::Viewer).await;
    let second = member(place, &of, "token-operator-2@example.com", Role::Viewer).await;
    database.set_operator(&second.id, true).await.unwrap();
    database.set_operator(&owner.id, true).await.unwrap();
    let own = created(place, &owner, &of, Scope::Admin).await;
    let foreign = created(place, &owner, &other, Scope::Admin).await;
    for token in [&own, &foreign] {
        let read = stored(place, token).await.unwrap();
        assert_eq!((read.scope(), read.check(token, 20)), (Scope::Admin, Ok(())));
    }
    database.set_operator(&owner.id, false).await.unwrap();
    assert_eq!(stored(place, &own).await.unwrap().scope(), Scope::Read);
    assert!(stored(place, &foreign).await.is_none());
}

/// An hour has exactly ten new tokens of a person, also with parallel requests, and all hours twenty. Keys of the
/// organization have their own limit.
async fn limits_are_exact(place: &TestDatabase) {
    let database = &place.database;
    let of = organization(place, "token limits").await;
    let owner = member(place, &of, "token-many@example.com", Role::Viewer).await;
    let other = member(place, &of, "token-few@example.com", Role::Viewer).await;
    let (now, new) = (20 * DAY, token(&of, Scope::Read));
    let asked = (0..30).map(|_| database.create_personal_token(&owner.id, &new, now));
    let made = futures::future::join_all(asked).await;
    assert_eq!(made.iter().filter(|token| token.is_ok()).count(), 10);
    let refused = made.into_iter().find_map(Result::err).unwrap();
    assert!(matches!(refused, StorageError::TooManyPersonalTokens { minutes: 60 }), "{refused}");
    database.create_personal_token(&other.id, &new, now).await.unwrap();
    for _ in 0..10 {
        database.create_key(&key(&of, None), now).await.unwrap();
    }
    let later = now + HOUR;
    for _ in 10..PERSONAL_TOKENS {
        database.create_personal_token(&owner.id, &new, later).await.unwrap();
    }
    let full = database.create_personal_token(&owner.id, &new, later + HOUR).await;
    assert!(matches!(full, Err(StorageError::Exists(_))), "{full:?}");
    let own = database.personal_tokens(&owner.id).await.unwrap();
    assert_eq!(own.len(), usize::try_from(PERSONAL_TOKENS).unwrap());
    assert!(database.revoke_key(&own[0].0.id, later).await.unwrap());
    database.create_personal_token(&owner.id, &new, later + HOUR).await.unwrap();
    let read = database.key(&own[0].0.id).await.unwrap().unwrap().0;
    assert_eq!(read.check_validity(later), Err(KeyRefusal::Revoked));
}
