//! The audit log in a browser: read, searched, and downloaded.

use reqwest::{Method, StatusCode};
use serde_json::json;

use super::Dashboard;

#[tokio::test(flavor = "multi_thread")]
async fn changes_are_found_by_actor_action_and_time() {
    let dashboard = Dashboard::start().await;
    let admin = dashboard.member("admin").await;
    let organization = format!("/organizations/{}", dashboard.setup.organization);
    let fields = [("name", "<i>ci</i>"), ("scope", "read"), ("days", "7"), ("allow", "")];
    let made = admin.submit(&format!("{organization}/keys/new"), &fields).await;
    let key = made.after("<code>").split('_').nth(1).unwrap().to_owned();
    admin.submit(&format!("{organization}/keys/{key}/revoke"), &[]).await;
    let log = format!("{organization}/audit");
    let read = async |query: &str| admin.get(&format!("{log}?{query}")).await;
    let all = read("").await;
    all.is(StatusCode::OK)
        .says("Created an API key")
        .says("Revoked an API key")
        .says("admin0@example.com");
    all.says("127.0.0.1").says("&lt;i&gt;ci&lt;/i&gt;");
    assert!(!all.text.contains("<i>ci"), "{}", all.text);
    let has =
        |page: &super::Page, what: &str| page.text.contains(&format!("<strong>{what}</strong>"));
    let kind = read("action=key").await;
    assert!(has(&kind, "Revoked an API key") && !has(&kind, "Created a project"));
    let action = read("action=key.create").await;
    assert!(has(&action, "Created an API key") && !has(&action, "Revoked an API key"));
    let subject = read(&format!("subject={key}")).await;
    assert!(has(&subject, "Revoked an API key") && !has(&subject, "Created a project"));
    let actor = read("actor=acc_0").await;
    assert!(has(&actor, "Revoked an API key") && !has(&actor, "Created a project"));
    // What the log shows is found, too: an address, a name, and the label of an action.
    let actor = read("actor=admin0%40example.com").await;
    assert!(has(&actor, "Revoked an API key") && !has(&actor, "Created a project"));
    let named = read("subject=%3Ci%3Eci%3C%2Fi%3E").await;
    assert!(has(&named, "Revoked an API key") && !has(&named, "Created a project"));
    let labeled = read("action=created+an+api+key").await;
    assert!(has(&labeled, "Created an API key") && !has(&labeled, "Revoked an API key"));
    let words = read("action=an+API+key").await;
    assert!(has(&words, "Created an API key") && has(&words, "Revoked an API key"));
    assert!(!has(&words, "Created a project"), "{}", words.text);
    let part = read("subject=oc").await;
    assert!(has(&part, "Created a project") && !has(&part, "Revoked an API key"));
    let project = read("subject=Docs").await;
    assert!(has(&project, "Created a project") && !has(&project, "Revoked an API key"));
    read("actor=nobody%40example.com").await.says("No results");
    read("actor=acc_nobody").await.says("No results").says("Show all");
    read("until=2020-01-01").await.says("No results");
    read("since=2020-01-01").await.says("Created an API key");
    read("since=tomorrow").await.is(StatusCode::BAD_REQUEST).says("2026-11-22");
    // An id of another organization finds nothing.
    let (_, stranger) = dashboard.member_of(&dashboard.other, "admin").await;
    let path = format!("/organizations/{}/audit?subject={key}", dashboard.other);
    stranger.get(&path).await.says("No results");
}

#[tokio::test(flavor = "multi_thread")]
async fn long_log_has_pages_and_a_download() {
    let dashboard = Dashboard::start().await;
    let admin = dashboard.member("admin").await;
    let api = dashboard.api("admin");
    let path = format!("/v1/projects/{}", dashboard.setup.project);
    for number in 0..130 {
        let name = if number == 7 { "=HYPERLINK(\"x\")".to_owned() } else { format!("N {number}") };
        let answer = api.send(Method::PATCH, &path, Some(json!({ "name": name }))).await;
        assert_eq!(answer.status(), 200);
    }
    let log = format!("/organizations/{}/audit", dashboard.setup.organization);
    let mut page = admin.get(&format!("{log}?action=project.update")).await;
    let mut seen = 0;
    loop {
        seen += page.text.matches("<strong>Changed a project</strong>").count();
        if !page.text.contains("rel=\"next\"") {
            break;
        }
        let next = page.after("rel=\"next\" href=\"").replace("&amp;", "&");
        page = admin.get(&next).await;
    }
    assert_eq!(seen, 130);
    let file = admin.get(&format!("{log}/csv?action=project")).await;
    file.is(StatusCode::OK);
    assert!(file.headers["content-type"].to_str().unwrap().starts_with("text/csv"));
    let attached = file.headers["content-disposition"].to_str().unwrap();
    assert!(attached.starts_with("attachment") && attached.contains(".csv"), "{attached}");
    assert_eq!(file.text.matches(",project.update,").count(), 130);
    assert!(file.text.starts_with("time,actor_kind"), "{}", &file.text[..200]);
    assert_eq!(file.text.matches("project.create").count(), 1);
    let shown: Vec<_> = file.text.lines().filter(|line| line.contains("HYPERLINK")).collect();
    assert!(!shown.is_empty() && shown.iter().all(|line| !line.contains(",=")), "{shown:?}");
}
