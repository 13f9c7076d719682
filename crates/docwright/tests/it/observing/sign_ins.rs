//! Refused keys are logged with helpful details and without secrets.

use reqwest::Client;
use serde_json::{Value, json};

use super::{Logged, Scrape};
use crate::server::Setup;

async fn ask(address: &str, key: &str) -> u16 {
    let request = Client::new().get(format!("{address}/v1/static-export/jobs/x"));
    request.bearer_auth(key).send().await.unwrap().status().as_u16()
}

fn id(key: &str) -> &str {
    key.split('_').nth(1).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn reasons_differ_only_in_log() {
    let setup = Setup::new();
    let (revoked, elsewhere) = (setup.new_key(&[]), setup.new_key(&["--allow", "10.9.8.0/24"]));
    setup.admin(&["key", "revoke", id(&revoked)]);
    let service = Logged::start(setup.service(&[]), "info");
    let address = &service.process.address;
    let unknown = format!("dw_{}_{}", "0".repeat(16), "ab".repeat(24));
    let wrong = format!("dw_{}_{}", id(&setup.key), "cd".repeat(24));
    for (key, status, reason, public) in [
        ("dw_nonsense", 401, "malformed", None),
        (&unknown, 401, "unknown", Some("0000000000000000")),
        (&wrong, 401, "wrong_secret", Some(id(&setup.key))),
        (&revoked, 401, "revoked", Some(id(&revoked))),
        (&elsewhere, 403, "address", Some(id(&elsewhere))),
    ] {
        assert_eq!(ask(address, key).await, status, "{reason}");
        let line = service.line(reason, |line| line["reason"] == reason).await;
        assert_eq!(
            (&line["message"], &line["client"]),
            (&json!("sign-in failed"), &json!("127.0.0.1"))
        );
        assert_eq!(line["key"], public.map_or(Value::Null, Value::from), "{line}");
        assert!(line["request_id"].is_string(), "{line}");
    }
    let text = service.text();
    for key in [&unknown, &wrong, &revoked, &elsewhere] {
        assert!(!text.contains(key.rsplit('_').next().unwrap()), "{key}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn refused_sign_ins_are_logged() {
    let setup = Setup::new();
    let service = Logged::start(setup.service(&[]), "info");
    let send = async |path: &str, body: &'static str| {
        let request = Client::new().post(format!("{}{path}", service.process.address)).body(body);
        request.send().await.unwrap().status().as_u16()
    };
    for (path, body, status, reason) in [
        ("/sign-in", "email=eve%40example.com&password=hunter2hunter2", 403, "password"),
        ("/sign-in/link", "token=x", 403, "link"),
    ] {
        assert_eq!(send(path, body).await, status, "{reason}");
        let line = service.line(reason, |line| line["reason"] == reason).await;
        assert_eq!(line["client"], "127.0.0.1");
    }
    for _ in 0..10 {
        send("/sign-in", "email=eve%40example.com&password=hunter2hunter2").await;
    }
    service.line("too_many", |line| line["reason"] == "too_many").await;
    // Users can mistype a password into the field for the address.
    let text = service.text();
    assert!(
        !text.contains("hunter2") && !text.contains("eve@") && !text.contains("eve%40"),
        "{text}"
    );
}

/// Guesses of keys are counted but can't fill the disk.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the packages of tests/mocks"]
async fn flood_is_counted_and_logged_in_part() {
    let setup = Setup::new();
    let service = Logged::start(setup.service(&[("DOCWRIGHT_PROBES", "127.0.0.1:0")]), "info");
    let (address, probes) = (service.process.address.clone(), service.probes().await);
    let unknown = format!("dw_{}_{}", "0".repeat(16), "ab".repeat(24));
    for _ in 0..300 {
        assert_eq!(ask(&address, &unknown).await, 401);
    }
    let lines = service.lines();
    let logged = lines.iter().filter(|line| line["message"] == "sign-in failed").count();
    assert!((1..=120).contains(&logged), "{logged}");
    let counted = Scrape::of(&probes).await;
    assert_eq!(counted.count("docwright_sign_ins_failed_total", &[("reason", "unknown")]), 300);
}
