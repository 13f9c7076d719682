//! `docwright admin preview`: sites of branches and pull requests.

use axum::http::Method;
use clap::Subcommand;
use serde_json::json;

use super::{
    Client, Report,
    client::{encoded, text},
    credential::read_secret,
};

/// What to do with previews.
#[derive(Debug, Subcommand)]
pub(super) enum Action {
    /// Build a branch into a site of its own; only a running service does that, so it needs --server
    Create {
        /// Name of the branch
        branch: String,
        /// Id or name of the project
        #[arg(long)]
        project: String,
    },
    /// List previews of a project, those of pull requests too
    List {
        /// Id or name of the project
        #[arg(long)]
        project: String,
    },
    /// Close a preview until the next push; one of a branch until somebody asks for it again
    Close {
        /// Its id
        id: String,
        /// Id or name of its project
        #[arg(long)]
        project: String,
    },
    /// Let previews of a project ask for a password, read from standard input
    Password {
        /// Id or name of the project
        #[arg(long)]
        project: String,
        /// Ask for no password any more
        #[arg(long)]
        remove: bool,
    },
}

pub(super) async fn act(client: &Client, action: Action) -> anyhow::Result<Report> {
    match action {
        Action::Create { branch, project } => {
            let id = project_id(client, &project).await?;
            let path = format!("/v1/project/preview/{}", encoded(&id));
            let body = Some(json!({ "branch": branch }));
            Ok(Report::of(client.send(Method::POST, &path, body).await?))
        }
        Action::List { project } => {
            let path =
                format!("/v1/projects/{}/previews", encoded(&project_id(client, &project).await?));
            Ok(Report::list(
                client.list(&path, &[], "previews").await?,
                &["id", "state", "pullRequest", "branch", "releaseStatus", "previewUrl"],
                "There are no previews; open a pull request, or ask for one of a branch.",
            ))
        }
        Action::Close { id, project } => {
            let project = project_id(client, &project).await?;
            let path = format!("/v1/projects/{}/previews/{}", encoded(&project), encoded(&id));
            client.send(Method::DELETE, &path, None).await?;
            Ok(Report::of(json!({ "id": id, "state": "closed" })))
        }
        Action::Password { project, remove } => {
            let id = project_id(client, &project).await?;
            let path = format!("/v1/projects/{}/preview-password", encoded(&id));
            if remove {
                client.send(Method::DELETE, &path, None).await?;
            } else {
                let body = Some(json!({ "password": read_secret()? }));
                client.send(Method::PUT, &path, body).await?;
            }
            Ok(Report::of(json!({ "project": id, "asksForPassword": !remove })))
        }
    }
}

async fn project_id(client: &Client, given: &str) -> anyhow::Result<String> {
    Ok(text(&client.project(given).await?, "id").to_owned())
}
