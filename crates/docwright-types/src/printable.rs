//! Text of others for terminals and logs of CI systems: names of files, titles, messages, branches.
//!
//! It can't move a cursor, reverse text, or contain commands for the CI system that runs docwright. Escaped
//! characters stay visible.

use std::fmt::Write;

/// Prefixes that GitHub Actions and Azure Pipelines read as commands anywhere in a line.
const COMMANDS: [&str; 2] = ["##[", "##vso["];

/// A printable text, line by line. Line breaks stay.
pub fn printable(text: &str) -> String {
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

/// A printable text on one line.
pub fn printable_line(text: &str) -> String {
    line(&text.replace('\n', "\\n"))
}

fn line(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    // A carriage return at the end belongs to the end of the line.
    for character in text.trim_end_matches('\r').chars() {
        if is_hidden(character) && character != '\t' {
            let _infallible = write!(shown, "\\u{{{:x}}}", u32::from(character));
        } else {
            shown.push(character);
        }
    }
    for command in COMMANDS {
        shown = shown.replace(command, &format!("#\\{}", &command[1..]));
    }
    // GitHub Actions also reads commands after spaces.
    let start = shown.len() - shown.trim_start().len();
    if shown[start..].starts_with("::") {
        shown.insert(start, '\\');
    }
    shown
}

/// Control characters of terminals, line breaks, and marks that change the direction of text.
pub fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_escaped_visibly() {
        assert_eq!(printable("a\u{1b}[2Jb\u{9b}c"), "a\\u{1b}[2Jb\\u{9b}c");
        assert_eq!(printable("x\u{202e}y\u{2066}z\u{7}\r1"), "x\\u{202e}y\\u{2066}z\\u{7}\\u{d}1");
        assert_eq!(printable("one\r\ntwo\tthree\n"), "one\ntwo\tthree\n");
        assert_eq!(printable("Grüße, 世界 🎉"), "Grüße, 世界 🎉");
        assert_eq!(printable_line("one\n::error::two"), "one\\n::error::two");
    }

    #[test]
    fn lines_cannot_become_workflow_commands() {
        assert_eq!(printable("::error file=x::y"), "\\::error file=x::y");
        assert_eq!(printable("a\n  ::warning::b"), "a\n  \\::warning::b");
        assert_eq!(printable("a\r::error::b"), "a\\u{d}::error::b");
        assert_eq!(printable("see a::b"), "see a::b");
        assert_eq!(printable("x ##[error]y ##vso[task]z"), "x #\\#[error]y #\\#vso[task]z");
        assert_eq!(printable("\u{3000}::add-mask::x"), "\u{3000}\\::add-mask::x");
    }
}
