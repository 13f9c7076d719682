//! A year of web analytics: a million events on 5,000 pages in ten languages, counted by two nodes that are
//! interrupted, on both databases. Sums must equal a count that is done apart. It takes minutes, so it runs on request:
//!
//! ```text
//! cargo test --workspace --test it -- --ignored --nocapture measure_year_
//! ```
//!
//! With `DOCWRIGHT_YEAR`, the events go to the SQLite instance in that folder, to the domain `DOCWRIGHT_YEAR_DOMAIN` of
//! the project `DOCWRIGHT_YEAR_PROJECT`. Its dashboard then shows them.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    path::{Path, PathBuf},
    time::{Instant, SystemTime, UNIX_EPOCH},
};

use docwright_storage::{
    Database, Keyring,
    database::{
        AnalyticsBatch, AnalyticsFilter, AnalyticsRange, PageRequest, ValueSum, ViewSum,
        VisitorKey, VisitorSketch,
    },
};
use docwright_testing::database::{TestDatabase, sqlite_url};
use docwright_types::{
    analytics::{Dimension, Reader},
    timestamp::{DAY, HOUR, month_of, next_month},
};
use futures::{FutureExt, future::BoxFuture};

const DAYS: i64 = 365;
const EVENTS_OF_DAY: u64 = 2_740;
/// Pages in each language.
const PAGES: u64 = 500;
const LANGUAGES: [&str; 10] = ["en", "de", "fr", "es", "pt", "it", "nl", "ja", "ko", "zh"];
const VISITORS: u64 = 20_000;
/// Batches of a node in a day.
const BATCHES: i64 = 4;
/// Days on which a node is interrupted while it writes.
const INTERRUPTED: [i64; 3] = [50, 170, 300];
/// Runs of each query.
const TIMES: usize = 50;

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
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "measures"]
async fn measure_year_on_postgres() {
    let url = docwright_testing::database::postgres_url("year").await;
    let other = Database::open(&url).await.unwrap();
    let place = TestDatabase::open(&url).await;
    run(&place, &other, "PostgreSQL").await;
    place.execute("VACUUM ANALYZE").await;
    let sql = "SELECT CAST(SUM(pg_total_relation_size(oid)) AS BIGINT) FROM pg_class \
         WHERE relkind = 'r' AND relname LIKE 'analytics%'";
    println!("PostgreSQL: {} bytes of its tables for the year", place.number(sql).await);
}

/// Bytes of the files of a database.
fn size(folder: &Path) -> u64 {
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap());
    let files = files.filter(|file| file.file_name().to_string_lossy().starts_with("docwright.db"));
    files.map(|file| file.metadata().unwrap().len()).sum()
}

/// Numbers that look random, and are the same in each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }

    /// Small numbers are more frequent.
    fn small(&mut self, limit: u64) -> u64 {
        let one = self.below(limit);
        one.min(self.below(limit)).min(self.below(limit))
    }
}

/// What two nodes counted of a part of a day, and the count that is done apart.
#[derive(Default)]
struct Part {
    views: BTreeMap<(i64, String), [i64; 3]>,
    values: BTreeMap<(Dimension, String, String), i64>,
    sketches: BTreeMap<Reader, VisitorSketch>,
}

#[derive(Default)]
struct Apart {
    views: [i64; 3],
    pages: BTreeMap<String, i64>,
    languages: BTreeMap<String, i64>,
    searches: BTreeMap<String, i64>,
    visitors: [i64; 2],
}

