//! Second factors: an authenticator app and recovery codes.

use std::time::{SystemTime, UNIX_EPOCH};

use docwright_types::totp::TotpSecret;
use reqwest::StatusCode;

use super::{Browser, Dashboard, PASSWORD, Page};

/// An authenticator app.
struct App {
    secret: TotpSecret,
    /// The step of the last code, since each code works once.
    step: i64,
}

fn now() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    i64::try_from(now.as_millis()).unwrap()
}

impl App {
    /// Returns an unused code. The server accepts the codes of the half minutes before and after, too: so there are
    /// two codes at any time, and at least half a minute to enter each.
    fn code(&mut self) -> String {
        let step = (now() / 30_000).max(self.step + 1);
        self.step = step;
        self.secret.code(step)
    }
}

/// Turns the app on. Returns it with the page of recovery codes.
async fn turn_on(browser: &Browser) -> (App, Page) {
    let page = browser.get("/account/security/app").await;
    let secret = page.says("<svg class=\"qr\"").after("name=\"secret\" value=\"");
    let mut app = App { secret: TotpSecret::parse(&secret).unwrap(), step: 0 };
    let wrong = [("secret", secret.as_str()), ("code", "000000"), ("proof", PASSWORD)];
    browser.post("/account/security/app", &wrong).await.is(StatusCode::FORBIDDEN).says("clock of");
    let code = app.code();
    let no_password = [("secret", secret.as_str()), ("code", &code), ("proof", "wrong")];
    let refused = browser.post("/account/security/app", &no_password).await;
    refused.is(StatusCode::FORBIDDEN).says("Nothing changed.");
    browser.get("/account/security").await.says("alone signs you in");
    let right = [("secret", secret.as_str()), ("code", &code), ("proof", PASSWORD)];
    let page = browser.post("/account/security/app", &right).await;
    page.is(StatusCode::OK);
    (app, page)
}

fn recovery_codes(page: &Page) -> Vec<String> {
    page.text.split("<code>").skip(1).map(|rest| rest[..19].to_owned()).collect()
}

async fn code(browser: &Browser, code: &str) -> Page {
    browser.post("/sign-in/code", &[("code", code), ("next", "/account")]).await
}

#[tokio::test]
async fn account_with_app_must_enter_code() {
    let dashboard = Dashboard::start().await;
    let (email, browser) = dashboard.member_of(&dashboard.setup.organization, "admin").await;
    let elsewhere = dashboard.sign_in(&email).await;
    let (mut app, turned_on) = turn_on(&browser).await;
    browser.get("/account").await.is(StatusCode::OK);
    assert_eq!(elsewhere.get("/account").await.status, 303, "the session had no second factor");

    // The password alone gives no access.
    let waiting = dashboard.browser();
    let fields = [("email", email.as_str()), ("password", PASSWORD), ("next", "/account")];
    let page = waiting.post("/sign-in", &fields).await;
    assert_eq!(page.location().as_deref(), Some("/sign-in/code?next=%2Faccount"));
    for path in ["/", "/account", "/account/security", "/account/security/app"] {
        let location = waiting.get(path).await.location().unwrap_or_default();
        assert!(location.starts_with("/sign-in?"), "{path} leads to {location:?}");
    }
    let ended = waiting.post("/account/sessions/end", &[]).await;
    assert!(ended.location().unwrap().starts_with("/sign-in?"));
    browser.get("/account").await.is(StatusCode::OK);
    waiting.get("/sign-in/code?next=/account").await.is(StatusCode::OK).says("one-time-code");

    // A code works once, and using it replaces the browser's token.
    let thief = waiting.copy();
    let good = app.code();
    let page = code(&waiting, &good).await;
    assert_eq!(page.location().as_deref(), Some("/account"), "{}", page.text);
    assert_ne!(waiting.cookies(), thief.cookies());
    waiting.get("/account").await.is(StatusCode::OK);
    assert_eq!(thief.get("/account").await.status, 303);
    assert_eq!(code(&thief, &good).await.location().as_deref(), Some("/sign-in"));
    let again = dashboard.sign_in(&email).await;
    code(&again, &good).await.is(StatusCode::FORBIDDEN).says("was already used");
    // The sign-in never redirects to another site.
    let recovery = &recovery_codes(&turned_on)[0];
    let page = again.post("/sign-in/code", &[("code", recovery), ("next", "//evil.example")]).await;
    assert_eq!(page.location().as_deref(), Some("/"));

    // After turning the app off with the password, the password is enough.
    let off = "/account/security/app/off";
    waiting.post(off, &[("proof", "wrong")]).await.is(StatusCode::FORBIDDEN);
    waiting.get("/account/security").await.says("requires a code");
    assert_eq!(waiting.post(off, &[("proof", PASSWORD)]).await.status, 303);
    let alone = dashboard.sign_in(&email).await;
    alone.get("/account").await.is(StatusCode::OK);
    let pool = dashboard.pool().await;
    let sql = "SELECT action FROM audit_entries WHERE subject_kind = 'account' AND actor_name = $1 ORDER BY id";
    let actions: Vec<String> = sqlx::query_scalar(sql).bind(&email).fetch_all(&pool).await.unwrap();
    assert_eq!(actions, ["account.second_factor_on", "account.second_factor_off"]);
}

