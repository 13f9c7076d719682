//! Diagnostics as SARIF 2.1.0 (<https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html>).

use std::collections::BTreeSet;

use docwright_site::{
    Diagnostic, Rule, Severity,
    build::{Ignored, IgnoredBy},
};
use serde_json::{Value, json};

use super::DiagnosticReport;

/// A log with one run of docwright. Ignored diagnostics are marked as suppressed; with a baseline, each result
/// says whether it is in it.
pub(crate) fn log(diagnostic_report: &DiagnosticReport) -> Value {
    let known = diagnostic_report.known.as_deref();
    // Notes are in no baseline.
    let state =
        |each: &Diagnostic| known.map(|_| "new").filter(|_| each.severity != Severity::Note);
    let counted =
        diagnostic_report.counted.iter().map(|each| with_state(result(each), state(each)));
    let unchanged =
        known.into_iter().flatten().map(|each| with_state(result(each), Some("unchanged")));
    let ignored = diagnostic_report.ignored.iter().map(suppressed);
    let results: Vec<_> = counted.chain(unchanged).chain(ignored).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {
                "driver": {
                    "name": "docwright",
                    "version": env!("CARGO_PKG_VERSION"),
                    "rules": rules(diagnostic_report),
                }
            },
            "results": results,
        }],
    })
}

/// The rules of all results.
fn rules(diagnostic_report: &DiagnosticReport) -> Vec<Value> {
    let known = diagnostic_report.known.iter().flatten();
    let ignored = diagnostic_report.ignored.iter().map(|each| &each.diagnostic);
    let all = diagnostic_report.counted.iter().chain(known).chain(ignored);
    let rules: BTreeSet<Rule> = all.map(|each| each.rule).collect();
    let describe = |rule: Rule| {
        json!({
            "id": rule,
            "shortDescription": { "text": format!("{}.", rule.meaning()) },
            "help": { "text": format!("{}.", rule.advice()) },
        })
    };
    rules.into_iter().map(describe).collect()
}

fn with_state(mut result: Value, state: Option<&str>) -> Value {
    if let Some(state) = state {
        result["baselineState"] = json!(state);
    }
    result
}

fn suppressed(ignored: &Ignored) -> Value {
    let kind = match ignored.by {
        IgnoredBy::Comment => "inSource",
        IgnoredBy::Settings => "external",
    };
    let mut result = result(&ignored.diagnostic);
    result["suppressions"] = json!([{ "kind": kind }]);
    result
}

fn result(diagnostic: &Diagnostic) -> Value {
    let text = match &diagnostic.help {
        Some(help) => format!("{}. {help}", diagnostic.message),
        None => diagnostic.message.clone(),
    };
    json!({
        "ruleId": diagnostic.rule,
        "level": level(diagnostic.severity),
        "message": { "text": text },
        "locations": [{ "physicalLocation": location(diagnostic) }],
    })
}

fn location(diagnostic: &Diagnostic) -> Value {
    let mut location = json!({ "artifactLocation": { "uri": diagnostic.path } });
    if diagnostic.line > 0 {
        location["region"] = json!({ "startLine": diagnostic.line });
        if diagnostic.column > 0 {
            location["region"]["startColumn"] = json!(diagnostic.column);
        }
    }
    location
}

const fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}
