use std::{collections::VecDeque, sync::Mutex};

use serde_json::{Value, json};

use super::*;
use crate::{
    checker::{BrokenLink, MovedLink},
    models::ModelError,
    run::ModelResponse,
    workspace::{Changes, Limits as WorkspaceLimits},
};

/// A model with scripted answers, which then never answers again.
#[derive(Debug, Default)]
struct Script(Mutex<VecDeque<Result<ModelResponse, ModelError>>>);

impl Model for Script {
    fn answer<'a>(
        &'a self,
        instructions: &'a str,
        _: &'a [Turn],
    ) -> BoxFuture<'a, Result<ModelResponse, ModelError>> {
        assert!(instructions.contains("documentation repository"), "a model gets its rules");
        let next = self.0.lock().unwrap().pop_front();
        Box::pin(async move {
            match next {
                Some(answer) => answer,
                None => futures::future::pending().await,
            }
        })
    }
}

/// Saves every run. From some save on, it reports a lost run or an error.
#[derive(Default)]
struct Saves {
    runs: Mutex<Vec<Run>>,
    lost_after: Option<usize>,
    broken: bool,
}

impl Journal for Saves {
    fn save<'a>(&'a self, run: &'a Run) -> BoxFuture<'a, Result<bool, String>> {
        let mut runs = self.runs.lock().unwrap();
        runs.push(run.clone());
        let ours = self.lost_after.is_none_or(|count| runs.len() <= count);
        let saved = if self.broken { Err("the disk is full".to_owned()) } else { Ok(ours) };
        Box::pin(async move { saved })
    }
}

/// Finds an error in pages with `broken`; can't check those with `impossible`.
struct Words;

impl Checker for Words {
    fn check(&self, workspace: &Workspace) -> Result<Vec<Problem>, String> {
        let text = format!("{:?}", workspace.changes());
        if text.contains("impossible") {
            return Err("docs.json can't be read".to_owned());
        }
        let problem = Problem { path: "a.mdx".into(), line: 7, message: "bad".into(), help: None };
        Ok(if text.contains("broken") { vec![problem] } else { Vec::new() })
    }

    fn moved_links(&self, _: &Changes, _: &Changes) -> Result<Vec<MovedLink>, String> {
        Ok(Vec::new())
    }

    fn broken_links(&self, _: &Changes) -> Result<Vec<BrokenLink>, String> {
        Ok(Vec::new())
    }

    fn preview(&self, _: &Changes, _: &str) -> Result<String, String> {
        Ok(String::new())
    }
}

fn calls(name: &str, arguments: Value) -> ModelResponse {
    let call = Call { id: "1".into(), name: name.into(), arguments };
    ModelResponse { calls: vec![call], ..ModelResponse::default() }
}

fn write(text: &str) -> ModelResponse {
    calls("write", json!({ "path": "a.mdx", "text": text }))
}

fn finish(summary: &str) -> ModelResponse {
    calls("finish", json!({ "summary": summary }))
}

fn scripted<const COUNT: usize>(answers: [ModelResponse; COUNT]) -> Backend {
    Backend::Model(Box::new(Script(Mutex::new(answers.into_iter().map(Ok).collect()))))
}

/// Drives a run of a small site, whose one page says `here`, and returns the outcome.
async fn drive(
    prompt: &str,
    backend: &Backend,
    journal: &Saves,
) -> (Run, Result<Outcome, Stopped>) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("index.mdx"), "It is here.\n").unwrap();
    let limits = WorkspaceLimits::default();
    let mut workspace = Workspace::open(folder.path(), Changes::default(), limits).unwrap();
    let limits = Limits { seconds: 10.0, ..Limits::default() };
    let driver = Driver { backend, checker: &Words, journal, limits };
    let mut run = Run::new(prompt);
    let outcome = driver.drive(&mut run, &mut workspace).await;
    (run, outcome)
}

