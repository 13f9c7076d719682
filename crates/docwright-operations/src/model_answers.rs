//! Which models answer: asked when someone wants to know, and kept since then. A question costs tokens, so
//! that nobody asks by looking, and a second one soon after gets the answer of the first.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use docwright_jobs::{clock::Clock, propose::ModelSettings};
use docwright_types::timestamp::Timestamp;
use futures::future::join_all;

/// How long a model can take. One that thinks takes some seconds.
const PATIENCE: Duration = Duration::from_secs(20);
/// Nobody asks again before this has passed.
const AGAIN: Duration = Duration::from_secs(10);

/// What a model's host said, when it was asked last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelAnswer {
    /// When it was asked.
    pub at: Timestamp,
    /// How long it took, in milliseconds.
    pub milliseconds: u64,
    /// Why there was no answer; `None` if there was one.
    pub failure: Option<String>,
}

/// The answers so far, of this process.
#[derive(Debug, Default)]
pub struct ModelAnswers {
    answers: Mutex<BTreeMap<String, ModelAnswer>>,
    /// When the last round of questions ended. Whoever holds it asks.
    asked: tokio::sync::Mutex<Option<Instant>>,
}

impl ModelAnswers {
    /// What a model answered last; `None` if nobody asked it.
    pub fn of(&self, model: &str) -> Option<ModelAnswer> {
        self.answers.lock().unwrap_or_else(PoisonError::into_inner).get(model).cloned()
    }

    /// Asks all models of the instance that have a host, at once.
    pub async fn ask(&self, models: &ModelSettings, clock: &Clock) {
        let mut asked = self.asked.lock().await;
        if asked.is_some_and(|asked| asked.elapsed() < AGAIN) {
            return;
        }
        let is_asked = |name: &String| ModelSettings::has_host(name) && models.refuse(name).is_ok();
        let names = models.names().into_iter().filter(is_asked);
        let answers = join_all(names.map(async |name| {
            let (at, began) = (clock.now(), Instant::now());
            let failure = models.check(&name, PATIENCE).await.err();
            let milliseconds = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
            (name, ModelAnswer { at, milliseconds, failure })
        }));
        let answers = answers.await;
        self.answers.lock().unwrap_or_else(PoisonError::into_inner).extend(answers);
        *asked = Some(Instant::now());
    }
}
