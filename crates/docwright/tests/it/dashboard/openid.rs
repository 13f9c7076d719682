//! Signing in with OpenID Connect, using a real third-party provider.

use std::fs;

use reqwest::StatusCode;
use serde_json::{Value, json};

use super::{Browser, Dashboard, Page};
use crate::{
    agent::mocks::Mock,
    server::{Setup, write_repository},
};

/// A service and the provider it trusts.
struct Signing {
    dashboard: Dashboard,
    provider: Option<Mock>,
    /// The provider's address.
    address: String,
}

impl Signing {
    async fn start(people: Value) -> Self {
        let provider = Mock::start("openid.mjs", &[&people.to_string()]);
        let setup = Setup::built_in(|folder| write_repository(folder, 1), &[]);
        let secret = setup.folder.path().join("oidc-secret");
        fs::write(&secret, "a secret+of ours\n").unwrap();
        let dashboard = Dashboard::on(
            setup,
            &[
                ("DOCWRIGHT_OIDC_ISSUER", &provider.address),
                ("DOCWRIGHT_OIDC_CLIENT_ID", "docwright"),
                ("DOCWRIGHT_OIDC_CLIENT_SECRET_FILE", secret.to_str().unwrap()),
                ("DOCWRIGHT_OIDC_ROLE", "readers=Acme:viewer; writers=Acme:editor; cn=first,ou=a=First:admin; x=None:admin"),
            ],
        )
        .await;
        let back = format!("{}/sign-in/provider/back", dashboard.process.address);
        let address = provider.address.clone();
        let signing = Self { dashboard, provider: Some(provider), address };
        signing.set("client", &back).await;
        signing
    }

    async fn set(&self, what: &str, value: &str) {
        let url = format!("{}/{what}", self.address);
        let set = reqwest::Client::new().post(url).body(value.to_owned()).send().await;
        assert_eq!(set.unwrap().status(), 200);
    }

    /// Signs in at the provider. Returns the address it redirects back to.
    async fn leave(&self, browser: &Browser, who: &str) -> String {
        self.set("now", who).await;
        let left = browser.get("/sign-in/provider?next=/account").await;
        let mut next = left.location().unwrap_or_else(|| panic!("{}", left.text));
        let there = Browser::new(&self.address);
        for _ in 0..5 {
            if next.starts_with(&self.dashboard.process.address) {
                return next;
            }
            let page = there.get(&next).await;
            next = page.location().unwrap_or_else(|| panic!("{next}: {}", page.text));
        }
        panic!("unexpected redirect to {next}");
    }

    /// Signs in with a new browser.
    async fn sign_in(&self, who: &str) -> (Browser, Page) {
        let browser = self.dashboard.browser();
        let back = self.leave(&browser, who).await;
        let page = browser.get(&back).await;
        (browser, page)
    }

    /// The organizations of an account with its roles.
    async fn roles(&self, email: &str) -> Vec<(String, String)> {
        let sql = "SELECT organizations.name, role FROM members JOIN organizations ON organizations.id = organization_id \
             JOIN accounts ON accounts.id = account_id WHERE email = $1 ORDER BY 1";
        let pool = self.dashboard.pool().await;
        sqlx::query_as(sql).bind(email).fetch_all(&pool).await.unwrap()
    }
}

fn person(email: &str, verified: bool, groups: &[&str]) -> Value {
    json!({ "email": email, "email_verified": verified, "name": "Someone", "groups": groups })
}

fn roles(all: &[(&str, &str)]) -> Vec<(String, String)> {
    all.iter().map(|(name, role)| ((*name).to_owned(), (*role).to_owned())).collect()
}

