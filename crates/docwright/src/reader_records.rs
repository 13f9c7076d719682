//! What a service writes about its readers after their requests: counts of web analytics, questions to the assistant,
//! and the tokens of their answers.

use std::{sync::Arc, time::Duration};

use docwright_serving::{
    analytics::Analytics,
    assistant::{QuestionWriter, SiteAssistant},
};
use docwright_storage::Database;
use tokio::{task::JoinHandle, time::timeout};

/// The writers, and their tasks.
#[derive(Debug)]
pub(crate) struct ReaderRecords {
    database: Database,
    analytics: Arc<Analytics>,
    questions: Arc<QuestionWriter>,
    assistant: SiteAssistant,
    tasks: [JoinHandle<()>; 3],
}

impl ReaderRecords {
    /// Starts to write.
    pub(crate) fn start(
        database: &Database,
        analytics: Arc<Analytics>,
        questions: Arc<QuestionWriter>,
        assistant: SiteAssistant,
    ) -> Self {
        let tasks = [
            tokio::spawn(Arc::clone(&analytics).run()),
            tokio::spawn(Arc::clone(&questions).run()),
            tokio::spawn(assistant.clone().run(database.clone())),
        ];
        Self { database: database.clone(), analytics, questions, assistant, tasks }
    }

    /// Writes the rest within a time, and ends.
    pub(crate) async fn finish(self, patience: Duration) {
        let Self { database, analytics, questions, assistant, tasks } = self;
        // It can wait for a database that is away.
        tasks[0].abort();
        let rest = async {
            let counts = analytics.finish(patience * 3 / 5).await;
            let questions = questions.write().await;
            let tokens = assistant.share_tokens(&database).await;
            counts && questions.is_ok() && tokens.is_ok()
        };
        if !timeout(patience, rest).await.unwrap_or(false) {
            tracing::warn!("analytics, questions, or tokens of the last seconds not written");
        }
        for task in tasks {
            task.abort();
        }
    }
}
