//! The pages of a project's site, on the dashboard and in the API.

use reqwest::Method;
use serde_json::{Value, json};

use super::Dashboard;
use crate::server::{Setup, write_repository};

#[tokio::test(flavor = "multi_thread")]
async fn pages_are_listed_in_the_order_of_the_navigation() {
    let setup = Setup::built_in(|folder| write_repository(folder, 3), &[]);
    let dashboard = Dashboard::on(setup, &[]).await;
    let api = dashboard.api("read");
    let list = format!("/v1/projects/{}/pages", dashboard.setup.project);
    let get = async |query: &str| {
        let answer = api.send(Method::GET, &format!("{list}{query}"), None).await;
        (answer.status().as_u16(), answer.json::<Value>().await.unwrap())
    };
    let viewer = dashboard.member("viewer").await;
    let page = format!("/projects/{}/pages", dashboard.setup.project);
    let writer = dashboard.api("admin");
    let export = writer.start_export().await;
    writer.wait_for(&export, &["completed"]).await;

    let (status, all) = get("").await;
    assert_eq!((status, &all["domain"]), (200, &json!("docs.example.com")), "{all}");
    let pages = all["pages"].as_array().unwrap();
    assert_eq!(all["total"], json!(pages.len()), "{all}");
    assert_eq!(pages.len(), 3, "{all}");
    for (number, each) in pages.iter().enumerate() {
        let path = format!("page-{number}");
        assert_eq!((&each["path"], &each["title"]), (&json!(path), &json!(path)));
        assert_eq!((&each["file"], &each["listed"]), (&json!(format!("{path}.mdx")), &json!(true)));
        assert_eq!((&each["errors"], &each["thumbsUp"]), (&json!(0), &json!(0)), "{each}");
        let url = each["url"].as_str().unwrap();
        assert!(url.starts_with("http://docs.example.com:") && url.ends_with(&format!("/{path}")));
    }

    // Each page of the list once.
    let (_, first) = get("?limit=1&search=PAGE").await;
    assert_eq!((&first["total"], &first["pages"][0]["path"]), (&all["total"], &json!("page-0")));
    let cursor = first["nextCursor"].as_str().unwrap();
    let (_, second) = get(&format!("?limit=1&search=PAGE&cursor={cursor}")).await;
    assert_eq!(second["pages"][0]["path"], "page-1");
    assert_eq!(get(&format!("?limit=1&cursor={cursor}")).await.0, 400, "of another search");
    let (_, found) = get("?search=page-1.mdx").await;
    assert_eq!((&found["total"], &found["pages"][0]["path"]), (&json!(1), &json!("page-1")));
    assert_eq!(get("?domain=other.example.com").await.0, 404);
    assert_eq!(get("?domain=docs.example.com").await.1["total"], all["total"]);

    viewer.get(&page).await.says("page-0.mdx").says(pages[1]["url"].as_str().unwrap());
    viewer.get(&format!("{page}?search=page-1")).await.says("page-1.mdx").lacks("page-0.mdx");
    let nothing = viewer.get(&format!("{page}?search=%3Cb%3E")).await;
    nothing.says("0 pages with").says("&lt;b&gt;").lacks("<b>");
    let unknown = viewer.get(&format!("{page}?domain=other.example.com")).await;
    assert_eq!(unknown.status, 404, "{}", unknown.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn project_without_a_release_has_no_pages() {
    let dashboard = Dashboard::start().await;
    let viewer = dashboard.member("viewer").await;
    let new = format!("/organizations/{}/projects/new", dashboard.setup.organization);
    let project = dashboard.operator.post(&new, &[("name", "Empty")]).await.location().unwrap();
    viewer.get(&format!("{project}/pages")).await.says("No pages yet");
}
