//! What scripts of pages report, and what reports can't do.

use docwright_testing::wait::eventually;
use reqwest::{Method, Response};
use serde_json::{Value, json};

use super::{BROWSER, Counted, HOST, publish, read, views_are, visitors_match};
use crate::{
    agent::write_site,
    server::{Api, Process, Setup},
    sites::ask,
};

const AGENT: (&str, &str) = ("user-agent", BROWSER);

async fn send(
    (api, process): (&Api, &Process),
    body: impl Into<String>,
    headers: &[(&str, &str)],
) -> Response {
    let request = api.client.post(format!("{}/_docwright/reading", process.address));
    let mut request = request.header("host", HOST).body(body.into());
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.send().await.unwrap()
}

impl Counted {
    /// Sends events of a page as the script does.
    async fn report(&self, page: &str, events: Value, more: &[(&str, &str)]) -> u16 {
        let body = json!({ "page": page, "events": events }).to_string();
        let headers = [&[AGENT, ("content-type", "application/json")], more].concat();
        send((&self.api, &self.process), body, &headers).await.status().as_u16()
    }

    /// Waits until a list is as expected.
    async fn list_is(&self, path: &str, field: &str, expected: Value) {
        eventually(&format!("{path} is {expected}"), async || {
            let found = self.get(path).await;
            if found[field] == expected { Ok(()) } else { Err(found) }
        })
        .await;
    }
}

