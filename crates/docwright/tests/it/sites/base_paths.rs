//! Several sites on one host, each below a base path.

use docwright_testing::wait::eventually;
use reqwest::Method;
use serde_json::{Value, json};

use super::{Setup, SiteResponse, ask, write_site};
use crate::server::{Api, Process};

const HOST: &str = "example.com";

struct Sites {
    setup: Setup,
    process: Process,
    api: Api,
}

impl Sites {
    async fn publish(domains: &[&str]) -> Self {
        let setup = Setup::with_repository(write_site);
        for domain in domains {
            setup.admin(&["domain", "create", domain, "--project", &setup.project]);
        }
        let process = setup.serve();
        let api = setup.api(&process);
        for domain in domains {
            setup.admin(&["release", "create", "--domain", domain]);
        }
        let sites = Self { setup, process, api };
        for domain in domains {
            let base = domain.trim_start_matches(HOST);
            sites.wait_for(&format!("GET {base}/page")).await;
        }
        sites
    }

    async fn ask(&self, start: &str, headers: &[(&str, &str)]) -> SiteResponse {
        ask(&self.process.address, (HOST, start), headers).await
    }

    async fn text(&self, path: &str) -> String {
        let answer = self.ask(&format!("GET {path}"), &[]).await;
        assert_eq!(answer.status, 200, "{path}");
        String::from_utf8(answer.body).unwrap()
    }

    async fn wait_for(&self, start: &str) {
        eventually(&format!("{start} is there"), async || self.ask(start, &[]).await.status == 200)
            .await;
    }

