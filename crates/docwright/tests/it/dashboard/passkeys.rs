//! Passkeys over HTTP, with a software authenticator.

use std::process::Stdio;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use docwright_testing::authenticator::{Authenticator, Kind};
use reqwest::StatusCode;
use serde_json::{Value, json};

use super::{Browser, Dashboard, PASSWORD, Page};
use crate::server::docwright;

const ORIGIN: &str = "https://docs-admin.example.com";
const NEW: &str = "/account/security/passkeys/new";
const ADD: &str = "/account/security/passkeys";
const SIGN_IN: &str = "/sign-in/passkey";
const SECOND_FACTOR: &str = "/sign-in/code/passkey";

/// Starts a service at an address that supports passkeys.
async fn start() -> Dashboard {
    Dashboard::with(&[("DOCWRIGHT_PUBLIC_URL", ORIGIN)]).await
}

/// The options that a page gives to the browser.
fn options(page: &Page) -> Value {
    let options = page.after("data-options=\"").replace("&quot;", "\"");
    serde_json::from_str(&options).expect("the options are JSON")
}

fn challenge(page: &Page) -> String {
    options(page)["challenge"].as_str().expect("a challenge is text").to_owned()
}

/// A passkey and its owner.
struct Owned {
    authenticator: Authenticator,
    user: String,
}

/// Adds a passkey. Returns the page and the passkey.
async fn add(browser: &Browser, kind: Kind) -> (Page, Owned) {
    let mut authenticator = Authenticator::new(kind, ORIGIN);
    if kind == Kind::Ed25519 {
        // A counter that stays 0, as with synced passkeys.
        authenticator.sign_count = 0;
    }
    let asked = browser.post(NEW, &[("name", "Blue key"), ("proof", PASSWORD)]).await;
    let user = options(asked.is(StatusCode::OK))["user"]["id"].as_str().unwrap().to_owned();
    let page = send_new(browser, &authenticator.register(&challenge(&asked))).await;
    (page, Owned { authenticator, user })
}

async fn send_new(browser: &Browser, (client_data, attestation): &(Vec<u8>, Vec<u8>)) -> Page {
    let [client_data, attestation] = [client_data, attestation].map(|b| URL_SAFE_NO_PAD.encode(b));
    let fields = [("client_data", &*client_data), ("attestation", &attestation)];
    browser.post(ADD, &[[("name", "Blue key")].as_slice(), &fields].concat()).await
}

impl Owned {
    /// The form fields that answer a page.
    fn answer(&mut self, page: &Page) -> Vec<(&'static str, String)> {
        let signed = self.authenticator.sign(&challenge(page));
        let encoded = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
        vec![
            ("id", encoded(&self.authenticator.id)),
            ("client_data", encoded(&signed.client_data)),
            ("authenticator_data", encoded(&signed.authenticator_data)),
            ("signature", encoded(&signed.signature)),
            ("user_handle", self.user.clone()),
            ("next", "/account".to_owned()),
        ]
    }

    /// Answers the challenge of a page.
    async fn sign_in(&mut self, browser: &Browser, path: &str) -> Page {
        let asked = browser.get(path).await;
        let answer = self.answer(asked.is(StatusCode::OK));
        send(browser, path, &answer).await
    }
}

