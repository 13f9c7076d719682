//! Deletion of accounts removes their names and addresses, and never leaves an organization without an admin
//! or the instance without an operator.

use docwright_storage::{
    Keyring, StorageError,
    database::{
        Account, Actor, ActorKind, AuditEntry, AuditFilter, Change, DELETED_ACCOUNT, Invitation,
        Invited, NewAccount, NewInvitation, NewKey, NewSession, NewSubscription, Organization,
        OrganizationChange, PageRequest,
    },
};
use docwright_types::{
    account::{Email, Role},
    key::Scope,
    plan::Plan,
    timestamp::HOUR,
    token::Token,
};
use serde_json::json;

use docwright_testing::database::TestDatabase;

pub(crate) async fn conform(place: &TestDatabase) {
    account_leaves_nothing_of_its_own(place).await;
    ways_to_sign_in_end(place).await;
    only_admin_stays(place).await;
    one_of_two_admins_stays_when_both_are_deleted(place).await;
    one_of_two_operators_stays_when_both_are_deleted(place).await;
    account_changes_nothing_after_deletion(place).await;
    changes_of_account_end_with_deletion(place).await;
    anonymization_continues_after_interruption(place).await;
    account_without_row_is_none(place).await;
}

pub(crate) async fn organization(place: &TestDatabase, name: &str) -> Organization {
    let name = format!("deletion {name}");
    place.database.create_organization(&name, Plan::Enterprise, 1).await.unwrap()
}

/// A new account that is a member of an organization.
pub(crate) async fn member(
    place: &TestDatabase,
    of: &Organization,
    email: &str,
    role: Role,
) -> Account {
    let email: Email = email.parse().unwrap();
    let new = NewInvitation {
        organization_id: &of.id,
        email: &email,
        role,
        invited_by: "T",
        expires_at: 1_000,
    };
    let invited = place.database.invite(&new, 10).await.unwrap();
    let Invited::Asked(_, token) = invited else { panic!("{invited:?}") };
    let name = format!("Name of {email}");
    let new = NewAccount { email, name, password: Some("hash".to_owned()) };
    place.database.accept_invitation(&token, Err(&new), 20).await.unwrap().unwrap().1
}

fn change(actor: &Account, action: &'static str, after: serde_json::Value) -> Change {
    Change {
        organization_id: None,
        actor: Actor { kind: ActorKind::Account, id: actor.id.clone(), name: actor.email.clone() },
        action,
        address: Some("192.0.2.7".to_owned()),
        request_id: "request".to_owned(),
        before: None,
        after: Some(after),
        at: 10,
    }
}

async fn entries(place: &TestDatabase, filter: AuditFilter<'_>) -> Vec<AuditEntry> {
    place.database.audit_entries(filter, None, 100).await.unwrap().entries
}

pub(crate) fn key(of: &Organization, created_by: Option<&Account>) -> NewKey {
    NewKey {
        organization_id: Some(of.id.clone()),
        name: "k".to_owned(),
        scope: Scope::Read,
        projects: Vec::new(),
        allowlist: Vec::new(),
        days: None,
        created_by: created_by.map(|account| account.id.clone()),
    }
}

/// Invites an address on behalf of an account.
async fn invited(
    place: &TestDatabase,
    of: &Organization,
    by: &Account,
    email: &str,
) -> (Invitation, Token) {
    let email: Email = email.parse().unwrap();
    let after = json!({ "email": email.as_str(), "role": "viewer" });
    let database = place.database.recording(change(by, "invitation.create", after));
    let new = NewInvitation {
        organization_id: &of.id,
        email: &email,
        role: Role::Viewer,
        invited_by: &by.email,
        expires_at: 1_000,
    };
    match database.invite(&new, 10).await.unwrap() {
        Invited::Asked(invitation, token) => (invitation, token),
        other => panic!("{other:?}"),
    }
}

async fn subscribe(place: &TestDatabase, of: &Organization, by: &Account, target: &str) {
    let keyring = Keyring::parse(&"0a".repeat(32)).unwrap();
    let new = NewSubscription { organization_id: &of.id, project_id: None, target, events: &[] };
    let after = json!({ "target": target });
    let database = place.database.recording(change(by, "subscription.create", after));
    database.create_subscription(new, &keyring, 10).await.unwrap().unwrap();
}

