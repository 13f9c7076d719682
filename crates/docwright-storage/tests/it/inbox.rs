//! The inbox of an account: the same rows on both databases, and none of other accounts.

use docwright_storage::database::{Actor, ActorKind, Change};
use docwright_testing::database::TestDatabase;
use docwright_types::{account::Role, site::Activation, timestamp::DAY};
use serde_json::json;

pub(crate) async fn conform(place: &TestDatabase) {
    let (site, domain) = place.site_with("inbox", Activation::Manual).await;
    let database = &place.database;
    let project = database.project(&site.project_id).await.unwrap().unwrap();
    let organization = project.organization_id.as_str();
    for (account, role) in [("acc_inbox", Role::Editor), ("acc_inbox_viewer", Role::Viewer)] {
        place
            .execute(&format!(
                "INSERT INTO accounts (id, email, name, is_operator, created_at) VALUES ('{account}', '{account}@x.example', 'N', 0, 5)"
            ))
            .await;
        database.add_member(organization, account, role, 1).await.unwrap();
    }
    read_until(place).await;
    own_changes(place, organization).await;
    releases(place, (&site.id, &project.id, organization)).await;
    work(place, (&project.id, organization)).await;
    problems(place, (&project.id, domain.as_str())).await;
}

async fn read_until(place: &TestDatabase) {
    let database = &place.database;
    assert_eq!(database.inbox_read_until("acc_inbox").await.unwrap(), 5, "since it was created");
    for (until, expected) in [(9, 9), (7, 9), (12, 12)] {
        database.read_inbox("acc_inbox", until).await.unwrap();
        assert_eq!(database.inbox_read_until("acc_inbox").await.unwrap(), expected);
    }
    assert_eq!(database.inbox_read_until("acc_inbox_viewer").await.unwrap(), 5);
    assert_eq!(database.inbox_read_until("acc_none").await.unwrap(), 0);
}

async fn own_changes(place: &TestDatabase, organization: &str) {
    let database = &place.database;
    let record = async |who: &str, action: &'static str, subject: &str, at| {
        let change = Change {
            organization_id: Some(organization.to_owned()),
            actor: Actor { kind: ActorKind::Account, id: who.to_owned(), name: format!("{who}@") },
            action,
            address: None,
            request_id: "r".to_owned(),
            before: None,
            after: Some(json!({ "main": "c0ffee" })),
            at,
        };
        database.recording(change).begin_change(subject).await.unwrap();
    };
    record("acc_inbox", "pull_request.create", "prj_i/1", DAY).await;
    record("acc_inbox", "pull_request.create", "prj_i/2", DAY + 1).await;
    record("acc_inbox", "pull_request.merge", "prj_i/1", DAY + 2).await;
    record("acc_inbox_viewer", "pull_request.merge", "prj_i/2", DAY + 3).await;
    record("acc_inbox_viewer", "update.create", "prj_i/2", DAY + 4).await;
    let own = database.own_changes("acc_inbox").await.unwrap();
    let shown: Vec<_> = own.iter().map(|each| (each.action.as_str(), each.at - DAY)).collect();
    let [merge, create] = ["pull_request.merge", "pull_request.create"];
    assert_eq!(shown, [(merge, 2), (create, 1), (create, 0)], "newest first");
    assert_eq!(own[0].after, Some(json!({ "main": "c0ffee" })));
    let subjects = ["prj_i/1".to_owned(), "prj_i/2".to_owned()];
    let ended = database.ends_by_others("acc_inbox", &subjects).await.unwrap();
    let [merged] = ended.as_slice() else { panic!("{ended:?}") };
    assert_eq!((merged.subject.as_str(), merged.actor.as_str()), ("prj_i/2", "acc_inbox_viewer@"));
    assert!(database.ends_by_others("acc_inbox", &[]).await.unwrap().is_empty());
}

/// Inserts three releases of one update: a failed one, a canceled one, and a ready one.
async fn releases(place: &TestDatabase, (site, project, organization): (&str, &str, &str)) {
    let database = &place.database;
    for (number, status, error) in
        [(1, "failed", "'no docs.json'"), (2, "failed", "'canceled'"), (3, "ready", "NULL")]
    {
        place
            .execute(&format!(
                "INSERT INTO releases (id, site_id, project_id, organization_id, update_id, trigger_name, servable, status, error, \
                 commit_sha, head_sequence, progress, page_count, warnings, warning_count, failures, interruptions, run_after, \
                 lease_number, created_at, updated_at) VALUES ('rel_inbox_{number}', '{site}', '{project}', '{organization}', \
                 'upd_inbox', 'push', 1, '{status}', {error}, 'c0ffee', 9, 0, 0, '[]', 0, 0, 0, 0, 0, 1, {number})"
            ))
            .await;
    }
    let updates = ["upd_inbox".to_owned(), "upd_none".to_owned()];
    let failed = database.failed_releases_of_updates(&updates).await.unwrap();
    let [one] = failed.as_slice() else { panic!("{failed:?}") };
    assert_eq!((one.subject.as_str(), one.at), ("rel_inbox_1", 1));
    assert_eq!(one.error.as_deref(), Some("no docs.json"));
    let commit = |project: &str, sha: &str| (project.to_owned(), sha.to_owned());
    let commits = [commit(project, "none"), commit(project, "c0ffee"), commit("prj_i", "c0ffee")];
    assert_eq!(database.failed_releases_of_commits(&commits).await.unwrap(), failed);
    assert!(database.failed_releases_of_commits(&commits[2..]).await.unwrap().is_empty());
    let waiting = database.waiting_releases_of(organization).await.unwrap();
    let [one] = waiting.as_slice() else { panic!("{waiting:?}") };
    assert_eq!((one.subject.as_str(), one.state.as_str()), ("rel_inbox_3", "waiting"));
    assert_eq!(one.related.as_deref(), Some(site));
    place
        .execute(&format!("UPDATE sites SET active_release_id = 'rel_inbox_3' WHERE id = '{site}'"))
        .await;
    assert!(database.waiting_releases_of(organization).await.unwrap().is_empty());
    place.execute(&format!("UPDATE sites SET active_release_id = NULL WHERE id = '{site}'")).await;
    place.execute(&format!("DELETE FROM releases WHERE project_id = '{project}'")).await;
}

