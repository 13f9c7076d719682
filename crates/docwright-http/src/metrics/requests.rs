//! Metrics of requests: counts, durations, and results.

use std::{borrow::Cow, sync::Arc, time::Duration};

use axum::http::{Method, StatusCode};
use prometheus_client::{metrics::family::Family, registry::Registry};

use super::{
    exposition::Part,
    seconds::{OfBounds, REQUEST, Seconds},
};

type Labels = [(&'static str, Cow<'static, str>); 3];

/// Requests to the service itself, by method, route, and status.
#[derive(Debug, Clone)]
pub struct Requests(Family<Labels, Seconds, OfBounds>);

impl Default for Requests {
    fn default() -> Self {
        Self(Family::new_with_constructor(OfBounds(REQUEST)))
    }
}

impl Requests {
    /// Counts a request. `route` is the pattern of its path, never the path.
    pub fn answered(
        &self,
        method: &Method,
        route: Option<&str>,
        status: StatusCode,
        time: Duration,
    ) {
        let route = route.map_or(Cow::Borrowed("none"), |route| Cow::Owned(route.to_owned()));
        let labels = [
            ("method", Cow::Borrowed(known(method))),
            ("route", route),
            ("status", Cow::Borrowed(CLASSES[class(status)])),
        ];
        self.0.get_or_create(&labels).observe(time);
    }
}

/// Requests to sites, by status. They are one family: a label for each domain would be too many.
#[derive(Debug, Clone, Default)]
pub struct SiteRequests(Arc<ByClass>);

#[derive(Debug)]
struct ByClass {
    family: Family<[(&'static str, &'static str); 1], Seconds, OfBounds>,
    /// The histograms of the family, without a look-up.
    classes: [Seconds; CLASSES.len()],
}

impl Default for ByClass {
    fn default() -> Self {
        let family = Family::new_with_constructor(OfBounds(REQUEST));
        let classes = CLASSES.map(|class| family.get_or_create_owned(&[("status", class)]));
        Self { family, classes }
    }
}

impl SiteRequests {
    /// Counts a request.
    pub fn answered(&self, status: StatusCode, time: Duration) {
        self.0.classes[class(status)].observe(time);
    }
}

impl Part for Requests {
    fn register(&self, registry: &mut Registry) {
        registry.register(
            "docwright_request_seconds",
            "Time until a request to the service was answered, by method, route, and class of status",
            self.0.clone(),
        );
    }
}

impl Part for SiteRequests {
    fn register(&self, registry: &mut Registry) {
        registry.register(
            "docwright_site_request_seconds",
            "Time until a request to a site was answered, by class of status",
            self.0.family.clone(),
        );
    }
}

/// The classes of status.
const CLASSES: [&str; 5] = ["1xx", "2xx", "3xx", "4xx", "5xx"];

fn class(status: StatusCode) -> usize {
    usize::from(status.as_u16() / 100).clamp(1, CLASSES.len()) - 1
}

/// The method, unless the client made it up.
fn known(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}
