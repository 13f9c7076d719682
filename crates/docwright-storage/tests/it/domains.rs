//! Ownership of hostnames and the base paths below them.

use docwright_storage::{StorageError, database::Claimed};
use docwright_types::domain_address::DomainAddress;

use docwright_testing::database::TestDatabase;

pub(crate) async fn conform(place: &TestDatabase) {
    a_host_has_one_owner(place).await;
    one_of_many_gets_a_host(place).await;
    many_claims_at_once_wait_for_each_other(place).await;
}

fn address(text: &str) -> DomainAddress {
    DomainAddress::parse(text).unwrap()
}

async fn add(place: &TestDatabase, project: &str, name: &str) -> Result<(), StorageError> {
    place.database.add_domain(&address(name), project, None, 2).await
}

async fn a_host_has_one_owner(place: &TestDatabase) {
    let database = &place.database;
    let ours = place.site("host-ours").await.0.project_id;
    let theirs = place.site("host-theirs").await.0.project_id;
    add(place, &ours, "shared.example.com/docs").await.unwrap();
    add(place, &ours, "shared.example.com/docs/v1").await.unwrap();
    let site = database.site_of_domain(&address("shared.example.com/docs/v1")).await.unwrap();
    assert_eq!(site.unwrap().domain, "shared.example.com/docs/v1");
    for name in ["shared.example.com", "shared.example.com/other", "shared.example.com/docs"] {
        let refused = add(place, &theirs, name).await.unwrap_err().to_string();
        assert!(refused.contains("belong") && refused.contains("host-ours"), "{name}: {refused}");
        let other = address(name);
        assert!(name.ends_with("/docs") || database.domain(&other).await.unwrap().is_none());
    }
    let host = address("shared.example.com");
    let found = database.domains_of_host(host.host()).await.unwrap();
    let names: Vec<_> = found.into_iter().map(|domain| domain.name).collect();
    let both = ["shared.example.com/docs", "shared.example.com/docs/v1"];
    assert_eq!(names, both);
    // A host is free after its last domain is deleted.
    database.delete_domain(&address(both[0])).await.unwrap().unwrap();
    add(place, &theirs, "shared.example.com").await.unwrap_err();
    database.delete_domain(&address(both[1])).await.unwrap().unwrap();
    add(place, &theirs, "shared.example.com").await.unwrap();
    // A host is free after its project is deleted.
    database.delete_project(&theirs).await.unwrap().unwrap();
    add(place, &ours, "shared.example.com/docs").await.unwrap();
}

async fn one_of_many_gets_a_host(place: &TestDatabase) {
    let mut projects = Vec::new();
    for number in 0..6 {
        projects.push(place.site(&format!("race-{number}")).await.0.project_id);
    }
    let attempts = projects.iter().enumerate().map(|(number, project)| async move {
        add(place, project, &format!("raced.example.com/{number}")).await.is_ok()
    });
    let won = futures::future::join_all(attempts).await;
    assert_eq!(won.iter().filter(|won| **won).count(), 1, "{won:?}");
    assert_eq!(
        place.number("SELECT COUNT(*) FROM domains WHERE host = 'raced.example.com'").await,
        1
    );
}

/// Adding a domain reads before it writes. SQLite refuses a write after an outdated read.
async fn many_claims_at_once_wait_for_each_other(place: &TestDatabase) {
    let project = place.site("claims").await.0.project_id;
    let claims = (0..40).map(|number| {
        let (database, project) = (place.database.clone(), project.clone());
        tokio::spawn(async move {
            let name = address(&format!("n{number}.claims.example.com"));
            database.claim_domain(&name, &project, None, 2).await
        })
    });
    for claimed in futures::future::join_all(claims).await {
        assert!(matches!(claimed.unwrap(), Ok(Claimed::Claim)));
    }
}
