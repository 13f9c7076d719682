//! The glossary and the retired words of `STYLE.md`: reads their tables and reports unwanted names.
//! `STYLE.md` alone defines the names.

use std::collections::HashMap;

use anyhow::ensure;

use super::sources::SourceFile;
use super::words::{Word, words};
use crate::process;

/// Names that are spelled like an unwanted word, such as the month.
const PROPER_NAMES: &[&str] = &["May"];

/// The tables of the style guide whose last column is "Not".
#[derive(Debug, Default)]
struct Glossary {
    /// Unwanted phrases by their first word.
    phrases: HashMap<String, Vec<Phrase>>,
    /// Unwanted code, which matches exactly, and what to write instead.
    code: Vec<(String, String)>,
}

/// An unwanted word, or several in sequence.
#[derive(Debug)]
struct Phrase {
    words: Vec<String>,
    instead: String,
}

/// Finds unwanted names in code, texts, and the manual.
pub(crate) fn check(files: &[SourceFile]) -> anyhow::Result<Vec<String>> {
    let guide = std::fs::read_to_string(process::root().join("STYLE.md"))?;
    let glossary = Glossary::read(&guide)?;
    Ok(files.iter().flat_map(|file| glossary.check(file)).collect())
}

impl Glossary {
    fn read(guide: &str) -> anyhow::Result<Self> {
        let mut glossary = Self::default();
        let mut applies = false;
        for line in guide.lines() {
            let Some(row) = line.strip_prefix('|').and_then(|row| row.strip_suffix('|')) else {
                applies = false;
                continue;
            };
            let cells: Vec<_> = row.split('|').map(str::trim).collect();
            let (first, last) = (cells[0], cells[cells.len() - 1]);
            if last == "Not" {
                applies = true;
            } else if applies && !first.starts_with("---") {
                last.split(',').for_each(|name| glossary.add(name.trim(), first));
            }
        }
        ensure!(!glossary.phrases.is_empty(), "STYLE.md has no table whose last column is `Not`");
        Ok(glossary)
    }

    /// Adds an unwanted name. Names with `*` have other senses, so they can't be checked.
    fn add(&mut self, name: &str, instead: &str) {
        if name.is_empty() || name.ends_with('*') {
            return;
        }
        let instead = instead.to_owned();
        if let Some(code) = name.strip_prefix('`').and_then(|name| name.strip_suffix('`')) {
            self.code.push((code.to_owned(), instead));
            return;
        }
        let words: Vec<_> = name.split([' ', '-']).map(str::to_lowercase).collect();
        if let [word] = &words[..] {
            let phrase = Phrase { words: words.clone(), instead: instead.clone() };
            self.phrases.entry(format!("{word}s")).or_default().push(phrase);
        }
        self.phrases.entry(words[0].clone()).or_default().push(Phrase { words, instead });
    }

    /// Finds each unwanted name in a file and in its path.
    fn check(&self, file: &SourceFile) -> Vec<String> {
        let path = &file.path;
        let message = |line: usize, name: &str, instead: &str| {
            let place = if line == 0 { path.clone() } else { format!("{path}:{line}") };
            format!("{place}: `{name}` isn't a term of STYLE.md; write {instead}")
        };
        let in_path = self.phrases_in(&words(path)).into_iter().map(|(_, phrase)| (0, phrase));
        let in_text = self.phrases_in(&words(&file.text));
        let phrases = in_path.chain(in_text);
        let mut problems: Vec<_> = phrases
            .map(|(line, phrase)| message(line, &phrase.words.join(" "), &phrase.instead))
            .collect();
        for (code, instead) in &self.code {
            for at in occurrences(&file.text, code) {
                let line = file.text[..at].matches('\n').count() + 1;
                problems.push(message(line, code, instead));
            }
        }
        problems
    }

