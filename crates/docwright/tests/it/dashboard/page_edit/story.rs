//! The whole way: list of pages, text, preview, pull request, merge, site.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use super::{CRLF, Form, compile, place, published, shows};
use crate::server::git;

#[tokio::test(flavor = "multi_thread")]
async fn edit_is_previewed_proposed_merged_and_published() {
    let dashboard = published().await;
    let api = dashboard.api("admin");
    let (email, editor) = dashboard.member_of(&dashboard.setup.organization, "editor").await;
    let list = editor.get(&format!("/projects/{}/pages", dashboard.setup.project)).await;
    list.says("pages/edit?path=guides%2Fstart&amp;domain=docs.example.com");
    list.says("aria-label=\"Edit Start\"");

    let form = Form::open(&dashboard, &editor, "crlf").await;
    let shown = CRLF.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    assert_eq!(form.text(), shown);
    form.page.says("docs/crlf.mdx").says("sandbox=\"allow-scripts allow-popups\"");
    let text = shown.replace("Old words.", "New *words*.\n\nMore.");

    // The preview shows the text, and changes nothing.
    let preview = form.preview();
    let policy = form.page.headers["content-security-policy"].to_str().unwrap();
    let origin = preview.0.trim_end_matches("/crlf");
    assert!(
        policy.contains(&format!("form-action 'self' {origin}; frame-src {origin}")),
        "{policy}"
    );
    let compiled = compile(&api, &preview, &text).await;
    compiled.is(StatusCode::OK).says("New <em>words</em>.").lacks("Old words.");
    compiled.lacks("docwright-draft");
    let headers = &compiled.headers;
    assert_eq!(headers["content-security-policy"], "sandbox allow-scripts allow-popups");
    assert_eq!(headers["cache-control"], "no-store");
    assert_eq!(headers["x-robots-tag"], "noindex, nofollow");
    assert_eq!(headers["referrer-policy"], "no-referrer");
    assert!(!headers.contains_key("set-cookie"));
    let broken = compile(&api, &preview, &text.replace("More.", "[x](/none)")).await;
    broken.is(StatusCode::OK).says("docwright-draft").says("1 error").says("Line 7: ");
    // Its styles and other pages are those of the published site.
    let (host, _) = place(&preview.0);
    for (path, words) in
        [("_docwright/theme.css", "--"), ("guides/start", "Begin"), ("crlf", "Old words.")]
    {
        let request = api.client.get(format!("{}/{path}", api.base)).header("host", host);
        let answer = request.send().await.unwrap();
        assert_eq!(answer.status(), 200, "{path}");
        assert_eq!(answer.headers()["access-control-allow-origin"], "*");
        assert_eq!(
            answer.headers()["content-security-policy"],
            "sandbox allow-scripts allow-popups"
        );
        assert!(answer.text().await.unwrap().contains(words), "{path}");
    }

    // The pull request is the editor's.
    let page = form.save(&dashboard, &editor, &text, "Say <b>more</b>").await;
    page.is(StatusCode::OK)
        .says("Pull request opened")
        .says("Say &lt;b&gt;more&lt;/b&gt;")
        .says("#1");
    page.says("docs/crlf.mdx").says("New *words*.").lacks("<b>more");
    let head = page.after("<code>docwright/edit-");
    let head = format!("docwright/edit-{head}");
    let bare = dashboard.bare();
    let log = git(&bare, &["log", "-1", "--format=%an <%ae> %cn|%s", &head]);
    assert_eq!(log, format!("The editor <{email}> The editor|Say <b>more</b>"));
    let changed = git(&bare, &["diff", "--name-only", &format!("main...{head}")]);
    assert_eq!(changed, "docs/crlf.mdx");
    let stored = git(&bare, &["cat-file", "blob", &format!("{head}:docs/crlf.mdx")]);
    assert_eq!(stored, CRLF.replace("Old words.", "New *words*.\r\n\r\nMore."));

    // The same edit again leads to the same pull request.
    form.save(&dashboard, &editor, &text, "Say <b>more</b>").await.says("#1");
    let pulls = format!("/v1/projects/{}/pull-requests", dashboard.setup.project);
    let all: Value = api.send(Method::GET, &pulls, None).await.json().await.unwrap();
    assert_eq!(all["pullRequests"].as_array().unwrap().len(), 1, "{all}");

    let one = format!("/projects/{}/pull-requests/1", dashboard.setup.project);
    editor.submit(&format!("{one}/merge"), &[]).await.says("Merged");
    shows(&api, "crlf", "New <em>words</em>.").await;
    // The edit was based on a text that the branch doesn't have any more.
    let stale = form.save(&dashboard, &editor, &text, "Again").await;
    stale.is(StatusCode::CONFLICT).says("Someone changed this page while you wrote");

    let log = format!("/organizations/{}/audit?action=page.edit", dashboard.setup.organization);
    dashboard.member("admin").await.get(&log).await.says("Edited a page").says(&email);
}

