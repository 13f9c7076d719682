//! One suite for both databases: SQLite and PostgreSQL must behave the same.

mod account_deletion;
mod accounts;
mod agent;
mod analytics;
mod analytics_indexes;
mod analytics_reports;
mod analytics_year;
mod assistant_keys;
mod audit;
mod cancelled;
mod credentials;
mod default_domains;
mod deletion;
mod dependencies;
mod deployments;
mod domain_renames;
mod domains;
mod due_work;
mod erasure;
mod exports;
mod factors;
mod fingerprints;
mod held_releases;
mod identities;
mod inbox;
mod keys;
mod large;
mod leases;
mod lists;
mod lost_bundles;
mod migration;
mod notifications;
mod objects;
mod passkeys;
mod personal_tokens;
mod plan_limits;
mod plans;
mod polls;
mod previews;
mod questions;
mod queue_depth;
mod releases;
mod reports;
mod retention;
mod revisions;
mod searches;
mod serving;
mod shares;
mod site_origin;
mod storage_usage;
mod webhooks;

use docwright_storage::{
    Database,
    database::{
        FEEDBACK_AN_HOUR, FeedbackChange, NewFeedback, NewProject, OrganizationChange, PageRequest,
        Position, ProjectChange,
    },
};
use docwright_types::{
    domain_address::DomainAddress,
    feedback::{FeedbackState, GivenFrom},
    plan::Plan,
    site::Activation,
};

use docwright_testing::database::TestDatabase;

