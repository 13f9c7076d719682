//! What counts, and as what.

use std::collections::BTreeMap;

use docwright_testing::wait::eventually;
use reqwest::Method;
use serde_json::{Value, json};

use super::{
    BROWSER, Counted, HOST, USER_AGENTS, get, publish, read, visitors_are, visitors_match,
};
use crate::{
    agent::write_site,
    http2::Secure,
    server::{Api, Setup},
    sites::ask,
};

const AGENT: (&str, &str) = ("user-agent", BROWSER);

/// A count beside that of the service: readers by kind, and views by page.
#[derive(Default)]
struct Tally {
    kinds: BTreeMap<String, u64>,
    pages: BTreeMap<String, u64>,
}

impl Tally {
    fn add(&mut self, kind: &str, page: &str) {
        *self.kinds.entry(kind.to_owned()).or_default() += 1;
        if kind != "bot" {
            *self.pages.entry(page.to_owned()).or_default() += 1;
        }
    }

    fn of(&self, kind: &str) -> u64 {
        self.kinds.get(kind).copied().unwrap_or_default()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn views_equal_a_count_done_apart() {
    let site = Counted::start().await;
    let mut tally = Tally::default();
    // Browsers, agents, and bots crawl the same pages.
    for (place, line) in USER_AGENTS.lines().enumerate() {
        let (kind, user_agent) = line.split_once('\t').unwrap();
        let page = format!("page-{}", place % 3);
        assert_eq!(site.read(&format!("GET /{page}"), &[("user-agent", user_agent)]).await, 200);
        tally.add(kind, &page);
    }
    assert_eq!((tally.of("human"), tally.of("ai") + tally.of("bot")), (12, 50));
    assert_eq!(site.read("GET /page-0.html", &[AGENT]).await, 200);
    tally.add("human", "page-0");
    // A page that the reader has already.
    let first = ask(&site.process.address, (HOST, "GET /page-1"), &[AGENT]).await;
    let tag = first.header("etag").unwrap().to_owned();
    assert_eq!(site.read("GET /page-1", &[AGENT, ("if-none-match", &tag)]).await, 304);
    (0..2).for_each(|_| tally.add("human", "page-1"));
    // Markdown and MCP are for agents.
    assert_eq!(
        site.read("GET /page-1", &[("user-agent", "curl/8.5.0"), ("accept", "text/markdown")])
            .await,
        200
    );
    assert_eq!(site.read("GET /page-2.md", &[AGENT]).await, 200);
    tally.add("ai", "page-1");
    tally.add("ai", "page-2");
    for (path, is_page) in [("/page-0", true), ("nothing", false)] {
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": { "name": "read_page", "arguments": { "path": path } } });
        let request = site.api.client.post(format!("{}/mcp", site.process.address));
        let answer = request.header("host", HOST).json(&message).send().await.unwrap();
        assert_eq!(answer.status(), 200);
        if is_page {
            tally.add("ai", "page-0");
        }
    }
    // These don't show a page to anyone.
    for (start, headers, status) in [
        ("HEAD /page-0", &[AGENT][..], 200),
        ("GET /page-0", &[AGENT, ("sec-purpose", "prefetch")], 200),
        ("GET /page-0", &[AGENT, ("sec-purpose", "prefetch;prerender")], 200),
        ("GET /page-0", &[AGENT, ("sec-fetch-dest", "empty")], 200),
        ("GET /page-0", &[AGENT, ("range", "bytes=0-9")], 206),
        ("GET /page-0/", &[AGENT], 308),
        ("GET /_docwright/theme.css", &[AGENT], 200),
        ("GET /llms.txt", &[AGENT], 200),
        ("POST /page-0", &[AGENT], 405),
    ] {
        assert_eq!(site.read(start, headers).await, status, "{start} {headers:?}");
    }
    site.views_are(tally.of("human"), tally.of("ai")).await;
    let views = site.get("views").await;
    let pages = views["views"].as_array().unwrap().iter();
    let pages = pages
        .map(|page| (page["path"].as_str().unwrap().to_owned(), page["total"].as_u64().unwrap()));
    assert_eq!(pages.collect::<BTreeMap<_, _>>(), tally.pages);
    let agents = site.get("breakdown?by=agent&limit=100").await;
    let of = |value: &str| {
        let values = agents["values"].as_array().unwrap();
        values
            .iter()
            .find(|each| each["value"] == value)
            .map(|each| each["views"].as_u64().unwrap())
    };
    assert_eq!((of("MCP"), of("Markdown"), of("Claude-User")), (Some(1), Some(2), Some(1)));
    assert_eq!(of("GPTBot"), None, "bots aren't agents");
}

#[tokio::test(flavor = "multi_thread")]
async fn readers_have_properties() {
    let site = Counted::start().await;
    let phone = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) Version/18.1 Mobile/15E148 Safari/604.1";
    let own = format!("http://{HOST}/page-1");
    for (path, headers, status) in [
        (
            "/page-0",
            &[
                AGENT,
                ("referer", "https://search.example/?q=x"),
                ("accept-language", "de-at,de;q=0.9"),
            ][..],
            200,
        ),
        (
            "/page-0",
            &[
                ("user-agent", phone),
                ("referer", "https://search.example/y"),
                ("accept-language", "en-US"),
            ],
            200,
        ),
        ("/page-0", &[AGENT, ("referer", &own)], 200),
        ("/gone?token=secret", &[AGENT, ("referer", &own)], 404),
        ("/gone", &[AGENT, ("referer", "https://search.example/")], 404),
        ("/gone", &[("user-agent", "curl/8.5.0")], 404),
        ("/image.png", &[AGENT, ("sec-fetch-dest", "image")], 404),
    ] {
        assert_eq!(site.read(&format!("GET {path}"), headers).await, status, "{path}");
    }
    site.views_are(3, 0).await;
    for (by, expected) in [
        ("referrer", json!([{ "value": "search.example", "views": 2 }])),
        ("language", json!([{ "value": "de-AT", "views": 1 }, { "value": "en-US", "views": 1 }])),
        ("device", json!([{ "value": "desktop", "views": 2 }, { "value": "phone", "views": 1 }])),
        ("agent", json!([])),
    ] {
        eventually(by, async || {
            let found = site.get(&format!("breakdown?by={by}")).await;
            if found["values"] == expected { Ok(()) } else { Err(found) }
        })
        .await;
    }
    let links = site.get("dead-links").await;
    let expected = json!([{ "path": "/gone", "fromOwnSite": 1, "fromElsewhere": 1, "total": 2 }]);
    assert_eq!(links["deadLinks"], expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn visitors_are_unique_in_a_day() {
    let site = Counted::start().await;
    for address in 0..40 {
        for _ in 0..2 {
            let forwarded = format!("198.51.100.{address}");
            let headers = [AGENT, ("x-forwarded-for", forwarded.as_str())];
            assert_eq!(site.read("GET /page-0", &headers).await, 200);
        }
    }
    // The same household, and another browser there.
    for (address, user_agent) in [
        ("2001:db8:1:2::1", BROWSER),
        ("2001:db8:1:2::2", BROWSER),
        ("2001:db8:1:2::2", "Mozilla/5.0 (iPhone) Mobile Safari/604.1"),
        ("2001:db8:1:2::2", "Claude-User/1.0"),
        ("2001:db8:1:2::2", "Googlebot/2.1"),
    ] {
        let headers = [("user-agent", user_agent), ("x-forwarded-for", address)];
        assert_eq!(site.read("GET /page-1", &headers).await, 200);
    }
    visitors_are(&site.api, &site.setup, 42).await;
    // Sums of people and agents are written one after the other.
    visitors_match((&site.api, &site.setup), "ai", 1..=1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn previews_and_sites_without_analytics_count_nothing() {
    let setup = Setup::built_in(write_site, &[]);
    let process = setup.serve();
    let api = Api { key: setup.new_key(&["--scope", "admin"]), ..setup.api(&process) };
    let change = json!({ "features": { "analytics": { "mode": "off" } } });
    let path = format!("/v1/projects/{}/deployments/cloud", setup.project);
    assert_eq!(api.send(Method::PATCH, &path, Some(change)).await.status(), 200);
    publish(&api).await;
    assert_eq!(read(&process, "GET /page-0", &[AGENT]).await, 200);
    assert_eq!(read(&process, "GET /gone", &[AGENT]).await, 404);
    // Then they are on, and a preview is read.
    let change = json!({ "features": { "analytics": { "mode": "on" } } });
    assert_eq!(api.send(Method::PATCH, &path, Some(change)).await.status(), 200);
    publish(&api).await;
    let started = format!("/v1/project/preview/{}", setup.project);
    let started = api.send(Method::POST, &started, Some(json!({ "branch": "main" }))).await;
    assert_eq!(started.status(), 202);
    let preview = eventually("the preview is ready", async || {
        let list = format!("/v1/projects/{}/previews", setup.project);
        let list: Value = api.send(Method::GET, &list, None).await.json().await.unwrap();
        let url = list["previews"][0]["previewUrl"].as_str().unwrap_or_default().to_owned();
        let host = url.split_once("://").map(|(_, host)| host.trim_end_matches('/').to_owned());
        let host = host.ok_or_else(|| list.clone())?;
        let answer = ask(&process.address, (&host, "GET /page-0"), &[AGENT]).await;
        if answer.status == 200 { Ok(host) } else { Err(list) }
    })
    .await;
    for _ in 0..3 {
        assert_eq!(ask(&process.address, (&preview, "GET /page-0"), &[AGENT]).await.status, 200);
    }
    // This one counts, so everything before it would show by then.
    assert_eq!(read(&process, "GET /page-1", &[AGENT]).await, 200);
    super::views_are(&api, &setup, 1, 0).await;
    let views = get(&api, &setup, "views").await;
    assert_eq!(views["views"], json!([{ "path": "page-1", "human": 1, "ai": 0, "total": 1 }]));
    assert_eq!(get(&api, &setup, "dead-links").await["deadLinks"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn readers_over_http2_count() {
    let secure = Secure::start("info").await;
    let api = secure.setup.api(&secure.service.process);
    publish(&api).await;
    for (method, path) in [("GET", "/page-0"), ("GET", "/page-0"), ("HEAD", "/page-0")] {
        let request = Secure::request_to(HOST, method, path).header("user-agent", BROWSER);
        assert_eq!(secure.send(request, "").await.status, 200);
    }
    super::views_are(&api, &secure.setup, 2, 0).await;
}