impl Part {
    fn batch(self, domain: &str, day: i64) -> (AnalyticsBatch, BTreeMap<Reader, VisitorSketch>) {
        let domain = || domain.to_owned();
        let views = self.views.into_iter().map(|((hour, page), views)| ViewSum {
            domain: domain(),
            hour,
            page,
            views,
        });
        let values = self.values.into_iter().map(|((dimension, page, value), views)| ValueSum {
            domain: domain(),
            day,
            dimension,
            page,
            value,
            views,
        });
        (AnalyticsBatch::new(views.collect(), values.collect()), self.sketches)
    }
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
    let (mut numbers, mut apart) = (Numbers(0x9e37_79b9_7f4a_7c15), Apart::default());
    let began = Instant::now();
    for day in 0..DAYS {
        let start = today - (DAYS - day) * DAY;
        write_day(&[&place.database, other], (&domain, start, day), &mut numbers, &mut apart).await;
        if day % 30 == 0 {
            keep_up(&[&place.database, other], start, &mut numbers).await;
        }
    }
    keep_up(&[&place.database, other], now, &mut numbers).await;
    let events = apart.views.iter().sum::<i64>() + apart.searches.values().sum::<i64>();
    // waits: nothing depends on it, and it is printed.
    println!("{name}: {events} events written in {:?}", began.elapsed());
    let range = AnalyticsRange::new((today - DAYS * DAY, today), now);
    let filter = AnalyticsFilter::new(&project, range);
    compare(&place.database, filter, &apart, name).await;
    count_rows(place, range, name).await;
    measure(&place.database, filter, name).await;
}

/// What upkeep does on two nodes at once. One is interrupted.
async fn keep_up(nodes: &[&Database; 2], now: i64, numbers: &mut Numbers) {
    let node = nodes[1].clone();
    let task = tokio::spawn(async move { node.sum_analytics_months(now).await });
    for _ in 0..numbers.below(200) {
        tokio::task::yield_now().await;
    }
    task.abort();
    for node in nodes {
        node.sum_analytics_months(now).await.unwrap();
        node.remove_old_analytics(now).await.unwrap();
        node.reduce_sketches(now).await.unwrap();
    }
    // Aborted, or finished before that.
    drop(task.await);
}

/// Prints the rows that a list of the year reads with months, and without.
async fn count_rows(place: &TestDatabase, range: AnalyticsRange, name: &str) {
    let AnalyticsRange { from, to, .. } = range;
    let (start, end) = (next_month(from - 1), month_of(to));
    let in_year = format!("starts_at >= {from} AND starts_at < {to}");
    let (views, values) =
        (format!("analytics_views WHERE step = {DAY} AND"), "analytics_values WHERE");
    for (what, days, months) in [
        ("views of pages", views.as_str(), "analytics_month_views WHERE"),
        ("values", values, "analytics_month_values WHERE"),
    ] {
        let count = async |of: &str| place.number(&format!("SELECT COUNT(*) FROM {of}")).await;
        let all = count(&format!("{days} {in_year}")).await;
        let in_months = format!("starts_at >= {start} AND starts_at < {end}");
        let rest = count(&format!("{days} {in_year} AND NOT ({in_months})")).await;
        let months = count(&format!("{months} {in_months}")).await;
        println!("{name}: {what}: {all} rows of days; {months} of months and {rest} of days");
    }
}

/// Counts a day on two nodes, and writes it. On some days, a node is interrupted while it writes, and writes again.
async fn write_day(
    nodes: &[&Database; 2],
    (domain, start, day): (&str, i64, i64),
    numbers: &mut Numbers,
    apart: &mut Apart,
) {
    let keyring = Keyring::parse(&"0a".repeat(32)).unwrap();
    let key = nodes[0].visitor_key(start, &keyring).await.unwrap().unwrap();
    let mut visitors: [HashSet<u64>; 2] = Default::default();
    for part in 0..BATCHES {
        let mut parts = [Part::default(), Part::default()];
        for _ in 0..EVENTS_OF_DAY / BATCHES.unsigned_abs() {
            let hour = start
                + (part * 24 / BATCHES) * HOUR
                + i64::try_from(numbers.below(24 / BATCHES.unsigned_abs())).unwrap() * HOUR;
            let node = usize::try_from(numbers.below(2)).unwrap();
            event(&mut parts[node], hour, (&key, &mut visitors), numbers, apart);
        }
        for (node, part_of_node) in parts.into_iter().enumerate() {
            let is_interrupted = INTERRUPTED.contains(&day) && part == 1;
            let (batch, sketches) = part_of_node.batch(domain, start);
            write(nodes[node], (&batch, start), is_interrupted, numbers).await;
            for (reader, sketch) in sketches {
                let of = (domain, start, reader);
                nodes[node].merge_visitors(of, &sketch).await.unwrap();
            }
        }
    }
    for (sum, seen) in apart.visitors.iter_mut().zip(&visitors) {
        *sum += i64::try_from(seen.len()).unwrap();
    }
}

