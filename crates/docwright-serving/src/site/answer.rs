//! Answers a request to a site from its bundle.
//!
//! Contents are sent as they are in the bundle: its gzip members are bodies for clients that accept gzip. The two
//! forms of a file have separate tags. Agents get pages as Markdown on request, and a server of their own
//! protocol.

use std::{io, ops::Range, sync::Arc};

use axum::{
    body::Body,
    extract::Request,
    http::{HeaderMap, HeaderValue, Method, StatusCode, header, request::Parts},
    response::{IntoResponse, Response},
};
use docwright_http::{
    contents::{self, Condition, with},
    error::ApiError,
};
use docwright_operations::OperationError;
use docwright_site::bundle::Sha256Hash;

use super::{
    address::{self, AddressTarget},
    body, language, mcp,
    mount::Mount,
    negotiate::{self, Form, wants_markdown},
    open_site::{OpenSite, is_immutable},
    shown::Shown,
};
use crate::{assistant, requests};

/// What the home page of a site in several languages depends on.
const HOME_VARIES: &str = "Accept, Accept-Encoding, Accept-Language, Cookie";

/// Folder of the files of the assistant.
const ASSISTANT_FILES: &str = "_docwright/assistant/";

/// Answers a request to a site.
pub async fn answer(site: &Arc<OpenSite>, request: Request, mount: Mount<'_>) -> Response {
    if request.uri().path() == mcp::PATH {
        return mcp::answer(site, mount, request).await;
    }
    if request.uri().path() == requests::PATH {
        if let Some((proxy, asking)) = mount.sender(site) {
            return proxy.answer(asking, request).await;
        }
        let sentence = "This site sends no requests of API pages.".to_owned();
        return ApiError::from(OperationError::NotFound(sentence)).into_response();
    }
    if request.uri().path() == assistant::PATH {
        if let Some((assistant, name)) = mount.assistant_of(site) {
            return assistant.answer((name, site), request).await;
        }
        let sentence = "This site has no assistant.".to_owned();
        return ApiError::from(OperationError::NotFound(sentence)).into_response();
    }
    if request.uri().path() == assistant::RATING_PATH
        && let Some((assistant, name)) = mount.assistant_of(site)
    {
        return assistant.rate((name, site), request).await;
    }
    if request.method() != Method::GET && request.method() != Method::HEAD {
        return (StatusCode::METHOD_NOT_ALLOWED, [(header::ALLOW, "GET, HEAD")]).into_response();
    }
    if let Some(response) = mcp::discovery(site, request.uri().path(), mount).await {
        return response;
    }
    let (request, _) = request.into_parts();
    let answered = match address::find(site, &request.uri) {
        AddressTarget::Home(file) => home(site, file, &request, mount).await,
        AddressTarget::File(file) => {
            let file = preferred(site, file, &request.headers);
            send(site, file, &request, mount).await
        }
        AddressTarget::Elsewhere(to) => {
            Ok((to.status, [(header::LOCATION, mount.place(&to.location))]).into_response())
        }
        AddressTarget::Nothing => missing(site, &request, mount).await.map(|mut response| {
            Shown::mark_missing(site, &mut response);
            response
        }),
    };
    answered.unwrap_or_else(|error| {
        let cause = format!("a file can't be read from its bundle: {error}");
        ApiError::from(OperationError::Unavailable(cause)).into_response()
    })
}

/// The home page, or a redirect to that of the reader's language.
async fn home(
    site: &Arc<OpenSite>,
    file: usize,
    request: &Parts,
    mount: Mount<'_>,
) -> io::Result<Response> {
    let languages = &site.about().languages;
    let mut response = if let Some(to) = language::redirect(languages, request) {
        let headers = [
            (header::LOCATION, mount.place(&to.location)),
            (header::CACHE_CONTROL, HeaderValue::from_static(lifetime(false))),
        ];
        (to.status, headers).into_response()
    } else {
        send(site, preferred(site, file, &request.headers), request, mount).await?
    };
    if !languages.is_empty() {
        response.headers_mut().insert(header::VARY, HeaderValue::from_static(HOME_VARIES));
    }
    Ok(response)
}

/// A page, or its Markdown version on request.
fn preferred(site: &OpenSite, file: usize, headers: &HeaderMap) -> usize {
    let page = site.file(file).path.strip_suffix(".html").filter(|_| wants_markdown(headers));
    page.and_then(|page| site.find(&format!("{page}.md"))).unwrap_or(file)
}

/// A file, or the requested part of it.
async fn send(
    site: &Arc<OpenSite>,
    index: usize,
    request: &Parts,
    mount: Mount<'_>,
) -> io::Result<Response> {
    let mut response = send_file(site, index, request, mount).await?;
    Shown::mark(site, index, &mut response);
    Ok(response)
}

