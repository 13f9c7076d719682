//! Retries after transient errors: too many requests, failures of the host, interrupted streams.

use std::time::Duration;

use futures::future::BoxFuture;

use super::{Model, ModelError};
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

impl<M: Model> Retry<M> {
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

/// The wait that the host requests, or twice the previous one, plus up to a quarter at random, so that jobs that
/// failed together are not retried together.
fn wait(first: Duration, attempt: u32, asked: Option<u64>) -> Duration {
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
                    return Err(ModelError { message, attempts: self.attempts, retry_after: None });
                }
                Ok(ModelResponse::default())
            })
        }
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
