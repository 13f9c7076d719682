//! A domain serves its site only after verification.

use docwright_testing::wait::eventually;
use reqwest::Method;
use serde_json::{Value, json};

use super::dns::NameServer;
use crate::{
    server::{Api, Process, Setup, id, write_repository},
    sites::ask,
};

/// A service with a name server, and two organizations.
pub(super) struct World {
    pub(super) setup: Setup,
    pub(super) process: Process,
    pub(super) dns: NameServer,
    ours: Api,
    /// A key of another organization, and its project.
    pub(super) theirs: (Api, String),
}

impl World {
    pub(super) async fn start(variables: &[(&str, &str)]) -> Self {
        let setup = Setup::with_repository(|folder| write_repository(folder, 1));
        let dns = NameServer::start().await;
        let address = dns.address.to_string();
        let variables = [variables, &[("DOCWRIGHT_DNS_SERVERS", &address)]].concat();
        let other = id(&setup.admin(&["organization", "create", "Other"]));
        let repository = setup.folder.path().join("repository").display().to_string();
        let project = ["project", "create", "Theirs", "--organization", &other, "--repository"];
        let project = id(&setup.admin(&[project.as_slice(), &[&repository]].concat()));
        let key = ["key", "create", "theirs", "--scope", "admin", "--organization", &other];
        let key = setup.admin(&key);
        let process = setup.serve_with(&variables);
        let theirs = Api { key: key["key"].as_str().unwrap().to_owned(), ..setup.api(&process) };
        let key = setup.new_key(&["--scope", "admin"]);
        let ours = Api { key, ..setup.api(&process) };
        Self { setup, process, dns, ours, theirs: (theirs, project) }
    }

    pub(super) fn ours(&self) -> (Api, String) {
        (self.ours.clone(), self.setup.project.clone())
    }
}

pub(super) async fn send(
    api: &Api,
    method: Method,
    path: &str,
    body: Option<Value>,
) -> (u16, Value) {
    let answer = api.send(method, path, body).await;
    let status = answer.status().as_u16();
    (status, answer.json().await.unwrap_or_default())
}

pub(super) async fn create((api, project): &(Api, String), domain: &str) -> (u16, Value) {
    let body = json!({ "domain": domain, "projectId": project });
    send(api, Method::POST, "/v1/domains", Some(body)).await
}

pub(super) fn path(domain: &str) -> String {
    format!("/v1/domains/{}", domain.replace('/', "%2F"))
}

