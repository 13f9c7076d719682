//! Paged lists: complete, in one order, and limited to the requested owner.

use docwright_storage::{
    Keyring,
    database::{CredentialOwner, NewKey, NewProject, PageRequest, Position, ProjectFilter, Sort},
};
use docwright_types::{key::Scope, plan::Plan, site::Activation};

use docwright_testing::database::TestDatabase;

pub(crate) async fn conform(place: &TestDatabase) {
    let database = &place.database;
    let mut organizations = Vec::new();
    for name in ["Lists", "Other lists"] {
        organizations.push(database.create_organization(name, Plan::Free, 1).await.unwrap().id);
    }
    let mut projects = Vec::new();
    for (organization, name) in [(0, "a"), (1, "a"), (0, "b"), (0, "c")] {
        let new = NewProject {
            organization_id: &organizations[organization],
            name,
            repository: "/r",
            docs_path: "",
            model: None,
            activation: Activation::Automatic,
        };
        projects.push(database.create_project(new, 1).await.unwrap().id);
    }
    let own =
        ProjectFilter { organization_id: Some(&organizations[0]), ..ProjectFilter::default() };
    let ids = async |filter, cursor: Option<&str>, limit| {
        let after = cursor.map(Position::of_id);
        let page = PageRequest { after: after.as_ref(), ..PageRequest::first(limit) };
        let page = database.projects_page(filter, page).await.unwrap();
        page.into_iter().map(|(project, _)| project.id).collect::<Vec<_>>()
    };
    let [a, other, b, c] = projects.as_slice() else { panic!("expected four projects") };
    assert_eq!(ids(own, None, 2).await, [a.clone(), b.clone()]);
    assert_eq!(ids(own, Some(b), 2).await, std::slice::from_ref(c));
    let named = ProjectFilter { name: Some("a"), ..ProjectFilter::default() };
    assert_eq!(ids(named, None, 9).await, [a.clone(), other.clone()]);
    let only = [c.clone(), other.clone()];
    assert_eq!(ids(ProjectFilter { only: &only, ..own }, None, 9).await, std::slice::from_ref(c));
    let page = database.projects_page(own, PageRequest::first(1)).await.unwrap();
    assert_eq!(page[0].1, "Lists", "the entry names the organization");
    let first = PageRequest::first(9);
    let named = database.organizations_page(Some("Lists"), Sort::Oldest, first).await.unwrap();
    assert_eq!(named.len(), 1);
    let after = Position::of_id(&organizations[0]);
    let page = PageRequest { after: Some(&after), ..PageRequest::first(1) };
    let after = database.organizations_page(None, Sort::Oldest, page).await.unwrap();
    assert_eq!(after[0].id, organizations[1]);
    keys(place, &organizations).await;
    credentials(place, &organizations[0], (a, b)).await;
}

async fn keys(place: &TestDatabase, organizations: &[String]) {
    let database = &place.database;
    let mut ids = Vec::new();
    for (at, organization) in [(1, Some(0)), (1, Some(0)), (2, Some(1)), (3, Some(0)), (4, None)] {
        let new = NewKey {
            organization_id: organization.map(|at: usize| organizations[at].clone()),
            name: "k".to_owned(),
            scope: if organization.is_some() { Scope::Admin } else { Scope::Operator },
            projects: Vec::new(),
            allowlist: Vec::new(),
            days: None,
            created_by: None,
        };
        // Long after the entries of other tests, which share one hour.
        let at = 30_000_000_000 + at;
        ids.push(database.create_key(&new, at).await.unwrap().id().to_owned());
    }
    // At the same time, the id decides the order.
    ids[..2].sort();
    let of = async |organization: Option<&str>, cursor: Option<(i64, &str)>| {
        let after =
            cursor.map(|(at, id)| Position::of_text(&(30_000_000_000_i64 + at).to_string(), id));
        let page = PageRequest { after: after.as_ref(), ..PageRequest::first(2) };
        let page = database.keys_page(organization, Sort::Oldest, page).await.unwrap();
        page.into_iter().map(|(key, _)| key.id).collect::<Vec<_>>()
    };
    let own = Some(organizations[0].as_str());
    assert_eq!(of(own, None).await, ids[..2]);
    assert_eq!(of(own, Some((1, &ids[0]))).await, [ids[1].clone(), ids[3].clone()]);
    assert_eq!(of(own, Some((3, &ids[3]))).await, [""; 0]);
    assert!(of(None, Some((3, &ids[3]))).await.contains(&ids[4]), "includes keys of the instance");
    let newest = database.keys_page(own, Sort::Newest, PageRequest::first(1)).await.unwrap();
    assert_eq!(newest[0].0.id, ids[3]);
    // A cursor that no list returned is invalid.
    let after = Position::of_id("none");
    let page = PageRequest { after: Some(&after), ..PageRequest::first(2) };
    assert!(database.keys_page(own, Sort::Newest, page).await.unwrap().is_empty());
}

async fn credentials(place: &TestDatabase, organization: &str, (a, b): (&str, &str)) {
    let database = &place.database;
    let folder = tempfile::tempdir().unwrap();
    let keyring = Keyring::open_folder(folder.path()).unwrap();
    let mut ids = Vec::new();
    for owner in [
        CredentialOwner::Organization(organization),
        CredentialOwner::Project(a),
        CredentialOwner::Project(b),
    ] {
        let kept = ("h", "u", "secret");
        ids.push(database.set_credential(owner, kept, &keyring, 1).await.unwrap());
    }
    let again = ("h", "other", "secret");
    let again = database.set_credential(CredentialOwner::Project(a), again, &keyring, 2).await;
    assert_eq!(again.unwrap(), ids[1], "replaced records keep their id");
    let page = async |only: &[String], cursor: Option<&str>| {
        let page = database.credentials_page(Some(organization), only, cursor, 2).await.unwrap();
        page.into_iter().map(|(each, _)| each.id).collect::<Vec<_>>()
    };
    assert_eq!(page(&[], None).await, ids[..2]);
    assert_eq!(page(&[], Some(&ids[1])).await, ids[2..]);
    assert_eq!(page(&[b.to_owned()], None).await, ids[2..]);
    assert_eq!(database.credential(&ids[1]).await.unwrap().unwrap().username, "other");
    assert!(database.credential("none").await.unwrap().is_none());
}
