//! Members open password-protected previews with a code that passes between two hosts.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use super::{Browser, Dashboard, Page};

/// Opens two password-protected previews.
async fn previews(dashboard: &Dashboard) -> Vec<String> {
    let api = dashboard.api("admin");
    let project = &dashboard.setup.project;
    let mut hosts = Vec::new();
    dashboard.setup.commit("page-0.mdx", "---\ntitle: P\n---\n\nText of page-0.\n");
    for branch in ["main", "side"] {
        if branch == "side" {
            let work = dashboard.setup.folder.path().join("commits");
            crate::server::git(&work, &["push", "--quiet", "origin", "HEAD:side"]);
        }
        let path = format!("/v1/project/preview/{project}");
        let body = json!({ "branch": branch });
        let made: Value =
            api.send(Method::POST, &path, Some(body)).await.json().await.expect("the body is JSON");
        let url = made["previewUrl"].as_str().unwrap_or_else(|| panic!("{made}"));
        hosts.push(url.split_once("://").expect("the URL has a scheme").1.to_owned());
    }
    let path = format!("/v1/projects/{project}/preview-password");
    let set = api.send(Method::PUT, &path, Some(json!({ "password": "open sesame" }))).await;
    assert_eq!(set.status(), 204);
    hosts
}

/// Requests a path of a preview from a browser on its host.
async fn ask(dashboard: &Dashboard, host: &str, path: &str, cookie: &str) -> Page {
    let browser = dashboard.browser();
    let request = browser.request(Method::GET, path).header("host", host);
    browser.send(request.header("cookie", cookie)).await
}

/// The path with the code that the service redirects to.
fn leads_to(page: &Page, host: &str) -> String {
    let refresh = page.headers["refresh"].to_str().expect("the header is text");
    let address = refresh.strip_prefix("0; url=http://").expect("the page redirects immediately");
    address.strip_prefix(host).unwrap_or_else(|| panic!("{address} is at {host}")).to_owned()
}

fn access(host: &str) -> String {
    let name = host.split(':').next().unwrap_or_default();
    format!("/preview-access?host={name}&next=%2Fpage-0")
}

#[tokio::test(flavor = "multi_thread")]
async fn member_opens_preview_with_single_use_code() {
    let dashboard = Dashboard::start().await;
    let hosts = previews(&dashboard).await;
    let [one, two] = &hosts[..] else { panic!("expected two hosts") };
    let form = ask(&dashboard, one, "/page-0", "").await;
    let form = form.is(StatusCode::FORBIDDEN).says("Sign in with docwright");
    let link = form.after("<a href=\"").replace("&amp;", "&");
    assert_eq!(link, format!("{}{}", dashboard.process.address, access(one)));
    // Signed-out callers sign in first, then return.
    let viewer = dashboard.member("viewer").await;
    let out = Browser::new(&dashboard.process.address).get(&link).await.location().unwrap();
    assert!(out.starts_with("/sign-in?next=%2Fpreview-access"), "{out}");
    // Strangers get the same response as for a missing preview.
    let (_, stranger) = dashboard.member_of(&dashboard.other, "admin").await;
    stranger.get(&link).await.is(StatusCode::NOT_FOUND);
    viewer.get(&access("nothing.localhost")).await.is(StatusCode::NOT_FOUND);

    let path = leads_to(viewer.get(&link).await.is(StatusCode::OK), one);
    // Another preview refuses the code without using it up.
    assert!(ask(&dashboard, two, &path, "").await.set_cookies().is_empty());
    let let_in = ask(&dashboard, one, &path, "").await;
    assert_eq!(let_in.is(StatusCode::SEE_OTHER).location().as_deref(), Some("/page-0"));
    let [cookie] = &let_in.set_cookies()[..] else { panic!("expected one cookie") };
    assert!(cookie.contains("HttpOnly") && !cookie.contains("docwright="), "{cookie}");
    let cookie = cookie.split(';').next().unwrap();
    assert_ne!(ask(&dashboard, one, "/page-0", cookie).await.status, 403);
    ask(&dashboard, two, "/page-0", cookie).await.is(StatusCode::FORBIDDEN);
    // A code works once.
    assert!(ask(&dashboard, one, &path, "").await.set_cookies().is_empty());
    // A preview's cookie is valid only there.
    let value = cookie.split_once('=').unwrap().1;
    let thief = dashboard.browser();
    let request = thief.request(Method::GET, "/account");
    let taken = thief.send(request.header("cookie", format!("docwright={value}"))).await;
    taken.is(StatusCode::SEE_OTHER);

    // A code expires after a minute.
    let path = leads_to(&viewer.get(&link).await, one);
    let pool = dashboard.pool().await;
    let left: i64 = sqlx::query_scalar("SELECT MAX(expires_at) FROM preview_codes")
        .fetch_one(&pool)
        .await
        .unwrap();
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let now = now.unwrap().as_millis();
    assert!(i128::from(left) - i128::try_from(now).unwrap() <= 60_000);
    sqlx::query("UPDATE preview_codes SET expires_at = 1").execute(&pool).await.unwrap();
    pool.close().await;
    assert!(ask(&dashboard, one, &path, "").await.set_cookies().is_empty());
    // A code never redirects to another site.
    for next in ["//evil.example", "https%3A%2F%2Fevil.example", "%2F%5Cevil.example"] {
        let path = format!("/_docwright/sign-in?code=x&next={next}");
        assert_eq!(ask(&dashboard, one, &path, "").await.location().as_deref(), Some("/"));
    }
}