#[tokio::test(flavor = "multi_thread")]
async fn sqlite() {
    plans::collect();
    let folder = tempfile::tempdir().unwrap();
    let place = TestDatabase::sqlite(folder.path()).await;
    conforms(&place).await;
    plans::check(&place).await;
    plans::check_searches(&place).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL"]
async fn postgres() {
    plans::collect();
    let place = TestDatabase::postgres("conformance").await;
    conforms(&place).await;
    plans::check_searches(&place).await;
}

/// PostgreSQL sorts texts by the database's locale. Lists must have the same order in all locales.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL"]
async fn postgres_in_another_language() {
    let place = TestDatabase::postgres_in("language", "en-US").await;
    lists::conform(&place).await;
    searches::conform(&place).await;
}

async fn conforms(place: &TestDatabase) {
    place.database.check().await.unwrap();
    aggregates(place).await;
    names(place).await;
    fingerprints::conform(place).await;
    keys::conform(place).await;
    exports::conform(place).await;
    leases::conform(place).await;
    shares::conform(place).await;
    queue_depth::conform(place).await;
    due_work::conform(place).await;
    releases::conform(place).await;
    held_releases::conform(place).await;
    deployments::conform(place).await;
    serving::conform(place).await;
    lost_bundles::conform(place).await;
    previews::conform(place).await;
    agent::conforms(place).await;
    credentials::conform(place).await;
    polls::conform(place).await;
    webhooks::conform(place).await;
    reports::conform(place).await;
    audit::conform(place).await;
    plan_limits::conform(place).await;
    storage_usage::conform(place).await;
    accounts::conform(place).await;
    factors::conform(place).await;
    passkeys::conform(place).await;
    identities::conform(place).await;
    account_deletion::conform(place).await;
    personal_tokens::conform(place).await;
    inbox::conform(place).await;
    lists::conform(place).await;
    searches::conform(place).await;
    feedback(place).await;
    notifications::conform(place).await;
    deletion::conform(place).await;
    dependencies::conform(place).await;
    domains::conform(place).await;
    domain_renames::conform(place).await;
    default_domains::conform(place).await;
    retention::conform(place).await;
    analytics::conform(place).await;
    analytics_indexes::conform(place).await;
    analytics_reports::conform(place).await;
    questions::conform(place).await;
    assistant_keys::conform(place).await;
    site_origin::conform(place).await;
    revisions::conform(place).await;
    storage_usage::sums_are_exact(place).await;
}

/// Feedback and its retention.
async fn feedback(place: &TestDatabase) {
    const START: i64 = 10_000_000_000;
    let database = &place.database;
    let (_, domain) = place.site("feedback").await;
    let said = |helpful, comment| NewFeedback {
        domain: domain.as_str(),
        page: "a/b",
        helpful,
        comment,
        given_from: GivenFrom::Site,
    };
    assert!(database.add_feedback(said(true, None), START).await.unwrap());
    assert!(database.add_feedback(said(false, Some("first")), START + 1).await.unwrap());
    assert!(database.add_feedback(said(false, Some("second")), START + 2).await.unwrap());
    let pages = database.feedback(domain.as_str()).await.unwrap();
    assert_eq!((pages[0].page.as_str(), pages[0].helpful, pages[0].unhelpful), ("a/b", 1, 2));
    assert_eq!(pages[0].comments, ["second", "first"]);
    feedback_has_a_state(database, domain.as_str()).await;
    for _ in 3..FEEDBACK_AN_HOUR {
        assert!(database.add_feedback(said(true, None), START + 3).await.unwrap());
    }
    assert!(!database.add_feedback(said(true, None), START + 4).await.unwrap());
    let later = START + docwright_types::timestamp::HOUR + 3;
    assert!(database.add_feedback(said(true, None), later).await.unwrap());
    assert_eq!(database.feedback("other.example.com").await.unwrap(), []);
}

/// Feedback states, listed by project and state in pages.
async fn feedback_has_a_state(database: &Database, domain: &str) {
    use FeedbackState::{Dismissed, InProgress, Pending};
    let address = DomainAddress::parse(domain).unwrap();
    let project = database.project_of_domain(&address).await.unwrap().unwrap().id;
    let list = async |state, cursor: Option<&str>| {
        let after = cursor.map(Position::of_id);
        let page = PageRequest { after: after.as_ref(), ..PageRequest::first(2) };
        let read = database.feedback_of_project(&project, state, page).await.unwrap();
        read.into_iter().map(|each| (each.id, each.comment)).collect::<Vec<_>>()
    };
    let newest = list(None, None).await;
    let said: Vec<_> = newest.iter().map(|(_, comment)| comment.as_deref()).collect();
    assert_eq!(said, [Some("second"), Some("first")]);
    let rest = list(None, Some(&newest[1].0)).await;
    assert_eq!((rest.len(), rest[0].1.as_deref()), (1, None));
    let (first, second) = (newest[1].0.as_str(), newest[0].0.as_str());
    for (id, state, note) in [(first, InProgress, Some("soon")), (second, Dismissed, None)] {
        let change = FeedbackChange { state: Some(state), note, revision: None };
        assert!(database.update_feedback((&project, id), change, 7).await.unwrap());
    }
    let changed = database.feedback_of_id(&project, first).await.unwrap().unwrap();
    assert_eq!((changed.state, changed.note.as_deref()), (InProgress, Some("soon")));
    assert_eq!((changed.changed_at, changed.helpful), (Some(7), false));
    assert_eq!(list(Some(InProgress), None).await.len(), 1);
    assert_eq!(list(Some(Pending), None).await, rest);
    // Entries of other projects don't change.
    let other = ("prj_other", first);
    let change = FeedbackChange { state: Some(Pending), ..FeedbackChange::default() };
    assert!(!database.update_feedback(other, change, 8).await.unwrap());
    assert_eq!(database.feedback_of_id("prj_other", first).await.unwrap(), None);
    assert_eq!(
        database.feedback_of_project("prj_other", None, PageRequest::first(9)).await.unwrap(),
        []
    );
}

/// Organizations and domains.
async fn aggregates(place: &TestDatabase) {
    let database = &place.database;
    let (site, domain) = place.site("aggregates").await;
    let project = database.project(&site.project_id).await.unwrap().unwrap();
    let organization = database.organization(&project.organization_id).await.unwrap().unwrap();
    assert_eq!(organization.plan, Plan::Free);
    assert!(
        database
            .update_organization(
                &organization.id,
                OrganizationChange {
                    plan: Some(Plan::Enterprise),
                    ..OrganizationChange::default()
                }
            )
            .await
            .unwrap()
    );
    let after = database.organization(&organization.id).await.unwrap().unwrap();
    assert_eq!(after.plan, Plan::Enterprise);
    let taken = database.add_domain(&domain, &project.id, None, 1).await.unwrap_err().to_string();
    assert!(taken.contains(&project.id) && taken.contains(&organization.name), "{taken}");
    let known = database.domain(&domain).await.unwrap().unwrap();
    assert_eq!((&known.project_id, &known.organization_id), (&project.id, &organization.id));
    let all = database.domains_page((None, None), PageRequest::first(1_000)).await.unwrap();
    assert!(all.contains(&known));
    let own = database
        .domains_page((Some(&organization.id), None), PageRequest::first(10))
        .await
        .unwrap();
    assert_eq!(own, std::slice::from_ref(&known));
    let own =
        database.domains_page((None, Some(&project.id)), PageRequest::first(10)).await.unwrap();
    assert_eq!(own, std::slice::from_ref(&known));
    assert_eq!(database.domains(&project.id).await.unwrap(), [known]);
    assert_eq!(database.project_of_domain(&domain).await.unwrap().unwrap().id, project.id);
    assert_eq!(database.site_of_domain(&domain).await.unwrap().unwrap(), site);
}

/// Of many parallel requests for a name, one succeeds. A taken name is refused.
async fn names(place: &TestDatabase) {
    let database = &place.database;
    let ask = |name: &'static str| {
        let database = database.clone();
        async move { database.create_organization(name, Plan::Free, 1).await }
    };
    let asked = futures::future::join_all((0..8).map(|_| tokio::spawn(ask("Only one")))).await;
    let mut made: Vec<_> = asked.into_iter().filter_map(|asked| asked.unwrap().ok()).collect();
    assert_eq!(made.len(), 1);
    let (organization, other) = (made.remove(0), ask("Another").await.unwrap());
    let renamed = database
        .update_organization(
            &other.id,
            OrganizationChange { name: Some("Only one"), ..OrganizationChange::default() },
        )
        .await;
    assert!(renamed.unwrap_err().to_string().contains(&organization.id));
    assert!(
        database
            .update_organization(
                &other.id,
                OrganizationChange { name: Some("Another"), ..OrganizationChange::default() }
            )
            .await
            .unwrap()
    );
    let create = |organization: &str, name: &'static str| {
        let (database, organization) = (database.clone(), organization.to_owned());
        async move {
            let new = NewProject {
                organization_id: &organization,
                name,
                repository: "/r",
                docs_path: "",
                model: None,
                activation: Activation::Automatic,
            };
            database.create_project(new, 1).await
        }
    };
    let asked = (0..8).map(|_| tokio::spawn(create(&organization.id, "Docs")));
    let asked = futures::future::join_all(asked).await;
    let mut made: Vec<_> = asked.into_iter().filter_map(|asked| asked.unwrap().ok()).collect();
    assert_eq!(made.len(), 1);
    let project = made.remove(0);
    create(&other.id, "Docs").await.unwrap();
    let second = create(&organization.id, "Second").await.unwrap();
    let named = |name| ProjectChange { name: Some(name), ..ProjectChange::default() };
    let renamed = database.update_project(&second.id, named("Docs"), 0).await;
    assert!(renamed.unwrap_err().to_string().contains(&project.id));
    assert!(database.update_project(&project.id, named("Docs"), 0).await.unwrap());
    assert!(!database.update_project("prj_none", named("Docs"), 0).await.unwrap());
    let paths = ["examples/**".to_owned()];
    let change = ProjectChange { agent_paths: Some(&paths), ..ProjectChange::default() };
    assert!(database.update_project(&project.id, change, 0).await.unwrap());
    let changed = database.project(&project.id).await.unwrap().unwrap();
    assert_eq!((changed.agent_paths.as_slice(), changed.name.as_str()), (&paths[..], "Docs"));
}
