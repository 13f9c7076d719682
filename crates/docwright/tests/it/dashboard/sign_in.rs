//! Signing in, and attacks: other sites, stolen cookies, and guessing.

use reqwest::{Method, StatusCode};

use super::{Dashboard, PASSWORD};

/// Simulates a proxy that speaks HTTPS to browsers.
const TRUST: (&str, &str) = ("DOCWRIGHT_TRUSTED_PROXIES", "127.0.0.0/8");

const ROOT: &str = "root@example.com";

#[tokio::test(flavor = "multi_thread")]
async fn forms_of_other_sites_are_refused() {
    let dashboard = Dashboard::start().await;
    let admin = dashboard.member("admin").await;
    let source = include_str!("../../../../docwright-dashboard/src/pages/mod.rs");
    let paths: Vec<_> = source
        .split(".route(")
        .filter(|route| route.contains("post("))
        .filter_map(|route| route.split('"').nth(1))
        .map(|path| path.replace("{organization_id}", &dashboard.setup.organization))
        .map(|path| path.replace("{project_id}", &dashboard.setup.project))
        .collect();
    assert!(paths.len() > 10, "{paths:?}");
    for path in &paths {
        for (name, value) in [
            ("origin", "https://evil.example"),
            ("origin", "null"),
            ("sec-fetch-site", "cross-site"),
            ("sec-fetch-site", "same-site"),
        ] {
            let form = admin.form(path, &[]).header(name, value);
            admin
                .send(form)
                .await
                .is(StatusCode::FORBIDDEN)
                .says("wasn't sent from this dashboard");
        }
    }
    admin.get("/account").await.is(StatusCode::OK);
}

#[tokio::test(flavor = "multi_thread")]
async fn sign_in_starts_new_session_and_sign_out_ends_copies() {
    let dashboard = Dashboard::start().await;
    let (email, browser) = dashboard.member_of(&dashboard.other, "viewer").await;
    let before = browser.cookies();
    // Session fixation: signing in replaces a known token.
    let fields = [("email", email.as_str()), ("password", PASSWORD)];
    let thief = browser.copy();
    browser.post("/sign-in", &fields).await.is(StatusCode::SEE_OTHER);
    assert_ne!(browser.cookies(), before);
    assert!(thief.get("/account").await.location().unwrap().starts_with("/sign-in?"));
    // A made-up token isn't adopted.
    let made_up = dashboard.browser();
    let own = "0".repeat(64);
    let form = made_up.form("/sign-in", &fields).header("cookie", format!("docwright={own}"));
    let answer = made_up.send(form).await;
    assert!(!answer.set_cookies()[0].contains(&own));
    // Theft: signing out ends the session for copied cookies, too.
    let thief = browser.copy();
    thief.get("/account").await.is(StatusCode::OK);
    browser.post("/sign-out", &[]).await.is(StatusCode::SEE_OTHER);
    assert!(browser.cookies().is_empty());
    assert_eq!(thief.get("/account").await.status, 303);
    // Sessions also expire.
    let late = dashboard.sign_in(&email).await;
    let pool = dashboard.pool().await;
    sqlx::query("UPDATE sessions SET expires_at = 1").execute(&pool).await.unwrap();
    pool.close().await;
    assert_eq!(late.get("/account").await.status, 303);
}

#[tokio::test(flavor = "multi_thread")]
async fn cookies_and_pages_are_protected() {
    let dashboard = Dashboard::with(&[TRUST]).await;
    let fields = [("email", ROOT), ("password", PASSWORD)];
    for (scheme, name, is_secure) in
        [("https", "__Host-docwright=", true), ("http", "docwright=", false)]
    {
        let browser = dashboard.browser();
        let form = browser.form("/sign-in", &fields);
        let form = form.header("x-forwarded-for", "192.0.2.1").header("x-forwarded-proto", scheme);
        let answer = browser.send(form).await;
        let [cookie] = &answer.set_cookies()[..] else { panic!("expected one cookie") };
        assert!(cookie.starts_with(name), "{cookie}");
        assert_eq!(cookie.contains("; Secure"), is_secure, "{cookie}");
        for part in ["; HttpOnly", "; SameSite=Lax", "; Path=/"] {
            assert!(cookie.contains(part), "{cookie}");
        }
        assert!(!cookie.to_ascii_lowercase().contains("domain="), "{cookie}");
    }
    for path in ["/sign-in", "/account", "/organizations", "/nothing"] {
        let page = dashboard.operator.get(path).await;
        let policy = page.headers["content-security-policy"].to_str().unwrap();
        assert!(policy.contains("default-src 'none'"), "{path}: {policy}");
        if path != "/nothing" {
            assert!(policy.contains("frame-ancestors 'none'"), "{path}: {policy}");
            assert!(!policy.contains("unsafe"), "{path}: {policy}");
            assert_eq!(page.headers["cache-control"], "no-store", "{path}");
        }
        assert_eq!(page.headers["x-content-type-options"], "nosniff", "{path}");
    }
}

/// Without a trusted proxy, headers can't make a client look like HTTPS.
#[tokio::test(flavor = "multi_thread")]
async fn scheme_of_untrusted_client_is_ignored() {
    let dashboard = Dashboard::start().await;
    let browser = dashboard.browser();
    let form = browser.form("/sign-in", &[("email", ROOT), ("password", PASSWORD)]);
    let answer = browser.send(form.header("x-forwarded-proto", "https")).await;
    assert!(answer.set_cookies()[0].starts_with("docwright="));
}

