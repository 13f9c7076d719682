//! Deployments: each project has one of docwright's own, and exports are made for the others.

use docwright_storage::{
    StorageError,
    database::{
        Deployment, DeploymentChange, DeploymentReport, ExportTarget, MAXIMUM_DEPLOYMENTS,
        NewDeployment, NewExport, Queue,
    },
};
use docwright_testing::database::TestDatabase;
use docwright_types::{
    deployment::{DeploymentType, Features, Switch},
    release::{ReleaseStatus, Trigger},
};

use crate::{
    exports::{new_export, start},
    releases::Builds,
};

pub(crate) async fn conform(place: &TestDatabase) {
    place.drain(Queue::Releases).await;
    project_has_cloud_deployment(place).await;
    names_are_unique_in_project(place).await;
    new_cloud_features_request_a_release(place).await;
    export_for_deployment_is_never_active(place).await;
    equal_options_share_a_bundle(place).await;
}

async fn created(place: &TestDatabase, project_id: &str, name: &str) -> Deployment {
    let kind = DeploymentType::AirGapped;
    let features = &Features::of(kind);
    let new =
        NewDeployment { project_id, name, kind, features, address: Some("http://docs.internal") };
    place.database.create_deployment(new, 1).await.unwrap()
}

async fn project_has_cloud_deployment(place: &TestDatabase) {
    let database = &place.database;
    let (site, _) = place.site("with-cloud").await;
    let all = database.deployments(&site.project_id).await.unwrap();
    let [cloud] = &all[..] else { panic!("expected one deployment: {all:?}") };
    assert_eq!((cloud.kind, cloud.name.as_str()), (DeploymentType::Cloud, "cloud"));
    assert_eq!(database.cloud_features(&site.project_id).await.unwrap(), cloud.features);
    assert!(!database.delete_deployment(&cloud.id).await.unwrap(), "the cloud deployment stays");
    let other = created(place, &site.project_id, "plant").await;
    for named in [&other.id, "plant"] {
        let found = database.deployment(&site.project_id, named).await.unwrap();
        assert_eq!(found.as_ref(), Some(&other));
    }
    assert_eq!(database.deployment("prj_other", &other.id).await.unwrap(), None);
    assert!(database.delete_deployment(&other.id).await.unwrap());
    assert!(!database.delete_deployment(&other.id).await.unwrap());
    assert_eq!(database.deployments(&site.project_id).await.unwrap(), all);
}

async fn names_are_unique_in_project(place: &TestDatabase) {
    let database = &place.database;
    let (site, _) = place.site("with-names").await;
    let first = created(place, &site.project_id, "plant").await;
    let second = created(place, &site.project_id, "ship").await;
    // An ID as a name would make the name ambiguous.
    for name in ["plant", &second.id] {
        let change = DeploymentChange { name: Some(name), ..DeploymentChange::default() };
        let taken = database.update_deployment(&first, change, 2).await;
        let is_taken = matches!(taken, Err(StorageError::Exists(_)));
        assert_eq!(is_taken, name != first.name, "{name}: {taken:?}");
    }
    let stale = DeploymentChange { revision: Some(1), ..DeploymentChange::default() };
    let refused = database.update_deployment(&first, stale, 2).await;
    assert!(matches!(refused, Err(StorageError::Stale { .. })), "{refused:?}");
    let change = DeploymentChange { address: Some(""), ..DeploymentChange::default() };
    assert!(database.update_deployment(&second, change, 2).await.unwrap());
    let changed = database.deployment(&site.project_id, &second.id).await.unwrap().unwrap();
    assert_eq!((changed.address, changed.revision), (None, 2));
    let report = DeploymentReport { job_id: "exp".into(), version: Some("1.0".into()), at: 7 };
    assert!(database.report_deployment(&second.id, &report).await.unwrap());
    assert!(!database.report_deployment("dpl_none", &report).await.unwrap());
    let reported = database.deployment(&site.project_id, &second.id).await.unwrap().unwrap();
    assert_eq!((reported.report, reported.revision), (Some(report), 2), "the revision stays");
    for number in 3..MAXIMUM_DEPLOYMENTS {
        created(place, &site.project_id, &format!("place {number}")).await;
    }
    let kind = DeploymentType::ClientHosted;
    let features = &Features::of(kind);
    let project_id = &site.project_id;
    let new = NewDeployment { project_id, name: "last", kind, features, address: None };
    let refused = database.create_deployment(new, 1).await.unwrap_err();
    assert!(refused.to_string().contains("the limit"), "{refused}");
}

