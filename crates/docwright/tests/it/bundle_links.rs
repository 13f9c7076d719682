//! Links to bundles in the data folder: ranges, conditions, and HEAD work as on sites.

use reqwest::{Client, Method, Response};

use crate::{server::Setup, sites::byte_ranges};

#[tokio::test(flavor = "multi_thread")]
async fn bundle_link_supports_ranges_and_conditions() {
    let setup = Setup::new();
    let process = setup.serve();
    let api = setup.api(&process);
    let export = api.start_export().await;
    api.wait_for(&export, &["completed"]).await;
    let link = api.bundle(&export).await["bundleUrl"].as_str().unwrap().to_owned();
    let ask = async |method: Method, headers: &[(&str, &str)]| -> Response {
        let mut request = Client::new().request(method, &link);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.send().await.unwrap()
    };
    let text = |answer: &Response, name: &str| {
        answer.headers().get(name).map(|value| value.to_str().unwrap().to_owned())
    };
    let whole = ask(Method::GET, &[]).await;
    assert_eq!(
        (whole.status().as_u16(), text(&whole, "accept-ranges")),
        (200, Some("bytes".into()))
    );
    assert_eq!(text(&whole, "content-type").as_deref(), Some("application/gzip"));
    let tag = text(&whole, "etag").expect("the response has an ETag");
    assert!(tag.starts_with('"'), "{tag}");
    let bundle = whole.bytes().await.unwrap();
    let size = bundle.len();
    let head = ask(Method::HEAD, &[("range", "bytes=0-1")]).await;
    assert_eq!((head.status().as_u16(), text(&head, "etag")), (200, Some(tag.clone())));
    assert_eq!(text(&head, "content-length"), Some(size.to_string()));
    assert!(head.bytes().await.unwrap().is_empty());

    let middle = format!("bytes={}-", size / 2);
    let rest = ask(Method::GET, &[("range", &middle), ("if-range", &tag)]).await;
    assert_eq!(rest.status(), 206);
    let place = format!("bytes {}-{}/{size}", size / 2, size - 1);
    assert_eq!(text(&rest, "content-range"), Some(place));
    assert_eq!(rest.bytes().await.unwrap(), bundle[size / 2..]);
    for other in ["\"x\"", &format!("W/{tag}"), "Sat, 01 Jan 2050 00:00:00 GMT"] {
        let all = ask(Method::GET, &[("range", &middle), ("if-range", other)]).await;
        assert_eq!(
            (all.status().as_u16(), all.bytes().await.unwrap().len()),
            (200, size),
            "{other}"
        );
    }
    let several = ask(Method::GET, &[("range", "bytes=0-9,-5, 20-29")]).await;
    assert_eq!(several.status(), 206);
    let kind = text(&several, "content-type").unwrap();
    let length = text(&several, "content-length").unwrap();
    let body = several.bytes().await.unwrap();
    assert_eq!(length, body.len().to_string());
    let expected = [0..10, size - 5..size, 20..30].map(|part| {
        (format!("bytes {}-{}/{size}", part.start, part.end - 1), bundle[part].to_vec())
    });
    assert_eq!(byte_ranges(&kind, &body), expected);
    let beyond = ask(Method::GET, &[("range", &format!("bytes={size}-"))]).await;
    assert_eq!(
        (beyond.status().as_u16(), text(&beyond, "content-range")),
        (416, Some(format!("bytes */{size}")))
    );
    assert_eq!(ask(Method::GET, &[("if-none-match", &tag)]).await.status(), 304);
    assert_eq!(ask(Method::GET, &[("if-match", "\"x\"")]).await.status(), 412);
    assert_eq!(ask(Method::POST, &[]).await.status(), 405);
}
