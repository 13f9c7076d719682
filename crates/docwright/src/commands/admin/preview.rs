//! `docwright admin preview`: sites of branches and pull requests.

use clap::Subcommand;
use docwright_operations::{
    fields::field,
    previews::{ListPreviews, NewPreview, PreviewPassword},
};
use serde_json::{json, to_value};

use super::{Client, Report, client::command_error, credential::read_secret};

/// What to do with previews.
#[derive(Debug, Subcommand)]
pub(super) enum Action {
    /// Build a preview of a branch; requires --server
    Create {
        /// Name of the branch
        branch: String,
        /// Id or name of the project
        #[arg(long)]
        project: String,
    },
    /// List previews of branches and pull requests
    List {
        /// Id or name of the project
        #[arg(long)]
        project: String,
    },
    /// Close a preview until the next push to its pull request
    ///
    /// The preview of a branch stays closed until someone requests it again.
    Close {
        /// ID of the preview
        id: String,
        /// ID or name of the project
        #[arg(long)]
        project: String,
    },
    /// Set the password of the project's previews, read from standard input
    Password {
        /// Id or name of the project
        #[arg(long)]
        project: String,
        /// Remove the password instead
        #[arg(long)]
        remove: bool,
    },
}

pub(super) async fn act(client: &Client, action: Action) -> anyhow::Result<Report> {
    match action {
        Action::Create { branch, project } => {
            let project = client.project(&project).await?;
            let input = NewPreview { branch: field("branch", branch).map_err(command_error)? };
            Ok(Report::of(to_value(client.start_preview(&project.id, input).await?)?))
        }
        Action::List { project } => {
            let project = client.project(&project).await?;
            Ok(Report::rows(
                &client.list_previews(&project.id, &ListPreviews::default()).await?,
                &["id", "state", "pullRequest", "branch", "releaseStatus", "previewUrl"],
                "No previews yet. Open a pull request, or create a preview of a branch.",
            )?)
        }
        Action::Close { id, project } => {
            let project = client.project(&project).await?;
            client.close_preview(&project.id, &id).await?;
            Ok(Report::of(json!({ "id": id, "state": "closed" })))
        }
        Action::Password { project, remove } => {
            let id = client.project(&project).await?.id;
            if remove {
                client.remove_preview_password(&id).await?;
            } else {
                let password = field("password", read_secret()?).map_err(command_error)?;
                client.set_preview_password(&id, PreviewPassword { password }).await?;
            }
            Ok(Report::of(json!({ "project": id, "asksForPassword": !remove })))
        }
    }
}
