//! `cargo xtask afdocs`: checks whether AI agents can read a site, with the public checks of `AFDocs`
//! (<https://agentdocsspec.com>), on the address where docwright serves it.

use std::{
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use anyhow::{Context, bail, ensure};
use serde_json::Value;

use crate::{process, tools};

/// The folder of the package with the checks.
const PACKAGE: &str = "tests/afdocs";
/// The address in the site's files. The checks send requests to the local server instead.
const SITE_URL: &str = "https://docs.example.com";
/// Number of checked pages, spread evenly over the site.
const PAGES: &str = "50";
/// Paragraphs that can't be compared: HTML has the symbols of a formula, Markdown its TeX.
const NOT_COMPARED: &str = "p:has(math)";

/// The sites to check.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Arguments {
    /// Folders with docs.json [default: the manual]
    #[arg(value_name = "DIR")]
    folders: Vec<PathBuf>,
    /// The program that builds and serves the sites [default: this repository's]
    #[arg(long, value_name = "FILE")]
    docwright: Option<PathBuf>,
}

/// Checks each site. Fails if a site doesn't pass.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    tools::require_base()?;
    let package = tools::install_packages(PACKAGE)?;
    let docwright = if let Some(path) = &arguments.docwright {
        path.clone()
    } else {
        process::build_docwright()?
    };
    let manual = [process::root().join("docs")];
    let folders = arguments.folders.as_slice();
    let folders = if folders.is_empty() { &manual[..] } else { folders };
    let mut failed = 0;
    for folder in folders {
        let problems = check(&docwright, &package, folder)
            .with_context(|| format!("cannot check {}", folder.display()))?;
        for problem in &problems {
            println!("  {problem}");
        }
        failed += problems.len();
    }
    if failed == 0 { Ok(()) } else { bail!("{failed} checks did not pass") }
}

/// Builds and serves a site. Returns the failed checks.
fn check(docwright: &Path, package: &Path, docs: &Path) -> anyhow::Result<Vec<String>> {
    let folder = tempfile::tempdir()?;
    let bundle = folder.path().join("bundle.tar.gz");
    let mut export = Command::new(docwright);
    export
        .args(["export", "--no-cache"])
        .arg(docs)
        .arg("--out")
        .arg(&bundle)
        .args(["--site-url", SITE_URL]);
    process::run(&mut export)?;
    let served = Served::start(docwright, folder.path(), &bundle)?;
    let output = Command::new("node")
        .arg("--import")
        .arg(package.join("retries.mjs"))
        .arg(package.join("node_modules/afdocs/bin/afdocs.mjs"))
        .args(["check", &served.address, "--canonical-origin", SITE_URL])
        .args(["--sampling", "deterministic", "--max-links", PAGES])
        .args(["--parity-exclusions", NOT_COMPARED])
        // The server is local, so requests need no delay.
        .args(["--request-delay", "0", "--max-concurrency", "8"])
        .args(["--format", "json", "--score", "--quiet"])
        .current_dir(folder.path())
        .stderr(Stdio::inherit())
        .output()
        .context("cannot start node")?;
    let report: Value = serde_json::from_slice(&output.stdout)
        .context("the checks ended without a report; see above")?;
    let score = &report["scoring"]["overall"];
    println!("{}: {score} of 100, {}", docs.display(), report["summary"]);
    problems(&report)
}

/// The failures in a report.
fn problems(report: &Value) -> anyhow::Result<Vec<String>> {
    let results = report["results"].as_array().context("the report has no results")?;
    ensure!(!results.is_empty(), "no check was made");
    let mut found = Vec::new();
    for result in results {
        if matches!(result["status"].as_str(), Some("pass" | "skip")) {
            continue;
        }
        let details = &result["details"];
        let message = match result["id"].as_str().unwrap_or_default() {
            // Without a network, links to other sites can't be checked.
            "llms-txt-links-resolve" if is_empty(&details["sameOrigin"]["broken"]) => continue,
            "markdown-content-parity" => {
                format!("Markdown and HTML differ: {}", different_pages(details)?.join(", "))
            }
            _ => result["message"].as_str().unwrap_or_default().to_owned(),
        };
        found.push(format!("{} {}: {message}", result["status"], result["id"]));
    }
    Ok(found)
}

