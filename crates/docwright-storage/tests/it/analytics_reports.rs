//! Views of the last minutes, and weekly reports of analytics.

use docwright_storage::{
    Keyring,
    database::{AnalyticsBatch, LiveKind, LiveViews, MinuteSum, NewSubscription},
};
use docwright_testing::database::TestDatabase;
use docwright_types::{
    notification::EventKind,
    timestamp::{DAY, HOUR, MINUTE},
};

const NOW: i64 = 20_000 * DAY + 12 * HOUR;
const TODAY: i64 = 20_000 * DAY;

pub(crate) async fn conform(place: &TestDatabase) {
    minutes_are_kept_for_an_hour(place).await;
    week_is_recorded_once(place).await;
}

async fn minutes_are_kept_for_an_hour(place: &TestDatabase) {
    let database = &place.database;
    let (site, domain) = place.site("analytics-minutes").await;
    let project = site.project_id.as_str();
    let sum = |ago: i64, kind, value: &str, views| MinuteSum {
        domain: domain.to_string(),
        minute: NOW - ago * MINUTE,
        kind,
        value: value.to_owned(),
        views,
    };
    let minutes = vec![
        sum(0, LiveKind::All, "", [2, 1]),
        sum(0, LiveKind::Page, "a", [1, 1]),
        sum(0, LiveKind::Page, "b", [1, 0]),
        sum(9, LiveKind::All, "", [4, 0]),
        sum(9, LiveKind::Page, "b", [4, 0]),
        sum(9, LiveKind::Referrer, "x.example", [4, 0]),
        sum(45, LiveKind::All, "", [9, 0]),
        // A batch that waited for the database.
        sum(90, LiveKind::All, "", [9, 0]),
    ];
    let batch = AnalyticsBatch::of_minutes(minutes);
    assert!(database.add_analytics(&batch, NOW).await.unwrap());
    assert!(!database.add_analytics(&batch, NOW).await.unwrap());
    // Another node counted the same minute.
    let other = AnalyticsBatch::of_minutes(vec![sum(0, LiveKind::All, "", [1, 0])]);
    database.add_analytics(&other, NOW).await.unwrap();
    let from = NOW - 29 * MINUTE;
    let read = database.analytics_minutes(project, from).await.unwrap();
    assert_eq!(read, [(NOW - 9 * MINUTE, [4, 0]), (NOW, [3, 1])]);
    let top = database.analytics_live(project, (from, LiveKind::Page), 1).await.unwrap();
    assert_eq!(top, [LiveViews { value: "b".to_owned(), human: 5, ai: 0 }]);
    let hosts = database.analytics_live(project, (from, LiveKind::Referrer), 9).await.unwrap();
    assert_eq!((hosts.len(), hosts[0].human), (1, 4));
    assert_eq!(database.analytics_minutes("prj_other", from).await.unwrap(), []);
    let count = format!("SELECT COUNT(*) FROM analytics_minutes WHERE domain = '{domain}'");
    assert_eq!(place.number(&count).await, 7, "without the late one");
    database.remove_old_analytics(NOW + 51 * MINUTE).await.unwrap();
    assert_eq!(
        place.number(&count).await,
        6,
        "without the one of 45 minutes ago, which is too old"
    );
}

async fn week_is_recorded_once(place: &TestDatabase) {
    let database = &place.database;
    let (site, _) = place.site("analytics-weeks").await;
    let project = database.project(&site.project_id).await.unwrap().unwrap();
    let week = TODAY;
    let due = async || {
        let projects = database.weekly_projects(week, ("", 1_000)).await.unwrap();
        projects.into_iter().find(|each| each.id == project.id)
    };
    let keyring = &Keyring::parse(&"0a".repeat(32)).unwrap();
    let subscribe = async |events: &[EventKind], at: i64| {
        let new = NewSubscription {
            organization_id: &project.organization_id,
            project_id: Some(&project.id),
            target: "mailto:ops@example.com",
            events,
        };
        let created = database.create_subscription(new, keyring, at).await.unwrap();
        created.unwrap().0.id
    };
    let other = subscribe(&[EventKind::ReleaseReady], week - DAY).await;
    assert_eq!(due().await, None, "no subscription names the event");
    let late = subscribe(&[EventKind::AnalyticsWeekly], week).await;
    assert_eq!(due().await, None, "the first week ends after the subscription");
    let wanted = subscribe(&[EventKind::AnalyticsWeekly], week - DAY).await;
    let found = due().await.unwrap();
    assert_eq!(found.name, project.name);
    // Nodes record at once.
    let data = Some(serde_json::json!({ "week": 7 }));
    let nodes = (0..4).map(|_| database.record_week(&found, week, data.clone(), NOW));
    let recorded = futures::future::join_all(nodes).await;
    assert_eq!(recorded.iter().filter(|recorded| *recorded.as_ref().unwrap()).count(), 1);
    assert_eq!(due().await, None);
    for (subscription, count) in [(&other, 0), (&late, 0), (&wanted, 1)] {
        let sent = database.notifications(subscription, None, 9).await.unwrap();
        assert_eq!(sent.len(), count);
    }
    let sent = database.notifications(&wanted, None, 9).await.unwrap();
    let payload: serde_json::Value = serde_json::from_str(&sent[0].payload).unwrap();
    assert_eq!(
        (&payload["type"], &payload["data"]["week"]),
        (&"analytics.weekly".into(), &7.into())
    );
    assert_eq!(payload["data"]["projectId"], project.id.as_str());
    assert!(!database.record_week(&found, week - 7 * DAY, data, NOW).await.unwrap(), "an old week");
    // Without readers, the week is over without a notification.
    assert!(database.record_week(&found, week + 7 * DAY, None, NOW).await.unwrap());
    assert_eq!(database.notifications(&wanted, None, 9).await.unwrap().len(), 1);
    for subscription in [other, late, wanted] {
        assert!(database.remove_subscription(&subscription).await.unwrap());
    }
}
