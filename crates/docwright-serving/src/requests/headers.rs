//! Which headers of a reader's request are passed on, and the headers of the response as a page reads them.

use std::iter;

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use super::refusal::Refusal;

/// Most headers of a request.
const MOST: usize = 100;
/// Longest list of a response's headers, in bytes. Browsers refuse responses with longer headers.
const LONGEST_LIST: usize = 64 * 1024;
/// What `encodeURIComponent` encodes.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'!')
    .remove(b'~')
    .remove(b'*')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')');

/// Headers that the connection, this program, or the browser decides, as in browsers. They are left out.
const OWN: [&str; 23] = [
    // The message and its connection.
    "host",
    "content-length",
    "transfer-encoding",
    "connection",
    "keep-alive",
    "te",
    "trailer",
    "upgrade",
    "http2-settings",
    "expect",
    // The body is shown as it comes, so it isn't compressed.
    "accept-encoding",
    "accept-charset",
    // Where a request comes from.
    "origin",
    "referer",
    "forwarded",
    "via",
    "x-real-ip",
    "true-client-ip",
    "date",
    "dnt",
    // Answers of a browser's questions.
    "access-control-request-headers",
    "access-control-request-method",
    "access-control-request-private-network",
];
/// The same, by the start of their names.
const OWN_PREFIXES: [&str; 4] = ["x-forwarded-", "proxy-", "sec-", "docwright-"];

/// Reads a list of headers, without those that aren't the reader's to decide. Names and values that would change the
/// message around them are refused.
///
/// A `Cookie` is passed on: it is one that the reader typed, as for an API whose key is a cookie. Those of the
/// reader's browser are in another header, of which nothing is read.
pub(super) fn read(list: &str) -> Result<HeaderMap, Refusal> {
    let text = percent_decode_str(list).decode_utf8().map_err(|_| Refusal::WrongHeaders)?;
    let pairs: Vec<(String, String)> =
        serde_json::from_str(&text).map_err(|_| Refusal::WrongHeaders)?;
    if pairs.len() > MOST {
        return Err(Refusal::WrongHeaders);
    }
    let mut headers = HeaderMap::new();
    for (name, value) in &pairs {
        let name =
            HeaderName::from_bytes(name.as_bytes()).map_err(|_| Refusal::WrongHeader(name.clone()));
        let name = name?;
        let value = HeaderValue::from_bytes(value.trim_ascii().as_bytes())
            .map_err(|_| Refusal::WrongHeader(name.to_string()))?;
        if !is_own(name.as_str()) {
            headers.append(name, value);
        }
    }
    headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    Ok(headers)
}

/// Whether a header isn't the reader's to decide.
fn is_own(name: &str) -> bool {
    OWN.contains(&name) || OWN_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// The headers of a response as text for one header: pairs of name and value in JSON, percent-encoded. Headers beyond
/// the limit are left out.
pub(super) fn written(headers: &HeaderMap) -> HeaderValue {
    let mut list = String::new();
    for (name, value) in headers {
        // As in browsers, a byte is a character.
        let value: String = value.as_bytes().iter().map(|byte| char::from(*byte)).collect();
        let pair = serde_json::json!([name.as_str(), value]).to_string();
        let separator = if list.is_empty() { "" } else { "," };
        let encoded: String =
            iter::once(separator).chain(utf8_percent_encode(&pair, ENCODED)).collect();
        if list.len() + encoded.len() > LONGEST_LIST {
            break;
        }
        list += &encoded;
    }
    HeaderValue::try_from(format!("%5B{list}%5D")).unwrap_or(HeaderValue::from_static("%5B%5D"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(pairs: &[(&str, &str)]) -> String {
        utf8_percent_encode(&serde_json::json!(pairs).to_string(), ENCODED).to_string()
    }

    #[test]
    fn headers_of_connection_and_origin_are_left_out() {
        for name in [
            "Host",
            "Content-Length",
            "Transfer-Encoding",
            "Connection",
            "TE",
            "Upgrade",
            "Accept-Encoding",
            "Origin",
            "Referer",
            "Forwarded",
            "X-Forwarded-For",
            "X-Forwarded-Host",
            "X-Real-IP",
            "Via",
            "Proxy-Authorization",
            "Proxy-Connection",
            "Sec-Fetch-Site",
            "Docwright-Request-Url",
        ] {
            let read = read(&list(&[(name, "x"), ("X-Kept", "1")])).unwrap();
            let names: Vec<_> = read.keys().map(HeaderName::as_str).collect();
            let expected = ["x-kept", "accept-encoding"];
            assert_eq!(names, expected, "{name}");
            assert_eq!(read["accept-encoding"], "identity", "{name}");
        }
    }

    #[test]
    fn headers_of_reader_are_passed_on() {
        let read = read(&list(&[
            ("Authorization", "Bearer a"),
            ("Cookie", "sid=1"),
            ("X-Id", " 1 "),
            ("x-id", "2"),
            ("X-Name", "grün"),
        ]));
        let read = read.unwrap();
        assert_eq!(read["authorization"], "Bearer a");
        assert_eq!(read["cookie"], "sid=1");
        assert_eq!(Vec::from_iter(read.get_all("x-id")), ["1", "2"]);
        assert_eq!(read["x-name"].as_bytes(), "grün".as_bytes());
    }

    #[test]
    fn injected_headers_are_refused() {
        for (name, value) in [
            ("X-A", "1\r\nHost: evil.example"),
            ("X-A", "1\nX-B: 2"),
            ("X-A", "1\0"),
            ("X-A\r\nHost", "evil.example"),
            ("X A", "1"),
            ("X-A:", "1"),
            (":authority", "evil.example"),
            ("", "1"),
            ("X-Ä", "1"),
        ] {
            let refused = read(&list(&[(name, value)]));
            assert!(matches!(refused, Err(Refusal::WrongHeader(_))), "{name:?} {value:?}");
        }
        for list in ["", "%", "{}", "%5B%22a%22%5D", "%5B%5B%22a%22%2C1%5D%5D", "%ff"] {
            assert!(matches!(read(list), Err(Refusal::WrongHeaders)), "{list}");
        }
        assert!(read(&list(&[("a", "b"); 101])).is_err());
    }

    #[test]
    fn list_of_response_is_one_inert_value() {
        let mut headers = HeaderMap::new();
        headers.append("set-cookie", HeaderValue::from_static("a=1; Path=/"));
        headers.append("set-cookie", HeaderValue::from_static("b=2"));
        headers.append("x-name", HeaderValue::from_bytes(b"gr\xfcn").unwrap());
        let written = written(&headers);
        let text = percent_decode_str(written.to_str().unwrap()).decode_utf8().unwrap();
        let pairs: Vec<(String, String)> = serde_json::from_str(&text).unwrap();
        let expected = [("set-cookie", "a=1; Path=/"), ("set-cookie", "b=2"), ("x-name", "grün")];
        let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(pairs, expected);
        let mut long = HeaderMap::new();
        for number in 0..100 {
            long.append("x-long", HeaderValue::try_from(format!("{number}").repeat(2000)).unwrap());
        }
        let written = super::written(&long);
        assert!(written.len() <= LONGEST_LIST + 6);
        let text = percent_decode_str(written.to_str().unwrap()).decode_utf8().unwrap();
        assert!(serde_json::from_str::<Vec<(String, String)>>(&text).unwrap().len() > 5);
    }
}
