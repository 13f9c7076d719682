//! The weekly report: the numbers of the week (UTC) that is over beside those of the week before. Only
//! subscriptions that name `analytics.weekly` get it.
//!
//! Any node writes it, once a project and week: the database records that in the transaction that adds the
//! notifications.

use std::time::Duration;

use docwright_storage::database::{AnalyticsFilter, AnalyticsRange, PageRequest, WeeklyProject};
use docwright_types::{
    analytics::Dimension,
    timestamp::{DAY, HOUR, Timestamp, iso},
};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::ReaderNumbers;
use crate::{OperationError, Operations};

/// Length of a week. Milliseconds.
const WEEK: Timestamp = 7 * DAY;
/// The day 0 of time is a Thursday, so a Monday is four days later.
const MONDAY: Timestamp = 4 * DAY;
/// How long after the end of a week its report is written: nodes write late. Milliseconds.
const LATE: Timestamp = 6 * HOUR;
/// Time between two rounds.
const EVERY: Duration = Duration::from_mins(10);
/// Projects of one statement.
const PROJECTS: i64 = 100;
/// Rows of each list.
const ROWS: i64 = 5;

/// Writes reports until `stop`.
pub async fn run(operations: Operations, stop: CancellationToken) {
    while !stop.is_cancelled() {
        tokio::select! {
            written = write_due(&operations) => {
                if let Err(error) = written {
                    tracing::warn!(%error, "weekly reports not written; retrying");
                }
            }
            // A round can be interrupted anywhere.
            () = stop.cancelled() => {}
        }
        tokio::select! {
            () = tokio::time::sleep(EVERY) => {}
            () = stop.cancelled() => {}
        }
    }
}

/// Writes the reports that are due. Returns how many were written now.
///
/// # Errors
///
/// Fails if the database does.
pub async fn write_due(operations: &Operations) -> Result<u64, OperationError> {
    let (database, now) = (&operations.database, operations.now());
    let ends_at = last_monday(now - LATE);
    let (mut after, mut count) = (String::new(), 0);
    loop {
        let projects = database.weekly_projects(ends_at, (&after, PROJECTS)).await?;
        let Some(last) = projects.last() else { return Ok(count) };
        after.clone_from(&last.id);
        for project in &projects {
            let data = report(operations, project, ends_at).await?;
            count += u64::from(database.record_week(project, ends_at, data, now).await?);
        }
    }
}

/// Start of the Monday (UTC) of a time's week.
const fn last_monday(time: Timestamp) -> Timestamp {
    time - (time - MONDAY).rem_euclid(WEEK)
}

/// The data of a report; `None` if the project had no readers in both weeks.
async fn report(
    operations: &Operations,
    project: &WeeklyProject,
    ends_at: Timestamp,
) -> Result<Option<Value>, OperationError> {
    let week = (ends_at - WEEK, ends_at);
    let before = ReaderNumbers::read(operations, &project.id, (week.0 - WEEK, week.0)).await?;
    let numbers = ReaderNumbers::read(operations, &project.id, week).await?;
    if before == ReaderNumbers::default() && numbers == ReaderNumbers::default() {
        return Ok(None);
    }
    let database = &operations.database;
    let range = AnalyticsRange::new(week, operations.now()).days();
    let filter = AnalyticsFilter::new(&project.id, range);
    let pages = database.analytics_pages(filter, None, PageRequest::first(ROWS)).await?;
    let pages: Vec<_> = pages
        .into_iter()
        .map(|page| json!({ "path": page.page, "views": page.human + page.ai }))
        .collect();
    let searches =
        database.analytics_values(filter, Dimension::EmptySearch, PageRequest::first(ROWS)).await?;
    let searches: Vec<_> = searches
        .into_iter()
        .map(|each| json!({ "query": each.value, "searches": each.views }))
        .collect();
    let links = database.analytics_dead_links(filter, PageRequest::first(ROWS)).await?;
    let links: Vec<_> = links
        .into_iter()
        .map(|link| json!({ "path": link.path, "requests": link.own + link.other }))
        .collect();
    Ok(Some(json!({
        "from": iso(week.0),
        "to": iso(week.1),
        "week": numbers,
        "weekBefore": before,
        "topPages": pages,
        "searchesWithoutResult": searches,
        "deadLinks": links,
        "analyticsUrl": link(operations, project, "analytics?range=week"),
        "deadLinksUrl": link(operations, project, "analytics?range=week&table=dead-links"),
        "searchesUrl": link(operations, project, "analytics?range=week&table=empty-searches"),
        "settingsUrl": link(operations, project, "settings/notifications"),
    })))
}

/// A page of the project in the dashboard; `None` if the address of the server isn't known.
fn link(operations: &Operations, project: &WeeklyProject, path: &str) -> Option<String> {
    let server = operations.public_url.as_deref()?;
    Some(format!("{server}/projects/{}/{path}", project.id))
}

#[cfg(test)]
mod tests {
    use docwright_types::timestamp::parse_iso;

    use super::*;

    #[test]
    fn weeks_end_on_mondays() {
        let time = |text: &str| parse_iso(text).unwrap();
        for (now, monday) in [
            ("2026-11-22T23:59:59Z", "2026-11-16T00:00:00Z"),
            ("2026-11-23T00:00:00Z", "2026-11-23T00:00:00Z"),
            ("2026-11-26T12:00:00Z", "2026-11-23T00:00:00Z"),
        ] {
            assert_eq!(last_monday(time(now)), time(monday));
        }
    }
}
