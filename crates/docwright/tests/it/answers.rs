//! `docwright answers check`: figures, baselines, exit codes, and errors of the file.

use std::{fs, path::Path, process::Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::server::docwright;

const QUESTIONS: &str = "- question: How large can a file be?\n  pages: [limits]\n  contains: [20 MB]\n\
    - question: How do I upload files to Dropbox?\n  unanswered: true\n";

/// A docs root with golden questions.
fn root(questions: &str) -> TempDir {
    let root = tempfile::tempdir().unwrap();
    let config = r#"{"theme":"mint","name":"x","navigation":{"pages":["index","limits"]}}"#;
    for (path, text) in [
        ("docs.json", config),
        ("index.mdx", "---\ntitle: Welcome\n---\nAcme stores the documents of a team.\n"),
        ("limits.mdx", "---\ntitle: Limits\n---\n## Uploads\n\nA file has at most 20 MB.\n"),
        (".docwright/questions.yaml", questions),
    ] {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    root
}

/// The exit code, output, and errors of a check.
fn check(arguments: &[&str]) -> (i32, String, String) {
    let mut command = docwright(&["answers", "check"]);
    let output = command.args(arguments).stderr(Stdio::piped()).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

#[test]
fn figures_are_printed_for_the_file_of_the_docs_root() {
    let root = root(QUESTIONS);
    let (code, out, err) = check(&[&shown(root.path())]);
    assert_eq!(code, 0, "{err}");
    assert!(out.starts_with("2 of 2 questions passed with builtin:extract\n"), "{out}");
    for line in
        ["recall at 1           1.00", "right refusals        1.00", "citations that hold   1.00"]
    {
        assert!(out.contains(line), "{out}");
    }
    let file = shown(&root.path().join(".docwright/questions.yaml"));
    let (code, out, err) = check(&[&file, &shown(root.path()), "--method", "retrieval", "--json"]);
    assert_eq!(code, 0, "{err}");
    let report: Value = serde_json::from_str(out.lines().last().unwrap()).unwrap();
    assert_eq!(report["method"], "retrieval");
    assert_eq!(report["figures"]["recallAt5"], 1.0);
    assert_eq!(report["figures"].get("rightRefusals"), None);
    assert_eq!(report["questions"][0]["rank"], 1);
}

#[test]
fn question_that_passed_in_the_baseline_fails_the_check() {
    let root = root(QUESTIONS);
    let folder = shown(root.path());
    let baseline = shown(&root.path().join("answers.jsonl"));
    assert_eq!(check(&[&folder, "--write-baseline", &baseline]).0, 0);
    assert_eq!(check(&[&folder, "--baseline", &baseline]).0, 0);
    fs::write(root.path().join("limits.mdx"), "---\ntitle: Limits\n---\nThere are some.\n")
        .unwrap();
    // Without a baseline, a question that fails is only printed.
    let (code, out, _) = check(&[&folder]);
    assert_eq!(code, 0);
    assert!(out.contains("failed: How large can a file be?\n"), "{out}");
    let (code, out, err) = check(&[&folder, "--baseline", &baseline]);
    assert_eq!(code, 1, "{err}");
    assert!(out.contains("lost: How large can a file be?\n1 lost, 0 gained, 0 gone"), "{out}");
}

#[test]
fn errors_of_the_file_name_its_line_and_a_remedy() {
    for (questions, expected) in [
        (
            "- question: How?\n  pages: [limits]\n- question: Why?\n",
            ":3: `Why?` names no page; add `pages`",
        ),
        ("- question: How?\n  page: limits\n", ":2: "),
        (
            "- question: Wie?\n  pages: [limits]\n  language: de\n",
            "no language `de`, which `Wie?` names; use one of: en",
        ),
    ] {
        let root = root(questions);
        let (code, _, err) = check(&[&shown(root.path())]);
        assert_eq!(code, 2, "{err}");
        assert!(err.contains("questions.yaml") && err.contains(expected), "{err}");
    }
    let root = root(QUESTIONS);
    fs::remove_file(root.path().join(".docwright/questions.yaml")).unwrap();
    let (code, _, err) = check(&[&shown(root.path())]);
    assert!(code == 2 && err.contains("cannot read the questions"), "{err}");
}

/// The exit code, output, and errors of suggestions.
fn suggest(arguments: &[&str]) -> (i32, String, String) {
    let mut command = docwright(&["answers", "suggest"]);
    let output = command.args(arguments).stderr(Stdio::piped()).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn suggestions_come_from_readers_and_headings_and_pass_the_check() {
    let root = root(QUESTIONS);
    let folder = shown(root.path());
    let gaps = shown(&root.path().join("gaps.json"));
    let asked = r#"{"gaps":[{"question":"What about Kubernetes?"},{"question":"How large can a file be?"},
        {"question":"kubernetes"},{"question":"Who stores the documents of a team?","language":"en"}]}"#;
    fs::write(&gaps, asked).unwrap();
    let (code, out, err) = suggest(&[&folder, "--from", &gaps]);
    assert_eq!(code, 0, "{err}");
    let expected = "\
# Asked 2 times.
# The pages don't answer this yet: no page is near.
- question: \"What about Kubernetes?\"
  unanswered: true

- question: \"Who stores the documents of a team?\"
  pages: [\"index\"]

- question: \"How does welcome work?\"
  pages: [\"index\"]

# The pages don't answer this yet: refused; /limits is page 1 of those found.
- question: \"How do limits work?\"
  pages: [\"limits\"]
";
    assert!(out.starts_with(expected), "{out}");
    assert_eq!(suggest(&[&folder, "--from", &gaps]).1, out, "the same questions every time");
    assert!(err.contains("questions suggested; the pages don't answer"), "{err}");
    let file = shown(&root.path().join("suggested.yaml"));
    fs::write(&file, &out).unwrap();
    let (code, report, err) = check(&[&file, &folder]);
    assert_eq!(code, 0, "{err}");
    // The questions that fail are those with a comment, without the unanswered one.
    let failed = report.matches("failed: ").count();
    assert_eq!(out.matches("# The pages don't").count(), failed + 1, "{report}");
    let (_, one, _) = suggest(&[&folder, "--limit", "1"]);
    assert_eq!(one.matches("- question").count(), 1, "{one}");
    fs::write(&gaps, "no JSON").unwrap();
    let (code, _, err) = suggest(&[&folder, "--from", &gaps]);
    assert!(code == 2 && err.contains("isn't JSON"), "{err}");
}
