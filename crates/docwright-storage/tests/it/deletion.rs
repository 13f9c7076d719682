//! Deletion removes a record with everything that belongs to it, and ends its jobs.

use docwright_storage::database::{
    AgentResult, CredentialOwner, Deleted, NewAgentJob, NewFeedback, NewKey, NewPullRequest,
    OrganizationChange, PageRequest, ProjectChange, Prompted, Queue, Started,
};
use docwright_storage::{Keyring, database::Lease};
use docwright_testing::database::TestDatabase;
use docwright_types::{agent_job::Usage, feedback::GivenFrom, release::Trigger, site::Activation};

use crate::{exports::new_export, releases::Builds};

/// Tables with a project column, and tables below these.
const OF_PROJECTS: [&str; 10] = [
    "SELECT COUNT(*) FROM projects WHERE id = '{}'",
    "SELECT COUNT(*) FROM domains WHERE project_id = '{}'",
    "SELECT COUNT(*) FROM sites WHERE project_id = '{}'",
    "SELECT COUNT(*) FROM releases WHERE project_id = '{}'",
    "SELECT COUNT(*) FROM export_jobs WHERE project_id = '{}'",
    "SELECT COUNT(*) FROM agent_jobs WHERE project_id = '{}'",
    "SELECT COUNT(*) FROM agent_messages WHERE project_id = '{}'",
    "SELECT COUNT(*) FROM pull_requests WHERE project_id = '{}'",
    "SELECT COUNT(*) FROM branch_heads WHERE project_id = '{}'",
    "SELECT COUNT(*) FROM credentials WHERE project_id = '{}'",
];

pub(crate) async fn conform(place: &TestDatabase) {
    place.drain(Queue::Releases).await;
    place.drain(Queue::AgentJobs).await;
    a_domain_goes_and_the_others_stay(place).await;
    a_project_goes_with_everything(place).await;
    an_organization_goes_when_it_is_empty(place).await;
    writers_dont_keep_a_project_from_going(place).await;
    what_is_changed_stays_the_same_thing(place).await;
    a_domain_shows_another_branch(place).await;
}

struct Full {
    project: String,
    organization: String,
    domain: docwright_types::domain_address::DomainAddress,
    builds_site: docwright_types::site::Site,
    release: Lease,
    agent: Lease,
    ready: String,
}

/// A project with a row in every table and a running job of each kind.
async fn full(place: &TestDatabase, name: &str) -> Full {
    let database = &place.database;
    let new = new_export(place, name).await;
    let site = database.site(&new.site_id).await.unwrap().unwrap();
    let builds = Builds { place, site: site.clone() };
    let with_key = docwright_storage::database::NewExport {
        idempotency: Some((format!("key-{name}"), "f".to_owned())),
        ..new.clone()
    };
    assert!(matches!(database.start_export(&with_key, 1).await.unwrap(), Started::Job(_)));
    let lease = builds.claim_and_begin("a").await;
    assert!(builds.complete_as(&lease, &format!("{}/1/bundle.tar.gz", lease.id)).await);
    let ready = lease.id;
    let agent = NewAgentJob {
        organization_id: new.organization_id.clone(),
        project_id: new.project_id.clone(),
        repository: "/r".to_owned(),
        model: "m".to_owned(),
        prompt: "p".to_owned(),
        idempotency: None,
    };
    assert!(matches!(database.create_agent_job(&agent, 1).await.unwrap(), Prompted::Job(..)));
    let agent = database.claim(Queue::AgentJobs, 60_000, 1).await.unwrap().unwrap().lease;
    database.add_agent_event(&agent.id, "step", "{}", 1).await.unwrap();
    let pull =
        NewPullRequest { project_id: &new.project_id, head: "h", base: "b", title: "t", body: "" };
    database.open_pull_request(pull, 1).await.unwrap();
    let keyring = Keyring::parse(&"0a".repeat(32)).unwrap();
    let owner = CredentialOwner::Project(&new.project_id);
    database.set_credential(owner, ("example.com", "u", "s"), &keyring, 1).await.unwrap();
    let said = NewFeedback {
        domain: &new.domain,
        page: "p",
        helpful: true,
        comment: None,
        given_from: GivenFrom::Site,
    };
    assert!(database.add_feedback(said, 1).await.unwrap());
    let release = builds.start("b").await;
    Full {
        project: new.project_id,
        organization: new.organization_id,
        domain: new.domain.parse_domain(),
        builds_site: site,
        release,
        agent,
        ready,
    }
}

