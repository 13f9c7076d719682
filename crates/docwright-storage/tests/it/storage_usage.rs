//! Storage usage of organizations, and refusals at a plan's limit.

use docwright_storage::{
    StorageError,
    database::{OrganizationChange, PREVIEW_BYTES, PreviewOfBranch, Project, Queue, StorageUsage},
};
use docwright_testing::database::TestDatabase;
use docwright_types::{
    plan::{Limits, Plan},
    release::Trigger,
    timestamp::HOUR,
};

use crate::{exports::new_export, previews::addresses, releases::Builds};

/// Size of the bundles of a project.
const BUNDLES: &str = "(SELECT CAST(COALESCE(SUM(bundle_size), 0) AS BIGINT) FROM releases \
     WHERE project_id = projects.id AND bundle_key IS NOT NULL)";

pub(crate) async fn conform(place: &TestDatabase) {
    usage_counts_each_bundle_once(place).await;
    clone_counts_for_an_hour(place).await;
    builds_are_refused_at_limit(place).await;
    limit_is_that_of_own_plan(place).await;
    previews_of_project_are_limited(place).await;
}

async fn project(place: &TestDatabase, name: &str) -> Project {
    let (site, _) = place.site(name).await;
    place.database.project(&site.project_id).await.unwrap().unwrap()
}

/// Adds a release with a bundle to a project's site.
async fn add_bundle(
    place: &TestDatabase,
    project: &Project,
    (key, trigger): (&str, &str),
    size: i64,
) {
    let site = &place.database.sites(&project.id).await.unwrap()[0].id;
    place
        .execute(&format!(
            "INSERT INTO releases (id, site_id, project_id, organization_id, trigger_name, servable, status, progress, \
             page_count, warnings, warning_count, failures, interruptions, run_after, lease_number, created_at, \
             updated_at, bundle_key, bundle_size) VALUES ('rel_{key}', '{site}', '{}', '{}', '{trigger}', 1, 'ready', \
             100, 1, '[]', 0, 0, 0, 0, 0, 0, 0, '{key}', {size})",
            project.id, project.organization_id
        ))
        .await;
    let counted =
        format!("UPDATE projects SET bundle_bytes = {BUNDLES} WHERE id = '{}'", project.id);
    place.execute(&counted).await;
}

async fn set_limit(place: &TestDatabase, plan: Plan, storage_bytes: Option<i64>) {
    let limits = place.database.plan_limits(plan).await.unwrap().limits;
    let limits = Limits { storage_bytes, ..limits };
    assert!(place.database.set_plan_limits(plan, limits, None).await.unwrap());
    assert_eq!(place.database.plan_limits(plan).await.unwrap().limits, limits);
}

/// The error text of a refusal.
fn refusal<T: std::fmt::Debug>(refused: Result<T, StorageError>) -> String {
    match refused {
        Err(StorageError::PlanLimit(why)) => why,
        other => panic!("{other:?}"),
    }
}

async fn usage_counts_each_bundle_once(place: &TestDatabase) {
    let database = &place.database;
    let new = new_export(place, "storage-usage").await;
    let own = database.project(&new.project_id).await.unwrap().unwrap();
    let other = project(place, "storage-of-others").await;
    let usage = async |of: &Project| database.storage_usage(&of.organization_id).await.unwrap();
    let bundles = async || usage(&own).await.bundles;
    let builds = Builds { place, site: database.site(&new.site_id).await.unwrap().unwrap() };
    database.start_export(&new, 1).await.unwrap();
    let first = builds.claim_and_begin("a").await;
    assert!(builds.complete_with(&first, "own1", 3_000_000_000).await);
    assert_eq!(bundles().await, 3_000_000_000, "the export has the bundle of its release");
    let canceled = builds.start("canceled").await;
    assert!(database.cancel_release(&canceled.id, 2).await.unwrap());
    assert!(!builds.complete_with(&canceled, "canceled", 9).await, "the lease has ended");
    assert_eq!(bundles().await, 3_000_000_000);
    let second = builds.start("b").await;
    assert!(builds.complete_with(&second, "own2", 5).await);
    assert_eq!(bundles().await, 3_000_000_005);
    // A lost bundle is built again, with another size.
    assert!(database.record_lost_bundle(&second.id, "own2", 3).await.unwrap());
    let again = builds.claim_and_begin("b").await;
    assert!(builds.complete_with(&again, "own3", 7).await);
    assert_eq!(bundles().await, 3_000_000_007);
    database.record_repository_size(&own.id, 7).await.unwrap();
    database.record_clone_size(&own.id, ("own", 11)).await.unwrap();
    database.record_clone_size(&own.id, ("own-forks", 13)).await.unwrap();
    let expected = StorageUsage { bundles: 3_000_000_007, repositories: 7, clones: 24 };
    assert_eq!(usage(&own).await, expected);
    assert_eq!(usage(&other).await.total(), 0);
    let domain = new.domain.parse().unwrap();
    assert_eq!(database.delete_domain(&domain).await.unwrap().unwrap().releases, 3);
    assert_eq!(bundles().await, 0);
}

/// The size in each project's row is that of the bundles of its releases.
pub(crate) async fn sums_are_exact(place: &TestDatabase) {
    let wrong = format!("SELECT COUNT(*) FROM projects WHERE bundle_bytes <> {BUNDLES}");
    assert_eq!(place.number(&wrong).await, 0);
}

