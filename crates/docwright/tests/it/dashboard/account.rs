//! Pages of the caller's own account.

use reqwest::StatusCode;

use super::{Browser, Dashboard, PASSWORD};

const NEW: &str = "another horse entirely";

#[tokio::test(flavor = "multi_thread")]
async fn new_password_ends_other_sessions() {
    let dashboard = Dashboard::start().await;
    let (email, browser) = dashboard.member_of(&dashboard.other, "viewer").await;
    let elsewhere = dashboard.sign_in(&email).await;
    let link = dashboard.setup.admin(&["sign-in-link", &email])["link"].clone();
    let change = async |browser: &Browser, old: &str, new: &str| {
        browser.post("/account/password", &[("password", old), ("new", new)]).await
    };
    change(&browser, "wrong", NEW)
        .await
        .is(StatusCode::FORBIDDEN)
        .says("current password is incorrect");
    change(&browser, PASSWORD, "short").await.is(StatusCode::BAD_REQUEST).says("12 characters");
    elsewhere.get("/account").await.is(StatusCode::OK);
    change(&browser, PASSWORD, NEW).await.is(StatusCode::OK).says("Password changed");
    assert_eq!(elsewhere.get("/account").await.status, 303);
    browser.get("/account").await.is(StatusCode::OK);
    // A sign-in link from before is invalid, too.
    let token = link.as_str().unwrap().split_once('=').unwrap().1;
    let used = dashboard.browser().post("/sign-in/link", &[("token", token)]).await;
    used.is(StatusCode::FORBIDDEN);
    for (password, status) in [(PASSWORD, 403), (NEW, 303)] {
        let fields = [("email", email.as_str()), ("password", password)];
        assert_eq!(dashboard.browser().post("/sign-in", &fields).await.status, status);
    }
    // A thief of the session can't guess the password there without limit.
    let mut answers = Vec::new();
    for _ in 0..12 {
        answers.push(change(&browser, "guess", NEW).await.status);
    }
    assert!(answers.contains(&429), "{answers:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_are_listed_by_browser_and_ended() {
    let dashboard = Dashboard::start().await;
    let (email, browser) = dashboard.member_of(&dashboard.other, "viewer").await;
    let firefox = dashboard.browser();
    let form = firefox.form("/sign-in", &[("email", &email), ("password", PASSWORD)]);
    let agent = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
    firefox.send(form.header("user-agent", agent)).await.is(StatusCode::SEE_OTHER);
    let page = browser.get("/account").await;
    page.says("Firefox on Linux").says("127.0.0.1").says("This session");
    let id = page.after("name=\"session\" value=\"");
    // Sessions of other accounts can't be ended.
    let stranger = dashboard.member("admin").await;
    stranger.post("/account/sessions/end", &[("session", &id)]).await.is(StatusCode::SEE_OTHER);
    firefox.get("/account").await.is(StatusCode::OK);
    browser.post("/account/sessions/end", &[("session", &id)]).await.is(StatusCode::SEE_OTHER);
    assert_eq!(firefox.get("/account").await.status, 303);
    let (one, two) = (dashboard.sign_in(&email).await, dashboard.sign_in(&email).await);
    browser.post("/account/sessions/end", &[]).await.is(StatusCode::SEE_OTHER);
    for ended in [one, two] {
        assert_eq!(ended.get("/account").await.status, 303);
    }
    browser.get("/account").await.is(StatusCode::OK);
}

#[tokio::test(flavor = "multi_thread")]
async fn text_of_people_is_escaped() {
    let dashboard = Dashboard::start().await;
    let attack = "<script>alert(1)</script>\"'><img src=x>";
    let (email, browser) = dashboard.member_of(&dashboard.setup.organization, "admin").await;
    let other = dashboard.browser();
    let form = other.form("/sign-in", &[("email", &email), ("password", PASSWORD)]);
    other.send(form.header("user-agent", attack)).await.is(StatusCode::SEE_OTHER);
    other.post("/account/name", &[("name", attack)]).await.is(StatusCode::SEE_OTHER);
    let organization = format!("/organizations/{}", dashboard.setup.organization);
    let invitations = format!("{organization}/invitations");
    let address = "\"<script>alert(1)</script>\"@example.com";
    let fields = [("email", address), ("role", "viewer")];
    let made = browser.post(&invitations, &fields).await;
    made.is(StatusCode::CREATED);
    let link = made.after("data-copy=\"");
    let again = [("email", "<img src=x>"), ("role", "<b>")];
    let refused = browser.post(&invitations, &again).await;
    refused.is(StatusCode::BAD_REQUEST);
    let guest = dashboard.browser();
    let mut pages = vec![made, refused, guest.get(&link).await];
    let wrong = [("name", "\u{202e}<img src=x>"), ("password", PASSWORD)];
    pages.push(guest.post(&link, &wrong).await);
    for path in [format!("{organization}/members"), invitations, "/account".to_owned()] {
        pages.push(browser.get(&path).await.is(StatusCode::OK).clone());
    }
    for page in pages {
        assert!(!page.text.contains("<script>alert"), "{}", page.text);
        assert!(!page.text.contains("<img"), "{}", page.text);
        page.says("&lt;");
    }
    for name in ["", "  ", "a\nb", "\u{202e}abc", &"x".repeat(201)] {
        browser.post("/account/name", &[("name", name)]).await.is(StatusCode::BAD_REQUEST);
    }
    let nul = browser.post("/account/name", &[("name", "a\0")]).await;
    nul.is(StatusCode::BAD_REQUEST).says("NUL");
}