trait ParseDomain {
    fn parse_domain(&self) -> docwright_types::domain_address::DomainAddress;
}

impl ParseDomain for String {
    fn parse_domain(&self) -> docwright_types::domain_address::DomainAddress {
        docwright_types::domain_address::DomainAddress::parse(self).unwrap()
    }
}

async fn rows(place: &TestDatabase, project: &str) -> Vec<i64> {
    let mut counts = Vec::new();
    for sql in OF_PROJECTS {
        counts.push(place.number(&sql.replace("{}", project)).await);
    }
    counts
}

async fn a_project_goes_with_everything(place: &TestDatabase) {
    let database = &place.database;
    let (gone, other) = (full(place, "gone").await, full(place, "other").await);
    assert!(rows(place, &gone.project).await.iter().all(|count| *count > 0), "every table");
    let before = rows(place, &other.project).await;
    let changes = database.serving_changes().await.unwrap();
    let deleted = database.delete_project(&gone.project).await.unwrap().unwrap();
    let key = format!("{}/1/bundle.tar.gz", gone.ready);
    assert_eq!(
        deleted.bundle_keys,
        [key.clone(), key.clone()],
        "the keys of the export and its release"
    );
    let expected = Deleted {
        projects: 1,
        domains: 1,
        releases: 2,
        export_jobs: 1,
        agent_jobs: 1,
        pull_requests: 1,
        feedback: 1,
        credentials: 1,
        bundle_keys: deleted.bundle_keys.clone(),
        ..Deleted::default()
    };
    assert_eq!(deleted, expected);
    assert_eq!(rows(place, &gone.project).await, [0; 10]);
    assert_eq!(rows(place, &other.project).await, before, "other projects stay");
    assert_eq!(database.serving_changes().await.unwrap(), changes + 1);
    assert_eq!(database.delete_project(&gone.project).await.unwrap(), None);
    assert_eq!(database.unneeded(vec![key.clone()]).await.unwrap(), [key]);
    let used = "SELECT COUNT(*) FROM idempotency_keys WHERE idempotency_key = 'key-gone'";
    assert_eq!(place.number(used).await, 0);
    // Workers of its jobs lose their leases and can't write.
    for lease in [&gone.release, &gone.agent] {
        assert!(!database.renew(lease, 1_000).await.unwrap());
        assert!(!database.requeue(lease, 5).await.unwrap());
        assert!(!database.retry(lease, 1, "e", 5).await.unwrap());
        assert!(!database.fail(lease, "e", 5).await.unwrap());
        assert_eq!(database.failures(lease).await.unwrap(), 0);
    }
    let builds = Builds { place, site: gone.builds_site };
    assert!(!builds.complete(&gone.release).await);
    let usage = Usage::default();
    assert!(!database.save_agent_run(&gone.agent, ("{}", &usage), 5).await.unwrap());
    let result = AgentResult {
        outcome: Ok("s"),
        usage: &usage,
        files_changed: &[],
        refused: &[],
        pr_link: None,
    };
    assert!(!database.end_agent_job(&gone.agent, result, 5).await.unwrap());
    assert!(database.add_agent_event(&gone.agent.id, "step", "{}", 5).await.is_err());
    assert_eq!(rows(place, &gone.project).await, [0; 10]);
    place.drain(Queue::Releases).await;
}