#[tokio::test(flavor = "multi_thread")]
async fn stale_edit_keeps_the_text_and_shows_both() {
    let dashboard = published().await;
    let editor = dashboard.member("editor").await;
    let form = Form::open(&dashboard, &editor, "guides/start").await;
    let pushed = "---\ntitle: Start\n---\n\nTheirs </pre> & co.\n";
    dashboard.push(|work| std::fs::write(work.join("docs/guides/start.mdx"), pushed).unwrap());
    let mine = form.text().replace("Begin", "Mine </textarea> & co.");
    let page = form.save(&dashboard, &editor, &mine, "Mine").await;
    page.is(StatusCode::CONFLICT).says("Someone changed this page while you wrote");
    page.says("Theirs &lt;/pre&gt; &amp; co.").says("Mine &lt;/textarea&gt; &amp; co.");
    page.says("value=\"Mine\"");
    // Sent again, the form is based on the text that it showed.
    let again = Form { revision: page.after("name=\"revision\" value=\""), page, ..form };
    assert_eq!(again.text(), mine);
    again.save(&dashboard, &editor, &mine, "Mine").await.says("Pull request opened");
}

#[tokio::test(flavor = "multi_thread")]
async fn programs_edit_pages_in_the_name_of_their_key() {
    let dashboard = published().await;
    let (api, reader) = (dashboard.api("write"), dashboard.api("read"));
    let project = &dashboard.setup.project;
    let source = format!("/v1/projects/{project}/page-source?path=guides/start");
    let edits = format!("/v1/projects/{project}/page-edits");
    let answer = reader.send(Method::GET, &source, None).await;
    assert_eq!(answer.status(), 200);
    let found: Value = answer.json().await.unwrap();
    assert_eq!(found["file"], "docs/guides/start.mdx", "{found}");
    assert_eq!((&found["branch"], &found["unavailable"]), (&json!("main"), &Value::Null));
    let text = found["text"].as_str().unwrap();
    assert_eq!(text, "---\ntitle: \"Start\"\n---\n\nBegin [here](/crlf).\n");
    let body = |text: &str, revision: &Value| json!({ "path": "guides/start", "revision": revision, "text": text, "title": "Begin there", "description": "Why." });
    let edit = body(&text.replace("here", "there"), &found["revision"]);
    let refused = reader.send(Method::POST, &edits, Some(edit.clone())).await;
    assert_eq!(refused.status(), 403);
    let same = api.send(Method::POST, &edits, Some(body(text, &found["revision"]))).await;
    assert_eq!(same.status(), 400);
    let stale = body("---\ntitle: T\n---\n", &json!("8f2c1e0b9a7d6c5b4a39281706f5e4d3c2b1a098"));
    assert_eq!(api.send(Method::POST, &edits, Some(stale)).await.status(), 409);

    let answer = api.send(Method::POST, &edits, Some(edit)).await;
    assert_eq!(answer.status(), 201);
    let edited: Value = answer.json().await.unwrap();
    assert_eq!((&edited["file"], &edited["base"]), (&found["file"], &json!("main")), "{edited}");
    let url = edited["pullRequestUrl"].as_str().unwrap();
    assert!(url.ends_with(&format!("/projects/{project}/pull-requests/1")), "{url}");
    let head = edited["head"].as_str().unwrap();
    let log = git(&dashboard.bare(), &["log", "-1", "--format=%ae|%B", head]);
    assert_eq!(log, "docwright@localhost|Begin there\n\nWhy.");
}
