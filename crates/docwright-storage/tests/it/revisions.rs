//! Revisions of records: of parallel updates that name the same revision, one succeeds.

use docwright_storage::{
    Database, StorageError,
    database::{
        Actor, ActorKind, AuditFilter, Change, FeedbackChange, IdentityLink, KeyChange, NewAccount,
        NewFeedback, NewKey, OrganizationChange, PageRequest, ProjectChange,
    },
};
use docwright_types::{
    account::Role,
    domain_address::DomainAddress,
    feedback::{FeedbackState, GivenFrom},
    key::Scope,
    plan::Plan,
    timestamp::MINUTE,
};
use futures::future::join_all;

use docwright_testing::database::TestDatabase;

/// Number of parallel updates.
const AT_ONCE: usize = 12;

pub(crate) async fn conform(place: &TestDatabase) {
    let database = &place.database;
    let (site, domain) = place.site("revisions").await;
    let project = database.project(&site.project_id).await.unwrap().unwrap();
    projects(database, &project.id).await;
    organizations(database, &project.organization_id).await;
    keys(database, &project.organization_id).await;
    feedback(database, &project.id, &domain).await;
    members(database, &project.organization_id).await;
    plans(database).await;
    domains(database, &domain).await;
}

/// A database that records the actor of an update.
fn recording(database: &Database, action: &'static str) -> Database {
    database.recording(Change {
        organization_id: None,
        actor: Actor { kind: ActorKind::Service, id: "x".to_owned(), name: "x".to_owned() },
        action,
        address: None,
        request_id: "request".to_owned(),
        before: None,
        after: None,
        at: 1,
    })
}

async fn entries(database: &Database, subject: &str, action: &str) -> usize {
    let filter =
        AuditFilter { subject_id: Some(subject), action: Some(action), ..AuditFilter::default() };
    database.audit_entries(filter, None, 100).await.unwrap().entries.len()
}

/// Runs parallel updates that name the same revision. One succeeds, with its entry; the others are stale.
async fn one_succeeds(
    database: &Database,
    (subject, action): (&str, &'static str),
    update: impl AsyncFn(&Database, String) -> Result<bool, StorageError>,
) {
    let recording = recording(database, action);
    let updates = (0..AT_ONCE).map(|number| update(&recording, format!("Revised {number}")));
    let results = join_all(updates).await;
    let made = results.iter().filter(|result| matches!(result, Ok(true))).count();
    let stale = |result: &&Result<_, _>| matches!(result, Err(StorageError::Stale { .. }));
    assert_eq!((made, results.iter().filter(stale).count()), (1, AT_ONCE - 1), "{results:?}");
    assert_eq!(entries(database, subject, action).await, 1, "{action}");
}

async fn projects(database: &Database, id: &str) {
    fn change(name: Option<&str>, revision: Option<i64>) -> ProjectChange<'_> {
        ProjectChange { name, revision, ..ProjectChange::default() }
    }

    let revision = async || database.project(id).await.unwrap().unwrap().revision;
    one_succeeds(database, (id, "project.update"), async |database, name| {
        database.update_project(id, change(Some(name.as_str()), Some(1)), 0).await
    })
    .await;
    assert_eq!(revision().await, 2);
    let stale = database.update_project(id, change(Some("Stale"), Some(1)), 0).await.unwrap_err();
    assert_eq!(stale.to_string(), "someone else changed this project since revision 1");
    assert_ne!(database.project(id).await.unwrap().unwrap().name, "Stale");
    assert!(database.update_project(id, change(None, Some(2)), 0).await.unwrap());
    assert!(database.update_project(id, change(None, None), 0).await.unwrap());
    assert!(!database.update_project("prj_none", change(None, Some(1)), 0).await.unwrap());
    database.request_poll(id, 1).await.unwrap();
    assert_eq!(revision().await, 4, "a poll is no update");
}

