//! Credentials are encrypted and bound to their owner.

use docwright_storage::{Keyring, database::CredentialOwner};

use docwright_testing::database::TestDatabase;

pub(crate) async fn conform(place: &TestDatabase) {
    let database = &place.database;
    let keyring = Keyring::parse(&"0a".repeat(32)).unwrap();
    let (site, _) = place.site("credentials").await;
    let (other, _) = place.site("strangers").await;
    let project = database.project(&site.project_id).await.unwrap().unwrap();
    let of = async |project: &str, host: &str| {
        database.credential_for(project, host, &keyring).await.unwrap()
    };
    let host = "git.example.com";
    assert_eq!(of(&project.id, host).await, None);
    let organization = CredentialOwner::Organization(&project.organization_id);
    database
        .set_credential(organization, (host, "all", "of-the-organization"), &keyring, 1)
        .await
        .unwrap();
    assert_eq!(of(&project.id, host).await, Some(("all".into(), "of-the-organization".into())));
    let own = CredentialOwner::Project(&project.id);
    database.set_credential(own, (host, "me", "of-the-project"), &keyring, 1).await.unwrap();
    database
        .set_credential(own, (host, "me", "changed-by-the-project"), &keyring, 1)
        .await
        .unwrap();
    assert_eq!(
        of(&project.id, host).await,
        Some(("me".into(), "changed-by-the-project".into())),
        "the project's own credentials come first"
    );
    assert_eq!(of(&project.id, "other.example.com").await, None);
    assert_eq!(of(&other.project_id, host).await, None, "other organizations have no credential");
    let shared = async |organization: &str| {
        database.credential_of_organization(organization, host, &keyring).await.unwrap()
    };
    let expected = Some(("all".into(), "of-the-organization".into()));
    assert_eq!(shared(&project.organization_id).await, expected, "not that of one project");
    assert_eq!(shared("org_none").await, None);
    let kept = database.credentials(&project.organization_id).await.unwrap();
    let owners: Vec<_> = kept.iter().map(|kept| kept.project_id.as_deref()).collect();
    assert_eq!(
        owners,
        [None, Some(project.id.as_str())],
        "one for all projects, one for this project"
    );
    assert!(kept.iter().all(|kept| kept.organization_id == project.organization_id));
    let missing = CredentialOwner::Project("prj_none");
    assert!(database.set_credential(missing, (host, "", "s"), &keyring, 1).await.is_err());
    let plain = "SELECT COUNT(*) FROM credentials WHERE secret LIKE '%changed-by-the-project%' OR secret LIKE '%of-the-organization%'";
    assert_eq!(place.number(plain).await, 0, "the table holds no plain secret");
    rotate(place, &project.organization_id, &project.id, &keyring).await;
}

async fn rotate(place: &TestDatabase, organization: &str, project: &str, before: &Keyring) {
    let database = &place.database;
    let both = format!("{},{}", "0b".repeat(32), "0a".repeat(32));
    let both = Keyring::parse(&both).unwrap();
    assert_eq!(database.reencrypt(&both).await.unwrap(), 2);
    assert_eq!(database.reencrypt(&both).await.unwrap(), 0);
    let new = Keyring::parse(&"0b".repeat(32)).unwrap();
    let host = "git.example.com";
    let secret = database.credential_for(project, host, &new).await.unwrap();
    assert_eq!(secret, Some(("me".into(), "changed-by-the-project".into())));
    assert!(database.credential_for(project, host, before).await.is_err());
    // Credentials can't be decrypted after a move to another owner.
    place.execute("UPDATE credentials SET host = 'evil.example.com' WHERE project_id <> ''").await;
    assert!(database.credential_for(project, "evil.example.com", &new).await.is_err());
    for credential in database.credentials(organization).await.unwrap() {
        assert!(database.remove_credential(&credential.id).await.unwrap());
        assert!(!database.remove_credential(&credential.id).await.unwrap());
    }
    assert_eq!(database.credential_for(project, host, &new).await.unwrap(), None);
}
