//! Access to previews with a password: a form on the preview's own host, and a signed cookie for that host alone.
//! Both work without scripts.

use axum::{
    body::to_bytes,
    extract::Request,
    http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header},
    response::{IntoResponse, Response},
};
use docwright_http::{client::ClientAddress, error::ApiError, origin};
use docwright_operations::{OperationError, attempts::Attempts, password};
use docwright_storage::{Database, Keyring, database::ServedPreview};
use docwright_types::{
    network::network,
    timestamp::{DAY, HOUR, MINUTE, Timestamp},
    token::Token,
};
use maud::html;
use url::form_urlencoded;

use super::pages;

/// Target of the form.
const PATH: &str = "/_docwright/sign-in";
/// How long a password stays accepted.
const GOOD_FOR: Timestamp = 7 * DAY;
/// The same for members, who can be removed: they are let in again while they are signed in.
const MEMBERS_GOOD_FOR: Timestamp = 12 * HOUR;
/// Wrong passwords of one network for one preview, and of all networks for it, within a time.
const OF_NETWORK: u32 = 10;
const OF_PREVIEW: u32 = 100;
const TIME: Timestamp = 10 * MINUTE;
/// Longest form, in bytes.
const MAXIMUM_FORM: usize = 4 * 1024;
/// Name of the cookie. Browsers accept the first one only over HTTPS, and for no other host.
const SECURE_COOKIE: &str = "__Host-docwright-preview";
const COOKIE: &str = "docwright-preview";

/// Decides who can see previews.
#[derive(Debug)]
pub struct Access {
    keyring: Keyring,
    /// Whether previews use HTTPS.
    is_https: bool,
    /// The address of the service, where members sign in, if it is known.
    service: Option<String>,
    attempts: Attempts,
}

impl Access {
    /// The keys of the instance sign cookies.
    pub fn new(keyring: Keyring, is_https: bool, service: Option<String>) -> Self {
        Self { keyring, is_https, service, attempts: Attempts::within(TIME) }
    }

    /// Lets a request see a preview, or answers it.
    pub(super) async fn admit(
        &self,
        (database, preview): (&Database, &ServedPreview),
        request: Request,
        now: Timestamp,
    ) -> Result<Request, Response> {
        if request.uri().path() == PATH && request.method() == Method::GET {
            return Err(self.take_code((database, preview), request.uri(), now).await);
        }
        let Some(hash) = &preview.password else { return Ok(request) };
        if request.uri().path() == PATH && request.method() == Method::POST {
            return Err(self.sign_in((preview, hash), request, now).await);
        }
        if self.is_signed_in((preview, hash), request.headers(), now) {
            return Ok(request);
        }
        let next = request.uri().path_and_query().map_or("/", |path| path.as_str());
        Err(self.ask(preview, (next, None), request.headers()))
    }

    /// Lets in a member with a code from the service; see `dashboard::pages::preview_access`.
    async fn take_code(
        &self,
        (database, preview): (&Database, &ServedPreview),
        uri: &Uri,
        now: Timestamp,
    ) -> Response {
        let query = uri.query().unwrap_or_default().as_bytes();
        let field = |name: &str| {
            let found = form_urlencoded::parse(query).find(|(each, _)| each == name);
            found.map(|(_, value)| value.into_owned()).unwrap_or_default()
        };
        let next = field("next");
        let next = if is_path(&next) { next } else { "/".to_owned() };
        let location = HeaderValue::try_from(next).unwrap_or(HeaderValue::from_static("/"));
        let mut response = (StatusCode::SEE_OTHER, [(header::LOCATION, location)]).into_response();
        // Without a code, and with an invalid one, the form is shown.
        if let (Some(hash), Some(code)) = (&preview.password, Token::parse(&field("code"))) {
            match database.use_preview_code(&code, &preview.host, now).await {
                Ok(true) => {
                    let cookie = self.cookie((preview, hash), now, MEMBERS_GOOD_FOR);
                    response.headers_mut().insert(header::SET_COOKIE, cookie);
                }
                Ok(false) => {}
                Err(error) => return ApiError::from(error).into_response(),
            }
        }
        response
    }

