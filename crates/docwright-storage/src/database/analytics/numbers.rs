//! Numbers of sites and of their texts: sums name sites, pages, and values by them, so that years of sums stay small.
//!
//! A batch finds the numbers before it adds to any sum. New texts get theirs while the row of their site is locked, so
//! nodes that count the same text at once agree. Sites come in order: transactions never wait in a circle.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use docwright_types::{
    analytics::Dimension,
    timestamp::{HOUR, Timestamp, month_of},
};
use sqlx::{Any, AssertSqlSafe, Row, Transaction};

use super::{
    parts::{Of, Parts},
    write::ROWS,
};
use crate::{
    StorageError,
    database::{Database, retention::placeholders},
};

/// The whole site, or all values beyond the limits.
pub(super) const EMPTY: i64 = 0;

/// Up to this many pages are looked up one by one. For more, the values of all pages are read.
const LOOKED_UP: usize = 200;

/// Numbers of the sites and texts of a batch.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    sites: BTreeMap<String, SiteNumbers>,
}

/// The number of a site, and those of its texts.
#[derive(Debug)]
pub(super) struct SiteNumbers {
    /// Number of the site.
    pub(super) id: i64,
    texts: HashMap<String, i64>,
}

impl Numbers {
    /// Finds the numbers of domains and their texts. Texts get one; domains that are gone have none.
    pub(super) async fn find(
        transaction: &mut Transaction<'_, Any>,
        texts: BTreeMap<&str, BTreeSet<&str>>,
        now: Timestamp,
    ) -> Result<Self, StorageError> {
        let names: Vec<_> = texts.keys().copied().collect();
        let ids = number_sites(transaction, &names).await?;
        let mut by_id: Vec<_> = texts
            .into_iter()
            .filter_map(|(domain, texts)| Some((*ids.get(domain)?, domain, texts)))
            .collect();
        by_id.sort_unstable_by_key(|(id, ..)| *id);
        let mut sites = BTreeMap::new();
        for (id, domain, texts) in by_id {
            let texts = number_texts(transaction, id, texts, hours(month_of(now))).await?;
            sites.extend(texts.map(|texts| (domain.to_owned(), SiteNumbers { id, texts })));
        }
        Ok(Self { sites })
    }

    /// The numbers of a domain; `None` if it is gone.
    pub(super) fn of(&self, domain: &str) -> Option<&SiteNumbers> {
        self.sites.get(domain)
    }
}

impl SiteNumbers {
    /// The number of a text of the batch.
    pub(super) fn text(&self, text: &str) -> i64 {
        self.texts.get(text).copied().unwrap_or(EMPTY)
    }
}

/// A time in hours since 1970, as sums have it.
pub(super) const fn hours(time: Timestamp) -> i64 {
    time.div_euclid(HOUR)
}

impl Database {
    /// Rows like those of [`Parts::values`] of some pages, or of what stands in the place of pages. Others can be among
    /// them.
    pub(super) async fn values_of_pages(
        &self,
        parts: &Parts,
        dimensions: &[Dimension],
        pages: &[&str],
    ) -> Result<String, StorageError> {
        if pages.len() > LOOKED_UP {
            return Ok(parts.values(dimensions, Of::Pages));
        }
        let numbers = self.analytics_texts(parts, pages).await?;
        Ok(parts.values(dimensions, Of::Some(&numbers)))
    }

    /// The numbers of texts in the sites of a reading.
    async fn analytics_texts(
        &self,
        parts: &Parts,
        texts: &[&str],
    ) -> Result<Vec<i64>, StorageError> {
        let mut numbers = Vec::new();
        for texts in texts.chunks(ROWS) {
            let sql = format!(
                "SELECT id FROM analytics_texts WHERE {} AND text IN ({})",
                parts.of_sites(),
                placeholders(1, texts.len())
            );
            let query =
                texts.iter().fold(sqlx::query(AssertSqlSafe(sql)), |query, text| query.bind(*text));
            for row in query.fetch_all(&self.pool).await? {
                numbers.push(row.try_get("id")?);
            }
        }
        Ok(numbers)
    }
}

/// The numbers of domains that exist.
async fn number_sites(
    transaction: &mut Transaction<'_, Any>,
    names: &[&str],
) -> Result<HashMap<String, i64>, StorageError> {
    let mut found = HashMap::new();
    for names in names.chunks(ROWS) {
        let sql = format!(
            "SELECT name, id FROM domains LEFT JOIN analytics_sites ON domain = name WHERE name IN ({})",
            placeholders(1, names.len())
        );
        let query =
            names.iter().fold(sqlx::query(AssertSqlSafe(sql)), |query, name| query.bind(*name));
        for row in query.fetch_all(&mut **transaction).await? {
            let (name, id): (String, Option<i64>) = (row.try_get("name")?, row.try_get("id")?);
            let id = match id {
                Some(id) => Some(id),
                None => number_site(transaction, &name).await?,
            };
            found.extend(id.map(|id| (name, id)));
        }
    }
    Ok(found)
}

