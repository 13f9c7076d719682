//! Masks syntax that MDX doesn't support before parsing. Masks keep the number of bytes, so offsets stay valid.
//!
//! - `{#id}` at the end of a heading becomes [`ID_OPEN`]`#id`[`ID_CLOSE`];
//! - a `$` that is not math becomes [`DOLLAR`];
//! - `<!-- … -->` becomes white space, with a problem;
//! - the author's own control characters, which look like masks, become spaces.
//!
//! Nothing else is changed in code, or in template literals of expressions and statements.

use super::{ParseProblem, budget::mark_of, tex};

/// Stands for the `{` of a heading id.
pub(super) const ID_OPEN: char = '\u{1}';
/// Stands for the `}` of a heading id.
pub(super) const ID_CLOSE: char = '\u{2}';
/// Stands for a `$` that is text.
pub(super) const DOLLAR: char = '\u{3}';
/// The parser's replacement for the rest of a tab whose first columns are indentation of Markdown.
const REST_OF_TAB: char = '\u{F002}';

/// A masked text with its errors and comments.
#[derive(Debug)]
pub(super) struct Masked {
    pub(super) text: String,
    pub(super) errors: Vec<ParseProblem>,
}

/// Masks a text.
pub(super) fn mask(source: &str) -> Masked {
    let mut masker = Masker {
        bytes: without_masks(source),
        errors: Vec::new(),
        comment: None,
        math: false,
        template_end: 0,
    };
    let mut fence: Option<Fence> = None;
    let mut at = 0;
    for line in source.split_inclusive('\n') {
        if at + line.len() <= masker.template_end {
            at += line.len();
            continue;
        }
        let trimmed = line.trim_start_matches([' ', '\t', '>']);
        match &fence {
            Some(open) if open.closes(trimmed) => fence = None,
            Some(_) => {}
            None => {
                fence = Fence::opens(trimmed);
                if fence.is_none() {
                    masker.line(line, at);
                }
            }
        }
        at += line.len();
    }
    let text = String::from_utf8(masker.bytes).unwrap_or_else(|_| source.to_owned());
    Masked { text, errors: masker.errors }
}

/// Replaces masks with the original characters.
pub(super) fn unmask(text: &str) -> String {
    if !text.contains(|letter| is_mask(letter) || letter == REST_OF_TAB) {
        return text.to_owned();
    }
    let letter = |letter| match letter {
        ID_OPEN => '{',
        ID_CLOSE => '}',
        DOLLAR => '$',
        REST_OF_TAB => ' ',
        other => mark_of(other).unwrap_or(other),
    };
    text.chars().map(letter).collect()
}

/// Whether a character can be a mask.
fn is_mask(letter: char) -> bool {
    matches!(letter, '\u{1}'..='\u{8}' | '\u{E}'..='\u{1F}')
}

/// The bytes of a text, with blanks for characters that look like masks.
fn without_masks(source: &str) -> Vec<u8> {
    let blank = |byte: u8| if is_mask(char::from(byte)) { b' ' } else { byte };
    source.bytes().map(blank).collect()
}

/// A code fence.
struct Fence {
    mark: char,
    length: usize,
}

impl Fence {
    fn opens(line: &str) -> Option<Self> {
        // A fence can start in a list item.
        let line = line.trim_start_matches(['-', '*', '+']).trim_start();
        let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
        let length = line.chars().take_while(|each| *each == mark).count();
        let info = line[length..].trim_end();
        (length >= 3 && !(mark == '`' && info.contains('`'))).then_some(Self { mark, length })
    }

    fn closes(&self, line: &str) -> bool {
        let length = line.chars().take_while(|each| *each == self.mark).count();
        length >= self.length && line[length..].trim().is_empty()
    }
}

struct Masker {
    bytes: Vec<u8>,
    errors: Vec<ParseProblem>,
    /// Start of an open HTML comment.
    comment: Option<usize>,
    /// Within a `$$` block.
    math: bool,
    /// The end of the last template literal.
    template_end: usize,
}

