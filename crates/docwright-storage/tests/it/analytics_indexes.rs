//! Rebuilds of PostgreSQL's indexes of analytics.

use docwright_storage::database::{AnalyticsBatch, ViewSum};
use docwright_testing::database::TestDatabase;

pub(crate) async fn conform(place: &TestDatabase) {
    let database = &place.database;
    let (_, domain) = place.site("analytics-indexes").await;
    // It gives the site a number.
    let (domain, page) = (domain.to_string(), "a".to_owned());
    let view = ViewSum { domain, hour: 0, page, views: [1, 0, 0] };
    database.add_analytics(&AnalyticsBatch::new(vec![view], Vec::new()), 0).await.unwrap();
    if database.kind() != "postgres" {
        assert_eq!(database.rebuild_sparse_indexes(0).await.unwrap(), 0);
        return;
    }
    // A dimension that doesn't exist has many sums, of which few are left.
    place
        .execute(
            "INSERT INTO analytics_values (site, dimension, last_hour, start, page, value, views) \
             SELECT (SELECT MIN(id) FROM analytics_sites), 999, 0, 0, number, 0, 1 FROM generate_series(1, 50000) AS number",
        )
        .await;
    place.execute("DELETE FROM analytics_values WHERE dimension = 999 AND page % 50 <> 0").await;
    place.execute("VACUUM ANALYZE analytics_values").await;
    let bytes = async || place.number("SELECT pg_relation_size('analytics_values_pkey')").await;
    let before = bytes().await;
    assert_eq!(database.rebuild_sparse_indexes(before + 1).await.unwrap(), 0, "it is smaller");
    let rebuilt = futures::join!(
        database.rebuild_sparse_indexes(before),
        database.rebuild_sparse_indexes(before)
    );
    let rebuilt = rebuilt.0.unwrap() + rebuilt.1.unwrap();
    assert!(rebuilt >= 1 && bytes().await * 4 < before, "{rebuilt}, {before}");
    // Others can be sparse after the tests before.
    database.rebuild_sparse_indexes(0).await.unwrap();
    assert_eq!(database.rebuild_sparse_indexes(0).await.unwrap(), 0, "none is sparse");
    let left = "SELECT COUNT(*) FROM analytics_values WHERE dimension = 999";
    assert_eq!(place.number(left).await, 1_000);
    place.execute("DELETE FROM analytics_values WHERE dimension = 999").await;
}
