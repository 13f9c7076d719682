//! Search, pages, and answers of sites, by keys of the assistant. Clients that were written for other services send
//! further fields, which are ignored.

mod cors;
mod message;

use std::{convert::Infallible, net::IpAddr};

use axum::{
    Json,
    extract::{FromRequestParts, State},
    http::{HeaderMap, HeaderName, HeaderValue, header, request::Parts},
    middleware,
    response::{
        IntoResponse, Response, Sse,
        sse::{self, KeepAlive},
    },
    routing::options,
};
use docwright_http::{
    client::ClientAddress,
    error::{ApiError, Error},
    origin,
    parameters::Path,
};
use docwright_operations::discovery::{
    self, AssistantCaller, FoundSection, ReadPage, SearchSite, SitePage,
};
use docwright_types::assistant_key::AssistantSecret;
use futures::{StreamExt, stream};
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::{router::OpenApiRouter, routes};

use super::body::Body;
use crate::state::ApiState;
use message::{AskMessage, MessageWriter};

/// The operations of discovery. Pages of other origins can send them with a key that lists their origin.
pub(crate) fn router(state: &ApiState) -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(search))
        .routes(routes!(page))
        .routes(routes!(ask))
        // Browsers ask with this method. Without a route, the layer below wouldn't see it.
        .route("/discovery/v1/search/{domain}", options(cors::unasked))
        .route("/discovery/v1/page/{domain}", options(cors::unasked))
        .route("/discovery/v2/assistant/{domain}/message", options(cors::unasked))
        .layer(middleware::from_fn_with_state(state.clone(), cors::share))
}

/// A domain.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct DiscoveryPath {
    /// Domain of the key.
    #[param(example = "docs.example.com")]
    domain: String,
}

/// The key of a request, and who sent it. The key isn't checked yet.
#[derive(Debug)]
struct PresentedAssistantKey {
    key: Option<AssistantSecret>,
    /// The origin of the page, if one of another origin sent it.
    origin: Option<String>,
    address: Option<IpAddr>,
}

impl FromRequestParts<ApiState> for PresentedAssistantKey {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &ApiState) -> Result<Self, Infallible> {
        let text =
            |name| parts.headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
        let given = text(header::AUTHORIZATION).and_then(|text| text.split_once(' '));
        let key = given.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
        let key = key.and_then(|(_, key)| AssistantSecret::parse(key.trim()));
        // An origin that can't be read isn't listed by any key.
        let origin = parts.headers.get(header::ORIGIN).filter(|_| !origin::is_own(parts));
        let origin = origin.map(|value| value.to_str().unwrap_or_default().to_owned());
        Ok(Self { key, origin, address: ClientAddress::of(parts).address })
    }
}

impl PresentedAssistantKey {
    async fn caller(self, app: &ApiState, domain: &str) -> Result<AssistantCaller, ApiError> {
        let Self { key, origin, address } = self;
        let from = (origin.as_deref(), address);
        Ok(discovery::caller(app, key.as_ref(), domain, from).await?)
    }
}

/// Search a site
///
/// Returns the best sections of a domain's site, best first.
#[utoipa::path(
    post,
    path = "/discovery/v1/search/{domain}",
    tag = "Discovery",
    operation_id = "searchSite",
    params(DiscoveryPath),
    request_body = SearchSite,
    responses(
        (status = 200, description = "The sections.", body = [FoundSection]),
        (status = 404, description = "The domain has no active release yet.", body = Error),
        (status = 429, description = "Too many searches.", body = Error, headers(("Retry-After" = String))),
    ),
)]
async fn search(
    State(app): State<ApiState>,
    presented: PresentedAssistantKey,
    Path(DiscoveryPath { domain }): Path<DiscoveryPath>,
    body: Result<Body<SearchSite>, ApiError>,
) -> Result<Json<Vec<FoundSection>>, ApiError> {
    let caller = presented.caller(&app, &domain).await?;
    Ok(Json(discovery::search(&*app.sites, &caller, body?.value).await?))
}

/// Get a page
///
/// Returns a page of a domain's site as Markdown.
#[utoipa::path(
    post,
    path = "/discovery/v1/page/{domain}",
    tag = "Discovery",
    operation_id = "readSitePage",
    params(DiscoveryPath),
    request_body = ReadPage,
    responses(
        (status = 200, description = "The page.", body = SitePage),
        (status = 404, description = "Page not found, or the domain has no active release yet.", body = Error),
        (status = 429, description = "Too many pages.", body = Error, headers(("Retry-After" = String))),
    ),
)]
async fn page(
    State(app): State<ApiState>,
    presented: PresentedAssistantKey,
    Path(DiscoveryPath { domain }): Path<DiscoveryPath>,
    body: Result<Body<ReadPage>, ApiError>,
) -> Result<Json<SitePage>, ApiError> {
    let caller = presented.caller(&app, &domain).await?;
    Ok(Json(discovery::page(&*app.sites, &caller, body?.value).await?))
}

/// Ask the assistant
///
/// Answers the last message of a conversation from the pages of a domain's site. The response is a stream of parts, as
/// the AI SDK (version 5) reads them: text, and the address of each source. The thread's ID is in the header
/// `X-Thread-Id` and in the metadata of the last part.
#[utoipa::path(
    post,
    path = "/discovery/v2/assistant/{domain}/message",
    tag = "Discovery",
    operation_id = "askAssistant",
    params(DiscoveryPath),
    request_body = AskMessage,
    responses(
        (status = 200, description = "The parts of the answer.", content_type = "text/event-stream", body = String),
        (status = 404, description = "The domain has no assistant, or no active release yet.", body = Error),
        (status = 429, description = "Too many questions.", body = Error, headers(("Retry-After" = String))),
    ),
)]
async fn ask(
    State(app): State<ApiState>,
    presented: PresentedAssistantKey,
    Path(DiscoveryPath { domain }): Path<DiscoveryPath>,
    body: Result<Body<AskMessage>, ApiError>,
) -> Result<Response, ApiError> {
    let caller = presented.caller(&app, &domain).await?;
    let question = body?.value.question()?;
    let thread = question.thread.clone();
    let events = discovery::ask(&*app.sites, &caller, question).await?;
    let address = app.site_address(&caller.domain).unwrap_or_default();
    let mut writer = MessageWriter::new(address, thread.clone());
    let parts = events.flat_map(move |event| stream::iter(writer.parts(event)));
    let parts = parts.map(|part| Ok::<_, Infallible>(sse::Event::default().data(part)));
    let mut response = Sse::new(parts).keep_alive(KeepAlive::default()).into_response();
    let text = HeaderValue::from_static;
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, text("no-store"));
    headers.insert(HeaderName::from_static("x-accel-buffering"), text("no"));
    headers.insert(HeaderName::from_static("x-vercel-ai-ui-message-stream"), text("v1"));
    insert_thread(headers, thread.as_deref());
    Ok(response)
}

fn insert_thread(headers: &mut HeaderMap, thread: Option<&str>) {
    if let Some(value) = thread.and_then(|thread| HeaderValue::from_str(thread).ok()) {
        headers.insert(HeaderName::from_static("x-thread-id"), value);
    }
}
