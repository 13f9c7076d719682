//! Web analytics over real HTTP: what readers' requests add up to.

mod api;
mod counts;
mod crawl;
mod events;
mod failures;
mod live;
mod redirects;
mod reports;
mod traces;
mod year;

use std::{
    fs,
    ops::RangeInclusive,
    path::Path,
    time::{SystemTime, UNIX_EPOCH},
};

use docwright_storage::{
    Database,
    database::{AnalyticsBatch, ValueSum, ViewSum},
};
use docwright_testing::wait::eventually;
use docwright_types::{analytics::Dimension, timestamp::DAY};
use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    agent::write_site,
    server::{Api, Process, Setup},
    sites::ask,
};

pub(super) const HOST: &str = "docs.example.com";
/// Browsers, agents, and bots: kind and user agent.
const USER_AGENTS: &str =
    include_str!("../../../../docwright-serving/src/analytics/user_agents.txt");
const BROWSER: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0";

/// A running service with a published site.
struct Counted {
    setup: Setup,
    process: Process,
    api: Api,
}

impl Counted {
    async fn start() -> Self {
        let setup = Setup::built_in(write_site, &[]);
        let process = setup.serve_with(&[("DOCWRIGHT_TRUSTED_PROXIES", "127.0.0.1/32")]);
        let api = setup.api(&process);
        publish(&api).await;
        Self { setup, process, api }
    }

    /// Requests an address of the site as a reader. Returns the status.
    async fn read(&self, start: &str, headers: &[(&str, &str)]) -> u16 {
        read(&self.process, start, headers).await
    }

    async fn get(&self, path: &str) -> Value {
        get(&self.api, &self.setup, path).await
    }

    /// Waits until the views are as expected.
    async fn views_are(&self, human: u64, ai: u64) {
        views_are(&self.api, &self.setup, human, ai).await;
    }
}

async fn publish(api: &Api) {
    let export = api.start_export().await;
    let job = api.wait_for(&export, &["completed", "failed"]).await;
    assert_eq!(job["status"], "completed", "{job}");
}

async fn pool(setup: &Setup) -> sqlx::AnyPool {
    sqlx::any::install_default_drivers();
    let file = format!("sqlite://{}", setup.data().join("docwright.db").display());
    sqlx::AnyPool::connect(&file).await.unwrap()
}

/// Adds a batch of sums of [`HOST`] to the database of a service.
pub(super) async fn add(
    setup: &Setup,
    views: &[(i64, &str, i64)],
    values: &[(i64, Dimension, &str, i64)],
) {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis();
    let domain = || HOST.to_owned();
    let views = views.iter().map(|(hour, page, human)| ViewSum {
        domain: domain(),
        hour: *hour,
        page: (*page).to_owned(),
        views: [*human, 0, 0],
    });
    let values = values.iter().map(|(day, dimension, value, views)| ValueSum {
        domain: domain(),
        day: *day,
        dimension: *dimension,
        page: String::new(),
        value: (*value).to_owned(),
        views: *views,
    });
    let batch = AnalyticsBatch::new(views.collect(), values.collect());
    let database = Database::open_folder(&setup.data()).await.unwrap();
    assert!(database.add_analytics(&batch, i64::try_from(now).unwrap()).await.unwrap());
    database.close().await;
}

/// Adds values of a dimension to the current day.
pub(super) async fn count_today(setup: &Setup, dimension: Dimension, values: &[(&str, i64)]) {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis();
    let now = i64::try_from(now).unwrap();
    let today = now - now.rem_euclid(DAY);
    let values: Vec<_> =
        values.iter().map(|(value, views)| (today, dimension, *value, *views)).collect();
    add(setup, &[], &values).await;
}

async fn read(process: &Process, start: &str, headers: &[(&str, &str)]) -> u16 {
    ask(&process.address, (HOST, start), headers).await.status
}

/// Whether lines wait in a folder. It and its files are there before their lines.
fn has_lines(folder: &Path) -> bool {
    let mut files = fs::read_dir(folder).into_iter().flatten().flatten();
    files.any(|file| file.metadata().is_ok_and(|found| found.len() > 0))
}

async fn get(api: &Api, setup: &Setup, path: &str) -> Value {
    let path = format!("/v1/analytics/{}/{path}", setup.project);
    let response = api.send(Method::GET, &path, None).await;
    assert_eq!(response.status(), 200, "{path}");
    response.json().await.unwrap()
}

async fn views_are(api: &Api, setup: &Setup, human: u64, ai: u64) {
    let expected = json!({ "human": human, "ai": ai, "total": human + ai });
    eventually(&format!("the views are {expected}"), async || {
        let views = get(api, setup, "views").await;
        if views["totals"] == expected { Ok(()) } else { Err(views) }
    })
    .await;
}

/// Waits until the people of all days are about this many. Two of them can have the same place in the sketch, whose key
/// is random: of 42 visitors, one is missing in 1 of 20 runs, and more than two in fewer than 1 of 10,000.
async fn visitors_are(api: &Api, setup: &Setup, human: i64) {
    visitors_match((api, setup), "human", human - 2..=human).await;
}

/// Waits until the visitors of a kind are in a range.
async fn visitors_match((api, setup): (&Api, &Setup), kind: &str, range: RangeInclusive<i64>) {
    eventually(&format!("there are {range:?} visitors of the kind {kind}"), async || {
        let visitors = get(api, setup, "visitors").await;
        let found = visitors["totals"][kind].as_i64().unwrap();
        if range.contains(&found) { Ok(()) } else { Err(visitors) }
    })
    .await;
}
