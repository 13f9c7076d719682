//! Sums of web analytics: a batch counts once, sums are read by range, and retention removes them.

use docwright_storage::{
    Database, Keyring,
    database::{
        AnalyticsBatch, AnalyticsRange, DayVisitors, DeadLink, PageRequest, PageViews, Position,
        ValueSum, ValueViews, ViewSum, VisitorSketch,
    },
};
use docwright_testing::database::TestDatabase;
use docwright_types::{
    analytics::{Dimension, Reader},
    timestamp::{DAY, HOUR},
};

const NOW: i64 = 20_000 * DAY + 12 * HOUR;
const TODAY: i64 = 20_000 * DAY;

pub(crate) async fn conform(place: &TestDatabase) {
    batch_counts_once(place).await;
    nodes_add_up(place).await;
    lists_are_ranked(place).await;
    sums_of_deleted_domain_are_left_out(place).await;
    old_sums_go(place).await;
    visitors_of_nodes_are_merged(place).await;
    key_of_a_day_is_shared_and_overwritten(place).await;
}

fn view(domain: &str, hour: i64, page: &str, views: [i64; 3]) -> ViewSum {
    ViewSum { domain: domain.to_owned(), hour, page: page.to_owned(), views }
}

fn value(
    domain: &str,
    day: i64,
    (dimension, page, value): (Dimension, &str, &str),
    views: i64,
) -> ValueSum {
    let (domain, page, value) = (domain.to_owned(), page.to_owned(), value.to_owned());
    ValueSum { domain, day, dimension, page, value, views }
}

fn last_days(days: i64) -> AnalyticsRange {
    AnalyticsRange::new((NOW - days * DAY, NOW), NOW)
}

async fn total(database: &Database, project: &str, range: AnalyticsRange) -> [i64; 3] {
    let series = database.analytics_series(project, range).await.unwrap();
    series.iter().fold([0; 3], |sum, (_, views)| [0, 1, 2].map(|kind| sum[kind] + views[kind]))
}

async fn batch_counts_once(place: &TestDatabase) {
    let database = &place.database;
    let (site, domain) = place.site("analytics").await;
    let views = vec![
        view(domain.as_str(), TODAY, "a", [3, 2, 1]),
        view(domain.as_str(), TODAY + HOUR, "a", [1, 0, 0]),
        view(domain.as_str(), TODAY - DAY, "b", [0, 1, 0]),
    ];
    let batch = AnalyticsBatch::new(views, Vec::new());
    assert!(database.add_analytics(&batch, NOW).await.unwrap());
    assert!(!database.add_analytics(&batch, NOW).await.unwrap());
    let series = database.analytics_series(&site.project_id, last_days(2)).await.unwrap();
    let expected = [(TODAY - DAY, [0, 1, 0]), (TODAY, [3, 2, 1]), (TODAY + HOUR, [1, 0, 0])];
    assert_eq!(series, expected);
    let by_day = database.analytics_series(&site.project_id, last_days(40)).await.unwrap();
    assert_eq!(by_day, [(TODAY - DAY, [0, 1, 0]), (TODAY, [4, 2, 1])]);
    assert_eq!(total(database, "prj_other", last_days(2)).await, [0; 3]);
}

/// Nodes add the same keys at once, in any order.
async fn nodes_add_up(place: &TestDatabase) {
    let database = &place.database;
    let (site, domain) = place.site("analytics-nodes").await;
    let tasks = (0..4).map(|node| {
        let (database, domain) = (database.clone(), domain.to_string());
        tokio::spawn(async move {
            for _ in 0..5 {
                let mut views: Vec<_> = (0..300)
                    .map(|page| view(&domain, TODAY, &format!("p{page}"), [1, 0, 0]))
                    .collect();
                if node % 2 == 0 {
                    views.reverse();
                }
                let values = (0..50).map(|host| {
                    value(&domain, TODAY, (Dimension::Referrer, "", &format!("h{host}")), 1)
                });
                let batch = AnalyticsBatch::new(views, values.collect());
                // A batch is repeated after a commit whose answer was lost.
                let both = [&batch, &batch].map(|batch| database.add_analytics(batch, NOW));
                let both = futures::future::join_all(both).await;
                assert_eq!(both.iter().filter(|added| *added.as_ref().unwrap()).count(), 1);
            }
        })
    });
    for task in futures::future::join_all(tasks).await {
        task.unwrap();
    }
    assert_eq!(total(database, &site.project_id, last_days(1)).await, [4 * 5 * 300, 0, 0]);
    let hosts = database.analytics_values(
        &site.project_id,
        last_days(1),
        Dimension::Referrer,
        PageRequest::first(100),
    );
    let hosts = hosts.await.unwrap();
    assert_eq!((hosts.len(), hosts.iter().map(|host| host.views).sum::<i64>()), (50, 4 * 5 * 50));
}

