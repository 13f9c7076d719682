//! Settings of a project: changes, hidden secrets, and deletion.

use super::ProjectPages;

#[tokio::test(flavor = "multi_thread")]
async fn settings_are_changed_and_errors_are_reported() {
    let place = ProjectPages::start().await;
    let (admin, path) = (&place.admin, place.at("settings"));
    let fields = |name, model| {
        [
            ("name", name),
            ("repository", "built-in"),
            ("path", "guides"),
            ("model", model),
            ("activation", "manual"),
        ]
    };
    let wrong = admin.post(&path, &fields("New name", "no such model")).await;
    assert_eq!(wrong.status, 400);
    wrong.says("must name a model").says("value=\"New name\"");
    let sent = admin.post(&path, &fields("New name", "builtin:edits")).await;
    assert_eq!(sent.location(), Some(path.clone()));
    let project = place.read(&format!("/v1{}", place.path)).await;
    let shown = ["name", "path", "model", "activation"].map(|name| project[name].as_str().unwrap());
    assert_eq!(shown, ["New name", "guides", "builtin:edits", "manual"]);
    let page = admin.get(&path).await;
    page.says("value=\"New name\"").says("<option value=\"manual\" selected>");
    // Viewers see the settings and who can change them.
    let viewer = place.dashboard.member("viewer").await;
    let page = viewer.get(&path).await;
    page.says("Only admins").says("Manually");
    assert!(!page.text.contains("Danger zone") && !page.text.contains("name=\"activation\""));
}

#[tokio::test(flavor = "multi_thread")]
async fn secrets_are_stored_and_never_shown() {
    const SECRET: &str = "ghp-hunter2-secret";
    let place = ProjectPages::start().await;
    let (admin, path) = (&place.admin, place.at("settings/credentials"));
    admin.get(&path).await.says("No credentials");
    let fields = [("host", "https://github.com/x"), ("username", ""), ("secret", SECRET)];
    let wrong = admin.post(&path, &fields).await;
    assert_eq!(wrong.status, 400);
    wrong.says("isn't a host").says("value=\"https://github.com/x\"");
    assert!(!wrong.text.contains(SECRET));
    let fields = [("host", "github.com"), ("username", "bot"), ("secret", SECRET)];
    assert_eq!(admin.post(&path, &fields).await.location(), Some(path.clone()));
    let page = admin.get(&path).await;
    page.says("github.com").says("bot");
    assert!(!page.text.contains(SECRET));
    let id = page.after("name=\"credential\" value=\"");
    let id = id.split('"').next().unwrap();
    admin.post(&place.at("settings/credentials/remove"), &[("credential", id)]).await;
    admin.get(&path).await.says("No credentials");

    // The webhook secret is shown once, to the admin who created it.
    let made = admin.submit(&place.at("settings/webhooks/secret"), &[]).await;
    assert_eq!(made.status, 200);
    made.says("You won't see it again");
    let secret = made.after("<dt>Secret</dt><dd><span class=\"copied\"><code>");
    let secret = secret.split('<').next().unwrap().to_owned();
    assert_eq!(secret.len(), 64, "{secret}");
    let again = admin.get(&place.at("settings/webhooks")).await;
    again.says(&format!("/hooks/{}", place.dashboard.setup.project)).says("No deliveries yet");
    assert!(!again.text.contains(&secret));

    // The URL of a subscription is shown once, too.
    let path = place.at("settings/notifications");
    let fields = [
        ("target", "https://hooks.example.com/x"),
        ("events", "release.failed"),
        ("events", "job.failed"),
    ];
    let made = admin.submit(&path, &fields).await;
    made.says("whsec_").says("You won't see it again");
    let list = admin.get(&path).await;
    list.says("release.failed, job.failed").says("https://hooks.example.com/x");
    assert!(!list.text.contains("whsec_"));
    let id = list.after("name=\"subscription\" value=\"");
    let id = id.split('"').next().unwrap();
    admin.get(&format!("{path}/{id}")).await.says("No notifications yet");
    let wrong = admin.post(&path, &[("target", "javascript:alert(1)")]).await;
    assert_eq!(wrong.status, 400);
    wrong.says("must start with https://");
    admin.post(&format!("{path}/remove"), &[("subscription", id)]).await;
    admin.get(&path).await.says("No subscriptions yet");
}

#[tokio::test(flavor = "multi_thread")]
async fn project_is_deleted_after_its_name_is_typed() {
    let place = ProjectPages::start().await;
    let (admin, path) = (&place.admin, place.at("settings/delete"));
    admin.get(&path).await.says("permanently deletes the project").says("Type Docs to confirm");
    for name in ["", "docs", "Docs2"] {
        let page = admin.post(&path, &[("name", name)]).await;
        assert_eq!(page.status, 400, "{name}");
        page.says("Nothing was deleted");
    }
    let editor = place.dashboard.member("editor").await;
    assert_eq!(editor.post(&path, &[("name", "Docs")]).await.status, 403);
    assert_eq!(admin.get(&place.path).await.status, 200);
    let home = format!("/organizations/{}", place.dashboard.setup.organization);
    assert_eq!(admin.post(&path, &[("name", "Docs")]).await.location(), Some(home.clone()));
    assert_eq!(admin.get(&place.path).await.status, 404);
    admin.get(&home).await.says("No projects yet");
}

#[tokio::test(flavor = "multi_thread")]
async fn another_folder_starts_a_release() {
    let place = ProjectPages::start().await;
    let releases = format!("/v1{}", place.at("releases"));
    let count = async || place.read(&releases).await["releases"].as_array().unwrap().len();
    assert_eq!(count().await, 1);
    let fields = |path| {
        [
            ("name", "Docs"),
            ("repository", "built-in"),
            ("path", path),
            ("model", ""),
            ("activation", "automatic"),
        ]
    };
    let saved = place.admin.submit(&place.at("settings"), &fields("nowhere")).await;
    saved.says("role=\"status\">Saved");
    assert_eq!(count().await, 2, "the same transaction starts the release");
    // The list of projects shows what is wrong, until the cause is gone.
    let home = format!("/organizations/{}", place.dashboard.setup.organization);
    place.until(&home, "class=\"error\"").await;
    place.admin.post(&place.at("settings"), &fields("")).await;
    let list = place.until(&home, ">Ready<").await;
    assert!(!list.contains("class=\"error\""), "{list}");
    // Saving the same folder again starts nothing.
    let before = count().await;
    place.admin.post(&place.at("settings"), &fields("")).await;
    assert_eq!(count().await, before);
}
