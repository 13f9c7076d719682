//! Addresses of releases, fixed when a release is requested.

use docwright_storage::database::Requested;
use docwright_types::{release::Trigger, site_origin::SiteOrigin};

use docwright_testing::database::TestDatabase;

pub(crate) async fn conform(place: &TestDatabase) {
    let database = &place.database;
    assert_eq!(database.site_origin().await.unwrap(), None, "no service has started");
    let (site, _) = place.site("origin").await;
    let early = request(place, &site.project_id).await;
    assert_eq!(address(place, &early).await, None);
    let local = SiteOrigin::new("http", Some(8080));
    database.record_site_origin(local).await.unwrap();
    assert_eq!(database.site_origin().await.unwrap(), Some(local));
    let first = format!("http://{}:8080", site.domain);
    assert_eq!(address(place, &early).await, Some(first.clone()), "the address is known now");
    database.record_site_origin(SiteOrigin::default()).await.unwrap();
    assert_eq!(address(place, &early).await, Some(first), "the address stays");
    place.drain(docwright_storage::database::Queue::Releases).await;
    let later = request(place, &site.project_id).await;
    assert_eq!(address(place, &later).await, Some(format!("https://{}", site.domain)));
}

async fn request(place: &TestDatabase, project: &str) -> String {
    let asked = place.database.request_update(project, None, Trigger::Manual, None, 9).await;
    let Requested::Update(update) = asked.unwrap() else { panic!("the project has a site") };
    let releases = place.database.releases_of_update(&update).await.unwrap();
    releases.last().unwrap().id.clone()
}

async fn address(place: &TestDatabase, id: &str) -> Option<String> {
    place.database.release(id).await.unwrap().unwrap().address
}