async fn send(browser: &Browser, path: &str, answer: &[(&'static str, String)]) -> Page {
    let fields: Vec<_> = answer.iter().map(|(name, value)| (*name, value.as_str())).collect();
    browser.post(path, &fields).await
}

/// The error of a failing `docwright admin` command.
fn admin_refuses(dashboard: &Dashboard, arguments: &[&str]) -> String {
    let data = dashboard.setup.data().display().to_string();
    let mut command = docwright(&["admin", "--data", &data]);
    let output = command.args(arguments).stderr(Stdio::piped()).output().expect("admin runs");
    assert!(!output.status.success());
    String::from_utf8(output.stderr).expect("errors are text")
}

fn recovery_codes(page: &Page) -> Vec<String> {
    page.text.split("<code>").skip(1).map(|rest| rest[..19].to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn passkey_signs_in_alone_until_removed() {
    let dashboard = start().await;
    let (email, browser) = dashboard.member_of(&dashboard.setup.organization, "viewer").await;
    let elsewhere = dashboard.sign_in(&email).await;
    browser.get("/account/security").await.says("alone signs you in").says("Add passkey");
    let (page, mut owned) = add(&browser, Kind::Ed25519).await;
    assert_eq!(recovery_codes(page.is(StatusCode::OK)).len(), 10);
    assert_eq!(
        elsewhere.get("/account").await.status,
        303,
        "the session started with a password alone"
    );
    browser.get("/account/security").await.says("Blue key").says("Never");

    let new = dashboard.browser();
    new.get("/sign-in?next=/account").await.says("/sign-in/passkey?next=%2Faccount");
    let asked = new.get(SIGN_IN).await;
    let wanted = options(&asked);
    assert_eq!(wanted["userVerification"], "required");
    assert_eq!(
        (&wanted["rpId"], &wanted["allowCredentials"]),
        (&json!("docs-admin.example.com"), &json!([]))
    );
    let cookie = asked.set_cookies().join("\n");
    assert!(cookie.contains("Max-Age=300; HttpOnly; SameSite=Lax"), "{cookie}");
    let thief = new.copy();
    let answer = owned.answer(&asked);
    let page = send(&new, SIGN_IN, &answer).await;
    assert_eq!(page.location().as_deref(), Some("/account"), "{}", page.text);
    new.get("/account").await.is(StatusCode::OK).says(&email);
    assert!(!new.cookies().contains_key("docwright-passkey"), "the challenge's cookie is removed");
    // The same answer with the same cookie can't sign in again.
    send(&thief, SIGN_IN, &answer).await.is(StatusCode::FORBIDDEN).says("sent twice");
    assert_eq!(thief.get("/account").await.status, 303);
    // The sign-in never redirects to another site, and it ends an existing session.
    let planted = dashboard.sign_in("root@example.com").await;
    let fixed = planted.copy();
    let mut answer = owned.answer(&planted.get(SIGN_IN).await);
    answer.last_mut().unwrap().1 = "//evil.example".to_owned();
    assert_eq!(send(&planted, SIGN_IN, &answer).await.location().as_deref(), Some("/"));
    assert_eq!(fixed.get("/account").await.status, 303);
    planted.get("/account").await.says(&email);

    let page = browser.get("/account/security").await;
    page.says("just now");
    let path = page.after("<a class=\"button\" href=\"/account/security/passkeys/psk_");
    let path = format!("/account/security/passkeys/psk_{path}");
    browser.get(&path).await.is(StatusCode::OK).says("Blue key").says("Your password alone");
    browser.post(&path, &[("proof", "wrong")]).await.is(StatusCode::FORBIDDEN);
    let stranger = dashboard.member("admin").await;
    stranger.post(&path, &[("proof", PASSWORD)]).await.is(StatusCode::NOT_FOUND);
    owned.sign_in(&dashboard.browser(), SIGN_IN).await.is(StatusCode::SEE_OTHER);
    browser.post(&path, &[("proof", PASSWORD)]).await.is(StatusCode::SEE_OTHER);
    owned.sign_in(&dashboard.browser(), SIGN_IN).await.is(StatusCode::FORBIDDEN);
    dashboard.sign_in(&email).await.get("/account").await.is(StatusCode::OK);
    let pool = dashboard.pool().await;
    let sql = "SELECT action FROM audit_entries WHERE subject_kind = 'account' AND actor_name = $1 ORDER BY id";
    let actions: Vec<String> = sqlx::query_scalar(sql).bind(&email).fetch_all(&pool).await.unwrap();
    let signed_in = "account.passkey_sign_in";
    let expected =
        ["account.passkey_add", signed_in, signed_in, signed_in, "account.passkey_remove"];
    assert_eq!(actions, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn password_needs_passkey_as_second_factor() {
    let dashboard = start().await;
    let (email, browser) = dashboard.member_of(&dashboard.setup.organization, "viewer").await;
    let (page, mut owned) = add(&browser, Kind::Es256).await;
    let codes = recovery_codes(&page);
    let (_, stranger) = dashboard.member_of(&dashboard.setup.organization, "admin").await;
    let (_, mut others) = add(&stranger, Kind::Es256).await;

    let waiting = dashboard.browser();
    let fields = [("email", email.as_str()), ("password", PASSWORD), ("next", "/account")];
    let page = waiting.post("/sign-in", &fields).await;
    assert_eq!(page.location().as_deref(), Some("/sign-in/code?next=%2Faccount"));
    assert_eq!(waiting.get("/account").await.status, 303, "the password alone opens nothing");
    let page = waiting.get("/sign-in/code?next=/account").await;
    page.says("/sign-in/code/passkey?next=%2Faccount").says("Recovery code<");
    let wanted = options(&waiting.get(SECOND_FACTOR).await);
    assert_eq!(wanted["userVerification"], "discouraged");
    let id = URL_SAFE_NO_PAD.encode(&owned.authenticator.id);
    assert_eq!(wanted["allowCredentials"], json!([{ "type": "public-key", "id": id }]));
    // A passkey of another account and an answer to another challenge are refused.
    others.sign_in(&waiting, SECOND_FACTOR).await.is(StatusCode::FORBIDDEN).says("another account");
    let answer = owned.answer(&waiting.get(SIGN_IN).await);
    send(&waiting, SECOND_FACTOR, &answer).await.is(StatusCode::FORBIDDEN);
    assert_eq!(waiting.get("/account").await.status, 303);
    // Touch without a PIN is enough only as a second factor.
    owned.authenticator.flags = 1;
    owned.sign_in(&dashboard.browser(), SIGN_IN).await.is(StatusCode::FORBIDDEN).says("PIN");
    let thief = waiting.copy();
    let page = owned.sign_in(&waiting, SECOND_FACTOR).await;
    assert_eq!(page.location().as_deref(), Some("/account"), "{}", page.text);
    waiting.get("/account").await.is(StatusCode::OK);
    assert_eq!(thief.get("/account").await.status, 303, "the token was replaced");
    assert_eq!(waiting.get(SECOND_FACTOR).await.status, 303);
    assert_eq!(thief.get(SECOND_FACTOR).await.location().as_deref(), Some("/sign-in"));

    // Wrong passkeys end the session like wrong codes. A recovery code replaces a lost passkey.
    let guesser = dashboard.sign_in(&email).await;
    for _ in 0..4 {
        others.sign_in(&guesser, SECOND_FACTOR).await.is(StatusCode::FORBIDDEN);
    }
    others.sign_in(&guesser, SECOND_FACTOR).await.is(StatusCode::FORBIDDEN).says("Sign in again");
    assert_eq!(guesser.get(SECOND_FACTOR).await.location().as_deref(), Some("/sign-in"));
    let lost = dashboard.sign_in(&email).await;
    let code = [("code", codes[0].as_str()), ("next", "/account")];
    lost.post("/sign-in/code", &[("code", "000000")]).await.is(StatusCode::FORBIDDEN);
    lost.post("/sign-in/code", &code).await.is(StatusCode::SEE_OTHER);
    lost.get("/account/security").await.is(StatusCode::OK).says("9 recovery codes left");
}

#[tokio::test(flavor = "multi_thread")]
async fn new_passkey_needs_password_same_browser_and_room() {
    let dashboard = start().await;
    let (email, browser) = dashboard.member_of(&dashboard.setup.organization, "viewer").await;
    let wrong = browser.post(NEW, &[("name", "Key"), ("proof", "wrong")]).await;
    wrong.is(StatusCode::FORBIDDEN).says("Nothing changed.").says("value=\"Key\"");
    assert!(wrong.set_cookies().is_empty() && !wrong.text.contains("data-options"));
    for name in ["", " ", "a\nb", &"x".repeat(201)] {
        let page = browser.post(NEW, &[("name", name), ("proof", PASSWORD)]).await;
        page.is(StatusCode::BAD_REQUEST);
    }
    let authenticator = Authenticator::new(Kind::Es256, ORIGIN);
    let asked = browser.post(NEW, &[("name", "Key"), ("proof", PASSWORD)]).await;
    let made = authenticator.register(&challenge(&asked));
    // Answers in another session, to another challenge, and without a challenge.
    let other = dashboard.sign_in(&email).await;
    send_new(&other, &made).await.is(StatusCode::FORBIDDEN);
    other.post(NEW, &[("name", "Key"), ("proof", PASSWORD)]).await.is(StatusCode::OK);
    send_new(&other, &made).await.is(StatusCode::FORBIDDEN);
    let asked_to_sign_in = browser.copy().get(SIGN_IN).await;
    let wrong = authenticator.register(&challenge(&asked_to_sign_in));
    send_new(&browser, &wrong).await.is(StatusCode::FORBIDDEN);
    for (client_data, attestation) in [("", ""), ("@", "@"), ("AAAA", &*"A".repeat(100_000))] {
        let fields = [("name", "Key"), ("client_data", client_data), ("attestation", attestation)];
        browser.post(ADD, &fields).await.is(StatusCode::FORBIDDEN);
    }
    browser.get("/account/security").await.says("No passkeys yet");
    let again = browser.copy();
    send_new(&browser, &made).await.is(StatusCode::OK).says("Recovery codes");
    send_new(&again, &made).await.is(StatusCode::FORBIDDEN);
    // A passkey that is already registered, also to another account.
    let stranger = dashboard.member("admin").await;
    let asked = stranger.post(NEW, &[("name", "Key"), ("proof", PASSWORD)]).await;
    let taken = authenticator.register(&challenge(&asked));
    send_new(&stranger, &taken).await.is(StatusCode::CONFLICT).says("already");
    let asked = browser.post(NEW, &[("name", "Key"), ("proof", PASSWORD)]).await;
    let id = URL_SAFE_NO_PAD.encode(&authenticator.id);
    assert_eq!(options(&asked)["excludeCredentials"][0]["id"], id.as_str());
    // The limit is ten.
    for _ in 0..9 {
        add(&browser, Kind::Ed25519).await.0.is(StatusCode::SEE_OTHER);
    }
    browser.get(NEW).await.is(StatusCode::CONFLICT);
    let full = browser.post(NEW, &[("name", "Key"), ("proof", PASSWORD)]).await;
    full.is(StatusCode::CONFLICT).says("the limit");
    browser.get("/account/security").await.says("the limit");
}

#[tokio::test(flavor = "multi_thread")]
async fn copied_foreign_or_wrong_passkey_is_refused() {
    let dashboard = start().await;
    let (_, browser) = dashboard.member_of(&dashboard.setup.organization, "viewer").await;
    let (_, mut owned) = add(&browser, Kind::Rs256).await;
    let (_, stranger) = dashboard.member_of(&dashboard.setup.organization, "admin").await;
    let (_, others) = add(&stranger, Kind::Ed25519).await;
    let new = dashboard.browser();
    owned.sign_in(&new, SIGN_IN).await.is(StatusCode::SEE_OTHER);
    owned.authenticator.sign_count = 1;
    owned.sign_in(&new, SIGN_IN).await.is(StatusCode::FORBIDDEN).says("exist twice");
    owned.authenticator.sign_count = 50;
    "https://evil.example".clone_into(&mut owned.authenticator.origin);
    owned.sign_in(&new, SIGN_IN).await.is(StatusCode::FORBIDDEN).says("another URL");
    ORIGIN.clone_into(&mut owned.authenticator.origin);
    let own = std::mem::replace(&mut owned.user, others.user.clone());
    owned.sign_in(&new, SIGN_IN).await.is(StatusCode::FORBIDDEN);
    owned.user = String::new();
    owned.sign_in(&new, SIGN_IN).await.is(StatusCode::FORBIDDEN);
    owned.user = own;
    // A challenge is bound to its browser.
    let answer = owned.answer(&new.get(SIGN_IN).await);
    send(&dashboard.browser(), SIGN_IN, &answer).await.is(StatusCode::FORBIDDEN);
    // Missing fields, and a form from another site.
    new.post(SIGN_IN, &[("id", "x")]).await.is(StatusCode::BAD_REQUEST);
    let fields: Vec<_> = answer.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let foreign = new.form(SIGN_IN, &fields).header("origin", "https://evil.example");
    new.send(foreign).await.is(StatusCode::FORBIDDEN);
    send(&new, SIGN_IN, &answer).await.is(StatusCode::SEE_OTHER);
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_passkeys_count_like_wrong_passwords() {
    let dashboard = start().await;
    let (email, browser) = dashboard.member_of(&dashboard.setup.organization, "viewer").await;
    let (_, mut owned) = add(&browser, Kind::Ed25519).await;
    // The limit doesn't apply at an address where the account has a session, so end the session.
    browser.post("/account/sessions/end", &[]).await;
    let user = std::mem::take(&mut owned.user);
    let new = dashboard.browser();
    for _ in 0..10 {
        owned.sign_in(&new, SIGN_IN).await.is(StatusCode::FORBIDDEN);
    }
    owned.user = user;
    owned.sign_in(&new, SIGN_IN).await.is(StatusCode::TOO_MANY_REQUESTS).says("ten minutes");
    let fields = [("email", email.as_str()), ("password", PASSWORD)];
    new.post("/sign-in", &fields).await.is(StatusCode::TOO_MANY_REQUESTS);
    // Successful sign-ins don't count.
    let (_, other) = dashboard.member_of(&dashboard.setup.organization, "viewer").await;
    let (_, mut right) = add(&other, Kind::Ed25519).await;
    for _ in 0..12 {
        right.sign_in(&dashboard.browser(), SIGN_IN).await.is(StatusCode::SEE_OTHER);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn passkey_of_account_without_password_is_second_factor() {
    let dashboard = start().await;
    let (email, browser) = dashboard.member_of(&dashboard.setup.organization, "viewer").await;
    let (page, mut owned) = add(&browser, Kind::Ed25519).await;
    let codes = recovery_codes(&page);
    let pool = dashboard.pool().await;
    let sql = "UPDATE accounts SET password = NULL WHERE email = $1";
    sqlx::query(sql).bind(&email).execute(&pool).await.unwrap();
    let refused = owned.sign_in(&dashboard.browser(), SIGN_IN).await;
    refused.is(StatusCode::FORBIDDEN).says("your organization's provider");
    // A recovery code replaces the password.
    browser.get(NEW).await.says("recovery code");
    let named = |proof| [("name", "Second"), ("proof", proof)];
    browser.post(NEW, &named("000000")).await.is(StatusCode::FORBIDDEN);
    browser.post(NEW, &named(&codes[0])).await.is(StatusCode::OK).says("data-options");
    browser.post(NEW, &named(&codes[0])).await.is(StatusCode::FORBIDDEN);
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_explain_missing_passkeys() {
    let dashboard = Dashboard::start().await;
    let (_, browser) = dashboard.member_of(&dashboard.setup.organization, "viewer").await;
    let page = browser.get("/account/security").await;
    page.is(StatusCode::OK).says("Passkeys need HTTPS").says("--public-url");
    assert!(!page.text.contains("Add passkey"));
    assert!(!browser.get("/sign-in").await.text.contains("passkey"));
    for path in [NEW, SIGN_IN] {
        browser.get(path).await.is(StatusCode::CONFLICT).says("--public-url");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn operator_removes_lost_second_factors() {
    let dashboard = start().await;
    let (email, browser) = dashboard.member_of(&dashboard.setup.organization, "viewer").await;
    let (_, mut owned) = add(&browser, Kind::Ed25519).await;
    let off = ["second-factor-off", email.as_str()];
    let removed = dashboard.setup.admin(&off);
    let expected = json!({ "email": email, "authenticatorAppRemoved": false, "passkeysRemoved": ["Blue key"] });
    assert_eq!(removed, expected);
    assert_eq!(browser.get("/account").await.status, 303, "all sessions ended");
    owned.sign_in(&dashboard.browser(), SIGN_IN).await.is(StatusCode::FORBIDDEN);
    dashboard.sign_in(&email).await.get("/account/security").await.says("No passkeys yet");
    let pool = dashboard.pool().await;
    let sql = "SELECT state_before FROM audit_entries WHERE action = 'account.second_factor_off' AND actor_kind = 'shell'";
    let before: Vec<String> = sqlx::query_scalar(sql).fetch_all(&pool).await.unwrap();
    assert_eq!(before, [r#"{"authenticatorApp":false,"passkeys":["Blue key"]}"#]);
    // No factor is left to remove, and other addresses have no account.
    let refused = admin_refuses(&dashboard, &off);
    assert!(refused.contains("has no authenticator app and no passkey"), "{refused}");
    let refused = admin_refuses(&dashboard, &["second-factor-off", "nobody@example.com"]);
    assert!(refused.contains("no account found"), "{refused}");
}
