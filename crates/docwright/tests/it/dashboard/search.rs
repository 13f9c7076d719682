//! The search for everything: objects, pages of the dashboard, and actions, as roles allow.

use reqwest::StatusCode;

use super::{Browser, Dashboard, Page};

const PROMPT: &str = "Add page hello titled \"Hello\" with text \"Hello.\"";

/// The results of a search in a project or an organization, such as `project=prj_1`.
async fn found(browser: &Browser, place: &str, text: &str) -> Page {
    let text: String = url::form_urlencoded::byte_serialize(text.as_bytes()).collect();
    let mut page = browser.get(&format!("/search?{place}&search={text}")).await;
    page.is(StatusCode::OK);
    let results = page.text.split("id=\"results\"").nth(1).expect("the page has results");
    page.text = results.split("</main>").next().unwrap_or_default().to_owned();
    page
}

#[tokio::test(flavor = "multi_thread")]
async fn every_kind_of_object_is_found_by_a_part_of_it() {
    let dashboard = Dashboard::start().await;
    let (organization, project) = (&dashboard.setup.organization, &dashboard.setup.project);
    let api = dashboard.api("admin");
    let export = api.start_export().await;
    api.wait_for(&export, &["completed"]).await;
    let job = dashboard.ended_job(PROMPT).await;
    dashboard.released(&api, 1).await;
    let key = dashboard.new_key().await;
    dashboard.member("editor").await;
    let admin = dashboard.member("admin").await;
    let place = format!("project={project}");
    let base = format!("/organizations/{organization}");
    for (text, path, label) in [
        ("oc", format!("/projects/{project}"), "Docs"),
        ("AGE-0", format!("/projects/{project}/pages/edit?path=page-0"), "page-0"),
        ("titled \"hel", format!("/projects/{project}/jobs/{job}"), "Add page hello"),
        ("#1", format!("/projects/{project}/pull-requests/1"), "#1"),
        ("s.examp", format!("/projects/{project}/domains/docs.example.com"), "docs.example.com"),
        ("itor0@", format!("{base}/members?search=editor0%40example.com"), "The editor"),
        (key.get(3..9).unwrap(), format!("{base}/keys?search={key}"), "dw_"),
        ("webh", format!("/projects/{project}/settings/webhooks"), "Settings: Webhooks"),
        ("audit", format!("{base}/audit"), "Audit log"),
    ] {
        let page = found(&admin, &place, text).await;
        page.says(&format!("href=\"{}\"", path.replace('&', "&amp;"))).says(label);
    }
    let release = found(&admin, &place, "#1").await;
    release.says(&format!("/projects/{project}/releases/rel_"));
    // A pattern of SQL is a text.
    for text in ["%", "d_cs", "\\"] {
        found(&admin, &place, text).await.lacks(&format!("\"/projects/{project}\""));
    }
    let nothing = found(&admin, &place, "<script>alert(1)</script>").await;
    nothing.says("No results for").says("&lt;script&gt;").lacks("<script>alert");
    // Everything but the objects of the project is found in the organization, too.
    let page = found(&admin, &format!("organization={organization}"), "oc").await;
    page.says(&format!("href=\"/projects/{project}\"")).lacks("page-0");
    found(&admin, &format!("organization={organization}"), "page-0").await.says("No results for");
}

#[tokio::test(flavor = "multi_thread")]
async fn projects_that_begin_with_the_text_come_first() {
    let dashboard = Dashboard::start().await;
    let admin = dashboard.member("admin").await;
    let new = format!("/organizations/{}/projects/new", dashboard.setup.organization);
    let names =
        ["A guide", "B guide", "C guide", "D guide", "E guide", "F guide", "Guidelines", "guide"];
    for name in names {
        admin.post(&new, &[("name", name)]).await.is(StatusCode::SEE_OTHER);
    }
    let place = format!("organization={}", dashboard.setup.organization);
    let page = found(&admin, &place, "guide").await;
    let order = ["guide", "Guidelines", "A guide", "B guide", "C guide", "D guide"];
    let places = order.map(|name| page.text.find(&format!("\">{name}</a>")).expect(name));
    assert!(places.is_sorted(), "{}", page.text);
    page.lacks("\">E guide</a>").lacks("\">F guide</a>");
}

#[tokio::test(flavor = "multi_thread")]
async fn actions_and_keys_are_those_of_the_role() {
    let dashboard = Dashboard::start().await;
    let place = format!("project={}", dashboard.setup.project);
    let key = dashboard.new_key().await;
    let (viewer, editor, admin) = (
        dashboard.member("viewer").await,
        dashboard.member("editor").await,
        dashboard.member("admin").await,
    );
    let of_editors = ["Build latest commit", "Start agent job", "Start export"];
    let of_admins = ["Create project", "Invite people", "Add domain", "Delete project"];
    for label in of_editors {
        found(&viewer, &place, label).await.says("No results for");
        found(&editor, &place, label).await.says(label);
    }
    for label in of_admins {
        found(&editor, &place, label).await.says("No results for");
        found(&admin, &place, label).await.says(label);
    }
    found(&editor, &place, &key).await.says("No results for");
    found(&admin, &place, &key).await.says(&key);
    found(&admin, &place, "plans").await.says("No results for");
    found(&dashboard.operator, &place, "plans").await.says("href=\"/plans\"");
    // Without a text, the search has what the person can do. An action without a page is a form.
    let all = found(&editor, &place, "").await;
    all.says(&format!("action=\"/projects/{}/releases/build\"", dashboard.setup.project));
    all.says("Start agent job").lacks("Create project").lacks("No results");
}

#[tokio::test(flavor = "multi_thread")]
async fn things_of_other_organizations_are_not_found() {
    let dashboard = Dashboard::start().await;
    let (organization, project) = (&dashboard.setup.organization, &dashboard.setup.project);
    dashboard.new_key().await;
    let (email, stranger) = dashboard.member_of(&dashboard.other, "admin").await;
    for place in [format!("organization={organization}"), format!("project={project}")] {
        let page = stranger.get(&format!("/search?{place}&search=docs")).await;
        page.is(StatusCode::NOT_FOUND).lacks("docs.example.com");
    }
    for place in [format!("organization={}", dashboard.other), String::new()] {
        for text in ["docs", "example.com", "page-0", "root"] {
            let page = found(&stranger, &place, text).await;
            page.lacks("docs.example.com").lacks(project).lacks(organization);
        }
    }
    // Once a member of both, the person finds both from pages outside of any organization.
    dashboard.join(&email, organization, "viewer").await;
    found(&stranger, "", "docs").await.says(&format!("href=\"/projects/{project}\""));
    let own = found(&stranger, &format!("organization={}", dashboard.other), "docs").await;
    own.lacks(project);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_page_leads_to_the_search_of_its_place() {
    let dashboard = Dashboard::start().await;
    let viewer = dashboard.member("viewer").await;
    let (organization, project) = (&dashboard.setup.organization, &dashboard.setup.project);
    for (path, search) in [
        ("/account".to_owned(), "/search".to_owned()),
        (format!("/organizations/{organization}"), format!("/search?organization={organization}")),
        (format!("/projects/{project}/releases"), format!("/search?project={project}")),
    ] {
        let page = viewer.get(&path).await;
        page.says(&format!("class=\"search-button\" href=\"{search}\"")).says("<dialog");
    }
}
