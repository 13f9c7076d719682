//! The operations of analytics.

use reqwest::Method;
use serde_json::{Value, json};

use super::{BROWSER, Counted};

#[tokio::test(flavor = "multi_thread")]
async fn lists_have_pages_and_ranges() {
    let site = Counted::start().await;
    for (page, count) in [("page-0", 3), ("page-1", 2), ("page-2", 1)] {
        for _ in 0..count {
            let headers = [("user-agent", BROWSER)];
            assert_eq!(site.read(&format!("GET /{page}"), &headers).await, 200);
        }
    }
    site.views_are(6, 0).await;
    let (mut paths, mut cursor) = (Vec::new(), String::new());
    loop {
        let views = site.get(&format!("views?limit=2&cursor={cursor}")).await;
        assert_eq!(views["totals"]["total"], 6, "totals are of all pages");
        assert_eq!(views["hasMore"], !views["nextCursor"].is_null());
        let pages = views["views"].as_array().unwrap().iter();
        paths.extend(pages.map(|page| page["path"].as_str().unwrap().to_owned()));
        match views["nextCursor"].as_str() {
            Some(next) => next.clone_into(&mut cursor),
            None => break,
        }
    }
    assert_eq!(paths, ["page-0", "page-1", "page-2"]);
    let timeline = site.get("timeline").await;
    let steps = timeline["steps"].as_array().unwrap();
    assert_eq!(timeline["unit"], "hour");
    assert_eq!(steps.iter().map(|step| step["human"].as_u64().unwrap()).sum::<u64>(), 6);
    let only = site.get("views?path=/page-1/&reader=human&dateFrom=2026-01-01").await;
    assert_eq!(only["totals"], json!({ "human": 2, "ai": 0, "total": 2 }));
    assert_eq!(site.get("views?reader=ai").await["totals"]["total"], 0);
    let unread = site.get("unread-pages").await;
    assert_eq!((&unread["pages"], &unread["total"]), (&json!([]), &json!(0)));
    let unread = site.get("unread-pages?reader=ai&limit=2").await;
    assert_eq!(unread["pages"][0], json!({ "path": "page-0", "title": "page-0" }));
    assert_eq!(unread["total"], 3);
    let rest =
        format!("unread-pages?reader=ai&limit=2&cursor={}", unread["nextCursor"].as_str().unwrap());
    assert_eq!(site.get(&rest).await["pages"][0]["path"], "page-2");
    assert_eq!(site.get("unread-pages?reader=ai&path=page-1").await["total"], 1);
    let before = "from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:00Z";
    let earlier = site.get(&format!("views?{before}")).await;
    assert_eq!((&earlier["totals"]["total"], &earlier["views"]), (&json!(0), &json!([])));
    assert_eq!(site.get(&format!("timeline?{before}")).await["unit"], "day");
    assert_eq!(site.get(&format!("visitors?{before}")).await["days"], json!([]));
    for (path, part) in [
        ("views?from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z", "`from` isn't before `to`"),
        ("views?from=2001-02-01T00:00:00Z", "exceeds 5 years"),
        ("views?from=yesterday", "must be a time"),
        ("views?reader=bot", "reader"),
        ("feedback?status=lost", "status"),
        ("breakdown", "by"),
        ("breakdown?by=address", "by"),
    ] {
        let path = format!("/v1/analytics/{}/{path}", site.setup.project);
        let response = site.api.send(Method::GET, &path, None).await;
        assert_eq!(response.status(), 400, "{path}");
        let error: Value = response.json().await.unwrap();
        assert!(error["error"].as_str().unwrap().contains(part), "{error}");
    }
}
