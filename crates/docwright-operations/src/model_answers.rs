//! Tests of models: run on request, with cached results. A test costs tokens, so viewing a page doesn't start one,
//! and a second test soon after gets the results of the first.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use docwright_jobs::{clock::Clock, propose::ModelSettings};
use docwright_types::timestamp::Timestamp;
use futures::future::join_all;

/// Time limit of a model. Reasoning takes some seconds.
const PATIENCE: Duration = Duration::from_secs(20);
/// Shortest time between two tests.
const AGAIN: Duration = Duration::from_secs(10);

/// Result of the last test of a model's host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelAnswer {
    /// When it was tested.
    pub at: Timestamp,
    /// How long it took, in milliseconds.
    pub milliseconds: u64,
    /// Why the test failed; `None` if it succeeded.
    pub failure: Option<String>,
}

/// The results so far, of this process.
#[derive(Debug, Default)]
pub struct ModelAnswers {
    answers: Mutex<BTreeMap<String, ModelAnswer>>,
    /// When the last round of tests ended. The holder of the lock tests.
    asked: tokio::sync::Mutex<Option<Instant>>,
}

impl ModelAnswers {
    /// The last result of a model; `None` if it was never tested.
    pub fn of(&self, model: &str) -> Option<ModelAnswer> {
        self.answers.lock().unwrap_or_else(PoisonError::into_inner).get(model).cloned()
    }

    /// Tests all models of the instance that have a host, simultaneously.
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
