//! The first thing that a request to the service meets: its host decides whether the service answers
//! or a site. So what authors write never shares an origin with the API, and each of the two has all
//! addresses of its hosts to itself.

mod nobody;

use std::{panic::AssertUnwindSafe, sync::Arc};

use axum::{
    Router,
    extract::Request,
    http::Uri,
    middleware,
    response::{IntoResponse, Response},
};
use futures::FutureExt;
use tower_http::catch_panic::CatchPanicLayer;

use crate::{
    api,
    error::{self, ApiError},
    git_host, hooks,
    hosts::{self, ServiceHosts},
    listen,
    metrics::{Requests, SiteRequests},
    page, request,
    sites::{Hosted, Sites},
    state::AppState,
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
}

impl Front {
    /// Answers a request.
    pub(crate) async fn answer(self, request: Request) -> Response {
        let host = hosts::of(&request);
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
    api::router(&state.repositories.public_url)
        .merge(git_host::router())
        .merge(hooks::router())
        .with_state(state)
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
