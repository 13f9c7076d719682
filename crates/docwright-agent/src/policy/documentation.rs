//! Decides which files are documentation, which agents can change. A docs root can be the root of a repository
//! with programs, whose git host runs files of a branch.

use std::collections::BTreeSet;

use super::{named, never, paths::check_readable, patterns::Patterns};
use crate::workspace::Refusal;

/// docwright's settings, by their paths below the docs root.
const SETTINGS: &[&str] = &[
    "docwright.yaml",
    ".docwright/glossary.yaml",
    ".docwright/questions.yaml",
    ".docwright/synonyms.yaml",
];
/// Extensions of pages and assets. Other types, such as JSON, are also used by programs.
const TYPES: &[&str] = &[
    "md", "mdx", "png", "jpg", "jpeg", "gif", "webp", "svg", "ico", "mp4", "webm", "mp3", "wav",
    "css", "woff", "woff2", "ttf", "eot", "pdf", "txt", "xml", "csv", "zip",
];

/// Paths that agents can change in a project.
#[derive(Debug, Clone, Default)]
pub struct Documentation {
    named: BTreeSet<String>,
    patterns: Patterns,
}

impl Documentation {
    /// The allowed paths, from the files of a docs root before any change and from the patterns of its project.
    /// `read` returns the text of a file, if it has one.
    pub fn of<'a>(
        files: impl Iterator<Item = &'a String>,
        read: impl Fn(&str) -> Option<String>,
        patterns: Patterns,
    ) -> Self {
        Self { named: named::read(files, read), patterns }
    }

    /// Fails unless agents can change a file. `is_there` says whether the docs root had it before any change.
    pub fn check(&self, path: &str, is_there: bool) -> Result<(), Refusal> {
        check_readable(path)?;
        if SETTINGS.contains(&path) {
            return Ok(());
        }
        if let Some(reason) = never::reason(path) {
            return Err(Refusal::new(format!("`{path}` {reason}; agents never change such files")));
        }
        if self.is_documentation(path, is_there) || self.patterns.is_match(path) {
            return Ok(());
        }
        Err(Refusal::new(format!(
            "`{path}` isn't documentation; agents change pages, snippets, docs.json, the API specs that it names, and \
             assets such as images; the project's settings can allow more paths"
        )))
    }

    fn is_documentation(&self, path: &str, is_there: bool) -> bool {
        if named::CONFIGURATION.contains(&path) {
            return true;
        }
        if never::is_for_tools(path) {
            return false;
        }
        let ending = path.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
        let is_type = ending.as_deref().is_some_and(|ending| TYPES.contains(&ending));
        let in_snippets = || path.split('/').rev().skip(1).any(|folder| folder == "snippets");
        match ending.as_deref() {
            _ if is_type || self.named.contains(path) => true,
            Some("jsx") => in_snippets(),
            // Scripts of a site run on each of its pages; other code runs where the repository is built.
            Some("js") => is_there && !path.contains(".config."),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn documentation(patterns: &[&str]) -> Documentation {
        let files = ["docs.json".to_owned(), "package.json".to_owned()];
        let config = r#"{"api": {"openapi": ["api/spec.json", "package.json"]}}"#;
        let read = |path: &str| (path == "docs.json").then(|| config.to_owned());
        Documentation::of(files.iter(), read, Patterns::parse(patterns).unwrap())
    }

    #[test]
    fn documentation_can_be_changed() {
        let documentation = documentation(&[]);
        for path in [
            "index.mdx",
            "guides/a b.md",
            "docs.json",
            "mint.json",
            "docwright.yaml",
            "api/spec.json",
            ".docwright/glossary.yaml",
            ".docwright/synonyms.yaml",
            ".docwright/questions.yaml",
            "images/a.PNG",
            "style.css",
            "snippets/deep/x.jsx",
            "llms.txt",
            "agents.mdx",
            "guides/skill.mdx",
            "guides/owners.md",
        ] {
            assert_eq!(documentation.check(path, false), Ok(()), "{path}");
        }
        assert_eq!(documentation.check("custom.js", true), Ok(()));
    }

    #[test]
    fn programs_and_their_settings_are_refused() {
        let documentation = documentation(&[]);
        for path in [
            "Makefile",
            "package.json",
            "src/main.rs",
            "other.json",
            "api/other.yaml",
            "script.sh",
            "Dockerfile",
            "custom.js",
            "x.mjs",
            "src/App.jsx",
            "snippets.jsx",
            "requirements.txt",
            "docs/requirements/base.txt",
            "pom.xml",
            "CMakeLists.txt",
            "Docs.json",
            "deep/docs.json",
            "deep/docwright.yaml",
            "tsconfig.json",
            "REQUIREMENTS.TXT",
            "bitbucket-pipelines.yml",
            "page.mdx.sh",
            "page.mdx/run",
        ] {
            let refusal = documentation.check(path, false).unwrap_err().0;
            assert!(refusal.contains("isn't documentation") && refusal.contains(path), "{refusal}");
        }
        assert!(documentation.check("webpack.config.js", true).is_err());
        for path in ["./docs/../Makefile", "../a.mdx", "/a.mdx", "a//b.mdx", "a\\b.mdx"] {
            let refusal = documentation.check(path, false).unwrap_err().0;
            assert!(refusal.contains("isn't a path in the docs root"), "{refusal}");
        }
    }

    #[test]
    fn patterns_allow_all_but_protected_files() {
        let documentation = documentation(&["**"]);
        for path in ["Makefile", "package.json", "src/main.rs", "examples/requirements.txt"] {
            assert_eq!(documentation.check(path, false), Ok(()), "{path}");
        }
        for path in [
            "CODEOWNERS",
            "Codeowners",
            "docs/codeowners",
            "\u{421}ODEOWNERS",
            "\u{ff23}ODEOWNERS",
            "CODE\u{200b}OWNERS",
            "OWNERS",
            "AGENTS.md",
            "agents.md",
            "deep/CLAUDE.md",
            "CLAUDE.local.md",
            "\u{410}GENTS.md",
            "GEMINI.md",
            "SKILL.md",
            "skill.md",
            "Assistant.md",
            ".cursorrules",
            ".github/workflows/x.yml",
            "\u{2024}github/workflows/x.yml",
            ".gitlab-ci.yml",
            ".mintlify/AGENTS.md",
            ".git/hooks/x",
            "a/.env",
            ".docwright/other.yaml",
            "deep/.docwright/glossary.yaml",
            "a\u{202e}b.mdx",
        ] {
            let refusal = documentation.check(path, true).unwrap_err().0;
            assert!(refusal.contains("never change"), "{path}: {refusal}");
        }
        assert!(documentation.check("../Makefile", true).is_err());
    }
}