#[tokio::test]
#[ignore = "needs the packages of tests/mocks"]
async fn groups_become_roles_at_each_sign_in() {
    let ada = "ada@example.com";
    let signing =
        Signing::start(json!({ "ada": person(ada, true, &["readers", "writers", "x", "y"]) }))
            .await;
    signing.dashboard.browser().get("/sign-in").await.says("Sign in with 127.0.0.1");
    let (browser, page) = signing.sign_in("ada").await;
    assert_eq!(page.location().as_deref(), Some("/account"), "{}", page.text);
    browser.get("/account").await.is(StatusCode::OK).says("Someone");
    assert_eq!(signing.roles(ada).await, roles(&[("Acme", "editor")]), "the higher role wins");
    // The session is short, so that groups are read again.
    let pool = signing.dashboard.pool().await;
    let sql = "SELECT expires_at - sessions.created_at FROM sessions JOIN accounts ON accounts.id = account_id WHERE email = $1";
    let length: i64 = sqlx::query_scalar(sql).bind(ada).fetch_one(&pool).await.unwrap();
    assert_eq!(length, 12 * 3_600_000);
    for (groups, expected) in [
        (vec!["readers"], roles(&[("Acme", "viewer")])),
        (vec!["cn=first,ou=a", "writers"], roles(&[("Acme", "editor"), ("First", "admin")])),
        (vec![], vec![]),
    ] {
        signing.set("people", &json!({ "ada": person(ada, true, &groups) }).to_string()).await;
        assert_eq!(signing.sign_in("ada").await.1.status, 303);
        assert_eq!(signing.roles(ada).await, expected, "{groups:?}");
    }
    browser
        .get(&format!("/organizations/{}", signing.dashboard.setup.organization))
        .await
        .is(StatusCode::NOT_FOUND);
    // A role that a person set stays, regardless of groups.
    let (email, browser) =
        signing.dashboard.member_of(&signing.dashboard.setup.organization, "admin").await;
    for groups in [vec!["readers"], vec![]] {
        signing.set("people", &json!({ "bob": person(&email, true, &groups) }).to_string()).await;
        let back = signing.leave(&browser, "bob").await;
        assert_eq!(browser.get(&back).await.status, 303);
        assert_eq!(signing.roles(&email).await, roles(&[("Acme", "admin")]));
    }
    let sql = "SELECT action FROM audit_entries WHERE actor_name = $1 ORDER BY id";
    let actions: Vec<String> = sqlx::query_scalar(sql).bind(ada).fetch_all(&pool).await.unwrap();
    let expected = [
        "account.create",
        "member.provided",
        "member.provided",
        "member.provided",
        "member.provided",
        "member.provided",
        "member.provided",
    ];
    assert_eq!(actions, expected);
}

#[tokio::test]
#[ignore = "needs the packages of tests/mocks"]
async fn account_is_linked_only_by_verified_address() {
    let signing = Signing::start(json!({})).await;
    let (email, _) =
        signing.dashboard.member_of(&signing.dashboard.setup.organization, "viewer").await;
    signing
        .set(
            "people",
            &json!({
                "thief": person(&email, false, &["writers"]),
                "own": person(&email.to_uppercase(), true, &[]),
                "stranger": person("stranger@example.com", true, &["others"]),
                "unverified": person("new@example.com", false, &["writers"]),
            })
            .to_string(),
        )
        .await;
    for (who, says) in [
        ("thief", "verified your email"),
        ("unverified", "verified your email"),
        ("stranger", "none of your groups"),
    ] {
        let (browser, page) = signing.sign_in(who).await;
        page.is(StatusCode::FORBIDDEN).says(says);
        assert_eq!(browser.get("/account").await.status, 303);
    }
    // A stranger could have set the password, so it is asked for once.
    let (browser, page) = signing.sign_in("own").await;
    page.is(StatusCode::FORBIDDEN).says("sign in once with that password").says(&email);
    assert_eq!(browser.get("/account").await.status, 303);
    let root = signing.dashboard.sign_in("root@example.com").await;
    let back = signing.leave(&root, "own").await;
    root.get(&back).await.is(StatusCode::FORBIDDEN).says("sign in once with that password");
    let own = signing.dashboard.sign_in(&email).await;
    let back = signing.leave(&own, "own").await;
    assert_eq!(own.get(&back).await.location().as_deref(), Some("/account"));
    let (browser, page) = signing.sign_in("own").await;
    assert_eq!(page.status, 303, "{}", page.text);
    browser.get("/account").await.says(&email);
    // From now on, the subject identifies the account. Another subject with the same address is refused.
    signing
        .set("people", &json!({ "own": person("other@example.com", false, &[]) }).to_string())
        .await;
    let (browser, _) = signing.sign_in("own").await;
    browser.get("/account").await.says(&email);
    let pool = signing.dashboard.pool().await;
    let sql =
        "SELECT COUNT(*) FROM accounts WHERE email IN ('new@example.com', 'stranger@example.com')";
    let made: i64 = sqlx::query_scalar(sql).fetch_one(&pool).await.unwrap();
    assert_eq!(made, 0);
}

