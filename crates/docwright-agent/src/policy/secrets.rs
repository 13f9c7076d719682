//! Detects secrets, which must not get into a repository. A change with one is refused.

use std::sync::LazyLock;

use regex::Regex;

use crate::workspace::{Change, Changes};

/// Forms of secrets. Examples in documentation use made-up values, which are shorter or have runs of `x`, `.`, or
/// `*`, and don't match.
const PATTERNS: &[(&str, &str)] = &[
    ("private key", r"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----\s*[A-Za-z0-9+/=]{40,}"),
    ("AWS access key", r"\b(?:AKIA|ASIA)[A-Z2-7]{16}\b"),
    ("GitHub token", r"\b(?:ghp|gho|ghu|ghs|ghr)_[A-Za-z0-9]{36}\b|\bgithub_pat_[A-Za-z0-9_]{60,}"),
    ("GitLab token", r"\bglpat-[A-Za-z0-9_-]{20,}"),
    ("Anthropic key", r"\bsk-ant-[A-Za-z0-9_-]{40,}"),
    ("OpenAI key", r"\bsk-(?:proj-)?[A-Za-z0-9]{40,}"),
    ("Google key", r"\bAIza[A-Za-z0-9_-]{35}\b"),
    ("Slack token", r"\bxox[abprs]-[0-9]{8,}-[A-Za-z0-9-]{16,}"),
    ("Stripe key", r"\b[sr]k_live_[A-Za-z0-9]{20,}"),
    ("docwright key", r"\bdw_[0-9a-f]{16}_[0-9a-f]{40,}"),
];

static COMPILED: LazyLock<Vec<(&str, Regex)>> = LazyLock::new(|| {
    PATTERNS.iter().filter_map(|(name, pattern)| Some((*name, Regex::new(pattern).ok()?))).collect()
});

/// A secret in a change: its kind and position. Never the secret itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretMatch {
    /// Name of the pattern.
    pub kind: &'static str,
    /// The changed file.
    pub path: String,
    /// 1-based line.
    pub line: usize,
}

/// Secrets in the changed files. Those already in `before` (the text of a file before the change) don't count:
/// they are in the repository's history anyway.
pub fn find(changes: &Changes, before: impl Fn(&str) -> Option<String>) -> Vec<SecretMatch> {
    let mut found = Vec::new();
    for (path, change) in changes.iter() {
        let Change::Written(text) = change else { continue };
        let old = before(path).unwrap_or_default();
        for (kind, pattern) in COMPILED.iter() {
            let new = pattern.find_iter(text).filter(|hit| !old.contains(hit.as_str()));
            found.extend(new.map(|hit| SecretMatch {
                kind,
                path: path.clone(),
                line: text[..hit.start()].matches('\n').count() + 1,
            }));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changes(text: &str) -> Changes {
        serde_json::from_value(serde_json::json!({ "a.mdx": { "written": text } })).unwrap()
    }

    #[test]
    fn every_pattern_compiles() {
        assert_eq!(COMPILED.len(), PATTERNS.len());
    }

    #[test]
    fn secrets_are_found_and_examples_are_not() {
        let token = format!("ghp_{}", "a1B2".repeat(9));
        let text = format!("one\n`{token}`\n");
        let expected = [SecretMatch { kind: "GitHub token", path: "a.mdx".into(), line: 2 }];
        assert_eq!(find(&changes(&text), |_| None), expected);
        assert!(find(&changes(&text), |_| Some(token.clone())).is_empty(), "it was there before");
        for example in ["ghp_xxx", "sk-...", "sk-ant-your-key", "AKIAXXXX", "dw_0123_abc"] {
            assert!(find(&changes(example), |_| None).is_empty(), "{example}");
        }
    }

    #[test]
    fn each_kind_of_secret_is_found() {
        let letters = "a1B2c3D4e5".repeat(7);
        let samples = [
            ("private key", format!("-----BEGIN RSA PRIVATE KEY-----\n{letters}")),
            ("AWS access key", "AKIAABCDEFGHIJKLMNOP".to_owned()),
            ("GitHub token", format!("github_pat_{letters}")),
            ("GitLab token", format!("glpat-{}", &letters[..20])),
            ("Anthropic key", format!("sk-ant-{}", &letters[..40])),
            ("OpenAI key", format!("sk-proj-{}", &letters[..40])),
            ("Google key", format!("AIza{}", &letters[..35])),
            ("Slack token", format!("xoxb-12345678-{}", &letters[..16])),
            ("Stripe key", format!("sk_live_{}", &letters[..20])),
            ("docwright key", format!("dw_0123456789abcdef_{}", "0f".repeat(24))),
        ];
        assert_eq!(samples.len(), PATTERNS.len(), "every pattern has a sample");
        for (kind, secret) in samples {
            let found = find(&changes(&format!("key: {secret} ")), |_| None);
            let expected = [SecretMatch { kind, path: "a.mdx".into(), line: 1 }];
            assert_eq!(found, expected, "{secret}");
        }
    }
}
