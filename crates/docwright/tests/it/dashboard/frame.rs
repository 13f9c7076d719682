//! What every page has: the menu of organizations, what a form did, icons, and compression.

use reqwest::{Method, StatusCode, header::CONTENT_ENCODING};

use super::{Browser, Dashboard, Page};

/// Requests a page as browsers do that accept compression.
async fn compressed(browser: &Browser, path: &str) -> Option<String> {
    let answer = browser.request(Method::GET, path).header("accept-encoding", "gzip, br");
    let answer = answer.send().await.unwrap();
    assert!(answer.status().is_success(), "{path}: {}", answer.status());
    let encoding = answer.headers().get(CONTENT_ENCODING)?;
    Some(encoding.to_str().unwrap().to_owned())
}

/// Creates a key. Returns the page that shows it, and its path.
async fn key(dashboard: &Dashboard, admin: &Browser, name: &str) -> (Page, String) {
    let new = format!("/organizations/{}/keys/new", dashboard.setup.organization);
    let fields = [("name", name), ("scope", "read"), ("days", "7"), ("allow", "")];
    let path = admin.post(&new, &fields).await.location().expect("the form redirects");
    (admin.get(&path).await, path)
}

#[tokio::test(flavor = "multi_thread")]
async fn every_page_leads_to_all_organizations_of_a_person() {
    let dashboard = Dashboard::start().await;
    let (email, person) = dashboard.member_of(&dashboard.setup.organization, "viewer").await;
    let own = format!("/organizations/{}", dashboard.setup.organization);
    let other = format!("/organizations/{}", dashboard.other);
    // The only organization is the home page, and needs no menu.
    assert_eq!(person.get("/").await.location(), Some(own.clone()));
    person.get(&own).await.lacks("Switch organization");
    dashboard.join(&email, &dashboard.other, "editor").await;
    let home = person.get("/").await;
    home.is(StatusCode::OK).says(&format!("href=\"{own}\"")).says(&format!("href=\"{other}\""));
    home.says("Editor").says("Viewer");
    let project = format!("/projects/{}", dashboard.setup.project);
    for path in [own.clone(), other.clone(), project, "/account".to_owned()] {
        let page = person.get(&path).await;
        page.says("Switch organization").says(&format!("href=\"{own}\""));
        page.says(&format!("href=\"{other}\""));
    }
    person.get(&own).await.says(&format!("href=\"{own}\" aria-current=\"true\""));
    let found = person.get("/?search=%3Cnone%3E").await;
    found.says("No results").says("&lt;none&gt;");
}

