//! The list of active releases by domain, and the counter that tells nodes to read it again.

use docwright_storage::database::{NewExport, Queue, Serving};
use docwright_testing::database::TestDatabase;
use docwright_types::domain_address::DomainAddress;

use crate::{exports::new_export, releases::Builds};

pub(crate) async fn conform(place: &TestDatabase) {
    place.drain(Queue::Releases).await;
    a_new_domain_is_a_change(place).await;
    a_change_is_counted(place).await;
    simultaneous_changes_are_all_counted(place).await;
}

async fn served(place: &TestDatabase, domain: &str) -> Option<Serving> {
    let all = place.database.serving().await.unwrap();
    assert!(all.is_sorted_by_key(|(domain, _)| domain.clone()));
    let (_, serving) = all.into_iter().find(|(name, _)| name == domain)?;
    serving
}

async fn a_new_domain_is_a_change(place: &TestDatabase) {
    let database = &place.database;
    let project = Builds::of(place, "new-domain").await.site.project_id;
    let before = database.serving_changes().await.unwrap();
    let domain = DomainAddress::parse("new-domain-too.example.com").unwrap();
    database.add_domain(&domain, &project, None, 1).await.unwrap();
    assert_eq!(database.serving_changes().await.unwrap(), before + 1);
    let all = database.serving().await.unwrap();
    assert!(all.contains(&(domain.to_string(), None)), "the domain has no release yet");
}

async fn a_change_is_counted(place: &TestDatabase) {
    let database = &place.database;
    let builds = Builds::of(place, "served").await;
    let mut own = database.own_serving_changes();
    own.mark_unchanged();
    let before = database.serving_changes().await.unwrap();
    assert_eq!(served(place, "served.example.com").await, None, "no release is ready");
    let lease = builds.start("a").await;
    assert_eq!(database.serving_changes().await.unwrap(), before, "no release is ready");
    assert!(builds.complete(&lease).await);
    assert_eq!(database.serving_changes().await.unwrap(), before + 1);
    assert!(own.has_changed().unwrap());
    let serving = served(place, "served.example.com").await.unwrap();
    assert_eq!((&serving.release_id, &serving.bundle.key), (&lease.id, &lease.id));
    assert_eq!((serving.bundle.size, serving.bundle.sha256.as_str()), (1, "s"));

    let second = builds.build("b").await;
    assert_eq!(served(place, "served.example.com").await.unwrap().release_id, second);
    assert_eq!(database.serving_changes().await.unwrap(), before + 2);
    assert!(database.activate_release(&lease.id, 9).await.unwrap(), "rolling back succeeds");
    assert_eq!(served(place, "served.example.com").await.unwrap().release_id, lease.id);
    let sites = database.sites_among(&[&builds.site.id, "site_none"]).await.unwrap();
    let active = sites.values().map(|site| site.active_release_id.as_ref()).collect::<Vec<_>>();
    assert_eq!(active, [Some(&lease.id)]);
    assert!(database.sites_among(&[]).await.unwrap().is_empty());
    assert_eq!(database.serving_changes().await.unwrap(), before + 3);
    let export = NewExport {
        paths: Some(vec!["a".to_owned()]),
        ..new_export(place, "served-in-part").await
    };
    // A domain was added to the site.
    let before = database.serving_changes().await.unwrap();
    own.mark_unchanged();
    assert!(!database.activate_release("rel_none", 9).await.unwrap());
    database.start_export(&export, 1).await.unwrap();
    place.drain(Queue::Releases).await;
    assert_eq!(
        database.serving_changes().await.unwrap(),
        before,
        "the active releases didn't change"
    );
    assert!(!own.has_changed().unwrap());
}

async fn simultaneous_changes_are_all_counted(place: &TestDatabase) {
    const SITES: usize = 6;
    let mut ready = Vec::new();
    for number in 0..SITES {
        ready.push(Builds::of(place, &format!("many-{number}")).await.build("a").await);
    }
    let before = place.database.serving_changes().await.unwrap();
    let activated = ready.iter().map(|id| place.database.activate_release(id, 9));
    for activated in futures::future::join_all(activated).await {
        assert!(activated.unwrap());
    }
    let after = place.database.serving_changes().await.unwrap();
    assert_eq!(usize::try_from(after - before).unwrap(), SITES);
}