/// Checks the record until a condition holds. Recent checks can be reused.
pub(super) async fn verify_until(api: &Api, domain: &str, is_so: impl Fn(&Value) -> bool) -> Value {
    eventually(&format!("{domain} is as it should be"), async || {
        let path = format!("{}/verify", path(domain));
        let (status, domain) = send(api, Method::POST, &path, None).await;
        assert_eq!(status, 200, "{domain}");
        if is_so(&domain) { Ok(domain) } else { Err(domain) }
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn dns_record_verifies_domain() {
    let world = World::start(&[]).await;
    let (ours, theirs) = (world.ours(), &world.theirs);
    let (status, made) = create(&ours, "docs.acme.example").await;
    assert_eq!((status, &made["state"]), (201, &json!("pending")), "{made}");
    let record = &made["records"][0];
    assert_eq!(
        (&record["type"], &record["name"]),
        (&json!("TXT"), &json!("_docwright.docs.acme.example"))
    );
    let value = record["value"].as_str().unwrap();
    assert!(value.starts_with("docwright-verification=") && value.len() == 23 + 32, "{value}");
    // A pending domain serves nothing and can't be exported.
    let host = "docs.acme.example";
    assert_eq!(ask(&world.process.address, (host, "GET /"), &[]).await.status, 421);
    let export = json!({ "domain": host });
    let export = send(&ours.0, Method::POST, "/v1/static-export/jobs", Some(export)).await;
    assert_eq!(export.0, 404);
    // Another organization can add the same domain, with another record.
    let (status, other) = create(theirs, host).await;
    assert_eq!(status, 201);
    let others = other["records"][0]["value"].as_str().unwrap().to_owned();
    assert_ne!(others, value);
    // The record is found among other texts, some of which exceed a packet.
    let record = "_docwright.docs.acme.example";
    world.dns.set(record, &["v=spf1 -all"]);
    let wrong = verify_until(&ours.0, host, |domain| domain["problem"].is_string()).await;
    assert!(wrong["problem"].as_str().unwrap().contains("doesn't match"), "{wrong}");
    world.dns.set(record, &[&"x".repeat(600), value, "v=spf1 -all"]);
    let verified = verify_until(&ours.0, host, |domain| domain["state"] == "verified").await;
    assert_eq!((&verified["records"], &verified["problem"]), (&json!([]), &Value::Null));
    assert_eq!(ask(&world.process.address, (host, "GET /"), &[]).await.status, 404);
    // The other organization's pending domain is removed, and its record no longer works.
    assert_eq!(send(&theirs.0, Method::GET, &path(host), None).await.0, 404);
    world.dns.set(record, &[&others]);
    assert_eq!(create(theirs, host).await.0, 409);
    assert_eq!(create(theirs, "docs.acme.example/below").await.0, 409);
    // Domains with a base path on the same host need no record.
    let (status, below) = create(&ours, "docs.acme.example/v1").await;
    assert_eq!((status, &below["state"]), (201, &json!("verified")));
    assert_eq!(create(&ours, host).await.0, 409);
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_domains_are_refused_with_reason() {
    let world = World::start(&[("DOCWRIGHT_PUBLIC_URL", "https://admin.example.com")]).await;
    let ours = world.ours();
    for (domain, said) in [
        ("*.acme.example", "not a wildcard"),
        ("müller.example", "xn--"),
        ("192.0.2.1", "not an IP address"),
        ("https://docs.acme.example", "without a scheme"),
        ("docs.acme.example:8080", "without a port"),
        ("docs.acme.example/../x", "base path"),
        ("admin.example.com", "host of the service itself"),
        ("admin.example.com/docs", "host of the service itself"),
        ("", "hostname"),
    ] {
        let (status, body) = create(&ours, domain).await;
        let sentence = body["error"].as_str().unwrap();
        assert!(status == 400 && sentence.contains(said), "{domain}: {status} {sentence}");
    }
    let (status, made) = create(&ours, "Docs.Acme.EXAMPLE.").await;
    assert_eq!((status, &made["domain"]), (201, &json!("docs.acme.example")));
    let expected =
        json!({ "type": "CNAME", "name": "docs.acme.example", "value": "admin.example.com" });
    assert_eq!(made["records"][1], expected);
    // Projects and domains of other organizations aren't found.
    let not_ours = (ours.0.clone(), world.theirs.1.clone());
    assert_eq!(create(&not_ours, "x.acme.example").await.0, 404);
    for (method, body) in
        [(Method::GET, None), (Method::DELETE, None), (Method::PATCH, Some(json!({})))]
    {
        let answer = send(&world.theirs.0, method, &path("docs.acme.example"), body).await;
        assert_eq!(answer.0, 404, "{}", answer.1);
    }
    let verify = format!("{}/verify", path("docs.acme.example"));
    assert_eq!(send(&world.theirs.0, Method::POST, &verify, None).await.0, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn approved_and_local_hosts_need_no_record() {
    let world = World::start(&[("DOCWRIGHT_APPROVED_DOMAINS", "pages.example,team.example")]).await;
    let (ours, theirs) = (world.ours(), &world.theirs);
    for (domain, state) in [
        ("acme.pages.example", "verified"),
        ("docs.acme.team.example/v1", "verified"),
        ("acme.localhost", "verified"),
        ("pages.example", "pending"),
        ("evilpages.example", "pending"),
    ] {
        let (status, made) = create(&ours, domain).await;
        assert_eq!((status, made["state"].as_str()), (201, Some(state)), "{domain}");
    }
    assert_eq!(create(theirs, "acme.pages.example").await.0, 409);
    assert_eq!(create(theirs, "docs.acme.team.example/v2").await.0, 409);
    // Pages of a list continue across verified and pending domains.
    let mut names = Vec::new();
    let mut cursor = String::new();
    loop {
        let (_, page) =
            send(&ours.0, Method::GET, &format!("/v1/domains?limit=2&cursor={cursor}"), None).await;
        let page = page.as_object().unwrap().clone();
        names.extend(page["domains"].as_array().unwrap().iter().map(|one| one["domain"].clone()));
        let Some(next) = page["nextCursor"].as_str() else { break };
        cursor = next.replace('/', "%2F");
    }
    let expected = [
        "acme.localhost",
        "acme.pages.example",
        "docs.acme.team.example/v1",
        "docs.example.com",
        "evilpages.example",
        "pages.example",
    ];
    assert_eq!(names, expected);
    // Sets a branch, then deletes the domain.
    let domain = path("docs.acme.team.example/v1");
    let branch = Some(json!({ "branch": "next" }));
    let (status, changed) = send(&ours.0, Method::PATCH, &domain, branch.clone()).await;
    assert_eq!((status, &changed["branch"]), (200, &json!("next")));
    assert_eq!(send(&ours.0, Method::PATCH, &path("pages.example"), branch).await.0, 409);
    for domain in ["docs.acme.team.example/v1", "pages.example"] {
        assert_eq!(send(&ours.0, Method::DELETE, &path(domain), None).await.0, 200);
        assert_eq!(send(&ours.0, Method::GET, &path(domain), None).await.0, 404);
    }
    assert_eq!(create(theirs, "docs.acme.team.example/v2").await.0, 201, "the host is free");
}

#[tokio::test(flavor = "multi_thread")]
async fn records_are_checked_automatically_at_intervals() {
    let world = World::start(&[]).await;
    let ours = world.ours();
    let (status, failing) = create(&ours, "failing.acme.example").await;
    assert_eq!(status, 201, "{failing}");
    world.dns.fail("_docwright.failing.acme.example");
    let name = failing["domain"].as_str().unwrap();
    let failed = verify_until(&ours.0, name, |domain| domain["problem"].is_string()).await;
    assert!(failed["problem"].as_str().unwrap().contains("didn't respond"), "{failed}");
    // Parallel checks share one lookup.
    create(&ours, "asked.acme.example").await;
    let asked = format!("{}/verify", path("asked.acme.example"));
    let all = (0..50).map(|_| send(&ours.0, Method::POST, &asked, None));
    let answers = futures::future::join_all(all).await;
    assert!(answers.iter().all(|(status, _)| *status == 200), "{answers:?}");
    let asked = world.dns.asked("_docwright.asked.acme.example");
    assert!(asked <= 2, "{asked} look-ups");
    // The record is found automatically, without a request.
    let (_, made) = create(&ours, "quiet.acme.example").await;
    let value = made["records"][0]["value"].as_str().unwrap();
    world.dns.set("_docwright.quiet.acme.example", &[value]);
    eventually("the domain is verified", async || {
        let (_, domain) = send(&ours.0, Method::GET, &path("quiet.acme.example"), None).await;
        domain["state"] == "verified"
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn organization_has_a_limit_of_pending_domains() {
    let world = World::start(&[]).await;
    let ours = world.ours();
    for number in 0..50 {
        let (status, domain) = create(&ours, &format!("n{number}.acme.example")).await;
        assert_eq!(status, 201, "{number}: {domain}");
    }
    let (status, refusal) = create(&ours, "n50.acme.example").await;
    assert_eq!(status, 409, "{refusal}");
    assert_eq!(
        create(&world.theirs, "n51.acme.example").await.0,
        201,
        "other organizations have their own limit"
    );
}
