//! Who is signed in at the dashboard, by the cookie that it gave their browser. Whatever shows pages on the
//! service's own host asks here; signing in and out is the dashboard's.

use axum::http::{HeaderMap, header, request::Parts};
use docwright_operations::Operations;
use docwright_storage::database::Account;
use docwright_types::token::Token;

use crate::{client::ClientAddress, error::ApiError};

/// Name of the cookie over HTTPS: browsers take a name that begins so only for this very host, and only
/// with `Secure`.
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

/// Who sent a request, if they are signed in with all that it takes.
pub async fn account(operations: &Operations, parts: &Parts) -> Result<Option<Account>, ApiError> {
    let Some(token) = token(parts) else { return Ok(None) };
    let found = operations.database.session(&token, operations.now()).await?;
    Ok(found.filter(|(session, _)| session.complete).map(|(_, account)| account))
}

/// The value of a cookie. One that is there twice is none: someone else might have set one of them.
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
    fn a_cookie_that_is_there_twice_is_none() {
        let mut headers = HeaderMap::new();
        headers.append(header::COOKIE, HeaderValue::from_static("a=1; docwright=x; b=2"));
        assert_eq!(cookie(&headers, "docwright"), Some("x"));
        assert_eq!(cookie(&headers, "c"), None);
        headers.append(header::COOKIE, HeaderValue::from_static("docwright=y"));
        assert_eq!(cookie(&headers, "docwright"), None);
    }
}
