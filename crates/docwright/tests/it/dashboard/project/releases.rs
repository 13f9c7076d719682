//! Releases: shown, compared, rolled back, and failed.

use super::ProjectPages;

#[tokio::test(flavor = "multi_thread")]
async fn release_is_built_shown_compared_and_rolled_back() {
    let place = ProjectPages::start().await;
    let (setup, admin) = (&place.dashboard.setup, &place.admin);
    let first = place.dashboard.released(&place.api, 1).await["id"].as_str().unwrap().to_owned();
    let list = admin.get(&place.at("releases")).await;
    list.says("Ready").says(&first).says(">Active<").says("#1 · docs.example.com");
    let shown = place.at(&format!("releases/{first}"));
    let page = admin.get(&shown).await;
    page.says("No errors or warnings").says("is checked out").says("ready: ").says("stored: ");
    // The log is a text file, with the time of each step.
    let log = admin.get(&format!("{shown}/log")).await;
    let name = log.headers["content-disposition"].to_str().unwrap();
    assert_eq!(name, "attachment; filename=\"release-1.txt\"");
    log.says("Release 1 of docs.example.com").says("built: 1 page").says("No diagnostics");
    let lines: Vec<_> = log.text.lines().filter(|line| line.contains("Z ")).collect();
    assert!(lines.len() >= 6 && lines[1..].iter().all(|line| line.contains("s ")), "{lines:?}");
    let changes = format!("{shown}/changes");
    admin.get(&changes).await.says("This is the first release of the site");

    setup.commit("page-2.mdx", "---\ntitle: Second\n---\n\nSee [nothing](/nowhere).\n");
    let sent = admin.post(&place.at("releases/build"), &[]).await;
    assert_eq!(sent.location(), Some(place.at("releases")));
    let second = place.dashboard.released(&place.api, 2).await["id"].as_str().unwrap().to_owned();
    assert_ne!(first, second);
    // The new diagnostic with its position.
    let page = admin.get(&place.at(&format!("releases/{second}"))).await;
    page.says("page-2.mdx:5").says("nowhere").says("1 error, 1 of them new").says(">New<");
    admin.get(&place.path).await.says("Build result").says(">1 error<").says("page-2.mdx:5");
    let page = admin.get(&place.at(&format!("releases/{second}/changes"))).await;
    page.says("/page-2").says("<strong>1</strong> added").says("Second");
    page.says("New diagnostics").says("page-2.mdx:5").says(">#1 ");
    // Any two can be compared: the other way around, the page is removed, and the diagnostic resolved.
    let page = admin.get(&format!("{shown}/changes?with={second}")).await;
    page.says("<strong>1</strong> removed").says("Resolved diagnostics").says("page-2.mdx:5");
    page.says(&format!("<option value=\"{second}\" selected>"));
    let log = admin.get(&place.at(&format!("releases/{second}/log"))).await;
    log.says("1 error").says("error page-2.mdx:5 broken-link: ");
    assert!(page.text.contains(&first), "the page names the release it compares with");

    // The confirmation of a rollback explains its effect.
    let back = format!("{shown}/activate");
    admin.get(&back).await.says("Readers see this release immediately");
    assert_eq!(admin.post(&back, &[]).await.location(), Some(shown.clone()));
    assert_eq!(place.dashboard.released(&place.api, 2).await["id"], first.as_str());
    admin.get(&shown).await.says(">Active<");
    let entries = place.read("/v1/audit?action=release.activate").await;
    assert_eq!(entries["entries"][0]["subject"]["id"], first.as_str(), "{entries}");

    // A failed release shows its reason and doesn't change the site.
    setup.commit("docs.json", "{ \"name\": ");
    admin.post(&place.at("releases/build"), &[]).await;
    let list = place.until(&place.at("releases"), "Failed").await;
    let failed = list.split("data-tone=\"bad\"").nth(1).unwrap();
    let failed = failed.split("/releases/").nth(1).unwrap().split('"').next().unwrap();
    let page = admin.get(&place.at(&format!("releases/{failed}"))).await;
    page.says("Build failed:").says("docs.json").says("Readers still see the previous release");
    assert_eq!(place.dashboard.released(&place.api, 2).await["id"], first.as_str());
    // A failed release can't be activated.
    let refused = admin.post(&place.at(&format!("releases/{failed}/activate")), &[]).await;
    assert_eq!(refused.status, 409);
    refused.says("isn't a ready release");
    let page = admin.get(&place.at(&format!("releases/{failed}/changes"))).await;
    assert_eq!(page.status, 409);
    page.says("isn't ready");
}

