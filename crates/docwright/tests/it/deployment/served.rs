//! docwright's manual, served from its bundle.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;

use super::{Deployed, DeploymentFolder};
use crate::{agent::mocks, server::docwright};

/// Deploys the manual that `docwright export` created.
async fn deploy_manual() -> (DeploymentFolder, Deployed) {
    let place = DeploymentFolder::new().await;
    let target = place.folder.path().join("bundle.tar.gz");
    place.host.gives(&export_manual(&target));
    place.ask("/bundle", &[]);
    let deployed = place.deploy();
    deployed.until(|answer| answer["ready"] == true).await;
    (place, deployed)
}

fn export_manual(target: &Path) -> Vec<u8> {
    let docs = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs").display().to_string();
    let mut export =
        docwright(&["export", &docs, "--assistant", "--out", &target.display().to_string()]);
    assert!(export.status().unwrap().success());
    fs::read(target).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn valid_bundle_is_served() {
    let (_place, Deployed(process)) = deploy_manual().await;
    let get = async |path: &str| reqwest::get(format!("{}{path}", process.address)).await.unwrap();
    assert!(get("/quickstart").await.text().await.unwrap().contains("Run the demo"));
    assert_eq!(get("/quickstart.html").await.status(), 200);
    assert_eq!(get("/").await.status(), 200);
    let missing = get("/no/such/page").await;
    assert_eq!(missing.status(), 404);
    assert!(missing.text().await.unwrap().contains("Page not found"));
    assert_eq!(get("/../../etc/passwd").await.status(), 404);
    assert_eq!(get("/%2e%2e/%2e%2e/etc/passwd").await.status(), 404);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the packages of tests/mocks"]
async fn agents_can_read_site() {
    let (_place, Deployed(process)) = deploy_manual().await;
    let client = reqwest::Client::new();
    let get = async |path: &str, accept: &str| {
        let request = client.get(format!("{}{path}", process.address));
        request.header("accept", accept).send().await.unwrap()
    };
    let page = get("/quickstart", "text/html,*/*").await;
    assert!(page.headers()["link"].to_str().unwrap().contains("</llms.txt>; rel=\"llms-txt\""));
    assert!(page.text().await.unwrap().starts_with("<!DOCTYPE html>"));
    let markdown = get("/quickstart", "text/markdown").await;
    assert_eq!(markdown.headers()["content-type"], "text/markdown; charset=utf-8");
    assert_eq!(markdown.headers()["vary"], "Accept, Accept-Encoding");
    let markdown = markdown.text().await.unwrap();
    assert!(
        markdown.starts_with("> For AI agents: [llms.txt](./llms.txt) lists all pages"),
        "{markdown}"
    );
    assert!(markdown.contains("\n\n# Quickstart\n"), "{markdown}");
    let card: Value = get("/.well-known/mcp/server-card.json", "*/*").await.json().await.unwrap();
    assert_eq!(card["transport"]["endpoint"], "/mcp");
    assert_eq!(get("/mcp", "*/*").await.status(), 405);
    for (body, status) in [("{", 400), ("{\"method\":\"x\"}", 202), (&"x".repeat(70_000), 413)] {
        let answer = client.post(format!("{}/mcp", process.address)).body(body.to_owned());
        assert_eq!(answer.send().await.unwrap().status(), status);
    }

    let output = Command::new("node")
        .args([&mocks::script("reader.mjs"), &format!("{}/mcp", process.address)])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let read: Value = serde_json::from_slice(&output.stdout).unwrap();
    let text = |key: &str| read[key]["text"].as_str().unwrap_or_default().to_owned();
    assert_eq!(read["tools"], serde_json::json!(["search", "ask", "list_pages", "read_page"]));
    assert!(text("found").contains("Path: /export/deploy"), "{read}");
    assert!(
        text("answer").starts_with("From the pages:") && text("answer").contains("15 seconds"),
        "{read}"
    );
    assert!(text("refusal").starts_with("The pages don't say."), "{read}");
    assert_eq!(read["silence"]["isError"], true);
    assert!(read["nothing"]["isError"] == true && read["foreign"]["isError"] == true, "{read}");
    assert!(
        text("pages").contains("/write/components\n") && !text("pages").contains("/quickstart")
    );
    assert!(text("page").contains("\n\n# Quickstart\n"), "{read}");
    assert_eq!(read["outside"]["isError"], true);
    assert!(read["unknown"].as_str().unwrap().contains("unknown tool"), "{read}");
    assert!(read["skill"].as_str().unwrap().starts_with("---\nname: "), "{read}");
}
