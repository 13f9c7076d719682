//! A deployment below a base path of a larger site.

use std::{fs, process::Stdio};

use reqwest::{Client, redirect::Policy};
use serde_json::json;

use super::{Deployed, DeploymentFolder};
use crate::server::{docwright, write_repository};

/// Deploys a site with a redirect below `/docs`.
async fn deploy_below() -> (DeploymentFolder, Deployed) {
    let place = DeploymentFolder::new().await;
    let (docs, bundle) = (place.folder.path().join("docs"), place.folder.path().join("b.tar.gz"));
    write_repository(&docs, 1);
    let text = fs::read_to_string(docs.join("docs.json")).unwrap();
    let redirects = r#"{"redirects":[{"source":"/old","destination":"/page-0?from=old"}],"#;
    fs::write(docs.join("docs.json"), text.replacen('{', redirects, 1)).unwrap();
    let paths = [&docs, &bundle].map(|path| path.to_str().unwrap());
    assert!(docwright(&["export", paths[0], "--out", paths[1]]).status().unwrap().success());
    place.host.gives(&fs::read(&bundle).unwrap());
    place.ask("/bundle", &[]);
    let mut command = place.command();
    command.args(["--base-path", "/docs/"]);
    let deployed = Deployed(crate::server::Process::start(command));
    deployed.until(|answer| answer["ready"] == true).await;
    (place, deployed)
}

#[tokio::test(flavor = "multi_thread")]
async fn site_is_below_base_path_only() {
    let (_place, Deployed(process)) = deploy_below().await;
    let client = Client::builder().redirect(Policy::none()).build().unwrap();
    let get =
        async |path: &str| client.get(format!("{}{path}", process.address)).send().await.unwrap();
    for (path, location) in [
        ("/docs", "/docs/"),
        ("/docs?a=b", "/docs/?a=b"),
        ("/docs/page-0/", "/docs/page-0"),
        ("/docs/old", "/docs/page-0?from=old"),
    ] {
        let answer = get(path).await;
        assert_eq!(answer.status(), 308, "{path}");
        assert_eq!(answer.headers()["location"], location, "{path}");
    }
    for (path, status) in [
        ("/docs/", 200),
        ("/docs/page-0", 200),
        ("/docs/page-0.md", 200),
        ("/docs/none", 404),
        ("/docsx", 404),
        ("/page-0", 404),
        ("/", 404),
        ("/readyz", 200),
    ] {
        assert_eq!(get(path).await.status(), status, "{path}");
    }
    assert!(get("/").await.text().await.unwrap().contains("/docs/"));
    let page = get("/docs/page-0").await;
    assert_eq!(page.headers()["x-llms-txt"], "/docs/llms.txt");
    assert_eq!(page.headers()["server-timing"], "mcp;desc=\"/docs/mcp\"");
    let ping = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" });
    for (path, status) in [("/docs/mcp", 200), ("/mcp", 404)] {
        let request = client.post(format!("{}{path}", process.address)).json(&ping);
        assert_eq!(request.send().await.unwrap().status(), status, "{path}");
    }
}

#[test]
fn invalid_base_path_is_refused() {
    for base in ["docs", "/a b", "/../docs", "/docs/_docwright"] {
        let mut command = docwright(&["deploy", "--values", "values.yaml", "--base-path", base]);
        let output = command.stderr(Stdio::piped()).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{base}");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains("must have a base path"), "{base}: {said}");
    }
}