async fn account_leaves_nothing_of_its_own(place: &TestDatabase) {
    let database = &place.database;
    let (of, other) = (organization(place, "own").await, organization(place, "other").await);
    let boss = member(place, &of, "deletion-boss@example.com", Role::Admin).await;
    let gone = member(place, &of, "deletion-gone@example.com", Role::Admin).await;
    let by_gone =
        |action, name: &str| database.recording(change(&gone, action, json!({ "name": name })));
    let named = format!("key of {}", gone.email);
    let made = by_gone("key.create", &named).create_key(&key(&of, Some(&gone)), 10).await.unwrap();
    let kept = database.create_key(&key(&of, Some(&boss)), 10).await.unwrap();
    let of_operator = database.create_key(&key(&of, None), 10).await.unwrap();
    let (to_guest, _) = invited(place, &of, &gone, "deletion-guest@example.com").await;
    let (to_gone, token) = invited(place, &other, &boss, &gone.email).await;
    subscribe(place, &of, &boss, "mailto:Deletion-Gone@Example.com").await;
    assert!(
        by_gone("account.update", &gone.name).rename_account(&gone.id, &gone.name).await.unwrap()
    );

    let deletes = database.recording(change(&gone, "account.delete", json!({})));
    let deleted = deletes.delete_account(&gone.id).await.unwrap().unwrap();
    assert_eq!((deleted.memberships, deleted.keys), (1, 1));
    assert_eq!((deleted.invitations, deleted.subscriptions), (1, 1));
    assert!(database.invitation(&token, 20).await.unwrap().is_none());
    assert!(database.key(made.id()).await.unwrap().is_none());
    for key in [kept, of_operator] {
        assert!(database.key(key.id()).await.unwrap().is_some(), "other creators' keys stay");
    }
    let stays = database.invitation_of(&of.id, &to_guest.id).await.unwrap().unwrap();
    assert_eq!(stays.invited_by, format!("{DELETED_ACCOUNT} {}", gone.id));
    log_names_no_deleted_account(place, &of, &gone, (&to_gone, &boss)).await;
    // The address is free again, and its next owner inherits nothing.
    let members = database.members(&of.id, None, PageRequest::first(10)).await.unwrap();
    assert_eq!(members.len(), 1);
    let again = member(place, &other, "deletion-gone@example.com", Role::Viewer).await;
    assert_ne!(again.id, gone.id);
    assert_eq!(database.memberships(&again.id).await.unwrap().len(), 1);
}

async fn log_names_no_deleted_account(
    place: &TestDatabase,
    of: &Organization,
    gone: &Account,
    (to_gone, boss): (&Invitation, &Account),
) {
    assert_eq!(place.database.anonymize_deleted_accounts().await.unwrap(), 1);
    let filter = AuditFilter { actor_id: Some(&gone.id), ..AuditFilter::default() };
    let by_gone = entries(place, filter).await;
    let mut actions: Vec<_> = by_gone.iter().map(|entry| entry.action.as_str()).collect();
    actions.sort_unstable();
    let expected =
        ["account.delete", "account.update", "invitation.create", "key.create", "member.delete"];
    assert_eq!(actions, expected);
    for entry in &by_gone {
        assert_eq!(entry.actor_name, DELETED_ACCOUNT);
        assert_eq!(entry.address.as_deref(), Some("192.0.2.7"));
    }
    let of_action = |action| by_gone.iter().find(|entry| entry.action == action).unwrap();
    let ended = of_action("member.delete");
    assert_eq!(ended.organization_id.as_deref(), Some(of.id.as_str()));
    assert_eq!(ended.before, Some(json!({ "role": "admin" })));
    let guest = json!({ "email": "deletion-guest@example.com", "role": "viewer" });
    assert_eq!(of_action("invitation.create").after, Some(guest), "the invitee's address stays");
    let filter = AuditFilter { subject_id: Some(&to_gone.id), ..AuditFilter::default() };
    let invited = entries(place, filter).await;
    assert_eq!(invited[0].after, Some(json!({ "email": DELETED_ACCOUNT, "role": "viewer" })));
    assert_eq!(invited[0].actor_name, boss.email);
    place.lacks("deletion-gone").await;
    place.lacks(&gone.name.to_lowercase()).await;
}

async fn ways_to_sign_in_end(place: &TestDatabase) {
    let database = &place.database;
    let of = organization(place, "ways").await;
    let gone = member(place, &of, "deletion-ways@example.com", Role::Viewer).await;
    let session = NewSession {
        account_id: &gone.id,
        complete: true,
        address: None,
        user_agent: "T",
        lifetime: HOUR,
    };
    let session = database.create_session(&session, 10).await.unwrap();
    let link = database.create_sign_in_link(&gone.id, 10, 1_000).await.unwrap();
    let code = database.create_preview_code(&gone.id, "a.localhost", 1_000).await.unwrap();
    database.link_identity(("https://i.example", "gone"), Ok(&gone), 10).await.unwrap();
    assert!(database.delete_account(&gone.id).await.unwrap().is_some());
    assert!(database.session(&session, 20).await.unwrap().is_none());
    assert!(database.account_of_link(&link, 20).await.unwrap().is_none());
    assert!(!database.use_preview_code(&code, "a.localhost", 20).await.unwrap());
    assert!(database.account_of_identity("https://i.example", "gone").await.unwrap().is_none());
    let email: Email = gone.email.parse().unwrap();
    assert!(database.account_of_email(&email).await.unwrap().is_none());
    database.anonymize_deleted_accounts().await.unwrap();
}

