//! Renames of domains by the API: what goes on, what is refused, and who still finds the former name.

use docwright_testing::wait::eventually;
use futures::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};

use super::ownership::{World, create, path, send, verify_until};
use crate::{
    postgres::database,
    server::{Api, Process, Setup, write_repository},
    sites::{SiteResponse, ask},
};

const OLD: &str = "docs.pages.example";
const NEW: &str = "help.pages.example/guide";
const APPROVED: (&str, &str) = ("DOCWRIGHT_APPROVED_DOMAINS", "pages.example");

async fn rename(api: &Api, from: &str, to: &str, more: Value) -> (u16, Value) {
    let mut body = json!({ "domain": to });
    if let (Some(body), Some(more)) = (body.as_object_mut(), more.as_object()) {
        body.extend(more.clone());
    }
    send(api, Method::POST, &format!("{}/rename", path(from)), Some(body)).await
}

async fn get(world: &World, host: &str, start: &str) -> SiteResponse {
    ask(&world.process.address, (host, start), &[]).await
}

/// A world with a published site at a domain that needs no proof.
async fn published(variables: &[(&str, &str)]) -> World {
    let world = World::start(&[&[APPROVED], variables].concat()).await;
    let (api, _) = world.ours();
    let renamed = rename(&api, "docs.example.com", OLD, json!({ "redirect": false })).await;
    assert_eq!(renamed.0, 200, "{}", renamed.1);
    world.setup.admin(&["release", "create", "--domain", OLD]);
    eventually("the site is published", async || {
        get(&world, OLD, "GET /page-0").await.status == 200
    })
    .await;
    world
}

