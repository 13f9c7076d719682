//! The response of `/metrics`: every part, written in the text format of Prometheus.

use std::{fmt, path::Path, sync::Arc};

use axum::{
    Router,
    extract::State,
    http::header,
    response::{IntoResponse, Response},
    routing::get,
};
use docwright_operations::OperationError;
use prometheus_client::{encoding::text, metrics::info::Info, registry::Registry};

use super::{disk::Disk, process::Process, queues::Queues};
use crate::error::ApiError;

const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// A part of the metrics.
pub(super) trait Part {
    /// Writes the names, help texts, and values.
    fn register(&self, registry: &mut Registry);
}

/// All metrics of a process.
#[derive(Debug)]
pub struct Exposition {
    registry: Registry,
    queues: Option<Queues>,
    disk: Disk,
}

impl Exposition {
    /// Counted parts, and parts that are read on request.
    pub(super) fn new(parts: &[&dyn Part], queues: Option<Queues>, data: &Path) -> Self {
        let mut registry = Registry::default();
        let version = [("version", env!("CARGO_PKG_VERSION"))];
        registry.register("docwright_build", "The running version", Info::new(version));
        let disk = Disk::new(data);
        let read: [Option<&dyn Part>; 2] =
            [Some(&disk), queues.as_ref().map(|queues| queues as &dyn Part)];
        for part in parts.iter().copied().chain(read.into_iter().flatten()) {
            part.register(&mut registry);
        }
        registry.register_collector(Box::new(Process::default()));
        Self { registry, queues, disk }
    }

    /// Adds another part.
    pub(super) fn registry(&mut self) -> &mut Registry {
        &mut self.registry
    }

    /// All metrics as text. Parts that do not respond soon are left out.
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
            let cause = format!("metrics can't be written: {error}");
            ApiError::from(OperationError::Internal(cause)).into_response()
        }
    }
}
