use serde_json::json;

use super::*;

fn call(name: &str) -> Answer {
    let call = Call { id: "1".into(), name: name.into(), arguments: json!({}) };
    Answer { calls: vec![call], ..Answer::default() }
}

fn results(refused: bool) -> Vec<CallResult> {
    vec![CallResult { id: "1".into(), name: "x".into(), text: "because".into(), refused }]
}

fn changes() -> Changes {
    serde_json::from_value(json!({ "a.mdx": { "written": "x" } })).unwrap()
}

fn apply(run: &mut Run, event: Event) {
    run.apply(event, 1.0, &Limits::default());
    // Whatever the state, it can be saved and read again.
    let saved = serde_json::to_string(run).unwrap();
    assert_eq!(serde_json::from_str::<Run>(&saved).unwrap(), *run);
}

fn ran(refused: bool, changes: Changes, finished: Option<&str>) -> Event {
    Event::ToolsRan { results: results(refused), changes, finished: finished.map(str::to_owned) }
}

fn failure(run: &Run) -> &str {
    match run.effect() {
        Effect::End(Outcome::Failed(reason)) => reason,
        other => panic!("{other:?}"),
    }
}

fn problem() -> Problem {
    Problem { path: "a.mdx".into(), line: 3, message: "it is broken".into(), help: None }
}

#[test]
fn a_run_asks_works_checks_and_ends() {
    let mut run = Run::new("do it");
    assert!(matches!(run.effect(), Effect::AskModel([Turn::User(_)])));
    apply(&mut run, Event::Answered(call("edit")));
    assert!(matches!(run.effect(), Effect::RunTools([_])));
    apply(&mut run, ran(false, changes(), None));
    assert!(matches!(run.effect(), Effect::AskModel(_)));
    apply(&mut run, Event::Answered(call("finish")));
    apply(&mut run, ran(false, changes(), Some("Done")));
    assert_eq!(run.effect(), Effect::Check);
    apply(&mut run, Event::Checked(vec![problem()]));
    assert!(run.prompt().contains("a.mdx:3: it is broken"), "the model gets the mistakes");
    apply(&mut run, Event::Answered(Answer { text: "Fixed.".into(), ..Answer::default() }));
    apply(&mut run, Event::Checked(Vec::new()));
    assert_eq!(run.effect(), Effect::End(&Outcome::Completed("Fixed.".into())));
    run.follow_up("more");
    assert!(matches!(run.effect(), Effect::AskModel(_)) && run.changes().is_empty());
    assert_eq!(run.prompt(), "more");
}

#[test]
fn a_change_that_never_passes_fails() {
    let mut run = Run::new("do it");
    apply(&mut run, Event::Answered(call("write")));
    apply(&mut run, ran(false, changes(), None));
    for _ in 0..MAXIMUM_CHECKS {
        apply(&mut run, Event::Answered(Answer { text: "Done.".into(), ..Answer::default() }));
        apply(&mut run, Event::Checked(vec![problem()]));
    }
    assert!(failure(&run).contains("a.mdx:3: it is broken"));
}

#[test]
fn models_that_go_nowhere_are_stopped() {
    let mut looping = Run::new("x");
    for _ in 0..20 {
        apply(&mut looping, Event::Answered(call("list")));
        apply(&mut looping, ran(false, Changes::default(), None));
    }
    assert!(failure(&looping).contains("over and over"));
    let mut refused = Run::new("x");
    for number in 0..20 {
        let mut answer = call("nonsense");
        answer.calls[0].arguments = json!({ "number": number });
        apply(&mut refused, Event::Answered(answer));
        apply(&mut refused, ran(true, Changes::default(), None));
    }
    assert!(failure(&refused).contains("refused 12 times"));
    let mut silent = Run::new("x");
    apply(&mut silent, Event::Answered(Answer::default()));
    assert!(failure(&silent).contains("nothing"));
}

#[test]
fn every_limit_ends_a_run_with_its_reason() {
    let limits = Limits { steps: 3, tokens: 100, seconds: 10.0, cost: Some(1.0) };
    let run = |usage: Usage, seconds: f64, steps: usize| {
        let mut run = Run::new("x");
        for number in 0..steps {
            let mut answer = call("list");
            answer.calls[0].arguments = json!({ "number": number });
            answer.usage = usage.clone();
            run.apply(Event::Answered(answer), seconds, &limits);
            run.apply(ran(false, Changes::default(), None), 0.0, &limits);
        }
        failure(&run).to_owned()
    };
    let usage = |tokens, cost| Usage { input_tokens: tokens, output_tokens: 0, cost };
    assert!(run(usage(1, None), 0.0, 3).contains("3 steps"));
    assert!(run(usage(101, None), 0.0, 1).contains("100 tokens"));
    assert!(run(usage(1, None), 11.0, 1).contains("10 seconds"));
    assert!(run(usage(1, Some(1.5)), 0.0, 1).contains("1 US dollars"));
}
