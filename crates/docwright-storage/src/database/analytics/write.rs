//! Adds batches of sums. The id of a batch is in the same transaction, so a batch counts once across retries,
//! restarts, and nodes.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet, HashMap},
};

use docwright_types::timestamp::{DAY, HOUR, Timestamp, month_of};
use sqlx::{Any, AssertSqlSafe, Row, Transaction};

use super::{
    AnalyticsBatch, MinuteSum, ValueSum, ViewSum, Views, live::add_minutes, months::lock_late,
};
use crate::{
    StorageError,
    database::{Database, domain_renames::names_today, new_id, retention::placeholders},
};

/// Rows of one statement.
pub(super) const ROWS: usize = 200;

/// Views by domain, length of the step, its start, and page or folder.
type Sums<'a> = BTreeMap<(&'a str, Timestamp, Timestamp, &'a str), Views>;
/// Views by domain, start of the month, and page.
type MonthSums<'a> = BTreeMap<(&'a str, Timestamp, &'a str), Views>;

impl AnalyticsBatch {
    /// A batch with a new id.
    pub fn new(views: Vec<ViewSum>, values: Vec<ValueSum>) -> Self {
        Self { id: new_id("batch"), views, values, minutes: Vec::new() }
    }

    /// A batch of minutes with a new id.
    pub fn of_minutes(minutes: Vec<MinuteSum>) -> Self {
        Self { id: new_id("batch"), minutes, ..Self::default() }
    }
}

impl Database {
    /// Adds a batch, unless it was added before. Sums of a domain that was renamed count for it, and those of domains
    /// that are gone are left out. Returns whether it was added now.
    pub async fn add_analytics(
        &self,
        batch: &AnalyticsBatch,
        now: Timestamp,
    ) -> Result<bool, StorageError> {
        self.attempt(|| Box::pin(self.try_add_analytics(batch, now))).await
    }

    async fn try_add_analytics(
        &self,
        batch: &AnalyticsBatch,
        now: Timestamp,
    ) -> Result<bool, StorageError> {
        let mut transaction = self.begin().await?;
        let sql = "INSERT INTO analytics_batches (id, written_at) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING";
        let added = sqlx::query(sql).bind(&batch.id).bind(now).execute(&mut *transaction).await?;
        if added.rows_affected() == 0 {
            return Ok(false);
        }
        let batch = &under_names_of_today(&mut transaction, batch).await?;
        let domains = known_domains(&mut transaction, batch).await?;
        let summed_until = lock_late(&mut transaction, batch, now).await?;
        let is_summed = |domain: &str, start: Timestamp| {
            summed_until.get(domain).is_some_and(|until| start < *until)
        };
        let (mut pages, mut folders, mut months) = (Sums::new(), Sums::new(), MonthSums::new());
        for sum in batch.views.iter().filter(|sum| domains.contains(&sum.domain)) {
            let (domain, page) = (sum.domain.as_str(), sum.page.as_str());
            for step in [HOUR, DAY] {
                let start = sum.hour - sum.hour.rem_euclid(step);
                add(pages.entry((domain, step, start, page)).or_default(), sum.views);
                for folder in folders_of(page) {
                    add(folders.entry((domain, step, start, folder)).or_default(), sum.views);
                }
            }
            if is_summed(domain, sum.hour) {
                let key = (domain, month_of(sum.hour), page);
                add(months.entry(key).or_default(), sum.views);
            }
        }
        add_views(&mut transaction, ("analytics_views", "page"), pages).await?;
        add_views(&mut transaction, ("analytics_totals", "folder"), folders).await?;
        add_months(&mut transaction, months).await?;
        let values: Vec<_> =
            batch.values.iter().filter(|sum| domains.contains(&sum.domain)).collect();
        let late: Vec<_> = values
            .iter()
            .filter(|sum| is_summed(&sum.domain, sum.day))
            .map(|sum| (*sum, month_of(sum.day)))
            .collect();
        let values = values.into_iter().map(|sum| (sum, sum.day)).collect();
        add_values(&mut transaction, "analytics_values", values, now).await?;
        add_values(&mut transaction, "analytics_month_values", late, now).await?;
        let minutes = batch.minutes.iter().filter(|sum| domains.contains(&sum.domain));
        add_minutes(&mut transaction, minutes, now).await?;
        transaction.commit().await?;
        Ok(true)
    }
}

