//! Ignored diagnostics: rules in `docwright.yaml`, for all files or some, and in comments on pages.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::RangeInclusive,
    path::Path,
};

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    Diagnostic, Rule,
    content::{SETTINGS_FILE, closest::closest, frontmatter, is_markdown, yaml},
    mdx::{self, Node, NodeKind},
    source::Source,
};

/// The first word of a comment that ignores rules.
const COMMENT: &str = "docwright-ignore";
/// The same for a comment that applies to its whole file.
const FILE_COMMENT: &str = "docwright-ignore-file";
/// Maximum number of entries of `ignore-in`, since each becomes part of an automaton.
const MAXIMUM_PATTERNS: usize = 1_000;
/// Maximum number of comments of one file.
const MAXIMUM_COMMENTS: usize = 1_000;

/// The source of an exception.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum IgnoredBy {
    /// A comment on the page.
    Comment,
    /// `docwright.yaml`.
    Settings,
}

/// A diagnostic that the repository ignores.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Ignored {
    /// The diagnostic.
    pub diagnostic: Diagnostic,
    /// The source.
    pub by: IgnoredBy,
}

/// Everything that a repository ignores.
#[derive(Debug, Default)]
pub(super) struct Ignores {
    everywhere: Vec<Rule>,
    /// Rules by patterns of paths.
    below: Vec<(Gitignore, Vec<Rule>)>,
    /// The result for earlier paths.
    by_path: BTreeMap<String, BTreeSet<Rule>>,
    /// Comments by path.
    comments: BTreeMap<String, Vec<Comment>>,
}

/// The rules of a comment, and the lines where they are ignored; without lines, the whole file.
#[derive(Debug)]
struct Comment {
    rules: Vec<Rule>,
    lines: Option<RangeInclusive<u32>>,
}

impl Ignores {
    /// Parses them, and reports errors.
    pub(super) fn read(source: &Source) -> (Self, Vec<Diagnostic>) {
        let (mut ignores, mut found) = (Self::default(), Vec::new());
        if let Some(text) = source.text(SETTINGS_FILE) {
            ignores.read_settings(&mut SettingsFile { text, found: &mut found });
        }
        for path in source.paths().filter(|path| is_markdown(path)) {
            let text = source.text(path).filter(|text| text.contains(COMMENT));
            if let Some(text) = text {
                let comments = PageComments::read(path, text, &mut found);
                ignores.comments.insert(path.to_owned(), comments);
            }
        }
        (ignores, found)
    }

    /// The exception that covers a diagnostic at a line, if any.
    pub(super) fn ignored_by(&mut self, path: &str, line: u32, rule: Rule) -> Option<IgnoredBy> {
        let comments = self.comments.get(path).into_iter().flatten();
        let mut here = comments.filter(|comment| {
            let lines = comment.lines.as_ref();
            lines.is_none_or(|lines| lines.contains(&line))
        });
        if here.any(|comment| comment.rules.contains(&rule)) {
            return Some(IgnoredBy::Comment);
        }
        let listed = self.everywhere.contains(&rule) || self.rules_below(path).contains(&rule);
        listed.then_some(IgnoredBy::Settings)
    }

    /// The rules of all patterns that match a path. Cached, since a page can have many diagnostics.
    fn rules_below(&mut self, path: &str) -> &BTreeSet<Rule> {
        let below = &self.below;
        self.by_path.entry(path.to_owned()).or_insert_with(|| {
            let matches = |pattern: &Gitignore| {
                !Path::new(path).has_root()
                    && pattern.matched_path_or_any_parents(path, false).is_ignore()
            };
            let matching = below.iter().filter(|(pattern, _)| matches(pattern));
            matching.flat_map(|(_, rules)| rules).copied().collect()
        })
    }

    fn read_settings(&mut self, file: &mut SettingsFile<'_>) {
        let value = match yaml::parse(file.text) {
            Ok(Value::Object(settings)) => settings,
            Ok(Value::Null) => return,
            Ok(_) => {
                return file.report(
                    "",
                    "it is not a list of `key: value` lines",
                    "write `ignore: [unknown-icon]`",
                );
            }
            Err(error) => {
                let message = format!("{SETTINGS_FILE} can't be read: {}", error.message);
                let diagnostic = Diagnostic::new(Rule::InvalidSettings, SETTINGS_FILE, message);
                file.found.push(
                    diagnostic.at(error.line, 0).help("correct it; it has no effect meanwhile"),
                );
                return;
            }
        };
        for (key, value) in &value {
            match key.as_str() {
                "ignore" => self.everywhere = file.rules(key, value),
                "ignore-in" => self.read_patterns(value, file),
                _ => {
                    let help = match closest(key, ["ignore", "ignore-in"]) {
                        Some(near) => format!("did you mean `{near}`?"),
                        None => "the settings are `ignore` and `ignore-in`".to_owned(),
                    };
                    file.report(key, &format!("`{key}` is not a setting"), &help);
                }
            }
        }
    }

