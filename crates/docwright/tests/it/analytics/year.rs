//! Every page of analytics over HTTP with a year of data, on both databases. It takes minutes, so it runs on request:
//!
//! ```text
//! cargo test --release -p docwright --test it -- --ignored --nocapture --test-threads 1 measure_year_over_http
//! ```
//!
//! To try a change, `DOCWRIGHT_YEAR_TIMES` is a smaller number of requests, and `DOCWRIGHT_YEAR_PATHS` a part of the
//! addresses to request. Then the last line says so.

use std::{
    fs,
    path::Path,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use docwright_storage::{
    Database,
    database::{AnalyticsBatch, LiveKind, MinuteSum},
};
use docwright_testing::{
    analytics_year::AnalyticsYear,
    database::{TestDatabase, sqlite_url},
    wait::eventually,
};
use docwright_types::timestamp::MINUTE;
use serde_json::json;

use super::{HOST, get, publish};
use crate::{
    dashboard::{Browser, Dashboard},
    postgres,
    server::Setup,
};

/// Requests of each page, unless the environment names a number.
const TIMES: usize = if cfg!(debug_assertions) { 5 } else { 100 };
/// The longest median, and the longest 99th percentile.
const LIMITS: [Duration; 2] = [Duration::from_millis(100), Duration::from_millis(300)];
const FILTERS: [&str; 7] = [
    "",
    "&path=de",
    "&path=en/page-1",
    "&reader=human",
    "&reader=ai",
    "&path=de&reader=human",
    "&path=de&reader=ai",
];
const TABLES: [&str; 17] = [
    "timeline",
    "pages",
    "entries",
    "searches",
    "empty-searches",
    "dead-links",
    "ratings",
    "web-vitals",
    "referrers",
    "campaigns",
    "outbound-links",
    "agents",
    "tabs",
    "code",
    "languages",
    "devices",
    "unread-pages",
];

#[tokio::test(flavor = "multi_thread")]
#[ignore = "measures"]
async fn measure_year_over_http_on_sqlite() {
    let setup = Setup::built_in(write_pages, &[]);
    let url = sqlite_url(&setup.data());
    run(setup, &url, "SQLite").await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "measures"]
async fn measure_year_over_http_on_postgres() {
    let url = postgres::database("year").await;
    run(Setup::on_database(write_pages, &url), &url, "PostgreSQL").await;
}

/// Writes pages with readers, and pages without.
fn write_pages(folder: &Path) {
    let paths: Vec<_> = AnalyticsYear::paths().collect();
    for path in &paths {
        let file = folder.join(format!("{path}.mdx"));
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, format!("---\ntitle: {path}\n---\nText.\n")).unwrap();
    }
    let config = json!({ "theme": "mint", "name": "Year", "colors": { "primary": "#0f766e" }, "navigation": { "pages": paths } });
    fs::write(folder.join("docs.json"), config.to_string()).unwrap();
}

async fn run(setup: Setup, url: &str, name: &str) {
    let [one, other] = [Database::open(url).await.unwrap(), Database::open(url).await.unwrap()];
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis();
    let now = i64::try_from(now).unwrap();
    // Before a service runs, whose upkeep would sum the months of the present before they are written.
    AnalyticsYear::of(HOST).write(&[&one, &other], now, async || {}).await;
    one.add_analytics(&minutes(now), now).await.unwrap();
    if one.kind() == "postgres" {
        // As autovacuum does.
        TestDatabase::beside(url, one).await.execute("VACUUM ANALYZE").await;
    }
    let dashboard = Dashboard::on(setup, &[]).await;
    let api = dashboard.api("admin");
    publish(&api).await;
    let release = eventually("the release is active", async || {
        let list = get(&api, &dashboard.setup, "releases").await;
        list["releases"][0]["id"].as_str().map(str::to_owned)
    })
    .await;
    let paths = paths(&dashboard.operator, (&dashboard.setup.project, &release)).await;
    measure(&dashboard.operator, &paths, name).await;
}

/// Views of a hundred pages in each minute of the last half hour.
fn minutes(now: i64) -> AnalyticsBatch {
    let sum = |minute: i64, page: String| MinuteSum {
        domain: HOST.to_owned(),
        minute: now - minute * MINUTE,
        kind: LiveKind::Page,
        value: page,
        views: [2, 1],
    };
    let of_minute = |minute| AnalyticsYear::paths().take(100).map(move |page| sum(minute, page));
    AnalyticsBatch::of_minutes((0..30).flat_map(of_minute).collect())
}

/// The paths of all pages.
async fn paths(operator: &Browser, (project, release): (&str, &str)) -> Vec<String> {
    let project = format!("/projects/{project}");
    let here = format!("{project}/analytics");
    let effect = format!("{project}/releases/{release}/effect");
    let mut paths = vec![format!("{here}/live"), format!("{project}/pages"), effect];
    for range in ["day", "week", "month", "year"] {
        paths.extend(FILTERS.map(|filter| format!("{here}?range={range}{filter}")));
        paths.extend(
            ["redirects", "empty-searches"].map(|page| format!("{here}/{page}?range={range}")),
        );
    }
    for range in ["month", "year"] {
        for table in TABLES {
            let files = [format!("{here}/csv?range={range}&table={table}")];
            let pages = [format!("{here}?range={range}&table={table}")];
            paths
                .extend(files.into_iter().chain(pages.into_iter().filter(|_| table != "timeline")));
        }
        paths.push(format!("{here}/json?range={range}&table=pages"));
        paths.push(format!("{here}?range={range}&table=pages&path=de"));
        let first = operator.get(&format!("{here}?range={range}&table=pages")).await;
        paths.push(first.after("rel=\"next\" href=\"").replace("&amp;", "&"));
    }
    paths
}

/// Prints how long each page takes.
async fn measure(operator: &Browser, paths: &[String], name: &str) {
    let asked = std::env::var("DOCWRIGHT_YEAR_TIMES").ok();
    let count = asked.and_then(|count| count.parse().ok()).unwrap_or(TIMES);
    let part = std::env::var("DOCWRIGHT_YEAR_PATHS").unwrap_or_default();
    let all = paths.len();
    let paths: Vec<_> = paths.iter().filter(|path| path.contains(&part)).collect();
    let mut times = vec![Vec::with_capacity(count); paths.len()];
    for _ in 0..count {
        for (path, times) in paths.iter().zip(&mut times) {
            let began = Instant::now();
            let page = operator.get(path).await;
            // waits: nothing depends on it, and it is printed.
            times.push(began.elapsed());
            assert_eq!(page.status, 200, "{path}: {}", page.text);
        }
    }
    let mut slow = 0;
    for (path, times) in paths.iter().zip(&mut times) {
        times.sort_unstable();
        let found = [times[count / 2], times[(count * 99).div_ceil(100) - 1]];
        slow += usize::from(found.iter().zip(LIMITS).any(|(time, limit)| *time > limit));
        println!("{name}: median {:?}, 99th percentile {:?}: {path}", found[0], found[1]);
    }
    let asked = paths.len();
    println!(
        "{name}: {slow} of {asked} pages are slower than {LIMITS:?}; {count} requests of each, and {all} pages in all"
    );
}