#[tokio::test(flavor = "multi_thread")]
async fn renamed_site_goes_on_and_its_former_name_redirects() {
    let world = published(&[]).await;
    let (api, project) = world.ours();
    let feedback = json!({ "page": "page-0", "helpful": true });
    let vote = async |host: &str, path: &str| {
        let request = api.client.post(format!("{}{path}", world.process.address));
        let request = request.header("host", host).header("origin", format!("http://{host}"));
        request.json(&feedback).send().await.unwrap().status().as_u16()
    };
    assert_eq!(vote(OLD, "/_docwright/feedback").await, 204);
    let (status, renamed) = rename(&api, OLD, NEW, json!({})).await;
    assert_eq!(status, 200, "{renamed}");
    assert_eq!((&renamed["domain"], &renamed["state"]), (&json!(NEW), &json!("verified")));
    assert_eq!(renamed["redirectsFrom"], json!([OLD]));
    // At once, without a restart or a new build.
    let page = get(&world, "help.pages.example", "GET /guide/page-0").await;
    assert_eq!(page.status, 200);
    for (asked, rest) in [("/page-0?q=a%2Fb", "/page-0?q=a%2Fb"), ("/", "/"), ("//x/", "//x/")] {
        let answer = get(&world, OLD, &format!("GET {asked}")).await;
        assert_eq!(answer.status, 308, "{asked}");
        let location = answer.header("location").unwrap().to_owned();
        assert!(location.ends_with(&format!("/guide{rest}")), "{location}");
        assert!(location.contains("://help.pages.example"), "{location}");
    }
    // A page that a reader still has open at the former name.
    assert_eq!(vote(OLD, "/_docwright/feedback").await, 204);
    let list = format!("/v1/projects/{project}/feedback");
    let (_, given) = send(&api, Method::GET, &list, None).await;
    assert_eq!(given["feedback"].as_array().map(Vec::len), Some(2), "{given}");
    // The audit log has the change, and the new release has the new address.
    let (_, log) = send(&api, Method::GET, "/v1/audit?action=domain.rename", None).await;
    let entry = &log["entries"][0];
    assert_eq!(entry["subject"]["id"], json!(NEW), "{log}");
    assert_eq!(entry["before"]["domain"], json!(OLD), "{log}");
    eventually("pages name the new address", async || {
        let page = get(&world, "help.pages.example", "GET /guide/page-0").await;
        let text = String::from_utf8_lossy(&page.body).into_owned();
        text.contains("help.pages.example") && !text.contains(OLD)
    })
    .await;
    // The redirect is removed.
    let end = format!("{}/redirects/{}", path(NEW), OLD);
    assert_eq!(send(&api, Method::DELETE, &end, None).await.0, 200);
    assert_eq!(get(&world, OLD, "GET /page-0").await.status, 421);
    assert_eq!(send(&api, Method::DELETE, &end, None).await.0, 404);
    assert_eq!(create(&world.theirs, OLD).await.0, 201, "the name is free");
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_renames_change_nothing() {
    let variables = [
        ("DOCWRIGHT_PUBLIC_URL", "http://admin.example.com"),
        ("DOCWRIGHT_PREVIEW_DOMAIN", "previews.example.org"),
    ];
    let world = published(&variables).await;
    let (api, project) = world.ours();
    assert_eq!(create(&world.theirs, "theirs.pages.example").await.0, 201);
    assert_eq!(create(&world.ours(), "second.pages.example").await.0, 201);
    for (name, status, said) in [
        ("theirs.pages.example", 409, "is taken"),
        ("theirs.pages.example/below", 409, "is taken"),
        ("second.pages.example", 409, "is taken"),
        ("x.previews.example.org", 400, "domain of previews"),
        ("admin.example.com", 400, "host of the service"),
        ("x.admin.example.com", 400, "is below"),
        (OLD, 400, "is the name of the domain already"),
        ("127.0.0.1", 400, "IP address"),
    ] {
        let (found, refused) = rename(&api, OLD, name, json!({})).await;
        assert_eq!(found, status, "{name}: {refused}");
        assert!(refused["error"].as_str().unwrap().contains(said), "{name}: {refused}");
    }
    let stale = rename(&api, OLD, "x.pages.example", json!({ "revision": 1 })).await;
    assert_eq!(stale.0, 409, "{}", stale.1);
    let foreign = rename(&world.theirs.0, OLD, "x.pages.example", json!({})).await;
    assert_eq!(foreign.0, 404, "{}", foreign.1);
    assert_eq!(get(&world, OLD, "GET /page-0").await.status, 200);
    // Several at once.
    let names: Vec<_> = (0..5).map(|number| format!("n{number}.pages.example")).collect();
    let renamed = join_all(names.iter().map(|name| rename(&api, OLD, name, json!({})))).await;
    let done = renamed.iter().filter(|(status, _)| *status == 200).count();
    assert_eq!(done, 1, "{renamed:?}");
    let (_, list) =
        send(&api, Method::GET, &format!("/v1/domains?projectId={project}"), None).await;
    assert_eq!(list["domains"].as_array().unwrap().len(), 2, "{list}");
}

#[tokio::test(flavor = "multi_thread")]
async fn unverified_name_waits_for_its_record() {
    let world = published(&[]).await;
    let (api, _) = world.ours();
    let (status, pending) = rename(&api, OLD, "docs.acme.example", json!({})).await;
    assert_eq!((status, &pending["state"]), (200, &json!("pending")), "{pending}");
    assert_eq!(pending["renames"], json!(OLD));
    assert_eq!(get(&world, OLD, "GET /page-0").await.status, 200, "it keeps its name until then");
    assert_eq!(rename(&api, OLD, "docs.acme.example", json!({})).await.0, 409);
    let value = pending["records"][0]["value"].as_str().unwrap();
    world.dns.set("_docwright.docs.acme.example", &[value]);
    let verified =
        verify_until(&api, "docs.acme.example", |domain| domain["state"] == "verified").await;
    assert_eq!(verified["redirectsFrom"], json!([OLD]), "{verified}");
    assert_eq!(get(&world, "docs.acme.example", "GET /page-0").await.status, 200);
    assert_eq!(get(&world, OLD, "GET /page-0").await.status, 308);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL"]
async fn former_name_redirects_on_every_node() {
    let write = |folder: &std::path::Path| write_repository(folder, 1);
    let setup = Setup::on_database(write, &database("renames").await);
    let nodes = [(); 2].map(|()| setup.serve_with(&[APPROVED]));
    let api = Api { key: setup.new_key(&["--scope", "admin"]), ..setup.api(&nodes[0]) };
    let [first, second] = &nodes;
    let answers = async |node: &Process, host: &str, path: &str, status: u16| {
        eventually(&format!("{} answers {host} with {status}", node.address), async || {
            let answer = ask(&node.address, (host, &format!("GET {path}")), &[]).await;
            if answer.status == status { Ok(answer) } else { Err(answer.status) }
        })
        .await
    };
    assert_eq!(rename(&api, "docs.example.com", OLD, json!({ "redirect": false })).await.0, 200);
    setup.admin(&["release", "create", "--domain", OLD]);
    for node in &nodes {
        answers(node, OLD, "/page-0", 200).await;
    }
    assert_eq!(rename(&api, OLD, NEW, json!({})).await.0, 200);
    for node in &nodes {
        let redirect = answers(node, OLD, "/page-0", 308).await;
        let location = redirect.header("location").unwrap_or_default();
        assert!(location.ends_with("/guide/page-0"), "{location}");
        answers(node, "help.pages.example", "/guide/page-0", 200).await;
    }
    // A node that starts later finds the former name as well.
    let third = setup.serve_with(&[APPROVED]);
    answers(&third, OLD, "/page-0", 308).await;
    // One node removes the redirect, and all forget it.
    let other = Api { key: api.key.clone(), ..setup.api(second) };
    let end = format!("{}/redirects/{}", path(NEW), OLD);
    assert_eq!(send(&other, Method::DELETE, &end, None).await.0, 200);
    for node in [first, second, &third] {
        answers(node, OLD, "/page-0", 421).await;
    }
}