/// The names of domains in a batch.
fn names_of(batch: &AnalyticsBatch) -> Vec<&str> {
    let views = batch.views.iter().map(|sum| &sum.domain);
    let values = batch.values.iter().map(|sum| &sum.domain);
    let minutes = batch.minutes.iter().map(|sum| &sum.domain);
    let names: BTreeSet<_> = views.chain(values).chain(minutes).map(String::as_str).collect();
    names.into_iter().collect()
}

/// The same batch, with the names that its domains have today.
async fn under_names_of_today<'a>(
    transaction: &mut Transaction<'_, Any>,
    batch: &'a AnalyticsBatch,
) -> Result<Cow<'a, AnalyticsBatch>, StorageError> {
    let mut today = HashMap::new();
    for names in names_of(batch).chunks(ROWS) {
        today.extend(names_today(transaction, names).await?);
    }
    if today.is_empty() {
        return Ok(Cow::Borrowed(batch));
    }
    let mut batch = batch.clone();
    let views = batch.views.iter_mut().map(|sum| &mut sum.domain);
    let values = batch.values.iter_mut().map(|sum| &mut sum.domain);
    let minutes = batch.minutes.iter_mut().map(|sum| &mut sum.domain);
    for domain in views.chain(values).chain(minutes) {
        if let Some(name) = today.get(domain) {
            domain.clone_from(name);
        }
    }
    Ok(Cow::Owned(batch))
}

/// The domains of a batch that exist.
async fn known_domains(
    transaction: &mut Transaction<'_, Any>,
    batch: &AnalyticsBatch,
) -> Result<BTreeSet<String>, StorageError> {
    let names = names_of(batch);
    let mut known = BTreeSet::new();
    for names in names.chunks(ROWS) {
        let list = placeholders(1, names.len());
        let sql = format!("SELECT name FROM domains WHERE name IN ({list})");
        let mut query = sqlx::query(AssertSqlSafe(sql));
        for name in names {
            query = query.bind(*name);
        }
        for row in query.fetch_all(&mut **transaction).await? {
            known.insert(row.try_get("name")?);
        }
    }
    Ok(known)
}

fn add(sum: &mut Views, more: Views) {
    for (views, more) in sum.iter_mut().zip(more) {
        *views += more;
    }
}

/// The folders that contain a page, and the site as an empty one.
fn folders_of(page: &str) -> impl Iterator<Item = &str> {
    let folders = page.match_indices('/').map(|(end, _)| &page[..end]);
    std::iter::once("").chain(folders.filter(|folder| !folder.is_empty()))
}

/// The page of a sum, and the folders that contain it, which end with a slash.
fn pages_of(sum: &ValueSum) -> impl Iterator<Item = &str> {
    let folders = sum.page.match_indices('/').map(|(end, _)| &sum.page[..=end]);
    let folders = folders.filter(|folder| sum.dimension.is_by_folder() && *folder != "/");
    std::iter::once(sum.page.as_str()).chain(folders)
}

/// Adds to the sums of views, in the order of their key: transactions of several nodes never wait in a circle.
/// `column` is the one of pages or folders.
async fn add_views(
    transaction: &mut Transaction<'_, Any>,
    (table, column): (&str, &str),
    sums: Sums<'_>,
) -> Result<(), StorageError> {
    let sums: Vec<_> = sums.into_iter().collect();
    for sums in sums.chunks(ROWS) {
        let key = format!("domain, step, starts_at, {column}");
        let sql = insert_views(table, &key, rows::<7>(sums.len()));
        let mut query = sqlx::query(AssertSqlSafe(sql));
        for ((domain, step, start, page), [human, ai, bot]) in sums {
            query = query.bind(*domain).bind(*step).bind(*start).bind(*page);
            query = query.bind(*human).bind(*ai).bind(*bot);
        }
        query.execute(&mut **transaction).await?;
    }
    Ok(())
}

