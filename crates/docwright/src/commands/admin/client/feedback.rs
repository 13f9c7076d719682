//! Feedback of readers.

use docwright_operations::feedback::{self, Feedback, FeedbackFilter};

use super::{Client, command_error, remote::with_query};

impl Client {
    pub(in crate::commands::admin) async fn feedback_of_domain(
        &self,
        filter: &FeedbackFilter,
    ) -> anyhow::Result<Feedback> {
        match self {
            Self::Local(local) => {
                let found = feedback::of_domain(&local.operations, &local.caller()?, filter).await;
                found.map_err(command_error)
            }
            Self::Remote(remote) => remote.get(&with_query("/v1/feedback", filter)?).await,
        }
    }
}