    fn read_patterns(&mut self, value: &Value, file: &mut SettingsFile<'_>) {
        let Value::Object(entries) = value else {
            let help = "write a line such as `changelog/: [broken-link]` for each";
            return file.report(
                "ignore-in",
                "`ignore-in` is not a list of paths with their rules",
                help,
            );
        };
        if entries.len() > MAXIMUM_PATTERNS {
            let message = format!(
                "`ignore-in` has more than {MAXIMUM_PATTERNS} entries; the rest is not read"
            );
            file.report("ignore-in", &message, "name folders rather than files");
        }
        for (pattern, rules) in entries.iter().take(MAXIMUM_PATTERNS) {
            let rules = file.rules(pattern, rules);
            let mut builder = GitignoreBuilder::new("");
            let built = builder.add_line(None, pattern).and_then(|builder| builder.build());
            match built.ok().filter(|built| !built.is_empty()) {
                Some(built) => self.below.push((built, rules)),
                None => file.report(
                    pattern,
                    &format!("`{pattern}` isn't a path pattern"),
                    "write it as in `.mintignore`",
                ),
            }
        }
    }
}

/// The settings during parsing.
struct SettingsFile<'a> {
    text: &'a str,
    found: &'a mut Vec<Diagnostic>,
}

impl SettingsFile<'_> {
    fn report(&mut self, near: &str, message: &str, help: &str) {
        self.found.push(
            Diagnostic::new(Rule::InvalidSettings, SETTINGS_FILE, message)
                .at(self.line(near), 0)
                .help(help),
        );
    }

    /// The rules of a list.
    fn rules(&mut self, key: &str, value: &Value) -> Vec<Rule> {
        let listed = value
            .as_array()
            .map(|codes| codes.iter().map(Value::as_str).collect::<Option<Vec<_>>>());
        let Some(Some(codes)) = listed else {
            self.report(
                key,
                &format!("`{key}` has no list of rules"),
                "write it like `[broken-link, missing-file]`",
            );
            return Vec::new();
        };
        let rule = |code: &&str| {
            let known = Rule::by_code(code);
            if known.is_none() {
                self.found.push(unknown(code, SETTINGS_FILE).at(self.line(code), 0));
            }
            known
        };
        codes.iter().filter_map(rule).collect()
    }

    /// 1-based line of a text; 0 if the text isn't found.
    fn line(&self, text: &str) -> u32 {
        let at = (!text.is_empty()).then(|| self.text.find(text)).flatten();
        at.map_or(0, |at| mdx::position(self.text, at).0)
    }
}

fn unknown(code: &str, path: &str) -> Diagnostic {
    let help = match closest(code, Rule::ALL.iter().map(|rule| rule.code())) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "each diagnostic shows the name of its rule in brackets".to_owned(),
    };
    Diagnostic::new(Rule::UnknownRule, path, format!("unknown rule `{code}`")).help(help)
}

/// The comments of one page during parsing.
struct PageComments<'a> {
    path: &'a str,
    body: &'a str,
    first_line: u32,
    /// Byte offsets of the lines of the body.
    starts: Vec<usize>,
    comments: Vec<Comment>,
    /// Whether the limit of comments was reported.
    reported_full: bool,
    found: &'a mut Vec<Diagnostic>,
}

impl<'a> PageComments<'a> {
    fn read(path: &'a str, text: &'a str, found: &'a mut Vec<Diagnostic>) -> Vec<Comment> {
        let split = frontmatter::split(text);
        let body = &text[split.body_offset..];
        let parsed = mdx::parse(body, split.body_line);
        let breaks = body.match_indices('\n').map(|(at, _)| at + 1);
        let starts = std::iter::once(0).chain(breaks).collect();
        let (first_line, comments) = (split.body_line, Vec::new());
        let mut page =
            Self { path, body, first_line, starts, comments, reported_full: false, found };
        page.look_at(&parsed.nodes);
        page.comments
    }

