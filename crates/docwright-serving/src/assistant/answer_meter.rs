//! Measures an answer: its outcome, its times, and its tokens. A reader that leaves ends it too.

use std::{sync::Arc, time::Instant};

use docwright_assistant::TokenMeter;
use docwright_http::metrics::{AnswerOutcome, AssistantMetrics};
use docwright_types::assistant::{AnswerKind, Event};

use super::Shared;

/// An answer under way.
#[derive(Debug)]
pub(super) struct AnswerMeter {
    shared: Arc<Shared>,
    organization: Arc<str>,
    /// Those of the model.
    tokens: TokenMeter,
    started: Instant,
    has_words: bool,
    outcome: AnswerOutcome,
}

impl AnswerMeter {
    pub(super) fn new(shared: &Arc<Shared>, organization: Arc<str>, tokens: TokenMeter) -> Self {
        let (shared, outcome) = (Arc::clone(shared), AnswerOutcome::Stopped);
        Self { shared, organization, tokens, started: Instant::now(), has_words: false, outcome }
    }

    /// Takes over an event.
    pub(super) fn observe(&mut self, event: &Event) {
        if !self.has_words {
            self.has_words = true;
            self.metrics().observe_first(self.started.elapsed());
        }
        self.outcome = match event {
            Event::Done { kind, .. } => match kind {
                AnswerKind::Answer => AnswerOutcome::Answer,
                AnswerKind::Extract => AnswerOutcome::Extract,
                AnswerKind::Refused => AnswerOutcome::Refused,
                AnswerKind::Choices => AnswerOutcome::Choices,
            },
            Event::Error { .. } => AnswerOutcome::Failed,
            _ => return,
        };
        self.metrics().observe_whole(self.started.elapsed());
    }

    fn metrics(&self) -> &AssistantMetrics {
        &self.shared.metrics
    }
}

impl Drop for AnswerMeter {
    fn drop(&mut self) {
        let tokens = self.tokens.tokens();
        if tokens > 0 {
            self.shared.budget.spend(&self.organization, tokens, self.shared.clock.now());
            self.metrics().spent(tokens);
        }
        self.metrics().ended(self.outcome);
    }
}
