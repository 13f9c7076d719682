//! Requests of polls that arrive while a poll runs.

use docwright_storage::database::{Lease, Queue, RecurringJobState};

use docwright_testing::database::TestDatabase;

pub(crate) async fn conform(place: &TestDatabase) {
    request_during_a_failing_poll_is_due_at_once(place).await;
    credentials_of_an_organization_retry_running_polls(place).await;
}

/// The poll began without the credentials, for example, that are the reason for the request.
async fn request_during_a_failing_poll_is_due_at_once(place: &TestDatabase) {
    place.drain(Queue::Polls).await;
    let (site, _) = place.site("polled").await;
    let lease = claim(place).await.expect("the first poll is due");
    let requested = requests(place, &lease).await;
    place.database.request_poll(&site.project_id, 0).await.unwrap();
    fail(place, &lease, requested).await;
    let lease = claim(place).await.expect("the request is due");
    let requested = requests(place, &lease).await;
    fail(place, &lease, requested).await;
    assert_eq!(claim(place).await, None, "a failed poll without a request waits");
}

/// A first poll has no error yet, but began without the credentials.
async fn credentials_of_an_organization_retry_running_polls(place: &TestDatabase) {
    place.drain(Queue::Polls).await;
    let (site, _) = place.site("polled-too").await;
    let lease = claim(place).await.expect("the first poll is due");
    let requested = requests(place, &lease).await;
    let project = place.database.project(&site.project_id).await.unwrap().unwrap();
    place.database.request_failing_polls(&project.organization_id).await.unwrap();
    place.database.request_failing_polls("org_none").await.unwrap();
    assert_eq!(requests(place, &lease).await, requested + 1);
    fail(place, &lease, requested).await;
    let lease = claim(place).await.expect("the request is due");
    let requested = requests(place, &lease).await;
    let left = RecurringJobState { requested, error: None, again: Some(60_000) };
    assert!(place.database.finish_poll(&lease, &left, ("Nothing is new.", None), 9).await.unwrap());
    place.database.request_failing_polls(&project.organization_id).await.unwrap();
    assert_eq!(claim(place).await, None, "a repository that was read isn't read again");
}

async fn claim(place: &TestDatabase) -> Option<Lease> {
    let claim = place.database.claim(Queue::Polls, 60_000, 7).await.unwrap();
    claim.map(|claim| claim.lease)
}

async fn requests(place: &TestDatabase, lease: &Lease) -> i64 {
    place.database.recurring_job_state(lease).await.unwrap().0
}

/// Leaves a poll with an error and a retry in a minute.
async fn fail(place: &TestDatabase, lease: &Lease, requested: i64) {
    let error = Some("needs credentials".to_owned());
    let left = RecurringJobState { requested, error, again: Some(60_000) };
    assert!(
        place.database.finish_poll(lease, &left, ("It can't be read.", None), 9).await.unwrap()
    );
}
