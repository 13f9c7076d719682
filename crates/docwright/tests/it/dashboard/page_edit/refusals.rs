//! What can't be edited, and who can't edit.

use reqwest::StatusCode;

use super::{Form, compile, published, sent};
use crate::dashboard::Dashboard;

#[tokio::test(flavor = "multi_thread")]
async fn files_that_an_edit_could_damage_are_refused_with_a_reason() {
    let dashboard = published().await;
    let editor = dashboard.member("editor").await;
    for (path, reason) in [
        ("latin", "isn't text in UTF-8"),
        ("binary", "isn't text in UTF-8"),
        ("long", "has 1.2 MB, more than the 500.0 kB"),
        ("link", "is a symbolic link"),
    ] {
        let page = editor.get(&dashboard.edit_path(path)).await;
        page.is(StatusCode::CONFLICT).says(reason).lacks("<textarea");
        page.says("This page can't be edited here");
    }
    for path in
        ["leads-out", "outside", "../outside", "docs.json", "%2Fetc%2Fpasswd", "none", "guides"]
    {
        editor.get(&dashboard.edit_path(path)).await.is(StatusCode::NOT_FOUND);
    }
    editor.get(&dashboard.edit_path("")).await.is(StatusCode::BAD_REQUEST);
    // A title is text wherever it is shown.
    let home = Form::open(&dashboard, &editor, "index").await;
    home.page.says("&lt;script&gt;alert(1)").lacks("<script>alert");
    // A person who follows a diagnostic finds the page of its file.
    let file =
        format!("/projects/{}/pages/file?file=docs/guides/start.mdx", dashboard.setup.project);
    let location = editor.get(&file).await.location().unwrap();
    assert!(location.contains("pages/edit?path=guides%2Fstart"), "{location}");
    editor.get(&file.replace("start", "none")).await.is(StatusCode::NOT_FOUND);
}

#[tokio::test(flavor = "multi_thread")]
async fn text_of_a_deleted_page_is_kept() {
    let dashboard = published().await;
    let editor = dashboard.member("editor").await;
    let form = Form::open(&dashboard, &editor, "guides/start").await;
    dashboard.push(|work| std::fs::remove_file(work.join("docs/guides/start.mdx")).unwrap());
    let page = form.save(&dashboard, &editor, "My long text", "Mine").await;
    page.is(StatusCode::CONFLICT).says("My long text").says("value=\"Mine\"");
    page.says("doesn't exist on the branch main any more");
    let opened = editor.get(&dashboard.edit_path("guides/start")).await;
    opened.is(StatusCode::CONFLICT).says("was moved or deleted");
    // The site without the page is published by now.
    dashboard.released(&dashboard.api("read"), 2).await;
    let page = form.save(&dashboard, &editor, "My long text", "Mine").await;
    page.is(StatusCode::NOT_FOUND)
        .says("My long text")
        .says("Page not found in the active release");
    editor.get(&dashboard.edit_path("guides/start")).await.is(StatusCode::NOT_FOUND);
}

#[tokio::test(flavor = "multi_thread")]
async fn only_editors_of_the_organization_edit() {
    let dashboard = published().await;
    let (editor, viewer) = (dashboard.member("editor").await, dashboard.member("viewer").await);
    let (_, stranger) = dashboard.member_of(&dashboard.other, "admin").await;
    let path = dashboard.edit_path("guides/start");
    let form = Form::open(&dashboard, &editor, "guides/start").await;
    let save = format!("/projects/{}/pages/edit", dashboard.setup.project);
    let text = sent("---\ntitle: Start\n---\n\nOther.\n");
    let fields = form.fields(&text, "T");
    viewer.get(&path).await.is(StatusCode::FORBIDDEN);
    viewer.post(&save, &fields).await.is(StatusCode::FORBIDDEN);
    let list = format!("/projects/{}/pages", dashboard.setup.project);
    viewer.get(&list).await.says("guides/start.mdx").lacks("pages/edit");
    stranger.get(&path).await.is(StatusCode::NOT_FOUND);
    stranger.post(&save, &fields).await.is(StatusCode::NOT_FOUND);
    // Without a session, the form comes back, to be sent after a sign-in.
    let kept = dashboard.browser().post(&save, &fields).await;
    kept.is(StatusCode::FORBIDDEN).says("Other.").says(&form.revision);
    let forged = editor.form(&save, &fields).header("origin", "https://evil.example");
    editor.send(forged).await.is(StatusCode::FORBIDDEN);
    // None of them changed anything.
    let branches = crate::server::git(&dashboard.bare(), &["branch", "--list"]);
    assert_eq!(branches, "* main");
    form.save(&dashboard, &editor, &text, "T").await.says("Pull request opened");
}