    async fn export(&self, body: Value) -> (u16, Value) {
        let asked = self.api.send(Method::POST, "/v1/static-export/jobs", Some(body)).await;
        (asked.status().as_u16(), asked.json().await.unwrap())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn site_works_below_base_path() {
    let sites = Sites::publish(&["example.com/docs"]).await;
    for (path, location) in [
        ("/docs", "/docs/"),
        ("/docs?a=b", "/docs/?a=b"),
        ("/docs/page/", "/docs/page"),
        ("/docs/page/?a=b", "/docs/page?a=b"),
        ("/docs/old", "/docs/page"),
        ("/docs/soon", "/docs/page#part"),
        ("/docs/v1/x", "/docs/v2/x"),
        ("/docs/any//evil.example", "/docs/evil.example"),
    ] {
        let answer = sites.ask(&format!("GET {path}"), &[]).await;
        assert!(matches!(answer.status, 307 | 308), "{path}: {}", answer.status);
        assert_eq!(answer.header("location"), Some(location), "{path}");
    }
    for (path, status) in [
        ("/docs/", 200),
        ("/docs/page?a=b", 200),
        ("/docs/page.md", 200),
        ("/docs/images/small.png", 200),
        ("/docs/_docwright/theme.css", 200),
        ("/docs/missing", 404),
        ("/docs/../page", 404),
        ("/docs/%2e%2e/page", 404),
        ("/page", 404),
        ("/", 404),
        ("/docspage", 404),
        ("/robots.txt", 404),
    ] {
        assert_eq!(sites.ask(&format!("GET {path}"), &[]).await.status, status, "{path}");
    }
    let page = sites.ask("GET /docs/page", &[]).await;
    assert_eq!(
        page.header("server-timing"),
        Some(
            "mcp;desc=\"/docs/mcp\", feedback;desc=\"/docs/_docwright/feedback\", \
             reading;desc=\"/docs/_docwright/reading\""
        )
    );
    assert_eq!(page.header("x-llms-txt"), Some("/docs/llms.txt"));
    assert!(page.header("link").unwrap().starts_with("</docs/llms.txt>; rel=\"llms-txt\", "));
    let tag = page.header("etag").unwrap().to_owned();
    let again = sites.ask("GET /docs/page", &[("if-none-match", &tag)]).await;
    assert_eq!(again.status, 304);
    let page = String::from_utf8(page.body).unwrap();
    assert!(page.contains("<link rel=\"canonical\" href=\"http://example.com/docs/page\">"));
    let sitemap = sites.text("/docs/sitemap.xml").await;
    assert!(sitemap.contains("<loc>http://example.com/docs/guides/deep</loc>"), "{sitemap}");
    assert!(sites.text("/docs/llms.txt").await.contains("http://example.com/docs/page.md"));
    let missing = sites.ask("GET /docs/a/b", &[]).await;
    assert!(String::from_utf8(missing.body).unwrap().contains("href=\"/docs/page.html\""));
}

#[tokio::test(flavor = "multi_thread")]
async fn mcp_and_feedback_work_below_base_path() {
    let sites = Sites::publish(&["example.com/docs"]).await;
    let card: Value =
        serde_json::from_str(&sites.text("/docs/.well-known/mcp/server-card.json").await).unwrap();
    assert_eq!(card["transport"]["endpoint"], "/docs/mcp");
    let post = async |path: &str, body: Value| {
        let client = &sites.api.client;
        let request = client.post(format!("{}{path}", sites.process.address));
        request.header("host", HOST).json(&body).send().await.unwrap()
    };
    let search = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": "search", "arguments": { "query": "deep" } } });
    let found = post("/docs/mcp", search.clone()).await.text().await.unwrap();
    assert!(found.contains("/guides/deep"), "{found}");
    assert_eq!(post("/mcp", search).await.status(), 404);
    let said = json!({ "page": "page", "helpful": true });
    assert_eq!(post("/docs/_docwright/feedback", said.clone()).await.status(), 204);
    assert_eq!(post("/_docwright/feedback", said).await.status(), 404);
    let kept = sites.setup.admin(&["feedback", "list", "--domain", "example.com/docs"]);
    assert_eq!(kept[0]["helpful"], 1, "{kept}");
}

#[tokio::test(flavor = "multi_thread")]
async fn host_has_several_sites_of_one_organization() {
    let sites = Sites::publish(&["example.com/docs", "example.com/docs/v1"]).await;
    for base in ["/docs", "/docs/v1"] {
        let page = sites.text(&format!("{base}/page")).await;
        assert!(page.contains(&format!("http://example.com{base}/page")), "{base}");
    }
    let (status, body) = sites.export(json!({ "domain": HOST })).await;
    assert_eq!(status, 400);
    let sentence = body["error"].as_str().unwrap();
    assert!(
        sentence.contains("example.com/docs/v1") && sentence.contains("basePath"),
        "{sentence}"
    );
    for (base, status) in
        [("/docs", 202), ("/docs/v1/", 202), ("/other", 404), ("docs", 400), ("/../docs", 400)]
    {
        let asked = sites.export(json!({ "domain": HOST, "basePath": base })).await;
        assert_eq!(asked.0, status, "{base}: {}", asked.1);
    }
    // A bare hostname means the site at the root.
    let root = ["domain", "create", HOST, "--project", &sites.setup.project];
    sites.setup.admin(&root);
    assert_eq!(sites.export(json!({ "domain": HOST })).await.0, 202);
    // Other organizations can't use paths of the host.
    let other = sites.setup.admin(&["organization", "create", "Other"]);
    let other = other["id"].as_str().unwrap();
    let repository = sites.setup.folder.path().join("repository").display().to_string();
    let project =
        ["project", "create", "Theirs", "--organization", other, "--repository", &repository];
    let project = sites.setup.admin(&project)["id"].as_str().unwrap().to_owned();
    let data = sites.setup.data().display().to_string();
    let taken = ["domain", "create", "example.com/theirs", "--project", &project];
    let mut command = crate::server::docwright(&["admin", "--data", &data]);
    let refused = command.args(taken).stderr(std::process::Stdio::piped()).output().unwrap();
    assert!(!refused.status.success());
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(said.contains("the host example.com belongs to the organization Acme"), "{said}");
}
