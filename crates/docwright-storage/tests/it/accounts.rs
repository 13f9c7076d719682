//! Members, invitations, and codes: each works once, for one person, until it expires.

use docwright_storage::{
    StorageError,
    database::{
        Account, INVITATIONS, Invited, NewAccount, NewInvitation, NewSession, Organization,
        PageRequest, Position,
    },
};
use docwright_types::{
    account::{Email, Role},
    plan::Plan,
    timestamp::HOUR,
    token::Token,
};

use docwright_testing::database::TestDatabase;

pub(crate) async fn conform(place: &TestDatabase) {
    invitations(place).await;
    roles(place).await;
    codes(place).await;
    limits(place).await;
}

async fn organization(place: &TestDatabase, name: &str) -> Organization {
    let name = format!("accounts {name}");
    place.database.create_organization(&name, Plan::Enterprise, 1).await.unwrap()
}

async fn invite(
    place: &TestDatabase,
    of: &Organization,
    email: &str,
    role: Role,
    until: i64,
) -> Invited {
    let email: Email = email.parse().unwrap();
    let (organization_id, invited_by) = (of.id.as_str(), "T");
    let new = NewInvitation { organization_id, email: &email, role, invited_by, expires_at: until };
    place.database.invite(&new, 10).await.unwrap()
}

fn token(invited: Invited) -> Token {
    let Invited::Asked(_, token) = invited else { panic!("expected an invitation: {invited:?}") };
    token
}

fn new(email: &str) -> NewAccount {
    let password = Some("hash".to_owned());
    NewAccount { email: email.parse().unwrap(), name: "A".to_owned(), password }
}

async fn joined(place: &TestDatabase, of: &Organization, email: &str, role: Role) -> Account {
    let token = token(invite(place, of, email, role, 1000).await);
    let accepted = place.database.accept_invitation(&token, Err(&new(email)), 20).await;
    accepted.unwrap().expect("the invitation is valid").1
}

async fn invitations(place: &TestDatabase) {
    let database = &place.database;
    let (own, other) = (organization(place, "own").await, organization(place, "other").await);
    // Only the invited address can accept an invitation. Failed attempts don't use it up.
    let asked = token(invite(place, &own, "ada@example.com", Role::Editor, 1000).await);
    let eve = database.accept_invitation(&asked, Err(&new("eve@example.com")), 20).await;
    assert!(eve.unwrap().is_none());
    let late = database.accept_invitation(&asked, Err(&new("ada@example.com")), 1000).await;
    assert!(late.unwrap().is_none());
    let accepted = database.accept_invitation(&asked, Err(&new("ada@example.com")), 20).await;
    let (_, ada) = accepted.unwrap().unwrap();
    assert_eq!(database.role(&own.id, &ada.id).await.unwrap(), Some(Role::Editor));
    assert!(database.accept_invitation(&asked, Ok(&ada), 20).await.unwrap().is_none(), "once");
    let again = invite(place, &own, "Ada@Example.com", Role::Admin, 1000).await;
    assert!(matches!(again, Invited::Member), "{again:?}");
    // An account can join a second organization but can't be created twice.
    let second = token(invite(place, &other, "ada@example.com", Role::Viewer, 1000).await);
    let taken = database.accept_invitation(&second, Err(&new("ada@example.com")), 20).await;
    assert!(matches!(taken, Err(StorageError::Exists(_))), "{taken:?}");
    // Accepting an invitation doesn't change the role of an existing member.
    database.add_member(&other.id, &ada.id, Role::Admin, 20).await.unwrap();
    assert!(database.accept_invitation(&second, Ok(&ada), 20).await.unwrap().is_some());
    assert_eq!(database.role(&other.id, &ada.id).await.unwrap(), Some(Role::Admin));
    // A new invitation replaces an earlier one to the same address. Lists show valid invitations, newest
    // first.
    let first = token(invite(place, &own, "bob@example.com", Role::Viewer, 1000).await);
    let replaced = token(invite(place, &own, "bob@example.com", Role::Viewer, 1000).await);
    assert!(database.invitation(&first, 20).await.unwrap().is_none());
    invite(place, &own, "carol@example.com", Role::Viewer, 15).await;
    invite(place, &own, "dave@example.com", Role::Viewer, 1000).await;
    let page = database.invitations(&own.id, 20, PageRequest::first(1)).await.unwrap();
    assert_eq!(page[0].email, "dave@example.com");
    let after = Position::of_id(&page[0].id);
    let rest = PageRequest { after: Some(&after), ..PageRequest::first(10) };
    let rest = database.invitations(&own.id, 20, rest).await.unwrap();
    let [bob] = &rest[..] else { panic!("expected one invitation: {rest:?}") };
    assert!(!database.withdraw_invitation(&other.id, &bob.id).await.unwrap());
    assert!(database.withdraw_invitation(&own.id, &bob.id).await.unwrap());
    assert!(database.invitation(&replaced, 20).await.unwrap().is_none());
}