async fn new_cloud_features_request_a_release(place: &TestDatabase) {
    let database = &place.database;
    let builds = Builds::of(place, "with-features").await;
    let project = &builds.site.project_id;
    let [cloud] = &database.deployments(project).await.unwrap()[..] else { panic!("one") };
    let mut features = cloud.features.clone();
    features.search.mode = Switch::Off;
    let change = DeploymentChange { features: Some(&features), ..DeploymentChange::default() };
    assert!(database.update_deployment(cloud, change, 2).await.unwrap());
    assert_eq!(database.cloud_features(project).await.unwrap(), features);
    let lease = builds.claim_and_begin("a").await;
    let release = database.release(&lease.id).await.unwrap().unwrap();
    assert_eq!((release.trigger, release.servable), (Trigger::Manual, true));
    assert!(builds.complete(&lease).await);
}

async fn export_for_deployment_is_never_active(place: &TestDatabase) {
    let database = &place.database;
    let new = new_export(place, "for-deployment").await;
    let site = database.site(&new.site_id).await.unwrap().unwrap();
    let builds = Builds { place, site };
    let deployment = created(place, &new.project_id, "plant").await;
    let target = ExportTarget::Elsewhere {
        deployment_id: Some(deployment.id.clone()),
        features: deployment.features.clone(),
        address: deployment.address.clone(),
    };
    let job = start(place, &NewExport { target, ..new }, 1).await;
    let lease = builds.claim_and_begin("a").await;
    let release = database.release(&lease.id).await.unwrap().unwrap();
    assert_eq!(release.deployment_id.as_ref(), Some(&deployment.id));
    assert_eq!(release.features.as_ref(), Some(&deployment.features));
    assert_eq!(release.address.as_deref(), Some("http://docs.internal"));
    assert!(builds.complete(&lease).await);
    assert!(!database.activate_release(&lease.id, 3).await.unwrap());
    let site = database.site(&builds.site.id).await.unwrap().unwrap();
    assert_eq!(site.active_release_id, None);
    let job = database.export_job(&job).await.unwrap().unwrap();
    assert_eq!((job.progress, job.deployment_id), (100, Some(deployment.id)));
}

/// The options of these releases are equal, so only the first is built. A release of the domain is built even then,
/// since the other one can't be active.
async fn equal_options_share_a_bundle(place: &TestDatabase) {
    let database = &place.database;
    let new = new_export(place, "shared-bundle").await;
    let site = database.site(&new.site_id).await.unwrap().unwrap();
    let builds = Builds { place, site };
    let elsewhere = ExportTarget::Elsewhere {
        deployment_id: None,
        features: Features::default(),
        address: None,
    };
    let export = NewExport { target: elsewhere, ..new.clone() };
    start(place, &export, 1).await;
    let first = builds.claim_and_begin("a").await;
    assert!(builds.complete(&first).await);
    let again = start(place, &export, 1).await;
    let lease = builds.claim().await;
    assert!(!builds.begin_at(&lease, "a").await, "the second export follows the first");
    let skipped = database.release(&lease.id).await.unwrap().unwrap();
    assert_eq!(skipped.status, ReleaseStatus::Skipped);
    let job = database.export_job(&again).await.unwrap().unwrap();
    assert_eq!(job.release_id.as_deref(), Some(first.id.as_str()));
    start(place, &new, 1).await;
    let lease = builds.claim().await;
    assert!(builds.begin_at(&lease, "a").await);
    assert!(builds.complete(&lease).await);
    let site = database.site(&builds.site.id).await.unwrap().unwrap();
    assert_eq!(site.active_release_id.as_ref(), Some(&lease.id));
}