/// Ended jobs and exports, and pull requests. A canceled job doesn't count.
async fn work(place: &TestDatabase, (project, organization): (&str, &str)) {
    let database = &place.database;
    for (number, status, error) in
        [(1, "completed", "NULL"), (2, "failed", "'cancelled'"), (3, "failed", "'no model'")]
    {
        place
            .execute(&format!(
                "INSERT INTO agent_jobs (id, project_id, status, repository, model, usage, files_changed, failures, run_after, \
                 created_at, updated_at, error) VALUES ('agt_inbox_{number}', '{project}', '{status}', '/r', 'm', \
                 '{{\"inputTokens\":0,\"outputTokens\":0,\"cost\":null}}', '[]', 0, 0, 1, {number}, {error})"
            ))
            .await;
        place
            .execute(&format!(
                "INSERT INTO export_jobs (id, organization_id, project_id, domain, status, progress, page_count, warnings, \
                 warning_count, created_at, updated_at) VALUES ('exp_inbox_{number}', '{organization}', '{project}', \
                 'inbox.example.com', '{status}', 0, 0, '[]', 0, 1, {number})"
            ))
            .await;
    }
    let ids = |kind: &str| (1..=3).map(|each| format!("{kind}_inbox_{each}")).collect::<Vec<_>>();
    let jobs = database.ended_jobs_among(&ids("agt")).await.unwrap();
    let jobs: Vec<_> =
        jobs.iter().map(|each| (each.subject.as_str(), each.state.as_str())).collect();
    assert_eq!(jobs, [("agt_inbox_3", "failed"), ("agt_inbox_1", "completed")]);
    assert_eq!(database.ended_exports_among(&ids("exp")).await.unwrap().len(), 3);
    place
        .execute(&format!(
            "INSERT INTO pull_requests (project_id, number, head, base, title, body, state, created_at, updated_at) \
             VALUES ('{project}', 4, 'b', 'main', 'Title', '', 'merged', 1, 1)"
        ))
        .await;
    let pulls = [(project.to_owned(), 4), (project.to_owned(), 5)];
    let pulls = database.pull_requests_among(&pulls).await.unwrap();
    assert_eq!(
        (pulls.len(), pulls[0].subject.as_str(), pulls[0].title.as_deref()),
        (1, "4", Some("Title"))
    );
    for table in ["agent_jobs", "export_jobs", "pull_requests"] {
        place.execute(&format!("DELETE FROM {table} WHERE project_id = '{project}'")).await;
    }
}

/// Problems are those of projects that the account can edit.
async fn problems(place: &TestDatabase, (project, domain): (&str, &str)) {
    let database = &place.database;
    place.execute(&format!(
        "INSERT INTO polls (id, project_id, status, requested, error, error_kind, failures, failing_since, interruptions, run_after, \
         lease_number, created_at, updated_at) VALUES ('{project}', '{project}', 'idle', 0, 'gone', 'branch', 1, 7, 0, \
         9000000000000, 0, 1, 1) ON CONFLICT (id) DO UPDATE SET error = 'gone', error_kind = 'branch', failing_since = 7"
    ))
    .await;
    place.execute(&format!(
        "INSERT INTO certificates (host, order_after, failures, problem, problem_since) VALUES ('{domain}', 9000000000000, 1, 'no', 8)"
    ))
    .await;
    let shown = async |account: &str| {
        let repositories = database.failing_repositories(account).await.unwrap();
        let certificates = database.failing_certificates(account).await.unwrap();
        let all = repositories.into_iter().chain(certificates);
        all.map(|each| (each.subject, each.state, each.at)).collect::<Vec<_>>()
    };
    let of = |subject: &str, state: &str, at| (subject.to_owned(), state.to_owned(), at);
    let expected = [of(project, "branch", 7), of(domain, "certificate", 8)];
    assert_eq!(shown("acc_inbox").await, expected);
    assert!(shown("acc_inbox_viewer").await.is_empty() && shown("acc_none").await.is_empty());
    place.execute("DELETE FROM certificates WHERE problem_since = 8").await;
    place
        .execute(&format!(
            "UPDATE polls SET error = NULL, failing_since = NULL WHERE id = '{project}'"
        ))
        .await;
    assert!(shown("acc_inbox").await.is_empty());
}
