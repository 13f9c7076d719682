//! Default domains of projects, and where they redirect to.

use docwright_storage::database::{ProjectChange, Queue};
use docwright_testing::database::TestDatabase;
use docwright_types::{
    default_domain::SitesDomain,
    domain_address::DomainAddress,
    domain_check::{DnsState, FoundDns},
    domain_name::DomainName,
};
use futures::future::join_all;

use crate::releases::Builds;

pub(crate) async fn conform(place: &TestDatabase) {
    place.drain(Queue::Releases).await;
    each_project_gets_one(place).await;
    simultaneous_requests_give_one(place).await;
    it_redirects_to_the_first_published_domain(place).await;
    project_that_was_built_is_built_again(place).await;
}

fn sites() -> SitesDomain {
    SitesDomain::new(DomainName::parse("defaults.example.com").unwrap())
}

async fn give(place: &TestDatabase, project: &str) -> Option<String> {
    place.database.give_default_domain(project, &sites(), 1).await.unwrap()
}

/// A project with a name, in an organization and at a domain of another name.
async fn named(place: &TestDatabase, other: &str, name: &str) -> String {
    let project = place.site(other).await.0.project_id;
    let change = ProjectChange { name: Some(name), ..ProjectChange::default() };
    assert!(place.database.update_project(&project, change, 1).await.unwrap());
    project
}

async fn each_project_gets_one(place: &TestDatabase) {
    let project = named(place, "default-1", "Default One").await;
    let waiting = place.database.projects_without_default_domain(1000).await.unwrap();
    assert!(waiting.contains(&project));
    let given = give(place, &project).await.unwrap();
    assert_eq!(given, "default-one.defaults.example.com");
    assert_eq!(give(place, &project).await, None, "it has one");
    assert_eq!(give(place, "prj_none").await, None);
    let waiting = place.database.projects_without_default_domain(1000).await.unwrap();
    assert!(!waiting.contains(&project));
    let other = named(place, "default-2", "default (one)").await;
    assert_eq!(give(place, &other).await.unwrap(), "default-one-2.defaults.example.com");
    let address = DomainAddress::parse(&given).unwrap();
    let domain = place.database.domain(&address).await.unwrap().unwrap();
    assert!(domain.is_default && domain.project_id == project && domain.branch.is_none());
    place.database.delete_project(&project).await.unwrap().unwrap();
    let third = named(place, "default-3", "default/one").await;
    assert_eq!(give(place, &third).await.unwrap(), given, "deletion frees the name");
}

async fn simultaneous_requests_give_one(place: &TestDatabase) {
    let project = Builds::of(place, "default-at-once").await.site.project_id;
    let given = join_all((0..6).map(|_| give(place, &project))).await;
    assert_eq!(given.iter().flatten().count(), 1, "{given:?}");
}

async fn it_redirects_to_the_first_published_domain(place: &TestDatabase) {
    let database = &place.database;
    let builds = Builds::of(place, "default-redirect").await;
    builds.build("a").await;
    let given = give(place, &builds.site.project_id).await.unwrap();
    let target = async || {
        let all = database.domain_redirects().await.unwrap();
        all.into_iter().find(|(from, _)| *from == given).map(|(_, to)| to)
    };
    let shown = async || {
        let own = database.domain_redirects_of(&[&builds.site.project_id]).await.unwrap();
        own.into_iter().find(|(from, _)| *from == given).map(|(_, to)| to)
    };
    let own = builds.site.domain.clone();
    assert_eq!((target().await, shown().await), (None, None), "its name isn't known to lead here");
    let found = FoundDns::default();
    database.record_domain_dns(&own, (DnsState::Correct, &found), 9).await.unwrap();
    assert_eq!((target().await, shown().await), (Some(own.clone()), Some(own.clone())));
    database.record_domain_dns(&own, (DnsState::Elsewhere, &found), 9).await.unwrap();
    assert_eq!((target().await, shown().await), (None, None), "it leads elsewhere");
    database.record_domain_dns(&own, (DnsState::Correct, &found), 9).await.unwrap();
    let later = DomainAddress::parse("a.default-redirect.example.com/docs").unwrap();
    database.add_domain(&later, &builds.site.project_id, None, 9).await.unwrap();
    assert_eq!(target().await, Some(own.clone()), "the first one stays");
    database.delete_domain(&DomainAddress::parse(&own).unwrap()).await.unwrap().unwrap();
    assert_eq!((target().await, shown().await), (None, None), "the later one has no release");
    place.drain(Queue::Releases).await;
}

async fn project_that_was_built_is_built_again(place: &TestDatabase) {
    let builds = Builds::of(place, "default-built").await;
    give(place, &builds.site.project_id).await.unwrap();
    let waits = async || {
        let claim = place.database.claim(Queue::Releases, 60_000, 1).await.unwrap();
        place.drain(Queue::Releases).await;
        claim.map(|claim| claim.lease)
    };
    assert_eq!(waits().await, None, "nothing was published yet");
    let built = Builds::of(place, "default-built-before").await;
    built.build("a").await;
    give(place, &built.site.project_id).await.unwrap();
    let lease = waits().await.expect("no new commit requests its release");
    place.database.fail(&lease, "tried", 1).await.unwrap();
}