    fn look_at(&mut self, nodes: &[Node]) {
        for (index, node) in nodes.iter().enumerate() {
            self.look_at(&node.children);
            let NodeKind::Expression { value, .. } = &node.kind else { continue };
            let Some(words) = words_of(value) else { continue };
            if self.is_full(node) {
                return;
            }
            let Some(rules) = self.rules(&words, node) else { continue };
            let lines = match words[0] {
                FILE_COMMENT => None,
                _ => Some(self.lines(node, &nodes[index + 1..])),
            };
            self.comments.push(Comment { rules, lines });
        }
    }

    /// The rules in a comment; `None` if the comment isn't one of docwright's.
    fn rules(&mut self, words: &[&str], node: &Node) -> Option<Vec<Rule>> {
        let report = |page: &mut Self, diagnostic: Diagnostic| {
            page.found.push(diagnostic.at(node.line, node.column));
        };
        let (name, codes) = words.split_first()?;
        if ![COMMENT, FILE_COMMENT].contains(name) {
            let message = format!("unknown docwright comment `{name}`");
            let help =
                format!("write `{COMMENT}` for the next block or `{FILE_COMMENT}` for the file");
            report(self, Diagnostic::new(Rule::UnknownRule, self.path, message).help(help));
            return None;
        }
        if codes.is_empty() {
            let message = format!("`{name}` names no rule, so nothing is ignored");
            let help = format!("write it like `{{/* {name} broken-link */}}`");
            report(self, Diagnostic::new(Rule::UnknownRule, self.path, message).help(help));
        }
        for code in codes.iter().filter(|code| Rule::by_code(code).is_none()) {
            report(self, unknown(code, self.path));
        }
        Some(codes.iter().filter_map(|code| Rule::by_code(code)).collect())
    }

    /// The lines that a comment applies to: those of the following block, or its own line if that has other text.
    fn lines(&self, comment: &Node, after: &[Node]) -> RangeInclusive<u32> {
        let (first, last) = (self.line_of(comment.span.start), self.last_line(comment));
        let own = self.number(first)..=self.number(last);
        let start = self.starts[first];
        let end = self.starts.get(last + 1).map_or(self.body.len(), |next| *next);
        let around = [start..comment.span.start, comment.span.end..end];
        let is_blank = |text: &str| text.bytes().all(|byte| b" \t\r\n>".contains(&byte));
        if !around.into_iter().filter_map(|range| self.body.get(range)).all(is_blank) {
            return own;
        }
        let is_next = |node: &&Node| match &node.kind {
            NodeKind::Text { value } => !value.trim().is_empty(),
            NodeKind::Expression { value, .. } => words_of(value).is_none(),
            _ => true,
        };
        match after.iter().find(is_next) {
            // Text follows in the same paragraph: use the next line.
            Some(next)
                if next.line <= *own.end() + 1 && matches!(next.kind, NodeKind::Text { .. }) =>
            {
                own.end() + 1..=own.end() + 1
            }
            Some(next) => next.line..=self.number(self.last_line(next)).max(next.line),
            None => own,
        }
    }

    /// Whether the limit of comments is reached; reports it once.
    fn is_full(&mut self, node: &Node) -> bool {
        let is_full = self.comments.len() >= MAXIMUM_COMMENTS;
        if is_full && !std::mem::replace(&mut self.reported_full, true) {
            let message = format!(
                "this file has more than {MAXIMUM_COMMENTS} comments for docwright; the rest is not read"
            );
            let diagnostic = Diagnostic::new(Rule::InvalidSettings, self.path, message);
            let help = format!("write one `{FILE_COMMENT}`");
            self.found.push(diagnostic.at(node.line, node.column).help(help));
        }
        is_full
    }

    /// Index in `starts` of the line of a byte offset.
    fn line_of(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset).saturating_sub(1)
    }

    /// Index in `starts` of the line that a node ends in; line breaks at its end are not counted.
    fn last_line(&self, node: &Node) -> usize {
        let text = self.body.get(..node.span.end).unwrap_or(self.body);
        self.line_of(text.trim_end_matches(['\n', '\r']).len())
    }

    /// 1-based line in the file.
    fn number(&self, line: usize) -> u32 {
        u32::try_from(line).unwrap_or(u32::MAX).saturating_add(self.first_line)
    }
}

/// The words of a comment that starts with [`COMMENT`], up to the reason, which follows `--`.
fn words_of(expression: &str) -> Option<Vec<&str>> {
    let text = expression.trim().strip_prefix("/*")?.strip_suffix("*/")?;
    let text = text.split(" -- ").next().unwrap_or_default();
    let words: Vec<_> =
        text.split([' ', ',', '\t', '\n', '\r']).filter(|word| !word.is_empty()).collect();
    words.first().is_some_and(|word| word.starts_with(COMMENT)).then_some(words)
}
