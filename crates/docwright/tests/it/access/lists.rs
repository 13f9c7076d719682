//! Lists of the API: searching, sorting, and cursors, which are valid for one list.

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use reqwest::Method;
use serde_json::{Value, json};

use super::{AccessSetup, id};
use crate::{postgres::database, server::Api};

/// A list operation.
struct List {
    /// Its path in the API spec.
    path: String,
    /// The parameters it accepts.
    parameters: Vec<String>,
    /// The required parameters.
    required: Vec<String>,
}

impl List {
    /// All list operations of the API spec.
    async fn all(api: &Api) -> Vec<Self> {
        let description: Value =
            api.send(Method::GET, "/openapi.json", None).await.json().await.unwrap();
        let paths = description["paths"].as_object().unwrap().iter();
        let lists = paths.filter_map(|(path, item)| {
            let all = item["get"]["parameters"].as_array()?;
            let asked = || all.iter().filter(|each| each["in"] == "query");
            let name = |each: &Value| each["name"].as_str().unwrap().to_owned();
            let parameters: Vec<_> = asked().map(name).collect();
            let required = asked().filter(|each| each["required"] == true).map(name).collect();
            let is_list = parameters.iter().any(|name| name == "cursor");
            is_list.then(|| Self { path: path.clone(), parameters, required })
        });
        let lists: Vec<_> = lists.collect();
        assert!(lists.len() > 12, "expected more lists than {}", lists.len());
        lists
    }

    /// The address of the list for an organization's project that has a domain and a subscription.
    fn address(&self, (organization, project): (&str, &str), subscription: &str) -> String {
        let path = self.path.replace("{projectId}", project);
        let path = path.replace("{organizationId}", organization);
        let path = path.replace("{subscriptionId}", subscription);
        let needed = self.required.iter().map(|name| match name.as_str() {
            "projectId" => format!("projectId={project}&"),
            "domain" => "domain=zebra.localhost&".to_owned(),
            "by" => "by=referrer&".to_owned(),
            other => panic!("{path} needs `{other}`"),
        });
        format!("{path}?{}", needed.collect::<String>())
    }

    fn takes(&self, parameter: &str) -> bool {
        self.parameters.iter().any(|name| name == parameter)
    }
}

async fn ask(api: &Api, path: &str) -> (u16, String) {
    let answer = api.send(Method::GET, path, None).await;
    (answer.status().as_u16(), answer.text().await.unwrap())
}

