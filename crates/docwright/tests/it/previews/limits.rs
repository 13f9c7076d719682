//! Limits of updates and previews are exact: of 60 parallel requests to two nodes, exactly the limit succeeds in each
//! window. Refused and invalid requests don't count.

use std::time::Instant;

use futures::future::join_all;
use reqwest::{Method, Response};
use serde_json::{Value, json};

use super::write_site;
use crate::{
    postgres,
    server::{Api, Setup},
};

const REQUESTS: usize = 60;

async fn send_all(apis: &[Api; 2], path: &str, body: Option<Value>) -> Vec<Response> {
    let send = |number: usize| {
        let (api, path, body) = (apis[number % 2].clone(), path.to_owned(), body.clone());
        tokio::spawn(async move { api.send(Method::POST, &path, body).await })
    };
    join_all((0..REQUESTS).map(send)).await.into_iter().map(Result::unwrap).collect()
}

async fn are_exact(setup: &Setup) {
    let nodes = [setup.serve(), setup.serve_with(&[("DOCWRIGHT_ROLE", "api")])];
    let apis = nodes.each_ref().map(|node| setup.api(node));
    let previews = format!("/v1/project/preview/{}", setup.project);
    let updates = format!("/v1/project/update/{}", setup.project);
    // Invalid requests and requests for unknown projects don't count.
    for body in [json!({}), json!({ "branch": "" }), json!({ "branch": 1 }), json!({ "b": "main" })]
    {
        let answer = apis[0].send(Method::POST, &previews, Some(body)).await;
        assert_eq!(answer.status(), 400);
    }
    let nobody = Api { key: "x".to_owned(), ..apis[0].clone() };
    assert_eq!(
        nobody.send(Method::POST, &previews, Some(json!({ "branch": "main" }))).await.status(),
        401
    );
    for (path, body, quota, window) in
        [(&updates, None, 10, 10), (&previews, Some(json!({ "branch": "main" })), 5, 60)]
    {
        let started = Instant::now();
        let answers = send_all(&apis, path, body).await;
        // waits: a machine that runs other tests can take longer than a window.
        let windows = usize::try_from(started.elapsed().as_secs() / window).unwrap() + 1;
        let count = |status: u16| answers.iter().filter(|each| each.status() == status).count();
        let (accepted, refused) = (count(202), count(429));
        let statuses: Vec<_> = answers.iter().map(Response::status).collect();
        assert_eq!(accepted + refused, REQUESTS, "{path}: {statuses:?}");
        assert!((quota..=quota * windows).contains(&accepted), "{path}: {accepted} in {windows}");
        for answer in answers.into_iter().filter(|answer| answer.status() == 429) {
            let headers = answer.headers();
            let wait: u64 = headers["retry-after"].to_str().unwrap().parse().unwrap();
            assert!((1..=window).contains(&wait), "{wait}");
            let limit = headers["ratelimit"].to_str().unwrap().to_owned();
            assert!(limit.contains(&format!(";r=0;t={wait}")), "{limit}");
            assert!(
                headers["ratelimit-policy"]
                    .to_str()
                    .unwrap()
                    .contains(&format!("q={quota};w={window}"))
            );
            let body: Value = answer.json().await.unwrap();
            assert_eq!(body["code"], "too_many_requests");
        }
    }
    // Another organization has its own limit.
    let other = setup.admin(&["organization", "create", "Other"]);
    let other = other["id"].as_str().unwrap();
    let project = setup.admin(&[
        "project",
        "create",
        "X",
        "--organization",
        other,
        "--repository",
        "built-in",
    ]);
    let key = setup.admin(&["key", "create", "x", "--organization", other]);
    let api = Api { key: key["key"].as_str().unwrap().to_owned(), ..apis[1].clone() };
    let path = format!("/v1/project/preview/{}", project["id"].as_str().unwrap());
    assert_eq!(
        api.send(Method::POST, &path, Some(json!({ "branch": "main" }))).await.status(),
        202
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn limits_are_exact_on_sqlite() {
    are_exact(&Setup::built_in(write_site, &[])).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL"]
async fn limits_are_exact_on_postgres() {
    let url = postgres::database("limits").await;
    are_exact(&Setup::on_database(write_site, &url)).await;
}
