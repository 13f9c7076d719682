//! Notifications by HTTP POST and email, as their receivers get them.

use docwright_testing::wait::eventually;
use docwright_types::analytics::Dimension;
use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    agent::mocks::Mock,
    analytics,
    server::{Api, Process, Setup, write_repository},
};

const LOGIN: &str = "docwright:correct horse";
const DAY: i64 = 86_400_000;
const WEEK: i64 = 7 * DAY;

/// A service and a receiver of its notifications.
struct Running {
    setup: Setup,
    receiver: Mock,
    service: Process,
    api: Api,
}

impl Running {
    async fn start() -> Self {
        let receiver = Mock::start("receiver.mjs", &[LOGIN]);
        let port = reqwest::get(format!("{}/smtp", receiver.address)).await.unwrap();
        let smtp =
            format!("smtp://docwright:correct%20horse@127.0.0.1:{}", port.text().await.unwrap());
        let mut setup = Setup::built_in(|folder| write_repository(folder, 1), &[]);
        setup.key = setup.new_key(&["--scope", "admin"]);
        let host = receiver.address.trim_start_matches("http://").to_owned();
        let service = setup.serve_with(&[
            ("DOCWRIGHT_PRIVATE_HOSTS", &host),
            ("DOCWRIGHT_SMTP_URL", &smtp),
            ("DOCWRIGHT_SMTP_FROM", "docwright <docs@example.com>"),
        ]);
        let api = setup.api(&service);
        Self { setup, receiver, service, api }
    }

    /// Gives the last two weeks readers: 1,200 views after 900, with a search without a result. All subscriptions become
    /// older than them. Returns the ends of the last week.
    async fn have_readers(&self) -> [i64; 2] {
        sqlx::any::install_default_drivers();
        let file = format!("sqlite://{}", self.setup.data().join("docwright.db").display());
        let pool = sqlx::AnyPool::connect(&file).await.unwrap();
        let older = "UPDATE subscriptions SET created_at = created_at - $1";
        sqlx::query(older).bind(3 * WEEK).execute(&pool).await.unwrap();
        let row = "SELECT MAX(created_at) AS at FROM subscriptions";
        let row = sqlx::query(row).fetch_one(&pool).await.unwrap();
        let now = sqlx::Row::try_get::<i64, _>(&row, "at").unwrap() + 3 * WEEK;
        // Reports are due six hours after the end of a week, which is on Monday; time began on a Thursday.
        let due = now - 6 * 3_600_000;
        let ends_at = due - (due - 4 * DAY).rem_euclid(WEEK);
        pool.close().await;
        let views = [(-7, 1_000), (-1, 200), (-8, 900), (-15, 5), (0, 7)]
            .map(|(days, count)| (ends_at + days * DAY, "page-0", count));
        let search = (ends_at - DAY, Dimension::EmptySearch, "how to moor", 3);
        analytics::add(&self.setup, &views, &[search]).await;
        [ends_at - WEEK, ends_at]
    }

    /// Waits until the release that the service builds on startup is ready, so that later subscriptions don't
    /// get it.
    async fn first_release(&self) {
        let path = format!("/v1/projects/{}/releases", self.setup.project);
        eventually("the first release is ready", async || {
            let page: Value = self.api.send(Method::GET, &path, None).await.json().await.unwrap();
            if page["releases"][0]["status"] == "ready" { Ok(()) } else { Err(page) }
        })
        .await;
    }

    /// Subscribes a path of the receiver, which responds with each of `answers` in turn.
    async fn subscribe(&self, name: &str, answers: &str) -> String {
        let target = format!("{}/{name}", self.receiver.address);
        let created = self.create(json!({ "target": target })).await;
        let register = format!("{}/secret?name={name}&answer={answers}", self.receiver.address);
        let secret = created["secret"].as_str().unwrap().to_owned();
        self.api.client.post(register).body(secret).send().await.unwrap();
        created["id"].as_str().unwrap().to_owned()
    }

    async fn create(&self, body: Value) -> Value {
        let response = self.api.send(Method::POST, "/v1/subscriptions", Some(body)).await;
        assert_eq!(response.status(), 201);
        response.json().await.unwrap()
    }