async fn lists_are_ranked(place: &TestDatabase) {
    use Dimension::{Agent, OtherDeadLink, OwnDeadLink, Referrer};
    let database = &place.database;
    let (site, domain) = place.site("analytics-lists").await;
    let (project, domain) = (site.project_id.as_str(), domain.as_str());
    let views = vec![
        view(domain, TODAY, "b", [2, 0, 9]),
        view(domain, TODAY, "a", [1, 1, 0]),
        view(domain, TODAY, "only-bots", [0, 0, 7]),
        view(domain, TODAY + HOUR, "c", [5, 4, 0]),
    ];
    let values = vec![
        value(domain, TODAY, (Referrer, "", "x.example"), 2),
        value(domain, TODAY - DAY, (Referrer, "", "y.example"), 3),
        value(domain, TODAY, (Referrer, "a", "z.example"), 9),
        value(domain, TODAY, (Agent, "", "MCP"), 4),
        value(domain, TODAY, (OwnDeadLink, "", "/gone"), 1),
        value(domain, TODAY, (OtherDeadLink, "", "/gone"), 2),
        value(domain, TODAY, (OtherDeadLink, "", "/never"), 1),
    ];
    database.add_analytics(&AnalyticsBatch::new(views, values), NOW).await.unwrap();
    let page = |page: &str, human, ai| PageViews { page: page.to_owned(), human, ai };
    let all = [page("c", 5, 4), page("a", 1, 1), page("b", 2, 0)];
    let range = last_days(2);
    let mut read = Vec::new();
    let mut after: Option<Position> = None;
    loop {
        let request = PageRequest { after: after.as_ref(), ..PageRequest::first(2) };
        let part = database.analytics_pages(project, range, request).await.unwrap();
        let Some(last) = part.last() else { break };
        let (total, id) = ((last.human + last.ai).to_string(), last.page.clone());
        after = Some(Position { text: total, id });
        read.extend(part);
    }
    assert_eq!(read, all);
    let values =
        database.analytics_values(project, range, Referrer, PageRequest::first(9)).await.unwrap();
    let of = |value: &str, views| ValueViews { value: value.to_owned(), views };
    assert_eq!(values, [of("y.example", 3), of("x.example", 2)]);
    let agents =
        database.analytics_values(project, range, Agent, PageRequest::first(9)).await.unwrap();
    assert_eq!(agents, [of("MCP", 4)]);
    let links = database.analytics_dead_links(project, range, PageRequest::first(9)).await.unwrap();
    let link = |path: &str, own, other| DeadLink { path: path.to_owned(), own, other };
    assert_eq!(links, [link("/gone", 1, 2), link("/never", 0, 1)]);
    let wrong = Position { text: "many".to_owned(), id: String::new() };
    let request = PageRequest { after: Some(&wrong), ..PageRequest::first(2) };
    assert_eq!(database.analytics_pages(project, range, request).await.unwrap(), []);
}

async fn sums_of_deleted_domain_are_left_out(place: &TestDatabase) {
    let database = &place.database;
    let (gone, domain) = place.site("analytics-gone").await;
    let (other, stays) = place.site("analytics-stays").await;
    let views = |_| {
        let views = [&domain, &stays].map(|domain| view(domain.as_str(), TODAY, "p", [1, 1, 1]));
        let values = [&domain, &stays]
            .map(|domain| value(domain.as_str(), TODAY, (Dimension::Agent, "", "MCP"), 1));
        AnalyticsBatch::new(views.to_vec(), values.to_vec())
    };
    assert!(database.add_analytics(&views(1), NOW).await.unwrap());
    let mut sketch = VisitorSketch::default();
    sketch.add(1 << 50);
    database.merge_visitors((domain.as_str(), TODAY, Reader::Human), &sketch).await.unwrap();
    // A node keeps writing while the project is deleted.
    let (writer, batches) = (database.clone(), (0..20).map(views).collect::<Vec<_>>());
    let writes = tokio::spawn(async move {
        for batch in batches {
            writer.add_analytics(&batch, NOW).await.unwrap();
        }
    });
    assert!(database.delete_project(&gone.project_id).await.unwrap().is_some());
    writes.await.unwrap();
    database.merge_visitors((domain.as_str(), TODAY, Reader::Human), &sketch).await.unwrap();
    assert_eq!(total(database, &other.project_id, last_days(1)).await, [21; 3]);
    for table in ["hours", "days", "values", "sketches"] {
        let sql = format!("SELECT COUNT(*) FROM analytics_{table} WHERE domain = '{domain}'");
        assert_eq!(place.number(&sql).await, 0, "{table}");
    }
    database.delete_domain(&stays).await.unwrap().unwrap();
    assert_eq!(total(database, &other.project_id, last_days(1)).await, [0; 3]);
}