async fn only_admin_stays(place: &TestDatabase) {
    let database = &place.database;
    let (one, two) = (organization(place, "one").await, organization(place, "two").await);
    let admin = member(place, &one, "deletion-only@example.com", Role::Admin).await;
    let viewer = member(place, &one, "deletion-viewer@example.com", Role::Viewer).await;
    database.add_member(&two.id, &admin.id, Role::Admin, 20).await.unwrap();
    let refused = database.delete_account(&admin.id).await.unwrap_err();
    assert!(matches!(refused, StorageError::Exists(_)), "{refused:?}");
    let said = refused.to_string();
    assert!(said.contains("\"deletion one\" and \"deletion two\""), "{said}");
    assert_eq!(
        database.memberships(&admin.id).await.unwrap().len(),
        2,
        "a refused deletion changes nothing"
    );
    // A member who isn't an admin can always delete their account.
    assert!(database.delete_account(&viewer.id).await.unwrap().is_some());
    let other = member(place, &one, "deletion-second@example.com", Role::Admin).await;
    database.add_member(&two.id, &other.id, Role::Admin, 20).await.unwrap();
    assert!(database.delete_account(&admin.id).await.unwrap().is_some());
    database.delete_organization(&two.id).await.unwrap().unwrap();
    let refused = database.delete_account(&other.id).await.unwrap_err().to_string();
    assert!(refused.contains("of the organization \"deletion one\""), "{refused}");
}

/// Deletes two accounts in parallel. Returns the error of the one that is refused.
async fn delete_both(place: &TestDatabase, accounts: [&Account; 2]) -> String {
    let delete = |account: &Account| {
        let (database, id) = (place.database.clone(), account.id.clone());
        tokio::spawn(async move { database.delete_account(&id).await })
    };
    let [one, two] = accounts.map(delete);
    let (one, two) = (one.await.unwrap(), two.await.unwrap());
    assert!(one.is_ok() != two.is_ok(), "{one:?} {two:?}");
    one.err().or(two.err()).unwrap().to_string()
}

async fn one_of_two_admins_stays_when_both_are_deleted(place: &TestDatabase) {
    for round in 0..8 {
        let of = organization(place, &format!("race {round}")).await;
        let email = |name: &str| format!("deletion-{name}-{round}@example.com");
        let one = member(place, &of, &email("one"), Role::Admin).await;
        let two = member(place, &of, &email("two"), Role::Admin).await;
        let refused = delete_both(place, [&one, &two]).await;
        assert!(refused.contains("the only admin of the organization"), "{refused}");
        let members = place.database.members(&of.id, None, PageRequest::first(10)).await.unwrap();
        assert_eq!(members.len(), 1);
    }
}

async fn one_of_two_operators_stays_when_both_are_deleted(place: &TestDatabase) {
    let of = organization(place, "operators").await;
    member(place, &of, "deletion-admin@example.com", Role::Admin).await;
    let database = &place.database;
    assert!(!database.set_operator("acc_none", true).await.unwrap());
    for round in 0..8 {
        let email = |name: &str| format!("deletion-operator-{name}-{round}@example.com");
        let one = member(place, &of, &email("one"), Role::Viewer).await;
        let two = member(place, &of, &email("two"), Role::Viewer).await;
        place.execute("UPDATE accounts SET is_operator = 0").await;
        for account in [&one, &two] {
            assert!(database.set_operator(&account.id, true).await.unwrap());
        }
        // Of two operators who remove each other's role, one stays an operator. The same holds for deletions.
        let end = |account: &Account| {
            let (database, id) = (database.clone(), account.id.clone());
            tokio::spawn(async move { database.set_operator(&id, false).await })
        };
        let [first, second] = [&one, &two].map(end);
        let (first, second) = (first.await.unwrap(), second.await.unwrap());
        assert!(first.is_ok() != second.is_ok(), "{first:?} {second:?}");
        for account in [&one, &two] {
            assert!(database.set_operator(&account.id, true).await.unwrap());
        }
        let refused = delete_both(place, [&one, &two]).await;
        assert!(refused.contains("the only operator of the instance"), "{refused}");
    }
    place.execute("UPDATE accounts SET is_operator = 0").await;
}

