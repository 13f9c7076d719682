//! The API reference at `/api/`: every operation has a page, and every link works.

use std::collections::BTreeSet;

use reqwest::{Client, Response, Url};
use serde_json::Value;

use crate::server::Setup;

async fn get(address: &Url) -> Response {
    Client::new().get(address.clone()).send().await.expect("the server answers")
}

/// Links of a page to the same host, without fragments.
fn links(page: &Url, html: &str) -> BTreeSet<Url> {
    let attributes = [" href=\"", " src=\""];
    let values = attributes.iter().flat_map(|name| {
        html.split(name).skip(1).map(|rest| rest.split('"').next().unwrap_or_default())
    });
    let resolved = values.filter_map(|value| page.join(value).ok());
    let own = resolved.filter(|link| link.origin() == page.origin());
    own.map(|mut link| {
        link.set_fragment(None);
        link
    })
    .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn reference_is_complete_and_its_links_work() {
    let setup = Setup::new();
    let process = setup.serve_with(&[("DOCWRIGHT_ROLE", "api")]);
    let at = |path: &str| Url::parse(&process.address).unwrap().join(path).unwrap();
    let mut waiting = BTreeSet::from([at("/api")]);
    let mut seen = BTreeSet::new();
    let mut shown = String::new();
    while let Some(address) = waiting.pop_first() {
        let answer = get(&address).await;
        assert_eq!(answer.status(), 200, "{address}");
        let policy = answer.headers()["content-security-policy"].to_str().unwrap().to_owned();
        assert!(policy.contains("frame-ancestors 'none'"), "{address}: {policy}");
        let is_page = answer.headers()["content-type"].to_str().unwrap().starts_with("text/html");
        let place = answer.url().clone();
        let text = answer.text().await.unwrap_or_default();
        seen.insert(address);
        if is_page {
            waiting.extend(links(&place, &text).into_iter().filter(|link| !seen.contains(link)));
            shown += &text;
        }
    }
    let is_seen = |end: &str| seen.iter().any(|address| address.path() == end);
    assert!(
        is_seen("/api/openapi.json") && is_seen("/api/_docwright/search_opener.js"),
        "{seen:?}"
    );
    assert_eq!(get(&at("/api/_docwright/search.js")).await.status(), 200, "the opener loads it");
    let description: Value = get(&at("/openapi.json")).await.json().await.unwrap();
    let tags: Vec<_> =
        description["tags"].as_array().unwrap().iter().map(|tag| &tag["name"]).collect();
    for (path, operations) in description["paths"].as_object().unwrap() {
        for operation in operations.as_object().unwrap().values() {
            for words in ["summary", "description"] {
                assert!(operation[words].as_str().is_some_and(|text| !text.is_empty()), "{path}");
            }
            assert!(shown.contains(operation["summary"].as_str().unwrap()), "{path}");
            for tag in operation["tags"].as_array().unwrap() {
                assert!(tags.contains(&tag), "{path}: the tag {tag} has no description");
            }
        }
    }
    assert_eq!(get(&at("/api/nothing")).await.status(), 404);
}
