//! Fingerprints of an instance's parts, and the markers in its storage.

use docwright_storage::{
    Keyring, Objects,
    database::InstancePart,
    marker::{self, InstanceStorage, MarkerError},
};

use docwright_testing::database::TestDatabase;

pub(crate) async fn conform(place: &TestDatabase) {
    let database = &place.database;
    let part = InstancePart::RootSecret;
    assert_eq!(database.fingerprint(part).await.unwrap(), None);
    assert_eq!(database.record_fingerprint(part, "one").await.unwrap(), "one");
    assert_eq!(
        database.record_fingerprint(part, "two").await.unwrap(),
        "one",
        "the first fingerprint stays"
    );
    database.replace_fingerprint(part, "three").await.unwrap();
    assert_eq!(database.fingerprint(part).await.unwrap().as_deref(), Some("three"));
    repositories(place).await;
    objects(place).await;
}

async fn repositories(place: &TestDatabase) {
    let (database, folder) = (&place.database, tempfile::tempdir().unwrap());
    let (own, other) = (folder.path().join("own"), folder.path().join("other"));
    let storage = InstanceStorage::Repositories(&own);
    marker::confirm_if_used(database, storage).await.unwrap();
    assert!(!own.exists(), "unused folders aren't created");

    std::fs::create_dir_all(own.join("prj_1.git")).unwrap();
    let unknown = marker::confirm_if_used(database, storage).await;
    assert!(matches!(unknown, Err(MarkerError::Unknown)), "{unknown:?}");
    std::fs::remove_dir_all(&own).unwrap();

    // Nodes that start in parallel agree on one marker.
    let both = tokio::join!(marker::confirm(database, storage), marker::confirm(database, storage));
    both.0.unwrap();
    both.1.unwrap();
    assert_eq!(std::fs::read_dir(own.join("instance")).unwrap().count(), 1);
    marker::confirm_if_used(database, storage).await.unwrap();

    let foreign = InstanceStorage::Repositories(&other);
    let refused = marker::confirm(database, foreign).await;
    assert!(matches!(refused, Err(MarkerError::Foreign(_))), "{refused:?}");
    let refused = marker::confirm_if_used(database, foreign).await;
    assert!(matches!(refused, Err(MarkerError::Foreign(_))), "{refused:?}");
    assert!(!other.exists());
    marker::adopt(database, foreign).await.unwrap();
    marker::confirm(database, foreign).await.unwrap();
    marker::confirm(database, storage).await.unwrap();
}

async fn objects(place: &TestDatabase) {
    let database = &place.database;
    let keyring = Keyring::parse(&"0a".repeat(32)).unwrap();
    let open =
        |folder: &tempfile::TempDir| Objects::open_folder(folder.path(), keyring.clone()).unwrap();
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (own, other) = (open(&one), open(&two));
    let bundle = format!("rel_{}/1/bundle.tar.gz", "0".repeat(32));
    let folder = tempfile::tempdir().unwrap();
    let full = open(&folder);
    full.upload(&bundle).await.unwrap().finish().await.unwrap();
    let refused = marker::confirm(database, InstanceStorage::Objects(&full)).await;
    assert!(matches!(refused, Err(MarkerError::Unknown)), "{refused:?}");
    // Unrelated objects in a bucket don't matter.
    own.upload("someone/else.txt").await.unwrap().finish().await.unwrap();
    marker::confirm(database, InstanceStorage::Objects(&own)).await.unwrap();
    marker::confirm(database, InstanceStorage::Objects(&own)).await.unwrap();
    let refused = marker::confirm(database, InstanceStorage::Objects(&other)).await;
    assert!(matches!(refused, Err(MarkerError::Foreign(_))), "{refused:?}");
    assert_eq!(own.list("instance").await.unwrap().len(), 1);
    assert!(other.list("").await.unwrap().is_empty(), "another instance's storage stays unchanged");
}
