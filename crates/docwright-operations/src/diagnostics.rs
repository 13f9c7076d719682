//! Diagnostics of a build.

use std::collections::HashSet;

use docwright_repository::web::WebRepository;
use docwright_types::{
    release::Release,
    stored_diagnostic::{NewDiagnostics, StoredDiagnostic},
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{OperationError, Operations};

/// Diagnostics in one response.
const MOST: usize = 200;

/// A diagnostic in a file.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Diagnostic {
    /// Path of the file, relative to the root of the repository.
    #[schema(example = "docs/guides/start.mdx")]
    pub path: String,
    /// Line number; 0 for the whole file.
    #[schema(example = 14)]
    pub line: u32,
    /// `error` if readers miss something, `warning` if something is probably a slip.
    #[schema(value_type = String, example = "error")]
    pub severity: Severity,
    /// Name of the rule; null for releases of earlier docwright versions.
    #[schema(example = "broken-link")]
    pub rule: Option<String>,
    /// Text of the diagnostic.
    #[schema(example = "page `guides/setup` not found")]
    pub message: String,
    /// Whether the previous release didn't have it.
    pub is_new: bool,
    /// URL of the line on the git host, if known.
    #[schema(
        format = "uri",
        example = "https://github.com/acme/docs/blob/8f2c1e0b/docs/guides/start.mdx#L14"
    )]
    pub url: Option<String>,
}

/// Severity of a diagnostic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Readers notice it.
    Error,
    /// Readers might not notice it.
    Warning,
}

impl Severity {
    /// Its name in the API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

impl Diagnostic {
    /// A stored diagnostic, with the URL of its line.
    pub(crate) fn of(stored: StoredDiagnostic, is_new: bool, url: Option<String>) -> Self {
        Self {
            path: stored.path,
            line: stored.line,
            severity: if stored.is_error { Severity::Error } else { Severity::Warning },
            rule: Some(stored.code),
            message: stored.message,
            is_new,
            url,
        }
    }
}

/// The diagnostics of a release.
#[derive(Debug)]
pub(crate) struct FoundDiagnostics {
    /// The first diagnostics.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Number of all diagnostics.
    pub(crate) count: i64,
    /// Number of diagnostics that the previous release did not have; `None` if unknown.
    pub(crate) new: Option<i64>,
}

impl FoundDiagnostics {
    /// Reads the diagnostics of a release. `new` are those that are new in it.
    pub(crate) async fn of(
        operations: &Operations,
        release: &Release,
        new: Option<NewDiagnostics>,
        web: Option<&WebRepository>,
    ) -> Result<Self, OperationError> {
        let url = |path: &str, line: u32| {
            let sha = release.commit.sha.as_deref()?;
            Some(web?.file(sha, path, line).into())
        };
        let count = new.as_ref().map(|new| new.count);
        let Some(all) = operations.database.diagnostics(&release.id).await? else {
            let plain = release.warnings.iter().take(MOST).map(|each| Diagnostic {
                path: each.page.clone(),
                line: each.line,
                severity: Severity::Warning,
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
        let known: HashSet<_> = new.iter().flat_map(|new| &new.first).collect();
        let is_new = |finding: &StoredDiagnostic| known.contains(finding);
        // New diagnostics come first, then those that readers notice.
        let mut first: Vec<_> =
            all.first.into_iter().map(|each| (!is_new(&each), !each.is_error, each)).collect();
        first.sort_by_key(|(is_old, is_warning, _)| (*is_old, *is_warning));
        let diagnostics = first.into_iter().take(MOST).map(|(is_old, _, each)| {
            let url = url(&each.path, each.line);
            Diagnostic::of(each, !is_old, url)
        });
        Ok(Self { diagnostics: diagnostics.collect(), count: all.count, new: count })
    }
}
