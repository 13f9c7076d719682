//! Who can see the page of analytics: those who know its password, by HTTP's basic authentication. Nothing is stored,
//! here or in a cookie.
//!
//! Browsers send the password with every request to the path, also with those of scripts. Such requests are refused
//! where the browser says so: authors of the site have the same host, and only people read the page.

use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use axum::{
    http::{HeaderMap, HeaderValue, Method, StatusCode, header, request::Parts},
    response::{IntoResponse, Response},
};
use base64::{Engine, prelude::BASE64_STANDARD};
use docwright_http::client::ClientAddress;
use docwright_jobs::clock::Clock;
use docwright_operations::attempts::Attempts;
use docwright_types::{
    network::network,
    timestamp::{MINUTE, Timestamp},
};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use super::error_page;

/// Wrong passwords of one network, and of all networks, within a time. As with previews.
const OF_NETWORK: u32 = 10;
const OF_ALL: u32 = 100;
const TIME: Timestamp = 10 * MINUTE;
/// Fewest characters of a password.
const SHORTEST: usize = 8;
/// The password in the environment.
const VARIABLE: &str = "DOCWRIGHT_ANALYTICS_PASSWORD";
/// Asks for the password.
const CHALLENGE: HeaderValue =
    HeaderValue::from_static("Basic realm=\"docwright analytics\", charset=\"UTF-8\"");

/// Checks passwords.
#[derive(Debug)]
pub(super) struct Access {
    /// The file that an option names.
    file: Option<PathBuf>,
    clock: Clock,
    attempts: Attempts,
}

/// Why a request can't see the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refusal {
    /// No password is set, so there is no page.
    Missing,
    /// The request has no password, or a wrong one.
    Password,
    /// Too many wrong passwords.
    Attempts,
    /// A script or a frame of a page sent the request, or it isn't a request for a page.
    Script,
    /// The password can't be read; the log says why.
    Unreadable,
}

impl Access {
    /// Checks the password in a file, or in the environment.
    pub(super) fn new(file: Option<PathBuf>) -> Self {
        Self { file, clock: Clock::default(), attempts: Attempts::within(TIME) }
    }

    /// Why a request can't see the page, if it can't. `file` is that of the values.
    pub(super) async fn refuse(&self, file: Option<PathBuf>, request: &Parts) -> Option<Refusal> {
        let password = match password(file.as_deref().or(self.file.as_deref())).await {
            Ok(Some(password)) => password,
            Ok(None) => return Some(Refusal::Missing),
            Err(error) => {
                tracing::warn!(error = format!("{error:#}"), "password of analytics not read");
                return Some(Refusal::Unreadable);
            }
        };
        if !is_opened(request) {
            return Some(Refusal::Script);
        }
        let Some(given) = given(&request.headers) else { return Some(Refusal::Password) };
        // Counted before it is checked, so simultaneous attempts get no more guesses.
        let client = request.extensions.get::<ClientAddress>();
        let client = client.and_then(|client| client.address).map(network);
        let bounds = [((true, client), OF_NETWORK), ((false, None), OF_ALL)];
        let Some(attempt) = self.attempts.count(&bounds, self.clock.now()) else {
            return Some(Refusal::Attempts);
        };
        // The hashes have one length, so the comparison says nothing about that of the password.
        let [given, password] = [given, password].map(Sha256::digest);
        if !bool::from(given.as_slice().ct_eq(&password)) {
            return Some(Refusal::Password);
        }
        self.attempts.take_back(attempt);
        None
    }
}

impl Refusal {
    pub(super) fn response(self) -> Response {
        let (status, sentence) = match self {
            Self::Missing => (StatusCode::NOT_FOUND, "This site has no page of analytics."),
            Self::Password => {
                (StatusCode::UNAUTHORIZED, "Enter the password of this page. Any username works.")
            }
            Self::Attempts => {
                (StatusCode::TOO_MANY_REQUESTS, "Too many attempts. Try again in ten minutes.")
            }
            Self::Script => (StatusCode::FORBIDDEN, "Open this page in a window of its own."),
            Self::Unreadable => {
                (StatusCode::SERVICE_UNAVAILABLE, "The password can't be read. See the log.")
            }
        };
        let page = error_page(status, sentence);
        match self {
            Self::Password => ([(header::WWW_AUTHENTICATE, CHALLENGE)], page).into_response(),
            Self::Attempts => ([(header::RETRY_AFTER, "600")], page).into_response(),
            _ => page,
        }
    }
}

