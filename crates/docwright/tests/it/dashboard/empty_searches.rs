//! Searches without a result on the dashboard, and the agent job that a click starts.

use docwright_types::analytics::Dimension;

use super::Dashboard;
use crate::analytics::count_today;

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
    let queries = [("rotate <b>keys", 7), ("key rotation <b>", 2), ("page 0", 1)];
    count_today(&dashboard.setup, Dimension::EmptySearch, &queries).await;

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
