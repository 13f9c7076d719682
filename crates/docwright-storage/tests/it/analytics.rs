//! Sums of web analytics: a batch counts once, sums are read by range, and retention removes them.

use docwright_storage::{
    Database, Keyring,
    database::{
        AnalyticsBatch, AnalyticsFilter, AnalyticsRange, DayVisitors, DeadLink, Measured,
        MeasuredPage, PageRequest, PageViews, Position, SearchSum, ValueSum, ValueViews, ViewSum,
        VisitorSketch,
    },
};
use docwright_testing::database::TestDatabase;
use docwright_types::{
    analytics::{Dimension, Reader},
    domain_address::DomainAddress,
    timestamp::{DAY, HOUR},
};
use sha2::{Digest, Sha256};

const NOW: i64 = 20_000 * DAY + 12 * HOUR;
const TODAY: i64 = 20_000 * DAY;

pub(crate) async fn conform(place: &TestDatabase) {
    batch_counts_once(place).await;
    nodes_add_up(place).await;
    lists_are_ranked(place).await;
    path_filters_pages_and_folders(place).await;
    searches_have_clicks_and_top_pages(place).await;
    measures_are_of_a_site_and_its_pages(place).await;
    months_have_the_sums_of_their_days(place).await;
    late_batch_counts_in_its_month(place).await;
    nodes_give_a_text_one_number(place).await;
    sites_of_a_project_add_up(place).await;
    unused_texts_go(place).await;
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

fn of(project: &str, days: i64) -> AnalyticsFilter<'_> {
    AnalyticsFilter::new(project, last_days(days))
}

async fn total(database: &Database, project: &str, days: i64) -> [i64; 3] {
    let series = database.analytics_series(of(project, days)).await.unwrap();
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
    let series = database.analytics_series(of(&site.project_id, 2)).await.unwrap();
    let expected = [(TODAY - DAY, [0, 1, 0]), (TODAY, [3, 2, 1]), (TODAY + HOUR, [1, 0, 0])];
    assert_eq!(series, expected);
    let by_day = database.analytics_series(of(&site.project_id, 40)).await.unwrap();
    assert_eq!(by_day, [(TODAY - DAY, [0, 1, 0]), (TODAY, [4, 2, 1])]);
    assert_eq!(total(database, "prj_other", 2).await, [0; 3]);
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
    assert_eq!(total(database, &site.project_id, 1).await, [4 * 5 * 300, 0, 0]);
    let (filter, page) = (of(&site.project_id, 1), PageRequest::first(100));
    let hosts = database.analytics_values(filter, Dimension::Referrer, page);
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
    let page =
        |page: &str, human, ai| PageViews { page: page.to_owned(), human, ai, ranked: human + ai };
    let all = [page("c", 5, 4), page("a", 1, 1), page("b", 2, 0)];
    let filter = of(project, 2);
    let mut read = Vec::new();
    let mut after: Option<Position> = None;
    loop {
        let request = PageRequest { after: after.as_ref(), ..PageRequest::first(2) };
        let part = database.analytics_pages(filter, None, request).await.unwrap();
        let Some(last) = part.last() else { break };
        let (total, id) = ((last.human + last.ai).to_string(), last.page.clone());
        after = Some(Position { text: total, id });
        read.extend(part);
    }
    assert_eq!(read, all);
    let values = database.analytics_values(filter, Referrer, PageRequest::first(9)).await.unwrap();
    let host = |value: &str, views| ValueViews { value: value.to_owned(), views };
    assert_eq!(values, [host("y.example", 3), host("x.example", 2)]);
    let agents = database.analytics_values(filter, Agent, PageRequest::first(9)).await.unwrap();
    assert_eq!(agents, [host("MCP", 4)]);
    let links = database.analytics_dead_links(filter, PageRequest::first(9)).await.unwrap();
    let link = |path: &str, own, other| DeadLink { path: path.to_owned(), own, other };
    assert_eq!(links, [link("/gone", 1, 2), link("/never", 0, 1)]);
    let wrong = Position { text: "many".to_owned(), id: String::new() };
    let request = PageRequest { after: Some(&wrong), ..PageRequest::first(2) };
    assert_eq!(database.analytics_pages(filter, None, request).await.unwrap(), []);
}

