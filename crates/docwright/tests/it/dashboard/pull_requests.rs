//! Pull requests of docwright's own git host, by someone who is signed in at the dashboard.

use reqwest::{Method, StatusCode};

use super::Dashboard;

const PROMPT: &str = "Add page hello titled \"Hello\" with text \"Hello.\"";

#[tokio::test(flavor = "multi_thread")]
async fn members_see_and_editors_merge_and_close() {
    let dashboard = Dashboard::start().await;
    dashboard.ended_job(PROMPT).await;
    dashboard.ended_job(&PROMPT.replace("hello", "other")).await;
    let project = &dashboard.setup.project;
    let (list, first, second) = (
        format!("/git/{project}/pulls"),
        format!("/git/{project}/pull/1"),
        format!("/git/{project}/pull/2"),
    );
    let viewer = dashboard.member("viewer").await;
    viewer.get(&list).await.is(StatusCode::OK).says("#1").says(&format!("/projects/{project}"));
    viewer.get(&first).await.is(StatusCode::OK).says("hello.mdx");
    for what in ["merge", "close"] {
        viewer.post(&format!("{first}/{what}"), &[]).await.is(StatusCode::FORBIDDEN);
    }
    let editor = dashboard.member("editor").await;
    editor.submit(&format!("{first}/merge"), &[]).await.is(StatusCode::OK).says("merged");
    editor.submit(&format!("{second}/close"), &[]).await.is(StatusCode::OK).says("closed");
    // The log says who did it.
    let log = format!("/organizations/{}/audit", dashboard.setup.organization);
    let admin = dashboard.member("admin").await;
    let merges = admin.get(&format!("{log}?action=pull_request.merge")).await;
    merges.says("Merged a pull request").says("editor1@example.com");
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_else_sees_or_changes_one() {
    let dashboard = Dashboard::start().await;
    dashboard.ended_job(PROMPT).await;
    let first = format!("/git/{}/pull/1", dashboard.setup.project);
    let merge = format!("{first}/merge");
    let (_, stranger) = dashboard.member_of(&dashboard.other, "admin").await;
    stranger.get(&first).await.is(StatusCode::NOT_FOUND);
    stranger.post(&merge, &[]).await.is(StatusCode::NOT_FOUND);
    // A browser that is signed out is led to the sign-in and back; a program is asked for a key.
    let nobody = dashboard.browser();
    let away = nobody.get(&first).await;
    let next: String = url::form_urlencoded::byte_serialize(first.as_bytes()).collect();
    assert_eq!(away.location().unwrap(), format!("/sign-in?next={next}"));
    nobody.post(&merge, &[]).await.is(StatusCode::UNAUTHORIZED);
    let program = reqwest::get(format!("{}{first}", dashboard.process.address)).await.unwrap();
    assert_eq!(program.status(), StatusCode::UNAUTHORIZED);
    assert!(program.headers()["www-authenticate"].to_str().unwrap().starts_with("Basic"));
    // Another site can't have a browser merge.
    let editor = dashboard.member("editor").await;
    let foreign = editor.form(&merge, &[]).header("origin", "https://evil.example");
    editor.send(foreign).await.is(StatusCode::FORBIDDEN);
    // The cookie is nothing to git.
    let git = format!("/git/{}.git/info/refs?service=git-upload-pack", dashboard.setup.project);
    let refused = editor.send(editor.request(Method::GET, &git)).await;
    refused.is(StatusCode::UNAUTHORIZED);
    // A session that has ended is none.
    let thief = editor.copy();
    editor.post("/sign-out", &[]).await.is(StatusCode::SEE_OTHER);
    assert!(thief.get(&first).await.location().unwrap().starts_with("/sign-in"));
    thief.post(&merge, &[]).await.is(StatusCode::UNAUTHORIZED);
    dashboard.operator.get(&first).await.says("open");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_waits_for_its_second_factor_sees_nothing() {
    let dashboard = Dashboard::start().await;
    dashboard.ended_job(PROMPT).await;
    let first = format!("/git/{}/pull/1", dashboard.setup.project);
    let editor = dashboard.member("editor").await;
    editor.get(&first).await.is(StatusCode::OK);
    let pool = dashboard.pool().await;
    sqlx::query("UPDATE sessions SET complete = 0").execute(&pool).await.unwrap();
    pool.close().await;
    assert!(editor.get(&first).await.location().unwrap().starts_with("/sign-in"));
    editor.post(&format!("{first}/merge"), &[]).await.is(StatusCode::UNAUTHORIZED);
}
