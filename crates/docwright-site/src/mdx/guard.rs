//! Quickly finds input that would make the parser hang or overflow the stack.
//!
//! Measured on the current parser: the time for `<A b={<A b={…` doubles with each level, thousands of nested
//! parentheses overflow the stack, and unclosed braces or statements are parsed again from every later line.

use super::ParseProblem;

/// `={` inside `={`: real pages have 3.
const MAXIMUM_ATTRIBUTE_DEPTH: usize = 12;
/// Braces inside braces: code in real pages has 14.
const MAXIMUM_BRACE_DEPTH: usize = 64;
/// Nested parentheses and brackets within braces.
const MAXIMUM_PARENTHESIS_DEPTH: usize = 256;
/// Operators that contain their operand, without a comma or similar between them.
const MAXIMUM_OPERATORS: usize = 4_000;
/// Operators that are words.
const WORDS: [&str; 9] =
    ["typeof", "void", "await", "new", "delete", "yield", "if", "else", "while"];
/// Nested tags. Real pages have at most a few hundred.
const MAXIMUM_TAGS_IN_A_LINE: usize = 4_000;
/// Lines of one `import` or `export` statement.
const MAXIMUM_STATEMENT_LINES: usize = 3_000;

/// The reason to read a text as plain Markdown, if any.
pub(super) fn refuse(text: &str) -> Option<ParseProblem> {
    let mut scan = Scan::default();
    let mut at = 0;
    let mut fenced = false;
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim_start();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            fenced = !fenced;
        } else if !fenced && let Some(message) = scan.line(line) {
            return Some(ParseProblem {
                offset: at,
                message: format!("{message}, so the page is read as plain Markdown"),
                help: "close what is open here, or make it less deep",
                over_budget: false,
            });
        }
        at += line.len();
    }
    (scan.unclosed > MAXIMUM_BRACE_DEPTH).then(|| ParseProblem {
        offset: 0,
        message: "too many braces are never closed, so the page is read as plain Markdown"
            .to_owned(),
        help: "close them, or write \\{ where a brace is text",
        over_budget: false,
    })
}

#[derive(Default)]
struct Scan {
    /// For each open brace, whether it starts an attribute's value.
    braces: Vec<bool>,
    attributes: usize,
    parentheses: usize,
    statement_lines: usize,
    operators: usize,
    unclosed: usize,
}

impl Scan {
    fn line(&mut self, line: &str) -> Option<&'static str> {
        let statement = line.starts_with("export ") || line.starts_with("import ");
        if statement && self.statement_lines == 0
            || self.statement_lines > 0 && !self.braces.is_empty()
        {
            self.statement_lines += 1;
        } else if line.trim().is_empty() {
            // The paragraph ends here. Its unclosed braces are text, and are only counted.
            self.unclosed += self.braces.len();
            self.braces.clear();
            (self.attributes, self.parentheses, self.statement_lines) = (0, 0, 0);
            self.operators = 0;
        }
        let mut tags = 0;
        let mut previous = 0;
        for (at, byte) in line.bytes().enumerate() {
            if !self.braces.is_empty() || self.statement_lines > 0 {
                self.operator(line, at, previous);
            }
            match byte {
                b'{' if previous != b'\\' => self.open(previous == b'='),
                b'}' => self.close(),
                b'(' | b'[' if !self.braces.is_empty() || self.statement_lines > 0 => {
                    self.parentheses += 1;
                }
                b')' | b']' => self.parentheses = self.parentheses.saturating_sub(1),
                b'<' => tags += 1,
                _ => {}
            }
            previous = byte;
            if let Some(problem) = self.problem(tags) {
                return Some(problem);
            }
        }
        None
    }

    /// Counts an operator at a byte. The parser recurses for each.
    fn operator(&mut self, line: &str, at: usize, previous: u8) {
        let rest = &line.as_bytes()[at..];
        let is_word = || {
            rest[0].is_ascii_lowercase()
                && !previous.is_ascii_alphanumeric()
                && WORDS.iter().any(|word| rest.starts_with(word.as_bytes()))
        };
        match rest[0] {
            b',' | b';' | b'{' | b'}' => self.operators = 0,
            b'!' | b'~' | b'?' => self.operators += 1,
            b'-' | b'+' if matches!(previous, b'-' | b'+' | b' ') => self.operators += 1,
            b'*' if previous == b'*' => self.operators += 1,
            b'=' if rest.get(1) == Some(&b'>') => self.operators += 1,
            _ if is_word() => self.operators += 1,
            _ => {}
        }
    }

    fn open(&mut self, attribute: bool) {
        self.braces.push(attribute);
        self.attributes += usize::from(attribute);
    }

    fn close(&mut self) {
        if self.braces.pop() == Some(true) {
            self.attributes -= 1;
        }
    }

    fn problem(&self, tags: usize) -> Option<&'static str> {
        if self.attributes > MAXIMUM_ATTRIBUTE_DEPTH {
            Some("elements are nested too deeply in attributes")
        } else if self.braces.len() > MAXIMUM_BRACE_DEPTH {
            Some("braces are nested too deeply")
        } else if self.parentheses > MAXIMUM_PARENTHESIS_DEPTH {
            Some("parentheses are nested too deeply in code")
        } else if self.operators > MAXIMUM_OPERATORS {
            Some("operators are nested too deeply in code")
        } else if tags > MAXIMUM_TAGS_IN_A_LINE {
            Some("one line holds too many tags")
        } else if self.statement_lines > MAXIMUM_STATEMENT_LINES {
            Some("an import or export statement is never closed")
        } else {
            None
        }
    }
}