async fn path_filters_pages_and_folders(place: &TestDatabase) {
    use Dimension::{Device, Entry, OtherDeadLink};
    let database = &place.database;
    let (site, domain) = place.site("analytics-paths").await;
    let domain = domain.as_str();
    let pages = ["guides", "guides/a", "guides/b/c", "guidesx", "%"];
    let views = pages.map(|page| view(domain, TODAY, page, [1, 2, 0]));
    let devices = pages.map(|page| value(domain, TODAY, (Device, page, "phone"), 1));
    let entries = pages.map(|page| value(domain, TODAY, (Entry, "", page), 1));
    let dead =
        ["/guides/x", "/guidesx"].map(|path| value(domain, TODAY, (OtherDeadLink, "", path), 1));
    let all = value(domain, TODAY, (Device, "", "phone"), 5);
    let values = devices.into_iter().chain(entries).chain(dead).chain([all]).collect();
    database.add_analytics(&AnalyticsBatch::new(views.to_vec(), values), NOW).await.unwrap();
    for (path, count) in
        [("", 5), ("guides", 3), ("guides/b", 1), ("guides/b/c", 1), ("g", 0), ("%", 1)]
    {
        let filter = AnalyticsFilter { path, ..of(&site.project_id, 1) };
        let first = PageRequest::first(9);
        let series = database.analytics_series(filter).await.unwrap();
        let views: i64 = series.iter().map(|(_, views)| views[0]).sum();
        let pages = database.analytics_pages(filter, None, first).await.unwrap();
        let entries = database.analytics_values(filter, Entry, first).await.unwrap();
        let devices = database.analytics_values(filter, Device, first).await.unwrap();
        let devices: i64 = devices.iter().map(|device| device.views).sum();
        assert_eq!(
            (views, pages.len(), entries.len(), devices),
            (count, pages.len(), pages.len(), count),
            "{path}"
        );
        assert_eq!(i64::try_from(pages.len()).unwrap(), count, "{path}");
    }
    let filter = AnalyticsFilter { path: "guides", ..of(&site.project_id, 1) };
    let dead = database.analytics_dead_links(filter, PageRequest::first(9)).await.unwrap();
    assert_eq!(dead, [DeadLink { path: "/guides/x".to_owned(), own: 0, other: 1 }]);
    let agents = database.analytics_pages(filter, Some(Reader::Ai), PageRequest::first(9)).await;
    assert!(agents.unwrap().iter().all(|page| page.ranked == 2));
}

async fn searches_have_clicks_and_top_pages(place: &TestDatabase) {
    use Dimension::{EmptySearch, OpenedResult, Search};
    let database = &place.database;
    let (site, domain) = place.site("analytics-searches").await;
    let domain = domain.as_str();
    let values = vec![
        value(domain, TODAY - DAY, (Search, "", "install"), 3),
        value(domain, TODAY, (Search, "", "install"), 1),
        value(domain, TODAY, (Search, "", "nothing"), 2),
        value(domain, TODAY, (EmptySearch, "", "nothing"), 2),
        value(domain, TODAY - DAY, (OpenedResult, "", "install"), 1),
        value(domain, TODAY, (OpenedResult, "", "install"), 2),
        value(domain, TODAY - DAY, (OpenedResult, "a", "install"), 1),
        value(domain, TODAY, (OpenedResult, "b", "install"), 2),
    ];
    database.add_analytics(&AnalyticsBatch::new(Vec::new(), values), NOW).await.unwrap();
    let filter = of(&site.project_id, 2);
    let searches = database.analytics_searches(filter, PageRequest::first(9)).await.unwrap();
    let (query, top_page) = ("install".to_owned(), Some("b".to_owned()));
    let found = SearchSum { query, hits: 4, opened: 3, top_page, last_at: NOW };
    let query = "nothing".to_owned();
    let missed = SearchSum { query, hits: 2, opened: 0, top_page: None, last_at: NOW };
    assert_eq!(searches, [found, missed]);
    assert_eq!(database.analytics_search_count(filter).await.unwrap(), 6);
    let empty =
        database.analytics_values(filter, EmptySearch, PageRequest::first(9)).await.unwrap();
    assert_eq!(empty, [ValueViews { value: "nothing".to_owned(), views: 2 }]);
    // The last time isn't after the day, however late the sums are written.
    let late = vec![value(domain, TODAY - DAY, (Search, "", "late"), 1)];
    database.add_analytics(&AnalyticsBatch::new(Vec::new(), late), NOW).await.unwrap();
    let searches = database.analytics_searches(filter, PageRequest::first(9)).await.unwrap();
    assert_eq!(searches[2].last_at, TODAY - HOUR);
}