async fn roles(place: &TestDatabase) {
    let database = &place.database;
    let of = organization(place, "roles").await;
    let one = joined(place, &of, "one@example.com", Role::Admin).await;
    let two = joined(place, &of, "two@example.com", Role::Viewer).await;
    for role in [Some(Role::Viewer), None] {
        let refused = database.set_role(&of.id, &one.id, role, None).await;
        assert!(matches!(refused, Err(StorageError::Exists(_))), "{refused:?}");
    }
    database.set_role(&of.id, &two.id, Some(Role::Admin), None).await.unwrap();
    // If two admins remove each other's role in parallel, one admin stays.
    let (a, b) = tokio::join!(
        database.set_role(&of.id, &one.id, None, None),
        database.set_role(&of.id, &two.id, Some(Role::Viewer), None)
    );
    assert!(a.is_ok() != b.is_ok(), "{a:?} {b:?}");
    let found = database.members(&of.id, Some("two@example.com"), PageRequest::first(10));
    let found = found.await.unwrap();
    assert_eq!(found.len(), 1);
    assert!(database.member(&of.id, "acc_none").await.unwrap().is_none());
    assert!(database.set_role(&of.id, "acc_none", None, None).await.unwrap().is_none());
}

async fn codes(place: &TestDatabase) {
    let database = &place.database;
    let of = organization(place, "codes").await;
    let account = joined(place, &of, "codes@example.com", Role::Viewer).await;
    let code = database.create_preview_code(&account.id, "a.localhost", 100).await.unwrap();
    assert!(!database.use_preview_code(&code, "b.localhost", 50).await.unwrap(), "another host");
    assert!(!database.use_preview_code(&code, "a.localhost", 100).await.unwrap(), "too late");
    assert!(database.use_preview_code(&code, "a.localhost", 50).await.unwrap());
    assert!(!database.use_preview_code(&code, "a.localhost", 50).await.unwrap(), "once");
    // A new password ends all sessions and revokes all codes and links of the account.
    let code = database.create_preview_code(&account.id, "a.localhost", 100).await.unwrap();
    let link = database.create_sign_in_link(&account.id, 10, 100).await.unwrap();
    let session = NewSession {
        account_id: &account.id,
        complete: true,
        address: None,
        user_agent: "T",
        lifetime: HOUR,
    };
    let session = database.create_session(&session, 10).await.unwrap();
    assert_eq!(database.account_of_link(&link, 50).await.unwrap(), Some(account.clone()));
    database.set_password(&account.id, "new", "").await.unwrap();
    assert!(database.account_of_link(&link, 50).await.unwrap().is_none());
    assert!(!database.use_preview_code(&code, "a.localhost", 50).await.unwrap());
    assert!(database.session(&session, 50).await.unwrap().is_none());
    // Expired codes are removed.
    database.create_preview_code(&account.id, "a.localhost", 100).await.unwrap();
    assert!(database.remove_ended_sign_ins(101).await.unwrap() >= 1);
}

async fn limits(place: &TestDatabase) {
    let of = organization(place, "limits").await;
    let mut made = 0;
    for number in 0..105 {
        let email = format!("guest{number}@example.com");
        match invite(place, &of, &email, Role::Viewer, 1000).await {
            Invited::Asked(..) => made += 1,
            other => assert!(matches!(other, Invited::Limited(_)), "{other:?}"),
        }
    }
    assert_eq!(made, 100, "100 invitations within an hour");
    assert!(INVITATIONS > made);
}