async fn a_domain_goes_and_the_others_stay(place: &TestDatabase) {
    let database = &place.database;
    let full = full(place, "two").await;
    let second = "second.example.com".to_owned().parse_domain();
    database.add_domain(&second, &full.project, None, 1).await.unwrap();
    let changes = database.serving_changes().await.unwrap();
    let deleted = database.delete_domain(&full.domain).await.unwrap().unwrap();
    let numbers = (deleted.domains, deleted.releases, deleted.export_jobs, deleted.feedback);
    assert_eq!((numbers, deleted.projects), ((1, 2, 1, 1), 0));
    let domains = database.domains(&full.project).await.unwrap();
    assert_eq!(
        domains.iter().map(|domain| domain.name.as_str()).collect::<Vec<_>>(),
        ["second.example.com"]
    );
    assert_eq!(database.sites(&full.project).await.unwrap().len(), 1);
    assert_eq!(database.serving_changes().await.unwrap(), changes + 1);
    assert!(!database.renew(&full.release, 1_000).await.unwrap());
    assert!(database.renew(&full.agent, 1_000).await.unwrap(), "agent jobs belong to the project");
    assert_eq!(database.delete_domain(&full.domain).await.unwrap(), None);
    // The domain can be added again, without any earlier data.
    database.add_domain(&full.domain, &full.project, None, 1).await.unwrap();
    let site = database.site_of_domain(&full.domain).await.unwrap().unwrap();
    assert_eq!(site.active_release_id, None);
    place.drain(Queue::Releases).await;
    place.drain(Queue::AgentJobs).await;
}

async fn an_organization_goes_when_it_is_empty(place: &TestDatabase) {
    let database = &place.database;
    let full = full(place, "organization").await;
    let new = NewKey {
        organization_id: Some(full.organization.clone()),
        name: "k".to_owned(),
        scope: docwright_types::key::Scope::Read,
        projects: Vec::new(),
        allowlist: Vec::new(),
        days: None,
        created_by: None,
    };
    database.create_key(&new, 1).await.unwrap();
    assert!(
        database.delete_organization(&full.organization).await.is_err(),
        "the organization has a project"
    );
    assert_eq!(
        database.keys(&full.organization).await.unwrap().len(),
        1,
        "a refused deletion changes nothing"
    );
    database.delete_project(&full.project).await.unwrap().unwrap();
    let deleted = database.delete_organization(&full.organization).await.unwrap().unwrap();
    assert_eq!(deleted, Deleted { keys: 1, ..Deleted::default() });
    assert!(database.organization(&full.organization).await.unwrap().is_none());
    assert_eq!(database.delete_organization(&full.organization).await.unwrap(), None);
}

/// A deletion finishes while workers and readers keep writing.
async fn writers_dont_keep_a_project_from_going(place: &TestDatabase) {
    let database = &place.database;
    let full = full(place, "busy").await;
    let (events, said) = (database.clone(), database.clone());
    let (agent, domain) = (full.agent.id.clone(), full.domain.to_string());
    let events = tokio::spawn(async move {
        while events.add_agent_event(&agent, "step", "{}", 1).await.is_ok() {}
    });
    let said = tokio::spawn(async move {
        let new = NewFeedback {
            domain: &domain,
            page: "p",
            helpful: true,
            comment: None,
            given_from: GivenFrom::Site,
        };
        for time in 1.. {
            // Each entry in its own hour, because an hour has a limit.
            if !matches!(said.add_feedback(new, time * 3_600_000).await, Ok(true)) {
                return;
            }
        }
    });
    assert!(database.delete_project(&full.project).await.unwrap().is_some());
    events.await.unwrap();
    said.await.unwrap();
    assert_eq!(rows(place, &full.project).await, [0; 10]);
    place.drain(Queue::Releases).await;
}

