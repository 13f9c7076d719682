//! The way to a model's host: it keeps what came back, so that an error can say it, and bounds it.
//!
//! Redirects are not followed: the request holds a key, and the next host is not the one that the
//! operator named.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use futures::{StreamExt, stream};
use rig_core::http_client::{
    BoxedStream, Error, HttpClientExt, LazyBody, MultipartForm, Request, Response, Result,
    StreamingResponse,
};
use rig_reqwest::{ReqwestClient, reqwest};

/// What is kept of the beginning of an answer, in bytes.
const KEPT: usize = 2_000;
/// Longest answer that is no stream, in bytes. Errors are such answers.
const MAXIMUM_WHOLE: usize = 4 * 1024 * 1024;
/// Longest stream, in bytes: some hundred times what a model may write in one answer.
const MAXIMUM_STREAM: usize = 64 * 1024 * 1024;

/// What came back.
#[derive(Debug, Default)]
pub(super) struct Reply {
    /// Whether anything did.
    pub(super) answered: bool,
    /// The type that its host says it has.
    pub(super) content_type: String,
    /// How it begins.
    pub(super) start: Vec<u8>,
}

impl Reply {
    fn keep(&mut self, bytes: &[u8]) {
        let room = KEPT.saturating_sub(self.start.len());
        self.start.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }
}

/// A stream that goes on and on.
#[derive(Debug, thiserror::Error)]
#[error("it is longer than {} MiB, the limit", MAXIMUM_STREAM / 1024 / 1024)]
pub(super) struct TooLong;

/// Asks the host of a model once.
#[derive(Clone)]
pub(super) struct Connection {
    client: reqwest::Client,
    reply: Arc<Mutex<Reply>>,
}

impl Connection {
    pub(super) fn new(client: reqwest::Client) -> Self {
        Self { client, reply: Arc::default() }
    }

    /// A client for all connections.
    pub(super) fn client() -> std::result::Result<reqwest::Client, String> {
        let client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none());
        client.build().map_err(|error| format!("there is no HTTP client ({error})"))
    }

    /// What came back so far.
    pub(super) fn reply(&self) -> MutexGuard<'_, Reply> {
        self.reply.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A body that is no stream. A longer one is cut.
    async fn whole(&self, response: reqwest::Response) -> Result<Vec<u8>> {
        let mut chunks = response.bytes_stream();
        let mut body = Vec::new();
        while let Some(chunk) = chunks.next().await {
            let chunk = chunk.map_err(Error::instance)?;
            self.reply().keep(&chunk);
            body.extend_from_slice(&chunk);
            if body.len() >= MAXIMUM_WHOLE {
                break;
            }
        }
        Ok(body)
    }
}

impl HttpClientExt for Connection {
    fn send<T, U>(
        &self,
        request: Request<T>,
    ) -> impl Future<Output = Result<Response<LazyBody<U>>>> + Send + 'static
    where
        T: Into<Bytes> + Send,
        U: From<Bytes> + Send + 'static,
    {
        let client = ReqwestClient::from(self.client.clone());
        let request = request.map(Into::<Bytes>::into);
        async move { client.send(request).await }
    }

    fn send_multipart<U>(
        &self,
        request: Request<MultipartForm>,
    ) -> impl Future<Output = Result<Response<LazyBody<U>>>> + Send + 'static
    where
        U: From<Bytes> + Send + 'static,
    {
        let client = ReqwestClient::from(self.client.clone());
        async move { client.send_multipart(request).await }
    }

    async fn send_streaming<T>(&self, request: Request<T>) -> Result<StreamingResponse>
    where
        T: Into<Bytes> + Send,
    {
        let (parts, body) = request.into_parts();
        let request = self.client.request(parts.method, parts.uri.to_string());
        let sent = request.headers(parts.headers).body(body.into()).send().await;
        let response = sent.map_err(Error::instance)?;
        let (status, headers) = (response.status(), response.headers().clone());
        let content_type = headers.get("content-type").and_then(|value| value.to_str().ok());
        let content_type = content_type.unwrap_or_default().to_ascii_lowercase();
        {
            let mut reply = self.reply();
            reply.answered = true;
            reply.content_type.clone_from(&content_type);
        }
        let events = content_type.is_empty() || content_type.starts_with("text/event-stream");
        let answer = Response::builder().status(status).header("content-type", "text/event-stream");
        if status.is_success() && events {
            let (connection, mut length) = (self.clone(), 0);
            #[expect(clippy::result_large_err, reason = "the library's stream has this error")]
            let chunks = response.bytes_stream().map(move |chunk| match chunk {
                Err(error) => Err(Error::instance(error)),
                Ok(chunk) => {
                    connection.reply().keep(&chunk);
                    length += chunk.len();
                    if length > MAXIMUM_STREAM { Err(Error::instance(TooLong)) } else { Ok(chunk) }
                }
            });
            let chunks: BoxedStream = Box::pin(chunks);
            return Ok(answer.body(chunks)?);
        }
        let body = self.whole(response).await?;
        let whole = serde_json::from_slice::<serde_json::Value>(&body).ok();
        let choices = whole.as_ref().and_then(|answer| answer["choices"].as_array());
        if status.is_success() && choices.is_some_and(|choices| !choices.is_empty()) {
            // A host that can't stream: its answer is the only event.
            let event = String::from_utf8_lossy(&body).replace(['\n', '\r'], " ");
            let event = Ok(Bytes::from(format!("data: {event}\n\ndata: [DONE]\n\n")));
            let event: BoxedStream = Box::pin(stream::iter([event]));
            return Ok(answer.body(event)?);
        }
        let body = String::from_utf8_lossy(&body).into_owned();
        Err(Error::non_success_with_details(status, headers, body))
    }
}
