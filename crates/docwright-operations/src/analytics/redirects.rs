//! Redirects that repair dead links: the page that a path without a page probably means.

mod likeness;
mod prompt;

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{AnalyticsQuery, DeadLink, DeadLinks, lists::read_dead_links, site_pages::site_pages};
use crate::{Allowed, OperationError, Operations, can, lists::Page};
use likeness::SitePaths;

/// Dead links that are compared with pages, to find one by its path.
const COMPARED: i64 = 100;

/// A dead link, and the page that readers probably look for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SuggestedRedirect {
    /// The dead link.
    #[serde(flatten)]
    pub link: DeadLink,
    /// Path of the page that readers probably look for.
    #[schema(example = "guides/new")]
    pub page: String,
    /// Its title.
    #[schema(example = "The new guide")]
    pub title: String,
    /// Prompt of an agent job that adds the redirect.
    pub prompt: String,
}

/// Redirects for a page of the dead links, the most frequent first. Dead links that resemble no page are left out, so
/// a page can be empty and have another one after it.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SuggestedRedirects {
    /// The redirects.
    pub redirects: Vec<SuggestedRedirect>,
    /// Cursor of the next page; null on the last page.
    pub next_cursor: Option<String>,
}

/// Suggests redirects from the dead links that readers of a project met in whole days.
pub async fn suggested_redirects(
    operations: &Operations,
    caller: &Allowed<can::ListSuggestedRedirects>,
    project_id: &str,
    query: &AnalyticsQuery,
    page: &Page,
) -> Result<SuggestedRedirects, OperationError> {
    let project = caller.project(operations, project_id).await?;
    let DeadLinks { dead_links, next_cursor } =
        read_dead_links(operations, &project, query, page).await?;
    if dead_links.is_empty() {
        return Ok(SuggestedRedirects { redirects: Vec::new(), next_cursor });
    }
    let pages = site_pages(operations, &project).await?;
    let redirects = tokio::task::spawn_blocking(move || suggest(dead_links, &pages)).await;
    let redirects = redirects.map_err(|error| OperationError::Internal(error.to_string()))?;
    Ok(SuggestedRedirects { redirects, next_cursor })
}

/// The redirect from one of the most frequent dead links.
///
/// # Errors
///
/// Fails if the path is no dead link of the range, or resembles no page.
pub async fn suggested_redirect(
    operations: &Operations,
    caller: &Allowed<can::ListSuggestedRedirects>,
    project_id: &str,
    (query, path): (&AnalyticsQuery, &str),
) -> Result<SuggestedRedirect, OperationError> {
    let page = Page::new(Some(COMPARED), None)?;
    let list = suggested_redirects(operations, caller, project_id, query, &page).await?;
    let found = list.redirects.into_iter().find(|each| each.link.path == path);
    found.ok_or_else(|| {
        OperationError::NotFound(
            "Redirect not found. The path isn't a dead link of this range, or a page has it now."
                .to_owned(),
        )
    })
}

fn suggest(links: Vec<DeadLink>, pages: &BTreeMap<String, String>) -> Vec<SuggestedRedirect> {
    let paths = SitePaths::of(pages.keys().map(String::as_str));
    let redirect = |link: DeadLink| {
        // A path that has a page by now is no dead link anymore.
        let is_page = pages.contains_key(link.path.trim_matches('/'));
        let page = paths.resembling(&link.path).filter(|_| !is_page)?;
        let title = pages.get(page).cloned().unwrap_or_default();
        let prompt = prompt::redirect(&link, (page, &title));
        Some(SuggestedRedirect { link, page: page.to_owned(), title, prompt })
    };
    links.into_par_iter().filter_map(redirect).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(path: &str) -> DeadLink {
        DeadLink { path: path.to_owned(), from_own_site: 0, from_elsewhere: 3, total: 3 }
    }

    #[test]
    fn dead_links_lead_to_pages_that_resemble_them() {
        let titles = [("index", "Home"), ("guides/install", "Install")];
        let pages = titles.map(|(path, title)| (path.to_owned(), title.to_owned())).into();
        let links = ["/guide/install", "/wp-login.php", "/guides/install/", ""].map(link);
        let redirects = suggest(links.into(), &pages);
        let found: Vec<_> =
            redirects.iter().map(|each| (each.link.path.as_str(), each.page.as_str())).collect();
        assert_eq!(found, [("/guide/install", "guides/install")]);
        assert_eq!(redirects[0].title, "Install");
        assert!(redirects[0].prompt.contains("\"/guides/install\""), "{}", redirects[0].prompt);
    }
}
