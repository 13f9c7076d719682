//! Pages of repositories on other git hosts.

use std::path::Path;

use reqwest::StatusCode;

use super::{Form, write_docs};
use crate::{
    agent::mocks::Mock,
    dashboard::Dashboard,
    server::{Setup, git},
};

const TOKEN: &str = "github-test-token";

/// A bare repository with the pages, below a folder.
fn bare(folder: &Path, path: &str) -> std::path::PathBuf {
    let (work, bare) = (folder.join("work"), folder.join(path));
    write_docs(&work);
    git(&work, &["init", "--quiet", "--initial-branch", "trunk"]);
    git(&work, &["add", "--all"]);
    git(&work, &["commit", "--quiet", "--message", "Start"]);
    std::fs::create_dir_all(bare.parent().unwrap()).unwrap();
    let paths = [work.display().to_string(), bare.display().to_string()];
    git(folder, &["clone", "--quiet", "--bare", &paths[0], &paths[1]]);
    bare
}

async fn publish(dashboard: &Dashboard) {
    let api = dashboard.api("admin");
    let export = api.start_export().await;
    api.wait_for(&export, &["completed"]).await;
    dashboard.released(&api, 1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn host_without_pull_requests_shows_what_to_do_instead() {
    let folder = tempfile::tempdir().unwrap();
    let bare = bare(folder.path(), "docs.git");
    let setup = Setup::at_address(&format!("file://{}", bare.display()));
    let dashboard = Dashboard::on(setup, &[]).await;
    publish(&dashboard).await;
    let editor = dashboard.member("editor").await;
    let form = Form::open(&dashboard, &editor, "guides/start").await;
    form.page.says("can't open pull requests").says("docs/guides/start.mdx").says("trunk");
    form.page.lacks("class=\"primary\"").says(">Preview</button>");
    let page = form.save(&dashboard, &editor, "Typed words", "T").await;
    page.is(StatusCode::CONFLICT).says("Typed words").lacks(&folder.path().display().to_string());
    let branches = git(&bare, &["branch", "--list"]);
    assert_eq!(branches, "* trunk", "nothing was pushed");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the packages of tests/mocks"]
async fn edit_becomes_a_pull_request_on_the_git_host() {
    let folder = tempfile::tempdir().unwrap();
    let bare = bare(folder.path(), "acme/docs.git");
    let mock = Mock::start("github.mjs", &[&folder.path().display().to_string(), TOKEN]);
    let host = mock.address.trim_start_matches("http://").to_owned();
    let setup = Setup::at_address(&format!("{}/acme/docs.git", mock.address));
    let (hosts, tokens) = (format!("{host}=github"), format!("{host}={TOKEN}"));
    let variables = [("DOCWRIGHT_GIT_HOSTS", hosts.as_str()), ("DOCWRIGHT_GIT_TOKENS", &tokens)];
    let dashboard = Dashboard::on(setup, &variables).await;
    publish(&dashboard).await;
    let editor = dashboard.member("editor").await;
    let form = Form::open(&dashboard, &editor, "guides/start").await;
    let text = form.text().replace("Begin", "Start");
    let list = form.save(&dashboard, &editor, &text, "Say start").await;
    let url = "https://github.example/acme/docs/pull/1";
    list.is(StatusCode::OK).says("Your change is a pull request now").says(url).lacks(TOKEN);
    let again = editor.get(&format!("/projects/{}/pages", dashboard.setup.project)).await;
    again.lacks("Your change is a pull request now");
    let journal = reqwest::get(format!("{}/journal", mock.address)).await.unwrap();
    let journal: serde_json::Value = journal.json().await.unwrap();
    for request in journal["requests"].as_array().unwrap() {
        assert_eq!(request["valid"], true, "{request}");
    }
    assert_eq!(journal["pulls"][0]["base"], "trunk", "{journal}");
    let head = journal["pulls"][0]["head"].as_str().unwrap();
    let head = head.split(':').next_back().unwrap();
    let log = git(&bare, &["log", "-1", "--format=%an|%s", head]);
    assert_eq!(log, "The editor|Say start");
}
