//! The cookies of a browser, and the one of a session of the dashboard.

use axum::http::{HeaderMap, header, request::Parts};
use docwright_types::token::Token;

use crate::client::ClientAddress;

/// Name of the cookie over HTTPS. Browsers accept names with this prefix only for exactly this host, and only with
/// `Secure`.
const SECURE_COOKIE: &str = "__Host-docwright";
/// Name of the cookie without HTTPS.
const PLAIN_COOKIE: &str = "docwright";

/// The name of the cookie.
pub const fn cookie_name(is_https: bool) -> &'static str {
    if is_https { SECURE_COOKIE } else { PLAIN_COOKIE }
}

/// The token of the session that a request belongs to.
pub fn token(parts: &Parts) -> Option<Token> {
    let name = cookie_name(ClientAddress::of(parts).is_https);
    cookie(&parts.headers, name).and_then(Token::parse)
}

/// The value of a cookie. A cookie that is sent twice has no value: another site might have set one of them.
pub fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let lines = headers.get_all(header::COOKIE).iter().filter_map(|line| line.to_str().ok());
    let pairs =
        lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    let mut values = pairs.filter(|(given, _)| *given == name).map(|(_, value)| value);
    let first = values.next();
    if values.next().is_some() { None } else { first }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn duplicate_cookie_is_ignored() {
        let mut headers = HeaderMap::new();
        headers.append(header::COOKIE, HeaderValue::from_static("a=1; docwright=x; b=2"));
        assert_eq!(cookie(&headers, "docwright"), Some("x"));
        assert_eq!(cookie(&headers, "c"), None);
        headers.append(header::COOKIE, HeaderValue::from_static("docwright=y"));
        assert_eq!(cookie(&headers, "docwright"), None);
    }
}
