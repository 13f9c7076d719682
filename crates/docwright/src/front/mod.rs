//! The first thing that a request to the service meets: its host decides whether the service answers
//! or a site. So what authors write never shares an origin with the API, and each of the two has all
//! addresses of its hosts to itself.

mod unknown_hosts;

use std::{panic::AssertUnwindSafe, sync::Arc};

use axum::{
    Router,
    extract::Request,
    http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header, uri::PathAndQuery},
    middleware,
    response::{IntoResponse, Redirect, Response},
};
use docwright_api::ApiState;
use docwright_dashboard::MarkdownReader;
use docwright_http::{
    authority::{self, Authority, ForwardedHost, Unaddressed},
    client::ClientAddress,
    error::{self, ApiError},
    listen,
    metrics::{Requests, SiteRequests, Webhooks},
    page, request,
    tls::Tls,
};
use docwright_operations::{
    OperationError, Operations, callers::openid::Provider, ownership::Leads,
    service_hosts::ServiceHosts,
};
use docwright_serving::sites::{Hosted, Sites};
use docwright_types::site_origin::SiteOrigin;
use futures::FutureExt;
use tokio_util::sync::CancellationToken;
use tower_http::catch_panic::CatchPanicLayer;

use crate::{
    git_host::{self, GitHostState},
    webhooks,
};

/// Everything that answers.
#[derive(Debug)]
pub(crate) struct HostRouter {
    /// The hosts of the service.
    pub(crate) hosts: Arc<ServiceHosts>,
    /// What answers on them.
    pub(crate) service: Router,
    /// Compiles drafts.
    pub(crate) operations: Operations,
    /// The sites of all domains.
    pub(crate) sites: Arc<Sites>,
    /// Counts what they answer.
    pub(crate) metrics: SiteRequests,
    /// The origin of sites.
    pub(crate) site_origin: SiteOrigin,
    /// Certificates, where HTTPS is spoken.
    pub(crate) tls: Option<Arc<Tls>>,
    /// For how long browsers are to use HTTPS only.
    pub(crate) strict: Option<HeaderValue>,
}

impl HostRouter {
    /// Answers a request.
    pub(crate) async fn answer(self: Arc<Self>, mut request: Request) -> Response {
        if request.extensions().get::<ForwardedHost>().is_some() {
            self.sites.wait_for_own_changes().await;
        }
        let addressed = match self.addressed(&request) {
            Ok(addressed) => addressed,
            Err(why) => {
                let refused = |_| async move {
                    let error = OperationError::Invalid(why.sentence().to_owned());
                    page::secured(ApiError::from(error).into_response())
                };
                return request::observe_site(&self.metrics, request, refused).await;
            }
        };
        let client = request.extensions().get::<ClientAddress>().copied();
        // A preview comes and goes, and so can its certificate.
        let tells = client.is_some_and(|client| client.is_https)
            && addressed.as_ref().is_none_or(|it| !self.is_of_previews(it.host()));
        let strict = self.strict.clone().filter(|_| tells);
        let mut response = match addressed {
            None => listen::route(self.service.clone(), request).await,
            Some(addressed) => {
                request.extensions_mut().insert(addressed.clone());
                self.answer_of_host(addressed.host(), request).await
            }
        };
        if let Some(strict) = strict {
            response.headers_mut().insert(header::STRICT_TRANSPORT_SECURITY, strict);
        }
        response
    }

    /// Whether a host is that of a preview, or of drafts.
    fn is_of_previews(&self, host: &str) -> bool {
        self.sites.preview(host).is_some() || self.sites.draft_domain(host).is_some()
    }

    /// Where a request was addressed to.
    fn addressed(&self, request: &Request) -> Result<Option<Authority>, Unaddressed> {
        authority::addressed(request, |host| {
            self.hosts.is_public(host)
                || self.is_of_previews(host)
                || !matches!(self.sites.at(host, "/"), Hosted::Unknown)
        })
    }

    async fn answer_of_host(&self, host: &str, request: Request) -> Response {
        if let Some(tls) = &self.tls {
            if let Some(token) = Tls::asked_token(&request) {
                let (tls, host, token) = (Arc::clone(tls), host.to_owned(), token.to_owned());
                let answered = |_| async move { tls.answer_challenge(&host, &token).await };
                return request::observe_site(&self.metrics, request, answered).await;
            }
            if let Some(response) = tls.redirect(host, &request) {
                return request::observe_site(&self.metrics, request, |_| async { response }).await;
            }
        }
        if self.hosts.contains(host) {
            return listen::route(self.service.clone(), request).await;
        }
        let answered = |request| async move {
            let answer = AssertUnwindSafe(self.answer_of_site(host, request));
            answer.catch_unwind().await.unwrap_or_else(error::from_panic)
        };
        request::observe_site(&self.metrics, request, answered).await
    }

