//! Counts the tokens that a model uses for an answer, while it writes: an answer that ends early counts too.
//!
//! Hosts report tokens in different ways, and not for requests that end early. So tokens are estimated: four bytes of
//! the texts that the model reads and writes are a token.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use docwright_agent::{
    models::{ModelError, Writer},
    run::Turn,
};
use futures::future::BoxFuture;

use crate::flow::Assistant;

/// Bytes of a token.
const BYTES: u64 = 4;

/// Counts the tokens of an answer. Clones count together.
#[derive(Debug, Clone, Default)]
pub struct TokenMeter(Arc<AtomicU64>);

impl TokenMeter {
    /// The tokens so far.
    pub fn tokens(&self) -> u64 {
        self.0.load(Ordering::Relaxed).div_ceil(BYTES)
    }

    fn add(&self, bytes: usize) {
        self.0.fetch_add(bytes as u64, Ordering::Relaxed);
    }
}

impl Assistant {
    /// The same assistant, whose model is counted.
    #[must_use]
    pub fn metered(self, meter: &TokenMeter) -> Self {
        let metered =
            |model| -> Arc<dyn Writer> { Arc::new(MeteredWriter { model, meter: meter.clone() }) };
        Self { model: self.model.map(metered), ..self }
    }
}

/// A model whose texts are counted.
#[derive(Debug)]
struct MeteredWriter {
    model: Arc<dyn Writer>,
    meter: TokenMeter,
}

impl Writer for MeteredWriter {
    fn write<'a>(
        &'a self,
        instructions: &'a str,
        turns: &'a [Turn],
        maximum_tokens: u64,
        pieces: &'a mut (dyn FnMut(&str) + Send),
    ) -> BoxFuture<'a, Result<(), ModelError>> {
        Box::pin(async move {
            let read: usize = turns.iter().map(text_of).sum();
            self.meter.add(instructions.len() + read);
            let mut counted = |piece: &str| {
                self.meter.add(piece.len());
                pieces(piece);
            };
            self.model.write(instructions, turns, maximum_tokens, &mut counted).await
        })
    }
}

/// Bytes of the text of a turn. The assistant has no tools.
fn text_of(turn: &Turn) -> usize {
    match turn {
        Turn::User(text) => text.len(),
        Turn::Model(response) => response.text.len(),
        Turn::Tools(_) => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes one piece, and never ends.
    #[derive(Debug)]
    struct Endless;

    impl Writer for Endless {
        fn write<'a>(
            &'a self,
            _: &'a str,
            _: &'a [Turn],
            _: u64,
            pieces: &'a mut (dyn FnMut(&str) + Send),
        ) -> BoxFuture<'a, Result<(), ModelError>> {
            Box::pin(async move {
                pieces("12345678");
                std::future::pending().await
            })
        }
    }

    #[test]
    fn answer_that_is_dropped_counts() {
        let meter = TokenMeter::default();
        let assistant = Assistant { model: Some(Arc::new(Endless)), ..Assistant::default() };
        let model = assistant.metered(&meter).model.unwrap();
        assert_eq!(meter.tokens(), 0);
        let (turns, mut pieces) = ([Turn::User("12345".to_owned())], |_: &str| {});
        let writing = model.write("123", &turns, 10, &mut pieces);
        assert!(futures::FutureExt::now_or_never(writing).is_none());
        assert_eq!(meter.tokens(), 4, "16 bytes");
    }
}