/// Changes by a request that started before the deletion are refused.
async fn account_changes_nothing_after_deletion(place: &TestDatabase) {
    let database = &place.database;
    let of = organization(place, "late").await;
    member(place, &of, "deletion-late-admin@example.com", Role::Admin).await;
    let gone = member(place, &of, "deletion-late@example.com", Role::Admin).await;
    let made = database.create_key(&key(&of, Some(&gone)), 10).await.unwrap();
    let by_key = |action| {
        let actor = Actor { kind: ActorKind::Key, id: made.id().to_owned(), name: "k".to_owned() };
        database.recording(Change { actor, ..change(&gone, action, json!({})) })
    };
    // An account can be deleted with a key that the account created. The key goes with it.
    let deleted = by_key("account.delete").delete_account(&gone.id).await.unwrap().unwrap();
    assert_eq!(deleted.keys, 1);
    let late = database.recording(change(&gone, "organization.update", json!({})));
    let refused = late
        .update_organization(
            &of.id,
            OrganizationChange { name: Some("Renamed"), ..OrganizationChange::default() },
        )
        .await;
    assert!(matches!(refused, Err(StorageError::ActorDeleted)), "{refused:?}");
    let refused = by_key("organization.update")
        .update_organization(
            &of.id,
            OrganizationChange { name: Some("Renamed"), ..OrganizationChange::default() },
        )
        .await;
    assert!(matches!(refused, Err(StorageError::ActorDeleted)), "{refused:?}");
    let found = database.organization(&of.id).await.unwrap().unwrap();
    assert_eq!(found.name, "deletion late");
    // Creating a key for the deleted account.
    let refused = database.create_key(&key(&of, Some(&gone)), 10).await;
    assert!(matches!(refused, Err(StorageError::ActorDeleted)), "{refused:?}");
    database.anonymize_deleted_accounts().await.unwrap();
}

/// A deletion waits for open changes of the account and includes them. `SQLite` has only one writer.
async fn changes_of_account_end_with_deletion(place: &TestDatabase) {
    if place.database.kind() != "postgres" {
        return;
    }
    let of = organization(place, "moment").await;
    let gone = member(place, &of, "deletion-moment@example.com", Role::Viewer).await;
    let creates = place
        .begin(&[
            format!(
                "INSERT INTO api_keys (id, organization_id, name, secret_hash, scope, projects, allowlist, created_at, \
                 expires_at, created_by) VALUES ('moment', '{}', 'k', '', 'read', '[]', '', 0, 1, '{}')",
                of.id, gone.id
            ),
            format!("SELECT id FROM accounts WHERE id = '{}' FOR KEY SHARE", gone.id),
        ])
        .await;
    let (database, id) = (place.database.clone(), gone.id.clone());
    let deletes = tokio::spawn(async move { database.delete_account(&id).await });
    let waiting = "SELECT COUNT(*) FROM pg_stat_activity \
                   WHERE datname = current_database() AND wait_event_type = 'Lock'";
    while place.number(waiting).await == 0 {
        assert!(!deletes.is_finished(), "the deletion waits for the change");
    }
    creates.commit().await.unwrap();
    assert_eq!(deletes.await.unwrap().unwrap().unwrap().keys, 1);
    assert!(place.database.key("moment").await.unwrap().is_none());
    place.database.anonymize_deleted_accounts().await.unwrap();
}

async fn anonymization_continues_after_interruption(place: &TestDatabase) {
    let database = &place.database;
    let of = organization(place, "cut").await;
    let gone = member(place, &of, "deletion-cut@example.com", Role::Viewer).await;
    // More entries than one batch.
    place
        .execute(&format!(
            "INSERT INTO audit_entries (id, organization_id, actor_kind, actor_id, actor_name, action, subject_kind, \
             subject_id, request_id, created_at) \
             WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1200) \
             SELECT 'aud_cut_' || (10000 + i), NULL, 'account', '{}', '{}', 'key.create', 'key', 'k', 'request', 10 FROM n",
            gone.id, gone.email
        ))
        .await;
    assert!(database.delete_account(&gone.id).await.unwrap().is_some());
    let left = "SELECT COUNT(*) FROM audit_entries WHERE actor_name = 'deletion-cut@example.com'";
    assert_eq!(place.number(left).await, 1_200, "no entry is anonymized yet");
    assert_eq!(database.anonymize_deleted_accounts().await.unwrap(), 1);
    assert_eq!(place.number(left).await, 0);
    place.lacks("deletion-cut@").await;
    assert_eq!(database.anonymize_deleted_accounts().await.unwrap(), 0);
}

async fn account_without_row_is_none(place: &TestDatabase) {
    assert_eq!(place.database.delete_account("acc_none").await.unwrap(), None);
}
