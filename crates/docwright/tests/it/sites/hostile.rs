//! Hostile requests.

use super::{HOST, Site, ask::ask};

#[tokio::test(flavor = "multi_thread")]
async fn paths_outside_the_site_are_not_found() {
    let site = Site::publish().await;
    for path in [
        "/../../etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/..%2f..%2fetc/passwd",
        "/guides/../page",
        "/guides/%2e%2e/page",
        "/./page",
        "/guides//deep",
        "//page",
        "/%2Fpage",
        "/%5c..%5cpage",
        "/%00",
        "/page%00",
        "/page.html%00.png",
        "/%ff%fe",
        "/%",
        "/%zz",
        "/page%",
        "/%C0%AE%C0%AE/page",
        "/manifest.json",
        "/.git/config",
        "/*",
    ] {
        let answer = site.ask(&format!("GET {path}"), &[]).await;
        assert_eq!((answer.status, answer.header("location")), (404, None), "{path}");
        assert!(answer.body == site.contents("404.html"), "{path}");
    }
    let long = format!("GET /{}", "a/".repeat(20_000));
    assert_eq!(site.ask(&long, &[]).await.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_redirect_leads_to_another_host() {
    let site = Site::publish().await;
    for path in [
        "//evil.example",
        "//evil.example/",
        "//evil.example/..",
        "//evil.example/%2e%2e/",
        "///evil.example/",
        "//page/",
        "/%2Fevil.example/",
        "/%5Cevil.example/",
        "/any//evil.example",
        "/any/%2Fevil.example",
        "/any/%5Cevil.example",
        "/any/%0d%0alocation:%20x",
        "/v1//evil.example",
        "/page/?//evil.example/",
    ] {
        let answer = site.ask(&format!("GET {path}"), &[]).await;
        let location = answer.header("location").unwrap_or("/");
        let own =
            location.starts_with('/') && !location.starts_with("//") && !location.contains('\\');
        assert!(own, "{path}: {location}");
        assert!([307, 308, 404].contains(&answer.status), "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn malformed_headers_are_accepted_or_refused() {
    let site = Site::publish().await;
    let long = "\"x\",".repeat(3_000);
    for (name, value) in [
        ("range", "bytes=0-0,".repeat(500).as_str()),
        ("range", "bytes=18446744073709551615-18446744073709551616"),
        ("if-none-match", &long),
        ("if-none-match", "W/W/\"\"\"\"\","),
        ("if-match", "\u{e4}"),
        ("accept-encoding", ";;;q=,,=q;gzip;q"),
        ("accept-encoding", "gzip;q=9999999999999999999999"),
        ("accept", ";"),
        ("if-range", "\""),
    ] {
        let answer = site.ask("GET /page", &[(name, value)]).await;
        assert!([200, 206, 412, 416].contains(&answer.status), "{name}: {value}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn host_serves_only_its_site() {
    let site = Site::publish().await;
    let server = &site.process.address;
    for host in
        ["docs.example.com", "DOCS.Example.com", "docs.example.com:8080", "docs.example.com."]
    {
        let answer = ask(server, (host, "GET /page"), &[]).await;
        assert!(answer.status == 200 && answer.body == site.contents("page.html"), "{host}");
    }
    let absolute = ask(server, ("127.0.0.1", "GET http://docs.example.com/page"), &[]).await;
    assert!(absolute.body == site.contents("page.html"), "the absolute address wins");
    for (host, status) in [
        ("other.example.com", 421),
        ("docs.example.com.evil.example", 421),
        ("127.0.0.1", 404),
        ("[::1]:80", 404),
        ("", 400),
        ("docs.example.com@evil.example", 400),
    ] {
        let answer = ask(server, (host, "GET /page"), &[]).await;
        assert_eq!(answer.status, status, "{host}");
        assert_eq!(answer.header("content-type"), Some("application/json"), "{host}");
    }
    for path in ["/healthz", "/metrics", "/openapi.json", "/v2/agent/prj_x/jobs"] {
        let answer = ask(server, (HOST, &format!("GET {path}")), &[]).await;
        assert_eq!(answer.status, 404, "a site never shows the API: {path}");
    }
}
