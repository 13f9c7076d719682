//! Writes questions with their answers to the database, after the answers and in batches, so that no reader waits for it.
//!
//! Questions that wait are in memory, within a limit. A log line has their number and never their text.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use docwright_storage::{
    Database, StorageError,
    database::{NewQuestion, Rating},
};
use docwright_types::timestamp::Timestamp;
use tokio::{sync::Notify, time::sleep};

/// Questions that wait to be written. Further ones aren't kept.
const MAXIMUM_WAITING: usize = 1_000;
/// Questions of one transaction.
const BATCH: usize = 100;
/// The pause after a failure.
const PAUSE: Duration = Duration::from_secs(5);

/// Keeps questions, and ratings of their answers.
#[derive(Debug)]
pub struct QuestionWriter {
    database: Database,
    waiting: Mutex<Waiting>,
    /// Held while a batch is written.
    writing: tokio::sync::Mutex<()>,
    wake: Notify,
}

#[derive(Debug, Default)]
struct Waiting {
    questions: Vec<NewQuestion>,
    /// Questions that found no room since the last report.
    dropped: u64,
}

impl QuestionWriter {
    /// Nothing waits yet.
    pub fn new(database: Database) -> Arc<Self> {
        let (waiting, writing, wake) =
            (Mutex::default(), tokio::sync::Mutex::default(), Notify::new());
        Arc::new(Self { database, waiting, writing, wake })
    }

    /// Keeps a question. Returns whether there was room for it.
    pub(super) fn keep(&self, question: NewQuestion) -> bool {
        let mut waiting = self.waiting();
        if waiting.questions.len() >= MAXIMUM_WAITING {
            waiting.dropped += 1;
            return false;
        }
        waiting.questions.push(question);
        drop(waiting);
        self.wake.notify_one();
        true
    }

    /// Rates the answer of a question of this domain and thread. Returns whether the question is kept.
    pub(super) async fn rate(
        &self,
        question: (&str, &str, &str),
        rating: &Rating,
        now: Timestamp,
    ) -> Result<bool, StorageError> {
        self.write().await?;
        self.database.rate_question(question, rating, now).await
    }

    /// Writes questions until the task is aborted: readers ask until the service ends.
    pub async fn run(self: Arc<Self>) {
        let mut is_away = false;
        loop {
            self.wake.notified().await;
            while let Err(error) = self.write().await {
                if !is_away {
                    tracing::warn!(%error, "questions not written; kept in memory; retrying");
                }
                is_away = true;
                sleep(PAUSE).await;
            }
            is_away = false;
            let dropped = std::mem::take(&mut self.waiting().dropped);
            if dropped > 0 {
                tracing::warn!(dropped, "too many questions in memory; some not kept");
            }
        }
    }

    /// Writes all questions that wait. Errors keep them.
    ///
    /// # Errors
    ///
    /// Fails if the database does.
    pub async fn write(&self) -> Result<(), StorageError> {
        let _writing = self.writing.lock().await;
        loop {
            let batch: Vec<_> = self.waiting().questions.iter().take(BATCH).cloned().collect();
            if batch.is_empty() {
                return Ok(());
            }
            self.database.add_questions(&batch).await?;
            // Others only add at the end.
            self.waiting().questions.drain(..batch.len());
        }
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
