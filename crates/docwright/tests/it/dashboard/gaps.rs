//! Gaps on the dashboard: what readers asked, and the agent job that a click starts.

use super::Dashboard;

#[tokio::test(flavor = "multi_thread")]
async fn click_starts_an_agent_job_for_a_gap() {
    let dashboard = Dashboard::start().await;
    let (viewer, editor) = (dashboard.member("viewer").await, dashboard.member("editor").await);
    let gaps = format!("/projects/{}/gaps", dashboard.setup.project);
    viewer.get(&gaps).await.says("No gaps yet");
    let gap = dashboard.gap("How do I rotate a <b>key</b>?").await;
    dashboard.gap("rotating keys <b>").await;
    let page = viewer.get(&gaps).await;
    page.says("asked 2 times").says("rotating keys &lt;b&gt;").says("In other words");
    page.says("How do I rotate a &lt;b&gt;key&lt;/b&gt;?").says(">One</a>");
    assert!(!page.text.contains("Start job") && !page.text.contains("<b>key"), "{}", page.text);
    editor.get(&gaps).await.says("Start job");
    let job = editor.post(&format!("{gaps}/{gap}/fill"), &[]).await.location().unwrap();
    assert!(job.contains("/jobs/agt_"), "{job}");
    let page = editor.get(&job).await;
    page.says("How do I rotate a &lt;b&gt;key&lt;/b&gt;?").says("Don't invent facts");
    let gone = editor.post(&format!("{gaps}/0011223344556677/fill"), &[]).await;
    assert_eq!(gone.status, 404, "{}", gone.text);
}