#[tokio::test(flavor = "multi_thread")]
async fn form_that_is_refused_comes_back_with_its_text() {
    let dashboard = published().await;
    let editor = dashboard.member("editor").await;
    let form = Form::open(&dashboard, &editor, "guides/start").await;
    for (text, title, said) in [
        ("---\ntitle: Start\n---\n\nOther.\n", "", "“Summary” is blank"),
        (" \n", "T", "“Text” is blank"),
        (form.text().as_str(), "T", "“Text” is the same as the text of the file"),
    ] {
        let page = form.save(&dashboard, &editor, text, title).await;
        page.is(StatusCode::BAD_REQUEST).says(said).says(&format!("value=\"{title}\""));
        let back = Form { page, path: form.path.clone(), revision: form.revision.clone() };
        assert_eq!(back.text(), text);
    }
    let long = "x".repeat(500_001);
    form.save(&dashboard, &editor, &long, "T")
        .await
        .is(StatusCode::BAD_REQUEST)
        .says("500000 characters");
}

#[tokio::test(flavor = "multi_thread")]
async fn previews_need_an_access_of_this_site_and_a_present_editor() {
    let dashboard = published().await;
    let (email, editor) = dashboard.member_of(&dashboard.setup.organization, "editor").await;
    let api = dashboard.api("admin");
    let form = Form::open(&dashboard, &editor, "guides/start").await;
    let (action, access) = form.preview();
    let text = "---\ntitle: Start\n---\n\nUnsaved words.\n";
    let (claims, signature) = access.split_once('.').unwrap();
    for wrong in
        [String::new(), claims.to_owned(), format!("{claims}x.{signature}"), format!("{claims}.00")]
    {
        let refused = compile(&api, &(action.clone(), wrong), text).await;
        refused.is(StatusCode::FORBIDDEN).says("This preview expired").lacks("Unsaved");
    }
    // The service itself, sites, and previews of nothing compile no text.
    let host = super::place(&action).0;
    let unknown = action.replace(&host[..4], "0000");
    for (address, status) in [
        (unknown, 421),
        (format!("{}/guides/start", dashboard.process.address), 404),
        (action.replace(host, "docs.example.com"), 405),
    ] {
        let other = compile(&api, &(address.clone(), access.clone()), text).await;
        assert_eq!(other.status, status, "{address}: {}", other.text);
    }
    let long = "x".repeat(600_000);
    compile(&api, &(action.clone(), access.clone()), &long).await.is(StatusCode::BAD_REQUEST);
    let huge = "x".repeat(3_000_000);
    compile(&api, &(action.clone(), access.clone()), &huge).await.is(StatusCode::PAYLOAD_TOO_LARGE);
    compile(&api, &(action.clone(), access.clone()), text).await.says("Unsaved words.");
    set_role(&dashboard, &email, "viewer").await;
    let refused = compile(&api, &(action, access), text).await;
    refused.is(StatusCode::FORBIDDEN).lacks("Unsaved words.");
}

async fn set_role(dashboard: &Dashboard, email: &str, role: &str) {
    let pool = dashboard.pool().await;
    let sql = "UPDATE members SET role = $1 WHERE account_id = (SELECT id FROM accounts WHERE email = $2)";
    sqlx::query(sql).bind(role).bind(email).execute(&pool).await.unwrap();
    pool.close().await;
}
