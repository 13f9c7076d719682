//! A year of web analytics: a million events on 5,000 pages in ten languages, counted by two nodes that are
//! interrupted, on both databases. Sums must equal a count that is done apart. It takes minutes, so it runs on request:
//!
//! ```text
//! cargo test --workspace --test it -- --ignored --nocapture measure_year_on
//! ```
//!
//! With `DOCWRIGHT_YEAR_DAYS`, it is another number of days: five years are 1824, of which all are kept.
//!
//! With `DOCWRIGHT_YEAR`, the events go to the SQLite instance in that folder, to the domain `DOCWRIGHT_YEAR_DOMAIN` of
//! the project `DOCWRIGHT_YEAR_PROJECT`. Its dashboard then shows them.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    time::{Instant, SystemTime, UNIX_EPOCH},
};

use docwright_storage::{
    Database,
    database::{AnalyticsFilter, AnalyticsRange, PageRequest},
};
use docwright_testing::{
    analytics_year::{AnalyticsYear, DAYS},
    database::{TestDatabase, sqlite_url},
};
use docwright_types::{
    analytics::Dimension,
    timestamp::{DAY, HOUR, month_of, next_month},
};
use futures::{FutureExt, future::BoxFuture};

/// Runs of each query.
const TIMES: usize = 50;
/// The tables that grow.
const TABLES: [&str; 7] =
    ["views", "totals", "values", "month_views", "month_values", "texts", "visitors"];

#[tokio::test(flavor = "multi_thread")]
#[ignore = "measures"]
async fn measure_year_on_sqlite() {
    let own = tempfile::tempdir().unwrap();
    let kept = std::env::var_os("DOCWRIGHT_YEAR").map(PathBuf::from);
    let folder = kept.as_deref().unwrap_or(own.path());
    let other = Database::open(&sqlite_url(folder)).await.unwrap();
    let place = TestDatabase::sqlite(folder).await;
    let bytes = || size(folder);
    let before = bytes();
    run(&place, &other, "SQLite").await;
    println!("SQLite: {} bytes of the database for the year", bytes() - before);
    for table in TABLES {
        let of = format!("SELECT name FROM sqlite_schema WHERE tbl_name = 'analytics_{table}'");
        let sql = format!("SELECT SUM(pgsize) FROM dbstat WHERE name IN ({of})");
        println!("SQLite: {table}: {} bytes with its indexes", place.number(&sql).await);
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "measures"]
async fn measure_year_on_postgres() {
    let url = docwright_testing::database::postgres_url("year").await;
    let other = Database::open(&url).await.unwrap();
    let place = TestDatabase::open(&url).await;
    run(&place, &other, "PostgreSQL").await;
    let all = "SELECT CAST(SUM(pg_total_relation_size(oid)) AS BIGINT) FROM pg_class \
         WHERE relkind = 'r' AND relname LIKE 'analytics%'";
    println!("PostgreSQL: {} bytes of its tables for the year", place.number(all).await);
    for table in TABLES {
        let of =
            async |size: &str| place.number(&format!("SELECT {size}('analytics_{table}')")).await;
        let (rows, indexes) = (of("pg_table_size").await, of("pg_indexes_size").await);
        println!("PostgreSQL: {table}: {rows} bytes of rows, {indexes} of indexes");
    }
    place.execute("VACUUM FULL").await;
    println!("PostgreSQL: {} bytes without free space", place.number(all).await);
}

/// Bytes of the files of a database.
fn size(folder: &Path) -> u64 {
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap());
    let files = files.filter(|file| file.file_name().to_string_lossy().starts_with("docwright.db"));
    files.map(|file| file.metadata().unwrap().len()).sum()
}

async fn run(place: &TestDatabase, other: &Database, name: &str) {
    let given = ["DOCWRIGHT_YEAR_PROJECT", "DOCWRIGHT_YEAR_DOMAIN"].map(std::env::var);
    let (project, domain) = match given {
        [Ok(project), Ok(domain)] if name == "SQLite" => (project, domain),
        _ => {
            let (site, domain) = place.site("year").await;
            (site.project_id, domain.to_string())
        }
    };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis();
    let now = i64::try_from(now).unwrap();
    let today = now - now.rem_euclid(DAY);
    let days = std::env::var("DOCWRIGHT_YEAR_DAYS").ok();
    let days = days.and_then(|days| days.parse().ok()).unwrap_or(DAYS);
    let mut year = AnalyticsYear::of(&domain).with_days(days);
    let began = Instant::now();
    year.write(&[&place.database, other], now, async || {}).await;
    // waits: nothing depends on it, and it is printed.
    println!("{name}: {} events of {days} days written in {:?}", year.events, began.elapsed());
    let all = AnalyticsRange::new((today - days * DAY, today), now);
    compare(&place.database, AnalyticsFilter::new(&project, all), &year, name).await;
    let range = AnalyticsRange::new((today - DAYS * DAY, today), now);
    let filter = AnalyticsFilter::new(&project, range);
    count_rows(place, range, name).await;
    measure(&place.database, filter, name).await;
}