async fn old_sums_go(place: &TestDatabase) {
    let database = &place.database;
    let (site, domain) = place.site("analytics-old").await;
    let (project, domain) = (site.project_id.as_str(), domain.as_str());
    let (month, years) = (TODAY - 31 * DAY, TODAY - 5 * 366 * DAY);
    let views = [TODAY, month, years].map(|hour| view(domain, hour, "p", [1, 0, 0]));
    let hosts = (0..30).map(|host| {
        value(domain, TODAY - DAY, (Dimension::Referrer, "p", &format!("h{host}")), host)
    });
    let hosts = hosts.chain((0..30).map(|host| {
        value(domain, TODAY - DAY, (Dimension::Referrer, "", &format!("h{host}")), host + 1)
    }));
    let batch = AnalyticsBatch::new(views.to_vec(), hosts.collect());
    database.add_analytics(&batch, NOW).await.unwrap();
    database.remove_old_analytics(NOW).await.unwrap();
    let count = async |table: &str, which: &str| {
        let sql =
            format!("SELECT COUNT(*) FROM analytics_{table} WHERE domain = '{domain}' AND {which}");
        place.number(&sql).await
    };
    assert_eq!(count("hours", "1 = 1").await, 1);
    assert_eq!(count("days", "1 = 1").await, 2);
    assert_eq!(
        count("values", "page = 'p' AND views >= 20").await,
        10,
        "the ten largest of a page"
    );
    assert_eq!(count("values", "page = 'p'").await, 10);
    assert_eq!(count("values", "page = ''").await, 30, "all of the site");
    assert_eq!(total(database, project, last_days(40)).await, [2, 0, 0]);
    assert!(!database.add_analytics(&batch, NOW).await.unwrap(), "the batch is known");
    database.remove_old_analytics(NOW + 8 * DAY).await.unwrap();
    let known = format!("SELECT COUNT(*) FROM analytics_batches WHERE id = '{}'", batch.id);
    assert_eq!(place.number(&known).await, 0);
}

async fn visitors_of_nodes_are_merged(place: &TestDatabase) {
    let database = &place.database;
    let (site, domain) = place.site("analytics-visitors").await;
    let (project, domain) = (site.project_id.as_str(), domain.as_str());
    let key = database.visitor_key(TODAY - 9 * DAY, &keyring('a')).await.unwrap().unwrap();
    let sketch = |numbers: std::ops::Range<u32>| {
        let mut sketch = VisitorSketch::default();
        for number in numbers {
            sketch.add(key.hash([b"site", &number.to_le_bytes(), b"browser"]));
        }
        sketch
    };
    let parts = [sketch(0..3_000), sketch(2_000..6_000), sketch(0..10)];
    let writes = parts
        .iter()
        .map(|part| database.merge_visitors((domain, TODAY - DAY, Reader::Human), part));
    for written in futures::future::join_all(writes).await {
        written.unwrap();
    }
    database.merge_visitors((domain, TODAY - DAY, Reader::Ai), &sketch(0..5)).await.unwrap();
    database.merge_visitors((domain, TODAY, Reader::Human), &sketch(0..7)).await.unwrap();
    let read = async || database.analytics_visitors(project, last_days(3)).await.unwrap();
    let before = read().await;
    assert!((before[0].human - 6_000).abs() * 50 < 6_000 && before[0].ai == 5, "{before:?}");
    assert_eq!(before[1], DayVisitors { day: TODAY, human: 7, ai: 0 });
    database.reduce_sketches(NOW).await.unwrap();
    assert_eq!(read().await, before, "a number instead of the sketches");
    let left = format!("SELECT COUNT(*) FROM analytics_sketches WHERE domain = '{domain}'");
    assert_eq!(place.number(&left).await, 1, "today's");
    // A node that was away writes late.
    database.merge_visitors((domain, TODAY - DAY, Reader::Human), &sketch(0..10)).await.unwrap();
    database.reduce_sketches(NOW).await.unwrap();
    assert_eq!(read().await[0], before[0]);
}

fn keyring(digit: char) -> Keyring {
    Keyring::parse(&format!("0{digit}").repeat(32)).unwrap()
}

async fn key_of_a_day_is_shared_and_overwritten(place: &TestDatabase) {
    let database = &place.database;
    let hash = |key: &docwright_storage::database::VisitorKey| key.hash([b"a", b"b", b"c"]);
    let read = async |day: i64, digit| database.visitor_key(day, &keyring(digit)).await.unwrap();
    let shared = keyring('a');
    let asked = (0..4).map(|_| database.visitor_key(TODAY, &shared));
    let keys: Vec<_> = futures::future::join_all(asked)
        .await
        .into_iter()
        .map(|key| key.unwrap().unwrap())
        .collect();
    assert!(keys.iter().all(|key| hash(key) == hash(&keys[0])), "nodes share the key");
    let next = read(TODAY + DAY, 'a').await.unwrap();
    assert_ne!(hash(&next), hash(&keys[0]));
    assert!(read(TODAY, 'a').await.is_none(), "the key of the day before is gone");
    assert_eq!(place.number("SELECT COUNT(*) FROM analytics_key").await, 1);
    // Another root secret can't read the key, and replaces it.
    let replaced = read(TODAY + DAY, 'b').await.unwrap();
    assert_ne!(hash(&replaced), hash(&next));
}
