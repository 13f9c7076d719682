//! A small edit of a page: its new text becomes a pull request of the person who wrote it.

use docwright_jobs::page_edit::{Edit, EditError};
use docwright_storage::database::{Account, ActorKind};
use serde::{Deserialize, Serialize};
use serde_json::json;
use sha2::{Digest, Sha256};
use utoipa::ToSchema;

use super::{
    line_endings::in_form_of,
    source::{EditedPage, MAXIMUM_PATH, MAXIMUM_TEXT, unreadable},
};
use crate::{
    Allowed, Caller, OperationError, Operations,
    audit::Change,
    built_in, can,
    deletion::run_to_end,
    fields::{Label, SiteDomain, Text},
};

/// Bytes of a hash in the name of a branch.
const HASH: usize = 12;
/// Email of authors without an account.
const NO_EMAIL: &str = "docwright@localhost";

/// A new text of a page.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EditPage {
    /// Path of the page, as the list of pages returns it.
    #[schema(value_type = String, min_length = 1, max_length = 500, pattern = r"^[^\x00]*[^\x00-\x20\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000][^\x00]*$", example = "guides/start")]
    pub path: Text<MAXIMUM_PATH>,
    /// Domain of the site. Defaults to the same domain as the list of pages.
    pub domain: Option<SiteDomain>,
    /// Revision of the file that the edit is based on. The edit fails if the branch has another one by now.
    #[schema(value_type = String, min_length = 1, max_length = 64, pattern = r"^[^\x00]*[^\x00-\x20\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000][^\x00]*$", example = "257cc5642cb1a054f08cc83f2d943e56fd3ebe99")]
    pub revision: Text<64>,
    /// New text of the whole file. Its line endings and its byte order mark stay those of the file.
    #[schema(value_type = String, min_length = 1, max_length = 500_000, pattern = r"^[^\x00]*[^\x00-\x20\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000][^\x00]*$", example = "---\ntitle: Start here\n---\n\nInstall docwright first.\n")]
    pub text: Text<MAXIMUM_TEXT>,
    /// Title of the pull request, and first line of the commit message.
    #[schema(
        value_type = String,
        min_length = 1,
        max_length = 200,
        pattern = r"^[^\s\x00-\x1f\x7f-\x9f]([^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f])?$",
        example = "Say what to install first"
    )]
    pub title: Label<200>,
    /// Description of the change, in Markdown.
    #[schema(
        value_type = Option<String>,
        min_length = 1,
        max_length = 20000,
        pattern = r"^[^\x00]*[^\s\x00-\x1f\x7f-\x9f][^\x00]*$",
        example = "Readers asked for it."
    )]
    pub description: Option<Text<20000>>,
}

/// A pull request that edits a page.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PageEdit {
    /// Path of the changed file, relative to the root of the repository.
    #[schema(example = "docs/guides/start.mdx")]
    pub file: String,
    /// Branch with the change.
    #[schema(example = "docwright/edit-3f9a0c5d7b1e2f4a6c8d0e1f")]
    pub head: String,
    /// Branch that receives the change.
    #[schema(example = "main")]
    pub base: String,
    /// URL of the pull request.
    #[schema(format = "uri", example = "https://github.com/acme/docs/pull/7")]
    pub pull_request_url: String,
}

/// Opens a pull request with a new text of a page, in the name of the caller. It runs to its end even if the caller
/// leaves. Repeating it returns the same pull request.
pub async fn edit(
    operations: &Operations,
    caller: &Allowed<can::EditPage>,
    project_id: &str,
    input: EditPage,
) -> Result<PageEdit, OperationError> {
    let project = caller.project(operations, project_id).await?;
    let page = EditedPage::find(operations, &project, (&input.path, input.domain.as_ref())).await?;
    if page.revision != input.revision.as_str() {
        return Err(OperationError::Conflict(format!(
            "`{}` changed on the branch {} after you read it. Read it again, then edit it.",
            page.file.path, page.file.branch
        )));
    }
    let original = page.text(operations).await?;
    let contents = in_form_of(&original, input.text.as_str());
    require_change(&original, &contents)?;
    let author = author(operations, caller).await?;
    let (operations, caller) = (operations.clone(), Caller::clone(caller));
    run_to_end(async move {
        let (title, description) = (String::from(input.title), input.description.map(String::from));
        let head = branch(&caller, &page, &contents);
        let edit = Edit {
            contents: contents.as_bytes(),
            head: &head,
            title: &title,
            description: description.as_deref().unwrap_or_default(),
            author: (&author.0, &author.1),
        };
        let url = propose(&operations, &caller, (&project, &page), edit).await?;
        built_in::sync_previews(&operations, &project).await;
        let (file, base) = (page.file.path, page.file.branch);
        Ok(PageEdit { file, head, base, pull_request_url: url })
    })
    .await
}

