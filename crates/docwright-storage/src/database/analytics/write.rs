//! Adds batches of sums. The id of a batch is in the same transaction, so a batch counts once across retries,
//! restarts, and nodes. Each sum of an hour is one of its day and of its month, too.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet, HashMap},
};

use docwright_types::timestamp::{DAY, HOUR, Timestamp, month_of};
use sqlx::{Any, AssertSqlSafe, Transaction};

use super::{
    AnalyticsBatch, MinuteSum, ValueSum, ViewSum, Views,
    live::add_minutes,
    numbers::{Numbers, SiteNumbers, hours},
};
use crate::{
    StorageError,
    database::{Database, domain_renames::names_today, new_id, retention::placeholders},
};

/// Rows of one statement.
pub(super) const ROWS: usize = 500;

/// Views by a key of numbers.
type Sums<const KEY: usize> = BTreeMap<[i64; KEY], Views>;
/// Views by site, dimension, start, page, and value, and the time of the last one.
type ValueSums = BTreeMap<[i64; 5], (i64, Timestamp)>;

/// The sums of a batch by their keys: transactions of several nodes add to them in the same order, and never wait in a
/// circle.
#[derive(Default)]
struct BatchSums {
    /// By site, step, start, and page.
    pages: Sums<4>,
    /// By site, folder, step, and start.
    folders: Sums<4>,
    /// By site, start, and page.
    months: Sums<3>,
    values: ValueSums,
    month_values: ValueSums,
}

impl AnalyticsBatch {
    /// A batch with a new id.
    pub fn new(views: Vec<ViewSum>, values: Vec<ValueSum>) -> Self {
        Self { id: new_id("batch"), views, values, minutes: Vec::new() }
    }

    /// A batch of minutes with a new id.
    pub fn of_minutes(minutes: Vec<MinuteSum>) -> Self {
        Self { id: new_id("batch"), minutes, ..Self::default() }
    }

    /// The texts of each domain that its sums name.
    fn texts(&self) -> BTreeMap<&str, BTreeSet<&str>> {
        let mut texts: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for sum in &self.views {
            let of_domain = texts.entry(&sum.domain).or_default();
            of_domain.extend([sum.page.as_str()].into_iter().chain(folders_of(&sum.page)));
        }
        for sum in &self.values {
            let of_domain = texts.entry(&sum.domain).or_default();
            of_domain.extend(pages_of(sum).chain([sum.value.as_str()]));
        }
        for sum in &self.minutes {
            texts.entry(&sum.domain).or_default();
        }
        texts
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
        let numbers = Numbers::find(&mut transaction, batch.texts(), now).await?;
        let BatchSums { pages, folders, months, values, month_values } =
            BatchSums::of(batch, &numbers, now);
        let key = "site, step, start, page";
        add_views(&mut transaction, ("analytics_views", key), pages).await?;
        let key = "site, folder, step, start";
        add_views(&mut transaction, ("analytics_totals", key), folders).await?;
        let key = "site, start, page";
        add_views(&mut transaction, ("analytics_month_views", key), months).await?;
        add_values(&mut transaction, "analytics_values", values).await?;
        add_values(&mut transaction, "analytics_month_values", month_values).await?;
        let minutes = batch.minutes.iter().filter(|sum| numbers.of(&sum.domain).is_some());
        add_minutes(&mut transaction, minutes, now).await?;
        transaction.commit().await?;
        Ok(true)
    }
}

impl BatchSums {
    /// The sums of a batch. Those of domains that are gone are left out.
    fn of(batch: &AnalyticsBatch, numbers: &Numbers, now: Timestamp) -> Self {
        let mut sums = Self::default();
        for sum in &batch.views {
            if let Some(site) = numbers.of(&sum.domain) {
                sums.add_view(sum, site);
            }
        }
        for sum in &batch.values {
            if let Some(site) = numbers.of(&sum.domain) {
                sums.add_value(sum, site, now);
            }
        }
        sums
    }

    fn add_view(&mut self, sum: &ViewSum, site: &SiteNumbers) {
        let page = site.text(&sum.page);
        for step in [HOUR, DAY] {
            let (start, step) = (hours(sum.hour - sum.hour.rem_euclid(step)), hours(step));
            add(self.pages.entry([site.id, step, start, page]).or_default(), sum.views);
            for folder in folders_of(&sum.page) {
                let key = [site.id, site.text(folder), step, start];
                add(self.folders.entry(key).or_default(), sum.views);
            }
        }
        let key = [site.id, hours(month_of(sum.hour)), page];
        add(self.months.entry(key).or_default(), sum.views);
    }

