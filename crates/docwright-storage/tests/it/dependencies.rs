//! Models and the object storage that don't work.

use docwright_testing::database::TestDatabase;
use docwright_types::{problem::ProblemKind, timestamp::HOUR};

pub(crate) async fn conform(place: &TestDatabase) {
    let database = &place.database;
    let (site, _) = place.site("dependencies").await;
    let (other, _) = place.site("independent").await;
    let (project, model) = (site.project_id.as_str(), (ProblemKind::Model, "a:b"));
    let of = async |project: &str| database.failing_dependencies_of(project).await.unwrap();
    assert_eq!(of(project).await, []);
    for message in ["down", "still down"] {
        let seen = (project, message);
        database.record_failing_dependency(model, seen, HOUR).await.unwrap();
    }
    let found = of(project).await;
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].failures, found[0].message.as_str()), (2, "still down"));
    assert!(found[0].next_test_at >= found[0].failing_since + HOUR, "the first wait holds");
    assert_eq!(of(&other.project_id).await, [], "another project noticed nothing");
    let write = (ProblemKind::Storage, "write");
    database.record_failing_dependency(write, ("", "full"), 0).await.unwrap();
    assert_eq!(of(&other.project_id).await.len(), 1, "the storage is for all");
    assert_eq!(of(project).await.len(), 2);
    assert_eq!(database.failing_dependencies().await.unwrap().len(), 2);
    // One of two nodes tests what is due.
    assert!(!database.take_dependency_test(model, HOUR).await.unwrap(), "not due");
    assert!(database.take_dependency_test(write, HOUR).await.unwrap());
    assert!(!database.take_dependency_test(write, HOUR).await.unwrap());
    // What works, works for every project.
    database.record_failing_dependency(model, (&other.project_id, "down"), 0).await.unwrap();
    assert!(database.record_working_dependency(model).await.unwrap());
    assert!(!database.record_working_dependency(model).await.unwrap());
    assert_eq!(of(project).await.len(), 1);
    assert!(database.record_working_dependency(write).await.unwrap());
    assert_eq!(database.failing_dependencies().await.unwrap(), []);
}