async fn organizations(database: &Database, id: &str) {
    fn change(name: Option<&str>, revision: Option<i64>) -> OrganizationChange<'_> {
        OrganizationChange { name, revision, ..OrganizationChange::default() }
    }

    let revision = async || database.organization(id).await.unwrap().unwrap().revision;
    let before = revision().await;
    assert_eq!(before, 1, "new members and projects are no updates");
    one_succeeds(database, (id, "organization.update"), async |database, name| {
        database.update_organization(id, change(Some(name.as_str()), Some(1))).await
    })
    .await;
    assert_eq!(revision().await, 2);
    let stale = database.update_organization(id, change(Some("Stale"), Some(1))).await;
    assert!(matches!(stale, Err(StorageError::Stale { revision: 1, .. })), "{stale:?}");
    assert!(database.update_organization(id, change(None, None)).await.unwrap());
    assert!(!database.update_organization("org_none", change(None, Some(1))).await.unwrap());
    assert_eq!(revision().await, 3);
}

async fn keys(database: &Database, organization_id: &str) {
    let new = NewKey {
        organization_id: Some(organization_id.to_owned()),
        name: "k".to_owned(),
        scope: Scope::Read,
        projects: Vec::new(),
        allowlist: Vec::new(),
        days: None,
        created_by: None,
    };
    let created = database.create_key(&new, 1).await.unwrap();
    let id = created.id();
    let key = async || database.key(id).await.unwrap().unwrap().0;
    let change = |name, revision| KeyChange { name, revision, ..KeyChange::default() };
    one_succeeds(database, (id, "key.update"), async |database, name| {
        database.update_key(id, &change(Some(name), Some(1))).await
    })
    .await;
    database.touch_key(&key().await, MINUTE).await.unwrap();
    assert_eq!(key().await.last_used_at, Some(MINUTE));
    assert_eq!(key().await.revision, 2, "a use is no update");
    let organization = database.key(id).await.unwrap().unwrap().1.unwrap();
    assert_eq!(organization.revision, 3, "the organization has its own revision");
    let stale = database.update_key(id, &change(Some("Stale".to_owned()), Some(1))).await;
    assert!(matches!(stale, Err(StorageError::Stale { revision: 1, .. })), "{stale:?}");
    assert!(database.update_key(id, &change(None, None)).await.unwrap());
    assert!(database.revoke_key(id, 2 * MINUTE).await.unwrap());
    assert_eq!(key().await.revision, 4);
    assert!(!database.update_key(id, &change(None, Some(4))).await.unwrap(), "the key is revoked");
}

async fn feedback(database: &Database, project_id: &str, domain: &DomainAddress) {
    let new = NewFeedback {
        domain: domain.as_str(),
        page: "p",
        helpful: false,
        comment: None,
        given_from: GivenFrom::Site,
    };
    assert!(database.add_feedback(new, 1).await.unwrap());
    let page = PageRequest::first(1);
    let id = database.feedback_of_project(project_id, None, page).await.unwrap().remove(0).id;
    let of = (project_id, id.as_str());
    let entry = async || database.feedback_of_id(project_id, &id).await.unwrap().unwrap();
    assert_eq!(entry().await.revision, 1);
    one_succeeds(database, (&id, "feedback.update"), async |database, note| {
        let change = FeedbackChange { note: Some(&note), revision: Some(1), state: None };
        database.update_feedback(of, change, 2).await
    })
    .await;
    let changed = entry().await;
    assert!(changed.note.unwrap().starts_with("Revised"));
    assert_eq!((changed.revision, changed.state), (2, FeedbackState::Pending), "the state stays");
    let change = |note, revision| FeedbackChange { note, revision, ..FeedbackChange::default() };
    let stale = database.update_feedback(of, change(Some("Stale"), Some(1)), 3).await.unwrap_err();
    assert_eq!(stale.to_string(), "someone else changed this feedback entry since revision 1");
    assert!(database.update_feedback(of, change(Some(""), Some(2)), 3).await.unwrap());
    assert_eq!((entry().await.note, entry().await.changed_at), (None, Some(3)));
    let other = ("prj_none", id.as_str());
    assert!(!database.update_feedback(other, change(None, Some(3)), 4).await.unwrap());
    assert!(database.update_feedback(of, change(None, None), 4).await.unwrap());
    assert_eq!(entry().await.revision, 4);
}