impl Masker {
    fn line(&mut self, line: &str, at: usize) {
        if line.trim() == "$$" {
            self.math = !self.math;
            return;
        }
        if self.math {
            return;
        }
        if self.comment.is_none() && line.trim_start().starts_with('#') {
            self.heading_id(line, at);
        }
        let bytes = line.as_bytes();
        let is_statement = line.starts_with("export ");
        let mut index = self.template_end.saturating_sub(at);
        while index < bytes.len() {
            if self.comment.is_some() {
                index = self.inside_comment(line, at, index);
                continue;
            }
            match bytes[index] {
                b'`' if begins_template(&line[..index], is_statement) => {
                    index = match template_end(&self.bytes[at + index..]) {
                        Some(length) => {
                            self.template_end = at + index + length;
                            index + length
                        }
                        None => skip_code_span(bytes, index),
                    }
                }
                b'`' => index = skip_code_span(bytes, index),
                b'\\' => index += 2,
                b'<' if line[index..].starts_with("<!--")
                    && !is_statement
                    && !is_commented_out(line, index) =>
                {
                    self.comment = Some(at + index);
                }
                b'$' => index = self.dollar(line, at, index),
                _ => index += 1,
            }
        }
    }

    fn heading_id(&mut self, line: &str, at: usize) {
        let text = line.trim_end();
        let Some(open) = text.rfind("{#").filter(|_| text.ends_with('}')) else { return };
        let id = &text[open + 2..text.len() - 1];
        if id.is_empty() || id.contains([' ', '{', '}']) {
            return;
        }
        // Authors write `\{#id}` to avoid an expression.
        if open > 0 && text.as_bytes()[open - 1] == b'\\' {
            self.bytes[at + open - 1] = b' ';
        }
        self.bytes[at + open] = ID_OPEN as u8;
        self.bytes[at + text.len() - 1] = ID_CLOSE as u8;
    }

    /// Blanks a comment up to its end or the end of the line. Returns the next position.
    fn inside_comment(&mut self, line: &str, at: usize, index: usize) -> usize {
        let end = line[index..].find("-->").map(|found| index + found + 3);
        for offset in index..end.unwrap_or(line.len()) {
            if !matches!(self.bytes[at + offset], b'\n' | b'\r') {
                self.bytes[at + offset] = b' ';
            }
        }
        let Some(end) = end else { return line.len() };
        if let Some(offset) = self.comment.take() {
            self.errors.push(ParseProblem {
                offset,
                message: "HTML comments don't exist in MDX".to_owned(),
                help: "write {/* … */} instead",
                over_budget: false,
            });
        }
        end
    }

    /// Masks a dollar sign that isn't math. Returns the next position.
    fn dollar(&mut self, line: &str, at: usize, index: usize) -> usize {
        let rest = &line[index..];
        if let Some(inner) = rest.strip_prefix("$$") {
            return index + inner.find("$$").map_or(2, |end| end + 4);
        }
        if let Some(end) = math_end(rest) {
            index + end
        } else {
            self.bytes[at + index] = DOLLAR as u8;
            index + 1
        }
    }
}

/// The length of `$…$` at the start of a text if it is math: no letter or digit follows the closing dollar,
/// nothing between looks like code, and spaces inside the dollars are allowed only around certain TeX.
fn math_end(text: &str) -> Option<usize> {
    let inner = &text[1..];
    let close = inner.char_indices().find_map(|(index, letter)| {
        (letter == '$' && !inner[..index].ends_with('\\')).then_some(index)
    })?;
    let formula = &inner[..close];
    let trimmed = formula.trim();
    let after = inner[close + 1..].chars().next();
    let free = after.is_none_or(|letter| !letter.is_alphanumeric());
    let price = trimmed.starts_with(|letter: char| letter.is_ascii_digit())
        && !formula.contains(['\\', '^', '=', '_']);
    let has_blanks = trimmed.len() < formula.len();
    let is_math = !trimmed.is_empty() && (!has_blanks || tex::is_certain(trimmed));
    (is_math && free && !price && !formula.contains(['`', '<'])).then_some(close + 2)
}

/// Whether a backtick after this text starts a template literal: an expression, or the value of a constant in a
/// statement.
fn begins_template(before: &str, is_statement: bool) -> bool {
    let before = before.trim_end();
    before.ends_with('{') || is_statement && before.ends_with('=')
}