async fn measures_are_of_a_site_and_its_pages(place: &TestDatabase) {
    use Dimension::{LargestPaint, LayoutShift, ScrollDepth};
    let database = &place.database;
    let (site, domain) = place.site("analytics-measures").await;
    let domain = domain.as_str();
    let mut values = Vec::new();
    for (page, views) in [("a", 2), ("b/c", 5), ("", 7)] {
        values.push(value(domain, TODAY, (LargestPaint, page, "2500"), views));
        values.push(value(domain, TODAY, (LayoutShift, page, "0"), 1));
        values.push(value(domain, TODAY, (ScrollDepth, page, "25"), 1));
    }
    database.add_analytics(&AnalyticsBatch::new(Vec::new(), values), NOW).await.unwrap();
    let (filter, measures) = (of(&site.project_id, 1), [LargestPaint, LayoutShift]);
    let measured =
        |dimension, value: &str, views| Measured { dimension, value: value.into(), views };
    let all = database.analytics_measures(filter, &measures).await.unwrap();
    assert_eq!(all, [measured(LargestPaint, "2500", 7), measured(LayoutShift, "0", 1)]);
    let below = AnalyticsFilter { path: "b", ..filter };
    let all = database.analytics_measures(below, &[LargestPaint]).await.unwrap();
    assert_eq!(all, [measured(LargestPaint, "2500", 5)]);
    let pages =
        database.analytics_measured_pages(filter, LargestPaint, PageRequest::first(9)).await;
    let page = |page: &str, views| MeasuredPage { page: page.to_owned(), views };
    assert_eq!(pages.unwrap(), [page("b/c", 5), page("a", 2)]);
    let of_a = [measured(LargestPaint, "2500", 2), measured(LayoutShift, "0", 1)];
    let none = "none";
    let many: Vec<_> = ["a", "b/c"].into_iter().chain(std::iter::repeat_n(none, 300)).collect();
    for (asked, count) in [(vec!["a", none], 1), (many, 2), (vec![], 0)] {
        let pages = database.analytics_measures_of_pages(filter, &measures, &asked).await.unwrap();
        assert_eq!(pages.len(), count);
        assert!(pages.get("a").is_none_or(|measured| *measured == of_a), "{pages:?}");
    }
}

/// Views of each page, and with each host, in a range.
async fn sums_of(database: &Database, filter: AnalyticsFilter<'_>) -> (Vec<PageViews>, Vec<i64>) {
    let all = || PageRequest::first(99);
    let pages = database.analytics_pages(filter, None, all()).await.unwrap();
    let hosts = database.analytics_values(filter, Dimension::Referrer, all()).await.unwrap();
    (pages, hosts.into_iter().map(|host| host.views).collect())
}

/// Sums of a page, its folder, and a host on each of 500 days before today.
fn long_batch(domain: &str) -> AnalyticsBatch {
    let days = || (0..500).map(|day| (TODAY - day * DAY, 500 - day));
    let views = days().map(|(day, count)| view(domain, day, "guides/a", [count, 1, 0]));
    let values = days().flat_map(|(day, count)| {
        ["", "guides/a"].map(|page| value(domain, day, (Dimension::Referrer, page, "h"), count))
    });
    AnalyticsBatch::new(views.collect(), values.collect())
}

