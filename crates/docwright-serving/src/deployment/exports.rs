//! What a deployment asks a service for, the newest export for it, and tells it: the export that is served. The program asks, because this crate doesn't
//! know the API.

use std::fmt;

use docwright_types::timestamp::Timestamp;
use futures::future::BoxFuture;

use super::{Link, ServiceSource, UpdateError};

/// The exports of services.
pub trait Exports: fmt::Debug + Send + Sync {
    /// Polls a service for the newest completed export. Starts one if the site needs it.
    fn poll<'a>(
        &'a self,
        source: &'a ServiceSource,
        request: ExportRequest<'a>,
    ) -> BoxFuture<'a, Result<ExportPoll, UpdateError>>;

    /// Tells a service that an export is served.
    fn report<'a>(
        &'a self,
        source: &'a ServiceSource,
        export: &'a str,
    ) -> BoxFuture<'a, Result<(), UpdateError>>;
}

/// Which export a deployment needs.
#[derive(Debug, Clone, Copy)]
pub struct ExportRequest<'a> {
    /// The only label that the export can have. No export is started then.
    pub version: Option<&'a str>,
    /// An export that needs no link: it was applied or refused.
    pub known: Option<&'a str>,
}

/// The result of a poll.
#[derive(Debug, Default)]
pub struct ExportPoll {
    /// The newest completed export.
    pub completed: Option<CompletedExport>,
    /// A sentence about an export that will be completed.
    pub pending: Option<String>,
    /// Why no newer export will be completed.
    pub problem: Option<String>,
    /// When the API key expires.
    pub key_expires_at: Option<Timestamp>,
}

/// A completed export.
#[derive(Debug)]
pub struct CompletedExport {
    /// Its ID.
    pub id: String,
    /// A new link to its bundle; `None` if the export is the known one.
    pub bundle: Option<LinkedBundle>,
}

/// A bundle behind a link.
#[derive(Debug)]
pub struct LinkedBundle {
    /// A link that was just created.
    pub link: Link,
    /// SHA-256 of the bundle, in lower-case hex.
    pub sha256: String,
}

/// A program without services.
#[derive(Debug)]
pub struct NoExports;

impl Exports for NoExports {
    fn poll<'a>(
        &'a self,
        _source: &'a ServiceSource,
        _request: ExportRequest<'a>,
    ) -> BoxFuture<'a, Result<ExportPoll, UpdateError>> {
        Box::pin(async {
            Err(UpdateError::Permanent(anyhow::anyhow!("this program can't poll a service")))
        })
    }

    fn report<'a>(
        &'a self,
        _source: &'a ServiceSource,
        _export: &'a str,
    ) -> BoxFuture<'a, Result<(), UpdateError>> {
        Box::pin(async { Ok(()) })
    }
}