    fn add_value(&mut self, sum: &ValueSum, site: &SiteNumbers, now: Timestamp) {
        // Sums are seconds old, unless the database was away.
        let last = (now - now.rem_euclid(HOUR)).clamp(sum.day, sum.day + DAY - HOUR);
        let (dimension, value) = (sum.dimension.number(), site.text(&sum.value));
        for page in pages_of(sum) {
            // Opened results are looked up by their query.
            let (page, value) = match site.text(page) {
                page if sum.dimension.is_by_value() && page != 0 => (value, page),
                page => (page, value),
            };
            for (sums, start) in
                [(&mut self.values, sum.day), (&mut self.month_values, month_of(sum.day))]
            {
                let key = [site.id, dimension, hours(start), page, value];
                let (views, last_at) = sums.entry(key).or_insert((0, last));
                *views += sum.views;
                *last_at = last.max(*last_at);
            }
        }
    }
}

/// The same batch, with the names that its domains have today.
async fn under_names_of_today<'a>(
    transaction: &mut Transaction<'_, Any>,
    batch: &'a AnalyticsBatch,
) -> Result<Cow<'a, AnalyticsBatch>, StorageError> {
    let mut today = HashMap::new();
    let names: Vec<_> = names_of(batch).into_iter().collect();
    for names in names.chunks(ROWS) {
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

/// The names of domains in a batch.
fn names_of(batch: &AnalyticsBatch) -> BTreeSet<&str> {
    let views = batch.views.iter().map(|sum| &sum.domain);
    let values = batch.values.iter().map(|sum| &sum.domain);
    let minutes = batch.minutes.iter().map(|sum| &sum.domain);
    views.chain(values).chain(minutes).map(String::as_str).collect()
}

fn add(sum: &mut Views, more: Views) {
    for (views, more) in sum.iter_mut().zip(more) {
        *views += more;
    }
}

/// The folders that contain a page, each with a slash at its end, and the site as an empty one.
fn folders_of(page: &str) -> impl Iterator<Item = &str> {
    let folders = page.match_indices('/').map(|(end, _)| &page[..=end]);
    std::iter::once("").chain(folders.filter(|folder| *folder != "/"))
}

/// The page of a sum, and the folders that contain it, which end with a slash.
fn pages_of(sum: &ValueSum) -> impl Iterator<Item = &str> {
    let folders = folders_of(&sum.page).skip(1);
    std::iter::once(sum.page.as_str()).chain(folders.filter(|_| sum.dimension.is_by_folder()))
}

/// Adds to the sums of views of a table, whose key has these columns.
async fn add_views<const KEY: usize>(
    transaction: &mut Transaction<'_, Any>,
    (table, key): (&str, &str),
    sums: Sums<KEY>,
) -> Result<(), StorageError> {
    let more =
        ["human", "ai", "bot"].map(|kind| format!("{kind} = {table}.{kind} + excluded.{kind}"));
    let rows: Vec<_> = sums.into_iter().map(|(key, views)| row(key.iter().chain(&views))).collect();
    let into = format!("{table} ({key}, human, ai, bot)");
    insert(transaction, &into, &rows, &format!("({key}) DO UPDATE SET {}", more.join(", "))).await
}

/// Adds to the sums of a table by dimension.
async fn add_values(
    transaction: &mut Transaction<'_, Any>,
    table: &str,
    sums: ValueSums,
) -> Result<(), StorageError> {
    let key = "site, dimension, start, page, value";
    let row_of = |(key, (views, last)): ([i64; 5], (i64, Timestamp))| {
        let last = hours(last) - key[2];
        row(key.iter().chain(&[views, last]))
    };
    let rows: Vec<_> = sums.into_iter().map(row_of).collect();
    let on_conflict = format!(
        "({key}) DO UPDATE SET views = {table}.views + excluded.views, last_hour = CASE WHEN \
         excluded.last_hour > {table}.last_hour THEN excluded.last_hour ELSE {table}.last_hour END"
    );
    insert(transaction, &format!("{table} ({key}, views, last_hour)"), &rows, &on_conflict).await
}

/// A row of numbers.
fn row<'a>(numbers: impl Iterator<Item = &'a i64>) -> String {
    let numbers: Vec<_> = numbers.map(i64::to_string).collect();
    format!("({})", numbers.join(","))
}

/// Inserts rows of numbers. They are part of the statement: to bind each takes most of the time of a batch.
async fn insert(
    transaction: &mut Transaction<'_, Any>,
    into: &str,
    rows: &[String],
    on_conflict: &str,
) -> Result<(), StorageError> {
    for rows in rows.chunks(ROWS) {
        let sql =
            format!("INSERT INTO {into} VALUES {} ON CONFLICT {on_conflict}", rows.join(", "));
        let query = sqlx::query(AssertSqlSafe(sql)).persistent(false);
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
        assert_eq!(folders("guides/a/b"), ["", "guides/", "guides/a/"]);
        assert_eq!(folders("/x"), [""]);
    }
}