/// Adds to the sums of months.
async fn add_months(
    transaction: &mut Transaction<'_, Any>,
    sums: MonthSums<'_>,
) -> Result<(), StorageError> {
    let sums: Vec<_> = sums.into_iter().collect();
    for sums in sums.chunks(ROWS) {
        let key = "domain, starts_at, page";
        let sql = insert_views("analytics_month_views", key, rows::<6>(sums.len()));
        let mut query = sqlx::query(AssertSqlSafe(sql));
        for ((domain, start, page), [human, ai, bot]) in sums {
            query = query.bind(*domain).bind(*start).bind(*page);
            query = query.bind(*human).bind(*ai).bind(*bot);
        }
        query.execute(&mut **transaction).await?;
    }
    Ok(())
}

/// The statement that adds views to the sums of a table.
fn insert_views(table: &str, key: &str, rows: String) -> String {
    let sums =
        ["human", "ai", "bot"].map(|kind| format!("{kind} = {table}.{kind} + excluded.{kind}"));
    format!(
        "INSERT INTO {table} ({key}, human, ai, bot) VALUES {rows} ON CONFLICT ({key}) DO UPDATE SET {}",
        sums.join(", ")
    )
}

/// Adds to the sums of a table by dimension, each with the start of its row.
async fn add_values(
    transaction: &mut Transaction<'_, Any>,
    table: &str,
    sums: Vec<(&ValueSum, Timestamp)>,
    now: Timestamp,
) -> Result<(), StorageError> {
    // Several pages of a folder have one sum, and several days of a month.
    let mut by_key: BTreeMap<_, (i64, Timestamp)> = BTreeMap::new();
    for (sum, start) in sums {
        // Sums are seconds old, unless the database was away.
        let last = (now - now.rem_euclid(HOUR)).clamp(sum.day, sum.day + DAY - HOUR);
        for page in pages_of(sum) {
            let key = (&sum.domain, sum.dimension.name(), page, start, &sum.value);
            let (views, last_at) = by_key.entry(key).or_insert((0, last));
            *views += sum.views;
            *last_at = last.max(*last_at);
        }
    }
    let sums: Vec<_> = by_key.into_iter().collect();
    for sums in sums.chunks(ROWS) {
        let sql = format!(
            "INSERT INTO {table} (domain, dimension, page, starts_at, value, views, last_at) VALUES {} \
             ON CONFLICT (domain, dimension, page, starts_at, value) DO UPDATE SET \
             views = {table}.views + excluded.views, last_at = CASE WHEN \
             excluded.last_at > {table}.last_at THEN excluded.last_at ELSE {table}.last_at END",
            rows::<7>(sums.len())
        );
        let mut query = sqlx::query(AssertSqlSafe(sql));
        for ((domain, dimension, page, start, value), (views, last)) in sums {
            query = query.bind(*domain).bind(*dimension).bind(*page);
            query = query.bind(*start).bind(*value).bind(*views).bind(*last);
        }
        query.execute(&mut **transaction).await?;
    }
    Ok(())
}

/// Parameters of a number of rows.
pub(super) fn rows<const COLUMNS: usize>(count: usize) -> String {
    let row = |number: usize| format!("({})", placeholders(number * COLUMNS + 1, COLUMNS));
    (0..count).map(row).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use docwright_types::analytics::Dimension;

    use super::*;

    #[test]
    fn value_of_a_page_counts_in_its_folders() {
        let pages = |dimension, page: &str| {
            let (domain, value) = (String::new(), String::new());
            let sum =
                ValueSum { domain, day: 0, dimension, page: page.to_owned(), value, views: 1 };
            pages_of(&sum).map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(pages(Dimension::Device, ""), [""]);
        assert_eq!(pages(Dimension::Device, "guides/a/b"), ["guides/a/b", "guides/", "guides/a/"]);
        assert_eq!(pages(Dimension::OpenedResult, "guides/a"), ["guides/a"]);
    }

    #[test]
    fn page_is_in_its_folders() {
        let folders = |page| folders_of(page).collect::<Vec<_>>();
        assert_eq!(folders("index"), [""]);
        assert_eq!(folders("guides/a/b"), ["", "guides", "guides/a"]);
        assert_eq!(folders("/x"), [""]);
    }
}
