//! API keys: created and revoked in a browser, used by programs.

use reqwest::{Method, StatusCode};

use super::Dashboard;
use crate::server::Api;

/// The status of a request with a key.
async fn answered(dashboard: &Dashboard, key: &str) -> u16 {
    let api = Api { key: key.to_owned(), ..dashboard.setup.api(&dashboard.process) };
    api.send(Method::GET, "/v1/projects", None).await.status().as_u16()
}

#[tokio::test(flavor = "multi_thread")]
async fn key_is_shown_once_used_and_revoked() {
    let dashboard = Dashboard::start().await;
    let admin = dashboard.member("admin").await;
    let keys = format!("/organizations/{}/keys", dashboard.setup.organization);
    let new = format!("{keys}/new");
    admin.get(&new).await.says("90 days").says(&dashboard.setup.project);
    let project = dashboard.setup.project.clone();
    let fields = [
        ("name", "<b>ci</b>"),
        ("scope", "write"),
        ("projects", project.as_str()),
        ("days", "7"),
        ("allow", "127.0.0.0/8, 192.0.2.1"),
    ];
    let made = admin.submit(&new, &fields).await;
    made.is(StatusCode::OK).says("You won't see it again.").says("curl -H ");
    let key = made.after("<code>");
    assert!(key.starts_with("dw_"), "{key}");
    assert_eq!(answered(&dashboard, &key).await, 200);
    let id = key.split('_').nth(1).unwrap().to_owned();
    let list = admin.get(&keys).await;
    list.says(&id)
        .says("in 6 days")
        .says("127.0.0.0/8")
        .says("&lt;b&gt;ci&lt;/b&gt;")
        .says(&project);
    assert!(!list.text.contains(&key) && !list.text.contains("<b>ci"), "{}", list.text);
    assert!(list.text.contains("just now"), "the list shows the key's last use: {}", list.text);
    let revoked = admin.submit(&format!("{keys}/{id}/revoke"), &[]).await;
    revoked.is(StatusCode::OK).says("Revoked");
    assert_eq!(answered(&dashboard, &key).await, 401);
    admin.post(&format!("{keys}/{id}/revoke"), &[]).await.is(StatusCode::NOT_FOUND);
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_form_is_shown_again_with_its_values() {
    let dashboard = Dashboard::start().await;
    let admin = dashboard.member("admin").await;
    let new = format!("/organizations/{}/keys/new", dashboard.setup.organization);
    for (field, value, said) in [
        ("name", "", "name"),
        ("allow", "nowhere", "isn't a network"),
        ("days", "99999999", "days"),
        ("projects", "prj_of_others", "Page not found"),
    ] {
        let mut fields =
            vec![("name", "kept"), ("scope", "admin"), ("days", "7"), ("allow", "192.0.2.7")];
        fields.retain(|(name, _)| *name != field);
        fields.push((field, value));
        let page = admin.post(&new, &fields).await;
        assert!(matches!(page.status, 400 | 404), "{field}: {}", page.status);
        page.says(said);
        if page.status == 400 && field != "name" {
            page.says("value=\"kept\"");
        }
    }
    // The dashboard doesn't create keys of the instance.
    let fields = [("name", "k"), ("scope", "operator"), ("days", "7"), ("allow", "")];
    let refused = admin.post(&new, &fields).await;
    assert!(matches!(refused.status, 400 | 403), "{}", refused.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn eleventh_key_of_an_hour_is_refused() {
    let dashboard = Dashboard::start().await;
    let admin = dashboard.member("admin").await;
    dashboard.forget_the_hour().await;
    let new = format!("/organizations/{}/keys/new", dashboard.setup.organization);
    let fields = [("name", "k"), ("scope", "read"), ("days", "7"), ("allow", "")];
    for _ in 0..10 {
        admin.post(&new, &fields).await.is(StatusCode::SEE_OTHER);
    }
    let refused = admin.post(&new, &fields).await;
    refused.is(StatusCode::BAD_REQUEST).says("10 keys within an hour").says("value=\"k\"");
}

#[tokio::test(flavor = "multi_thread")]
async fn key_of_another_organization_is_not_found() {
    let dashboard = Dashboard::start().await;
    let key = dashboard.new_key().await;
    let (_, stranger) = dashboard.member_of(&dashboard.other, "admin").await;
    let path = format!("/organizations/{}/keys/{key}/revoke", dashboard.other);
    stranger.post(&path, &[]).await.is(StatusCode::NOT_FOUND);
    // The operator doesn't find it on the page of another organization either.
    dashboard.operator.post(&path, &[]).await.is(StatusCode::NOT_FOUND);
    let own = format!("/organizations/{}/keys", dashboard.setup.organization);
    dashboard.operator.get(&own).await.says("Valid");
}
