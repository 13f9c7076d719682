//! Notices whether the model of an answer works. A reader waits less long than a host can be silent, so a model that says
//! nothing is noticed when the answer gives up.

use std::{
    fmt,
    sync::Arc,
    time::{Duration, Instant},
};

use docwright_agent::{
    models::{ModelError, Outage, Writer},
    run::Turn,
};
use futures::future::BoxFuture;

use crate::flow::Assistant;

/// Silence after which an answer that is given up shows that the host doesn't respond. Readers who leave earlier show
/// nothing.
const SILENCE: Duration = Duration::from_secs(10);

/// Learns that a model works, or why it doesn't.
pub type ModelNotice = Arc<dyn Fn(Result<(), &'static str>) + Send + Sync>;

impl Assistant {
    /// The same assistant, whose model is watched.
    #[must_use]
    pub fn watched(self, notice: ModelNotice) -> Self {
        let watched = |model| -> Arc<dyn Writer> { Arc::new(WatchedWriter { model, notice }) };
        Self { model: self.model.map(watched), ..self }
    }
}

struct WatchedWriter {
    model: Arc<dyn Writer>,
    notice: ModelNotice,
}

impl fmt::Debug for WatchedWriter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("WatchedWriter").field("model", &self.model).finish_non_exhaustive()
    }
}

/// A request to a model that can be dropped before it says something.
struct Pending<'a> {
    writer: &'a WatchedWriter,
    started: Instant,
    is_over: bool,
}

impl Drop for Pending<'_> {
    fn drop(&mut self) {
        if !self.is_over && self.started.elapsed() >= SILENCE {
            (self.writer.notice)(Err(Outage::Unreachable.reason()));
        }
    }
}

impl Writer for WatchedWriter {
    fn write<'a>(
        &'a self,
        instructions: &'a str,
        turns: &'a [Turn],
        maximum_tokens: u64,
        pieces: &'a mut (dyn FnMut(&str) + Send),
    ) -> BoxFuture<'a, Result<(), ModelError>> {
        Box::pin(async move {
            let mut pending = Pending { writer: self, started: Instant::now(), is_over: false };
            let mut noticed = |piece: &str| {
                if !piece.is_empty() && !pending.is_over {
                    pending.is_over = true;
                    (self.notice)(Ok(()));
                }
                pieces(piece);
            };
            let written = self.model.write(instructions, turns, maximum_tokens, &mut noticed).await;
            pending.is_over = true;
            if let Err(ModelError { outage: Some(outage), .. }) = &written {
                (self.notice)(Err(outage.reason()));
            }
            written
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[derive(Debug)]
    struct Scripted(&'static str, Option<Outage>);

    impl Writer for Scripted {
        fn write<'a>(
            &'a self,
            _: &'a str,
            _: &'a [Turn],
            _: u64,
            pieces: &'a mut (dyn FnMut(&str) + Send),
        ) -> BoxFuture<'a, Result<(), ModelError>> {
            Box::pin(async move {
                pieces(self.0);
                pieces(self.0);
                let message = "no".to_owned();
                let outage = self.1;
                if outage.is_none() && !self.0.is_empty() {
                    return Ok(());
                }
                Err(ModelError { message, attempts: 1, retry_after: None, outage })
            })
        }
    }

    async fn noticed(model: Scripted) -> Vec<Result<(), &'static str>> {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&seen);
        let notice: ModelNotice = Arc::new(move |result| sink.lock().unwrap().push(result));
        let assistant = Assistant { model: Some(Arc::new(model)), ..Assistant::default() };
        let model = assistant.watched(notice).model.unwrap();
        let _written = model.write("", &[], 10, &mut |_| {}).await;
        seen.lock().unwrap().clone()
    }

    #[tokio::test]
    async fn words_and_outages_are_noticed() {
        let key = Outage::Key;
        assert_eq!(noticed(Scripted("word", None)).await, [Ok(())]);
        assert_eq!(noticed(Scripted("", Some(key))).await, [Err(key.reason())]);
        let broken = noticed(Scripted("word", Some(Outage::Failing))).await;
        assert_eq!(broken, [Ok(()), Err(Outage::Failing.reason())]);
        assert_eq!(noticed(Scripted("", None)).await, [], "an error of the request");
    }
}
