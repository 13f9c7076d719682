//! People as an identity provider knows them: one account each, and roles that follow their groups.

use docwright_storage::{
    Database,
    database::{Account, IdentityLink, NewAccount, PageRequest},
};
use docwright_types::{
    account::{Email, Role},
    plan::Plan,
};
use futures::future::join_all;

use docwright_testing::database::TestDatabase;

const ISSUER: &str = "https://login.example.com";

pub(crate) async fn conform(place: &TestDatabase) {
    let database = &place.database;
    let email: Email = "identity@example.com".parse().unwrap();
    let new = NewAccount { email: email.clone(), name: "A".to_owned(), password: None };
    let ada = (ISSUER, "ada");
    assert!(database.account_of_identity(ISSUER, "ada").await.unwrap().is_none());
    let made = linked(database.link_identity(ada, Err(&new), 1).await.unwrap());
    assert_eq!(database.account_of_identity(ISSUER, "ada").await.unwrap().unwrap(), made);
    assert!(database.account_of_identity("https://other.example", "ada").await.unwrap().is_none());
    assert!(
        database.link_identity((ISSUER, "bob"), Err(&new), 2).await.is_err(),
        "the address belongs to an account"
    );
    assert!(database.account_of_identity(ISSUER, "bob").await.unwrap().is_none());
    let other: Email = "identity-other@example.com".parse().unwrap();
    let other = NewAccount { email: other.clone(), name: "B".to_owned(), password: None };
    let again = database.link_identity(ada, Err(&other), 3).await.unwrap();
    assert_eq!(again, IdentityLink::AlreadyLinked);
    assert!(
        database.account_of_email(&other.email).await.unwrap().is_none(),
        "no account was created"
    );
    account_takes_one_identity_of_an_issuer(place, &made).await;
    removed_identity_signs_out_and_makes_room(database).await;

    let organization = database.create_organization("Identities", Plan::Free, 1).await.unwrap();
    let (own, who) = (organization.id.as_str(), (ISSUER, made.id.as_str()));
    let role = || database.role(own, &made.id);
    assert!(database.provide_role(who, own, Some(Role::Viewer), 1).await.unwrap());
    assert!(
        !database.provide_role(who, own, Some(Role::Viewer), 2).await.unwrap(),
        "the same role is no change"
    );
    assert!(database.provide_role(who, own, Some(Role::Editor), 3).await.unwrap());
    assert_eq!(role().await.unwrap(), Some(Role::Editor));
    let member = database.member(own, &made.id).await.unwrap().unwrap();
    assert_eq!(member.revision, 2, "a provider's change of the role is an update");
    let provided = database.provided_roles(ISSUER, &made.id).await.unwrap();
    assert_eq!(provided, [(own.to_owned(), Role::Editor)]);
    assert!(
        !database.provide_role(("https://other.example", &made.id), own, None, 4).await.unwrap()
    );
    assert!(database.provide_role(who, own, None, 4).await.unwrap());
    assert_eq!(role().await.unwrap(), None);
    assert!(!database.provide_role(who, "org_none", Some(Role::Admin), 5).await.unwrap());
    // Groups never change a role that a person gave.
    database.add_member(own, &made.id, Role::Viewer, 6).await.unwrap();
    assert!(!database.provide_role(who, own, Some(Role::Admin), 7).await.unwrap());
    assert!(!database.provide_role(who, own, None, 7).await.unwrap());
    assert_eq!(role().await.unwrap(), Some(Role::Viewer));
    assert!(database.provided_roles(ISSUER, &made.id).await.unwrap().is_empty());
}

/// The account of a created link.
fn linked(link: IdentityLink) -> Account {
    match link {
        IdentityLink::Linked(account) => account,
        other => panic!("{other:?}"),
    }
}

async fn account_takes_one_identity_of_an_issuer(place: &TestDatabase, made: &Account) {
    let database = &place.database;
    let second = database.link_identity((ISSUER, "eve"), Ok(made), 4).await.unwrap();
    assert_eq!(second, IdentityLink::AccountTaken);
    assert!(database.account_of_identity(ISSUER, "eve").await.unwrap().is_none());
    assert!(database.has_identity(&made.id, ISSUER).await.unwrap());
    let elsewhere = "https://elsewhere.example";
    assert!(!database.has_identity(&made.id, elsewhere).await.unwrap());
    // Of parallel first sign-ins with one address, one gets the account.
    let subjects: Vec<_> = (0..8).map(|number| format!("racer-{number}")).collect();
    let racers = subjects.iter().map(|subject| {
        let (database, made, subject) = (database.clone(), made.clone(), subject.clone());
        tokio::spawn(async move {
            database.link_identity((elsewhere, &subject), Ok(&made), 5).await.unwrap()
        })
    });
    let links: Vec<_> = join_all(racers).await.into_iter().map(Result::unwrap).collect();
    let won = links.iter().filter(|link| matches!(link, IdentityLink::Linked(_))).count();
    let refused = links.iter().filter(|link| **link == IdentityLink::AccountTaken).count();
    assert_eq!((won, refused), (1, 7), "{links:?}");
    let identities = database.identities(std::slice::from_ref(&made.id)).await.unwrap();
    let issuers: Vec<_> = identities.iter().map(|identity| identity.issuer.as_str()).collect();
    assert_eq!(issuers, [ISSUER, elsewhere]);
    assert!(database.identities(&[]).await.unwrap().is_empty());
}

async fn removed_identity_signs_out_and_makes_room(database: &Database) {
    let email: Email = "removed@example.com".parse().unwrap();
    let new = NewAccount { email: email.clone(), name: "D".to_owned(), password: None };
    let account = linked(database.link_identity((ISSUER, "first"), Err(&new), 1).await.unwrap());
    let listed = |email| database.accounts_page(email, PageRequest::first(10));
    assert_eq!(listed(Some(email.as_str())).await.unwrap(), std::slice::from_ref(&account));
    assert_eq!(listed(Some("none@example.com")).await.unwrap(), []);
    let search = PageRequest { search: Some("REMOV"), ..PageRequest::first(10) };
    let found = database.accounts_page(None, search).await.unwrap();
    assert_eq!(found, std::slice::from_ref(&account));
    let token = database.create_sign_in_link(&account.id, 1, 1_000).await.unwrap();
    let remove = |subject| database.remove_identity(&account.id, (ISSUER, subject));
    assert!(!remove("none").await.unwrap());
    assert!(database.account_of_link(&token, 2).await.unwrap().is_some());
    assert!(remove("first").await.unwrap());
    assert!(
        database.account_of_link(&token, 2).await.unwrap().is_none(),
        "the link no longer signs in"
    );
    linked(database.link_identity((ISSUER, "second"), Ok(&account), 3).await.unwrap());
}
