//! Metrics of the assistant's answers.

use std::time::Duration;

use prometheus_client::{
    metrics::{counter::Counter, family::Family},
    registry::{Registry, Unit},
};

use super::{
    exposition::Part,
    seconds::{ANSWER, Seconds},
};

/// How an answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerOutcome {
    /// A model wrote it.
    Answer,
    /// It consists of passages of the pages.
    Extract,
    /// The pages don't say.
    Refused,
    /// It is a question back.
    Choices,
    /// It broke off.
    Failed,
    /// The reader left.
    Stopped,
    /// The question wasn't answered because of a limit.
    Limited,
}

impl AnswerOutcome {
    const ALL: [Self; 7] = [
        Self::Answer,
        Self::Extract,
        Self::Refused,
        Self::Choices,
        Self::Failed,
        Self::Stopped,
        Self::Limited,
    ];

    const fn name(self) -> &'static str {
        match self {
            Self::Answer => "answer",
            Self::Extract => "extract",
            Self::Refused => "refused",
            Self::Choices => "choices",
            Self::Failed => "failed",
            Self::Stopped => "stopped",
            Self::Limited => "limited",
        }
    }
}

/// Answers by outcome, the time until their first words and their end, and the tokens of models. They are of all sites
/// together: a label for each site would be too many.
#[derive(Debug, Clone)]
pub struct AssistantMetrics {
    answers: Family<[(&'static str, &'static str); 1], Counter>,
    first: Seconds,
    whole: Seconds,
    tokens: Counter,
}

impl Default for AssistantMetrics {
    fn default() -> Self {
        Self {
            answers: Family::default(),
            first: Seconds::new(ANSWER),
            whole: Seconds::new(ANSWER),
            tokens: Counter::default(),
        }
    }
}

impl AssistantMetrics {
    /// Counts an answer or a question without one.
    pub fn ended(&self, outcome: AnswerOutcome) {
        self.answers.get_or_create(&[("outcome", outcome.name())]).inc();
    }

    /// Records the time from a question to its first words.
    pub fn observe_first(&self, time: Duration) {
        self.first.observe(time);
    }

    /// Records the time from a question to the end of a whole answer.
    pub fn observe_whole(&self, time: Duration) {
        self.whole.observe(time);
    }

    /// Counts tokens of a model.
    pub fn spent(&self, tokens: u64) {
        self.tokens.inc_by(tokens);
    }
}

impl Part for AssistantMetrics {
    fn register(&self, registry: &mut Registry) {
        for outcome in AnswerOutcome::ALL {
            drop(self.answers.get_or_create(&[("outcome", outcome.name())]));
        }
        registry.register(
            "docwright_assistant_answers",
            "Questions to the assistant in this process, by the outcome of their answer",
            self.answers.clone(),
        );
        registry.register_with_unit(
            "docwright_assistant_first_words",
            "Time from a question to the first words of its answer",
            Unit::Seconds,
            self.first.clone(),
        );
        registry.register_with_unit(
            "docwright_assistant_answer",
            "Time from a question to the end of its answer",
            Unit::Seconds,
            self.whole.clone(),
        );
        registry.register(
            "docwright_assistant_tokens",
            "Tokens of models for answers, estimated from the length of the texts",
            self.tokens.clone(),
        );
    }
}