/// The reason of a run that failed.
async fn failure(prompt: &str, backend: &Backend) -> String {
    match drive(prompt, backend, &Saves::default()).await.1 {
        Ok(Outcome::Failed(reason)) => reason,
        other => panic!("{other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn run_is_saved_before_each_effect_and_at_its_end() {
    let backend = scripted([write("fine"), finish("Done")]);
    let journal = Saves::default();
    let (run, outcome) = drive("write", &backend, &journal).await;
    assert_eq!(outcome, Ok(Outcome::Completed("Done".into())));
    assert_eq!(run.changes().paths(), ["a.mdx"]);
    let saved = journal.runs.into_inner().unwrap();
    let effects: Vec<_> = saved
        .iter()
        .map(|run| match run.effect() {
            Effect::AskModel(_) => "ask",
            Effect::RunTools(_) => "tools",
            Effect::Check => "check",
            Effect::End(_) => "end",
        })
        .collect();
    assert_eq!(effects, ["ask", "tools", "ask", "tools", "check", "end"]);
    assert_eq!(saved.last(), Some(&run));
}

#[tokio::test(flavor = "multi_thread")]
async fn run_stops_when_its_lease_or_journal_is_lost() {
    let backend = scripted([write("fine"), finish("Done")]);
    let journal = Saves { lost_after: Some(1), ..Saves::default() };
    let (run, outcome) = drive("write", &backend, &journal).await;
    assert_eq!(outcome, Err(Stopped::Lost));
    assert!(run.changes().is_empty(), "the tools of the answer did not run");
    let broken = Saves { broken: true, ..Saves::default() };
    let outcome = drive("write", &scripted([]), &broken).await.1;
    assert_eq!(outcome, Err(Stopped::Journal("the disk is full".into())));
}

#[tokio::test(flavor = "multi_thread")]
async fn check_returns_diagnostics_and_secrets_to_model() {
    let secret = format!("one\nghp_{}", "a1B2".repeat(9));
    let answers = [
        write("broken"),
        finish("One"),
        write(&secret),
        finish("Two"),
        write("fine"),
        finish("Three"),
    ];
    let (run, outcome) = drive("write", &scripted(answers), &Saves::default()).await;
    assert_eq!(outcome, Ok(Outcome::Completed("Three".into())));
    let asked: Vec<_> = run
        .turns()
        .iter()
        .filter_map(|turn| match turn {
            Turn::User(text) => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert!(asked[1].contains("a.mdx:7: bad"), "{asked:?}");
    assert!(asked[2].contains("a.mdx:2: this looks like a secret (GitHub token)"), "{asked:?}");
    assert!(!asked[2].contains("ghp_"), "{asked:?}");
    assert_eq!(asked.len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn model_learns_why_call_was_refused() {
    let answers = [calls("shell", json!({})), finish("Nothing to do")];
    let (run, outcome) = drive("x", &scripted(answers), &Saves::default()).await;
    let Ok(Outcome::Completed(summary)) = outcome else { panic!("{outcome:?}") };
    assert!(summary.starts_with("No file was changed: Nothing to do"), "{summary}");
    assert!(summary.contains("`shell`: unknown tool `shell`"), "{summary}");
    let Turn::Tools(results) = &run.turns()[2] else { panic!("{:?}", run.turns()) };
    assert!(results[0].refused && results[0].text.contains("unknown tool `shell`"), "{results:?}");
    assert_eq!((results[0].id.as_str(), results[0].name.as_str()), ("1", "shell"));
}

#[tokio::test(flavor = "multi_thread")]
async fn reasons_reach_the_caller() {
    let unusable = Backend::Unusable("there is no key".into());
    assert_eq!(failure("x", &unusable).await, "there is no key");
    let error =
        ModelError { message: "overloaded".into(), attempts: 5, retry_after: None, outage: None };
    let failing = Backend::Model(Box::new(Script(Mutex::new([Err(error)].into()))));
    assert_eq!(failure("x", &failing).await, "overloaded");
    let reason = failure("sing", &Backend::Edits).await;
    assert!(reason.contains("replace"), "it lists what it understands: {reason}");
    let prompt = "replace \"here\" with \"broken\"";
    assert!(failure(prompt, &Backend::Edits).await.contains("a.mdx:7: bad"));
    let prompt = "replace \"here\" with \"impossible\"";
    let reason = failure(prompt, &Backend::Edits).await;
    assert!(reason.contains("docs.json: docs.json can't be read"), "{reason}");
}

#[tokio::test(flavor = "multi_thread")]
async fn built_in_edits_need_no_model() {
    let prompt = "replace \"here\" with \"there\"";
    let (run, outcome) = drive(prompt, &Backend::Edits, &Saves::default()).await;
    assert!(matches!(outcome, Ok(Outcome::Completed(_))), "{outcome:?}");
    assert_eq!(run.changes().paths(), ["index.mdx"]);
}

#[tokio::test(start_paused = true)]
async fn silent_model_times_out_shortly_after_time_limit() {
    let started = tokio::time::Instant::now();
    assert_eq!(failure("x", &scripted([])).await, "the model did not respond in time");
    let waited = started.elapsed().as_secs_f64();
    assert!((10.05..10.2).contains(&waited), "{waited}");
}

#[test]
fn conversation_joins_every_prompt() {
    let turns = [
        Turn::User("write a page".into()),
        Turn::Model(ModelResponse { text: "Done.".into(), ..ModelResponse::default() }),
        Turn::User("the check found an error".into()),
    ];
    assert_eq!(conversation(&turns), "write a page\n\nthe check found an error");
}

#[test]
fn driver_debug_output_names_backend() {
    let limits = Limits::default();
    let driver =
        Driver { backend: &Backend::Edits, checker: &Words, journal: &Saves::default(), limits };
    assert_eq!(format!("{driver:?}"), "Driver { backend: Edits, .. }");
}
