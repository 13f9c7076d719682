//! Ranked lists: sums by a page or a value, the largest first.

use sqlx::{AssertSqlSafe, any::AnyRow};

use super::parts::{Parts, at_path};
use crate::{
    StorageError,
    database::{Database, PageRequest},
};

/// A list of sums. Each row has its text as `name`.
pub(super) struct RankedList<'a> {
    /// A query of rows with the number of their site and of their text.
    pub(super) rows: String,
    /// The column with the number of the text: `page` or `value`.
    pub(super) by: &'a str,
    /// What each row of the list has: a name, and what is added up. The list is ranked by `total`.
    pub(super) sums: &'a [(&'a str, &'a str)],
    /// A name for the latest `last_at`, if the list has it.
    pub(super) latest: Option<&'a str>,
    /// The part of a text that must be at or below the path, and the path; without them, all texts count.
    pub(super) at_path: Option<(&'a str, &'a str)>,
}

impl RankedList<'_> {
    /// The list. It binds the path as `$1`.
    fn sql(&self, parts: &Parts) -> String {
        let Self { rows, by, .. } = self;
        let latest = self.latest.into_iter().map(|name| (name, "MAX", "last_at"));
        let sums = self.sums.iter().map(|(name, each)| (*name, "SUM", *each));
        let columns: Vec<_> = sums.chain(latest).collect();
        let inner =
            columns.iter().map(|(name, function, each)| format!("{function}({each}) AS {name}"));
        let inner = inner.collect::<Vec<_>>().join(", ");
        // Sites have their own numbers, and can have the same texts.
        let is_one = parts.sites() < 2;
        let outer = columns.iter().map(|(name, function, _)| {
            let sum = if is_one {
                format!("counted.{name}")
            } else {
                format!("{function}(counted.{name})")
            };
            format!("CAST({sum} AS BIGINT) AS {name}")
        });
        let outer = outer.collect::<Vec<_>>().join(", ");
        let at_path = self.at_path.map_or("$1 = $1".to_owned(), |(text, _)| at_path(text, 1));
        let group = if is_one { "" } else { " GROUP BY texts.text" };
        format!(
            "SELECT texts.text AS name, {outer} FROM (SELECT site, {by} AS named, {inner} FROM ({rows}) AS counted_rows \
             GROUP BY site, {by}) AS counted JOIN analytics_texts AS texts ON texts.site = counted.site \
             AND texts.id = counted.named WHERE {at_path}{group}"
        )
    }
}

impl Database {
    /// A page of a ranked list: the largest sums first, and equal ones by `name`. A position has the total as text and
    /// the name as id.
    pub(super) async fn ranked(
        &self,
        parts: &Parts,
        ranked: RankedList<'_>,
        page: PageRequest<'_>,
    ) -> Result<Vec<AnyRow>, StorageError> {
        let Some((total, name)) = start_of(page) else { return Ok(Vec::new()) };
        let sql = list(&ranked.sql(parts), 2, page);
        let path = ranked.at_path.map_or("", |(_, path)| path);
        let query = sqlx::query(AssertSqlSafe(sql)).bind(path).bind(total).bind(name);
        Ok(query.fetch_all(&self.pool).await?)
    }
}

/// Where a page of a ranked list starts: after a total, and a name; `None` if the position is invalid.
pub(super) fn start_of(page: PageRequest<'_>) -> Option<(i64, &str)> {
    match page.after {
        None => Some((i64::MAX, "")),
        Some(after) => Some((after.text.parse().ok()?, after.id.as_str())),
    }
}

/// The statement of a page of a ranked list. The total and the name after which it starts are the parameter with a
/// number, and the next one.
pub(super) fn list(select: &str, total: usize, page: PageRequest<'_>) -> String {
    let name = total + 1;
    format!(
        "SELECT * FROM ({select}) AS sums WHERE total > 0 AND (total < ${total} OR (total = ${total} \
         AND name COLLATE \"binary\" > ${name})) ORDER BY total DESC, name COLLATE \"binary\" LIMIT {}",
        page.limit
    )
}
