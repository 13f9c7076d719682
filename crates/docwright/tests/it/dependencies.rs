//! Problems of models and of the object storage: they are listed when the cause occurs, and go when it is gone.

use docwright_testing::{
    s3::{BUCKET, S3Server},
    wait::eventually,
};
use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    agent::write_site,
    assistant::{
        hosted::{answers, ask, publish, switch},
        model::{Does, KEY, ScriptedModel},
        write_docs,
    },
    dashboard::Dashboard,
    server::{Api, Setup},
};

const MODEL: &str = "openai-chat:tiny";

/// The problems of a kind.
async fn problems(api: &Api, project: &str, kind: &str) -> Vec<Value> {
    let path = format!("/v1/projects/{project}/problems");
    let list: Value = api.send(Method::GET, &path, None).await.json().await.unwrap();
    let all = list["problems"].as_array().unwrap_or_else(|| panic!("{list}"));
    all.iter().filter(|problem| problem["kind"] == kind).cloned().collect()
}

async fn appears(api: &Api, project: &str, kind: &str) -> Value {
    eventually(&format!("there is a problem of the {kind}"), async || {
        problems(api, project, kind).await.into_iter().next()
    })
    .await
}

async fn goes(api: &Api, project: &str, kind: &str) {
    eventually(&format!("there is no problem of the {kind}"), async || {
        let left = problems(api, project, kind).await;
        if left.is_empty() { Ok(()) } else { Err(json!(left)) }
    })
    .await;
}

async fn try_now(api: &Api, project: &str) {
    let path = format!("/v1/projects/{project}/problems/test");
    assert_eq!(api.send(Method::POST, &path, None).await.status(), 200);
}

fn refuses() -> Does {
    Does::Responds(
        401,
        "application/json",
        r#"{"error":{"message":"bad key sk-assistant-s3cret"}}"#,
    )
}