    async fn sign_in(
        &self,
        (preview, hash): (&ServedPreview, &str),
        request: Request,
        now: Timestamp,
    ) -> Response {
        let (parts, body) = request.into_parts();
        if !origin::is_own(&parts) {
            let sentence =
                "This form was sent from another site. Open the preview and try again.".to_owned();
            return ApiError::from(OperationError::Forbidden(sentence)).into_response();
        }
        let Ok(form) = to_bytes(body, MAXIMUM_FORM).await else {
            return ApiError::TooLarge.into_response();
        };
        let field = |name: &str| {
            let found = form_urlencoded::parse(&form).find(|(each, _)| each == name);
            found.map(|(_, value)| value.into_owned()).unwrap_or_default()
        };
        let (given, next) = (field("password"), field("next"));
        let next = if is_path(&next) { next } else { "/".to_owned() };
        // Counted before it is checked, so simultaneous attempts get no more guesses.
        let client = ClientAddress::of(&parts).address.map(network);
        let bounds = [((&preview.id, None), OF_PREVIEW), ((&preview.id, Some(client)), OF_NETWORK)];
        let Some(attempt) = self.attempts.count(&bounds, now) else {
            let said = "Too many attempts. Try again in ten minutes.";
            return (
                StatusCode::TOO_MANY_REQUESTS,
                [(header::RETRY_AFTER, "600")],
                self.ask(preview, (&next, Some(said)), &parts.headers),
            )
                .into_response();
        };
        match password::is_right(&preview.id, hash.to_owned(), given).await {
            Ok(true) => {
                self.attempts.take_back(attempt);
                let location = HeaderValue::try_from(next).unwrap_or(HeaderValue::from_static("/"));
                let cookie = self.cookie((preview, hash), now, GOOD_FOR);
                let headers = [(header::LOCATION, location), (header::SET_COOKIE, cookie)];
                (StatusCode::SEE_OTHER, headers).into_response()
            }
            Ok(false) => self.ask(preview, (&next, Some("Incorrect password.")), &parts.headers),
            Err(error) => ApiError::from(error).into_response(),
        }
    }

    /// The form, and the link for members.
    fn ask(
        &self,
        preview: &ServedPreview,
        (next, said): (&str, Option<&str>),
        headers: &HeaderMap,
    ) -> Response {
        let sentence = "This preview requires a password. Open it in a browser.";
        let error = OperationError::Forbidden(sentence.to_owned());
        let error = (StatusCode::FORBIDDEN, error.into());
        let members = self.service.as_ref().map(|service| {
            let query = form_urlencoded::Serializer::new(String::new())
                .extend_pairs([("host", preview.host.as_str()), ("next", next)])
                .finish();
            format!("{service}/preview-access?{query}")
        });
        pages::answer(error, headers, || {
            html! {
                p.place { "docwright" }
                h1 { "Password required" }
                form.actions method="post" action=(PATH) {
                    input type="hidden" name="next" value=(next);
                    label { "Password " input type="password" name="password" required autofocus autocomplete="current-password"; }
                    button.primary type="submit" { "Open preview" }
                }
                @if let Some(said) = said { p role="alert" { (said) } }
                @if let Some(members) = members {
                    p { "Members of the organization don't need the password: " a href=(members) { "Sign in with docwright" } }
                }
            }
        })
    }

