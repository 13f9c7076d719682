//! People as a provider knows them: one account each, and roles that come and go with their groups.

use docwright_domain::{
    account::{Email, Role},
    plan::Plan,
};
use docwright_storage::database::NewAccount;

use crate::place::Place;

const ISSUER: &str = "https://login.example.com";

pub(crate) async fn conform(place: &Place) {
    let database = &place.database;
    let email: Email = "identity@example.com".parse().unwrap();
    let new = NewAccount { email: email.clone(), name: "A".to_owned(), password: None };
    let ada = (ISSUER, "ada");
    assert!(database.account_of_identity(ISSUER, "ada").await.unwrap().is_none());
    let made = database.link_identity(ada, Err(&new), 1).await.unwrap().unwrap();
    assert_eq!(database.account_of_identity(ISSUER, "ada").await.unwrap().unwrap(), made);
    assert!(database.account_of_identity("https://other.example", "ada").await.unwrap().is_none());
    assert!(
        database.link_identity((ISSUER, "bob"), Err(&new), 2).await.is_err(),
        "the address is taken"
    );
    assert!(database.account_of_identity(ISSUER, "bob").await.unwrap().is_none());
    let other: Email = "identity-other@example.com".parse().unwrap();
    let other = NewAccount { email: other.clone(), name: "B".to_owned(), password: None };
    assert!(database.link_identity(ada, Err(&other), 3).await.unwrap().is_none());
    assert!(
        database.account_of_email(&other.email).await.unwrap().is_none(),
        "nothing is left of it"
    );

    let organization = database.create_organization("Identities", Plan::Free, 1).await.unwrap();
    let (own, who) = (organization.id.as_str(), (ISSUER, made.id.as_str()));
    let role = || database.role(own, &made.id);
    assert!(database.provide_role(who, own, Some(Role::Viewer), 1).await.unwrap());
    assert!(!database.provide_role(who, own, Some(Role::Viewer), 2).await.unwrap(), "as it was");
    assert!(database.provide_role(who, own, Some(Role::Editor), 3).await.unwrap());
    assert_eq!(role().await.unwrap(), Some(Role::Editor));
    let provided = database.provided_roles(ISSUER, &made.id).await.unwrap();
    assert_eq!(provided, [(own.to_owned(), Role::Editor)]);
    assert!(
        !database.provide_role(("https://other.example", &made.id), own, None, 4).await.unwrap()
    );
    assert!(database.provide_role(who, own, None, 4).await.unwrap());
    assert_eq!(role().await.unwrap(), None);
    assert!(!database.provide_role(who, "org_none", Some(Role::Admin), 5).await.unwrap());
    // What a person gave, no group takes.
    database.add_member(own, &made.id, Role::Viewer, 6).await.unwrap();
    assert!(!database.provide_role(who, own, Some(Role::Admin), 7).await.unwrap());
    assert!(!database.provide_role(who, own, None, 7).await.unwrap());
    assert_eq!(role().await.unwrap(), Some(Role::Viewer));
    assert!(database.provided_roles(ISSUER, &made.id).await.unwrap().is_empty());
}