/// Gives a site a number, which no site ever had: a batch that is being written can still name a site that was removed.
/// `None` if the site is gone.
async fn number_site(
    transaction: &mut Transaction<'_, Any>,
    domain: &str,
) -> Result<Option<i64>, StorageError> {
    // Nodes that number the same site wait for each other here.
    let sql = "UPDATE analytics_numbering SET last_site = last_site + 1 RETURNING last_site";
    let next: i64 = sqlx::query(sql).fetch_one(&mut **transaction).await?.try_get("last_site")?;
    let sql = "INSERT INTO analytics_sites (domain, id, last_text) SELECT name, $2, 0 FROM domains \
         WHERE name = $1 ON CONFLICT DO NOTHING";
    sqlx::query(sql).bind(domain).bind(next).execute(&mut **transaction).await?;
    let sql = "SELECT id FROM analytics_sites WHERE domain = $1";
    let row = sqlx::query(sql).bind(domain).fetch_optional(&mut **transaction).await?;
    let Some(row) = row else { return Ok(None) };
    let sql = "INSERT INTO analytics_texts (site, id, text, used_in) SELECT id, 0, '', 0 FROM analytics_sites \
         WHERE domain = $1 ON CONFLICT DO NOTHING";
    sqlx::query(sql).bind(domain).execute(&mut **transaction).await?;
    Ok(Some(row.try_get("id")?))
}

/// The numbers of a site's texts, which are used in a month. `None` if the site is gone.
async fn number_texts(
    transaction: &mut Transaction<'_, Any>,
    site: i64,
    texts: BTreeSet<&str>,
    month: i64,
) -> Result<Option<HashMap<String, i64>>, StorageError> {
    let texts: Vec<_> = texts.into_iter().filter(|text| !text.is_empty()).collect();
    let (mut known, is_old) = find_texts(transaction, site, &texts, month).await?;
    if known.len() == texts.len() && !is_old {
        return Ok(Some(known));
    }
    let sql = "UPDATE analytics_sites SET last_text = last_text WHERE id = $1 RETURNING last_text";
    let row = sqlx::query(sql).bind(site).fetch_optional(&mut **transaction).await?;
    let Some(row) = row else { return Ok(None) };
    let mut last: i64 = row.try_get("last_text")?;
    // Before they are found again: retention can remove a text until it is used in this month.
    use_texts(transaction, site, &texts, month).await?;
    (known, _) = find_texts(transaction, site, &texts, month).await?;
    let new: Vec<_> = texts.into_iter().filter(|text| !known.contains_key(*text)).collect();
    for texts in new.chunks(ROWS) {
        let first = last;
        let number = |place: usize, text: &str| {
            let number = first + 1 + i64::try_from(place).unwrap_or_default();
            if text.ends_with('/') { -number } else { number }
        };
        let row = |(place, text): (usize, &&str)| {
            format!("({site}, {}, ${}, {month})", number(place, text), place + 1)
        };
        let rows: Vec<_> = texts.iter().enumerate().map(row).collect();
        let sql = format!(
            "INSERT INTO analytics_texts (site, id, text, used_in) VALUES {}",
            rows.join(", ")
        );
        let query = sqlx::query(AssertSqlSafe(sql)).persistent(false);
        let query = texts.iter().fold(query, |query, text| query.bind(*text));
        query.execute(&mut **transaction).await?;
        known.extend(
            texts.iter().enumerate().map(|(place, text)| ((*text).to_owned(), number(place, text))),
        );
        last += i64::try_from(texts.len()).unwrap_or_default();
    }
    let sql = "UPDATE analytics_sites SET last_text = $2 WHERE id = $1";
    sqlx::query(sql).bind(site).bind(last).execute(&mut **transaction).await?;
    Ok(Some(known))
}

/// The numbers of texts that have one, and whether one of them wasn't used in a month before.
async fn find_texts(
    transaction: &mut Transaction<'_, Any>,
    site: i64,
    texts: &[&str],
    month: i64,
) -> Result<(HashMap<String, i64>, bool), StorageError> {
    let (mut known, mut is_old) = (HashMap::new(), false);
    for texts in texts.chunks(ROWS) {
        let sql = format!(
            "SELECT id, text, used_in FROM analytics_texts WHERE site = $1 AND text IN ({})",
            placeholders(2, texts.len())
        );
        let query = sqlx::query(AssertSqlSafe(sql)).bind(site);
        let query = texts.iter().fold(query, |query, text| query.bind(*text));
        for row in query.fetch_all(&mut **transaction).await? {
            is_old |= row.try_get::<i64, _>("used_in")? < month;
            known.insert(row.try_get("text")?, row.try_get("id")?);
        }
    }
    Ok((known, is_old))
}

/// Notes that texts are used in a month.
async fn use_texts(
    transaction: &mut Transaction<'_, Any>,
    site: i64,
    texts: &[&str],
    month: i64,
) -> Result<(), StorageError> {
    for texts in texts.chunks(ROWS) {
        let sql = format!(
            "UPDATE analytics_texts SET used_in = $2 WHERE site = $1 AND used_in < $2 AND text IN ({})",
            placeholders(3, texts.len())
        );
        let query = sqlx::query(AssertSqlSafe(sql)).bind(site).bind(month);
        let query = texts.iter().fold(query, |query, text| query.bind(*text));
        query.execute(&mut **transaction).await?;
    }
    Ok(())
}
