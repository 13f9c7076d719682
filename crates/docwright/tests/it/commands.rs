//! Commands as users run them.

use std::{fs, path::PathBuf, process::Stdio};

use serde_json::Value;

use crate::server::docwright;

fn docs() -> String {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs").display().to_string()
}

#[test]
fn demo_builds_exports_and_deploys_site() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("demo").display().to_string();
    let output = docwright(&["demo", "--exit", "--data", &data]).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}");
    let (steps, rest) = text.split_once("\n\n").unwrap();
    let steps: Vec<_> = steps.lines().map(|line| line.trim().split_once("  ").unwrap()).collect();
    let names: Vec<_> = steps.iter().map(|(name, _)| *name).collect();
    let expected =
        ["project", "publish", "host", "export", "bundle", "verify", "deploy", "agent", "pull"];
    assert_eq!(names, expected, "{text}");
    let result = |name: &str| steps[expected.iter().position(|each| *each == name).unwrap()].1;
    // `publish` reports a result even if the service already built the commit.
    let (pages, commit) = result("publish").split_once(" pages of commit ").expect(&text);
    assert!(pages.parse::<u32>().is_ok_and(|pages| pages > 100), "{text}");
    assert_eq!(commit.len(), 7, "{text}");
    assert_eq!(result("export"), format!("{pages} pages, 0 diagnostics"), "{text}");
    assert!(result("verify").ends_with("files match the manifest"), "{text}");
    assert!(result("pull").starts_with("http://127.0.0.1:"), "{text}");
    for expected in
        ["\nSite ", "\nAPI ", "\nKey ", "\nDashboard ", "\nPull request ", "curl -X POST"]
    {
        assert!(format!("\n{rest}").contains(expected), "{expected:?} is missing: {text}");
    }
    assert!(rest.contains("/sign-in/link?token="), "{text}");
    assert!(folder.path().join("demo/bundle.tar.gz").is_file());
}

#[test]
fn summaries_are_one_json_object() {
    let folder = tempfile::tempdir().unwrap();
    let (site, bundle) = (folder.path().join("site"), folder.path().join("site.tar.gz"));
    for arguments in [
        vec!["build", "--out", site.to_str().unwrap()],
        vec!["build", "--out", site.to_str().unwrap()],
        vec!["export", "--out", bundle.to_str().unwrap()],
        vec!["check"],
    ] {
        let output = docwright(&arguments).args([&docs(), "--json"]).output().unwrap();
        assert!(output.status.success());
        let text = String::from_utf8(output.stdout).unwrap();
        let summary: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
        assert_eq!(summary["errors"], 0);
        assert!(
            summary["pages"].as_u64().is_some_and(|pages| pages > 5) && summary["seconds"].is_f64()
        );
    }
}

#[test]
fn check_fails_on_errors_and_writes_sarif() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("docs.json"), r#"{"name":"x","navigation":{"pages":["index"]}}"#)
        .unwrap();
    fs::write(folder.path().join("index.mdx"), "[x](/none)\n").unwrap();
    let path = folder.path().to_str().unwrap();
    let output = docwright(&["check", path, "--format", "sarif"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let log: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(log["runs"][0]["results"][0]["ruleId"], "broken-link");
    let text = docwright(&["check", path]).output().unwrap();
    assert!(
        String::from_utf8_lossy(&text.stdout)
            .starts_with("index.mdx:1:1: error: broken link to `/none`")
    );
}

#[test]
fn folder_with_other_files_is_not_emptied() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("precious"), "x").unwrap();
    let output =
        docwright(&["build", &docs(), "--out", folder.path().to_str().unwrap()]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(folder.path().join("precious").is_file());
}

#[test]
fn credentials_need_an_owner() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_str().unwrap();
    for (flag, expected) in [
        ("--project", "project nobody not found; see `docwright admin project list`"),
        (
            "--organization",
            "organization nobody not found; see `docwright admin organization list`",
        ),
    ] {
        let output = docwright(&["admin", "--data", data, "credential", "set", "github.com"])
            .args([flag, "nobody"])
            .stderr(Stdio::piped())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(1));
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(error.contains(expected), "{error}");
    }
}
