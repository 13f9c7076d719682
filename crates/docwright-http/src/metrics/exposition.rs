//! What `/metrics` answers: every part, written in the text format that Prometheus
//! reads.

use std::{fmt, path::Path, sync::Arc};

use axum::{
    Router,
    extract::State,
    http::header,
    response::{IntoResponse, Response},
    routing::get,
};
use prometheus_client::{encoding::text, metrics::info::Info, registry::Registry};

use super::{disk::Disk, process::Process, queues::Queues};
use crate::error::ApiError;

const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Something with numbers to tell.
pub(super) trait Part {
    /// Tells their names and what they mean.
    fn register(&self, registry: &mut Registry);
}

/// Everything that a process tells of itself.
#[derive(Debug)]
pub struct Exposition {
    registry: Registry,
    queues: Option<Queues>,
    disk: Disk,
}

impl Exposition {
    /// Parts that are counted, and what is read when someone asks.
    pub(super) fn new(parts: &[&dyn Part], queues: Option<Queues>, data: &Path) -> Self {
        let mut registry = Registry::default();
        let version = [("version", env!("CARGO_PKG_VERSION"))];
        registry.register("docwright_build", "The version that runs", Info::new(version));
        let disk = Disk::new(data);
        let read: [Option<&dyn Part>; 2] =
            [Some(&disk), queues.as_ref().map(|queues| queues as &dyn Part)];
        for part in parts.iter().copied().chain(read.into_iter().flatten()) {
            part.register(&mut registry);
        }
        registry.register_collector(Box::new(Process::default()));
        Self { registry, queues, disk }
    }

    /// For more that is said.
    pub(super) fn registry(&mut self) -> &mut Registry {
        &mut self.registry
    }

    /// All of it as text. What does not answer soon is left out.
    async fn text(&self) -> Result<String, fmt::Error> {
        let queues = async {
            if let Some(queues) = &self.queues {
                queues.read().await;
            }
        };
        tokio::join!(queues, self.disk.read());
        let mut written = String::new();
        text::encode(&mut written, &self.registry)?;
        Ok(written)
    }
}

/// The route of the metrics.
pub fn router(exposition: Arc<Exposition>) -> Router {
    Router::new().route("/metrics", get(metrics)).with_state(exposition)
}

async fn metrics(State(exposition): State<Arc<Exposition>>) -> Response {
    match exposition.text().await {
        Ok(text) => ([(header::CONTENT_TYPE, OPEN_METRICS)], text).into_response(),
        Err(error) => {
            ApiError::Internal(format!("metrics can't be written: {error}")).into_response()
        }
    }
}
