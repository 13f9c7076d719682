//! Tricks of hostile authors, readers, and pages of other sites, and what each of them gets.

use super::{Asked, RecordingApi, SiteServer, deployed::DeployedSite, passed_on, refused};

/// A site whose author named the API, and every private address. The operator named the API alone.
async fn hostile_site() -> (DeployedSite, RecordingApi, RecordingApi) {
    let (api, inside) = (RecordingApi::start().await, RecordingApi::start().await);
    let port = inside.port;
    let mut servers = vec![api.origin()];
    for host in [
        "127.0.0.1",
        "localhost",
        "0.0.0.0",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[::127.0.0.1]",
        "[64:ff9b::127.0.0.1]",
        "[2002:7f00:1::]",
        "10.0.0.1",
        "100.64.0.1",
        "169.254.169.254",
        "172.16.0.1",
        "192.168.0.1",
        "224.0.0.1",
        "240.0.0.1",
        "[fd00::1]",
        "[fe80::1]",
        "[ff02::1]",
    ] {
        servers.push(format!("http://{host}:{port}"));
    }
    let site = DeployedSite::start(&servers, &[&format!("127.0.0.1:{}", api.port)], &[]).await;
    (site, api, inside)
}

#[tokio::test(flavor = "multi_thread")]
async fn no_spelling_of_an_address_leads_inside() {
    let (site, api, inside) = hostile_site().await;
    let (ok, in_) = (api.port, inside.port);
    let private = "has a private address";
    let unlisted = "doesn't name that server";
    let address = "must start with https://";
    for (url, status, words) in [
        // An author named them, but the operator didn't.
        (format!("http://127.0.0.1:{in_}/"), 403, private),
        (format!("http://2130706433:{in_}/"), 403, private),
        (format!("http://0x7f000001:{in_}/"), 403, private),
        (format!("http://0x7f.1:{in_}/"), 403, private),
        (format!("http://0177.0.0.1:{in_}/"), 403, private),
        (format!("http://017700000001:{in_}/"), 403, private),
        (format!("http://127.1:{in_}/"), 403, private),
        (format!("http://127.0.0.1.:{in_}/"), 403, private),
        (
            format!("http://１２７.0.0.1:{in_}/").replace("１２７", "%EF%BC%91%EF%BC%92%EF%BC%97"),
            403,
            private,
        ),
        (format!("http://localhost:{in_}/"), 403, private),
        (format!("http://LOCALHOST:{in_}/"), 403, private),
        (format!("http://0:{in_}/"), 403, private),
        (format!("http://[::1]:{in_}/"), 403, private),
        (format!("http://[0:0:0:0:0:0:0:1]:{in_}/"), 403, private),
        (format!("http://[::]:{in_}/"), 403, private),
        (format!("http://[::ffff:127.0.0.1]:{in_}/"), 403, private),
        (format!("http://[::ffff:7f00:1]:{in_}/"), 403, private),
        (format!("http://[::127.0.0.1]:{in_}/"), 403, private),
        (format!("http://[64:ff9b::127.0.0.1]:{in_}/"), 403, private),
        (format!("http://[2002:7f00:1::]:{in_}/"), 403, private),
        (format!("http://10.0.0.1:{in_}/"), 403, private),
        (format!("http://100.64.0.1:{in_}/"), 403, private),
        (format!("http://169.254.169.254:{in_}/latest/meta-data/"), 403, private),
        (format!("http://172.16.0.1:{in_}/"), 403, private),
        (format!("http://192.168.0.1:{in_}/"), 403, private),
        (format!("http://224.0.0.1:{in_}/"), 403, private),
        (format!("http://240.0.0.1:{in_}/"), 403, private),
        (format!("http://[fd00::1]:{in_}/"), 403, private),
        (format!("http://[fe80::1]:{in_}/"), 403, private),
        (format!("http://[ff02::1]:{in_}/"), 403, private),
        // Nobody named them.
        (format!("http://localhost.:{in_}/"), 403, unlisted),
        (format!("http://localhost:{ok}/"), 403, unlisted),
        (format!("https://127.0.0.1:{ok}/"), 403, unlisted),
        ("http://127.0.0.1/".to_owned(), 403, unlisted),
        ("http://127.0.0.1:1/".to_owned(), 403, unlisted),
        ("http://169.254.169.254/latest/meta-data/".to_owned(), 403, unlisted),
        ("https://elsewhere.example/".to_owned(), 403, unlisted),
        (format!("http://elsewhere.example#@127.0.0.1:{ok}/"), 403, unlisted),
        (format!("http://elsewhere.example/@127.0.0.1:{ok}/"), 403, unlisted),
        (format!("http://127.0.0.1:{ok}.elsewhere.example/"), 400, address),
        // They aren't addresses that requests are sent to.
        (format!("http://127.0.0.1:{ok}@elsewhere.example/"), 400, address),
        (format!("http://user@127.0.0.1:{ok}/"), 400, address),
        (format!("http://user:secret@127.0.0.1:{ok}/"), 400, address),
        (format!("ftp://127.0.0.1:{ok}/"), 400, address),
        (format!("gopher://127.0.0.1:{ok}/_GET"), 400, address),
        ("file:///etc/passwd".to_owned(), 400, address),
        ("data:text/html,hello".to_owned(), 400, address),
        (format!("//127.0.0.1:{ok}/"), 400, address),
        ("/things".to_owned(), 400, address),
        (String::new(), 400, address),
    ] {
        let (found, error) = refused(site.server.ask(&Asked::get(&url)).await).await;
        assert!(found == status && error.contains(words), "{url}: {found} {error}");
    }
    assert!(inside.taken().is_empty(), "nothing inside was contacted");
    assert!(api.taken().is_empty(), "nothing was sent");
    // Other spellings of the allowed address are that address.
    for url in [
        format!("http://127.0.0.1:{ok}/things?a=1#part"),
        format!("http://2130706433:{ok}/things?a=1"),
        format!("http:\\\\127.0.0.1:{ok}\\things?a=1"),
    ] {
        let response = site.server.ask(&Asked::get(&url)).await;
        assert_eq!(passed_on(&response).0, 200, "{url}");
        assert_eq!(api.taken()[0].path, "/things?a=1", "{url}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn redirect_is_shown_and_not_followed() {
    let (site, api, inside) = hostile_site().await;
    let url = format!("{}/redirect", api.origin());
    let response = site.server.ask(&Asked::get(url)).await;
    assert_eq!(response.status(), 200);
    assert!(!response.headers().contains_key("location"));
    let (status, headers) = passed_on(&response);
    assert_eq!(status, 302);
    let location = headers.iter().find(|(name, _)| name == "location").unwrap();
    assert_eq!(location.1, "http://169.254.169.254/latest/meta-data/");
    assert_eq!((api.taken().len(), inside.taken().len()), (1, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn only_headers_of_the_reader_are_passed_on() {
    let (site, api, _) = hostile_site().await;
    let own = [
        ("cookie", "docwright-preview=secret"),
        ("authorization", "Bearer of-the-site"),
        ("user-agent", "Browser/1"),
        ("accept-language", "de"),
        ("x-forwarded-for", "192.0.2.1"),
        ("x-own", "1"),
    ];
    let asked = Asked {
        method: "POST",
        headers: vec![
            ("Content-Type", "application/json"),
            ("X-Key", "k"),
            ("Cookie", "sid=typed"),
            ("Host", "169.254.169.254"),
            ("Content-Length", "0"),
            ("Transfer-Encoding", "chunked"),
            ("Connection", "close, X-Key"),
            ("Upgrade", "websocket"),
            ("TE", "trailers"),
            ("Trailer", "X-Late"),
            ("Expect", "100-continue"),
            ("Forwarded", "for=127.0.0.1"),
            ("X-Forwarded-For", "127.0.0.1"),
            ("X-Forwarded-Host", "inside"),
            ("X-Real-IP", "127.0.0.1"),
            ("Proxy-Authorization", "Basic eA=="),
            ("Sec-Fetch-Site", "same-origin"),
            ("Origin", "http://inside"),
            ("Referer", "http://inside/"),
            ("Docwright-Request-Url", "http://inside/"),
        ],
        body: br#"{"a":1}"#.to_vec(),
        own: own.map(|(name, value)| (name, value.to_owned())).to_vec(),
        ..Asked::get(format!("{}/things", api.origin()))
    };
    let response = site.server.ask(&asked).await;
    assert_eq!(passed_on(&response).0, 200);
    let arrived = api.taken().remove(0);
    assert_eq!((arrived.method.as_str(), arrived.body.as_slice()), ("POST", &asked.body[..]));
    let mut headers: Vec<_> =
        arrived.headers.keys().map(|name| (name.as_str(), arrived.header(name.as_str()))).collect();
    headers.sort_unstable();
    let host = format!("127.0.0.1:{}", api.port);
    let expected = [
        ("accept", "*/*"),
        ("accept-encoding", "identity"),
        ("content-length", "7"),
        ("content-type", "application/json"),
        ("cookie", "sid=typed"),
        ("host", host.as_str()),
        ("user-agent", "docwright"),
        ("x-key", "k"),
    ];
    assert_eq!(headers, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn injected_lines_are_refused() {
    let (site, api, _) = hostile_site().await;
    let url = format!("{}/things", api.origin());
    for (name, value) in [
        ("X-A", "1\r\nHost: inside"),
        ("X-A", "1\nTransfer-Encoding: chunked"),
        ("X-A", "1\0"),
        ("X-A\r\nHost", "inside"),
        ("X-A: 1\r\n\r\nGET / HTTP/1.1\r\nX-B", "2"),
        ("Transfer-Encoding ", "chunked"),
        (" Transfer-Encoding", "chunked"),
        (":path", "/inside"),
    ] {
        let asked = Asked { headers: vec![(name, value)], ..Asked::get(&url) };
        let (status, error) = refused(site.server.ask(&asked).await).await;
        assert_eq!(status, 400, "{name:?} {value:?}: {error}");
        assert!(!error.contains(['\r', '\n']), "{error:?}");
    }
    for method in ["CONNECT", "TRACE", "TRACK", "connect", "GET /inside", "GET\tX", ""] {
        let asked = Asked { method, ..Asked::get(&url) };
        let (status, error) = refused(site.server.ask(&asked).await).await;
        assert_eq!(status, 400, "{method:?}: {error}");
    }
    // Line breaks in the address are part of no request.
    let response = site.server.ask(&Asked::get(format!("{url}?a=%0d%0aHost:%20inside"))).await;
    assert_eq!(passed_on(&response).0, 200);
    let arrived = api.taken();
    assert_eq!(arrived.len(), 1);
    assert_eq!(arrived[0].path, "/things?a=%0d%0aHost:%20inside");
}

#[tokio::test(flavor = "multi_thread")]
async fn response_is_inert_on_the_origin_of_the_site() {
    let (site, api, _) = hostile_site().await;
    let response = site.server.ask(&Asked::get(format!("{}/page", api.origin()))).await;
    assert_eq!(response.status(), 200);
    for (name, value) in [
        ("content-type", "application/octet-stream"),
        ("content-disposition", "attachment"),
        ("x-content-type-options", "nosniff"),
        ("content-security-policy", "sandbox; default-src 'none'"),
        ("cross-origin-resource-policy", "same-origin"),
        ("cache-control", "no-store"),
    ] {
        assert_eq!(response.headers()[name], value, "{name}");
    }
    for name in ["set-cookie", "access-control-allow-origin", "service-worker-allowed"] {
        assert!(!response.headers().contains_key(name), "{name}");
    }
    let (_, headers) = passed_on(&response);
    let cookie = ("set-cookie".to_owned(), "session=stolen; Path=/".to_owned());
    assert!(headers.contains(&cookie), "{headers:?}");
    assert_eq!(response.text().await.unwrap(), "<script>alert(1)</script>");
}

#[tokio::test(flavor = "multi_thread")]
async fn request_must_come_from_a_page_of_the_site() {
    let (site, api, _) = hostile_site().await;
    let url = format!("{}/things", api.origin());
    let own = site.server.address.clone();
    let port = own.rsplit(':').next().unwrap();
    for (headers, is_sent) in [
        (vec![], true),
        (vec![("origin", own.clone()), ("sec-fetch-site", "same-origin".to_owned())], true),
        (vec![("origin", "https://evil.example".to_owned())], false),
        (vec![("origin", format!("{own}.evil.example"))], false),
        (vec![("origin", format!("http://localhost:{port}"))], false),
        (vec![("origin", "http://127.0.0.1".to_owned())], false),
        (vec![("origin", "null".to_owned())], false),
        (vec![("sec-fetch-site", "cross-site".to_owned())], false),
        (vec![("sec-fetch-site", "same-site".to_owned())], false),
        (vec![("origin", own.clone()), ("sec-fetch-site", "cross-site".to_owned())], false),
    ] {
        let response = site.server.ask(&Asked { own: headers.clone(), ..Asked::get(&url) }).await;
        let expected = if is_sent { 200 } else { 403 };
        assert_eq!(response.status(), expected, "{headers:?}");
        assert_eq!(api.taken().len(), usize::from(is_sent), "{headers:?}");
    }
    // A page of another site asks whether it can send these headers. There is no permission in the response.
    let path = format!("{own}/_docwright/request");
    for method in ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "PATCH"] {
        let request = site.server.client.request(method.parse().unwrap(), &path);
        let response = request.header("docwright-request-url", &url).send().await.unwrap();
        assert_eq!(response.status(), 405, "{method}");
        assert_eq!(response.headers()["allow"], "POST", "{method}");
        assert!(!response.headers().contains_key("access-control-allow-headers"), "{method}");
    }
    let missing = site.server.client.post(&path).header("docwright-request-method", "GET");
    let (status, error) = refused(missing.send().await.unwrap()).await;
    assert!(status == 400 && error.contains("Docwright-Request-Url"), "{error}");
    assert!(api.taken().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_over_the_limit_are_refused_in_both_directions() {
    let (site, api, _) = hostile_site().await;
    let url = |path: &str| format!("{}{path}", api.origin());
    let most = 10 * 1024 * 1024;
    let with =
        |length| Asked { method: "PUT", body: vec![b'x'; length], ..Asked::get(url("/things")) };
    assert_eq!(passed_on(&site.server.ask(&with(most)).await).0, 200);
    assert_eq!(api.taken()[0].body.len(), most);
    // The server refuses it by its length, before its first byte.
    let asked = Asked::get(url("/things"));
    let (length, list) = ((most + 1).to_string(), asked.list());
    let headers = [
        ("content-type", "application/octet-stream"),
        ("content-length", &length),
        ("docwright-request-method", "PUT"),
        ("docwright-request-url", &asked.url),
        ("docwright-request-headers", &list),
    ];
    let start = ("127.0.0.1", "POST /_docwright/request");
    assert_eq!(crate::sites::ask(&site.server.address, start, &headers).await.status, 413);
    assert!(api.taken().is_empty());
    let longest = site.server.ask(&Asked::get(url("/longest"))).await;
    assert_eq!(longest.bytes().await.unwrap().len(), most);
    let (status, error) = refused(site.server.ask(&Asked::get(url("/long"))).await).await;
    assert_eq!((status, error.as_str()), (502, "The body of the response exceeds 10 MiB."));
}

#[tokio::test(flavor = "multi_thread")]
async fn statuses_and_empty_bodies_are_passed_on() {
    let (site, api, _) = hostile_site().await;
    for (method, path, status, text) in [
        ("GET", "/missing", 404, "no such thing"),
        ("GET", "/empty", 204, ""),
        ("HEAD", "/things", 200, ""),
        ("OPTIONS", "/things", 200, "done"),
        ("DELETE", "/things", 200, "done"),
        ("QUERY", "/things", 200, "done"),
        ("POST", "/things", 200, "done"),
    ] {
        let url = format!("{}{path}", api.origin());
        let response = site.server.ask(&Asked { method, ..Asked::get(url) }).await;
        assert_eq!(response.status(), 200, "{method} {path}");
        assert_eq!(passed_on(&response).0, status, "{method} {path}");
        assert_eq!(response.text().await.unwrap(), text, "{method} {path}");
        assert_eq!(api.taken()[0].method, method);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn reader_gets_sixty_requests_in_a_minute() {
    let (site, api, _) = hostile_site().await;
    let url = format!("{}/things", api.origin());
    let mut statuses = Vec::new();
    // A new minute can start during the test, in which the reader has as many again.
    for _ in 0..130 {
        let response = site.server.ask(&Asked::get(&url)).await;
        let wait = response.headers().get("retry-after").map(|it| it.to_str().unwrap().to_owned());
        statuses.push((response.status().as_u16(), wait));
    }
    let (sent, limited): (Vec<_>, Vec<_>) = statuses.iter().partition(|(status, _)| *status == 200);
    assert!((60..=120).contains(&sent.len()), "{}", sent.len());
    for (status, wait) in limited {
        let wait: u64 = wait.as_ref().unwrap().parse().unwrap();
        assert!(*status == 429 && (1..=60).contains(&wait), "{status} {wait}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn api_that_is_gone_is_reported() {
    let gone = RecordingApi::start().await;
    let site = DeployedSite::start(
        &[gone.origin(), "http://no-such-host.invalid".to_owned()],
        &["127.0.0.1"],
        &[],
    )
    .await;
    let url = format!("{}/things", gone.origin());
    assert_eq!(passed_on(&site.server.ask(&Asked::get(url)).await).0, 200);
    let unknown = site.server.ask(&Asked::get("http://no-such-host.invalid/")).await;
    let (status, error) = refused(unknown).await;
    assert_eq!(status, 502);
    assert_eq!(error, "no-such-host.invalid can't be reached: its name is unknown.");
}

/// Servers never share what they allow.
#[tokio::test(flavor = "multi_thread")]
async fn origins_of_one_site_are_not_those_of_another() {
    let (one, other) = (RecordingApi::start().await, RecordingApi::start().await);
    let ports = [&format!("127.0.0.1:{}", one.port), &format!("127.0.0.1:{}", other.port)];
    let ports = ports.map(String::as_str);
    let first = DeployedSite::start(&[one.origin()], &ports, &[]).await;
    let second = DeployedSite::start(&[other.origin()], &ports, &[]).await;
    let status = async |server: &SiteServer, api: &RecordingApi| {
        let url = format!("{}/things", api.origin());
        server.ask(&Asked::get(url)).await.status().as_u16()
    };
    assert_eq!(status(&first.server, &one).await, 200);
    assert_eq!(status(&first.server, &other).await, 403);
    assert_eq!(status(&second.server, &one).await, 403);
    assert_eq!(status(&second.server, &other).await, 200);
}