/// One event: a view, and sometimes a search.
fn event(
    part: &mut Part,
    hour: i64,
    (key, visitors): (&VisitorKey, &mut [HashSet<u64>; 2]),
    numbers: &mut Numbers,
    apart: &mut Apart,
) {
    if numbers.below(20) == 0 {
        let query = format!("query {}", numbers.small(300));
        *part.values.entry((Dimension::Search, String::new(), query.clone())).or_default() += 1;
        *apart.searches.entry(query).or_default() += 1;
        return;
    }
    let language = LANGUAGES[usize::try_from(numbers.small(10)).unwrap()];
    let page = format!("{language}/page-{}", numbers.small(PAGES));
    let kind = match numbers.below(20) {
        0..14 => Reader::Human,
        14..17 => Reader::Ai,
        _ => Reader::Bot,
    };
    part.views.entry((hour, page.clone())).or_default()[kind.index()] += 1;
    apart.views[kind.index()] += 1;
    if kind == Reader::Bot {
        return;
    }
    *apart.pages.entry(page.clone()).or_default() += 1;
    let visitor = numbers.small(VISITORS);
    let hash = key.hash([domain_part(kind), &visitor.to_le_bytes(), b"browser"]);
    part.sketches.entry(kind).or_default().add(hash);
    visitors[kind.index()].insert(visitor);
    if kind == Reader::Human {
        for of in [String::new(), page] {
            let key = (Dimension::Language, of, language.to_owned());
            *part.values.entry(key).or_default() += 1;
        }
        *apart.languages.entry(language.to_owned()).or_default() += 1;
    }
}

const fn domain_part(reader: Reader) -> &'static [u8] {
    reader.name().as_bytes()
}

/// Writes a batch. Interruptions end the write at any of its awaits; the batch is then written again, as after a
/// commit whose answer was lost.
async fn write(
    node: &Database,
    (batch, now): (&AnalyticsBatch, i64),
    is_interrupted: bool,
    numbers: &mut Numbers,
) {
    if is_interrupted {
        for _ in 0..20 {
            let (node, batch) = (node.clone(), batch.clone());
            let task = tokio::spawn(async move { node.add_analytics(&batch, now).await });
            for _ in 0..numbers.below(200) {
                tokio::task::yield_now().await;
            }
            task.abort();
            // Aborted, or finished before that.
            drop(task.await);
        }
    }
    node.add_analytics(batch, now).await.unwrap();
}

async fn compare(database: &Database, filter: AnalyticsFilter<'_>, apart: &Apart, name: &str) {
    let series = database.analytics_series(filter).await.unwrap();
    let views =
        series.iter().fold([0; 3], |sum, (_, views)| [0, 1, 2].map(|kind| sum[kind] + views[kind]));
    assert_eq!(views, apart.views, "views of people, AI agents, and bots");
    let all = PageRequest::first(100_000);
    let pages = database.analytics_pages(filter, None, all).await.unwrap();
    let pages: BTreeMap<_, _> =
        pages.into_iter().map(|page| (page.page, page.human + page.ai)).collect();
    assert_eq!(pages, apart.pages);
    for (dimension, expected) in
        [(Dimension::Language, &apart.languages), (Dimension::Search, &apart.searches)]
    {
        let all = PageRequest::first(100_000);
        let values = database.analytics_values(filter, dimension, all).await.unwrap();
        let values: BTreeMap<_, _> =
            values.into_iter().map(|each| (each.value, each.views)).collect();
        assert_eq!(&values, expected, "{dimension:?}");
    }
    let days = database.analytics_visitors(filter.project_id, filter.range).await.unwrap();
    let found = days.iter().fold([0; 2], |sum, day| [sum[0] + day.human, sum[1] + day.ai]);
    for (found, exact) in found.into_iter().zip(apart.visitors) {
        assert!((found - exact).abs() * 50 < exact, "{found} visitors, not {exact}");
    }
    println!(
        "{name}: {} pages, {} days; views {views:?} equal; visitors {found:?} of {:?}",
        pages.len(),
        days.iter().map(|day| day.day).collect::<BTreeSet<_>>().len(),
        apart.visitors
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
