//! Parses a prompt into instructions.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use crate::tools::navigation::slug;

/// The known instructions, for people.
pub const HELP: &str = "\
- replace \"OLD\" with \"NEW\": everywhere in prose, not in code or addresses
- rename page OLD to NEW: the file, its place in the navigation, and every link to it
- add page PATH titled \"TITLE\" to group \"GROUP\" with text \"TEXT\": the group and the text can be left out
- fix broken links: those that have one obvious target
- use - for list markers: or * or +";

/// An instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Instruction {
    /// Replace a term in prose.
    ReplaceTerm {
        /// The term.
        old: String,
        /// The new term.
        new: String,
    },
    /// Rename a page.
    RenamePage {
        /// Its path, without extension.
        from: String,
        /// The new path.
        to: String,
    },
    /// Add a page.
    AddPage {
        /// Its path, without extension.
        page: String,
        /// Its title.
        title: String,
        /// The group that lists it; the first one if empty.
        group: Option<String>,
        /// Its text.
        text: Option<String>,
    },
    /// Fix broken links with a single certain target.
    FixLinks,
    /// Change the marker of list items.
    ListMarkers {
        /// `-`, `*`, or `+`.
        marker: char,
    },
}

/// A quoted text, or a word.
const TEXT: &str = r#"(?:"([^"]+)"|“([^”]+)”|'([^']+)'|`([^`]+)`|(\S+))"#;

static PATTERNS: LazyLock<Vec<(Kind, Regex)>> = LazyLock::new(|| {
    let page = r#"[`"'“]?([^\s`"'”]+)[`"'”]?"#;
    let sources = [
        (
            Kind::Replace,
            format!(r"^(?:please )?(?:replace|change|rename)(?: the (?:term|word))? {TEXT} (?:with|by|to|into) {TEXT}(?: (?:everywhere|in prose|in all pages))*$"),
        ),
        (Kind::Rename, format!(r"^(?:please )?(?:rename|move)(?: the)? page {page} to {page}$")),
        (
            Kind::Add,
            format!(r#"^(?:please )?(?:add|create)(?: an?| the)?(?: new)? page {page} (?:titled|called|named) {TEXT}(?: (?:to|in)(?: the)? group {TEXT})?(?: with(?: the)? text "(?s:(.+))")?$"#),
        ),
        (Kind::Fix, r"^(?:please )?(?:fix|correct|repair)(?: all| the)*(?: broken)?(?: internal)? links$".to_owned()),
        (
            Kind::Markers,
            r#"^(?:please )?(?:use|change)(?: list markers to)? [`"'“]?([-*+])[`"'”]?(?: (?:for|as)(?: all| the)*(?: list markers?| lists| marker of lists))?$"#.to_owned(),
        ),
    ];
    let compile =
        |(kind, source): (Kind, String)| Some((kind, Regex::new(&format!("(?i){source}")).ok()?));
    sources.into_iter().filter_map(compile).collect()
});

#[derive(Debug, Clone, Copy)]
enum Kind {
    Replace,
    Rename,
    Add,
    Fix,
    Markers,
}

/// Parses a prompt with one instruction per line; bullets and final periods are ignored. Every line must be
/// understood.
pub(super) fn parse(prompt: &str) -> Result<Vec<Instruction>, String> {
    let lines = prompt.lines().map(tidy).filter(|line| !line.is_empty());
    let mut instructions = Vec::new();
    for line in lines {
        let instruction = read(line).ok_or_else(|| {
            format!(
                "`builtin:edits` isn't a language model and doesn't understand “{line}”. It understands these instructions, one per line:\n{HELP}\nFor anything else, configure a model."
            )
        })?;
        instructions.push(instruction);
    }
    Ok(instructions)
}

fn tidy(line: &str) -> &str {
    let line = line.trim();
    let line = line.strip_prefix(['-', '*']).filter(|rest| rest.starts_with(' ')).unwrap_or(line);
    let line = line.trim();
    line.strip_suffix(['.', '!']).unwrap_or(line).trim()
}

fn read(line: &str) -> Option<Instruction> {
    // "Rename page a to b" would also match the term "page" with the word after it.
    let order = [
        Kind::Rename as usize,
        Kind::Add as usize,
        Kind::Fix as usize,
        Kind::Markers as usize,
        Kind::Replace as usize,
    ];
    order.iter().find_map(|wanted| {
        let (kind, pattern) = PATTERNS.iter().find(|(kind, _)| *kind as usize == *wanted)?;
        build(*kind, &pattern.captures(line)?)
    })
}

fn build(kind: Kind, captures: &Captures<'_>) -> Option<Instruction> {
    let group = |number: usize| captures.get(number).map(|found| found.as_str());
    // A text has five notations, of which one matched.
    let text = |first: usize| (first..first + 5).find_map(group).map(str::to_owned);
    Some(match kind {
        Kind::Replace => {
            let (old, new) = (text(1)?, text(6)?);
            if old == new {
                return None;
            }
            Instruction::ReplaceTerm { old, new }
        }
        Kind::Rename => Instruction::RenamePage {
            from: slug(group(1)?).to_owned(),
            to: slug(group(2)?).to_owned(),
        },
        Kind::Add => Instruction::AddPage {
            page: slug(group(1)?).to_owned(),
            title: text(2)?,
            group: text(7),
            text: group(12).map(str::to_owned),
        },
        Kind::Fix => Instruction::FixLinks,
        Kind::Markers => Instruction::ListMarkers { marker: group(1)?.chars().next()? },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_are_understood_as_people_write_them() {
        let replace =
            |old: &str, new: &str| Instruction::ReplaceTerm { old: old.into(), new: new.into() };
        let rename =
            |from: &str, to: &str| Instruction::RenamePage { from: from.into(), to: to.into() };
        let add = |page: &str, title: &str, group: Option<&str>, text: Option<&str>| {
            Instruction::AddPage {
                page: page.into(),
                title: title.into(),
                group: group.map(str::to_owned),
                text: text.map(str::to_owned),
            }
        };
        for (line, expected) in [
            ("Replace \"sign in\" with \"log in\" everywhere.", replace("sign in", "log in")),
            ("- rename the term `repo` to “repository”", replace("repo", "repository")),
            ("replace repo with repository", replace("repo", "repository")),
            (
                "Rename page /guides/start.mdx to guides/begin",
                rename("guides/start", "guides/begin"),
            ),
            ("move page a to b", rename("a", "b")),
            (
                "Add a page guides/new titled \"New things\"",
                add("guides/new", "New things", None, None),
            ),
            (
                "add page x called 'X' to the group \"More\" with text \"Say \"hi\".\"",
                add("x", "X", Some("More"), Some("Say \"hi\".")),
            ),
            ("Fix all broken links", Instruction::FixLinks),
            ("Use - for list markers", Instruction::ListMarkers { marker: '-' }),
            ("change list markers to `*`", Instruction::ListMarkers { marker: '*' }),
        ] {
            assert_eq!(parse(line).unwrap(), [expected], "{line}");
        }
        assert_eq!(parse("fix links\nreplace a with b").unwrap().len(), 2);
    }

    #[test]
    fn unknown_instruction_returns_list_of_instructions() {
        for prompt in [
            "Make it better",
            "fix links\nand write a poem",
            "replace a with a",
            "delete everything",
        ] {
            assert!(parse(prompt).unwrap_err().contains("rename page OLD to NEW"), "{prompt}");
        }
    }
}