    async fn notifications(&self, subscription: &str) -> Vec<Value> {
        let path = format!("/v1/subscriptions/{subscription}/notifications");
        let page: Value = self.api.send(Method::GET, &path, None).await.json().await.unwrap();
        page["notifications"].as_array().unwrap().clone()
    }

    /// Waits until a subscription's newest notification matches a condition.
    async fn newest(&self, subscription: &str, is_it: impl Fn(&Value) -> bool) -> Value {
        self.until(subscription, |all| all.first().is_some_and(&is_it)).await.remove(0)
    }

    /// Waits until all notifications of a subscription match a condition.
    async fn all(&self, subscription: &str, is_it: impl Fn(&Value) -> bool) -> Vec<Value> {
        self.until(subscription, |all| !all.is_empty() && all.iter().all(&is_it)).await
    }

    async fn until(&self, subscription: &str, are_they: impl Fn(&[Value]) -> bool) -> Vec<Value> {
        eventually("the notifications are as they should be", async || {
            let all = self.notifications(subscription).await;
            if are_they(&all) { Ok(all) } else { Err(format!("{all:?}")) }
        })
        .await
    }

    async fn received(&self) -> Vec<Value> {
        let all = reqwest::get(format!("{}/received", self.receiver.address)).await.unwrap();
        all.json().await.unwrap()
    }
}

fn is(status: &'static str) -> impl Fn(&Value) -> bool {
    move |notification| notification["status"] == status
}

#[tokio::test]
#[ignore = "needs the packages of tests/mocks"]
async fn notifications_are_signed_and_retried_after_refusal() {
    let running = Running::start().await;
    running.first_release().await;
    let good = running.subscribe("good", "204").await;
    let busy = running.subscribe("busy", "503,204").await;
    let gone = running.subscribe("gone", "410").await;
    let moved = running.subscribe("moved", "302").await;
    let slow = running.subscribe("slow", "never").await;
    running.setup.commit("page-0.mdx", "---\ntitle: Changed\n---\n\nAnother text.\n");
    let export = running.api.start_export().await;
    running.api.wait_for(&export, &["completed"]).await;

    let notification = running.newest(&good, is("delivered")).await;
    assert_eq!(
        (&notification["responseStatus"], &notification["attempts"]),
        (&json!(204), &json!(1))
    );
    assert_eq!(running.notifications(&good).await.len(), 2, "the release and the export");
    running.newest(&gone, is("failed")).await;
    let moved = running.newest(&moved, |newest| !newest["error"].is_null()).await;
    assert!(moved["error"].as_str().unwrap().contains("redirects are not followed"), "{moved}");
    assert_eq!(moved["status"], "pending");
    let busy = running.all(&busy, is("delivered")).await;
    assert_eq!(
        running.notifications(&slow).await[1]["attempts"],
        0,
        "the notification is still being sent"
    );

    let received = running.received().await;
    assert!(received.iter().all(|each| each["verified"] == true), "{received:?}");
    let to = |name: &str| received.iter().filter(|each| each["name"] == name).collect::<Vec<_>>();
    assert_eq!(to("good").len(), 2);
    let ready =
        to("good").into_iter().find(|each| each["body"]["type"] == "release.ready").unwrap();
    assert_eq!(ready["type"], "application/json");
    assert_eq!(ready["body"]["data"]["site"], "http://docs.example.com");
    let ids: Vec<_> = to("busy").iter().map(|each| each["id"].clone()).collect();
    assert_eq!(ids.len(), 3, "one of the two was sent twice");
    let twice = busy.iter().find(|each| each["attempts"] == 2).unwrap();
    let same = ids.iter().filter(|id| **id == twice["id"]).count();
    assert_eq!(same, 2, "with the same id");

    // A notification can be sent again on request.
    let again = format!(
        "/v1/subscriptions/{good}/notifications/{}/resend",
        notification["id"].as_str().unwrap()
    );
    assert_eq!(running.api.send(Method::POST, &again, None).await.status(), 202);
    running.newest(&good, is("delivered")).await;
    eventually("it arrived twice", async || {
        let received = running.received().await;
        let count = received.iter().filter(|each| each["id"] == notification["id"]).count();
        if count == 2 { Ok(()) } else { Err(count) }
    })
    .await;
}

