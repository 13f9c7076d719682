//! Previews.

use docwright_operations::{
    Listed,
    idempotency::Idempotency,
    previews::{
        self, ListPreviews, NewPreview, Preview, PreviewList, PreviewPassword, StartedPreviewBody,
    },
};
use reqwest::Method;

use super::{Client, command_error, encoded, read_list};

impl Client {
    pub(in crate::commands::admin) async fn start_preview(
        &self,
        project_id: &str,
        input: NewPreview,
    ) -> anyhow::Result<StartedPreviewBody> {
        match self {
            Self::Local(local) => {
                let (operations, caller) = (&local.operations, local.caller()?);
                let once = Idempotency::default();
                let started = previews::start(operations, &caller, project_id, input, &once).await;
                started.map(|(started, _)| started).map_err(command_error)
            }
            Self::Remote(remote) => {
                let path = format!("/v1/project/preview/{}", encoded(project_id));
                remote.send(Method::POST, &path, &input).await
            }
        }
    }

    pub(in crate::commands::admin) async fn list_previews(
        &self,
        project_id: &str,
        filter: &ListPreviews,
    ) -> anyhow::Result<Vec<Preview>> {
        let path = format!("/v1/projects/{}/previews", encoded(project_id));
        read_list(usize::MAX, async |page| {
            let list: PreviewList = match self {
                Self::Local(local) => {
                    let (operations, caller) = (&local.operations, local.caller()?);
                    let page = page.page()?;
                    let listed = previews::list(operations, &caller, project_id, filter, &page);
                    listed.await.map_err(command_error)?
                }
                Self::Remote(remote) => remote.list(&path, filter, page).await?,
            };
            Ok(Listed { items: list.previews, next_cursor: list.next_cursor })
        })
        .await
    }

    pub(in crate::commands::admin) async fn close_preview(
        &self,
        project_id: &str,
        id: &str,
    ) -> anyhow::Result<()> {
        match self {
            Self::Local(local) => {
                let (operations, caller) = (&local.operations, local.caller()?);
                let closed = previews::close(operations, &caller, (project_id, id)).await;
                closed.map_err(command_error)
            }
            Self::Remote(remote) => {
                let (project, id) = (encoded(project_id), encoded(id));
                remote.ask(Method::DELETE, &format!("/v1/projects/{project}/previews/{id}")).await
            }
        }
    }

    pub(in crate::commands::admin) async fn set_preview_password(
        &self,
        project_id: &str,
        input: PreviewPassword,
    ) -> anyhow::Result<()> {
        match self {
            Self::Local(local) => {
                let (operations, caller) = (&local.operations, local.caller()?);
                let set = previews::set_password(operations, &caller, project_id, input).await;
                set.map_err(command_error)
            }
            Self::Remote(remote) => {
                remote.send(Method::PUT, &password_path(project_id), &input).await
            }
        }
    }

    pub(in crate::commands::admin) async fn remove_preview_password(
        &self,
        project_id: &str,
    ) -> anyhow::Result<()> {
        match self {
            Self::Local(local) => {
                let (operations, caller) = (&local.operations, local.caller()?);
                let removed = previews::remove_password(operations, &caller, project_id).await;
                removed.map_err(command_error)
            }
            Self::Remote(remote) => remote.ask(Method::DELETE, &password_path(project_id)).await,
        }
    }
}

fn password_path(project_id: &str) -> String {
    format!("/v1/projects/{}/preview-password", encoded(project_id))
}