#[tokio::test(flavor = "multi_thread")]
async fn next_page_says_once_what_a_form_did() {
    let dashboard = Dashboard::start().await;
    let viewer = dashboard.member("viewer").await;
    let saved = viewer.post("/account/name", &[("name", "Ada")]).await;
    let cookie = saved.set_cookies().join("\n");
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax"), "{cookie}");
    let next = viewer.get(&saved.location().unwrap()).await;
    next.says("<p class=\"notice done\" role=\"status\">Saved</p>");
    viewer.get("/account").await.lacks("notice done");
    // The cookie can't bring a text of its own.
    let name = cookie.split('=').next().unwrap().to_owned();
    for value in ["%3Cb%3Eevil", "evil", "Saved"] {
        let request = viewer.request(Method::GET, "/account");
        let page = viewer.send(request.header("cookie", format!("{name}={value}"))).await;
        page.is(StatusCode::OK);
        page.lacks("notice done").lacks("evil");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn error_is_at_its_field_in_words_of_the_form() {
    let dashboard = Dashboard::start().await;
    let admin = dashboard.member("admin").await;
    let new = format!("/organizations/{}/keys/new", dashboard.setup.organization);
    let fields =
        [("name", "ci"), ("scope", "read"), ("days", "7"), ("allow", "192.0.2.1, nowhere")];
    let page = admin.post(&new, &fields).await;
    page.is(StatusCode::BAD_REQUEST).lacks("`allow").lacks("allow[");
    page.says("<a href=\"#allow\">“Allowed IP addresses” isn't a network");
    page.says("aria-invalid=\"true\" aria-describedby=\"allow-hint allow-error\"");
    page.says("id=\"allow-error\"");
    let settings = format!("/projects/{}/settings", dashboard.setup.project);
    let fields = [
        ("name", " "),
        ("repository", "built-in"),
        ("path", ""),
        ("model", ""),
        ("activation", "automatic"),
    ];
    let page = admin.post(&settings, &fields).await;
    page.is(StatusCode::BAD_REQUEST).says("“Name” is blank").says("id=\"name-error\"");
}

#[tokio::test(flavor = "multi_thread")]
async fn reloaded_page_neither_shows_nor_creates_a_key_again() {
    let dashboard = Dashboard::start().await;
    let admin = dashboard.member("admin").await;
    let (page, path) = key(&dashboard, &admin, "once").await;
    page.is(StatusCode::OK).says("API key created").says("<code>dw_");
    let secret = page.after("<code>");
    let again = admin.get(&path).await;
    again.lacks(&secret).lacks("API key created");
    assert_eq!(again.text.matches("<strong>once</strong>").count(), 1);
    // The cookie on the way works in its own session and on its own page only.
    let new = format!("{path}/new");
    let fields = [("name", "second"), ("scope", "read"), ("days", "7"), ("allow", "")];
    let made = admin.post(&new, &fields).await;
    let cookie = made.set_cookies().into_iter().find(|line| line.contains("-secret=")).unwrap();
    assert!(!cookie.contains("dw_") && cookie.contains("HttpOnly"), "{cookie}");
    let cookie = cookie.split(';').next().unwrap().to_owned();
    let thief = dashboard.member("admin").await;
    let request = thief.request(Method::GET, &path).header("cookie", cookie);
    thief.send(request).await.is(StatusCode::OK).lacks("API key created");
}

#[tokio::test(flavor = "multi_thread")]
async fn form_of_an_ended_session_can_be_sent_again() {
    let dashboard = Dashboard::start().await;
    let editor = dashboard.member("editor").await;
    let tab = editor.copy();
    let jobs = format!("/projects/{}/jobs/new", dashboard.setup.project);
    editor.post("/sign-out", &[]).await;
    let prompt = "Say <how>\r\nto install \"it\".";
    let fields = [("prompt", prompt), ("model", "builtin:edits")];
    let kept = tab.post(&jobs, &fields).await;
    kept.is(StatusCode::FORBIDDEN).says("You are signed out").says(&format!("action=\"{jobs}\""));
    kept.says("name=\"prompt\" value=\"Say &lt;how&gt;\r\nto install &quot;it&quot;.\"");
    kept.says("name=\"model\" value=\"builtin:edits\"").says("href=\"/sign-in\"");
    // A form of another site is refused before it is kept, and secrets are never repeated.
    let foreign = tab.send(tab.form(&jobs, &fields).header("origin", "https://evil.example")).await;
    foreign.is(StatusCode::FORBIDDEN).lacks("to install");
    let change = [("password", super::PASSWORD), ("new", "another horse entirely")];
    let password = tab.post("/account/password", &change).await;
    password.is(StatusCode::SEE_OTHER).lacks("another horse");
}

#[tokio::test(flavor = "multi_thread")]
async fn browsers_get_a_page_and_programs_json_for_unknown_paths() {
    let dashboard = Dashboard::start().await;
    let browser = dashboard.browser();
    let page = browser.get("/nope").await;
    page.is(StatusCode::NOT_FOUND).says("<h1>Page not found</h1>").says("rel=\"icon\"");
    let program = reqwest::get(format!("{}/nope", browser.base)).await.unwrap();
    assert_eq!(program.status(), StatusCode::NOT_FOUND);
    assert_eq!(program.json::<serde_json::Value>().await.unwrap()["code"], "not_found");
    let icon = browser.get("/favicon.ico").await;
    icon.is(StatusCode::OK).says("<svg");
    assert_eq!(icon.headers["content-type"], "image/svg+xml");
}

#[tokio::test(flavor = "multi_thread")]
async fn slash_at_the_end_of_a_path_leads_to_the_page() {
    let dashboard = Dashboard::start().await;
    let admin = dashboard.member("admin").await;
    let project = format!("/projects/{}", dashboard.setup.project);
    let answer = admin.get(&format!("{project}/releases/?status=failed")).await;
    answer.is(StatusCode::PERMANENT_REDIRECT);
    assert_eq!(answer.headers["location"], *format!("{project}/releases?status=failed"));
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_and_assets_are_compressed_except_with_secrets() {
    let dashboard = Dashboard::start().await;
    let admin = dashboard.member("admin").await;
    let keys = format!("/organizations/{}/keys", dashboard.setup.organization);
    let page = admin.get(&keys).await;
    let style = page.after("rel=\"stylesheet\" href=\"");
    let script = page.after("<script src=\"");
    for path in [keys.as_str(), &style, &script] {
        assert_eq!(compressed(&admin, path).await.as_deref(), Some("gzip"), "{path}");
    }
    let font = page.after("rel=\"preload\" href=\"");
    // The sign-in page stands for all pages without navigation, which have tokens.
    for path in [font.as_str(), "/sign-in", "/account/security/app"] {
        assert_eq!(compressed(&admin, path).await, None, "{path}");
    }
    let fields = [("name", "k"), ("scope", "read"), ("days", "7"), ("allow", "")];
    admin.post(&format!("{keys}/new"), &fields).await.is(StatusCode::SEE_OTHER);
    assert_eq!(compressed(&admin, &keys).await, None, "the page shows a key");
}

#[tokio::test(flavor = "multi_thread")]
async fn list_of_projects_shows_site_and_last_release() {
    let dashboard = Dashboard::start().await;
    dashboard.released(&dashboard.api("read"), 1).await;
    let viewer = dashboard.member("viewer").await;
    let list = viewer.get(&format!("/organizations/{}", dashboard.setup.organization)).await;
    list.says("Last release").says("docs.example.com").says("Ready");
    // No name server of the test knows the name, so there is no link.
    list.says("Doesn't lead here yet").lacks(">docs.example.com</a>");
    let id = &dashboard.setup.project;
    list.says(&format!("href=\"/projects/{id}\"")).lacks(&format!("<code>{id}</code>"));
}
