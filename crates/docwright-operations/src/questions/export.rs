//! An export of questions as JSON Lines, read in parts.

use docwright_storage::database::{PageRequest, Position, QuestionFilter};

use super::{Conversation, QuestionRange, position};
use crate::{Allowed, OperationError, Operations, can};

/// Questions of a part.
const PART: i64 = 100;

/// The questions of a project, newest first: each is a line of JSON.
#[derive(Debug)]
pub struct QuestionExport {
    operations: Operations,
    project_id: String,
    filter: QuestionFilter<'static>,
    /// The last question that was read; `None` before the first part.
    after: Option<Position>,
    is_complete: bool,
}

/// Starts an export of the questions of a project.
pub async fn export(
    operations: &Operations,
    caller: &Allowed<can::ExportConversations>,
    project_id: &str,
    range: &QuestionRange,
) -> Result<QuestionExport, OperationError> {
    let project = caller.project(operations, project_id).await?;
    let (from, to) = range.times()?;
    let filter = QuestionFilter { from, to, ..QuestionFilter::ALL };
    let operations = operations.clone();
    Ok(QuestionExport {
        operations,
        project_id: project.id,
        filter,
        after: None,
        is_complete: false,
    })
}

impl QuestionExport {
    /// The lines of the next part; `None` after the last one.
    ///
    /// # Errors
    ///
    /// Fails if the database does. The export is then incomplete.
    pub async fn next(&mut self) -> Result<Option<String>, OperationError> {
        if self.is_complete {
            return Ok(None);
        }
        let page = PageRequest { after: self.after.as_ref(), ..PageRequest::first(PART) };
        let database = &self.operations.database;
        let read = database.questions(&self.project_id, self.filter, page).await;
        let read = read.inspect_err(|error| {
            tracing::error!(%error, "export of questions broke off");
        })?;
        let full = usize::try_from(PART).is_ok_and(|part| read.len() == part);
        self.is_complete = !full;
        let Some(last) = read.last() else { return Ok(None) };
        self.after = Some(position(last));
        let mut lines = String::new();
        for question in read {
            let line = serde_json::to_string(&Conversation::from(question));
            lines += &line.map_err(|error| OperationError::Internal(error.to_string()))?;
            lines.push('\n');
        }
        Ok(Some(lines))
    }
}
