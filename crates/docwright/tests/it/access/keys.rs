//! Creating keys: never with a higher scope, and at most ten an hour.

use futures::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};

use super::AccessSetup;
use crate::server::Api;

async fn asked(api: &Api, body: Value) -> (u16, Value) {
    let answer = api.send(Method::POST, "/v1/keys", Some(body)).await;
    (answer.status().as_u16(), answer.json().await.unwrap_or_default())
}

#[tokio::test(flavor = "multi_thread")]
async fn key_creates_no_key_with_a_higher_scope() {
    let place = AccessSetup::new(None).await;
    let own = place.setup.organization.clone();
    let admin = place.key(&own, "admin", json!({})).await;
    let here = place.key(&own, "admin", json!({ "allow": ["127.0.0.0/8"] })).await;
    let limited = place.key(&own, "admin", json!({ "projects": [place.second] })).await;
    let with = |scope: &str, more: Value| {
        let mut body = json!({ "name": "x", "scope": scope });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        body
    };
    for (api, body, expected) in [
        (&admin, with("admin", json!({})), 201),
        (&admin, with("read", json!({ "projects": [place.second] })), 201),
        (&admin, with("operator", json!({})), 403),
        (&admin, with("read", json!({ "organizationId": place.other })), 404),
        (&admin, with("read", json!({ "projects": [place.other_project] })), 404),
        (&admin, with("read", json!({ "projects": ["prj_none"] })), 404),
        (&here, with("read", json!({})), 403),
        (&here, with("read", json!({ "allow": [] })), 403),
        (&here, with("read", json!({ "allow": ["127.0.0.1", "10.0.0.1"] })), 403),
        (&here, with("read", json!({ "allow": ["127.1.0.0/16"] })), 201),
        (&limited, with("read", json!({ "projects": [place.second] })), 403),
        (&place.operator, with("operator", json!({ "organizationId": own })), 400),
        (&place.operator, with("admin", json!({})), 400),
        (&place.operator, with("operator", json!({})), 201),
        (&admin, with("read", json!({ "days": -1 })), 400),
        (&admin, with("read", json!({ "days": 36_501 })), 400),
        (&admin, with("read", json!({ "allow": ["0.0.0.0/0"] })), 400),
        (&admin, with("read", json!({ "secret": "x" })), 400),
        // An empty list would mean all projects.
        (&admin, with("read", json!({ "projects": [] })), 400),
        (&admin, with("read", json!({ "projects": ["a\u{0}"] })), 400),
        (&admin, with("root", json!({})), 400),
    ] {
        place.forget_the_hour().await;
        let (status, answer) = asked(api, body.clone()).await;
        assert_eq!(status, expected, "{body}: {answer}");
    }
    // A key can't widen the scope of another key or itself either.
    let own_id = here.key.split('_').nth(1).unwrap();
    for allow in [json!([]), json!(["10.0.0.0/8"])] {
        let body = Some(json!({ "allow": allow }));
        let answer = here.send(Method::PATCH, &format!("/v1/keys/{own_id}"), body).await;
        assert_eq!(answer.status(), 403);
    }
    let body = Some(json!({ "allow": ["127.0.0.1"], "name": "narrow" }));
    let answer = here.send(Method::PATCH, &format!("/v1/keys/{own_id}"), body).await;
    assert_eq!(answer.status(), 200);
    // Organizations can't see keys of the instance.
    let operator_id = place.operator.key.split('_').nth(1).unwrap();
    let path = format!("/v1/keys/{operator_id}");
    assert_eq!(admin.send(Method::GET, &path, None).await.status(), 404);
    assert_eq!(admin.send(Method::POST, &format!("{path}/revoke"), None).await.status(), 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_keys_an_hour_are_exact() {
    let place = AccessSetup::new(None).await;
    let organization = place.organization("Exact").await;
    let admin = place.key(&organization, "admin", json!({})).await;
    let body = json!({ "name": "x", "scope": "read" });
    let answers = join_all((0..60).map(|_| asked(&admin, body.clone()))).await;
    let made = answers.iter().filter(|(status, _)| *status == 201).count();
    assert_eq!(made, 10);
    let refused =
        answers.iter().find(|(status, _)| *status == 429).expect("later requests are refused");
    assert!(refused.1["error"].as_str().unwrap().contains("10 keys within an hour"), "{refused:?}");
    let answer = admin.send(Method::POST, "/v1/keys", Some(body)).await;
    let wait: i64 = answer.headers()["retry-after"].to_str().unwrap().parse().unwrap();
    assert!((3000..=3660).contains(&wait), "{wait}");
    let instance = join_all(
        (0..30).map(|_| asked(&place.operator, json!({ "name": "x", "scope": "operator" }))),
    );
    let made = instance.await.iter().filter(|(status, _)| *status == 201).count();
    assert_eq!(made, 10, "the instance has its own limit");
}
