//! The effect of a release: numbers of the days before it became active, and after.

use std::collections::HashMap;

use docwright_storage::database::{self, AnalyticsFilter, AnalyticsRange, PageRequest};
use docwright_types::timestamp::{DAY, Timestamp, iso};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{AnalyticsQuery, ReaderNumbers};
use crate::{
    Allowed, Caller, OperationError, Operations, can,
    releases::{ComparedWith, ReleaseChanges, changes},
};

/// Days before and after, if a request names no number.
const USUAL_DAYS: i64 = 7;
/// Most days before and after. The API spec says the same.
const MAXIMUM_DAYS: i64 = 90;
/// Pages in the response.
const PAGES: usize = 50;
/// Releases in the response.
const RELEASES: i64 = 100;
/// Pages with ratings that are read.
const RATED: i64 = 1_000;

/// How many days to compare.
#[derive(Debug, Default, Clone, Copy, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct EffectQuery {
    /// Number of days before and after, from 1 to 90.
    #[param(minimum = 1, maximum = 90, default = 7, example = 7)]
    pub days: Option<i64>,
}

/// Numbers of the days before a release became active, and of as many days after.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReleaseEffect {
    /// Time when the release became active for the first time.
    #[schema(format = DateTime)]
    pub active_from: String,
    /// Number of whole days (UTC) before and after that are compared. The day on which the release became active is in
    /// neither. 0 until the first whole day after it is over.
    #[schema(minimum = 0, maximum = 90, example = 7)]
    pub days: i64,
    /// Numbers of the days before.
    pub before: ReaderNumbers,
    /// Numbers of the days after.
    pub after: ReaderNumbers,
    /// Whether the pages that the release changed are known: its bundle and that of the previous release are kept.
    pub are_changes_known: bool,
    /// Pages that the release changed, the most read first, then the most read other pages: at most 50. Empty if the
    /// days before are longer ago than the days of pages are kept.
    #[schema(max_items = 50)]
    pub pages: Vec<PageEffect>,
}

/// Numbers of a page before and after.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PageEffect {
    /// Path of the page. For a removed page, its former path.
    #[schema(example = "guides/start")]
    pub path: String,
    /// `added`, `changed`, `moved`, or `removed` by the release; null if the page is the same.
    #[schema(example = "changed")]
    pub fate: Option<String>,
    /// Views before.
    #[schema(minimum = 0, example = 120)]
    pub views_before: i64,
    /// Views after. Those of a moved page are of its new path.
    #[schema(minimum = 0, example = 180)]
    pub views_after: i64,
    /// Ratings before that say that the page didn't help.
    #[schema(minimum = 0, example = 4)]
    pub bad_ratings_before: i64,
    /// Ratings after that say that the page didn't help.
    #[schema(minimum = 0, example = 1)]
    pub bad_ratings_after: i64,
}

/// A release that became active in a range.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ActiveRelease {
    /// ID of the release.
    #[schema(example = "rel_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    pub id: String,
    /// Time when it became active for the first time.
    #[schema(format = DateTime)]
    pub active_from: String,
    /// Its commit, if it is known.
    #[schema(example = "8f2c1e0b9a7d6c5b4a39281706f5e4d3c2b1a098")]
    pub commit: Option<String>,
    /// First line of the commit message.
    #[schema(example = "Explain how to install it")]
    pub message: Option<String>,
}

/// The releases that became active in a range.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct ActiveReleases {
    /// The releases, newest first: at most 100.
    #[schema(max_items = 100)]
    pub releases: Vec<ActiveRelease>,
}

/// Lists the releases of a project that became active in a range for the first time.
pub async fn active_releases(
    operations: &Operations,
    caller: &Allowed<can::ListActiveReleases>,
    project_id: &str,
    query: &AnalyticsQuery,
) -> Result<ActiveReleases, OperationError> {
    let project = caller.project(operations, project_id).await?;
    let AnalyticsRange { from, to, .. } = query.filter(&project.id, operations.now())?.range;
    let found = operations.database.active_releases(&project.id, (from, to), RELEASES).await?;
    let release = |each: database::ActiveRelease| ActiveRelease {
        id: each.id,
        active_from: iso(each.active_from),
        commit: each.commit,
        message: each.message.and_then(|text| text.lines().next().map(str::to_owned)),
    };
    Ok(ActiveReleases { releases: found.into_iter().map(release).collect() })
}

/// Compares the days before a release became active with those after.
pub async fn effect(
    operations: &Operations,
    caller: &Allowed<can::GetReleaseEffect>,
    release_id: &str,
    query: EffectQuery,
) -> Result<ReleaseEffect, OperationError> {
    let asked = query.days.unwrap_or(USUAL_DAYS);
    if !(1..=MAXIMUM_DAYS).contains(&asked) {
        let text = format!("`days` must be from 1 to {MAXIMUM_DAYS}.");
        return Err(OperationError::Invalid(text));
    }
    let (project, active_from) = activation(operations, caller, release_id).await?;
    let (days, [before, after]) = spans(active_from, asked, operations.now());
    let changes =
        changes(operations, &caller.allowed()?, release_id, &ComparedWith::default()).await;
    let changes = match changes {
        Ok(changes) => Some(changes),
        // The bundle can be gone, and others can be comparing.
        Err(
            OperationError::Conflict(_) | OperationError::Busy(_) | OperationError::Unavailable(_),
        ) => None,
        Err(error) => return Err(error),
    };
    let are_changes_known = changes.is_some();
    let pages = pages(operations, &project, changes, [before, after]).await?;
    Ok(ReleaseEffect {
        active_from: iso(active_from),
        days,
        before: ReaderNumbers::read(operations, &project, before).await?,
        after: ReaderNumbers::read(operations, &project, after).await?,
        are_changes_known,
        pages,
    })
}