fn is_empty(list: &Value) -> bool {
    list.as_array().is_some_and(Vec::is_empty)
}

/// Pages whose Markdown and HTML differ.
fn different_pages(details: &Value) -> anyhow::Result<Vec<String>> {
    let pages = details["pageResults"].as_array().context("the report names no pages")?;
    let mut different = Vec::new();
    for page in pages.iter().filter(|page| page["status"] != "pass") {
        let address = page["url"].as_str().context("a page has no address")?;
        different.push(format!("{address} ({}%)", page["missingPercent"]));
    }
    Ok(different)
}

/// A server of one bundle that runs until this value is dropped.
struct Served {
    process: Child,
    address: String,
}

impl Served {
    fn start(docwright: &Path, folder: &Path, bundle: &Path) -> anyhow::Result<Self> {
        let values = folder.join("values.yaml");
        let wanted = format!("staticExport:\n  enabled: true\n  bundleUrl: {}\n", bundle.display());
        fs::write(&values, wanted)?;
        let mut process = Command::new(docwright)
            .args(["deploy", "--listen", "127.0.0.1:0"])
            .arg("--values")
            .arg(&values)
            .arg("--data")
            .arg(folder.join("data"))
            .stdout(Stdio::piped())
            .spawn()
            .context("cannot start the server")?;
        let output = process.stdout.take().context("its output was not captured")?;
        let mut served = Self { process, address: String::new() };
        for line in BufReader::new(output).lines() {
            if let Some((_, rest)) = line?.split_once("listening on ") {
                let address = rest.split_whitespace().next().unwrap_or_default();
                address.trim_end_matches('/').clone_into(&mut served.address);
                break;
            }
        }
        ensure!(!served.address.is_empty(), "the server ended before it listened");
        served.wait()?;
        Ok(served)
    }

    /// Waits until the site is served.
    #[expect(clippy::disallowed_methods, reason = "only the probe shows readiness")]
    fn wait(&mut self) -> anyhow::Result<()> {
        loop {
            if ureq::get(format!("{}/readyz", self.address)).call().is_ok() {
                return Ok(());
            }
            ensure!(self.process.try_wait()?.is_none(), "the server ended before it was ready");
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // The process might have ended already.
        let _gone = self.process.kill();
        let _gone = self.process.wait();
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::problems;

    /// The failures in a report with these results.
    fn said(results: &serde_json::Value) -> Vec<String> {
        problems(&json!({ "results": results })).unwrap()
    }

    #[test]
    fn failed_checks_are_problems() {
        let passed = json!([{ "id": "a", "status": "pass" }, { "id": "b", "status": "skip" }]);
        assert_eq!(said(&passed), Vec::<String>::new());
        for status in ["fail", "warn", "error"] {
            let failed =
                json!([{ "id": "llms-txt-size", "status": status, "message": "too long" }]);
            assert_eq!(said(&failed), [format!("\"{status}\" \"llms-txt-size\": too long")]);
        }
        assert!(problems(&json!({ "results": [] })).is_err(), "an empty report isn't a success");
    }

    #[test]
    fn pages_that_differ_from_their_markdown_are_named() {
        let page =
            |url: &str, status: &str| json!({ "url": url, "status": status, "missingPercent": 40 });
        let pages = [page("http://x/api/things", "fail"), page("http://x/guide", "pass")];
        let found = said(
            &json!([{ "id": "markdown-content-parity", "status": "fail", "details": { "pageResults": pages } }]),
        );
        assert!(
            found.len() == 1 && found[0].ends_with("differ: http://x/api/things (40%)"),
            "{found:?}"
        );
    }

    #[test]
    fn links_to_other_sites_need_no_network() {
        let links = |broken: serde_json::Value| {
            json!([{ "id": "llms-txt-links-resolve", "status": "warn", "message": "broken",
                "details": { "sameOrigin": { "broken": broken }, "crossOrigin": { "broken": ["x"] } } }])
        };
        assert!(said(&links(json!([]))).is_empty());
        assert_eq!(said(&links(json!(["y"]))).len(), 1);
    }
}