async fn send_file(
    site: &Arc<OpenSite>,
    index: usize,
    request: &Parts,
    mount: Mount<'_>,
) -> io::Result<Response> {
    let file = site.file(index);
    let Some(form) = negotiate::form(&request.headers, file.member.stored) else {
        let vary = [(header::VARY, "Accept-Encoding")];
        let text = "This file is available uncompressed or as gzip. Accept one of them.\n";
        return Ok((StatusCode::NOT_ACCEPTABLE, vary, text).into_response());
    };
    let tag = tag(&file.sha256, form);
    let mut headers = HeaderMap::with_capacity(16);
    headers.insert(header::ETAG, HeaderValue::try_from(&tag).map_err(io::Error::other)?);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(lifetime(is_immutable(file))));
    headers.insert(header::VARY, HeaderValue::from_static(varies(&file.path)));
    match contents::evaluate(&request.headers, &tag) {
        Condition::Met => {}
        Condition::NotModified => {
            return Ok(with(StatusCode::NOT_MODIFIED, headers, Body::empty()));
        }
        Condition::Failed => {
            return Ok(with(StatusCode::PRECONDITION_FAILED, headers, Body::empty()));
        }
    }
    describe(&mut headers, site, index, form, mount);
    match form {
        Form::Identity => contents::send(&Contents { site, index }, &tag, request, headers).await,
        Form::Gzip => whole(site, index, form, (StatusCode::OK, headers), request).await,
    }
}

/// A file in identity form.
struct Contents<'a> {
    site: &'a Arc<OpenSite>,
    index: usize,
}

impl contents::Contents for Contents<'_> {
    fn size(&self) -> u64 {
        self.site.file(self.index).size
    }

    async fn part(&self, range: Range<u64>) -> io::Result<Body> {
        body::part(self.site, self.index, range).await
    }
}

/// The page for missing pages. Conditions and ranges don't apply to errors.
async fn missing(site: &Arc<OpenSite>, request: &Parts, mount: Mount<'_>) -> io::Result<Response> {
    let Some(index) = site.find("404.html") else {
        return Ok((StatusCode::NOT_FOUND, "Page not found.\n").into_response());
    };
    let form = negotiate::form(&request.headers, site.file(index).member.stored);
    let form = form.unwrap_or(Form::Identity);
    let mut headers = HeaderMap::with_capacity(16);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(lifetime(false)));
    headers.insert(header::VARY, HeaderValue::from_static("Accept-Encoding"));
    describe(&mut headers, site, index, form, mount);
    whole(site, index, form, (StatusCode::NOT_FOUND, headers), request).await
}

async fn whole(
    site: &Arc<OpenSite>,
    index: usize,
    form: Form,
    (status, mut headers): (StatusCode, HeaderMap),
    request: &Parts,
) -> io::Result<Response> {
    headers.insert(header::CONTENT_LENGTH, body::length(site, index, form).into());
    let body = if request.method == Method::HEAD {
        Body::empty()
    } else {
        body::whole(site, index, form).await?
    };
    Ok(with(status, headers, body))
}

/// Headers of the contents.
fn describe(headers: &mut HeaderMap, site: &OpenSite, index: usize, form: Form, mount: Mount<'_>) {
    let path = &site.file(index).path;
    headers.insert(header::CONTENT_TYPE, site.content_type(path));
    if form == Form::Gzip {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(
        header::REFERRER_POLICY,
        HeaderValue::from_static("strict-origin-when-cross-origin"),
    );
    if path.starts_with(ASSISTANT_FILES) {
        // Pages of other sites show the assistant with these files.
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    }
    if is_page(path) {
        headers.insert(header::LINK, mount.links());
        headers.insert("x-llms-txt", mount.index());
    }
    if path.ends_with(".html") {
        headers.insert("server-timing", mount.offers(site));
    }
}

/// Tag of a file's form: both are strong, since neither changes under its tag.
fn tag(sha256: &Sha256Hash, form: Form) -> String {
    match form {
        Form::Identity => format!("\"{sha256}\""),
        Form::Gzip => format!("\"{sha256}-gzip\""),
    }
}

const fn lifetime(immutable: bool) -> &'static str {
    if immutable { "public, max-age=31536000, immutable" } else { "no-cache" }
}

fn varies(path: &str) -> &'static str {
    if is_page(path) { "Accept, Accept-Encoding" } else { "Accept-Encoding" }
}

fn is_page(path: &str) -> bool {
    path.ends_with(".html") || path.ends_with(".md")
}
