//! Views in the last thirty minutes, and the effect of a release.

use docwright_testing::wait::eventually;
use docwright_types::analytics::Dimension;
use reqwest::Method;
use serde_json::{Value, json};

use super::{BROWSER, Counted, add, get, pool, read};

#[tokio::test(flavor = "multi_thread")]
async fn last_minutes_have_pages_referrers_and_agents() {
    let site = Counted::start().await;
    let empty = site.get("live").await;
    assert_eq!(empty["minutes"].as_array().unwrap().len(), 30);
    assert_eq!((&empty["totals"]["total"], &empty["pages"]), (&json!(0), &json!([])));
    let other = site.setup.serve_with(&[("DOCWRIGHT_TRUSTED_PROXIES", "127.0.0.1/32")]);
    let person = [("user-agent", BROWSER), ("referer", "https://search.example.com/?q=secret")];
    for page in ["page-0", "page-0", "page-1"] {
        assert_eq!(site.read(&format!("GET /{page}"), &person).await, 200);
    }
    // Another node counts too.
    assert_eq!(read(&other, "GET /page-1", &[("user-agent", "Claude-User/1.0")]).await, 200);
    assert_eq!(read(&other, "GET /page-1", &[("user-agent", "Googlebot/2.1")]).await, 200);
    let live = eventually("all views are counted", async || {
        let live = get(&site.api, &site.setup, "live").await;
        if live["totals"]["total"] == 4 { Ok(live) } else { Err(live) }
    })
    .await;
    assert_eq!(live["totals"], json!({ "human": 3, "ai": 1, "total": 4 }));
    let minutes = live["minutes"].as_array().unwrap();
    assert_eq!(minutes.iter().map(|minute| minute["human"].as_i64().unwrap()).sum::<i64>(), 3);
    let page = |path: &str, human, ai| json!({ "path": path, "human": human, "ai": ai, "total": human + ai });
    assert_eq!(live["pages"], json!([page("page-0", 2, 0), page("page-1", 1, 1)]));
    assert_eq!(live["referrers"], json!([{ "value": "search.example.com", "views": 3 }]));
    assert_eq!(live["agents"], json!([{ "agent": "Claude-User", "views": 1 }]));
}

#[tokio::test(flavor = "multi_thread")]
async fn release_is_compared_with_the_days_before() {
    const DAY: i64 = 86_400_000;
    let site = Counted::start().await;
    let active = eventually("the release is active", async || {
        let list = get(&site.api, &site.setup, "releases").await;
        if list["releases"][0].is_object() { Ok(list["releases"][0].clone()) } else { Err(list) }
    })
    .await;
    let id = active["id"].as_str().unwrap();
    let effect = async |query: &str| {
        let path = format!("/v1/releases/{id}/effect{query}");
        let response = site.api.send(Method::GET, &path, None).await;
        (response.status().as_u16(), response.json::<Value>().await.unwrap())
    };
    let (status, today) = effect("").await;
    assert_eq!((status, &today["days"], &today["pages"]), (200, &json!(0), &json!([])));
    assert_eq!(effect("?days=91").await.0, 400);
    let becomes_active_earlier = async |days: i64| {
        let pool = pool(&site.setup).await;
        let sql = "UPDATE releases SET active_from = active_from - $1 WHERE id = $2 RETURNING active_from";
        let row = sqlx::query(sql).bind(days * DAY).bind(id).fetch_one(&pool).await.unwrap();
        let active_from: i64 = sqlx::Row::try_get(&row, "active_from").unwrap();
        pool.close().await;
        active_from - active_from.rem_euclid(DAY)
    };
    let day = becomes_active_earlier(10).await;
    let counts = [(-8, 100), (-7, 1), (-1, 2), (0, 50), (1, 4), (7, 8), (8, 200)]
        .map(|(from_release, count)| (day + from_release * DAY, count));
    let searches = counts.map(|(day, count)| (day, Dimension::EmptySearch, "key", count));
    add(&site.setup, &counts.map(|(day, count)| (day, "page-1", count)), &searches).await;
    let (_, week) = effect("").await;
    assert_eq!(week["days"], 7);
    assert_eq!(
        (&week["before"]["views"]["human"], &week["after"]["views"]["human"]),
        (&json!(3), &json!(12))
    );
    assert_eq!(
        (&week["before"]["searchesWithoutResult"], &week["after"]["searchesWithoutResult"]),
        (&json!(3), &json!(12))
    );
    let page = &week["pages"][0];
    assert_eq!((&page["path"], &page["fate"]), (&json!("page-1"), &json!("added")), "{week}");
    assert_eq!((&page["viewsBefore"], &page["viewsAfter"]), (&json!(3), &json!(12)));
    assert_eq!(week["areChangesKnown"], true);
    let (_, short) = effect("?days=1").await;
    assert_eq!(
        (&short["before"]["views"]["human"], &short["after"]["views"]["human"]),
        (&json!(2), &json!(4))
    );
    // Only the whole days since then count.
    let (_, long) = effect("?days=90").await;
    assert_eq!(long["days"], 9, "{long}");
    // Longer ago, single pages have sums of months only, which would be those of other days.
    let day = becomes_active_earlier(200).await;
    add(&site.setup, &[(day - DAY, "page-1", 16), (day + DAY, "page-1", 32)], &[]).await;
    let (_, old) = effect("").await;
    let views = |side: &str| old[side]["views"]["human"].clone();
    assert_eq!((views("before"), views("after")), (json!(16), json!(32)));
    assert_eq!(old["pages"], json!([]));
}
