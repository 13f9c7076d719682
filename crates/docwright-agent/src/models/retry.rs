//! Retries after transient errors: too many requests, failures of the host, interrupted streams.

use std::time::Duration;

use futures::future::BoxFuture;

use super::{Model, ModelError, Writer};
use crate::run::{ModelResponse, Turn};

/// Longest wait that a host can request, in seconds.
const MAXIMUM_WAIT: u64 = 120;

/// A model with retries after transient errors.
#[derive(Debug)]
pub struct Retry<M> {
    /// The model.
    pub model: M,
    /// First wait; it doubles with each attempt.
    pub first_wait: Duration,
}

impl<M> Retry<M> {
    /// Retries as often as the error allows, with waits from one second on.
    pub fn new(model: M) -> Self {
        Self { model, first_wait: Duration::from_secs(1) }
    }
}

impl<M: Model> Model for Retry<M> {
    fn answer<'a>(
        &'a self,
        instructions: &'a str,
        turns: &'a [Turn],
    ) -> BoxFuture<'a, Result<ModelResponse, ModelError>> {
        Box::pin(async move {
            let mut attempt = 1;
            loop {
                let mut error = match self.model.answer(instructions, turns).await {
                    Ok(answer) => return Ok(answer),
                    Err(error) => error,
                };
                if attempt >= error.attempts {
                    if attempt > 1 {
                        error.message.push_str(&format!(" (asked {attempt} times)"));
                    }
                    return Err(error);
                }
                let wait = wait(self.first_wait, attempt, error.retry_after);
                tracing::warn!(attempt, seconds = wait.as_secs_f64(), %error, "model request failed; retrying");
                tokio::time::sleep(wait).await;
                attempt += 1;
            }
        })
    }
}

impl<M: Writer> Writer for Retry<M> {
    fn write<'a>(
        &'a self,
        instructions: &'a str,
        turns: &'a [Turn],
        maximum_tokens: u64,
        pieces: &'a mut (dyn FnMut(&str) + Send),
    ) -> BoxFuture<'a, Result<(), ModelError>> {
        Box::pin(async move {
            let mut attempt = 1;
            loop {
                let mut has_text = false;
                let mut noticed = |piece: &str| {
                    has_text |= !piece.is_empty();
                    pieces(piece);
                };
                let asked = self.model.write(instructions, turns, maximum_tokens, &mut noticed);
                let Err(error) = asked.await else { return Ok(()) };
                // What was passed on can't be taken back.
                if has_text || attempt >= error.attempts {
                    return Err(error);
                }
                let wait = wait(self.first_wait, attempt, error.retry_after);
                let reason = error.without_reply();
                tracing::warn!(attempt, seconds = wait.as_secs_f64(), %reason, "model request failed; retrying");
                tokio::time::sleep(wait).await;
                attempt += 1;
            }
        })
    }
}

/// The wait that the host requests, or twice the previous one, plus up to a quarter at random, so that jobs that
/// failed together are not retried together.
pub(super) fn wait(first: Duration, attempt: u32, asked: Option<u64>) -> Duration {
    if let Some(seconds) = asked {
        return Duration::from_secs(seconds.min(MAXIMUM_WAIT));
    }
    let base = first * 2_u32.saturating_pow(attempt - 1);
    base.mul_f64(1.0 + rand::random::<f64>() / 4.0)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[derive(Debug)]
    struct Flaky {
        failures: u32,
        attempts: u32,
        asked: AtomicU32,
    }

    impl Model for Flaky {
        fn answer<'a>(
            &'a self,
            _: &'a str,
            _: &'a [Turn],
        ) -> BoxFuture<'a, Result<ModelResponse, ModelError>> {
            Box::pin(async move {
                if self.asked.fetch_add(1, Ordering::Relaxed) < self.failures {
                    let message = "overloaded".to_owned();
                    return Err(ModelError {
                        message,
                        attempts: self.attempts,
                        retry_after: None,
                        outage: None,
                    });
                }
                Ok(ModelResponse::default())
            })
        }
    }

    /// Writes a word before each failure, if it is talkative.
    #[derive(Debug)]
    struct FlakyWriter {
        is_talkative: bool,
        flaky: Flaky,
    }

    impl Writer for FlakyWriter {
        fn write<'a>(
            &'a self,
            instructions: &'a str,
            turns: &'a [Turn],
            _: u64,
            pieces: &'a mut (dyn FnMut(&str) + Send),
        ) -> BoxFuture<'a, Result<(), ModelError>> {
            Box::pin(async move {
                pieces(if self.is_talkative { "word" } else { "" });
                self.flaky.answer(instructions, turns).await.map(|_| ())
            })
        }
    }

    async fn write(is_talkative: bool, failures: u32) -> (bool, u32, String) {
        let flaky = Flaky { failures, attempts: 5, asked: AtomicU32::new(0) };
        let retry = Retry::new(FlakyWriter { is_talkative, flaky });
        let mut text = String::new();
        let is_written = retry.write("", &[], 10, &mut |piece| text.push_str(piece)).await.is_ok();
        (is_written, retry.model.flaky.asked.into_inner(), text)
    }

    #[tokio::test(start_paused = true)]
    async fn text_is_retried_until_it_begins() {
        assert_eq!(write(false, 3).await, (true, 4, String::new()));
        assert_eq!(write(true, 0).await, (true, 1, "word".to_owned()));
        assert_eq!(write(true, 3).await, (false, 1, "word".to_owned()));
    }

    async fn ask(failures: u32, attempts: u32) -> (bool, u32) {
        let model = Flaky { failures, attempts, asked: AtomicU32::new(0) };
        let retry = Retry::new(model);
        let answered = retry.answer("", &[]).await.is_ok();
        (answered, retry.model.asked.into_inner())
    }

    #[tokio::test(start_paused = true)]
    async fn transient_errors_are_retried() {
        assert_eq!(ask(3, 5).await, (true, 4));
        assert_eq!(ask(9, 5).await, (false, 5));
        assert_eq!(ask(9, 2).await, (false, 2));
        assert_eq!(ask(1, 1).await, (false, 1));
    }
}
