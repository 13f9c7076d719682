//! Projects that hold releases with new errors: by push, poll, and merge, on the pages, and across restarts.

use docwright_testing::wait::eventually;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::{
    agent::git::git,
    dashboard::{Browser, Dashboard},
    server::Api,
};

/// A page with a link that leads nowhere.
fn broken(target: &str) -> String {
    format!("---\ntitle: Zero\n---\n\nWords about {target}: [it](/{target}).\n")
}

/// A service with one active release, whose project holds releases with new errors.
struct Site {
    dashboard: Dashboard,
    api: Api,
    admin: Browser,
    project: String,
}

impl Site {
    async fn start() -> Self {
        let dashboard = Dashboard::start().await;
        let (api, admin) = (dashboard.api("admin"), dashboard.member("admin").await);
        let project = dashboard.setup.project.clone();
        dashboard.released(&api, 1).await;
        let site = Self { dashboard, api, admin, project };
        let path = format!("/projects/{}/settings", site.project);
        let fields = [
            ("name", "Docs"),
            ("repository", "built-in"),
            ("path", ""),
            ("model", ""),
            ("activation", "hold-new-errors"),
        ];
        let form = site.admin.get(&path).await;
        form.says("hold releases with new errors");
        let saved = site.admin.submit(&path, &fields).await;
        saved.says("Saved").says("value=\"hold-new-errors\" selected");
        site
    }

    async fn read(&self, path: &str) -> Value {
        let answer = self.api.send(Method::GET, path, None).await;
        assert_eq!(answer.status(), 200, "{path}");
        answer.json().await.expect("the body is JSON")
    }

    async fn releases(&self) -> Vec<Value> {
        let list = self.read(&format!("/v1/projects/{}/releases", self.project)).await;
        list["releases"].as_array().unwrap().clone()
    }

    /// Waits until the site has a number of releases, and the newest one is finished. Checks its trigger.
    async fn newest(&self, count: usize, trigger: &str) -> Value {
        let newest = eventually(&format!("release {count} has finished"), async || {
            let all = self.releases().await;
            let of_site: Vec<_> = all.iter().filter(|each| each["trigger"] != "preview").collect();
            let newest = of_site
                .first()
                .filter(|newest| of_site.len() == count && !newest["endedAt"].is_null());
            newest.map(|newest| (*newest).clone()).ok_or_else(|| json!(all))
        })
        .await;
        assert_eq!(newest["trigger"], trigger, "{newest}");
        newest
    }

    async fn update(&self) {
        let path = format!("/v1/project/update/{}", self.project);
        assert_eq!(self.api.send(Method::POST, &path, None).await.status(), 202);
    }