/// A model that an agent job and a person meet.
async fn model_of_agent_jobs(setup: Setup) {
    let model = ScriptedModel::start().await;
    let (urls, keys) = (format!("openai-chat={}", model.address), format!("openai-chat={KEY}"));
    let process =
        setup.serve_with(&[("DOCWRIGHT_AGENT_URLS", &urls), ("DOCWRIGHT_AGENT_KEYS", &keys)]);
    let (api, project) = (setup.api(&process), setup.project.clone());
    model.does(refuses());
    let work = async || {
        let job = api.prompt(&project, "Fix the links").await;
        api.finished(&project, job["id"].as_str().unwrap()).await
    };
    assert_eq!(work().await["status"], "failed");
    let problem = appears(&api, &project, "model").await;
    let message = format!("the model `{MODEL}` doesn't respond: its provider refuses the key");
    assert_eq!((&problem["message"], &problem["subject"]), (&json!(message), &json!(MODEL)));
    assert!(problem["since"].is_string() && problem["nextAttemptAt"].is_string(), "{problem}");
    assert_eq!(problem["attempts"], 1);
    // A test while it is broken changes nothing but the count.
    try_now(&api, &project).await;
    assert_eq!(appears(&api, &project, "model").await["attempts"], 2);
    // A job that succeeds shows that it works.
    model.writes("Nothing is to do.");
    work().await;
    goes(&api, &project, "model").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn model_that_refuses_its_key_is_a_problem_until_a_job_succeeds() {
    model_of_agent_jobs(Setup::built_in(write_site, &["--model", MODEL])).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL"]
async fn model_that_refuses_its_key_is_a_problem_on_postgres() {
    let url = docwright_testing::database::postgres_url("dependencies").await;
    let setup = Setup::on_database(write_site, &url);
    setup.admin(&["project", "update", &setup.project, "--model", MODEL]);
    model_of_agent_jobs(setup).await;
}

/// A project that no longer uses a model has no problem with it.
#[tokio::test(flavor = "multi_thread")]
async fn another_model_resolves_the_problem() {
    let setup = Setup::built_in(write_site, &["--model", "anthropic:x"]);
    let process = setup.serve();
    let key = setup.new_key(&["--scope", "admin"]);
    let api = Api { key, ..setup.api(&process) };
    let job = api.prompt(&setup.project, "Fix the links").await;
    api.finished(&setup.project, job["id"].as_str().unwrap()).await;
    let problem = appears(&api, &setup.project, "model").await;
    assert!(problem["message"].as_str().unwrap().contains("no key for `anthropic`"), "{problem}");
    let path = format!("/v1/projects/{}", setup.project);
    let edits = json!({ "model": "builtin:edits" });
    assert_eq!(api.send(Method::PATCH, &path, Some(edits)).await.status(), 200);
    goes(&api, &setup.project, "model").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn model_of_the_assistant_is_a_problem_until_it_answers() {
    let model = ScriptedModel::start().await;
    let setup = Setup::built_in(write_docs, &[]);
    let (urls, keys) = (format!("openai-chat={}", model.address), format!("openai-chat={KEY}"));
    let process = setup.serve_with(&[
        ("DOCWRIGHT_ASSISTANT_MODEL", MODEL),
        ("DOCWRIGHT_AGENT_URLS", &urls),
        ("DOCWRIGHT_AGENT_KEYS", &keys),
    ]);
    let key = setup.new_key(&["--scope", "admin"]);
    let api = Api { key, ..setup.api(&process) };
    let host = "docs.example.com";
    switch(&api, &setup.project, "on").await;
    publish(&api, host).await;
    answers(&process.address, host, true).await;
    let question = async || {
        let answer = ask(&process.address, host, "When do keys expire?").await;
        answer.text().await.unwrap()
    };
    model.does(refuses());
    question().await;
    let problem = appears(&api, &setup.project, "model").await;
    assert!(!problem.to_string().contains(KEY), "{problem}");
    // Another project doesn't use the assistant.
    let other = setup.admin(&["project", "create", "Other", "--organization", &setup.organization]);
    assert_eq!(problems(&api, other["id"].as_str().unwrap(), "model").await, [] as [Value; 0]);
    model.writes("They expire.\n[[?: \"Keys expire after 30 days\"]]\n");
    question().await;
    goes(&api, &setup.project, "model").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn refusing_object_storage_is_a_problem_until_it_takes_bundles() {
    let (setup, server) = (Setup::built_in(write_site, &[]), S3Server::start().await);
    let (address, variables) = (format!("s3://{BUCKET}/docs"), server.variables());
    let mut all = vec![("DOCWRIGHT_OBJECTS", address.as_str())];
    all.extend(variables.iter().map(|(name, value)| (*name, value.as_str())));
    let dashboard = Dashboard::on(setup, &all).await;
    let (api, project) = (dashboard.api("write"), dashboard.setup.project.clone());
    dashboard.released(&api, 1).await;
    let overview = format!("/projects/{project}");
    dashboard.operator.get(&overview).await.lacks("object storage");
    server.failures.refuse(true);
    let build = async |words: &str| {
        dashboard.setup.commit("page-0.mdx", words);
        let path = format!("/v1/project/update/{project}");
        assert_eq!(api.send(Method::POST, &path, Some(json!({}))).await.status(), 202);
    };
    build("# One").await;
    let problem = appears(&api, &project, "storage").await;
    let message = "docwright can't write to the object storage: it refuses access (AccessDenied)";
    assert_eq!((&problem["message"], &problem["subject"]), (&json!(message), &Value::Null));
    let page = dashboard.operator.get(&overview).await;
    page.says("Releases and exports need object storage that works:");
    page.says("/instance").says(&format!("{overview}/problems/test"));
    // Members can't repair it, and learn who can.
    let editor = dashboard.member("editor").await;
    editor.get(&overview).await.says("The operator of this instance can fix this.");
    editor.post(&format!("{overview}/problems/test"), &[]).await;
    editor.get(&overview).await.says("it refuses access (AccessDenied)");
    server.failures.refuse(false);
    build("# Two").await;
    goes(&api, &project, "storage").await;
    dashboard.operator.get(&overview).await.lacks("object storage");
}

/// "Try now" repairs the list without another job.
#[tokio::test(flavor = "multi_thread")]
async fn test_resolves_a_problem_that_is_over() {
    let (setup, server) = (Setup::new(), S3Server::start().await);
    let (address, variables) = (format!("s3://{BUCKET}/docs"), server.variables());
    let mut all = vec![("DOCWRIGHT_OBJECTS", address.as_str())];
    all.extend(variables.iter().map(|(name, value)| (*name, value.as_str())));
    let process = setup.serve_with(&all);
    let api = setup.api(&process);
    server.failures.refuse(true);
    api.start_export().await;
    appears(&api, &setup.project, "storage").await;
    server.failures.refuse(false);
    try_now(&api, &setup.project).await;
    assert_eq!(problems(&api, &setup.project, "storage").await, [] as [Value; 0]);
}