    async fn answer_of_site(&self, host: &str, request: Request) -> Response {
        self.sites.wait_for_own_changes().await;
        if let Some(preview) = self.sites.preview(host) {
            return self.sites.answer_preview(&preview, request).await;
        }
        if let Some(domain) = self.sites.draft_domain(host) {
            // Boxed: every request would otherwise take its room.
            return Box::pin(self.sites.answer_draft(&self.operations, &domain, request)).await;
        }
        if let Some(domain) = self.sites.proven_domain(host, request.uri().path()) {
            let keyring = &self.operations.repositories.keyring;
            return Leads::proof(keyring, &domain).into_response();
        }
        match self.sites.at(host, request.uri().path()) {
            Hosted::Release(serving, base) => self.sites.answer(&serving, base, request).await,
            // Pages that a reader has open under a former name still send feedback and reports.
            Hosted::Redirect(domain, base) if !is_reading(request.method()) => {
                match self.sites.serving(&domain) {
                    Some(serving) => self.sites.answer(&serving, base, request).await,
                    None => unknown_hosts::no_release(host, request.headers()),
                }
            }
            Hosted::Redirect(domain, base) => {
                redirect(self.site_origin, &domain, (request.uri(), base))
            }
            Hosted::NoRelease => unknown_hosts::no_release(host, request.headers()),
            Hosted::Outside => unknown_hosts::outside(host, request.headers()),
            Hosted::Unknown => unknown_hosts::unknown_host(host, request.headers()),
        }
    }
}

fn is_reading(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD)
}

/// The answer of a name whose readers belong on a domain, with the path behind its base path, which has this many
/// bytes. Browsers keep it for an hour only, since the domain can be deleted.
fn redirect(origin: SiteOrigin, domain: &str, (asked, base): (&Uri, usize)) -> Response {
    let rest = asked.path_and_query().map_or("", PathAndQuery::as_str);
    let rest = rest.get(base..).unwrap_or_default();
    let rest = if rest.starts_with('/') { rest } else { "/" };
    let headers = [
        (header::LOCATION, format!("{}{rest}", origin.address(domain))),
        (header::CACHE_CONTROL, "max-age=3600".to_owned()),
    ];
    (StatusCode::PERMANENT_REDIRECT, headers).into_response()
}

/// What answers on the hosts of the service, and what each part needs besides operations.
#[derive(Debug)]
pub(crate) struct Faces {
    pub(crate) operations: Operations,
    /// The sites of all domains: the API.
    pub(crate) sites: Arc<Sites>,
    /// Reads Markdown of pull requests: the dashboard.
    pub(crate) markdown: MarkdownReader,
    /// Who else signs people in: the dashboard.
    pub(crate) provider: Option<Provider>,
    /// Bytes of a push at most.
    pub(crate) maximum_push: u64,
    /// The service stops: streams of events end.
    pub(crate) stopping: CancellationToken,
    /// Counts webhooks.
    pub(crate) webhooks: Webhooks,
}

impl Faces {
    /// All of it: the probes too, unless they are somewhere else.
    pub(crate) fn router(self, probes: Router, requests: Requests) -> Router {
        let Self { operations, sites, markdown, provider, maximum_push, stopping, webhooks } = self;
        let git_host = GitHostState { operations: operations.clone(), maximum_push };
        docwright_api::router(ApiState { operations: operations.clone(), sites, stopping })
            .merge(git_host::router(git_host))
            .merge(webhooks::router(operations.clone(), webhooks))
            .merge(docwright_dashboard::router(operations, provider, markdown))
            .merge(probes)
            .fallback(nothing)
            .method_not_allowed_fallback(|| async { ApiError::MethodNotAllowed })
            .layer(CatchPanicLayer::custom(error::from_panic))
            .layer(middleware::from_fn(page::secure))
            .layer(middleware::from_fn_with_state(requests, request::observe))
    }
}

/// Answers every path that is no operation and no page: with a page for browsers, which are led to the path without a
/// slash at its end.
async fn nothing(method: Method, uri: Uri, headers: HeaderMap) -> Response {
    if is_browser(&headers) {
        let shorter = without_slash(&uri).filter(|_| method == Method::GET);
        let redirect = shorter.map(|path| Redirect::permanent(&path).into_response());
        return redirect.unwrap_or_else(docwright_dashboard::not_found);
    }
    let sentence = format!("There is nothing at {}; see /openapi.json.", uri.path());
    ApiError::from(OperationError::NotFound(sentence)).into_response()
}

/// The path and query without the slash at the end of the path; `None` if there is none, or if browsers could read the
/// rest as another host.
fn without_slash(uri: &Uri) -> Option<String> {
    let path = uri.path().strip_suffix('/').filter(|path| !path.is_empty())?;
    if path.ends_with('/') || path[1..].starts_with(['/', '\\']) {
        return None;
    }
    Some(uri.query().map_or_else(|| path.to_owned(), |query| format!("{path}?{query}")))
}

/// Whether the client asks for a page.
fn is_browser(headers: &HeaderMap) -> bool {
    let accept = headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok());
    accept.is_some_and(|accept| accept.contains("text/html"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slash_at_the_end_never_leads_to_another_host() {
        let shorter = |uri: &str| uri.parse().ok().and_then(|uri: Uri| without_slash(&uri));
        assert_eq!(shorter("/projects/a/").as_deref(), Some("/projects/a"));
        assert_eq!(shorter("/projects/a/?page=2").as_deref(), Some("/projects/a?page=2"));
        for uri in
            ["/", "/a", "//evil.example/", "/\\evil.example/", "///evil.example/", "//", "/a//"]
        {
            assert_eq!(shorter(uri), None, "{uri}");
        }
    }
}