#[tokio::test]
#[ignore = "needs the packages of tests/mocks"]
async fn mailbox_is_notified_of_failures() {
    let running = Running::start().await;
    let mailbox = running.create(json!({ "target": "mailto:ops@example.com" })).await;
    assert_eq!(mailbox["secret"], Value::Null);
    assert_eq!(
        mailbox["events"],
        json!(["release.held", "release.failed", "export.failed", "job.failed"])
    );
    running.setup.commit("docs.json", "{ this is no JSON");
    let path = format!("/v1/project/update/{}", running.setup.project);
    assert_eq!(running.api.send(Method::POST, &path, None).await.status(), 202);
    let subscription = mailbox["id"].as_str().unwrap();
    running.newest(subscription, is("delivered")).await;
    let received = running.received().await;
    assert_eq!(received.len(), 1, "{received:?}");
    assert_eq!(
        (&received[0]["to"], &received[0]["from"]),
        (&json!(["ops@example.com"]), &json!("docs@example.com"))
    );
    let mail = received[0]["mail"].as_str().unwrap();
    for part in [
        "Subject: Release failed: Docs",
        "Auto-Submitted: auto-generated",
        "docs.json",
        "From: docwright <docs@example.com>",
    ] {
        assert!(mail.contains(part), "{part} is not in {mail}");
    }
}

#[tokio::test]
#[ignore = "needs the packages of tests/mocks"]
async fn weekly_report_is_sent_once_across_nodes_and_restarts() {
    let mut running = Running::start().await;
    let usual = running.subscribe("usual", "204").await;
    let mail = json!({
        "target": "mailto:docs@example.com",
        "events": ["analytics.weekly"],
        "projectId": running.setup.project,
    });
    let weekly = running.create(mail).await["id"].as_str().unwrap().to_owned();
    running.have_readers().await;
    // Two nodes start at once, then one of them again.
    let smtp = reqwest::get(format!("{}/smtp", running.receiver.address)).await.unwrap();
    let smtp = format!("smtp://docwright:correct%20horse@127.0.0.1:{}", smtp.text().await.unwrap());
    let settings = [
        ("DOCWRIGHT_SMTP_URL", smtp.as_str()),
        ("DOCWRIGHT_SMTP_FROM", "docwright <docs@example.com>"),
        ("DOCWRIGHT_PUBLIC_URL", "https://admin.example.com"),
    ];
    running.service.kill();
    let mut nodes = [running.setup.serve_with(&settings), running.setup.serve_with(&settings)];
    running.api = running.setup.api(&nodes[1]);
    running.newest(&weekly, is("delivered")).await;
    nodes[0].kill();
    let again = running.setup.serve_with(&settings);
    let api = running.setup.api(&again);
    let mailbox = json!({ "target": "mailto:ops@example.com", "events": ["release.ready"] });
    let response = api.send(Method::POST, "/v1/subscriptions", Some(mailbox)).await;
    assert_eq!(response.status(), 201);
    assert_eq!(running.notifications(&weekly).await.len(), 1);
    let others = running.notifications(&usual).await;
    assert!(others.iter().all(|each| each["event"] != "analytics.weekly"), "{others:?}");
    let received = running.received().await;
    let mails: Vec<_> = received
        .iter()
        .filter_map(|each| each["mail"].as_str())
        .filter(|mail| mail.contains("Weekly analytics"))
        .collect();
    assert_eq!(mails.len(), 1, "{received:?}");
    for part in [
        "Subject: Weekly analytics: Docs",
        "Views by people: 1,200 (before: 900)",
        "/settings/notifications",
    ] {
        assert!(mails[0].contains(part), "{part} is not in {}", mails[0]);
    }
}

