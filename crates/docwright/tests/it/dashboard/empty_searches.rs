//! Searches without a result on the dashboard, and the agent job that a click starts.

use std::time::{SystemTime, UNIX_EPOCH};

use docwright_types::timestamp::DAY;

use super::Dashboard;

#[tokio::test(flavor = "multi_thread")]
async fn click_starts_an_agent_job_for_a_search() {
    let dashboard = Dashboard::start().await;
    let (viewer, editor) = (dashboard.member("viewer").await, dashboard.member("editor").await);
    let api = dashboard.api("admin");
    let export = api.start_export().await;
    api.wait_for(&export, &["completed"]).await;
    let analytics = format!("/projects/{}/analytics", dashboard.setup.project);
    let searches = format!("{analytics}/empty-searches");
    viewer.get(&searches).await.lacks("Start job");
    let pool = dashboard.pool().await;
    let sql = "INSERT INTO analytics_values (domain, starts_at, dimension, page, value, views, last_at) \
         VALUES ('docs.example.com', $1, 'empty_search', '', $2, $3, $1)";
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis();
    let now = i64::try_from(now).unwrap();
    let today = now - now.rem_euclid(DAY);
    for (query, count) in [("rotate <b>keys", 7), ("key rotation <b>", 2), ("page 0", 1)] {
        let added = sqlx::query(sql).bind(today).bind(query).bind(count).execute(&pool).await;
        added.expect("a search can be stored");
    }
    pool.close().await;

    viewer.get(&analytics).await.says("rotate &lt;b&gt;keys").says("Answer these searches");
    let page = viewer.get(&searches).await;
    page.says("rotate &lt;b&gt;keys").says("page 0").lacks("Start job");
    editor.get(&searches).await.says("Start job for page 0");
    let refused = viewer.post(&searches, &[("query", "page 0")]).await;
    assert_eq!(refused.status, 403, "{}", refused.text);
    let job = editor.post(&searches, &[("query", "rotate <b>keys")]).await.location().unwrap();
    assert!(job.contains("/jobs/agt_"), "{job}");
    let job = editor.get(&job).await;
    job.says("rotate &lt;b&gt;keys").says("key rotation &lt;b&gt;").lacks("page 0");
    let none = editor.post(&searches, &[("query", "nothing")]).await;
    assert_eq!(none.status, 404, "{}", none.text);
}