fn values(values: &[(&str, u64)]) -> Value {
    values.iter().map(|(value, views)| json!({ "value": value, "views": views })).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn events_of_pages_add_up() {
    let site = Counted::start().await;
    for count in 0..4 {
        let events = json!([
            { "search": ["How  To", 3] }, { "open": ["how to", if count < 3 { "page-1" } else { "page-2" }] },
            { "search": ["nothing", 0] }, { "open": ["how to", "not-a-page"] },
            { "time": 0 }, { "time": 10 }, { "scroll": 25 }, { "lcp": 1200 }, { "cls": 30 },
            { "link": "https://other.example/a?token=secret#x" }, { "copy": "bash" }, { "tab": "Python" },
            { "language": "de" }, { "playground": null },
        ]);
        assert_eq!(site.report("page-0", events, &[]).await, 204);
    }
    assert_eq!(site.report("page-1", json!([{ "time": 0 }, { "lcp": 5000 }]), &[]).await, 204);
    for (by, expected) in [
        ("empty-search", &[("nothing", 4)][..]),
        ("outbound-link", &[("https://other.example/a", 4)]),
        ("copied-code", &[("bash", 4)]),
        ("chosen-tab", &[("Python", 4)]),
        ("chosen-language", &[("de", 4)]),
        ("reading-time", &[("0", 5), ("10", 4)]),
        ("scroll-depth", &[("25", 4)]),
        ("playground", &[("opened", 4)]),
    ] {
        site.list_is(&format!("breakdown?by={by}"), "values", values(expected)).await;
    }
    site.list_is("breakdown?by=reading-time&path=page-1", "values", values(&[("0", 1)])).await;
    let searches = site.get("searches").await;
    let hour = searches["searches"][0]["lastSearchedAt"].clone();
    assert!(hour.as_str().unwrap().contains(":00:00"), "{hour}");
    let row = |query: &str, ctr: f64, page: Value| json!({ "searchQuery": query, "hits": 4, "ctr": ctr, "topClickedPage": page, "lastSearchedAt": hour });
    let expected = json!([row("how to", 1.0, json!("page-1")), row("nothing", 0.0, Value::Null)]);
    assert_eq!((&searches["searches"], &searches["totalSearches"]), (&expected, &json!(8)));
    let first = site.get("searches?limit=1").await;
    let next = format!("searches?limit=1&cursor={}", first["nextCursor"].as_str().unwrap());
    assert_eq!(site.get(&next).await["searches"][0]["searchQuery"], "nothing");
    let vitals = site.get("web-vitals").await;
    assert_eq!(vitals["totals"]["lcp"], json!({ "p75": 1_468, "good": 4, "fair": 0, "poor": 1 }));
    assert_eq!(vitals["totals"]["inp"]["p75"], Value::Null);
    assert_eq!(vitals["pages"][0]["path"], "page-0");
    assert_eq!(vitals["pages"][1]["lcp"]["poor"], 1);
    assert_eq!(site.get("views").await["totals"]["total"], 0, "no report shows a page");
}

#[tokio::test(flavor = "multi_thread")]
async fn reported_view_counts_like_a_request() {
    let site = Counted::start().await;
    let view =
        json!([{ "view": { "referrer": "https://search.example", "utm_campaign": "spring" } }]);
    let headers = [("accept-language", "de-AT"), ("x-forwarded-for", "198.51.100.7")];
    assert_eq!(site.report("page-0", view, &headers).await, 204);
    // A page that comes back from the browser's memory is no entry.
    let own = json!([{ "view": { "referrer": format!("http://{HOST}/page-0") } }]);
    assert_eq!(site.report("page-0", own, &headers).await, 204);
    site.views_are(2, 0).await;
    for (by, value, views) in [
        ("referrer", "search.example", 1),
        ("campaign", "spring", 1),
        ("entry", "page-0", 1),
        ("language", "de-AT", 2),
        ("device", "desktop", 2),
    ] {
        site.list_is(&format!("breakdown?by={by}"), "values", values(&[(value, views)])).await;
    }
    // Both views are of one visitor.
    visitors_match((&site.api, &site.setup), "human", 1..=1).await;
    // Requests name the campaign too.
    assert_eq!(site.read("GET /page-1?utm_source=mail&utm_id=7", &[AGENT]).await, 200);
    site.list_is("breakdown?by=campaign-source", "values", values(&[("mail", 1)])).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn refused_reports_count_nothing() {
    let site = Counted::start().await;
    let json_type = ("content-type", "application/json");
    let good = json!({ "page": "page-0", "events": [{ "tab": "refused" }] }).to_string();
    let many = json!({ "page": "page-0", "events": vec![json!({ "tab": "refused" }); 51] });
    let long = json!({ "page": "page-0", "events": [{ "tab": "x".repeat(17_000) }] });
    for (body, headers, status) in [
        (good.clone(), &[AGENT, json_type, ("origin", "https://evil.example")][..], 403),
        (good.clone(), &[AGENT, json_type, ("sec-fetch-site", "cross-site")], 403),
        (good.clone(), &[AGENT, ("content-type", "text/plain")], 415),
        (good.replace("page-0", "nothing"), &[AGENT, json_type], 400),
        (good.replace("page-0", "../page-0"), &[AGENT, json_type], 400),
        (good.replace("tab", "id"), &[AGENT, json_type], 400),
        (many.to_string(), &[AGENT, json_type], 400),
        (long.to_string(), &[AGENT, json_type], 400),
        ("[]".to_owned(), &[AGENT, json_type], 400),
        (String::new(), &[AGENT, json_type], 400),
    ] {
        let answer = send((&site.api, &site.process), body, headers).await;
        assert_eq!(answer.status(), status, "{headers:?}");
    }
    // Readers who don't want to be measured, and programs.
    let refused = json!([{ "tab": "refused" }, { "view": {} }]);
    for header in [("dnt", "1"), ("sec-gpc", "1")] {
        assert_eq!(site.report("page-0", refused.clone(), &[header]).await, 204, "{header:?}");
    }
    for program in ["curl/8.5.0", "Claude-User/1.0", "Mozilla/5.0 HeadlessChrome/131.0"] {
        let headers = [("user-agent", program), json_type];
        assert_eq!(send((&site.api, &site.process), good.clone(), &headers).await.status(), 204);
    }
    // This one counts, so everything before it would show by then.
    assert_eq!(site.report("page-0", json!([{ "tab": "counted" }]), &[]).await, 204);
    site.list_is("breakdown?by=chosen-tab", "values", values(&[("counted", 1)])).await;
    assert_eq!(site.get("views").await["totals"]["total"], 0);
    let answer = ask(&site.process.address, (HOST, "GET /_docwright/reading"), &[AGENT]).await;
    assert_eq!(answer.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_reports_are_bounded() {
    let site = Counted::start().await;
    let mut accepted = 0;
    for number in 0..80 {
        let events: Vec<_> = (0..50)
            .map(|each| json!({ "search": [format!("query {number} {each}"), 1] }))
            .collect();
        let address = if number < 70 { "198.51.100.1" } else { "198.51.100.2" };
        let status = site.report("page-0", json!(events), &[("x-forwarded-for", address)]).await;
        assert!(status == 204 || status == 429, "{status}");
        accepted += usize::from(status == 204);
    }
    // Sixty of each reader in a minute; a new minute can begin in between.
    assert!((70..=80).contains(&accepted), "{accepted}");
    let total = 50 * accepted;
    eventually("the searches are written", async || {
        let searches = site.get("searches?limit=1").await;
        if searches["totalSearches"] == total { Ok(()) } else { Err(searches) }
    })
    .await;
    let (mut rows, mut cursor) = (0, String::new());
    loop {
        let list = site.get(&format!("searches?limit=100&cursor={cursor}")).await;
        rows += list["searches"].as_array().unwrap().len();
        match list["nextCursor"].as_str() {
            Some(next) => next.clone_into(&mut cursor),
            None => break,
        }
    }
    assert_eq!(rows, 1_001, "a thousand values of a day, and one for all others");
}

#[tokio::test(flavor = "multi_thread")]
async fn reports_of_other_sites_are_limited_before_they_are_checked() {
    let site = Counted::start().await;
    let (event, address) = (json!([{ "tab": "Python" }]), ("x-forwarded-for", "198.51.100.1"));
    let mut refused = 0;
    for _ in 0..130 {
        let headers = [address, ("origin", "https://evil.example")];
        let status = site.report("page-0", event.clone(), &headers).await;
        assert!(status == 403 || status == 429, "{status}");
        refused += usize::from(status == 403);
    }
    // Sixty in a minute; a new minute can begin in between.
    assert!((60..=120).contains(&refused), "{refused}");
    assert_eq!(site.report("page-0", event, &[address]).await, 204, "the reader's own report");
    site.list_is("breakdown?by=chosen-tab", "values", values(&[("Python", 1)])).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn views_are_by_script_behind_a_network() {
    let setup = Setup::built_in(write_site, &[]);
    let process = setup.serve();
    let api = Api { key: setup.new_key(&["--scope", "admin"]), ..setup.api(&process) };
    let change = json!({ "features": { "analytics": { "mode": "on", "behindCdn": true } } });
    let path = format!("/v1/projects/{}/deployments/cloud", setup.project);
    assert_eq!(api.send(Method::PATCH, &path, Some(change)).await.status(), 200);
    publish(&api).await;
    assert_eq!(read(&process, "GET /page-0", &[AGENT]).await, 200);
    assert_eq!(read(&process, "GET /page-0", &[("user-agent", "Claude-User/1.0")]).await, 200);
    let body = json!({ "page": "page-1", "events": [{ "view": {} }] }).to_string();
    let headers = [AGENT, ("content-type", "application/json")];
    assert_eq!(send((&api, &process), body, &headers).await.status(), 204);
    views_are(&api, &setup, 1, 1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn feedback_is_listed_in_the_shapes_of_analytics() {
    let site = Counted::start().await;
    for (page, helpful, comment) in [
        ("page-0", true, Value::Null),
        ("page-0", false, json!("Which version?")),
        ("page-0", false, Value::Null),
        ("page-1", true, Value::Null),
    ] {
        let body = json!({ "page": page, "helpful": helpful, "comment": comment });
        let request = site.api.client.post(format!("{}/_docwright/feedback", site.process.address));
        let answer = request.header("host", HOST).json(&body).send().await.unwrap();
        assert_eq!(answer.status(), 204);
    }
    let list = site.get("feedback?limit=3").await;
    let entries = list["feedback"].as_array().unwrap();
    assert_eq!((entries.len(), &list["hasMore"]), (3, &json!(true)));
    assert_eq!(
        (&entries[0]["path"], &entries[0]["source"]),
        (&json!("page-1"), &json!("thumbs_only"))
    );
    let commented = &entries[2];
    assert_eq!(
        [&commented["comment"], &commented["source"], &commented["status"], &commented["contact"]],
        [&json!("Which version?"), &json!("contextual"), &json!("pending"), &Value::Null]
    );
    let rest = format!("feedback?limit=3&cursor={}", list["nextCursor"].as_str().unwrap());
    let rest = site.get(&rest).await;
    assert_eq!((rest["feedback"].as_array().unwrap().len(), &rest["hasMore"]), (1, &json!(false)));
    for (path, count) in [
        ("feedback?status=pending,resolved", 4),
        ("feedback?status=resolved", 0),
        ("feedback?path=page-1", 1),
        ("feedback?dateFrom=2026-01-01&dateTo=2026-01-02", 0),
    ] {
        let found = site.get(path).await;
        assert_eq!(found["feedback"].as_array().unwrap().len(), count, "{path}");
    }
    let row = |path: &str, up: u64, down: u64| json!({ "path": path, "thumbsUp": up, "thumbsDown": down, "code": 0, "total": up + down });
    let by_page = site.get("feedback/by-page").await;
    assert_eq!(by_page["feedback"], json!([row("page-0", 1, 2), row("page-1", 1, 0)]));
    let bad = site.get("feedback/by-page?sort=unhelpful").await;
    assert_eq!(bad["feedback"], json!([row("page-0", 1, 2)]));
}