#[tokio::test]
#[ignore = "needs the packages of tests/mocks"]
async fn weekly_report_is_posted_with_signature_and_retried() {
    let mut running = Running::start().await;
    let usual = running.subscribe("usual", "204").await;
    let (receiver, project) = (running.receiver.address.clone(), running.setup.project.clone());
    let body = json!({
        "target": format!("{receiver}/weekly"), "events": ["analytics.weekly"], "projectId": project,
    });
    let created = running.create(body).await;
    let secret = created["secret"].as_str().unwrap().to_owned();
    let register = format!("{receiver}/secret?name=weekly&answer=503,204");
    running.api.client.post(register).body(secret).send().await.unwrap();
    let weekly = created["id"].as_str().unwrap().to_owned();
    let week = running.have_readers().await;
    running.service.kill();
    let host = receiver.trim_start_matches("http://");
    let settings =
        [("DOCWRIGHT_PRIVATE_HOSTS", host), ("DOCWRIGHT_PUBLIC_URL", "https://admin.example.com")];
    running.service = running.setup.serve_with(&settings);
    running.api = running.setup.api(&running.service);
    let sent = running.newest(&weekly, is("delivered")).await;
    assert_eq!((&sent["attempts"], &sent["responseStatus"]), (&json!(2), &json!(204)));
    assert_eq!(running.notifications(&weekly).await.len(), 1, "one report of the week");
    let others = running.notifications(&usual).await;
    assert!(others.iter().all(|each| each["event"] != "analytics.weekly"), "{others:?}");

    let received = running.received().await;
    let received: Vec<_> = received.iter().filter(|each| each["name"] == "weekly").collect();
    assert_eq!(received.len(), 2, "refused once: {received:?}");
    for each in &received {
        assert_eq!(
            (&each["verified"], &each["type"], &each["id"]),
            (&json!(true), &json!("application/json"), &sent["id"])
        );
        assert_eq!(each["body"], received[0]["body"]);
    }
    let body = &received[0]["body"];
    let data = &body["data"];
    assert_eq!((&body["type"], &data["projectId"]), (&json!("analytics.weekly"), &json!(project)));
    assert_eq!(data["project"], "Docs");
    let iso = docwright_types::timestamp::iso;
    assert_eq!([&data["from"], &data["to"]], week.map(|time| json!(iso(time))).each_ref());
    let counts = |human: i64| json!({ "human": human, "ai": 0, "total": human });
    assert_eq!(data["week"]["views"], counts(1_200));
    assert_eq!(data["weekBefore"]["views"], counts(900));
    assert_eq!(data["week"]["searchesWithoutResult"], 3);
    assert_eq!(data["topPages"], json!([{ "path": "page-0", "views": 1_200 }]));
    let searches = json!([{ "query": "how to moor", "searches": 3 }]);
    assert_eq!(data["searchesWithoutResult"], searches);
    assert_eq!(data["deadLinks"], json!([]));
    let page = format!("https://admin.example.com/projects/{project}/analytics?range=week");
    assert_eq!(data["analyticsUrl"], page);
}

#[tokio::test]
#[ignore = "needs the packages of tests/mocks"]
async fn targets_are_checked_and_private_addresses_not_requested() {
    let running = Running::start().await;
    for (body, expected) in [
        (
            json!({ "target": "ftp://example.com" }),
            "`target` must start with https://, http://, or mailto:.",
        ),
        (json!({ "target": "https://a:b@example.com" }), "`target` contains a name or a password"),
        (json!({ "target": "mailto:nobody" }), "`target` must be an address after `mailto:`"),
        (json!({ "target": "hooks" }), "`target` must be a URL"),
        (
            json!({ "target": "https://example.com", "events": [] }),
            "`events` must be an array of at least one event",
        ),
        (json!({ "target": "https://example.com", "events": ["x"] }), "`events[0]` must be"),
        (json!({ "target": "https://example.com", "projectID": "x" }), "use `projectId` instead"),
    ] {
        let response = running.api.send(Method::POST, "/v1/subscriptions", Some(body)).await;
        assert_eq!(response.status(), 400);
        let answer: Value = response.json().await.unwrap();
        assert!(answer["error"].as_str().unwrap().contains(expected), "{answer}");
    }
    let unknown = json!({ "target": "https://example.com", "projectId": "prj_none" });
    let response = running.api.send(Method::POST, "/v1/subscriptions", Some(unknown)).await;
    assert_eq!(response.status(), 404);
    // The service itself, at an address that only this machine can access.
    let own =
        running.create(json!({ "target": format!("{}/healthz", running.service.address) })).await;
    let export = running.api.start_export().await;
    running.api.wait_for(&export, &["completed"]).await;
    let own = own["id"].as_str().unwrap();
    let refused = running.newest(own, |newest| !newest["error"].is_null()).await;
    assert!(refused["error"].as_str().unwrap().contains("private address"), "{refused}");
    let path = format!("/v1/subscriptions/{own}");
    assert_eq!(running.api.send(Method::DELETE, &path, None).await.status(), 204);
    assert_eq!(running.api.send(Method::GET, &path, None).await.status(), 404);
}