/// Sets the sizes of bundles.
pub(crate) async fn set_bundle_sizes(place: &TestDatabase, size: i64, which: &str) {
    sums_are_exact(place).await;
    place.execute(&format!("UPDATE releases SET bundle_size = {size} WHERE {which}")).await;
    place.execute(&format!("UPDATE projects SET bundle_bytes = {BUNDLES}")).await;
}

async fn clone_counts_for_an_hour(place: &TestDatabase) {
    let database = &place.database;
    let first = project(place, "clones").await;
    let clones = async || database.storage_usage(&first.organization_id).await.unwrap().clones;
    database.record_clone_size(&first.id, ("shared", 10)).await.unwrap();
    database.record_clone_size(&first.id, ("shared", 20)).await.unwrap();
    assert_eq!(clones().await, 20, "the size at the last use");
    let used_at = place.number("SELECT used_at FROM clones WHERE name = 'shared'").await;
    let rows = async || place.number("SELECT COUNT(*) FROM clones WHERE name = 'shared'").await;
    database.remove_old_clone_sizes(used_at + HOUR).await.unwrap();
    assert_eq!((clones().await, rows().await), (20, 1));
    place.execute("UPDATE clones SET used_at = used_at - 3600000 WHERE name = 'shared'").await;
    assert_eq!(clones().await, 0);
    assert!(database.remove_old_clone_sizes(used_at + 1).await.unwrap() > 0);
    assert_eq!(rows().await, 0);
}

async fn builds_are_refused_at_limit(place: &TestDatabase) {
    let database = &place.database;
    let new = new_export(place, "storage-limit").await;
    let (organization, project) = (&new.organization_id, &new.project_id);
    database
        .update_organization(
            organization,
            OrganizationChange { plan: Some(Plan::Pro), ..OrganizationChange::default() },
        )
        .await
        .unwrap();
    set_limit(place, Plan::Pro, Some(2_000)).await;
    let update =
        async |time| database.request_update(project, None, Trigger::Api, None, time).await;
    database.record_repository_size(project, 1_998).await.unwrap();
    database.record_clone_size(project, ("storage-limit", 1)).await.unwrap();
    assert!(update(1).await.is_ok(), "one byte is left");
    database.record_clone_size(project, ("storage-limit", 2)).await.unwrap();
    let said = refusal(database.require_storage(project).await);
    assert_eq!(
        said,
        "this organization uses 2.0 kB of the 2.0 kB of storage that its plan, pro, includes: 0 bytes of bundles, \
         1.9 kB of repositories, and 2 bytes of clones used in the last hour; close previews, delete domains or \
         projects, or ask the operator for more storage"
    );
    assert_eq!(refusal(update(2).await), said);
    assert_eq!(refusal(database.request_limited_update(project, None, 2).await), said);
    assert_eq!(refusal(database.start_export(&new, 3).await), said);
    let addresses = addresses();
    let asked = PreviewOfBranch { project_id: project, branch: "b", idempotency: None };
    assert_eq!(refusal(database.start_preview(asked, &addresses, 3).await), said);
    // A limit below the current usage.
    set_limit(place, Plan::Pro, Some(1)).await;
    assert!(refusal(update(3).await).contains("2.0 kB of the 1 byte of storage"));
    // Deletions free storage immediately.
    set_limit(place, Plan::Pro, Some(2_000)).await;
    assert!(database.delete_project(project).await.unwrap().is_some());
    let usage = database.storage_usage(organization).await.unwrap();
    assert_eq!(usage.total(), 0, "the clone and repository are deleted");
    set_limit(place, Plan::Pro, None).await;
    place.drain(Queue::Releases).await;
}

async fn limit_is_that_of_own_plan(place: &TestDatabase) {
    let database = &place.database;
    let (own, other) = (project(place, "small-plan").await, project(place, "large-plan").await);
    for (project, plan) in [(&own, Plan::Free), (&other, Plan::Pro)] {
        database
            .update_organization(
                &project.organization_id,
                OrganizationChange { plan: Some(plan), ..OrganizationChange::default() },
            )
            .await
            .unwrap();
        database.record_repository_size(&project.id, 100).await.unwrap();
    }
    set_limit(place, Plan::Free, Some(100)).await;
    assert!(refusal(database.require_storage(&own.id).await).contains("its plan, free,"));
    database.require_storage(&other.id).await.unwrap();
    set_limit(place, Plan::Free, None).await;
    database.require_storage(&own.id).await.unwrap();
    database.require_storage("prj_gone").await.unwrap();
}

async fn previews_of_project_are_limited(place: &TestDatabase) {
    let database = &place.database;
    let (own, other) = (project(place, "preview-bytes").await, project(place, "no-previews").await);
    add_bundle(place, &own, ("published", "push"), PREVIEW_BYTES).await;
    add_bundle(place, &own, ("preview1", "preview"), PREVIEW_BYTES - 1).await;
    database.require_preview_storage(&own.id).await.unwrap();
    add_bundle(place, &own, ("preview2", "preview"), 1).await;
    let said = refusal(database.require_preview_storage(&own.id).await);
    assert_eq!(
        said,
        "the previews of this project take 4.2 GB of at most 4.2 GB; close previews, then try again in an hour"
    );
    let addresses = addresses();
    let asked = PreviewOfBranch { project_id: &own.id, branch: "b", idempotency: None };
    assert_eq!(refusal(database.start_preview(asked, &addresses, 1).await), said);
    database.require_preview_storage(&other.id).await.unwrap();
    place.drain(Queue::Releases).await;
}
