//! `GET /v1/releases/{releaseId}/changes`.

use std::{sync::LazyLock, time::Duration};

use axum::{Json, extract::State};
use docwright_domain::export_job::StoredBundle;
use docwright_site::comparison::{Fate, PageChange};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{ReleasePath, find};
use crate::{
    authorize::Reader,
    error::{ApiError, Error},
    parameters::{Path, Query},
    state::AppState,
    turns::Turns,
};

/// Pages that are listed at most.
const LISTED: usize = 500;
/// Comparisons at once: in all, and of one organisation.
static COMPARISONS: LazyLock<Turns<String>> = LazyLock::new(|| Turns::new(2, 1));
/// How long a request waits for its turn.
const PATIENCE: Duration = Duration::from_secs(10);

/// What to compare a release with.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Asked {
    /// Another release of the project; the one that the site had before if left out.
    #[param(value_type = String, required = false, pattern = r"^[^\x00]*$", example = "rel_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    with: Option<String>,
}

/// How a release differs from another one.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReleaseChanges {
    /// The release that it is compared with; null if the site had none before, so that each page is new.
    #[schema(example = "rel_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    with: Option<String>,
    /// How many pages are new.
    #[schema(example = 1)]
    added: usize,
    /// How many pages have another text or title.
    #[schema(example = 2)]
    changed: usize,
    /// How many pages are at another address.
    #[schema(example = 0)]
    moved: usize,
    /// How many pages are there no more.
    #[schema(example = 0)]
    removed: usize,
    /// The first 500 of these pages, by their paths.
    pages: Vec<ChangedPage>,
}

/// A page that differs.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ChangedPage {
    /// Its path; that before, if it was removed.
    #[schema(example = "guides/start")]
    path: String,
    /// Its title.
    #[schema(example = "Start here")]
    title: String,
    /// `added`, `changed`, `moved` or `removed`.
    #[schema(example = "changed")]
    fate: &'static str,
    /// The path that a page had which was moved.
    #[schema(example = json!(null))]
    from: Option<String>,
}

/// Compare a release
///
/// Which pages a ready release adds, changes, moves and removes.
#[utoipa::path(
    get,
    path = "/v1/releases/{releaseId}/changes",
    tag = "Releases",
    operation_id = "getReleaseChanges",
    params(ReleasePath, Asked),
    responses(
        (status = 200, description = "The pages that differ", body = ReleaseChanges),
        (status = 404, description = "There is no such release", body = Error),
        (status = 409, description = "One of the two releases is not ready, or can't be compared", body = Error),
        (status = 429, description = "Other releases are being compared", body = Error, headers(("Retry-After" = i64))),
    ),
)]
pub(crate) async fn changes(
    State(app): State<AppState>,
    caller: Reader,
    Path(ReleasePath { release_id }): Path<ReleasePath>,
    asked: Result<Query<Asked>, ApiError>,
) -> Result<Json<ReleaseChanges>, ApiError> {
    let release = find(&app, &caller, &release_id).await?;
    let before = match asked?.0.with {
        Some(id) => {
            let other = find(&app, &caller, &id).await?;
            if other.project_id != release.project_id {
                return Err(ApiError::NotFound(format!("The project has no release {id}.")));
            }
            Some(other)
        }
        None => app.database.release_before(&release).await?,
    };
    let ready = |bundle: Option<StoredBundle>, id: &str| {
        bundle.ok_or_else(|| ApiError::Conflict(format!("The release {id} is not ready.")))
    };
    let after = ready(release.bundle, &release.id)?;
    let with = before.as_ref().map(|before| before.id.clone());
    let before = match before {
        Some(before) => Some(ready(before.bundle, &before.id)?),
        None => None,
    };
    let _turn = COMPARISONS.take(&release.organization_id, PATIENCE).await.ok_or_else(|| {
        ApiError::Busy("Other releases are being compared; try again soon.".to_owned())
    })?;
    let changes = app.comparer.changed_pages(before.as_ref(), &after).await;
    let changes = changes.map_err(|error| ApiError::Unavailable(error.to_string()))?;
    let count = |is: fn(&Fate) -> bool| changes.iter().filter(|each| is(&each.fate)).count();
    Ok(Json(ReleaseChanges {
        with,
        added: count(|fate| *fate == Fate::Added),
        changed: count(|fate| *fate == Fate::Changed),
        moved: count(|fate| matches!(fate, Fate::Moved { .. })),
        removed: count(|fate| *fate == Fate::Removed),
        pages: changes.into_iter().take(LISTED).map(ChangedPage::from).collect(),
    }))
}

impl From<PageChange> for ChangedPage {
    fn from(PageChange { path, title, fate }: PageChange) -> Self {
        let (fate, from) = match fate {
            Fate::Added => ("added", None),
            Fate::Changed => ("changed", None),
            Fate::Moved { from } => ("moved", Some(from)),
            Fate::Removed => ("removed", None),
        };
        Self { path, title, fate, from }
    }
}
