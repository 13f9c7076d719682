//! A table of requests and their responses according to RFC 9110.

use std::{io::Read, ops::Range};

use flate2::read::GzDecoder;

use super::{Site, SiteResponse, byte_ranges};

/// The expected body of a response.
enum Body {
    /// An uncompressed file.
    File(&'static str),
    /// A byte range of it.
    Part(&'static str, Range<usize>),
    /// The gzip member of a file, byte for byte.
    Member(&'static str),
    /// An empty body with the file's length in the header.
    LengthOf(&'static str),
    /// An empty body.
    Empty,
    /// Any nonempty body.
    Some,
}
use Body::{Empty, File, LengthOf, Member, Part, Some as Anything};

type Headers<'a> = &'a [(&'a str, &'a str)];

async fn check(
    site: &Site,
    start: &str,
    headers: Headers<'_>,
    status: u16,
    body: Body,
) -> SiteResponse {
    let answer = site.ask(start, headers).await;
    let what = format!("{start} {headers:?}");
    assert_eq!(answer.status, status, "{what}");
    assert_eq!(answer.header("transfer-encoding"), None, "{what}");
    assert!(answer.header("x-request-id").is_some() && answer.header("date").is_some(), "{what}");
    let (mut length, mut expected) = (None, None);
    match body {
        File(path) => expected = Some(site.contents(path)),
        Part(path, range) => expected = Some(site.contents(path)[range].to_vec()),
        Member(path) => {
            expected = Some(site.member(path));
            let mut inflated = Vec::new();
            GzDecoder::new(answer.body.as_slice()).read_to_end(&mut inflated).unwrap();
            assert!(inflated == site.contents(path), "{what}: gzip has the same contents");
        }
        LengthOf(path) => (length, expected) = (Some(site.contents(path).len()), Some(Vec::new())),
        Empty => expected = Some(Vec::new()),
        Anything => assert!(!answer.body.is_empty(), "{what}"),
    }
    if let Some(expected) = expected {
        assert!(answer.body == expected, "{what}: {} bytes came", answer.body.len());
    }
    let length = length.unwrap_or(answer.body.len());
    let said = answer.header("content-length").map(|length| length.parse().unwrap());
    assert!(said == Some(length) || (status == 304 && said.is_none()), "{what}: {said:?}");
    answer
}

fn expect(answer: &SiteResponse, headers: Headers<'_>) {
    for (name, value) in headers {
        let found = answer.header(name).unwrap_or("nothing");
        assert_eq!(found, *value, "{name} of {}", answer.status);
    }
}

const GZIP: (&str, &str) = ("accept-encoding", "gzip, deflate, br, zstd");

#[tokio::test(flavor = "multi_thread")]
async fn files_have_two_forms() {
    let site = Site::publish().await;
    let (plain, gzip) = site.tags("page.html");
    for path in ["/page", "/page.html", "/page?a=b", "/%70age"] {
        let get = format!("GET {path}");
        let answer = check(&site, &get, &[], 200, File("page.html")).await;
        expect(
            &answer,
            &[
                ("etag", &plain),
                ("vary", "Accept, Accept-Encoding"),
                ("content-type", "text/html; charset=utf-8"),
                ("content-encoding", "nothing"),
                ("cache-control", "no-cache"),
                ("accept-ranges", "bytes"),
                ("x-content-type-options", "nosniff"),
                ("referrer-policy", "strict-origin-when-cross-origin"),
                ("x-llms-txt", "/llms.txt"),
                (
                    "server-timing",
                    "mcp;desc=\"/mcp\", feedback;desc=\"/_docwright/feedback\", \
                     reading;desc=\"/_docwright/reading\"",
                ),
            ],
        );
        assert!(answer.header("link").unwrap().contains("</llms.txt>; rel=\"llms-txt\""));
        let answer = check(&site, &get, &[GZIP], 200, Member("page.html")).await;
        expect(
            &answer,
            &[
                ("etag", &gzip),
                ("content-encoding", "gzip"),
                ("content-type", "text/html; charset=utf-8"),
                ("vary", "Accept, Accept-Encoding"),
                ("accept-ranges", "nothing"),
            ],
        );
    }
    for (accepted, status, body) in [
        ("gzip;q=0", 200, File("page.html")),
        ("", 200, File("page.html")),
        ("br", 200, File("page.html")),
        ("gzip;q=0.5, identity", 200, File("page.html")),
        ("*", 200, Member("page.html")),
        ("x-gzip", 200, Member("page.html")),
        ("identity;q=0, gzip", 200, Member("page.html")),
        ("identity;q=0", 406, Anything),
        ("*;q=0", 406, Anything),
    ] {
        check(&site, "GET /page", &[("accept-encoding", accepted)], status, body).await;
    }
    for (path, kind, vary) in [
        ("images/small.png", "image/png", "Accept-Encoding"),
        ("files/empty.txt", "text/plain; charset=utf-8", "Accept-Encoding"),
        ("_docwright/theme.css", "text/css; charset=utf-8", "Accept-Encoding"),
        ("_docwright/theme.js", "text/javascript; charset=utf-8", "Accept-Encoding"),
        ("page.md", "text/markdown; charset=utf-8", "Accept, Accept-Encoding"),
    ] {
        let answer = site.ask(&format!("GET /{path}"), &[]).await;
        expect(&answer, &[("content-type", kind), ("vary", vary), ("cache-control", "no-cache")]);
        assert!(answer.body == site.contents(path), "{path}");
    }
    for (path, stored) in [("files/big.zip", true), ("images/small.png", true), ("page.md", false)]
    {
        assert_eq!(site.bundle.get(path).unwrap().member.stored, stored, "{path}");
    }
    let answer =
        check(&site, "GET /images/small.png", &[GZIP], 200, File("images/small.png")).await;
    expect(&answer, &[("content-encoding", "nothing"), ("accept-ranges", "bytes")]);
    let refused = [("accept-encoding", "gzip, identity;q=0")];
    check(&site, "GET /images/small.png", &refused, 200, Member("images/small.png")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn conditions_are_evaluated() {
    let site = Site::publish().await;
    let (plain, gzip) = site.tags("page.html");
    let (weak, list) = (format!("W/{plain}"), format!("\"x\", {plain}"));
    for (headers, status) in [
        (&[("if-none-match", plain.as_str())][..], 304),
        (&[("if-none-match", &weak)], 304),
        (&[("if-none-match", &list)], 304),
        (&[("if-none-match", "*")], 304),
        (&[("if-none-match", &gzip), GZIP], 304),
        (&[("if-none-match", &gzip)], 200),
        (&[("if-none-match", &plain), GZIP], 200),
        (&[("if-none-match", "\"x\"")], 200),
        (&[("if-modified-since", "Sat, 01 Jan 2050 00:00:00 GMT")], 200),
        (&[("if-unmodified-since", "Sat, 01 Jan 2000 00:00:00 GMT")], 200),
        (&[("if-match", &plain)], 200),
        (&[("if-match", "*")], 200),
        (&[("if-match", &weak)], 412),
        (&[("if-match", "\"x\"")], 412),
        (&[("if-match", "\"x\""), ("if-none-match", &plain)], 412),
        (&[("if-match", &plain), ("if-none-match", &plain)], 304),
        (&[("if-none-match", &plain), ("range", "bytes=0-1")], 304),
    ] {
        let body = match status {
            200 if headers.contains(&GZIP) => Member("page.html"),
            200 => File("page.html"),
            _ => Empty,
        };
        let answer = check(&site, "GET /page", headers, status, body).await;
        let tag = if headers.contains(&GZIP) { &gzip } else { &plain };
        expect(&answer, &[("etag", tag), ("cache-control", "no-cache")]);
        expect(&answer, &[("vary", "Accept, Accept-Encoding")]);
        if status == 304 {
            expect(&answer, &[("content-type", "nothing"), ("content-encoding", "nothing")]);
        }
        let head = site.ask("HEAD /page", headers).await;
        assert_eq!((head.status, head.body.len()), (status, 0), "HEAD {headers:?}");
        assert_eq!(head.header("etag"), answer.header("etag"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn ranges_are_of_uncompressed_files() {
    let site = Site::publish().await;
    for path in ["page.html", "images/small.png", "files/big.zip", "files/digits.txt"] {
        let size = site.contents(path).len();
        let (tag, gzip) = site.tags(path);
        let get = format!("GET /{path}");
        let (last, tail) = (format!("bytes={}-", size - 1), format!("bytes={}-{size}", size / 2));
        for (range, part) in [
            ("bytes=0-0", 0..1),
            ("bytes=5-9", 5..10),
            ("bytes=-7", size - 7..size),
            ("bytes=-99999999999", 0..size),
            (last.as_str(), size - 1..size),
            (&tail, size / 2..size),
            // Across the header of a stored block.
            ("bytes=65530-65545", 65_530..65_546),
            ("bytes=1000000-2200000", 1_000_000..2_200_001),
        ] {
            if part.start >= size {
                continue;
            }
            let part = part.start..part.end.min(size);
            let place = format!("bytes {}-{}/{size}", part.start, part.end - 1);
            let body = Part(path, part.clone());
            let answer = check(&site, &get, &[("range", range)], 206, body).await;
            expect(&answer, &[("content-range", &place), ("etag", &tag)]);
            let headers = [("range", range), ("if-range", &tag)];
            check(&site, &get, &headers, 206, Part(path, part)).await;
        }
        let weak = format!("W/{tag}");
        for headers in [
            &[("range", "bytes=0-1"), ("if-range", "\"x\"")][..],
            &[("range", "bytes=0-1"), ("if-range", &weak)],
            &[("range", "bytes=0-1"), ("if-range", &gzip)],
            &[("range", "bytes=0-1"), ("if-range", "Sat, 01 Jan 2050 00:00:00 GMT")],
            &[("range", "bytes=0-,0-")],
            &[("range", "bytes=9-5")],
            &[("range", "lines=0-1")],
            &[("range", "bytes=x-")],
        ] {
            check(&site, &get, headers, 200, File(path)).await;
        }
        let beyond = format!("bytes={size}-");
        let answer = check(&site, &get, &[("range", &beyond)], 416, Empty).await;
        expect(&answer, &[("content-range", &format!("bytes */{size}"))]);
        let several = format!("bytes=-2,0-1,{size}-,5-7");
        let answer = site.ask(&get, &[("range", &several), ("if-range", &tag)]).await;
        assert_eq!(answer.status, 206, "{path}");
        assert_eq!(answer.header("etag"), Some(tag.as_str()));
        let length = answer.body.len().to_string();
        assert_eq!(answer.header("content-length"), Some(length.as_str()));
        let contents = site.contents(path);
        let expected = [size - 2..size, 0..2, 5..8].map(|part| {
            let place = format!("bytes {}-{}/{size}", part.start, part.end - 1);
            (place, contents[part].to_vec())
        });
        let kind = answer.header("content-type").unwrap();
        assert_eq!(byte_ranges(kind, &answer.body), expected, "{path}");
        let head = format!("HEAD /{path}");
        check(&site, &head, &[("range", "bytes=0-1")], 200, LengthOf(path)).await;
        check(&site, &get, &[], 200, File(path)).await;
    }
    let range = ("range", "bytes=0-1");
    check(&site, "GET /page", &[range, GZIP], 200, Member("page.html")).await;
    check(&site, "GET /files/digits.txt", &[GZIP], 200, Member("files/digits.txt")).await;
    check(&site, "GET /images/small.png", &[range, GZIP], 206, Part("images/small.png", 0..2))
        .await;
    check(&site, "GET /files/empty.txt", &[("range", "bytes=0-")], 416, Empty).await;
    check(&site, "GET /files/empty.txt", &[("range", "bytes=-5")], 200, Empty).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn addresses_methods_and_redirects_are_handled() {
    let site = Site::publish().await;
    for (path, status, location) in [
        ("/page/", 308, "/page"),
        ("/page///", 308, "/page"),
        ("/page/?a=b&c", 308, "/page?a=b&c"),
        ("/guides/deep.html/", 308, "/guides/deep.html"),
        ("/old", 308, "/page"),
        ("/old/?a", 308, "/page"),
        ("/old.html", 200, "nothing"),
        ("/soon", 307, "/page#part"),
        ("/v1/a/b%20c", 308, "/v2/a/b%20c"),
        ("/any/x", 307, "/x"),
        ("/guides", 404, "nothing"),
        ("/guides/", 404, "nothing"),
        ("/nowhere/", 404, "nothing"),
    ] {
        let answer = site.ask(&format!("GET {path}"), &[]).await;
        assert_eq!(answer.status, status, "{path}");
        expect(&answer, &[("location", location)]);
    }
    check(&site, "HEAD /page", &[], 200, LengthOf("page.html")).await;
    check(&site, "GET /", &[], 200, File("index.html")).await;
    for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"] {
        let answer = check(&site, &format!("{method} /page"), &[], 405, Empty).await;
        expect(&answer, &[("allow", "GET, HEAD")]);
    }
    let text = ("accept", "text/markdown, text/plain;q=0.9");
    let answer = check(&site, "GET /page", &[text], 200, File("page.md")).await;
    expect(
        &answer,
        &[
            ("content-type", "text/markdown; charset=utf-8"),
            ("vary", "Accept, Accept-Encoding"),
            ("etag", &site.tags("page.md").0),
            ("server-timing", "nothing"),
        ],
    );
    check(&site, "GET /page", &[text, GZIP], 200, Member("page.md")).await;
    let browser = ("accept", "text/html,application/xhtml+xml,*/*;q=0.8");
    check(&site, "GET /page", &[browser], 200, File("page.html")).await;
    for headers in [&[][..], &[("if-none-match", "*")], &[("range", "bytes=0-1")]] {
        let answer = check(&site, "GET /nowhere", headers, 404, File("404.html")).await;
        expect(&answer, &[("etag", "nothing"), ("cache-control", "no-cache")]);
    }
    check(&site, "GET /nowhere", &[GZIP], 404, Member("404.html")).await;
    let named = |path: &&str| path.starts_with("_docwright/code/") && path.len() == 35;
    let hashed = site.bundle.files().iter().map(|file| &*file.path).find(named).unwrap();
    let answer = site.ask(&format!("GET /{hashed}"), &[GZIP]).await;
    expect(&answer, &[("cache-control", "public, max-age=31536000, immutable")]);
    assert!(answer.body == site.member(hashed));
    let is_font = |path: &&str| path.ends_with(".inter-latin.woff2");
    let font = site.bundle.files().iter().map(|file| &*file.path).find(is_font).unwrap();
    let answer = site.ask(&format!("GET /{font}"), &[]).await;
    expect(
        &answer,
        &[("content-type", "font/woff2"), ("cache-control", "public, max-age=31536000, immutable")],
    );
    let id = [("x-request-id", "mine")];
    expect(&check(&site, "GET /page", &id, 200, Anything).await, &[("x-request-id", "mine")]);
}
