//! The first thing that a request to the service meets: its host decides whether the service answers
//! or a site. So what authors write never shares an origin with the API, and each of the two has all
//! addresses of its hosts to itself.

mod nobody;

use std::{panic::AssertUnwindSafe, sync::Arc};

use axum::{
    Router,
    extract::Request,
    http::{HeaderValue, Uri, header},
    middleware,
    response::{IntoResponse, Response},
};
use futures::FutureExt;
use tower_http::catch_panic::CatchPanicLayer;

use crate::{
    api,
    client::ClientAddress,
    dashboard,
    error::{self, ApiError},
    git_host, hooks,
    hosts::{self, ServiceHosts},
    listen,
    metrics::{Requests, SiteRequests},
    page, request,
    sites::{Hosted, Sites},
    state::AppState,
    tls::Tls,
};

/// Everything that answers.
#[derive(Debug, Clone)]
pub(crate) struct Front {
    /// The hosts of the service.
    pub(crate) hosts: Arc<ServiceHosts>,
    /// What answers on them.
    pub(crate) service: Router,
    /// The sites of all domains.
    pub(crate) sites: Arc<Sites>,
    /// Counts what they answer.
    pub(crate) metrics: SiteRequests,
    /// Certificates, where HTTPS is spoken.
    pub(crate) tls: Option<Arc<Tls>>,
    /// For how long browsers are to use HTTPS only.
    pub(crate) strict: Option<HeaderValue>,
}

impl Front {
    /// Answers a request.
    pub(crate) async fn answer(self, request: Request) -> Response {
        let client = request.extensions().get::<ClientAddress>().copied();
        // A preview comes and goes, and so may its certificate.
        let tells = client.is_some_and(|client| client.is_https)
            && hosts::of(&request).is_none_or(|host| self.sites.preview(&host).is_none());
        let strict = self.strict.clone().filter(|_| tells);
        let mut response = self.answer_of_host(request).await;
        if let Some(strict) = strict {
            response.headers_mut().insert(header::STRICT_TRANSPORT_SECURITY, strict);
        }
        response
    }

    async fn answer_of_host(self, request: Request) -> Response {
        let host = hosts::of(&request);
        if let (Some(tls), Some(host)) = (&self.tls, &host) {
            if let Some(token) = Tls::asked_token(&request) {
                let (tls, host, token) = (Arc::clone(tls), host.to_string(), token.to_owned());
                let answered = |_| async move { tls.answer_challenge(&host, &token).await };
                return request::observe_site(&self.metrics, request, answered).await;
            }
            if let Some(response) = tls.redirect(host, &request) {
                return request::observe_site(&self.metrics, request, |_| async { response }).await;
            }
        }
        if host.as_ref().is_some_and(|host| host.is_empty() || self.hosts.contains(host)) {
            return listen::route(self.service, request).await;
        }
        let host = host.map(|host| Box::<str>::from(&*host));
        let metrics = self.metrics.clone();
        let answered = |request| async move {
            let answer = AssertUnwindSafe(self.answer_of_site(host, request));
            answer.catch_unwind().await.unwrap_or_else(error::from_panic)
        };
        request::observe_site(&metrics, request, answered).await
    }

    async fn answer_of_site(self, host: Option<Box<str>>, request: Request) -> Response {
        let Some(host) = host else {
            let sentence = "The request names no host, or more than one; send one `Host` header.";
            return page::secured(ApiError::Invalid(sentence.to_owned()).into_response());
        };
        self.sites.catch_up().await;
        if let Some(preview) = self.sites.preview(&host) {
            return self.sites.answer_preview(&preview, request).await;
        }
        match self.sites.at(&host, request.uri().path()) {
            Hosted::Release(serving, base) => self.sites.answer(&serving, base, request).await,
            Hosted::NoRelease => nobody::no_release(&host, request.headers()),
            Hosted::Outside => nobody::outside(&host, request.headers()),
            Hosted::Unknown => nobody::unknown_host(&host, request.headers()),
        }
    }
}

/// What answers on the hosts of the service: the probes too, unless they are somewhere else.
pub(crate) fn service(state: AppState, probes: Router, requests: Requests) -> Router {
    let operations = api::router(&state.repositories.public_url).with_state(state.clone());
    let pages = dashboard::router(state.clone(), operations.clone());
    operations
        .merge(git_host::router().merge(hooks::router()).with_state(state))
        .merge(pages)
        .merge(probes)
        .fallback(nothing)
        .method_not_allowed_fallback(|| async { ApiError::MethodNotAllowed })
        .layer(CatchPanicLayer::custom(error::from_panic))
        .layer(middleware::from_fn(page::secure))
        .layer(middleware::from_fn_with_state(requests, request::observe))
}

/// Answers every path that is no operation.
async fn nothing(uri: Uri) -> ApiError {
    ApiError::NotFound(format!("There is nothing at {}; see /openapi.json.", uri.path()))
}