async fn what_is_changed_stays_the_same_thing(place: &TestDatabase) {
    let database = &place.database;
    let (site, _) = place.site("changed").await;
    let id = site.project_id;
    let change = ProjectChange {
        repository: Some("https://example.com/r.git"),
        model: Some("m"),
        activation: Some(Activation::Manual),
        ..ProjectChange::default()
    };
    assert!(database.update_project(&id, change, 0).await.unwrap());
    let project = database.project(&id).await.unwrap().unwrap();
    assert_eq!((project.name.as_str(), project.docs_path.as_str()), ("changed", ""));
    assert_eq!(project.repository, "https://example.com/r.git");
    assert_eq!((project.model.as_deref(), project.activation), (Some("m"), Activation::Manual));
    let change = ProjectChange {
        name: Some("n"),
        docs_path: Some("d"),
        model: Some(""),
        ..ProjectChange::default()
    };
    assert!(database.update_project(&id, change, 0).await.unwrap());
    let project = database.project(&id).await.unwrap().unwrap();
    assert_eq!(
        (project.name.as_str(), project.docs_path.as_str(), project.model),
        ("n", "d", None)
    );
    assert_eq!(project.activation, Activation::Manual);
    assert!(!database.update_project("prj_none", change, 0).await.unwrap());
    // Another folder is built.
    place.drain(Queue::Releases).await;
    let organization = project.organization_id;
    assert!(
        database
            .update_organization(
                &organization,
                OrganizationChange { name: Some("o"), ..OrganizationChange::default() }
            )
            .await
            .unwrap()
    );
    let found = database.organization(&organization).await.unwrap().unwrap();
    assert_eq!((found.name.as_str(), found.plan), ("o", docwright_types::plan::Plan::Free));
    assert!(
        !database
            .update_organization(
                "org_none",
                OrganizationChange { name: Some("o"), ..OrganizationChange::default() }
            )
            .await
            .unwrap()
    );
}

/// A domain keeps its release until the new branch is ready. A late build of the old branch doesn't replace
/// it.
async fn a_domain_shows_another_branch(place: &TestDatabase) {
    let database = &place.database;
    let builds = Builds::of(place, "branch").await;
    let domain = "branch.example.com".to_owned().parse_domain();
    let mut old = Vec::new();
    for commit in ["a", "b", "c"] {
        old.push(builds.build(commit).await);
    }
    let slow = builds.start("d").await;
    let active = async || {
        let site = database.site_of_domain(&domain).await.unwrap().unwrap();
        (site.branch, site.active_release_id)
    };
    assert!(database.set_branch(&domain, Some("next"), None, 5).await.unwrap());
    assert_eq!(active().await, (Some("next".to_owned()), Some(old[2].clone())));
    assert!(!builds.complete(&slow).await, "the release is of the old branch");
    let site = database.site_of_domain(&domain).await.unwrap().unwrap();
    let next = Builds { place, site: site.clone() };
    let mut ready = None;
    while let Some(claim) = database.claim(Queue::Releases, 60_000, 6).await.unwrap() {
        let lease = claim.lease;
        if next.begin_at(&lease, "n1").await {
            assert!(next.complete(&lease).await);
            ready = Some(lease.id);
        }
    }
    assert_eq!(active().await.1, ready, "the first head of the new branch");
    assert!(database.activate_release(&old[0], 7).await.unwrap(), "rolling back still works");
    assert!(database.set_branch(&domain, None, None, 8).await.unwrap());
    assert_eq!(active().await, (None, Some(old[0].clone())));
    assert!(
        !database
            .set_branch(&"no.example.com".to_owned().parse_domain(), None, None, 8)
            .await
            .unwrap()
    );
    let waits = database.releases(&site.project_id, None, PageRequest::first(100)).await.unwrap();
    let asked: Vec<_> = waits.iter().filter(|each| each.trigger == Trigger::Manual).collect();
    assert_eq!(asked.len(), 2, "each change asks for a release");
    place.drain(Queue::Releases).await;
}
