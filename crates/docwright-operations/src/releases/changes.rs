//! Differences between two releases.

use std::{sync::LazyLock, time::Duration};

use docwright_site::comparison::{Fate, PageChange};
use docwright_types::{
    export_job::StoredBundle,
    release::Release,
    stored_diagnostic::{StoredDiagnostic, StoredDiagnostics},
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{find, release_before};
use crate::{
    Allowed, OperationError, Operations, can, diagnostics::Diagnostic, fair_limiter::FairLimiter,
};

/// Pages that are listed.
const LISTED: usize = 500;
/// Diagnostics of each kind that are listed.
const LISTED_DIAGNOSTICS: usize = 200;
/// Simultaneous comparisons: in all, and of one organization.
static COMPARISONS: LazyLock<FairLimiter<String>> = LazyLock::new(|| FairLimiter::new(2, 1));
/// How long a request waits for its turn.
const PATIENCE: Duration = Duration::from_secs(10);

/// What to compare a release with.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ComparedWith {
    /// ID of another release of the project. Defaults to the release that was active before this one.
    #[param(value_type = String, required = false, pattern = r"^[^\x00]*$", example = "rel_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    pub with: Option<String>,
}

/// Differences between two releases.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReleaseChanges {
    /// ID of the other release; null if the site had no earlier release, so every page is new.
    #[schema(example = "rel_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    pub with: Option<String>,
    /// Number of added pages.
    #[schema(example = 1)]
    pub added: usize,
    /// Number of pages with a different text or title.
    #[schema(example = 2)]
    pub changed: usize,
    /// Number of pages with a different path.
    #[schema(example = 0)]
    pub moved: usize,
    /// Number of removed pages.
    #[schema(example = 0)]
    pub removed: usize,
    /// The first 500 of these pages, ordered by path.
    pub pages: Vec<ChangedPage>,
    /// Number of diagnostics that the other release doesn't have; null if unknown.
    #[schema(minimum = 0, example = 1)]
    pub new_diagnostic_count: Option<usize>,
    /// The first 200 of these diagnostics.
    pub new_diagnostics: Vec<Diagnostic>,
    /// Number of diagnostics that only the other release has; null if unknown.
    #[schema(minimum = 0, example = 0)]
    pub resolved_diagnostic_count: Option<usize>,
    /// The first 200 of these diagnostics.
    pub resolved_diagnostics: Vec<Diagnostic>,
}

/// A page that differs.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ChangedPage {
    /// Path of the page. For a removed page, its former path.
    #[schema(example = "guides/start")]
    pub path: String,
    /// Title of the page.
    #[schema(example = "Start here")]
    pub title: String,
    /// `added`, `changed`, `moved`, or `removed`.
    #[schema(value_type = String, example = "changed")]
    pub fate: PageFate,
    /// Former path of a moved page.
    #[schema(example = json!(null))]
    pub from: Option<String>,
}

/// The fate of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PageFate {
    /// It is new.
    Added,
    /// Its text or title differs.
    Changed,
    /// Its path differs.
    Moved,
    /// It no longer exists.
    Removed,
}

impl PageFate {
    /// Its name in the API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Changed => "changed",
            Self::Moved => "moved",
            Self::Removed => "removed",
        }
    }
}

/// Compares a ready release with another one, or with the previous one of its site.
pub async fn changes(
    operations: &Operations,
    caller: &Allowed<can::GetReleaseChanges>,
    release_id: &str,
    with: &ComparedWith,
) -> Result<ReleaseChanges, OperationError> {
    let release = find(operations, caller, release_id).await?;
    let before = match &with.with {
        Some(id) => {
            let other = find(operations, caller, id).await?;
            if other.project_id != release.project_id {
                return Err(OperationError::NotFound(format!(
                    "Release {id} not found in this project."
                )));
            }
            Some(other)
        }
        None => release_before(operations, &release).await?,
    };
    let found = compare_diagnostics(operations, &release, before.as_ref()).await?;
    let ready = |bundle: Option<StoredBundle>, id: &str| {
        bundle.ok_or_else(|| OperationError::Conflict(format!("Release {id} isn't ready.")))
    };
    let after = ready(release.bundle, &release.id)?;
    let with = before.as_ref().map(|before| before.id.clone());
    let before = match before {
        Some(before) => Some(ready(before.bundle, &before.id)?),
        None => None,
    };
    let _turn = COMPARISONS.take(&release.organization_id, PATIENCE).await.ok_or_else(|| {
        OperationError::Busy("Other releases are being compared. Try again soon.".to_owned())
    })?;
    let changes = operations.comparer.changed_pages(before.as_ref(), &after).await;
    let changes = changes.map_err(|error| OperationError::Unavailable(error.to_string()))?;
    let count = |is: fn(&Fate) -> bool| changes.iter().filter(|each| is(&each.fate)).count();
    Ok(ReleaseChanges {
        with,
        added: count(|fate| *fate == Fate::Added),
        changed: count(|fate| *fate == Fate::Changed),
        moved: count(|fate| matches!(fate, Fate::Moved { .. })),
        removed: count(|fate| *fate == Fate::Removed),
        pages: changes.into_iter().take(LISTED).map(ChangedPage::from).collect(),
        new_diagnostic_count: found.as_ref().map(|found| found.new.len()),
        resolved_diagnostic_count: found.as_ref().map(|found| found.resolved.len()),
        new_diagnostics: listed(found.as_ref().map(|found| &found.new), true),
        resolved_diagnostics: listed(found.as_ref().map(|found| &found.resolved), false),
    })
}

/// The diagnostics that only one of two releases has.
struct DifferentDiagnostics {
    new: Vec<StoredDiagnostic>,
    resolved: Vec<StoredDiagnostic>,
}

/// Compares the diagnostics of two releases; `None` if those of one aren't known.
async fn compare_diagnostics(
    operations: &Operations,
    release: &Release,
    before: Option<&Release>,
) -> Result<Option<DifferentDiagnostics>, OperationError> {
    let Some(before) = before else { return Ok(None) };
    let database = &operations.database;
    let (before, after) =
        (database.diagnostics(&before.id).await?, database.diagnostics(&release.id).await?);
    let only = |one: &StoredDiagnostics, other: &StoredDiagnostics| {
        one.each_new_since(other).into_iter().cloned().collect()
    };
    Ok(before.zip(after).map(|(before, after)| DifferentDiagnostics {
        new: only(&after, &before),
        resolved: only(&before, &after),
    }))
}

/// The first diagnostics, errors first.
fn listed(found: Option<&Vec<StoredDiagnostic>>, is_new: bool) -> Vec<Diagnostic> {
    let mut found: Vec<_> = found.into_iter().flatten().collect();
    found.sort_by_key(|each| !each.is_error);
    let found = found.into_iter().take(LISTED_DIAGNOSTICS);
    found.map(|each| Diagnostic::of(each.clone(), is_new, None)).collect()
}

impl From<PageChange> for ChangedPage {
    fn from(PageChange { path, title, fate }: PageChange) -> Self {
        let (fate, from) = match fate {
            Fate::Added => (PageFate::Added, None),
            Fate::Changed => (PageFate::Changed, None),
            Fate::Moved { from } => (PageFate::Moved, Some(from)),
            Fate::Removed => (PageFate::Removed, None),
        };
        Self { path, title, fate, from }
    }
}