async fn projects_are_searched(place: &AccessSetup) {
    let own = &place.setup.organization;
    let admin = place.key(own, "admin", json!({})).await;
    for name in ["Zebra 2", "zebra 1", "ZEBRA%", "zebra_x"] {
        place.project(own, name).await;
    }
    place.project(&place.other, "Zebra of others").await;
    // Reads all pages of size one.
    let names = async |query: &str| {
        let (mut names, mut cursor) = (Vec::new(), String::new());
        loop {
            let path = format!("/v1/projects?limit=1{query}&cursor={cursor}");
            let page: Value = admin.send(Method::GET, &path, None).await.json().await.unwrap();
            let Some(found) = page["projects"].as_array() else { panic!("{path}: {page}") };
            names.extend(found.iter().map(|each| each["name"].as_str().unwrap().to_owned()));
            match page["nextCursor"].as_str() {
                Some(next) => next.clone_into(&mut cursor),
                None => return names,
            }
        }
    };
    let sorted = ["zebra 1", "Zebra 2", "ZEBRA%", "zebra_x"];
    assert_eq!(names("&search=zEB&sort=name").await, sorted);
    assert_eq!(
        names("&search=zebra&sort=oldest").await,
        ["Zebra 2", "zebra 1", "ZEBRA%", "zebra_x"]
    );
    assert_eq!(
        names("&search=zebra&sort=newest").await,
        ["zebra_x", "ZEBRA%", "zebra 1", "Zebra 2"]
    );
    assert_eq!(names("&search=zebra").await, names("&search=zebra&sort=oldest").await);
    for (search, found) in [("zebra%25", sorted[2]), ("zebra_", sorted[3])] {
        assert_eq!(names(&format!("&search={search}")).await, [found]);
    }
    assert_eq!(names("&search=%27%20OR%201=1--").await, [""; 0]);
    assert_eq!(names("&search=").await.len(), 6);
    for (query, said) in [
        ("sort=size", "`sort` must be one of `name`, `newest`, `oldest`".to_owned()),
        (
            &*format!("search={}", "x".repeat(201)),
            "`search` must have at most 200 characters".to_owned(),
        ),
        ("search=a%00", "`search` contains a NUL".to_owned()),
    ] {
        let (status, text) = ask(&admin, &format!("/v1/projects?{query}")).await;
        assert!(status == 400 && text.contains(&said), "{query}: {status} {text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn projects_are_searched_on_sqlite() {
    projects_are_searched(&AccessSetup::new(None).await).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL"]
async fn projects_are_searched_on_postgres() {
    projects_are_searched(&AccessSetup::new(Some(&database("searched").await)).await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn search_excludes_other_organizations() {
    let place = AccessSetup::new(None).await;
    let (own, project) =
        (&place.setup.organization, place.project(&place.setup.organization, "zebra").await);
    let admin = place.key(own, "admin", json!({ "name": "zebra" })).await;
    let stranger = place.key(&place.other, "admin", json!({})).await;
    place.organization("zebra").await;
    let made = async |path: &str, body: Value| place.made(&admin, Method::POST, path, body).await;
    made("/v1/domains", json!({ "domain": "zebra.localhost", "projectId": project })).await;
    let invitation = json!({ "email": "zebra@example.com", "role": "viewer" });
    made(&format!("/v1/organizations/{own}/invitations"), invitation).await;
    let subscription = json!({ "organizationId": own, "target": "https://hooks.example.com/", "events": ["release.failed"] });
    let subscription = id(&made("/v1/subscriptions", subscription).await);
    let pool = place.pool().await;
    for sql in [
        "INSERT INTO accounts (id, email, name, is_operator, created_at) VALUES ('acc_z', 'zebra@example.org', 'Z', 0, 1)",
        "INSERT INTO members (organization_id, account_id, role, created_at) VALUES ($1, 'acc_z', 'viewer', 1)",
        "INSERT INTO feedback (id, domain, project_id, page, helpful, created_at) VALUES ('f', 'zebra.localhost', $2, 'zebra', 1, 1)",
        "INSERT INTO export_jobs (id, organization_id, project_id, domain, status, progress, page_count, warnings, warning_count, \
         created_at, updated_at) VALUES ('exp_z', $1, $2, 'zebra.localhost', 'failed', 0, 0, '[]', 0, 1, 1)",
        "INSERT INTO sites (id, project_id, branch, domain, activates_from, created_at) VALUES ('site_z', $2, 'z', '', 0, 1)",
        "INSERT INTO previews (id, project_id, site_id, branch, base, git_ref, is_fork, host, state, created_at, changed_at) \
         VALUES ('prv_z', $2, 'site_z', 'zebra', '', '', 0, 'z', 'open', 1, 1)",
        "INSERT INTO releases (id, site_id, project_id, organization_id, trigger_name, servable, status, commit_sha, progress, \
         page_count, warnings, warning_count, failures, interruptions, run_after, lease_number, created_at, updated_at) \
         VALUES ('rel_z', 'site_z', $2, $1, 'push', 1, 'failed', 'zebra', 0, 0, '[]', 0, 0, 0, 0, 0, 1, 1)",
    ] {
        sqlx::query(sql).bind(own).bind(&project).execute(&pool).await.unwrap();
    }
    pool.close().await;
    let mut searched = 0;
    for list in List::all(&admin).await.into_iter().filter(|list| list.takes("search")) {
        // The owner finds the project, in any case.
        let theirs = list.address((own, &project), &subscription);
        let (status, text) = ask(&place.operator, &format!("{theirs}search=ZEB")).await;
        assert_eq!(status, 200, "{theirs}: {text}");
        // The pages of a site are in its bundle, and this one has none.
        assert!(text.contains("zebra") || theirs.contains("/pages?"), "{theirs}: {text}");
        let (_, text) = ask(&place.operator, &format!("{theirs}search=zebu")).await;
        assert!(!text.contains("zebra@") && text.contains(":[]"), "{theirs}: {text}");
        // Others find nothing, with or without the owner's id.
        let (status, text) = ask(&stranger, &format!("{theirs}search=zeb")).await;
        let hidden = !text.contains("zebra") || status == 404;
        assert!(hidden, "{theirs}: {status} {text}");
        let ours = list.address((&place.other, &place.other_project), &subscription);
        let (_, text) = ask(&stranger, &format!("{ours}search=zeb")).await;
        assert!(!text.replace("zebra.localhost has", "").contains("\"zebra"), "{ours}: {text}");
        searched += 1;
    }
    assert!(searched >= 9, "{searched} lists are searched");
}

#[tokio::test(flavor = "multi_thread")]
async fn cursor_is_valid_for_one_list() {
    let place = AccessSetup::new(None).await;
    let own = &place.setup.organization;
    let admin = place.key(own, "admin", json!({})).await;
    for name in ["a 1", "a 2", "a 3"] {
        place.project(own, name).await;
    }
    let first = "/v1/projects?limit=1&search=a&sort=name";
    let (_, page) = ask(&admin, first).await;
    let cursor = serde_json::from_str::<Value>(&page).unwrap()["nextCursor"].clone();
    let cursor = cursor.as_str().unwrap();
    for same in
        [first, "/v1/projects?sort=name&limit=2&search=a", "/v1/projects?search=a&sort=name&name="]
    {
        let (status, text) = ask(&admin, &format!("{same}&cursor={cursor}")).await;
        assert!(status == 200 && text.contains("a 2") && !text.contains("a 1"), "{same}: {text}");
    }
    for other in [
        "/v1/projects?",
        "/v1/projects?search=a",
        "/v1/projects?search=a&sort=newest",
        "/v1/projects?search=A&sort=name",
        "/v1/projects?search=b&sort=name",
        "/v1/organizations?search=a&sort=name",
        "/v1/keys?search=a&sort=name",
    ] {
        let (status, text) = ask(&admin, &format!("{other}&cursor={cursor}")).await;
        assert!(
            status == 400 && text.contains("`cursor` belongs to a different list"),
            "{other}: {text}"
        );
    }
    // Forged cursors are refused or return only visible records.
    let list = BASE64_URL_SAFE_NO_PAD.decode(cursor).unwrap();
    let (list, ..) = serde_json::from_slice::<(String, String, String)>(&list).unwrap();
    let made_up =
        |text: &str, id: &str| BASE64_URL_SAFE_NO_PAD.encode(json!([list, text, id]).to_string());
    for (text, id, status) in
        [("", "", 200), ("zz", "zz", 200), ("a\0", "", 400), ("' OR 1=1", "%", 200)]
    {
        let (answered, text) = ask(&admin, &format!("{first}&cursor={}", made_up(text, id))).await;
        assert_eq!(answered, status, "{text}");
        assert!(!text.contains(&place.other_project), "{text}");
    }
    for list in List::all(&admin).await {
        let address = list.address((own, &place.setup.project), "none");
        for wrong in ["0", "prj_1", "%25", "W10", "eyJhIjoxfQ"] {
            let (status, text) = ask(&admin, &format!("{address}cursor={wrong}")).await;
            let refused = status == 400 && text.contains("`cursor` must be the `nextCursor`");
            // Lists of the instance require an operator.
            assert!(refused || matches!(status, 403 | 404), "{address}{wrong}: {status} {text}");
        }
    }
}