/// The password in a file, or in the environment; `None` if neither is set.
async fn password(file: Option<&Path>) -> anyhow::Result<Option<Vec<u8>>> {
    let (text, place) = match file {
        Some(file) => {
            let text = tokio::fs::read_to_string(file).await;
            let place = file.display().to_string();
            (text.with_context(|| format!("cannot read {place}"))?, place)
        }
        None => (std::env::var(VARIABLE).unwrap_or_default(), VARIABLE.to_owned()),
    };
    let text = text.trim();
    if text.is_empty() && file.is_none() {
        return Ok(None);
    }
    ensure!(
        text.chars().count() >= SHORTEST,
        "the password in {place} has fewer than {SHORTEST} characters; use a longer one"
    );
    Ok(Some(text.as_bytes().to_owned()))
}

/// Whether someone opens the page, as far as a browser says it. Other programs don't name a site.
fn is_opened(request: &Parts) -> bool {
    let is = |name: &str, wanted: &str| {
        request.headers.get(name).is_none_or(|value| value.as_bytes() == wanted.as_bytes())
    };
    let is_window = is("sec-fetch-mode", "navigate") && is("sec-fetch-dest", "document");
    matches!(request.method, Method::GET | Method::HEAD)
        && (is_window || !request.headers.contains_key("sec-fetch-site"))
}

/// The password of a request, with any username.
fn given(headers: &HeaderMap) -> Option<Vec<u8>> {
    let text = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, rest) = text.split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let mut decoded = BASE64_STANDARD.decode(rest.trim()).ok()?;
    let colon = decoded.iter().position(|byte| *byte == b':')?;
    Some(decoded.split_off(colon + 1))
}

#[cfg(test)]
mod tests {
    use axum::http::Request;

    use super::*;

    fn request(password: Option<&str>, headers: &[(&str, &str)]) -> Parts {
        let mut request = Request::builder().uri("/_docwright/analytics");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        if let Some(password) = password {
            let text = BASE64_STANDARD.encode(format!("anyone:{password}"));
            request = request.header("authorization", format!("Basic {text}"));
        }
        request.body(()).unwrap().into_parts().0
    }

    fn access(password: &str) -> (tempfile::TempDir, Access) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("password");
        std::fs::write(&file, password).unwrap();
        (folder, Access::new(Some(file)))
    }

    #[tokio::test]
    async fn password_lets_people_in_and_scripts_out() {
        let (_folder, access) = access("correct: horse\n");
        let own = ("sec-fetch-site", "same-origin");
        let opened = [own, ("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "document")];
        let script = [own, ("sec-fetch-mode", "cors"), ("sec-fetch-dest", "empty")];
        let frame = [own, ("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "iframe")];
        // As programs with Node.js send it.
        let program = [("sec-fetch-mode", "cors")];
        for (password, headers, refused) in [
            (Some("correct: horse"), &[][..], None),
            (Some("correct: horse"), &opened, None),
            (Some("correct: horse"), &program, None),
            (Some("correct: horse"), &script, Some(Refusal::Script)),
            (Some("correct: horse"), &frame, Some(Refusal::Script)),
            (Some("correct"), &opened, Some(Refusal::Password)),
            (Some(""), &opened, Some(Refusal::Password)),
            (None, &opened, Some(Refusal::Password)),
        ] {
            let found = access.refuse(None, &request(password, headers)).await;
            assert_eq!(found, refused, "{password:?} {headers:?}");
        }
    }

    #[tokio::test]
    async fn guesses_are_limited() {
        let (_folder, access) = access("correct horse");
        for _ in 0..20 {
            assert_eq!(access.refuse(None, &request(Some("correct horse"), &[])).await, None);
        }
        for _ in 0..OF_NETWORK {
            let found = access.refuse(None, &request(Some("wrong"), &[])).await;
            assert_eq!(found, Some(Refusal::Password));
        }
        let found = access.refuse(None, &request(Some("correct horse"), &[])).await;
        assert_eq!(found, Some(Refusal::Attempts));
    }

    #[tokio::test]
    async fn short_or_missing_password_opens_nothing() {
        let (folder, access) = access("short\n");
        let found = access.refuse(None, &request(Some("short"), &[])).await;
        assert_eq!(found, Some(Refusal::Unreadable));
        // The file of the values has precedence.
        let own = folder.path().join("own");
        let found = access.refuse(Some(own.clone()), &request(Some("short"), &[])).await;
        assert_eq!(found, Some(Refusal::Unreadable));
        std::fs::write(&own, "long enough").unwrap();
        let found = access.refuse(Some(own), &request(Some("long enough"), &[])).await;
        assert_eq!(found, None);
        let nothing = Access::new(None);
        assert_eq!(nothing.refuse(None, &request(None, &[])).await, Some(Refusal::Missing));
    }
}
