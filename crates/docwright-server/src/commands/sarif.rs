//! Diagnostics as SARIF 2.1.0 (<https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html>).

use std::collections::BTreeSet;

use docwright_site::{Diagnostic, Severity};
use serde_json::{Value, json};

/// A log with one run of docwright.
pub(crate) fn log(diagnostics: &[Diagnostic]) -> Value {
    let rules: BTreeSet<&str> = diagnostics.iter().map(|each| each.rule.code()).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {
                "driver": {
                    "name": "docwright",
                    "version": env!("CARGO_PKG_VERSION"),
                    "rules": rules.iter().map(|rule| json!({ "id": rule })).collect::<Vec<_>>(),
                }
            },
            "results": diagnostics.iter().map(result).collect::<Vec<_>>(),
        }],
    })
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