async fn months_have_the_sums_of_their_days(place: &TestDatabase) {
    let database = &place.database;
    let (site, domain) = place.site("analytics-months").await;
    let (project, domain) = (site.project_id.as_str(), domain.as_str());
    database.add_analytics(&long_batch(domain), NOW).await.unwrap();
    for (from, to) in [(499, 0), (400, 3), (95, 32), (40, 1), (20, 0), (12, -1)] {
        let range = (TODAY - from * DAY, TODAY - to * DAY);
        let filter = AnalyticsFilter::new(project, AnalyticsRange::new(range, NOW)).of_pages();
        let AnalyticsRange { from, to, .. } = filter.range;
        let days = (from..to.min(TODAY + DAY)).step_by(usize::try_from(DAY).unwrap());
        let count: i64 = days.map(|day| 500 - (TODAY - day) / DAY).filter(|count| *count > 0).sum();
        for (path, count) in [("", count), ("guides", count), ("guides/a", count), ("other", 0)] {
            let (pages, hosts) = sums_of(database, AnalyticsFilter { path, ..filter }).await;
            let pages: i64 = pages.iter().map(|page| page.human).sum();
            assert_eq!((pages, hosts.iter().sum()), (count, count), "{path} {range:?}");
        }
    }
    let of_site = format!("site = (SELECT id FROM analytics_sites WHERE domain = '{domain}')");
    let count = async |which: &str| {
        place.number(&format!("SELECT COUNT(*) FROM analytics_{which} AND {of_site}")).await
    };
    assert_eq!(count("month_views WHERE 1 = 1").await, 18, "May 2023 to October 2024");
    let filter = AnalyticsFilter::new(project, AnalyticsRange::new((TODAY - 499 * DAY, NOW), NOW));
    let before = sums_of(database, filter.of_pages()).await;
    database.remove_old_analytics(NOW).await.unwrap();
    let after = sums_of(database, filter.of_pages()).await;
    assert_eq!(after, before, "without the days of old pages");
    assert_eq!(count("views WHERE step = 24").await, 187, "from April 1, 2024");
    let series = database.analytics_series(filter).await.unwrap();
    assert_eq!(series.len(), 500, "the site has all days");
}

async fn late_batch_counts_in_its_month(place: &TestDatabase) {
    let database = &place.database;
    let (site, domain) = place.site("analytics-late").await;
    let (project, domain) = (site.project_id.as_str(), domain.as_str());
    database.add_analytics(&long_batch(domain), NOW).await.unwrap();
    database.add_analytics(&long_batch(domain), NOW).await.unwrap();
    let filter = AnalyticsFilter::new(project, AnalyticsRange::new((TODAY - 65 * DAY, NOW), NOW));
    let (pages, hosts) = sums_of(database, filter).await;
    // Nodes add days of a month that is over while another one removes what is old.
    let late = |_| {
        let days = [TODAY - 40 * DAY, TODAY - 39 * DAY];
        let views = days.map(|day| view(domain, day, "guides/a", [1, 0, 0]));
        let values = days.map(|day| value(domain, day, (Dimension::Referrer, "", "h"), 1));
        AnalyticsBatch::new(views.to_vec(), values.to_vec())
    };
    let batches: Vec<_> = (0..20).map(late).collect();
    let writes = batches.iter().map(|batch| database.add_analytics(batch, NOW));
    let (written, removed) =
        futures::join!(futures::future::join_all(writes), database.remove_old_analytics(NOW));
    assert!(written.iter().all(|written| *written.as_ref().unwrap()));
    removed.unwrap();
    database.add_analytics(&late(0), NOW).await.unwrap();
    let (more, more_hosts) = sums_of(database, filter).await;
    assert_eq!((more[0].human, more_hosts[0]), (pages[0].human + 42, hosts[0] + 42));
}

