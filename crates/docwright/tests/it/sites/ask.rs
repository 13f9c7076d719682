//! Raw requests that no client library would send.

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

/// A raw response.
#[derive(Debug)]
pub(crate) struct SiteResponse {
    pub(crate) status: u16,
    headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl SiteResponse {
    /// The value of a header that can appear once.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut found = self.headers.iter().filter(|(each, _)| each == name);
        let value = found.next().map(|(_, value)| value.as_str());
        assert!(found.next().is_none(), "{name} appears twice");
        value
    }
}

/// Sends a request to a host of a server and reads the whole response. `start` is the method and the address.
pub(crate) async fn ask(
    server: &str,
    (host, start): (&str, &str),
    headers: &[(&str, &str)],
) -> SiteResponse {
    let mut stream = TcpStream::connect(server.trim_start_matches("http://")).await.unwrap();
    let mut request = format!("{start} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n");
    for (name, value) in headers {
        request += &format!("{name}: {value}\r\n");
    }
    request += "\r\n";
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).await.unwrap();
    parse(&bytes).unwrap_or_else(|| panic!("{start}: {}", String::from_utf8_lossy(&bytes)))
}

fn parse(bytes: &[u8]) -> Option<SiteResponse> {
    let end = bytes.windows(4).position(|part| part == b"\r\n\r\n")?;
    let head = std::str::from_utf8(&bytes[..end]).ok()?;
    let mut lines = head.split("\r\n");
    let status = lines.next()?.strip_prefix("HTTP/1.1 ")?.get(..3)?.parse().ok()?;
    let headers = lines.map(|line| {
        let (name, value) = line.split_once(':').unwrap();
        (name.to_ascii_lowercase(), value.trim().to_owned())
    });
    Some(SiteResponse { status, headers: headers.collect(), body: bytes[end + 4..].to_vec() })
}

/// The ranges and contents in the body of a multipart response (RFC 9110, section 14.6).
pub(crate) fn byte_ranges(kind: &str, body: &[u8]) -> Vec<(String, Vec<u8>)> {
    let boundary = kind
        .strip_prefix("multipart/byteranges; boundary=")
        .expect("the response has several ranges");
    let find = |text: &[u8], what: &[u8]| text.windows(what.len()).position(|part| part == what);
    let (mut rest, mut parts) = (body, Vec::new());
    let delimiter = format!("\r\n--{boundary}");
    loop {
        rest = rest.strip_prefix(delimiter.as_bytes()).expect("expected the start of a part");
        if rest == b"--\r\n" {
            return parts;
        }
        let head = find(rest, b"\r\n\r\n").expect("a part has a head");
        let text = std::str::from_utf8(&rest[..head]).unwrap();
        let place = text.lines().find_map(|line| line.strip_prefix("content-range: ")).unwrap();
        rest = &rest[head + 4..];
        let end = find(rest, delimiter.as_bytes()).expect("a part ends");
        parts.push((place.to_owned(), rest[..end].to_vec()));
        rest = &rest[end..];
    }
}
