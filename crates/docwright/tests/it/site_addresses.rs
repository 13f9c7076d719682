//! Addresses of sites in built files: the addresses that readers use.

use reqwest::Method;
use serde_json::Value;

use crate::{
    lost_bundles::published,
    server::{Process, Setup, write_repository},
};

const OWN: &str = "docs.example.com";

/// Whether all references of a site to itself use an address.
async fn named(process: &Process, address: &str) -> bool {
    let client = reqwest::Client::new();
    let mut found = Vec::new();
    for (path, text) in [
        ("llms.txt", format!("{address}/page-0.md")),
        ("sitemap.xml", format!("<loc>{address}/page-0</loc>")),
        ("page-0", format!("<link rel=\"canonical\" href=\"{address}/page-0\">")),
    ] {
        let asked = client.get(format!("{}/{path}", process.address)).header("host", OWN);
        found.push(asked.send().await.unwrap().text().await.unwrap().contains(&text));
    }
    assert!(found.iter().all(|each| *each == found[0]), "{found:?}");
    found[0]
}

#[tokio::test(flavor = "multi_thread")]
async fn site_uses_public_address_at_time_of_release() {
    let setup = Setup::built_in(|folder| write_repository(folder, 1), &[]);
    let local = [("DOCWRIGHT_PUBLIC_URL", "http://docwright.localhost:8123")];
    let mut process = setup.serve_with(&local);
    published(&setup, &setup.api(&process)).await;
    assert!(named(&process, &format!("http://{OWN}:8123")).await);
    let domain = setup.api(&process).send(Method::GET, &format!("/v1/domains/{OWN}"), None).await;
    let domain: Value = domain.json().await.unwrap();
    assert_eq!(domain["address"], format!("http://{OWN}:8123"));
    process.kill();
    let public = [("DOCWRIGHT_PUBLIC_URL", "https://docwright.example.com")];
    let process = setup.serve_with(&public);
    assert!(named(&process, &format!("http://{OWN}:8123")).await, "its release doesn't change");
    setup.commit("other.mdx", "---\ntitle: Other\n---\n");
    published(&setup, &setup.api(&process)).await;
    assert!(named(&process, &format!("https://{OWN}")).await);
    let shown = setup.admin(&["domain", "show", OWN]);
    assert_eq!(
        shown["address"],
        format!("https://{OWN}"),
        "`admin` prints the same address: {shown}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn port_chosen_by_system_is_not_in_files() {
    let setup = Setup::new();
    let process = setup.serve();
    let api = setup.api(&process);
    let id = published(&setup, &api).await;
    assert!(named(&process, &format!("http://{OWN}")).await);
    let release: Value =
        api.send(Method::GET, &format!("/v1/releases/{id}"), None).await.json().await.unwrap();
    let port = process.address.rsplit(':').next().unwrap();
    assert_eq!(
        release["address"],
        format!("http://{OWN}:{port}"),
        "the release has the current address"
    );
}