    async fn served(&self) -> String {
        let url = format!("{}/page-0", self.api.base);
        let request = self.api.client.get(url).header("host", "docs.example.com");
        request.send().await.unwrap().text().await.unwrap()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn release_with_new_errors_is_held_and_shown_until_someone_activates_it() {
    let site = Site::start().await;
    let overview = format!("/projects/{}", site.project);
    site.dashboard.setup.commit("page-0.mdx", &broken("nowhere"));
    site.update().await;
    let held = site.newest(2, "api").await;
    assert_eq!((&held["status"], &held["active"]), (&json!("ready"), &json!(false)), "{held}");
    assert_eq!((&held["heldErrors"], &held["domain"]), (&json!(1), &json!("docs.example.com")));
    assert!(!site.served().await.contains("Words about nowhere"), "readers see the release before");
    let id = held["id"].as_str().unwrap();
    let shown = format!("{overview}/releases/{id}");
    site.admin
        .get(&overview)
        .await
        .says("Release #2 is held on docs.example.com: 1 new error")
        .says("page-0.mdx:5")
        .says(&format!("{shown}/activate"))
        .says("Activate anyway");
    site.admin.get(&format!("{overview}/releases")).await.says("Held: 1 new error");
    let page = site.admin.get(&shown).await;
    page.says("Held: 1 new error").says("held: 1 new error").says("1 of them new");
    page.says("Activate anyway").says("Readers still see the release that was active before");
    let changes = site.admin.get(&format!("{shown}/changes")).await;
    changes.says("New diagnostics").says("page-0.mdx:5").says("#1 ");
    // It stays held when the service starts again.
    let again = site.dashboard.setup.serve();
    let api = site.dashboard.setup.api(&again);
    let read: Value =
        api.send(Method::GET, &format!("/v1/releases/{id}"), None).await.json().await.unwrap();
    assert_eq!((&read["heldErrors"], &read["active"]), (&json!(1), &json!(false)), "{read}");
    drop(again);
    let sent = site.admin.post(&format!("{shown}/activate"), &[]).await;
    assert_eq!(sent.location(), Some(shown.clone()));
    site.admin.get(&shown).await.lacks("Held:").says(">Active<");
    site.admin.get(&overview).await.lacks("is held");
    eventually("readers see it", async || {
        let page = site.served().await;
        if page.contains("Words about nowhere") { Ok(()) } else { Err(page) }
    })
    .await;
    // Its error is known now. A second one isn't.
    site.dashboard.setup.commit("page-1.mdx", "---\ntitle: One\n---\n\nFine.\n");
    site.update().await;
    assert_eq!(site.newest(3, "api").await["active"], true);
}

#[tokio::test(flavor = "multi_thread")]
async fn pushes_polls_and_merges_are_held_and_a_good_push_ends_it() {
    let site = Site::start().await;
    let (project, top) = (&site.project, site.dashboard.setup.folder.path());
    let folder = top.join("clone");
    let base = site.api.base.replace("http://", &format!("http://me:{}@", site.api.key));
    git(
        top,
        &["clone", "--quiet", &format!("{base}/git/{project}.git"), &folder.display().to_string()],
    );
    let commit = |text: &str, branch: &str| {
        std::fs::write(folder.join("page-0.mdx"), text).unwrap();
        git(&folder, &["commit", "--quiet", "--all", "--message", "Change a link"]);
        git(&folder, &["push", "--quiet", "origin", branch]);
    };
    commit(&broken("pushed"), "main");
    let pushed = site.newest(2, "push").await;
    assert_eq!(pushed["heldErrors"], 1, "{pushed}");

    git(&folder, &["checkout", "--quiet", "-b", "change"]);
    commit(&broken("merged"), "change");
    let pull_requests = format!("/projects/{project}/pull-requests");
    let fields = [("head", "change"), ("base", "main"), ("title", "Change"), ("body", "")];
    site.admin.submit(&pull_requests, &fields).await.is(StatusCode::OK);
    site.admin.submit(&format!("{pull_requests}/1/merge"), &[]).await.is(StatusCode::OK);
    let merged = site.newest(3, "merge").await;
    assert_eq!(merged["heldErrors"], 1, "{merged}");
    let all = site.releases().await;
    let held = all.iter().filter(|each| !each["heldErrors"].is_null()).count();
    assert_eq!(held, 1, "the newest commit is held in place of the earlier one: {all:?}");

    site.dashboard.setup.commit("page-0.mdx", &broken("polled"));
    let poll = format!("/v1/projects/{project}/poll");
    assert_eq!(site.api.send(Method::POST, &poll, None).await.status(), 202);
    let polled = site.newest(4, "poll").await;
    assert_eq!(polled["heldErrors"], 1, "{polled}");

    git(&folder, &["checkout", "--quiet", "main"]);
    git(&folder, &["pull", "--quiet", "origin", "main"]);
    commit("---\ntitle: Zero\n---\n\nGood words.\n", "main");
    let good = site.newest(5, "push").await;
    assert_eq!((&good["active"], &good["heldErrors"]), (&json!(true), &Value::Null), "{good}");
    let all = site.releases().await;
    assert!(all.iter().all(|each| each["heldErrors"].is_null()), "{all:?}");
    site.admin.get(&format!("/projects/{project}")).await.lacks("is held");
}
