use serde_json::json;

use super::*;

fn call(name: &str) -> ModelResponse {
    let call = Call { id: "1".into(), name: name.into(), arguments: json!({}) };
    ModelResponse { calls: vec![call], ..ModelResponse::default() }
}

fn results(refused: bool) -> Vec<CallResult> {
    vec![CallResult { id: "1".into(), name: "x".into(), text: "because".into(), refused }]
}

fn changes() -> Changes {
    serde_json::from_value(json!({ "a.mdx": { "written": "x" } })).unwrap()
}

fn apply(run: &mut Run, event: Event) {
    run.apply(event, 1.0, &Limits::default());
    // Every state can be saved and read again.
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
fn run_asks_works_checks_and_ends() {
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
    assert!(run.prompt().contains("a.mdx:3: it is broken"), "the model gets the diagnostics");
    apply(
        &mut run,
        Event::Answered(ModelResponse { text: "Fixed.".into(), ..ModelResponse::default() }),
    );
    apply(&mut run, Event::Checked(Vec::new()));
    assert_eq!(run.effect(), Effect::End(&Outcome::Completed("Fixed.".into())));
    run.follow_up("more");
    assert!(matches!(run.effect(), Effect::AskModel(_)) && run.changes().is_empty());
    assert_eq!(run.prompt(), "more");
}

#[test]
fn change_fails_after_limit_of_checks() {
    let mut run = Run::new("do it");
    apply(&mut run, Event::Answered(call("write")));
    apply(&mut run, ran(false, changes(), None));
    for _ in 0..MAXIMUM_CHECKS {
        apply(
            &mut run,
            Event::Answered(ModelResponse { text: "Done.".into(), ..ModelResponse::default() }),
        );
        apply(&mut run, Event::Checked(vec![problem()]));
    }
    assert!(failure(&run).contains("a.mdx:3: it is broken"));
}

#[test]
fn looping_refused_and_silent_models_are_stopped() {
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
    apply(&mut silent, Event::Answered(ModelResponse::default()));
    assert!(failure(&silent).contains("empty response"));
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
    let usage = |tokens, cost| Usage { input_tokens: tokens, output_tokens: 2, cost };
    assert!(run(usage(1, None), 0.0, 3).contains("3 steps"));
    assert!(run(usage(99, None), 0.0, 1).contains("100 tokens"));
    assert!(run(usage(1, None), 10.5, 1).contains("10 seconds"));
    assert!(run(usage(1, Some(1.5)), 0.0, 1).contains("1 US dollars"));
}

#[test]
fn run_can_use_limits_completely() {
    let limits = Limits { steps: 2, tokens: 100, seconds: 10.0, cost: Some(1.0) };
    let mut run = Run::new("x");
    let mut first = call("list");
    first.usage = Usage { input_tokens: 60, output_tokens: 40, cost: Some(1.0) };
    run.apply(Event::Answered(first.clone()), 4.0, &limits);
    assert_eq!(run.usage(), &first.usage);
    run.apply(ran(false, changes(), None), 5.0, &limits);
    assert!((run.seconds_left(&limits) - 1.0).abs() < 1e-9);
    run.apply(Event::Answered(call("finish")), 1.0, &limits);
    assert!(matches!(run.effect(), Effect::RunTools(_)), "the last step can still use tools");
    run.apply(ran(false, changes(), Some("Done")), 0.0, &limits);
    run.apply(Event::Checked(Vec::new()), 0.0, &limits);
    assert_eq!(run.effect(), Effect::End(&Outcome::Completed("Done".into())));
    run.apply(Event::Failed("too late".into()), 1.0, &limits);
    assert_eq!(run.effect(), Effect::End(&Outcome::Completed("Done".into())), "it has ended");
    assert!(run.seconds_left(&Limits { seconds: 5.0, ..limits }) == 0.0, "never negative");
}

#[test]
fn loop_is_equal_calls_in_a_row() {
    let calls = |arguments: &[(&str, Value)]| {
        let call = |(name, arguments): &(&str, Value)| Call {
            id: "1".into(),
            name: (*name).into(),
            arguments: arguments.clone(),
        };
        ModelResponse { calls: arguments.iter().map(call).collect(), ..ModelResponse::default() }
    };
    let (one, other) = (json!({ "path": "a" }), json!({ "path": "b" }));
    let changing = [
        calls(&[("read", one.clone())]),
        calls(&[("read", other.clone())]),
        calls(&[("list", other.clone())]),
        calls(&[("list", other.clone()), ("read", other)]),
    ];
    let mut run = Run::new("x");
    for number in 0..40 {
        apply(&mut run, Event::Answered(changing[number % changing.len()].clone()));
        apply(&mut run, ran(false, Changes::default(), None));
    }
    assert!(matches!(run.effect(), Effect::AskModel(_)), "{:?}", run.effect());
    let mut run = Run::new("x");
    for _ in 0..MAXIMUM_REPEATS {
        apply(&mut run, Event::Answered(calls(&[("read", one.clone())])));
        apply(&mut run, ran(false, Changes::default(), None));
    }
    assert!(matches!(run.effect(), Effect::AskModel(_)), "{:?}", run.effect());
    apply(&mut run, Event::Answered(calls(&[("read", one)])));
    assert!(failure(&run).contains("over and over"));
}

#[test]
fn run_stops_only_after_refusals_in_a_row() {
    let mut run = Run::new("x");
    let mixed = || {
        let (mut mixed, refused) = (results(true), results(false));
        mixed.extend(refused);
        mixed
    };
    for number in 0..3 * MAXIMUM_REFUSALS {
        let mut answer = call("read");
        answer.calls[0].arguments = json!({ "number": number });
        apply(&mut run, Event::Answered(answer));
        let some = number % MAXIMUM_REFUSALS == 0;
        let results = if some { mixed() } else { results(true) };
        apply(&mut run, Event::ToolsRan { results, changes: changes(), finished: None });
    }
    assert!(matches!(run.effect(), Effect::AskModel(_)), "{:?}", run.effect());
}

#[test]
fn backend_that_repairs_gets_diagnostics_of_check() {
    let worked = |can_repair| Event::Worked {
        changes: changes(),
        summary: "Did".into(),
        refused: Vec::new(),
        can_repair,
    };
    let mut run = Run::new("x");
    apply(&mut run, worked(true));
    apply(&mut run, Event::Checked(vec![problem()]));
    assert!(matches!(run.effect(), Effect::AskModel(_)), "{:?}", run.effect());
    let mut run = Run::new("x");
    apply(&mut run, worked(false));
    apply(&mut run, Event::Checked(vec![problem()]));
    assert!(failure(&run).contains("does not pass the check"));
}

#[test]
fn repeated_work_counts_as_steps() {
    let limits = Limits { steps: 2, ..Limits::default() };
    let mut run = Run::new("x");
    for _ in 0..2 {
        assert!(matches!(run.effect(), Effect::AskModel(_)), "{:?}", run.effect());
        let event = Event::Worked {
            changes: changes(),
            summary: "Did".into(),
            refused: Vec::new(),
            can_repair: true,
        };
        run.apply(event, 0.0, &limits);
        run.apply(Event::Checked(vec![problem()]), 0.0, &limits);
    }
    assert!(failure(&run).contains("2 steps"));
}

#[test]
fn follow_up_keeps_conversation_and_cost() {
    let mut run = Run::new("first");
    let mut answer = call("finish");
    answer.usage = Usage { input_tokens: 5, output_tokens: 6, cost: Some(0.5) };
    apply(&mut run, Event::Answered(answer.clone()));
    apply(&mut run, ran(false, changes(), Some("Done")));
    apply(&mut run, Event::Checked(Vec::new()));
    run.follow_up("second");
    let expected = [
        Turn::User("first".into()),
        Turn::Model(answer.clone()),
        Turn::Tools(results(false)),
        Turn::User("second".into()),
    ];
    assert_eq!(run.turns(), expected);
    assert_eq!((run.usage(), run.changes()), (&answer.usage, &Changes::default()));
    let limits = Limits::default();
    assert!((run.seconds_left(&limits) - limits.seconds).abs() < 1e-9, "time begins anew");
}

#[test]
fn run_without_changes_reports_the_reason() {
    let completed = |run: &Run| match run.effect() {
        Effect::End(Outcome::Completed(summary)) => summary.clone(),
        other => panic!("{other:?}"),
    };
    let mut run = Run::new("x");
    for number in 0..3 {
        let mut answer = call("write");
        answer.calls[0].arguments = json!({ "number": number });
        apply(&mut run, Event::Answered(answer));
        apply(&mut run, ran(true, Changes::default(), None));
    }
    apply(
        &mut run,
        Event::Answered(ModelResponse { text: "Done.".into(), ..ModelResponse::default() }),
    );
    let expected =
        "No file was changed: Done.\n\nThese calls were refused:\n- `x`: because (3 times)";
    assert_eq!(completed(&run), expected);
    assert!(run.summaries().is_empty());
    let worked = |refused| Event::Worked {
        changes: Changes::default(),
        summary: " ".into(),
        refused,
        can_repair: true,
    };
    let mut run = Run::new("x");
    apply(&mut run, worked(vec![("execute".into(), "no commands".into())]));
    assert!(completed(&run).starts_with("No file was changed, and the agent gave no reason."));
    assert!(completed(&run).ends_with("- `execute`: no commands"));
    run.follow_up("more");
    assert_eq!(run.refused().len(), 1, "the job's record keeps it");
}

#[test]
fn stored_refusals_are_limited() {
    let mut run = Run::new("x");
    let refused = (0..100).map(|number| (format!("{number}").repeat(50), "y".repeat(5000)));
    let refused = refused.collect();
    let summary = "Did".to_owned();
    apply(&mut run, Event::Worked { changes: changes(), summary, refused, can_repair: true });
    assert_eq!(run.refused().len(), KEPT_REFUSALS);
    assert!(run.refused().iter().all(|call| call.tool.len() <= 64 && call.reason.len() <= 300));
}

#[test]
fn each_prompt_with_changes_has_a_summary() {
    let mut run = Run::new("first");
    for summary in ["One", "Two"] {
        apply(&mut run, Event::Answered(call("finish")));
        apply(&mut run, ran(false, changes(), Some(summary)));
        apply(&mut run, Event::Checked(Vec::new()));
        run.follow_up("more");
    }
    assert_eq!(run.summaries(), ["One", "Two"]);
}
