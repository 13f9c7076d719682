//! Two tabs with the same form: the second save is refused, and shows what the first one stored.

use reqwest::StatusCode;

use super::{Dashboard, Page};

/// The revision that the first form of a page sends.
fn revision(page: &Page) -> String {
    let rest = page.after("name=\"revision\" value=\"");
    rest.split('"').next().unwrap_or_default().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn second_tab_changes_no_project_that_first_tab_changed() {
    let dashboard = Dashboard::start().await;
    let admin = dashboard.member("admin").await;
    let path = format!("/projects/{}/settings", dashboard.setup.project);
    let read = revision(&admin.get(&path).await);
    let save = async |name: &str, folder: &str, revision: &str| {
        let fields = [
            ("name", name),
            ("repository", "built-in"),
            ("path", folder),
            ("model", ""),
            ("activation", "automatic"),
            ("revision", revision),
        ];
        admin.post(&path, &fields).await
    };
    save("First", "", &read).await.is(StatusCode::SEE_OTHER);
    let refused = save("Second", "guides", &read).await;
    refused.is(StatusCode::CONFLICT).says("Someone else changed this project since revision");
    refused.says("Current values").says("<dd>First</dd>");
    refused.says("value=\"Second\"").says("value=\"guides\"");
    admin.get(&path).await.says("value=\"First\"").lacks("value=\"guides\"");
    // They have seen it now, and save again.
    save("Second", "guides", &revision(&refused)).await.is(StatusCode::SEE_OTHER);
    admin.get(&path).await.says("value=\"Second\"").says("value=\"guides\"");
}

#[tokio::test(flavor = "multi_thread")]
async fn error_of_second_tab_hides_no_conflict() {
    let dashboard = Dashboard::start().await;
    let admin = dashboard.member("admin").await;
    let path = format!("/projects/{}/settings", dashboard.setup.project);
    let read = revision(&admin.get(&path).await);
    let save = async |model: &str, revision: &str| {
        let fields = [
            ("name", "Docs"),
            ("repository", "built-in"),
            ("path", ""),
            ("model", model),
            ("activation", "automatic"),
            ("revision", revision),
        ];
        admin.post(&path, &fields).await
    };
    save("builtin:edits", &read).await.is(StatusCode::SEE_OTHER);
    let wrong = save("no such model", &read).await;
    wrong.is(StatusCode::BAD_REQUEST).says("names no model");
    save("", &revision(&wrong)).await.is(StatusCode::CONFLICT).says("builtin:edits");
    save("", "no revision").await.is(StatusCode::BAD_REQUEST).says("must be a whole number");
}

#[tokio::test(flavor = "multi_thread")]
async fn second_tab_changes_no_organization_that_first_tab_changed() {
    let dashboard = Dashboard::start().await;
    let operator = &dashboard.operator;
    let path = format!("/organizations/{}/plan", dashboard.setup.organization);
    let read = revision(&operator.get(&path).await);
    let save = async |name: &str, plan: &str, revision: &str| {
        let fields = [("name", name), ("plan", plan), ("revision", revision)];
        operator.post(&path, &fields).await
    };
    save("First name", "pro", &read).await.is(StatusCode::SEE_OTHER);
    let refused = save("Second name", "free", &read).await;
    refused.is(StatusCode::CONFLICT).says("Someone else changed this organization since revision");
    refused.says("<dd>First name</dd>").says("<dd>Pro</dd>").says("value=\"Second name\"");
    refused.says("<option value=\"free\" selected>");
    operator.get(&path).await.says("value=\"First name\"");
    save("Second name", "free", &revision(&refused)).await.is(StatusCode::SEE_OTHER);
    operator.get(&path).await.says("value=\"Second name\"");
}