/// The project of a release, and when it became active.
async fn activation(
    operations: &Operations,
    caller: &Caller,
    id: &str,
) -> Result<(String, Timestamp), OperationError> {
    let release = operations.database.release(id).await?;
    let own = release.filter(|own| caller.reaches(&own.organization_id, &own.project_id));
    let own = own.ok_or_else(|| OperationError::NotFound(format!("Release {id} not found.")))?;
    let active_from = operations.database.release_active_from(id).await?;
    let active_from = active_from
        .ok_or_else(|| OperationError::Conflict(format!("Release {id} was never active.")))?;
    Ok((own.project_id, active_from))
}

/// The number of whole days that can be compared, and the spans before and after.
const fn spans(
    active_from: Timestamp,
    asked: i64,
    now: Timestamp,
) -> (i64, [(Timestamp, Timestamp); 2]) {
    let day = active_from - active_from.rem_euclid(DAY);
    let next = day + DAY;
    let over = if now > next { (now - next) / DAY } else { 0 };
    let days = if over < asked { over } else { asked };
    (days, [(day - days * DAY, day), (next, next + days * DAY)])
}

/// The numbers of pages: first of those that the release changed.
async fn pages(
    operations: &Operations,
    project_id: &str,
    changes: Option<ReleaseChanges>,
    spans: [(Timestamp, Timestamp); 2],
) -> Result<Vec<PageEffect>, OperationError> {
    if spans[0].0 == spans[0].1 {
        return Ok(Vec::new());
    }
    let database = &operations.database;
    let ranges = spans.map(|span| AnalyticsRange::new(span, operations.now()).days());
    // Sums of months would be those of other days.
    if !ranges[0].has_days_of_pages() {
        return Ok(Vec::new());
    }
    let filters = ranges.map(|range| AnalyticsFilter::new(project_id, range));
    let changed = changes.map(|changes| changes.pages).unwrap_or_default();
    let former = changed.iter().filter_map(|page| page.from.as_deref());
    let paths: Vec<_> = changed.iter().map(|page| page.path.as_str()).chain(former).collect();
    let mut numbers: [HashMap<String, (i64, i64)>; 2] = Default::default();
    let mut read = Vec::new();
    for (numbers, filter) in numbers.iter_mut().zip(filters) {
        let first = PageRequest::first(i64::try_from(PAGES).unwrap_or(i64::MAX));
        let top = database.analytics_pages(filter, None, first).await?;
        for page in database.analytics_views_of_pages(filter, &paths).await?.into_iter().chain(top)
        {
            read.push(page.page.clone());
            numbers.entry(page.page).or_default().0 = page.human + page.ai;
        }
        let rated = PageRequest::first(RATED);
        for page in database.analytics_ratings(filter, true, rated).await? {
            numbers.entry(page.page).or_default().1 = page.unhelpful;
        }
    }
    // A page can be among the most read ones on one side only.
    let rest: Vec<_> = read.iter().map(String::as_str).collect();
    for (numbers, filter) in numbers.iter_mut().zip(filters) {
        for page in database.analytics_views_of_pages(filter, &rest).await? {
            numbers.entry(page.page).or_default().0 = page.human + page.ai;
        }
    }
    let of = |path: &str, from: Option<&str>, fate: Option<String>| {
        let [before, after] = &numbers;
        let (views_before, bad_ratings_before) =
            before.get(from.unwrap_or(path)).copied().unwrap_or_default();
        let (views_after, bad_ratings_after) = after.get(path).copied().unwrap_or_default();
        let path = path.to_owned();
        PageEffect { path, fate, views_before, views_after, bad_ratings_before, bad_ratings_after }
    };
    let by_views = |page: &PageEffect| {
        (std::cmp::Reverse(page.views_before + page.views_after), page.path.clone())
    };
    let mut first: Vec<_> = changed
        .iter()
        .map(|page| of(&page.path, page.from.as_deref(), Some(page.fate.name().to_owned())))
        .collect();
    first.sort_by_cached_key(by_views);
    let mut others = rest;
    others.sort_unstable();
    others.dedup();
    others.retain(|path| !paths.contains(path));
    let mut others: Vec<_> = others.into_iter().map(|path| of(path, None, None)).collect();
    others.sort_by_cached_key(by_views);
    first.extend(others);
    first.truncate(PAGES);
    Ok(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_have_whole_days_around_the_day_of_the_release() {
        let active = 100 * DAY + 9;
        let none = (0, [(100 * DAY, 100 * DAY), (101 * DAY, 101 * DAY)]);
        assert_eq!(spans(active, 7, active), none);
        assert_eq!(spans(active, 7, 102 * DAY - 1), none);
        let one = (1, [(99 * DAY, 100 * DAY), (101 * DAY, 102 * DAY)]);
        assert_eq!(spans(active, 7, 102 * DAY), one);
        let all = (7, [(93 * DAY, 100 * DAY), (101 * DAY, 108 * DAY)]);
        assert_eq!(spans(active, 7, 200 * DAY), all);
    }
}
