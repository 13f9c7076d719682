//! Replaces a term in all prose. Links to changed headings follow.

use regex::{Captures, Regex};

use super::{documents, moved_links, prose};
use crate::{
    checker::Checker,
    workspace::{Refusal, Workspace},
};

pub(super) fn replace_term(
    workspace: &mut Workspace,
    checker: &dyn Checker,
    old: &str,
    new: &str,
) -> Result<String, Refusal> {
    let pattern = pattern(old)?;
    let before = workspace.changes().clone();
    let (mut count, mut files) = (0, 0);
    for path in documents(workspace) {
        let Ok(text) = workspace.read(&path) else { continue };
        let (changed, hits) = replace(&text, &pattern, new);
        if hits > 0 {
            workspace.write(&path, changed)?;
            count += hits;
            files += 1;
        }
    }
    if count == 0 {
        return Ok(format!("“{old}” doesn't occur in prose; nothing to replace"));
    }
    let times = if count == 1 { "once".to_owned() } else { format!("{count} times") };
    let files = if files == 1 { "1 file".to_owned() } else { format!("{files} files") };
    let links = moved_links::rewrite(workspace, checker, &before)?;
    Ok(format!("Replace “{old}” with “{new}” ({times} in {files}){links}"))
}

/// The term as a whole word, capitalized or not.
fn pattern(term: &str) -> Result<Regex, Refusal> {
    let word = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
    let before = if word(term.chars().next()) { r"\b" } else { "" };
    let after = if word(term.chars().last()) { r"\b" } else { "" };
    let mut letters = term.chars();
    let first = letters.next().unwrap_or_default();
    let rest = regex::escape(letters.as_str());
    let cases: String = [first.to_lowercase().to_string(), first.to_uppercase().to_string()]
        .map(|case| regex::escape(&case))
        .join("|");
    Regex::new(&format!("{before}(?:{cases}){rest}{after}"))
        .map_err(|error| Refusal::new(format!("“{term}” can't be searched for: {error}")))
}

fn replace(text: &str, pattern: &Regex, new: &str) -> (String, usize) {
    let (mut changed, mut at, mut count) = (String::with_capacity(text.len()), 0, 0);
    for range in prose::ranges(text) {
        changed.push_str(&text[at..range.start]);
        let part = pattern.replace_all(&text[range.clone()], |found: &Captures<'_>| {
            count += 1;
            as_large_as(&found[0], new)
        });
        changed.push_str(&part);
        at = range.end;
    }
    changed.push_str(&text[at..]);
    (changed, count)
}

/// The new term, capitalized like the old one.
fn as_large_as(old: &str, new: &str) -> String {
    let large = old.chars().next().is_some_and(char::is_uppercase);
    let mut letters = new.chars();
    match letters.next() {
        Some(first) if large => first.to_uppercase().chain(letters).collect(),
        _ => new.to_owned(),
    }
}
