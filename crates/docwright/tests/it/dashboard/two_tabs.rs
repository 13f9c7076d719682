//! Two tabs with the same form: the second save is refused and shows the first tab's values.

use reqwest::StatusCode;

use super::{Dashboard, Page};

/// The revision in the first form of a page.
fn revision(page: &Page) -> String {
    let rest = page.after("name=\"revision\" value=\"");
    rest.split('"').next().unwrap_or_default().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn second_tab_cannot_overwrite_project_of_first_tab() {
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
    // After seeing the conflict, the user saves again.
    save("Second", "guides", &revision(&refused)).await.is(StatusCode::SEE_OTHER);
    admin.get(&path).await.says("value=\"Second\"").says("value=\"guides\"");
}

#[tokio::test(flavor = "multi_thread")]
async fn error_in_second_tab_keeps_the_conflict() {
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
    wrong.is(StatusCode::BAD_REQUEST).says("must name a model");
    save("", &revision(&wrong)).await.is(StatusCode::CONFLICT).says("builtin:edits");
    save("", "no revision").await.is(StatusCode::BAD_REQUEST).says("must be a whole number");
}

#[tokio::test(flavor = "multi_thread")]
async fn second_tab_cannot_overwrite_organization_of_first_tab() {
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

#[tokio::test(flavor = "multi_thread")]
async fn second_tab_changes_no_feedback_that_first_tab_changed() {
    let dashboard = Dashboard::start().await;
    let editor = dashboard.member("editor").await;
    let list = format!("/projects/{}/feedback", dashboard.setup.project);
    let id = dashboard.feedback(false, Some("Which version?")).await;
    dashboard.feedback(true, None).await;
    let save = async |state: &str, note: &str, revision: &str| {
        let fields =
            [("state", state), ("note", note), ("shown", "pending"), ("revision", revision)];
        editor.post(&format!("{list}/{id}"), &fields).await
    };
    save("resolved", "First note", "1").await.is(StatusCode::SEE_OTHER);
    // The entry left the list of pending entries but is in the response.
    let refused = save("dismissed", "Second note", "1").await;
    refused
        .is(StatusCode::CONFLICT)
        .says("Someone else changed this feedback entry since revision");
    refused.says("Current values").says("<dd>Resolved</dd>").says("<dd>First note</dd>");
    refused.says(">Second note</textarea>").says("<option value=\"dismissed\" selected>");
    editor.get(&list).await.says(">First note</textarea>").lacks("Second note");
    let long = save("dismissed", &"x".repeat(2_001), "1").await;
    long.is(StatusCode::BAD_REQUEST).says("is longer than").says("xxx</textarea>");
    save("dismissed", "x", &revision(&long)).await.is(StatusCode::CONFLICT).says("First note");
    save("dismissed", "Second note", &revision(&refused)).await.is(StatusCode::SEE_OTHER);
    editor.get(&list).await.says(">Second note</textarea>");
}

#[tokio::test(flavor = "multi_thread")]
async fn second_tab_changes_no_role_that_first_tab_changed() {
    let dashboard = Dashboard::start().await;
    let admin = dashboard.member("admin").await;
    let (account, email) = dashboard.account("viewer").await;
    let list = format!("/organizations/{}/members", dashboard.setup.organization);
    let set = async |role: &str, revision: &str| {
        admin.post(&format!("{list}/{account}"), &[("role", role), ("revision", revision)]).await
    };
    let read = revision(&admin.get(&format!("{list}?search={email}")).await);
    set("editor", &read).await.is(StatusCode::SEE_OTHER);
    let refused = set("admin", &read).await;
    refused.is(StatusCode::CONFLICT).says("Someone else changed this member since revision");
    refused.says("Current values").says("<dd>The viewer</dd>").says("<dd>Editor</dd>");
    // The member's row comes first, with the chosen role.
    let (_, row) = refused.text.split_once(&email).expect("the member is listed");
    assert!(row.find("value=\"admin\" selected") < row.find("</form>"), "{row}");
    admin.get(&format!("{list}?search={email}")).await.says("value=\"editor\" selected");
    set("admin", &revision(&refused)).await.is(StatusCode::SEE_OTHER);
}

#[tokio::test(flavor = "multi_thread")]
async fn second_tab_changes_no_plan_that_first_tab_changed() {
    let dashboard = Dashboard::start().await;
    let operator = &dashboard.operator;
    let read = revision(&operator.get("/plans").await);
    let save = async |projects: &str, prompts: &str, revision: &str| {
        let fields = [
            ("static_export", "on"),
            ("projects", projects),
            ("members", ""),
            ("prompts_an_hour", prompts),
            ("storage_bytes", ""),
            ("revision", revision),
        ];
        operator.post("/plans/free", &fields).await
    };
    save("11", "100", &read).await.is(StatusCode::SEE_OTHER);
    let refused = save("", "222", &read).await;
    refused.is(StatusCode::CONFLICT).says("Someone else changed this plan since revision");
    refused.says("Current values").says("<dd>11</dd>").says("value=\"222\"");
    operator.get("/plans").await.says("value=\"11\"").lacks("value=\"222\"");
    let wrong = save("many", "222", &read).await;
    wrong.is(StatusCode::BAD_REQUEST).says("value=\"many\"").says("value=\"222\"");
    save("", "222", &revision(&wrong)).await.is(StatusCode::CONFLICT);
    save("", "222", &revision(&refused)).await.is(StatusCode::SEE_OTHER);
    operator.get("/plans").await.lacks("value=\"11\"").says("value=\"222\"");
}

#[tokio::test(flavor = "multi_thread")]
async fn second_tab_changes_no_domain_that_first_tab_changed() {
    let dashboard = Dashboard::start().await;
    let admin = dashboard.member("admin").await;
    let path = format!("/projects/{}/domains/docs.example.com", dashboard.setup.project);
    let read = revision(&admin.get(&path).await);
    let save = async |branch: &str, revision: &str| {
        admin.post(&path, &[("branch", branch), ("revision", revision)]).await
    };
    save("first", &read).await.is(StatusCode::SEE_OTHER);
    let refused = save("second", &read).await;
    refused.is(StatusCode::CONFLICT).says("Someone else changed this domain since revision");
    refused.says("Current values").says("<code>first</code>").says("value=\"second\"");
    admin.get(&path).await.says("value=\"first\"");
    save("second", &revision(&refused)).await.is(StatusCode::SEE_OTHER);
    admin.get(&path).await.says("value=\"second\"");
}
