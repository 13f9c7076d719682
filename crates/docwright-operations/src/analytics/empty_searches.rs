//! Searches without a result, with the pages that are near to them, and the prompt of an agent job that answers them.

mod prompt;

use docwright_site::{
    answer::likeness::{self, AskedQuestion},
    outline::OutlinePage,
};
use docwright_storage::database::{Position, ValueViews};
use docwright_types::analytics::Dimension;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::AnalyticsQuery;
use crate::{Allowed, OperationError, Operations, can, lists::Page, pages::outline_of};

/// Queries among which those that search the same are found.
const COMPARED: i64 = 100;
/// Queries of a search in the response.
const MAXIMUM_QUERIES: usize = 10;
/// Pages of a search in the response.
const MAXIMUM_PAGES: usize = 5;
/// The language of queries: analytics counts them without one.
const LANGUAGE: &str = "en";

/// Queries that search the same, and that found nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EmptySearch {
    /// The most frequent query, in lowercase.
    #[schema(example = "rotate api key")]
    pub query: String,
    /// Number of searches with all its queries.
    #[schema(minimum = 1, example = 12)]
    pub count: i64,
    /// The queries, the most frequent first: at most 10.
    #[schema(example = json!(["rotate api key", "api key rotation"]))]
    pub queries: Vec<String>,
    /// The nearest pages, the nearest first: at most 5.
    pub pages: Vec<NearPage>,
    /// Prompt for an agent job that answers the searches.
    #[schema(example = "Readers searched these queries, and the search found nothing: …")]
    pub prompt: String,
}

/// A page whose title or place in the navigation shares words with a query.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NearPage {
    /// Path of the page.
    #[schema(example = "run/api-keys")]
    pub path: String,
    /// Its title.
    #[schema(example = "API keys")]
    pub title: String,
}

/// Searches without a result for a page of the queries, the most frequent first. Queries that search the same are one
/// search.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EmptySearchList {
    /// The searches.
    pub searches: Vec<EmptySearch>,
    /// Cursor of the next page; null on the last page.
    pub next_cursor: Option<String>,
}

/// Lists what readers of a project searched in whole days and didn't find.
pub async fn empty_searches(
    operations: &Operations,
    caller: &Allowed<can::ListEmptySearches>,
    project_id: &str,
    query: &AnalyticsQuery,
    page: &Page,
) -> Result<EmptySearchList, OperationError> {
    let project = caller.project(operations, project_id).await?;
    let filter = query.filter(&project.id, operations.now())?;
    let page = page.of(("empty searches", &project.id, query))?;
    let (database, kind) = (&operations.database, Dimension::EmptySearch);
    let values = database.analytics_values(filter, kind, page.of_all()).await?;
    let position =
        |each: &ValueViews| Position { text: each.views.to_string(), id: each.value.clone() };
    let listed = page.cut(values, position, |each| (each.value, each.views));
    let next_cursor = listed.next_cursor;
    if listed.items.is_empty() {
        return Ok(EmptySearchList { searches: Vec::new(), next_cursor });
    }
    let pages = outline_of(operations, &project).await?;
    let gathered = tokio::task::spawn_blocking(move || gather(listed.items, pages.pages())).await;
    let searches = gathered.map_err(|error| OperationError::Internal(error.to_string()))?;
    Ok(EmptySearchList { searches, next_cursor })
}

/// One of the most frequent searches without a result, by its first query.
///
/// # Errors
///
/// Fails if the range has no such search, or if other queries became more frequent.
pub async fn empty_search(
    operations: &Operations,
    caller: &Allowed<can::ListEmptySearches>,
    project_id: &str,
    (query, first): (&AnalyticsQuery, &str),
) -> Result<EmptySearch, OperationError> {
    let page = Page::new(Some(COMPARED), None)?;
    let list = empty_searches(operations, caller, project_id, query, &page).await?;
    let found = list.searches.into_iter().find(|each| each.queries.iter().any(|own| own == first));
    found.ok_or_else(|| {
        OperationError::NotFound(
            "Search not found. It found something since, or it isn't in this range.".to_owned(),
        )
    })
}

/// The searches of queries with their numbers, the most frequent first.
fn gather(mut queries: Vec<(String, i64)>, pages: &[OutlinePage]) -> Vec<EmptySearch> {
    // Those beyond the limits of a day have no text.
    queries.retain(|(query, _)| !query.is_empty());
    let asked: Vec<_> =
        queries.iter().map(|(text, _)| AskedQuestion { text, language: LANGUAGE }).collect();
    let groups = likeness::group(&asked);
    let firsts: Vec<_> = groups.iter().filter_map(|group| Some(asked[*group.first()?])).collect();
    let texts: Vec<_> = pages.iter().map(words_of).collect();
    let near = likeness::nearest(&firsts, &texts, MAXIMUM_PAGES);
    let mut searches: Vec<_> = groups
        .into_iter()
        .zip(near)
        .filter_map(|(group, near)| {
            let members: Vec<_> = group.iter().filter_map(|number| queries.get(*number)).collect();
            let names = members.iter().take(MAXIMUM_QUERIES).map(|(query, _)| query.clone());
            let names: Vec<String> = names.collect();
            let count = members.iter().map(|(_, count)| count).sum();
            let near = near.into_iter().filter_map(|number| pages.get(number));
            let near: Vec<_> = near
                .map(|page| NearPage { path: page.path.clone(), title: page.title.clone() })
                .collect();
            let prompt = prompt::answer(&names, count, &near);
            Some(EmptySearch {
                query: names.first()?.clone(),
                count,
                queries: names,
                pages: near,
                prompt,
            })
        })
        .collect();
    searches.sort_by_key(|search| std::cmp::Reverse(search.count));
    searches
}

/// The words of a page without its text.
fn words_of(page: &OutlinePage) -> String {
    let name = page.path.rsplit('/').next().unwrap_or_default().replace(['-', '_'], " ");
    format!("{} {name} {}", page.title, page.sections.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(path: &str, title: &str) -> OutlinePage {
        OutlinePage {
            path: path.to_owned(),
            title: title.to_owned(),
            sections: Vec::new(),
            file: None,
            listed: true,
            last_modified: None,
        }
    }

    #[test]
    fn queries_that_search_the_same_are_one_search() {
        let queries = [("rotate key", 5), ("webhooks", 4), ("key rotation", 3), ("", 9)];
        let queries = queries.map(|(query, count)| (query.to_owned(), count));
        let pages = [page("keys", "API keys"), page("start", "Start")];
        let searches = gather(queries.into(), &pages);
        let found: Vec<_> = searches
            .iter()
            .map(|each| (each.query.as_str(), each.count, each.pages.len()))
            .collect();
        assert_eq!(found, [("rotate key", 8, 1), ("webhooks", 4, 0)]);
        assert_eq!(searches[0].queries, ["rotate key", "key rotation"]);
        assert_eq!(searches[0].pages[0].path, "keys");
        assert!(searches[0].prompt.contains("\"key rotation\""), "{}", searches[0].prompt);
    }
}