async fn members(database: &Database, organization_id: &str) {
    let email = "revisions@example.com".parse().unwrap();
    let new = NewAccount { email, name: "A".to_owned(), password: None };
    let identity = ("https://login.example.com", "revisions");
    let IdentityLink::Linked(account) =
        database.link_identity(identity, Err(&new), 1).await.unwrap()
    else {
        panic!("expected a new account")
    };
    let account = account.id;
    database.add_member(organization_id, &account, Role::Viewer, 1).await.unwrap();
    let member = async || database.member(organization_id, &account).await.unwrap().unwrap();
    let set = async |database: &Database, role, revision| {
        let changed = database.set_role(organization_id, &account, Some(role), revision).await?;
        Ok::<_, StorageError>(changed.is_some())
    };
    assert_eq!(member().await.revision, 1);
    one_succeeds(database, (&account, "member.update"), async |database, _| {
        set(database, Role::Admin, Some(1)).await
    })
    .await;
    assert_eq!((member().await.revision, member().await.role), (2, Role::Admin));
    // Stale updates are reported before other errors.
    let stale = set(database, Role::Viewer, Some(1)).await;
    assert!(matches!(stale, Err(StorageError::Stale { revision: 1, .. })), "{stale:?}");
    assert_eq!(member().await.role, Role::Admin);
    let last = set(database, Role::Viewer, Some(2)).await;
    assert!(matches!(last, Err(StorageError::Exists(_))), "{last:?}");
    assert_eq!(member().await.revision, 2, "a refused change is no update");
    assert!(set(database, Role::Admin, Some(2)).await.unwrap());
    assert!(set(database, Role::Admin, None).await.unwrap());
    database.add_member(organization_id, &account, Role::Admin, 2).await.unwrap();
    assert_eq!(member().await.revision, 5, "each change of the role counts");
    assert!(database.set_role("org_none", &account, None, Some(5)).await.unwrap().is_none());
}

async fn plans(database: &Database) {
    let plan = async || database.plan_limits(Plan::Enterprise).await.unwrap();
    let before = plan().await;
    let set = async |database: &Database, prompts, revision| {
        let limits = docwright_types::plan::Limits { prompts_an_hour: prompts, ..before.limits };
        database.set_plan_limits(Plan::Enterprise, limits, Some(revision)).await
    };
    one_succeeds(database, ("enterprise", "plan.update"), async |database, _| {
        set(database, 7, before.revision).await
    })
    .await;
    assert_eq!(
        (plan().await.revision, plan().await.limits.prompts_an_hour),
        (before.revision + 1, 7)
    );
    let stale = set(database, 8, before.revision).await.unwrap_err();
    let sentence = format!("someone else changed this plan since revision {}", before.revision);
    assert_eq!(stale.to_string(), sentence);
    assert_eq!(plan().await.limits.prompts_an_hour, 7);
    let other = database.plan_limits(Plan::Free).await.unwrap();
    assert!(database.set_plan_limits(Plan::Enterprise, before.limits, None).await.unwrap());
    assert_eq!(plan().await.revision, before.revision + 2);
    assert_eq!(database.plan_limits(Plan::Free).await.unwrap(), other, "each plan has its own");
}

async fn domains(database: &Database, name: &DomainAddress) {
    let domain = async || database.domain(name).await.unwrap().unwrap();
    assert_eq!(domain().await.revision, 1);
    one_succeeds(database, (name.as_str(), "domain.update"), async |database, branch| {
        database.set_branch(name, Some(&branch), Some(1), 2).await
    })
    .await;
    let changed = domain().await;
    assert_eq!(changed.revision, 2);
    let stale = database.set_branch(name, None, Some(1), 3).await.unwrap_err();
    assert_eq!(stale.to_string(), "someone else changed this domain since revision 1");
    let same = changed.branch.as_deref();
    let stale = database.set_branch(name, same, Some(1), 3).await;
    assert!(matches!(stale, Err(StorageError::Stale { .. })), "also to the same branch: {stale:?}");
    assert_eq!(domain().await.branch, changed.branch);
    database.request_poll(&changed.project_id, 3).await.unwrap();
    assert!(database.set_branch(name, None, Some(2), 4).await.unwrap());
    assert!(database.set_branch(name, None, None, 5).await.unwrap());
    assert_eq!((domain().await.revision, domain().await.branch), (4, None));
    let none = DomainAddress::parse("none.example.com").unwrap();
    assert!(!database.set_branch(&none, None, Some(1), 5).await.unwrap());
}