#[tokio::test]
#[ignore = "needs the packages of tests/mocks"]
async fn answer_of_another_sign_in_is_refused() {
    let signing =
        Signing::start(json!({ "ada": person("ada@example.com", true, &["readers"]) })).await;
    let (mine, other) = (signing.dashboard.browser(), signing.dashboard.browser());
    let back = signing.leave(&mine, "ada").await;
    // The callback opens in another browser, in a new browser, or with a changed state.
    signing.leave(&other, "ada").await;
    for browser in [&other, &signing.dashboard.browser()] {
        browser.get(&back).await.is(StatusCode::FORBIDDEN).says("started in another browser");
    }
    let changed = back.replace("state=", "state=0");
    mine.get(&changed).await.is(StatusCode::FORBIDDEN).says("started in another browser");
    // A code of another sign-in has another nonce and verifier.
    let elsewhere = signing.leave(&other, "ada").await;
    let part = |address: &str, name: &str| {
        let url = url::Url::parse(address).unwrap();
        url.query_pairs().find(|(key, _)| key == name).unwrap().1.into_owned()
    };
    let mixed = format!(
        "/sign-in/provider/back?code={}&state={}",
        part(&elsewhere, "code"),
        part(&back, "state")
    );
    mine.get(&mixed).await.is(StatusCode::FORBIDDEN).says("Sign-in with");
    assert_eq!(mine.get("/account").await.status, 303);
    signing.set("nonce", "another").await;
    let (browser, page) = signing.sign_in("ada").await;
    page.is(StatusCode::FORBIDDEN).says("Sign-in with");
    assert_eq!(browser.get("/account").await.status, 303);
    signing.set("nonce", "").await;
    // A code works once, and the sign-in is finished.
    let browser = signing.dashboard.browser();
    let back = signing.leave(&browser, "ada").await;
    assert_eq!(browser.get(&back).await.status, 303);
    browser.get(&back).await.is(StatusCode::FORBIDDEN);
    // A denied sign-in at the provider signs no one in.
    let (_, page) = signing.sign_in("").await;
    page.is(StatusCode::FORBIDDEN).says("Sign-in with");
}

#[tokio::test]
#[ignore = "needs the packages of tests/mocks"]
async fn password_signs_in_without_provider() {
    let mut signing =
        Signing::start(json!({ "ada": person("ada@example.com", true, &["readers"]) })).await;
    let browser = signing.dashboard.browser();
    let back = signing.leave(&browser, "ada").await;
    drop(signing.provider.take());
    browser.get(&back).await.is(StatusCode::SERVICE_UNAVAILABLE).says("sign in with a password");
    let root = signing.dashboard.sign_in("root@example.com").await;
    root.get("/account").await.is(StatusCode::OK);
    // A provider that never answers doesn't block passwords either.
    let other = Setup::built_in(|folder| write_repository(folder, 1), &[]);
    let silent = [
        ("DOCWRIGHT_OIDC_ISSUER", signing.address.as_str()),
        ("DOCWRIGHT_OIDC_CLIENT_ID", "docwright"),
    ];
    let other = Dashboard::on(other, &silent).await;
    let page = other.browser().get("/sign-in/provider").await;
    page.is(StatusCode::SERVICE_UNAVAILABLE).says("Sign-in with");
    other.sign_in("root@example.com").await.get("/account").await.is(StatusCode::OK);
}

