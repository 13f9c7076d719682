//! Metrics, read by Prometheus' own parser.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::Write,
    path::Path,
    process::{Command, Stdio},
};

use serde::Deserialize;

/// One line of the metrics.
#[derive(Debug, Deserialize)]
struct Sample {
    name: String,
    labels: BTreeMap<String, String>,
    value: f64,
    kind: String,
    help: String,
}

/// All metrics of a process at one point in time.
#[derive(Debug)]
pub(crate) struct Scrape(Vec<Sample>);

impl Scrape {
    /// Scrapes the metrics.
    pub(crate) async fn of(probes: &str) -> Self {
        let answer = reqwest::get(format!("{probes}/metrics")).await.unwrap();
        assert_eq!(answer.status(), 200);
        let kind = answer.headers()["content-type"].to_str().unwrap().to_owned();
        assert!(kind.starts_with("application/openmetrics-text; version=1.0.0"), "{kind}");
        Self::parse(&answer.text().await.unwrap())
    }

    fn parse(text: &str) -> Self {
        let mocks = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/mocks");
        let python = mocks.join(".venv/bin/python");
        assert!(
            python.is_file(),
            "`cargo xtask test` installs what the mocks need; or run `python3 -m venv .venv && .venv/bin/pip install --requirement requirements.txt` in tests/mocks"
        );
        let mut parser = Command::new(python)
            .arg(mocks.join("metrics.py"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        parser.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        let parsed = parser.wait_with_output().unwrap();
        assert!(parsed.status.success(), "Prometheus can't read this:\n{text}");
        let lines = String::from_utf8(parsed.stdout).unwrap();
        Self(lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
    }

    /// The value of a series, or `None` if it is missing.
    pub(crate) fn find(&self, name: &str, labels: &[(&str, &str)]) -> Option<f64> {
        let is_it = |sample: &&Sample| {
            sample.name == name
                && labels
                    .iter()
                    .all(|(key, value)| sample.labels.get(*key).map(String::as_str) == Some(value))
        };
        let found: Vec<_> = self.0.iter().filter(is_it).collect();
        assert!(found.len() < 2, "{name}{labels:?} is more than one: {found:?}");
        found.first().map(|sample| sample.value)
    }

    /// The value of an existing series.
    pub(crate) fn get(&self, name: &str, labels: &[(&str, &str)]) -> f64 {
        self.find(name, labels)
            .unwrap_or_else(|| panic!("missing series {name}{labels:?}: {self:#?}"))
    }

    /// The integer value of an existing series.
    pub(crate) fn count(&self, name: &str, labels: &[(&str, &str)]) -> u64 {
        let value = self.get(name, labels);
        value.to_string().parse().unwrap_or_else(|_| panic!("{name} is {value}"))
    }

    /// Every family: its name as in the manual, its kind, and the labels of its series.
    pub(crate) fn families(&self) -> BTreeMap<String, (String, BTreeSet<String>)> {
        let mut families: BTreeMap<_, (String, BTreeSet<String>)> = BTreeMap::new();
        for sample in &self.0 {
            let ends = ["_bucket", "_count", "_sum"].into_iter();
            let mut bases = ends.filter_map(|end| sample.name.strip_suffix(end));
            let base = if sample.kind == "histogram" { bases.next() } else { None };
            let name = base.unwrap_or(&sample.name).to_owned();
            let family = families.entry(name).or_default();
            family.0.clone_from(&sample.kind);
            family.1.extend(sample.labels.keys().filter(|label| *label != "le").cloned());
        }
        families
    }

    /// All values of a label.
    pub(crate) fn values(&self, label: &str) -> Vec<&str> {
        let mut values: Vec<_> = self
            .0
            .iter()
            .filter_map(|sample| sample.labels.get(label))
            .map(String::as_str)
            .collect();
        values.sort_unstable();
        values.dedup();
        values
    }

    /// Checks that names and kinds follow Prometheus' conventions and that each metric has a help text.
    pub(crate) fn says_what_it_is(&self) {
        for sample in &self.0 {
            let of_process = sample.name.starts_with("process_");
            assert!(of_process || sample.name.starts_with("docwright_"), "{sample:?}");
            assert!(!sample.help.is_empty(), "{sample:?}");
            assert!(sample.kind != "unknown", "{sample:?}");
            if sample.kind == "counter" {
                assert!(sample.name.ends_with("_total"), "{sample:?}");
            }
        }
        let version = [("version", env!("CARGO_PKG_VERSION"))];
        assert_eq!(self.count("docwright_build_info", &version), 1);
    }
}