#[tokio::test]
async fn wrong_codes_end_session_without_locking_account() {
    let dashboard = Dashboard::start().await;
    let (email, browser) = dashboard.member_of(&dashboard.setup.organization, "viewer").await;
    let (_, page) = turn_on(&browser).await;
    let codes = recovery_codes(&page);
    assert_eq!(codes.len(), 10);
    for _ in 0..3 {
        let guesser = dashboard.sign_in(&email).await;
        for _ in 0..4 {
            code(&guesser, "000000")
                .await
                .is(StatusCode::FORBIDDEN)
                .says("the clock of your phone");
        }
        code(&guesser, "000000").await.is(StatusCode::FORBIDDEN).says("Too many incorrect codes");
        assert_eq!(code(&guesser, &codes[9]).await.location().as_deref(), Some("/sign-in"));
    }
    let guesser = dashboard.sign_in(&email).await;
    let mut heard = Vec::new();
    for _ in 0..5 {
        heard.push(code(&guesser, "000000").await.status);
    }
    assert_eq!(heard, [403; 5], "20 wrong codes an hour");
    let guesser = dashboard.sign_in(&email).await;
    code(&guesser, "000000").await.is(StatusCode::TOO_MANY_REQUESTS).says("change it");
    // A recovery code still signs in, once.
    let own = dashboard.sign_in(&email).await;
    let typed = codes[0].to_uppercase().replace('-', " ");
    assert_eq!(code(&own, &typed).await.location().as_deref(), Some("/account"));
    own.get("/account/security").await.says("9 recovery codes left");
    let again = dashboard.sign_in(&email).await;
    code(&again, &codes[0]).await.is(StatusCode::FORBIDDEN);
    let new = own.post("/account/security/recovery", &[("proof", PASSWORD)]).await;
    code(&again, &codes[1]).await.is(StatusCode::FORBIDDEN);
    assert_eq!(code(&again, &recovery_codes(&new)[0]).await.status, 303);
}

#[tokio::test]
async fn sign_in_link_needs_second_factor_and_pending_session_expires() {
    let dashboard = Dashboard::start().await;
    let (email, browser) = dashboard.member_of(&dashboard.setup.organization, "viewer").await;
    let (mut app, _) = turn_on(&browser).await;
    let pool = dashboard.pool().await;
    let token = "ab".repeat(32);
    let hash = docwright_types::token::Token::parse(&token).unwrap().hash();
    let sql = "INSERT INTO sign_in_links (token_hash, account_id, created_at, expires_at) \
         SELECT $1, id, 0, $2 FROM accounts WHERE email = $3";
    let made = sqlx::query(sql).bind(hash).bind(now() + 60_000).bind(&email);
    made.execute(&pool).await.unwrap();
    let linked = dashboard.browser();
    let page = linked.post("/sign-in/link", &[("token", &token)]).await;
    assert_eq!(page.location().as_deref(), Some("/sign-in/code?next=%2F"));
    assert_eq!(linked.get("/account").await.status, 303);
    // The session expires after ten minutes.
    let sql = "UPDATE sessions SET expires_at = expires_at - 600000 WHERE complete = 0";
    sqlx::query(sql).execute(&pool).await.unwrap();
    assert_eq!(code(&linked, &app.code()).await.location().as_deref(), Some("/sign-in"));
    browser.get("/account").await.is(StatusCode::OK);
}