    fn cookie(
        &self,
        of: (&ServedPreview, &str),
        now: Timestamp,
        good_for: Timestamp,
    ) -> HeaderValue {
        let ends = now + good_for;
        let signature = self.keyring.sign_access(&message(of, ends));
        let (name, secure) = if self.is_https { (SECURE_COOKIE, "; Secure") } else { (COOKIE, "") };
        let text = format!(
            "{name}={ends}.{signature}; Path=/; Max-Age={}; HttpOnly; SameSite=Lax{secure}",
            good_for / 1000
        );
        HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static(""))
    }

    fn is_signed_in(
        &self,
        of: (&ServedPreview, &str),
        headers: &HeaderMap,
        now: Timestamp,
    ) -> bool {
        let name = if self.is_https { SECURE_COOKIE } else { COOKIE };
        let cookies = headers.get_all(header::COOKIE).iter().filter_map(|all| all.to_str().ok());
        let mut values = cookies.flat_map(|all| all.split(';')).filter_map(|each| {
            each.trim().strip_prefix(name).and_then(|rest| rest.strip_prefix('='))
        });
        values.any(|value| {
            let Some((ends, signature)) = value.split_once('.') else { return false };
            let Ok(ends) = ends.parse::<Timestamp>() else { return false };
            now < ends && self.keyring.is_signed_access(&message(of, ends), signature)
        })
    }
}

/// The signed contents of a cookie: it ends with the password, and is valid for one preview.
fn message((preview, hash): (&ServedPreview, &str), ends: Timestamp) -> String {
    format!("{}\n{}\n{ends}\n{hash}", preview.id, preview.host)
}

/// Whether an address stays on its host.
fn is_path(next: &str) -> bool {
    next.starts_with('/') && !next.starts_with("//") && !next.contains(['\\', '\r', '\n', '\t'])
}

#[cfg(test)]
mod tests {
    use docwright_types::preview::PreviewState;

    use super::*;

    fn preview(id: &str) -> ServedPreview {
        ServedPreview {
            host: format!("{id}.localhost"),
            id: id.to_owned(),
            state: PreviewState::Open,
            end: None,
            pull_request: None,
            branch: "b".to_owned(),
            project: "P".to_owned(),
            password: Some("hash".to_owned()),
            base: None,
        }
    }

    fn cookie(access: &Access, of: &ServedPreview) -> HeaderMap {
        let set = access.cookie((of, "hash"), 1000, GOOD_FOR);
        let set = set.to_str().unwrap().split(';').next().unwrap().to_owned();
        let mut headers = HeaderMap::new();
        headers.insert(header::COOKIE, format!("other=1; {set}").parse().unwrap());
        headers
    }

    #[test]
    fn cookie_is_valid_for_one_preview_password_and_time() {
        let keyring = || Keyring::parse(&"0a".repeat(32)).unwrap();
        let access = Access::new(keyring(), true, None);
        let (a, b) = (preview("a"), preview("b"));
        let headers = cookie(&access, &a);
        assert!(access.is_signed_in((&a, "hash"), &headers, 1000));
        assert!(!access.is_signed_in((&b, "hash"), &headers, 1000), "another preview");
        assert!(!access.is_signed_in((&a, "other"), &headers, 1000), "another password");
        assert!(!access.is_signed_in((&a, "hash"), &headers, 1000 + GOOD_FOR), "too late");
        assert!(!access.is_signed_in((&a, "hash"), &HeaderMap::new(), 1000));
        let other = Access::new(Keyring::parse(&"0b".repeat(32)).unwrap(), true, None);
        assert!(!other.is_signed_in((&a, "hash"), &headers, 1000), "another instance");
        let plain = Access::new(keyring(), false, None);
        assert!(!plain.is_signed_in((&a, "hash"), &headers, 1000), "another name");
        let set = access.cookie((&a, "hash"), 1000, GOOD_FOR);
        let set = set.to_str().unwrap();
        for part in ["__Host-", "; Secure", "; HttpOnly", "; Path=/", "; SameSite=Lax"] {
            assert!(set.contains(part), "{part}: {set}");
        }
        assert!(!set.to_ascii_lowercase().contains("domain="), "{set}");
    }

    #[test]
    fn redirects_to_other_hosts_are_refused() {
        assert!(is_path("/guides/a?b=c"));
        for next in
            ["//evil.example", "https://evil.example", "/\\evil.example", "", "/\n/x", "/\t/e"]
        {
            assert!(!is_path(next), "{next:?}");
        }
    }
}
