//! The first thing that a request to the service meets: its host decides whether a site answers or
//! the service itself. So a site never shows the API, and its requests take the shorter way.

use std::{panic::AssertUnwindSafe, sync::Arc};

use axum::{Router, extract::Request, http::Uri, middleware, response::Response};
use futures::FutureExt;
use tower_http::catch_panic::CatchPanicLayer;

use crate::{
    api,
    error::{self, ApiError},
    git_host, health, listen,
    request::{self, Counts},
    sites::Sites,
    state::AppState,
};

/// Everything that answers.
#[derive(Debug, Clone)]
pub(crate) struct Front {
    /// The sites of all domains.
    pub(crate) sites: Arc<Sites>,
    /// The service itself, for all other hosts.
    pub(crate) service: Router,
    /// Requests answered so far.
    pub(crate) counts: Arc<Counts>,
}

impl Front {
    /// Answers a request.
    pub(crate) async fn answer(self, request: Request) -> Response {
        self.sites.catch_up().await;
        let Some(serving) = self.sites.of_host(&request) else {
            return listen::route(self.service, request).await;
        };
        let answered = |request| async move {
            let answer = AssertUnwindSafe(self.sites.answer(&serving, request));
            let answer = answer.catch_unwind().await.unwrap_or_else(error::from_panic);
            // Readers are too many for a line each.
            tracing::debug!(status = answer.status().as_u16(), "answered");
            answer
        };
        request::identified(&self.counts, request, answered).await
    }
}

/// What answers on the hosts of the service.
pub(crate) fn service(state: AppState) -> Router {
    api::router()
        .merge(git_host::router())
        .merge(health::router())
        .fallback(nothing)
        .method_not_allowed_fallback(|| async { ApiError::MethodNotAllowed })
        .layer(CatchPanicLayer::custom(error::from_panic))
        .layer(middleware::from_fn_with_state(Arc::clone(&state.counts), request::identify))
        .with_state(state)
}

/// Answers every path that is no operation.
async fn nothing(uri: Uri) -> ApiError {
    ApiError::NotFound(format!("There is nothing at {}; see /openapi.json.", uri.path()))
}