#[tokio::test]
#[ignore = "needs the packages of tests/mocks"]
async fn account_with_app_must_enter_code_after_openid() {
    let ada = "ada@example.com";
    let signing = Signing::start(json!({ "ada": person(ada, true, &["readers"]) })).await;
    signing.sign_in("ada").await;
    let pool = signing.dashboard.pool().await;
    let sql = "INSERT INTO totp_factors (account_id, secret, key_id, last_step, attempts, attempts_since, created_at) \
         SELECT id, 'x', 'x', 0, 0, 0, 0 FROM accounts WHERE email = $1";
    sqlx::query(sql).bind(ada).execute(&pool).await.unwrap();
    let (browser, page) = signing.sign_in("ada").await;
    assert_eq!(page.location().as_deref(), Some("/sign-in/code?next=%2Faccount"));
    assert_eq!(browser.get("/account").await.status, 303);
}

/// A person's mailbox is reassigned to someone else after the provider created an account for it.
#[tokio::test]
#[ignore = "needs the packages of tests/mocks"]
async fn account_of_recycled_mailbox_stays_with_its_first_owner() {
    let shared = "docs@example.com";
    let people = json!({
        "ada": person(shared, true, &["writers"]),
        "eve": person(shared, true, &["writers"]),
    });
    let signing = Signing::start(people).await;
    let (browser, page) = signing.sign_in("ada").await;
    assert_eq!(page.status, 303, "{}", page.text);
    let refused = "belongs to a different user of 127.0.0.1";
    let (eve, page) = signing.sign_in("eve").await;
    page.is(StatusCode::FORBIDDEN).says(refused).says(shared);
    assert_eq!(eve.get("/account").await.status, 303, "the browser isn't signed in");
    // It isn't possible in the owner's browser or with a password either.
    let back = signing.leave(&browser, "eve").await;
    browser.get(&back).await.is(StatusCode::FORBIDDEN).says(refused);
    let pool = signing.dashboard.pool().await;
    let sql = "UPDATE accounts SET password = 'x' WHERE email = $1";
    sqlx::query(sql).bind(shared).execute(&pool).await.unwrap();
    signing.sign_in("eve").await.1.is(StatusCode::FORBIDDEN).says(refused);
    let sql =
        "SELECT subject FROM identities JOIN accounts ON accounts.id = account_id WHERE email = $1";
    let subjects: Vec<String> =
        sqlx::query_scalar(sql).bind(shared).fetch_all(&pool).await.unwrap();
    assert_eq!(subjects, ["ada"]);
    assert_eq!(signing.sign_in("ada").await.1.status, 303, "the owner can still sign in");
}

#[tokio::test]
#[ignore = "needs the packages of tests/mocks"]
async fn simultaneous_first_sign_ins_link_one_identity() {
    let shared = "docs@example.com";
    let each = person(shared, true, &["writers"]);
    let signing = Signing::start(json!({ "ada": each.clone(), "eve": each })).await;
    let mut waiting = Vec::new();
    for who in ["ada", "eve", "ada", "eve", "ada", "eve"] {
        let browser = signing.dashboard.browser();
        let back = signing.leave(&browser, who).await;
        waiting.push(async move { (who, browser.get(&back).await.status) });
    }
    let arrived = futures::future::join_all(waiting).await;
    let mut statuses = [("ada", Vec::new()), ("eve", Vec::new())];
    for (who, status) in &arrived {
        let of = statuses.iter_mut().filter(|each| each.0 == *who);
        of.for_each(|each| each.1.push(*status));
    }
    statuses.sort_by(|one, other| one.1.cmp(&other.1));
    let statuses = statuses.map(|each| each.1);
    assert_eq!(statuses, [vec![StatusCode::SEE_OTHER; 3], vec![StatusCode::FORBIDDEN; 3]]);
}