/// Pushes the branch and opens the pull request; returns its URL.
async fn propose(
    operations: &Operations,
    caller: &Caller,
    (project, page): (&docwright_storage::database::Project, &EditedPage),
    edit: Edit<'_>,
) -> Result<String, OperationError> {
    let (file, revision) = (&page.file, &page.revision);
    let before = json!({ "file": file.path, "branch": file.branch, "revision": revision });
    // The branch moves in git, so the entry comes first.
    let change = Change::of("page.edit", Some(&project.organization_id)).before(before.clone());
    let subject = format!("{}/{}", project.id, page.path);
    let entry = caller.begin(operations, change, &subject).await?;
    let scratch = &operations.comparer.scratch;
    let opened = file.propose(&operations.repositories, project, edit, scratch).await;
    let after = opened.as_ref().ok().map(|opened| {
        let after = json!({ "head": edit.head, "title": edit.title, "pullRequest": opened.url });
        (before, after)
    });
    entry.end(after).await?;
    match opened {
        Ok(opened) => Ok(opened.url),
        Err(EditError::Closed(url)) => Err(OperationError::Conflict(format!(
            "You proposed the same text before, and its pull request was merged or closed: {url}. Reopen it, or change the text."
        ))),
        Err(EditError::Job(error)) => Err(unreadable(error)),
    }
}

fn require_change(original: &str, contents: &str) -> Result<(), OperationError> {
    if contents == original {
        return Err(OperationError::Invalid(
            "`text` is the same as the text of the file; change it first.".to_owned(),
        ));
    }
    if contents.len() > MAXIMUM_TEXT {
        return Err(OperationError::Invalid(format!(
            "`text` is longer than {MAXIMUM_TEXT} bytes; make it shorter."
        )));
    }
    Ok(())
}

/// The branch of an edit, which the same edit of the same person has again.
fn branch(caller: &Caller, page: &EditedPage, contents: &str) -> String {
    let mut hash = Sha256::new();
    let author = caller.actor().id;
    for part in [author.as_str(), &page.file.path, &page.revision, contents] {
        // The length distinguishes parts that are equal when joined.
        hash.update(part.len().to_le_bytes());
        hash.update(part);
    }
    format!("docwright/edit-{}", hex::encode(&hash.finalize()[..HASH]))
}

/// Name and email of the author: those of the account, or the name of the key.
async fn author(
    operations: &Operations,
    caller: &Caller,
) -> Result<(String, String), OperationError> {
    let actor = caller.actor();
    let account = match actor.kind {
        ActorKind::Account => operations.database.account(&actor.id).await?,
        _ => None,
    };
    let (name, email) = match account {
        Some(Account { name, email, .. }) => (name, email),
        None => (actor.name, NO_EMAIL.to_owned()),
    };
    // Git refuses names of signs alone.
    let is_name = name.chars().any(char::is_alphanumeric);
    let name = if is_name { name } else { email.clone() };
    Ok((name, email))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edit_must_change_the_text_and_stay_within_the_limit() {
        assert!(require_change("a", "b").is_ok());
        assert!(matches!(require_change("a", "a"), Err(OperationError::Invalid(_))));
        let long = "é".repeat(MAXIMUM_TEXT / 2 + 1);
        assert!(matches!(require_change("a", &long), Err(OperationError::Invalid(_))));
    }
}
