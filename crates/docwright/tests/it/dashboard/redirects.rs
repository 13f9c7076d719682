//! Suggested redirects on the dashboard, and the agent job that a click starts.

use docwright_types::analytics::Dimension;

use super::Dashboard;
use crate::analytics::count_today;

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
    let links = ["/pages-0", "/<b>nothing"].map(|path| (path, 7));
    count_today(&dashboard.setup, Dimension::OtherDeadLink, &links).await;

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