#[tokio::test]
#[ignore = "needs the packages of tests/mocks"]
async fn operator_removes_identity() {
    let ada = "ada@example.com";
    let signing = Signing::start(json!({ "ada": person(ada, true, &["writers"]) })).await;
    let operator = &signing.dashboard.operator;
    let (browser, _) = signing.sign_in("ada").await;
    operator.get("/accounts").await.is(StatusCode::OK).says(ada).says(&signing.address);
    let listed = signing.dashboard.setup.admin(&["account", "list", "--search", "ada@"]);
    assert_eq!(listed.as_array().map(Vec::len), Some(1), "{listed}");
    let identity = listed[0]["identities"][0].as_str().unwrap();
    assert!(identity.contains("subject ada at http"), "{listed}");
    let id = listed[0]["id"].as_str().unwrap();
    let form = format!("/accounts/{id}/identities/remove");
    let wrong = [("issuer", signing.address.as_str()), ("subject", "nobody")];
    operator.post(&form, &wrong).await.is(StatusCode::NOT_FOUND);
    let right = [("issuer", signing.address.as_str()), ("subject", "ada")];
    assert_eq!(operator.post(&form, &right).await.status, 303);
    operator.get("/accounts").await.says(ada).lacks(&signing.address);
    assert_eq!(browser.get("/account").await.status, 303, "all browsers are signed out");
    assert_eq!(signing.sign_in("ada").await.1.status, 303);
    let removed =
        ["account", "remove-identity", ada, "--issuer", &signing.address, "--subject", "ada"];
    assert_eq!(signing.dashboard.setup.admin(&removed)["removed"], true);
    let pool = signing.dashboard.pool().await;
    let sql = "SELECT action FROM audit_entries WHERE action = 'account.identity_remove'";
    let entries: Vec<String> = sqlx::query_scalar(sql).fetch_all(&pool).await.unwrap();
    assert_eq!(entries.len(), 2);
}

#[tokio::test]
#[ignore = "needs the packages of tests/mocks"]
async fn deleted_person_gets_new_account_without_old_memberships() {
    let ada = "ada@example.com";
    let signing = Signing::start(json!({ "ada": person(ada, true, &["readers"]) })).await;
    let (browser, _) = signing.sign_in("ada").await;
    let pool = signing.dashboard.pool().await;
    let id = async || {
        let sql = "SELECT id FROM accounts WHERE email = $1";
        sqlx::query_scalar::<_, String>(sql).bind(ada).fetch_optional(&pool).await.unwrap()
    };
    let first = id().await.unwrap();
    let sql = "INSERT INTO members (organization_id, account_id, role, created_at) VALUES ($1, $2, 'editor', 0)";
    let added = sqlx::query(sql).bind(&signing.dashboard.other).bind(&first);
    added.execute(&pool).await.unwrap();
    assert_eq!(signing.roles(ada).await, roles(&[("Acme", "viewer"), ("First", "editor")]));
    // No password is needed: the provider verified the session.
    browser.post("/account/delete", &[]).await.is(StatusCode::OK).says("Your account is deleted");
    assert_eq!(id().await, None);
    let (browser, page) = signing.sign_in("ada").await;
    assert_eq!(page.location().as_deref(), Some("/account"), "{}", page.text);
    browser.get("/account").await.is(StatusCode::OK).says(ada);
    assert_ne!(id().await.unwrap(), first);
    assert_eq!(signing.roles(ada).await, roles(&[("Acme", "viewer")]), "only roles from groups");
}
