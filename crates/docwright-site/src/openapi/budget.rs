//! Limits the size of an operation's, channel's, or schema's page.
//!
//! A few kilobytes of references can expand to more fields than any page can hold, so each page has a budget.
//! It is counted, never timed: the same spec gives the same page on every machine.

use std::cell::{Cell, RefCell};

use docwright_types::counted::grouped;

/// Maximum number of schemas read and members merged for one page.
const MAXIMUM_STEPS: usize = 250_000;
/// Fields, options and messages of one page.
const MAXIMUM_ROWS: usize = 30_000;
/// Descriptions, values and samples of one page. Bytes.
const MAXIMUM_TEXT: usize = 8 * 1024 * 1024;
/// Fields of one body.
pub(super) const MAXIMUM_FIELDS: usize = 3_000;

/// The reason why a page shows less than its spec.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Overrun {
    /// One body has too many fields.
    Fields,
    /// The page has too many fields, options or messages.
    Rows,
    /// Schemas refer to each other too often.
    Steps,
    /// Descriptions and samples together are too long.
    Text,
    /// A description takes too many steps to read as Markdown, and is shown as plain text.
    Markdown,
}

impl Overrun {
    /// A short message about `part`, such as an operation.
    pub fn message(self, part: &str) -> String {
        match self {
            Self::Fields => format!(
                "{part} has more than {} fields in one body; the page leaves out the rest",
                grouped(MAXIMUM_FIELDS)
            ),
            Self::Rows => format!(
                "{part} has more than {} fields, options, and messages; the page leaves out the rest",
                grouped(MAXIMUM_ROWS)
            ),
            Self::Steps => format!(
                "the schemas of {part} take more than {} steps to merge; the page leaves out the rest",
                grouped(MAXIMUM_STEPS)
            ),
            Self::Text => format!(
                "the descriptions and samples of {part} are longer than {} MiB; the page leaves out the rest",
                MAXIMUM_TEXT / 1024 / 1024
            ),
            Self::Markdown => format!(
                "a description of {part} takes too many steps to read as Markdown; it is shown as plain text"
            ),
        }
    }

    /// The remedy.
    pub fn help(self) -> &'static str {
        match self {
            Self::Markdown => "split the description with empty lines, or use fewer marks in it",
            Self::Text => "shorten descriptions and examples that many fields refer to",
            Self::Fields | Self::Rows | Self::Steps => {
                "remove `$ref`s and alternatives that repeat each other, or split the schema"
            }
        }
    }
}

/// The remaining budget of one page.
#[derive(Debug)]
pub(super) struct Budget {
    steps: Cell<usize>,
    rows: Cell<usize>,
    text: Cell<usize>,
    overruns: RefCell<Vec<Overrun>>,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            steps: Cell::new(MAXIMUM_STEPS),
            rows: Cell::new(MAXIMUM_ROWS),
            text: Cell::new(MAXIMUM_TEXT),
            overruns: RefCell::default(),
        }
    }
}

impl Budget {
    /// Takes steps. Returns whether enough were left.
    pub(super) fn take_steps(&self, steps: usize) -> bool {
        self.take(&self.steps, steps, Overrun::Steps)
    }

    /// Takes a field, an option, or a message. Returns whether there was room.
    pub(super) fn take_row(&self) -> bool {
        self.take(&self.rows, 1, Overrun::Rows)
    }

    /// Takes bytes of text. Returns whether enough were left.
    pub(super) fn take_text(&self, bytes: usize) -> bool {
        self.take(&self.text, bytes, Overrun::Text)
    }

    /// Bytes of text that are left.
    pub(super) fn text_left(&self) -> usize {
        self.text.get()
    }

    /// Gives back the text taken since `left` bytes were left, because the page doesn't show it.
    pub(super) fn restore_text(&self, left: usize) {
        self.text.set(left);
    }

    fn take(&self, left: &Cell<usize>, amount: usize, overrun: Overrun) -> bool {
        let rest = left.get().checked_sub(amount);
        left.set(rest.unwrap_or(0));
        if rest.is_none() {
            self.record(overrun);
        }
        rest.is_some()
    }

    /// Whether the page is incomplete, so nothing more is added.
    pub(super) fn is_spent(&self) -> bool {
        let whole = [Overrun::Rows, Overrun::Steps, Overrun::Text];
        self.overruns.borrow().iter().any(|overrun| whole.contains(overrun))
    }

    /// Records that the page shows less than the spec.
    pub(super) fn record(&self, overrun: Overrun) {
        let mut known = self.overruns.borrow_mut();
        if !known.contains(&overrun) {
            known.push(overrun);
        }
    }

    /// The recorded reasons, sorted.
    pub(super) fn overruns(&self) -> Vec<Overrun> {
        let mut known = self.overruns.borrow().clone();
        known.sort();
        known
    }

    #[cfg(test)]
    pub(super) fn steps_taken(&self) -> usize {
        MAXIMUM_STEPS - self.steps.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budget_reports_its_limit_once() {
        let budget = Budget::default();
        assert!(budget.take_steps(MAXIMUM_STEPS) && !budget.is_spent());
        assert!(!budget.take_steps(1) && !budget.take_steps(1) && budget.is_spent());
        assert_eq!(budget.overruns(), [Overrun::Steps]);
    }

    #[test]
    fn messages_name_part_and_limit() {
        let message = Overrun::Fields.message("`GET /a`");
        assert_eq!(
            message,
            "`GET /a` has more than 3,000 fields in one body; the page leaves out the rest"
        );
    }
}
