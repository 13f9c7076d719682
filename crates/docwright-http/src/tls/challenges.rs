//! Answers to the challenges of certificate authorities (RFC 8555, section 8.3).

use std::time::Duration;

use axum::{
    http::header,
    response::{IntoResponse, Response},
};
use docwright_operations::OperationError;
use docwright_storage::Database;
use tokio::{sync::Semaphore, time::timeout};

use crate::error::ApiError;

/// Path of challenges.
const FOLDER: &str = "/.well-known/acme-challenge/";
/// Longest token, in characters.
const LONGEST: usize = 128;
/// Simultaneous look-ups: anyone can send requests.
const LOOKUPS: usize = 2;
/// How long a request waits for its look-up.
const PATIENCE: Duration = Duration::from_secs(5);

/// Answers to certificate authorities.
#[derive(Debug)]
pub(super) struct Challenges {
    database: Database,
    lookups: Semaphore,
}

impl Challenges {
    /// The answers in the database.
    pub(super) fn new(database: Database) -> Self {
        Self { database, lookups: Semaphore::new(LOOKUPS) }
    }

    /// The answer of a host for a token.
    pub(super) async fn answer(&self, host: &str, token: &str) -> Response {
        let looked_up = timeout(PATIENCE, async {
            let _turn = self.lookups.acquire().await;
            self.database.acme_answer(host, token).await
        });
        match looked_up.await {
            Ok(Ok(Some(answer))) => {
                ([(header::CONTENT_TYPE, "application/octet-stream")], answer).into_response()
            }
            Ok(Ok(None)) => {
                let sentence = "No certificate is being ordered with this token.";
                ApiError::from(OperationError::NotFound(sentence.to_owned())).into_response()
            }
            Ok(Err(error)) => ApiError::from(error).into_response(),
            Err(_) => {
                let cause = "there are many look-ups".to_owned();
                ApiError::from(OperationError::Unavailable(cause)).into_response()
            }
        }
    }
}

/// The token in a path, if the path is one of challenges.
pub(super) fn token(path: &str) -> Option<&str> {
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    let token = path.strip_prefix(FOLDER)?;
    ((1..=LONGEST).contains(&token.len()) && token.bytes().all(is_token)).then_some(token)
}