/// Several nodes count the same new texts of the same sites, in any order.
async fn nodes_give_a_text_one_number(place: &TestDatabase) {
    let database = &place.database;
    let (site, one) = place.site("analytics-numbers-1").await;
    let (_, other) = place.site("analytics-numbers-2").await;
    let batch = |node: i64| {
        let hosts = (0..50).flat_map(|host| {
            let name = format!("h{}", (host * 7 + node * 13) % 50);
            [&one, &other]
                .map(|domain| value(domain.as_str(), TODAY, (Dimension::Referrer, "", &name), 1))
        });
        AnalyticsBatch::new(Vec::new(), hosts.collect())
    };
    let batches: Vec<_> = (0..8).map(batch).collect();
    let writes = batches.iter().map(|batch| database.add_analytics(batch, NOW));
    for written in futures::future::join_all(writes).await {
        assert!(written.unwrap());
    }
    let filter = of(&site.project_id, 1);
    let all = PageRequest::first(99);
    let hosts = database.analytics_values(filter, Dimension::Referrer, all).await.unwrap();
    assert_eq!(hosts.len(), 50);
    assert!(hosts.iter().all(|host| host.views == 8), "{hosts:?}");
    for domain in [one, other] {
        let sql = format!(
            "SELECT COUNT(*) FROM analytics_texts JOIN analytics_sites AS sites ON sites.id = site \
             WHERE domain = '{domain}'"
        );
        assert_eq!(place.number(&sql).await, 51, "the hosts, and the empty text");
    }
}

/// Sites of a project have numbers of their own for the same texts.
async fn sites_of_a_project_add_up(place: &TestDatabase) {
    use Dimension::{Device, Search};
    let database = &place.database;
    let (site, one) = place.site("analytics-several").await;
    let other = DomainAddress::parse("other.analytics-several.example.com").unwrap();
    database.add_domain(&other, &site.project_id, None, 1).await.unwrap();
    let of_domain = |domain: &DomainAddress, pages: [&str; 3]| {
        let views = pages.map(|page| view(domain.as_str(), TODAY, page, [1, 1, 0]));
        let devices = pages.map(|page| value(domain.as_str(), TODAY, (Device, page, "phone"), 1));
        let all = value(domain.as_str(), TODAY, (Device, "", "phone"), 3);
        let searches = value(domain.as_str(), TODAY, (Search, "", "key"), 2);
        let values = devices.into_iter().chain([all, searches]).collect();
        AnalyticsBatch::new(views.to_vec(), values)
    };
    for batch in [of_domain(&one, ["a/x", "b", "c"]), of_domain(&other, ["d", "c", "a/x"])] {
        database.add_analytics(&batch, NOW).await.unwrap();
    }
    let filter = of(&site.project_id, 1);
    let all = || PageRequest::first(9);
    let pages = database.analytics_pages(filter, None, all()).await.unwrap();
    let pages: Vec<_> = pages.iter().map(|page| (page.page.as_str(), page.human)).collect();
    assert_eq!(pages, [("a/x", 2), ("c", 2), ("b", 1), ("d", 1)]);
    let below = AnalyticsFilter { path: "a", ..filter };
    for (filter, views) in [(filter, 6), (below, 2)] {
        let devices = database.analytics_values(filter, Device, all()).await.unwrap();
        assert_eq!(devices, [ValueViews { value: "phone".to_owned(), views }]);
        let series = database.analytics_series(filter).await.unwrap();
        assert_eq!(series, [(TODAY, [views, views, 0])]);
    }
    let searches = database.analytics_searches(filter, all()).await.unwrap();
    assert_eq!((searches.len(), searches[0].hits), (1, 4));
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
    assert_eq!(total(database, &other.project_id, 1).await, [21; 3]);
    for table in ["sites", "sketches"] {
        let sql = format!("SELECT COUNT(*) FROM analytics_{table} WHERE domain = '{domain}'");
        assert_eq!(place.number(&sql).await, 0, "{table}");
    }
    for table in ["views", "totals", "values", "month_views", "month_values", "texts"] {
        let of_none = "site NOT IN (SELECT id FROM analytics_sites)";
        let sql = format!("SELECT COUNT(*) FROM analytics_{table} WHERE {of_none}");
        assert_eq!(place.number(&sql).await, 0, "{table}");
    }
    database.delete_domain(&stays).await.unwrap().unwrap();
    assert_eq!(total(database, &other.project_id, 1).await, [0; 3]);
}

