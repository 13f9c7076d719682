//! Suggested redirects on the dashboard, and the agent job that a click starts.

use std::time::{SystemTime, UNIX_EPOCH};

use docwright_types::timestamp::DAY;

use super::Dashboard;

#[tokio::test(flavor = "multi_thread")]
async fn click_starts_an_agent_job_for_a_redirect() {
    let dashboard = Dashboard::start().await;
    let (viewer, editor) = (dashboard.member("viewer").await, dashboard.member("editor").await);
    let api = dashboard.api("admin");
    let export = api.start_export().await;
    api.wait_for(&export, &["completed"]).await;
    let analytics = format!("/projects/{}/analytics", dashboard.setup.project);
    let redirects = format!("{analytics}/redirects");
    viewer.get(&redirects).await.says("No dead link in this range resembles a page.");
    let pool = dashboard.pool().await;
    let sql = "INSERT INTO analytics_values (domain, starts_at, dimension, page, value, views, last_at) \
         VALUES ('docs.example.com', $1, 'other_dead_link', '', $2, 7, $1)";
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis();
    let now = i64::try_from(now).unwrap();
    let today = now - now.rem_euclid(DAY);
    for path in ["/pages-0", "/<b>nothing"] {
        let added = sqlx::query(sql).bind(today).bind(path).execute(&pool).await;
        added.expect("a dead link can be stored");
    }
    pool.close().await;

    viewer.get(&analytics).await.says("/&lt;b&gt;nothing").says("View suggested redirects");
    let page = viewer.get(&redirects).await;
    page.says("/pages-0").says("/page-0");
    assert!(!page.text.contains("nothing") && !page.text.contains("Add redirect"), "{}", page.text);
    editor.get(&redirects).await.says("Add redirect from /pages-0");
    let refused = viewer.post(&redirects, &[("path", "/pages-0")]).await;
    assert_eq!(refused.status, 403, "{}", refused.text);
    let job = editor.post(&redirects, &[("path", "/pages-0")]).await.location().unwrap();
    assert!(job.contains("/jobs/agt_"), "{job}");
    editor.get(&job).await.says("redirect from");
    let none = editor.post(&redirects, &[("path", "/<b>nothing")]).await;
    assert_eq!(none.status, 404, "{}", none.text);
}
