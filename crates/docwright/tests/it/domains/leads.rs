//! Where the names of domains lead, and what follows from it.

use docwright_testing::wait::eventually;
use reqwest::Method;
use serde_json::{Value, json};

use super::ownership::{World, create, path, send, verify_until};
use crate::sites::ask;

/// Verifies a domain of ours, and waits for a check of its name.
async fn verified(world: &World, name: &str) -> Value {
    let ours = world.ours();
    let (status, made) = create(&ours, name).await;
    assert_eq!(status, 201, "{made}");
    let value = made["records"][0]["value"].as_str().unwrap();
    world.dns.set(&format!("_docwright.{name}"), &[value]);
    verify_until(&ours.0, name, |domain| domain["state"] == "verified" && domain["dns"].is_object())
        .await
}

#[tokio::test(flavor = "multi_thread")]
async fn state_of_a_domain_follows_its_name() {
    let hosts = "here.acme.example,there.acme.example,gone.acme.example";
    let world = World::start(&[("DOCWRIGHT_PRIVATE_HOSTS", hosts)]).await;
    world.dns.lead("there.acme.example", Some([127, 0, 0, 2]));
    world.dns.lead("gone.acme.example", None);
    world.dns.lead("inside.acme.example", Some([10, 1, 2, 3]));
    for (name, state, problem) in [
        // The service proves that it answers, although its own address isn't known.
        ("here.acme.example", "correct", None),
        ("there.acme.example", "elsewhere", Some("leads to 127.0.0.2, where nothing answers")),
        ("gone.acme.example", "missing", Some("DNS has no address")),
        ("inside.acme.example", "unknown", Some("10.1.2.3, a private address")),
    ] {
        let domain = verified(&world, name).await;
        let dns = &domain["dns"];
        assert_eq!(dns["state"], state, "{name}: {domain}");
        let said = dns["problem"].as_str();
        assert_eq!(said.is_some(), problem.is_some(), "{name}: {domain}");
        assert!(said.unwrap_or_default().contains(problem.unwrap_or_default()), "{domain}");
        assert!(dns["checkedAt"].is_string(), "{domain}");
    }
    let (api, project) = world.ours();
    let problems = async || {
        let found =
            send(&api, Method::GET, &format!("/v1/projects/{project}/problems"), None).await;
        let found = found.1["problems"].as_array().unwrap().clone();
        let dns = found.into_iter().filter(|problem| problem["kind"] == "dns");
        dns.map(|problem| problem["subject"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(problems().await, ["gone.acme.example", "there.acme.example"]);
    // The record is corrected.
    world.dns.lead("there.acme.example", Some([127, 0, 0, 1]));
    verify_until(&api, "there.acme.example", |domain| domain["dns"]["state"] == "correct").await;
    assert_eq!(problems().await, ["gone.acme.example"], "the problem goes with its cause");
}

#[tokio::test(flavor = "multi_thread")]
async fn proof_is_only_for_domains_of_the_service() {
    let world = World::start(&[("DOCWRIGHT_APPROVED_DOMAINS", "pages.example")]).await;
    for name in ["a.pages.example/docs", "b.pages.example"] {
        assert_eq!(create(&world.ours(), name).await.0, 201);
    }
    let proof = async |host: &str, base: &str| {
        let start = format!("GET {base}/.well-known/docwright-domain");
        let answer = ask(&world.process.address, (host, &start), &[]).await;
        (answer.status, String::from_utf8_lossy(&answer.body).into_owned())
    };
    let (one, other) =
        (proof("a.pages.example", "/docs").await, proof("b.pages.example", "").await);
    assert_eq!((one.0, other.0), (200, 200));
    assert!(one.1.len() == 64 && one.1 != other.1, "each domain has its own: {one:?} {other:?}");
    for (host, base) in [("a.pages.example", ""), ("b.pages.example", "/docs")] {
        assert_eq!(proof(host, base).await.0, 404, "{host}{base}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn records_lead_to_the_public_url() {
    for (url, kind, value) in [
        ("https://admin.example.com", "CNAME", "admin.example.com"),
        ("https://8.8.8.8", "A", "8.8.8.8"),
    ] {
        let world = World::start(&[("DOCWRIGHT_PUBLIC_URL", url)]).await;
        let (_, made) = create(&world.ours(), "docs.acme.example").await;
        let expected = json!({ "type": kind, "name": "docs.acme.example", "value": value });
        assert_eq!((&made["records"][1], &made["recordsProblem"]), (&expected, &Value::Null));
    }
    for (url, said) in [("http://localhost:8080", "http://localhost:8080"), ("", "no public URL")] {
        let variables = [("DOCWRIGHT_PUBLIC_URL", url)];
        let variables = if url.is_empty() { &[][..] } else { &variables[..] };
        let world = World::start(variables).await;
        let (_, made) = create(&world.ours(), "docs.acme.example").await;
        assert_eq!(made["records"].as_array().unwrap().len(), 1, "no CNAME to localhost: {made}");
        assert!(made["recordsProblem"].as_str().unwrap().contains(said), "{made}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn site_is_seen_before_its_name_leads_here() {
    let world = World::start(&[("DOCWRIGHT_PREVIEW_DOMAIN", "previews.example.org")]).await;
    let (api, _) = world.ours();
    let export = api.start_export().await;
    api.wait_for(&export, &["completed"]).await;
    let (_, domain) = send(&api, Method::GET, &path("docs.example.com"), None).await;
    let address = domain["previewAddress"].as_str().unwrap().to_owned();
    let host = address.split('/').nth(2).unwrap().split(':').next().unwrap().to_owned();
    assert!(host.ends_with(".previews.example.org") && host.len() > 40, "{address}");
    let page = eventually("the site is shown", async || {
        let page = ask(&world.process.address, (&host, "GET /page-0"), &[]).await;
        if page.status == 200 { Ok(page) } else { Err(page.status) }
    })
    .await;
    assert!(String::from_utf8_lossy(&page.body).contains("<h1"), "a page of the site");
    let policy = page.header("content-security-policy").unwrap_or_default().to_owned();
    assert!(policy.starts_with("sandbox "), "scripts have no origin: {policy}");
    assert!(page.header("x-robots-tag").unwrap_or_default().contains("noindex"));
    assert_eq!(ask(&world.process.address, ("localhost", "GET /page-0"), &[]).await.status, 404);
}