/// The length of a template literal at the start of a text, if the following text can follow a literal.
fn template_end(text: &[u8]) -> Option<usize> {
    let mut at = 1;
    while *text.get(at)? != b'`' {
        at += if text[at] == b'\\' { 2 } else { 1 };
    }
    let after = text[at + 1..].iter().find(|byte| !matches!(byte, b' ' | b'\t' | b'\r'));
    let can_follow = after.is_none_or(|byte| b"\n};,).+".contains(byte));
    can_follow.then_some(at + 1)
}

/// The end of a code span at `index`, or of its backticks if it isn't closed here.
fn skip_code_span(bytes: &[u8], index: usize) -> usize {
    let length = bytes[index..].iter().take_while(|byte| **byte == b'`').count();
    let mut at = index + length;
    while at < bytes.len() {
        if bytes[at] == b'`' {
            let closing = bytes[at..].iter().take_while(|byte| **byte == b'`').count();
            if closing == length {
                return at + closing;
            }
            at += closing;
        } else {
            at += 1;
        }
    }
    index + length
}

/// Whether an HTML comment is inside `{/* … */}`, where it is harmless.
fn is_commented_out(line: &str, index: usize) -> bool {
    let before = &line[..index];
    before.rfind("{/*").is_some_and(|open| !before[open..].contains("*/}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn masked(text: &str) -> String {
        mask(text).text.replace(DOLLAR, "S").replace(ID_OPEN, "[").replace(ID_CLOSE, "]")
    }

    #[test]
    fn prices_are_not_maths() {
        assert_eq!(masked("from $5 to $6"), "from S5 to S6");
        assert_eq!(masked("$x^2$ and $HOME/$USER"), "$x^2$ and SHOME/SUSER");
        assert_eq!(masked("`$a` $5"), "`$a` S5");
    }

    #[test]
    fn formulas_can_begin_and_end_with_blanks() {
        for text in
            ["$ \\phi(x; \\theta)$", "$x^2 $ and $ y_1 $", "at $5 of $ x_{1} $", "($ \\alpha $)"]
        {
            let dollars = text.matches('$').count() - text.matches("$5").count();
            assert_eq!(masked(text).matches('$').count(), dollars, "{text}");
        }
        for text in [
            "$5 and $6",
            "costs $ 5 and $ 6",
            "$5_000 and $ 6_000, $7",
            "$ 5_000 or $ 6_000 $",
            "$HOME/{a} or $ {b}",
            "$A_B and $C_D cost $ 5",
            "run $ npm_install {package} and $ npm start",
            "$ {price} $",
            "US$ 10, US$ 12",
            "in C:\\Users for $ 5 or $ 6",
        ] {
            assert!(!masked(text).contains('$'), "{text}: {}", masked(text));
        }
    }

    #[test]
    fn heading_ids_are_masked() {
        assert_eq!(masked("## Title {#my-id}\n"), "## Title [#my-id]\n");
        assert_eq!(masked("## Title {count}\n"), "## Title {count}\n");
        assert_eq!(masked("```\n## a {#b}\n```\n"), "```\n## a {#b}\n```\n");
    }

    #[test]
    fn template_literals_stay() {
        for text in [
            "<A>{`\n<!-- a -->\n$5 and $6\n## b {#c}\n`}</A>",
            "export const a = `\n<!-- a -->\n~~~\n`;\n",
            "export const a = \"<!-- a -->\";\n",
            "<A b={ `\n\\`<!-- a -->` } />",
        ] {
            let result = mask(text);
            assert_eq!(result.text, text);
            assert!(result.errors.is_empty(), "{text}");
        }
        assert_eq!(
            masked("{`a`} $5\n<A>{`\n\n`}$5 {`a` b <!-- c -->"),
            "{`a`} S5\n<A>{`\n\n`}S5 {`a` b           "
        );
        assert_eq!(masked("{`a\n$5"), "{`a\nS5");
    }

    #[test]
    fn comments_become_space_of_the_same_length() {
        let result = mask("a <!-- b\nc --> d `<!-- e -->` {/* <!-- f --> */}");
        assert_eq!(result.text, "a       \n      d `<!-- e -->` {/* <!-- f --> */}");
        assert_eq!(result.errors.len(), 1);
    }
}