    /// The unwanted phrases in a text, with their lines.
    fn phrases_in(&self, words: &[Word<'_>]) -> Vec<(usize, &Phrase)> {
        let mut found = Vec::new();
        let mut lower = String::new();
        for (index, word) in words.iter().enumerate() {
            if PROPER_NAMES.contains(&word.text) {
                continue;
            }
            lower.clear();
            lower.push_str(word.text);
            lower.make_ascii_lowercase();
            for phrase in self.phrases.get(lower.as_str()).into_iter().flatten() {
                if phrase.continues(&words[index + 1..]) {
                    found.push((word.line, phrase));
                }
            }
        }
        found
    }
}

impl Phrase {
    /// Whether the words after the first word match. The last word can be in the plural.
    fn continues(&self, following: &[Word<'_>]) -> bool {
        let rest = &self.words[1..];
        if following.len() < rest.len() {
            return false;
        }
        rest.iter().zip(following).enumerate().all(|(index, (expected, word))| {
            let plural = || index + 1 == rest.len() && is_plural(word.text, expected);
            word.joined && (word.text.eq_ignore_ascii_case(expected) || plural())
        })
    }
}

fn is_plural(word: &str, singular: &str) -> bool {
    word.strip_suffix(['s', 'S']).is_some_and(|stem| stem.eq_ignore_ascii_case(singular))
}

/// Occurrences of code in a text, except as the end of a longer name.
fn occurrences<'a>(text: &'a str, code: &'a str) -> impl Iterator<Item = usize> {
    let is_name = |letter: char| letter.is_alphanumeric() || letter == '_';
    text.match_indices(code).map(|(at, _)| at).filter(move |&at| {
        let starts_inside = code.starts_with(is_name) && text[..at].ends_with(is_name);
        let ends_inside = code.ends_with(is_name) && text[at + code.len()..].starts_with(is_name);
        !starts_inside && !ends_inside
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const GUIDE: &str = "\
| Rule | Bad |
| --- | --- |
| Start with the subject | gruffle |

| Term | Meaning | Not |
| --- | --- | --- |
| lamp | Gives light | glim, light bulby, torch* |
| plug | | |

| Write | Not |
| --- | --- |
| switch | `.flip(`, `wire(`, `struct Bare`, on and offy |
";

    fn problems_in(path: &str, text: &str) -> Vec<String> {
        let file = SourceFile { path: path.to_owned(), text: text.to_owned() };
        Glossary::read(GUIDE).unwrap().check(&file)
    }

    fn problems(text: &str) -> Vec<String> {
        problems_in("crates/a/src/b.rs", text)
    }

    #[test]
    fn unwanted_names_are_found_in_identifiers_comments_and_texts() {
        let uses = [
            "fn glim() {}",
            "struct OldGlim;",
            "let has_glims = 1;",
            "const GLIM_SIZE: u8 = 1;",
            "fn a_light_bulby_glows() {}",
            "struct LightBulby;",
            "/// Turns the glim on.",
            "// the light\n    // bulby",
            "panic!(\"glim's gone\")",
            "\"first\\nglim\"",
            "a \"light \\\n  bulby\"",
            "Light-bulbys are old.",
            "turn it on and offy",
            "a.flip(b)",
            "wire(b)",
            "pub struct Bare {",
        ];
        for text in uses {
            assert_eq!(problems(&format!("\n{text}")).len(), 1, "{text}");
        }
        let expected = "crates/a/src/b.rs:2: `glim` isn't a term of STYLE.md; write lamp";
        assert_eq!(problems("\nglims"), [expected]);
    }

    #[test]
    fn unwanted_names_are_found_in_the_manual_and_in_file_names() {
        let found = problems_in("docs/a.mdx", "# Lamps\n\nEvery **light bulby**\nglows.");
        let expected = "docs/a.mdx:3: `light bulby` isn't a term of STYLE.md; write lamp";
        assert_eq!(found, [expected]);
        let expected = "docs/old-glim.mdx: `glim` isn't a term of STYLE.md; write lamp";
        assert_eq!(problems_in("docs/old-glim.mdx", ""), [expected]);
    }

    #[test]
    fn starred_names_other_tables_and_longer_words_are_accepted() {
        let fine = "torch TORCHES gruffle glimmer eglim lights light\n\nbulby light. Bulby light; bulby \
                    reflip( rewire( struct Barely";
        assert_eq!(problems(fine), Vec::<String>::new());
    }

    #[test]
    fn guide_without_tables_is_refused() {
        Glossary::read("| Rule | Bad |\n| --- | --- |\n| a | b |\n").unwrap_err();
    }

    #[test]
    fn style_guide_has_terms_and_code_to_refuse() {
        let guide = std::fs::read_to_string(process::root().join("STYLE.md")).unwrap();
        let glossary = Glossary::read(&guide).unwrap();
        assert!(glossary.phrases.len() > 80 && !glossary.code.is_empty(), "{glossary:?}");
    }
}
