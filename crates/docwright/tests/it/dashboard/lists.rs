//! Lists of the dashboard: searched, sorted, and paged without scripts.

use reqwest::{Method, StatusCode};
use serde_json::json;

use super::{Dashboard, Page};
use crate::server::Api;

async fn project(operator: &Api, organization: &str, name: &str) {
    let body = json!({ "organizationId": organization, "name": name });
    let made = operator.send(Method::POST, "/v1/projects", Some(body)).await;
    assert!(made.status().is_success(), "{name}: {}", made.text().await.unwrap());
}

/// The target of the link with a label, if it exists.
fn link(page: &Page, label: &str) -> Option<String> {
    let before = page.text.split_once(&format!("\">{label}</a>"))?.0;
    let path = before.rsplit_once("href=\"")?.1;
    Some(path.replace("&amp;", "&"))
}

/// The names of a page's projects, in order.
fn names(page: &Page) -> Vec<String> {
    let rows = page.text.split("<tbody>").nth(1).unwrap_or_default().split("<tr>").skip(1);
    rows.map(|row| {
        let name =
            row.split_once("<a href=").and_then(|(_, link)| link.split_once("\">")).unwrap().1;
        name.split("</a>").next().unwrap().replace("&lt;", "<").replace("&gt;", ">")
    })
    .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn projects_are_searched_and_sorted_by_links_and_a_form() {
    let dashboard = Dashboard::start().await;
    let (own, other) = (&dashboard.setup.organization, &dashboard.other);
    let key = dashboard.setup.admin(&["key", "create", "operator", "--scope", "operator"]);
    let key = key["key"].as_str().unwrap().to_owned();
    let operator = Api { key, ..dashboard.setup.api(&dashboard.process) };
    let viewer = dashboard.member("viewer").await;
    let path = format!("/organizations/{own}");
    // Short lists have no search form.
    let few = viewer.get(&path).await;
    assert!(!few.text.contains("role=\"search\""), "{}", few.text);
    for number in 0..24 {
        project(&operator, own, &format!("Guide {:02}", (number * 7) % 24)).await;
    }
    for name in ["guide <script>alert(1)</script>", "100% done"] {
        project(&operator, own, name).await;
    }
    project(&operator, other, "Guide of others").await;
    // The default order is by name. Column headers link to other orders and show the current one.
    let first = viewer.get(&path).await;
    first.is(StatusCode::OK).says("<th aria-sort=\"ascending\">").says("role=\"search\"");
    let mut all = names(&first);
    assert_eq!((all.len(), all[0].as_str(), all[1].as_str()), (20, "100% done", "Docs"));
    let second = viewer.get(&link(&first, "Next page").unwrap()).await;
    all.extend(names(&second));
    assert_eq!(all.len(), 27);
    assert!(all.is_sorted_by_key(|name| name.to_ascii_lowercase()), "{all:?}");
    assert!(!second.text.contains("others"), "{}", second.text);
    assert_eq!(link(&second, "First page"), Some(format!("{path}?sort=name")));
    let newest = viewer.get(&link(&first, "Created").unwrap()).await;
    newest.says("<th aria-sort=\"descending\">");
    assert_eq!(names(&newest)[0], "100% done");
    let oldest = viewer.get(&link(&newest, "Created").unwrap()).await;
    assert_eq!(names(&oldest)[0], "Docs");
    // The form keeps the order, and the page's links keep the search.
    oldest.says("<input type=\"hidden\" name=\"sort\" value=\"oldest\">");
    let found = viewer.get(&format!("{path}?search=gUIDE+&sort=oldest")).await;
    found.is(StatusCode::OK).says("value=\"gUIDE\"");
    assert_eq!(names(&found)[..2], ["Guide 00", "Guide 07"]);
    let next = link(&found, "Next page").unwrap();
    assert!(next.starts_with(&format!("{path}?search=gUIDE&sort=oldest&cursor=")), "{next}");
    let rest = viewer.get(&next).await;
    assert_eq!(names(&rest).len(), 5);
    // A cursor of another order or search is refused.
    let moved = next.replace("sort=oldest", "sort=newest");
    viewer.get(&moved).await.is(StatusCode::BAD_REQUEST).says("belongs to a different list");
    let escaped = viewer.get(&format!("{path}?search=guide+%3Cscript")).await;
    escaped.says("guide &lt;script&gt;alert(1)");
    assert!(!escaped.text.contains("<script>alert"), "{}", escaped.text);
    assert_eq!(names(&viewer.get(&format!("{path}?search=100%25")).await), ["100% done"]);
    assert_eq!(names(&viewer.get(&format!("{path}?search=DONE")).await), ["100% done"]);
    // An empty result shows a message and a link that keeps the order.
    let none = viewer.get(&format!("{path}?search=guide+of&sort=newest")).await;
    none.is(StatusCode::OK).says("No results").says("match “guide of”");
    assert_eq!(link(&none, "Show all"), Some(format!("{path}?sort=newest")));
    none.says("role=\"search\"");
    // Members of other organizations find nothing.
    let (_, stranger) = dashboard.member_of(other, "admin").await;
    stranger.get(&format!("{path}?search=guide")).await.is(StatusCode::NOT_FOUND);
    let theirs = stranger.get(&format!("/organizations/{other}?search=guide")).await;
    assert_eq!(names(&theirs), ["Guide of others"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn queries_of_lists_are_escaped() {
    let dashboard = Dashboard::start().await;
    let attack = "\"><script>alert(1)</script>";
    let encoded: String = url::form_urlencoded::byte_serialize(attack.as_bytes()).collect();
    let (organization, project) = (&dashboard.setup.organization, &dashboard.setup.project);
    dashboard.new_key().await;
    dashboard.feedback(true, None).await;
    for (path, sorts) in [
        ("/organizations".to_owned(), true),
        (format!("/organizations/{organization}"), true),
        (format!("/organizations/{organization}/members"), false),
        (format!("/organizations/{organization}/invitations"), false),
        (format!("/organizations/{organization}/keys"), true),
        (format!("/projects/{project}/releases"), false),
        (format!("/projects/{project}/previews"), false),
        (format!("/projects/{project}/exports"), false),
        (format!("/projects/{project}/domains"), false),
        (format!("/projects/{project}/feedback"), false),
    ] {
        let page = dashboard.operator.get(&format!("{path}?search={encoded}")).await;
        page.is(StatusCode::OK).says("No results").says("&lt;script&gt;alert(1)");
        assert!(!page.text.contains("<script>alert"), "{path}: {}", page.text);
        for field in ["sort", "state", "status", "cursor"] {
            let page = dashboard.operator.get(&format!("{path}?{field}={encoded}&search=a")).await;
            assert!(!page.text.contains("<script>alert"), "{path} {field}: {}", page.text);
            let is_wrong = match field {
                "sort" => sorts,
                "state" => path.ends_with("previews") || path.ends_with("feedback"),
                "status" => path.ends_with("releases") || path.ends_with("exports"),
                _ => true,
            };
            let status = if is_wrong { StatusCode::BAD_REQUEST } else { StatusCode::OK };
            page.is(status);
        }
        let long = "x".repeat(201);
        let page = dashboard.operator.get(&format!("{path}?search={long}")).await;
        page.is(StatusCode::BAD_REQUEST).says("at most 200 characters");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_list_finds_what_it_shows() {
    let dashboard = Dashboard::start().await;
    let (organization, project) = (&dashboard.setup.organization, &dashboard.setup.project);
    let operator = &dashboard.operator;
    dashboard.member("editor").await;
    dashboard.member("viewer").await;
    dashboard.invitation(7).await;
    dashboard.feedback(false, Some("Why?")).await;
    let pool = dashboard.pool().await;
    for (number, status, commit) in
        [(1, "ready", "abc"), (2, "failed", "abd"), (3, "failed", "fff")]
    {
        for sql in [
            format!(
                "INSERT INTO sites (id, project_id, branch, domain, activates_from, created_at) VALUES ('s{number}', $1, 'p{number}', '', 0, 1)"
            ),
            format!(
                "INSERT INTO releases (id, site_id, project_id, organization_id, trigger_name, servable, status, commit_sha, commit_message, \
                 progress, page_count, warnings, warning_count, failures, interruptions, run_after, lease_number, created_at, updated_at) \
                 VALUES ('rel_{number}', 's{number}', $1, $2, 'push', 1, '{status}', '{commit}', 'Change {number}', 0, 0, '[]', 0, 0, 0, 0, 0, 1, 1)"
            ),
            format!(
                "INSERT INTO previews (id, project_id, site_id, branch, base, git_ref, is_fork, host, state, created_at, changed_at) \
                 VALUES ('prv_{number}', $1, 's{number}', 'branch-{commit}', '', '', 0, 'h{number}', '{}', 1, 1)",
                if status == "ready" { "open" } else { "closed" }
            ),
            format!(
                "INSERT INTO export_jobs (id, organization_id, project_id, domain, status, progress, page_count, warnings, warning_count, \
                 created_at, updated_at) VALUES ('exp_{number}', $2, $1, '{commit}.example.com', '{}', 0, 0, '[]', 0, 1, 1)",
                if status == "ready" { "completed" } else { "failed" }
            ),
        ] {
            let query = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(project).bind(organization);
            query.execute(&pool).await.unwrap();
        }
    }
    pool.close().await;
    let project = format!("/projects/{project}");
    let organization = format!("/organizations/{organization}");
    for (path, finds, and_not) in [
        (format!("{project}/releases?search=ABD"), "Change 2", "Change 1"),
        (format!("{project}/releases?search=hange+2"), "Change 2", "Change 1"),
        (format!("{project}/releases?status=failed"), "Change 3", "Change 1"),
        (format!("{project}/releases?status=failed&search=ab"), "Change 2", "Change 3"),
        (format!("{project}/previews?search=branch-ab"), "branch-abc", "branch-fff"),
        (format!("{project}/previews?state=open"), "branch-abc", "branch-abd"),
        (format!("{project}/exports?search=ab"), "abd.example.com", "fff.example.com"),
        (format!("{project}/exports?status=completed"), "abc.example.com", "abd.example.com"),
        (
            format!("{organization}/members?search=DITOR0%40"),
            "editor0@example.com",
            "viewer1@example.com",
        ),
        (format!("{organization}/invitations?search=guest7"), "guest7@example.com", "No results"),
        (format!("{organization}/invitations?search=est7%40"), "guest7@example.com", "No results"),
        (format!("{organization}/invitations?search=h%25"), "No results", "guest7@example.com"),
        (format!("{organization}/keys?search=ES"), "test", "No results"),
        (format!("{project}/domains?search=CS.exam"), "docs.example.com", "No results"),
        (format!("{project}/domains?search=d_cs"), "No results", "/domains/docs.example.com"),
        ("/organizations?search=fir".to_owned(), "First", "Acme"),
        (format!("{project}/feedback?search=%2FPAGE&state=pending"), "Why?", "No results"),
        (format!("{project}/feedback?search=none"), "No results", "Why?"),
    ] {
        let page = operator.get(&path).await;
        page.is(StatusCode::OK).says(finds);
        let main = page.text.split("<main").nth(1).unwrap();
        assert!(!main.contains(and_not), "{path}: {and_not} in {main}");
    }
    // Filters and search keep each other.
    let page = operator.get(&format!("{project}/releases?status=failed&search=ab")).await;
    page.says("<input type=\"hidden\" name=\"status\" value=\"failed\">");
    page.says("aria-current=\"true\">Failed");
    assert_eq!(link(&page, "Ready"), Some(format!("{project}/releases?search=ab&status=ready")));
}

/// PostgreSQL can't store NUL characters, so pages refuse them first.
#[tokio::test(flavor = "multi_thread")]
async fn page_refuses_nul_in_its_path_and_query() {
    let dashboard = Dashboard::start().await;
    let own = &dashboard.setup.organization;
    let admin = dashboard.member("admin").await;
    for below in ["?search=a%00b", "/keys?cursor=%00", "/audit?action=key%00"] {
        let page = admin.get(&format!("/organizations/{own}{below}")).await;
        page.is(StatusCode::BAD_REQUEST).says("NUL");
    }
    admin.get("/projects/a%00b").await.is(StatusCode::NOT_FOUND);
    let revoke = format!("/organizations/{own}/keys/a%00b/revoke");
    admin.post(&revoke, &[]).await.is(StatusCode::NOT_FOUND);
    // An escaped percent sign isn't a NUL.
    admin.get(&format!("/organizations/{own}?search=a%2500b")).await.is(StatusCode::OK);
}