/// Prints the rows that a list of the year reads with months, and without.
async fn count_rows(place: &TestDatabase, range: AnalyticsRange, name: &str) {
    let AnalyticsRange { from, to, .. } = range;
    let (start, end) = (next_month(from - 1), next_month(month_of(to)));
    let [from, to, start, end] = [from, to, start, end].map(|time| time / HOUR);
    let in_year = format!("start >= {from} AND start < {to}");
    let (views, values) = ("analytics_views WHERE step = 24 AND", "analytics_values WHERE");
    for (what, days, months) in [
        ("views of pages", views, "analytics_month_views WHERE"),
        ("values", values, "analytics_month_values WHERE"),
    ] {
        let count = async |of: &str| place.number(&format!("SELECT COUNT(*) FROM {of}")).await;
        let all = count(&format!("{days} {in_year}")).await;
        let in_months = format!("start >= {start} AND start < {end}");
        let rest = count(&format!("{days} {in_year} AND NOT ({in_months})")).await;
        let months = count(&format!("{months} {in_months}")).await;
        println!("{name}: {what}: {all} rows of days; {months} of months and {rest} of days");
    }
}

async fn compare(
    database: &Database,
    filter: AnalyticsFilter<'_>,
    year: &AnalyticsYear,
    name: &str,
) {
    let series = database.analytics_series(filter).await.unwrap();
    let views =
        series.iter().fold([0; 3], |sum, (_, views)| [0, 1, 2].map(|kind| sum[kind] + views[kind]));
    assert_eq!(views, year.views, "views of people, AI agents, and bots");
    let all = PageRequest::first(100_000);
    let pages = database.analytics_pages(filter, None, all).await.unwrap();
    let pages: BTreeMap<_, _> =
        pages.into_iter().map(|page| (page.page, page.human + page.ai)).collect();
    assert_eq!(pages, year.pages);
    let mut values = BTreeMap::new();
    for dimension in year.values.keys().map(|(dimension, _)| *dimension).collect::<BTreeSet<_>>() {
        let all = PageRequest::first(100_000);
        let found = database.analytics_values(filter, dimension, all).await.unwrap();
        values.extend(found.into_iter().map(|each| ((dimension, each.value), each.views)));
    }
    assert_eq!(values, year.values);
    let days = database.analytics_visitors(filter.project_id, filter.range).await.unwrap();
    let found = days.iter().fold([0; 2], |sum, day| [sum[0] + day.human, sum[1] + day.ai]);
    for (found, exact) in found.into_iter().zip(year.visitors) {
        assert!((found - exact).abs() * 50 < exact, "{found} visitors, not {exact}");
    }
    println!(
        "{name}: {} pages, {} days; views {views:?} equal; visitors {found:?} of {:?}",
        pages.len(),
        days.iter().map(|day| day.day).collect::<BTreeSet<_>>().len(),
        year.visitors
    );
}

/// Prints how long the queries of the dashboard's page take.
async fn measure(database: &Database, filter: AnalyticsFilter<'_>, name: &str) {
    let mut times: BTreeMap<&str, Vec<u128>> = BTreeMap::new();
    let page = || PageRequest::first(11);
    let of_folder = AnalyticsFilter { path: "de", ..filter };
    let of_page = AnalyticsFilter { path: "de/page-1", ..filter };
    for _ in 0..TIMES {
        let queries: [(&str, BoxFuture<'_, bool>); 9] = [
            (
                "series of a folder",
                database.analytics_series(of_folder).map(|read| read.is_ok()).boxed(),
            ),
            (
                "series of a page",
                database.analytics_series(of_page).map(|read| read.is_ok()).boxed(),
            ),
            (
                "pages of a folder",
                database.analytics_pages(of_folder, None, page()).map(|read| read.is_ok()).boxed(),
            ),
            (
                "languages of a folder",
                database
                    .analytics_values(of_folder, Dimension::Language, page())
                    .map(|read| read.is_ok())
                    .boxed(),
            ),
            ("series", database.analytics_series(filter).map(|read| read.is_ok()).boxed()),
            (
                "pages",
                database.analytics_pages(filter, None, page()).map(|read| read.is_ok()).boxed(),
            ),
            (
                "languages",
                database
                    .analytics_values(filter, Dimension::Language, page())
                    .map(|read| read.is_ok())
                    .boxed(),
            ),
            (
                "searches",
                database.analytics_searches(filter, page()).map(|read| read.is_ok()).boxed(),
            ),
            (
                "visitors",
                database
                    .analytics_visitors(filter.project_id, filter.range)
                    .map(|read| read.is_ok())
                    .boxed(),
            ),
        ];
        for (query, read) in queries {
            let began = Instant::now();
            assert!(read.await, "{query}");
            // waits: nothing depends on it, and it is printed.
            times.entry(query).or_default().push(began.elapsed().as_micros());
        }
    }
    for (query, mut times) in times {
        times.sort_unstable();
        let [median, slow] = [TIMES / 2, TIMES * 99 / 100].map(|place| times[place]);
        println!("{name}: {query}: median {median} µs, 99th percentile {slow} µs");
    }
}
