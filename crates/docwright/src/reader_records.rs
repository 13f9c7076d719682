//! What a service writes about its readers after their requests: counts of web analytics, and questions to the assistant.

use std::{sync::Arc, time::Duration};

use docwright_serving::{analytics::Analytics, assistant::QuestionWriter};
use tokio::{task::JoinHandle, time::timeout};

/// The writers, and their tasks.
#[derive(Debug)]
pub(crate) struct ReaderRecords {
    analytics: Arc<Analytics>,
    questions: Arc<QuestionWriter>,
    tasks: [JoinHandle<()>; 2],
}

impl ReaderRecords {
    /// Starts to write.
    pub(crate) fn start(analytics: Arc<Analytics>, questions: Arc<QuestionWriter>) -> Self {
        let tasks = [
            tokio::spawn(Arc::clone(&analytics).run()),
            tokio::spawn(Arc::clone(&questions).run()),
        ];
        Self { analytics, questions, tasks }
    }

    /// Writes the rest, each within a time, and ends.
    pub(crate) async fn finish(self, patience: Duration) {
        let Self { analytics, questions, tasks } = self;
        if !matches!(timeout(patience, analytics.write()).await, Ok(Ok(()))) {
            tracing::warn!("analytics of the last seconds not written");
        }
        if !matches!(timeout(patience, questions.write()).await, Ok(Ok(()))) {
            tracing::warn!("questions of the last seconds not written");
        }
        for task in tasks {
            task.abort();
        }
    }
}