#[tokio::test(flavor = "multi_thread")]
async fn release_is_canceled_and_rebuilt_without_cache() {
    let place = ProjectPages::start().await;
    let admin = &place.admin;
    let first = place.dashboard.released(&place.api, 1).await["id"].as_str().unwrap().to_owned();
    let shown = place.at(&format!("releases/{first}"));
    admin.get(&shown).await.says("Rebuild without cache").lacks("Cancel release");
    let refused = admin.post(&format!("{shown}/cancel"), &[]).await;
    assert_eq!(refused.status, 409);
    refused.says("It is finished").says("Rebuild without cache");
    // The commit has a release, and still it is built again, with all its pages.
    let rebuilt = admin.post(&format!("{shown}/rebuild"), &[]).await.location().unwrap();
    assert_ne!(rebuilt, shown);
    let page = place.until(&rebuilt, ">Active<").await;
    assert!(page.contains("started, without results of earlier builds"), "{page}");
    assert!(page.contains("built: 1 page<"), "no page is from an earlier build: {page}");
    // A release that waits is canceled. It is no problem of the project.
    let pool = place.dashboard.pool().await;
    let id = rebuilt.rsplit('/').next().unwrap();
    let sql = "UPDATE releases SET status = 'queued', ended_at = NULL, run_after = 9000000000000000 WHERE id = $1";
    sqlx::query(sql).bind(id).execute(&pool).await.unwrap();
    admin.get(&rebuilt).await.says("Cancel release").lacks("Rebuild without cache");
    let sent = admin.submit(&format!("{rebuilt}/cancel"), &[]).await;
    sent.says("Release canceled").says("Canceled").says("Someone canceled this release");
    admin.get(&place.path).await.lacks("The latest release failed");
    let entries = place.read("/v1/audit?action=release.cancel").await;
    assert_eq!(entries["entries"][0]["subject"]["id"], id, "{entries}");
    let viewer = place.dashboard.member("viewer").await;
    for action in ["cancel", "rebuild"] {
        let refused = viewer.post(&format!("{rebuilt}/{action}"), &[]).await;
        assert_eq!(refused.status, 403, "{action}");
    }
    viewer.get(&rebuilt).await.lacks("Rebuild without cache");
}

#[tokio::test(flavor = "multi_thread")]
async fn release_that_waits_for_manual_activation_is_on_the_overview() {
    let place = ProjectPages::start().await;
    let project = format!("/v1{}", place.path);
    let change = serde_json::json!({ "activation": "manual" });
    let changed = place.api.send(reqwest::Method::PATCH, &project, Some(change)).await;
    assert_eq!(changed.status(), 200);
    place.admin.get(&place.path).await.lacks("is ready to activate");
    place.dashboard.setup.commit("page-0.mdx", "---\ntitle: New\n---\n\nNew.\n");
    place.admin.post(&place.at("releases/build"), &[]).await;
    let page =
        place.until(&place.path, "Release #2 is ready to activate on docs.example.com").await;
    let activate = page.split("/activate\"").next().unwrap().rsplit('"').next().unwrap();
    place.admin.submit(&format!("{activate}/activate"), &[]).await.says("Release activated");
    place.admin.get(&place.path).await.lacks("is ready to activate");
}

#[tokio::test(flavor = "multi_thread")]
async fn page_reloads_more_often_while_jobs_run() {
    let place = ProjectPages::start().await;
    let path = place.at("releases");
    let idle = place.admin.get(&path).await;
    // New jobs appear automatically, also in empty lists.
    idle.says("hx-trigger=\"every 5s\"");
    assert!(!idle.text.contains("aria-busy"), "{}", idle.text);
    for section in ["", "/releases", "/jobs", "/exports", "/previews"] {
        let path = format!("/projects/{}{section}", place.dashboard.setup.project);
        place.admin.get(&path).await.says("hx-sync=\"this:drop\"").says("data-version=");
    }
    // Releases stay queued while no worker can read the repository.
    let pool = place.dashboard.pool().await;
    let sql =
        "UPDATE releases SET status = 'queued', ended_at = NULL, run_after = 9000000000000000";
    sqlx::query(sql).execute(&pool).await.unwrap();
    let running = place.admin.get(&path).await;
    let asks = format!("hx-get=\"{path}\"");
    running
        .says(&asks)
        .says("hx-trigger=\"every 2s\"")
        .says("hx-select=\"#releases\"")
        .says("Queued");
    let policy = running.headers["content-security-policy"].to_str().unwrap();
    assert!(policy.contains("connect-src 'self'"), "{policy}");
}

#[tokio::test(flavor = "multi_thread")]
async fn objects_of_another_project_are_not_found() {
    let place = ProjectPages::start().await;
    let api = &place.api;
    let body = serde_json::json!({ "name": "Second" });
    let made = api.send(reqwest::Method::POST, "/v1/projects", Some(body)).await;
    let made: serde_json::Value = made.json().await.unwrap();
    let other = made["id"].as_str().unwrap();
    let release = place.dashboard.released(api, 1).await["id"].as_str().unwrap().to_owned();
    let job = api.start_export().await;
    for below in [
        format!("releases/{release}"),
        format!("releases/{release}/changes"),
        format!("releases/{release}/log"),
        format!("releases/{release}/activate"),
        format!("exports/{job}"),
        "domains/docs.example.com".to_owned(),
        "domains/docs.example.com/remove".to_owned(),
        // Path segments can't redirect an operation to another project.
        format!("releases/{release}%2Fchanges"),
        "releases/..%2Fkeys".to_owned(),
        "exports/..%2F..%2Fprojects".to_owned(),
        "previews/..%2F..%2F..%2Faudit".to_owned(),
        "domains/%00".to_owned(),
    ] {
        let page = place.admin.get(&format!("/projects/{other}/{below}")).await;
        assert_eq!(page.status, 404, "{below}: {}", page.text);
    }
    let own = place.admin.get(&place.at(&format!("releases/{release}"))).await;
    assert_eq!(own.status, 200);
    let post = format!("/projects/{other}/releases/{release}/activate");
    assert_eq!(place.admin.post(&post, &[]).await.status, 404);
    for action in ["cancel", "rebuild"] {
        let post = format!("/projects/{other}/releases/{release}/{action}");
        assert_eq!(place.admin.post(&post, &[]).await.status, 404, "{action}");
    }
    let post = format!("/projects/{other}/domains/docs.example.com/remove");
    assert_eq!(place.admin.post(&post, &[]).await.status, 404);
    assert_eq!(place.read("/v1/domains").await["domains"].as_array().unwrap().len(), 1);
}