#[tokio::test(flavor = "multi_thread")]
async fn sign_in_redirects_only_within_the_site() {
    let dashboard = Dashboard::start().await;
    for (next, leads) in [
        ("/account", "/account"),
        ("//evil.example", "/"),
        ("https://evil.example/", "/"),
        ("/\\evil.example", "/"),
        ("/\t/evil.example", "/"),
        ("javascript:alert(1)", "/"),
    ] {
        let fields = [("email", ROOT), ("password", PASSWORD), ("next", next)];
        let answer = dashboard.browser().post("/sign-in", &fields).await;
        assert_eq!(answer.location().as_deref(), Some(leads), "{next}");
    }
    let asked = dashboard.browser().get("/account?a=<x>&b=\"").await.location().unwrap();
    let page = dashboard.browser().get(&asked).await;
    assert!(!page.text.contains("<x>"), "{}", page.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn guesses_are_limited_without_locking_accounts() {
    let dashboard = Dashboard::with(&[TRUST]).await;
    let (_, victim) = dashboard.account("viewer").await;
    let try_from = async |email: &str, address: &str, password: &str| {
        let browser = dashboard.browser();
        let form = browser.form("/sign-in", &[("email", email), ("password", password)]);
        browser.send(form.header("x-forwarded-for", address)).await.status
    };
    // The victim is signed in at home.
    assert_eq!(try_from(&victim, "198.51.100.7", PASSWORD).await, 303);
    let mut answers = Vec::new();
    for number in 0..15 {
        answers.push(try_from(&victim, "192.0.2.1", &format!("guess {number}")).await);
    }
    assert_eq!(answers, [[403; 10].as_slice(), &[429; 5]].concat());
    assert_eq!(try_from(&victim, "192.0.2.1", PASSWORD).await, 429, "the guesser must wait");
    // Addresses of one IPv6 network count as one client.
    for number in 0..10 {
        assert_eq!(try_from(&victim, &format!("2001:db8::{number}"), "guess").await, 403);
    }
    assert_eq!(try_from(&victim, "2001:db8::ffff", "guess").await, 429);
    // Guesses from many networks together are limited, too.
    let mut heard = 0;
    for number in 0..60 {
        heard += u32::from(try_from(&victim, &format!("203.0.113.{number}"), "guess").await == 403);
    }
    assert_eq!(heard, 30, "50 guesses in total");
    assert_eq!(try_from(&victim, "203.0.113.200", PASSWORD).await, 429);
    // The victim can still sign in at home during the attack, and other accounts anywhere.
    assert_eq!(try_from(&victim, "198.51.100.7", PASSWORD).await, 303);
    assert_eq!(try_from(ROOT, "203.0.113.1", PASSWORD).await, 303);
    // The operator's sign-in link isn't affected.
    let public = ["--public-url", dashboard.process.address.as_str()];
    let link = dashboard.setup.admin(&[["sign-in-link", &victim].as_slice(), &public].concat());
    let link = link["link"].as_str().unwrap();
    let browser = dashboard.browser();
    let token = browser.get(link).await.is(StatusCode::OK).after("name=\"token\" value=\"");
    let form = [("token", token.as_str())];
    browser.post("/sign-in/link", &form).await.is(StatusCode::SEE_OTHER);
    browser.get("/account").await.is(StatusCode::OK).says(&victim);
    dashboard.browser().post("/sign-in/link", &form).await.is(StatusCode::FORBIDDEN);
    // A sign-in link sets a new password for people who forgot theirs.
    let link = dashboard.setup.admin(&["sign-in-link", &victim])["link"].clone();
    let token = link.as_str().unwrap().split_once('=').unwrap().1;
    let set = async |password: &str| {
        browser.post("/sign-in/link", &[("token", token), ("password", password)]).await
    };
    set("short").await.is(StatusCode::BAD_REQUEST).says("12 characters");
    set("another horse entirely").await.is(StatusCode::SEE_OTHER);
    browser.get("/account").await.is(StatusCode::OK);
    for (password, status) in [(PASSWORD, 403), ("another horse entirely", 303)] {
        let fields = [("email", victim.as_str()), ("password", password)];
        assert_eq!(dashboard.browser().post("/sign-in", &fields).await.status, status);
    }
    // Metrics count all attempts.
    let metrics = reqwest::get(format!("{}/metrics", dashboard.process.address)).await.unwrap();
    if metrics.status() == 200 {
        let text = metrics.text().await.unwrap();
        assert!(text.contains("reason=\"password\"") && text.contains("reason=\"too_many\""));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn simultaneous_guesses_are_limited_like_others() {
    let dashboard = Dashboard::start().await;
    let tries = (0..40).map(|number| {
        let browser = dashboard.browser();
        let guess = format!("guess {number}");
        async move {
            let fields = [("email", ROOT), ("password", guess.as_str())];
            browser.post("/sign-in", &fields).await.status
        }
    });
    let answers = futures::future::join_all(tries).await;
    let wrong = answers.iter().filter(|status| **status == 403).count();
    assert!(wrong <= 10, "{answers:?}");
    assert!(answers.iter().all(|status| [403, 429].contains(status)), "{answers:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_do_not_reveal_accounts() {
    let dashboard = Dashboard::start().await;
    let say = async |email: &str| {
        let fields = [("email", email), ("password", "wrong password")];
        let page = dashboard.browser().post("/sign-in", &fields).await;
        (page.status, page.text.replace(email, ""))
    };
    assert_eq!(say(ROOT).await, say("nobody@example.com").await);
    assert_eq!(say(ROOT).await, say("no address").await);
    let page =
        dashboard.browser().send(dashboard.browser().request(Method::POST, "/sign-in")).await;
    assert_eq!(page.status, 400, "a form without fields is refused");
}
