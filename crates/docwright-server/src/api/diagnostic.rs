//! Mistakes in files that a build found.

use docwright_domain::{
    finding::{Finding, NewFindings},
    release::Release,
};
use docwright_repository::web::WebRepository;
use serde::Serialize;
use utoipa::ToSchema;

use crate::{error::ApiError, state::AppState};

/// Mistakes that an answer holds at most.
const MOST: usize = 200;

/// A mistake in a file.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Diagnostic {
    /// The file, below the root of the repository.
    #[schema(example = "docs/guides/start.mdx")]
    path: String,
    /// The line; 0 for the whole file.
    #[schema(example = 14)]
    line: u32,
    /// `error` if readers miss something, `warning` if it is most likely not meant.
    #[schema(example = "error")]
    severity: &'static str,
    /// Name of the rule; null for releases of earlier versions of docwright.
    #[schema(example = "broken-link")]
    rule: Option<String>,
    /// What is wrong.
    #[schema(example = "there is no page `guides/setup`")]
    message: String,
    /// Whether the release before it did not have it.
    pub(super) is_new: bool,
    /// The line on the page of the repository's host, where that is known.
    #[schema(
        format = "uri",
        example = "https://github.com/acme/docs/blob/8f2c1e0b/docs/guides/start.mdx#L14"
    )]
    url: Option<String>,
}

/// What a release found.
pub(super) struct Found {
    pub(super) diagnostics: Vec<Diagnostic>,
    /// How many there are in all.
    pub(super) count: i64,
    /// How many the release before it did not have; `None` if that is not known.
    pub(super) new: Option<i64>,
}

impl Found {
    /// What a release found. `new` are those that are new in it.
    pub(super) async fn by(
        app: &AppState,
        release: &Release,
        new: Option<NewFindings>,
        web: Option<&WebRepository>,
    ) -> Result<Self, ApiError> {
        let url = |path: &str, line: u32| {
            let sha = release.commit.sha.as_deref()?;
            Some(web?.file(sha, path, line).into())
        };
        let count = new.as_ref().map(|new| new.count);
        let Some(all) = app.database.findings(&release.id).await? else {
            let plain = release.warnings.iter().take(MOST).map(|each| Diagnostic {
                path: each.page.clone(),
                line: each.line,
                severity: "warning",
                rule: None,
                message: each.message.clone(),
                is_new: false,
                url: None,
            });
            return Ok(Self {
                diagnostics: plain.collect(),
                count: release.warning_count,
                new: None,
            });
        };
        let is_new =
            |finding: &Finding| new.as_ref().is_some_and(|new| new.first.contains(finding));
        // What is new comes first, then what readers miss.
        let mut first: Vec<_> =
            all.first.into_iter().map(|each| (!is_new(&each), !each.is_error, each)).collect();
        first.sort_by_key(|(is_old, is_warning, _)| (*is_old, *is_warning));
        let diagnostics = first.into_iter().take(MOST).map(|(is_old, _, each)| Diagnostic {
            url: url(&each.path, each.line),
            path: each.path,
            line: each.line,
            severity: if each.is_error { "error" } else { "warning" },
            rule: Some(each.code),
            message: each.message,
            is_new: !is_old,
        });
        Ok(Self { diagnostics: diagnostics.collect(), count: all.count, new: count })
    }
}