async fn old_sums_go(place: &TestDatabase) {
    let database = &place.database;
    let (site, domain) = place.site("analytics-old").await;
    let (project, domain) = (site.project_id.as_str(), domain.as_str());
    let (month, years) = (TODAY - 31 * DAY, TODAY - 6 * 365 * DAY);
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
        let of_site = format!("site = (SELECT id FROM analytics_sites WHERE domain = '{domain}')");
        let sql = format!("SELECT COUNT(*) FROM analytics_{table} WHERE {of_site} AND {which}");
        place.number(&sql).await
    };
    assert_eq!(count("views", "step = 1").await, 1);
    assert_eq!(count("views", "step = 24").await, 2);
    assert_eq!(count("values", "page > 0 AND views >= 20").await, 10, "the ten largest of a page");
    assert_eq!(count("values", "page > 0").await, 10);
    assert_eq!(count("values", "page = 0").await, 30, "all of the site");
    assert_eq!(count("month_values", "page > 0").await, 30, "the month isn't over");
    assert_eq!(count("month_views", "1 = 1").await, 2, "without that of five years ago");
    assert_eq!(total(database, project, 40).await, [2, 0, 0]);
    assert!(!database.add_analytics(&batch, NOW).await.unwrap(), "the batch is known");
    database.remove_old_analytics(NOW + 8 * DAY).await.unwrap();
    let known = format!("SELECT COUNT(*) FROM analytics_batches WHERE id = '{}'", batch.id);
    assert_eq!(place.number(&known).await, 0);
}

/// A text goes with its last sum, and not before.
async fn unused_texts_go(place: &TestDatabase) {
    let database = &place.database;
    let (site, domain) = place.site("analytics-texts").await;
    let searched = |query: &str, day: i64| {
        let searches = value(domain.as_str(), day, (Dimension::Search, "", query), 1);
        AnalyticsBatch::new(Vec::new(), vec![searches])
    };
    let first = TODAY - 6 * 365 * DAY;
    for (query, day) in [("once", first), ("again", first), ("again", TODAY)] {
        database.add_analytics(&searched(query, day), day).await.unwrap();
    }
    let texts = async |text: &str| {
        let sql = format!(
            "SELECT COUNT(*) FROM analytics_texts JOIN analytics_sites AS sites ON sites.id = site \
             WHERE domain = '{domain}' AND text = '{text}'"
        );
        place.number(&sql).await
    };
    assert_eq!((texts("once").await, texts("again").await), (1, 1));
    database.remove_old_analytics(first + 5 * 365 * DAY).await.unwrap();
    assert_eq!(texts("once").await, 1, "it has a sum");
    database.remove_old_analytics(NOW).await.unwrap();
    assert_eq!((texts("once").await, texts("again").await, texts("").await), (0, 1, 1));
    // It gets another number.
    database.add_analytics(&searched("once", TODAY), NOW).await.unwrap();
    let (filter, all) = (of(&site.project_id, 1), PageRequest::first(9));
    let found = database.analytics_values(filter, Dimension::Search, all).await.unwrap();
    assert_eq!(found.len(), 2, "{found:?}");
}

async fn visitors_of_nodes_are_merged(place: &TestDatabase) {
    let database = &place.database;
    let (site, domain) = place.site("analytics-visitors").await;
    let (project, domain) = (site.project_id.as_str(), domain.as_str());
    // With a random key, two of seven visitors would share a register in one of 800 runs.
    let sketch = |numbers: std::ops::Range<u32>| {
        let mut sketch = VisitorSketch::default();
        for number in numbers {
            let hash = Sha256::digest(number.to_le_bytes());
            sketch.add(u64::from_le_bytes(hash[..8].try_into().unwrap()));
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
