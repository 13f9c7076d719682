//! What a change does to the golden questions of a site: the questions that lost or gained their page or answer.

use serde::{Deserialize, Serialize};

use crate::counted::counted;

/// Questions that are asked at most; later ones of the file are left out.
pub const MAXIMUM_CHECKED: usize = 500;
/// Changed questions that are listed; the others are only counted.
pub const MAXIMUM_CHANGES: usize = 50;
/// Pages of a changed question that are listed.
pub const MAXIMUM_PAGES: usize = 5;
/// Longest stored text, in characters.
const MAXIMUM_TEXT: usize = 300;

/// What became of a golden question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum QuestionFate {
    /// The search no longer finds a page that answers it.
    LostPage,
    /// The page is found, but the answer is no longer right.
    LostAnswer,
    /// The search finds a page that answers it now.
    FoundPage,
    /// The answer is right now.
    GainedAnswer,
}

impl QuestionFate {
    /// Every fate, the worst first.
    pub const ALL: [Self; 4] =
        [Self::LostPage, Self::LostAnswer, Self::FoundPage, Self::GainedAnswer];

    /// Whether the change harms readers.
    pub const fn is_loss(self) -> bool {
        matches!(self, Self::LostPage | Self::LostAnswer)
    }

    /// The end of a sentence about `count` questions.
    const fn of(self, count: usize) -> &'static str {
        match (self, count) {
            (Self::LostPage, 1) => "lost its page",
            (Self::LostPage, _) => "lost their page",
            (Self::LostAnswer, 1) => "lost its answer",
            (Self::LostAnswer, _) => "lost their answer",
            (Self::FoundPage, 1) => "found its page",
            (Self::FoundPage, _) => "found their page",
            (Self::GainedAnswer, 1) => "gained its answer",
            (Self::GainedAnswer, _) => "gained their answer",
        }
    }
}

/// A question that fares differently.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct QuestionChange {
    /// The question.
    pub question: String,
    /// What became of it.
    pub fate: QuestionFate,
    /// Paths of the pages that answer it, without an extension; empty if no page does.
    pub pages: Vec<String>,
    /// Why it fails now; empty if it passes.
    pub reason: String,
}

/// The golden questions of a change, asked before and after it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct QuestionCheck {
    /// Questions in the file.
    pub total: usize,
    /// Questions that were asked, within limits of time and number.
    pub asked: usize,
    /// Questions among them with a right answer now.
    pub passed: usize,
    /// Whether they were asked before the change too.
    pub is_compared: bool,
    /// How many questions have each fate, in the order of [`QuestionFate::ALL`].
    pub counts: [usize; 4],
    /// The first [`MAXIMUM_CHANGES`] of them, the worst first.
    pub changes: Vec<QuestionChange>,
}

impl QuestionCheck {
    /// Counts the changes, and keeps the first of them.
    #[must_use]
    pub fn with_changes(mut self, mut changes: Vec<QuestionChange>) -> Self {
        for (count, fate) in self.counts.iter_mut().zip(QuestionFate::ALL) {
            *count = changes.iter().filter(|change| change.fate == fate).count();
        }
        changes.sort_by_key(|change| change.fate);
        changes.truncate(MAXIMUM_CHANGES);
        self.changes = changes;
        self.shortened()
    }

    /// The same within the limits of stored checks. A process that isn't trusted can return anything.
    #[must_use]
    pub fn shortened(mut self) -> Self {
        self.changes.truncate(MAXIMUM_CHANGES);
        for change in &mut self.changes {
            change.pages.truncate(MAXIMUM_PAGES);
            let texts = [&mut change.question, &mut change.reason];
            for text in texts.into_iter().chain(&mut change.pages) {
                if let Some((end, _)) = text.char_indices().nth(MAXIMUM_TEXT) {
                    text.truncate(end);
                }
            }
        }
        self
    }

    /// Number of changed questions.
    pub fn changed(&self) -> usize {
        self.counts.iter().fold(0, |sum, count| sum.saturating_add(*count))
    }

    /// The changes in a few words, such as `2 questions lost their page, 1 question gained its answer`; empty
    /// without changes.
    pub fn summary(&self) -> String {
        let parts = QuestionFate::ALL.into_iter().zip(self.counts).filter(|(_, count)| *count > 0);
        let parts =
            parts.map(|(fate, count)| format!("{} {}", counted(count, "question"), fate.of(count)));
        parts.collect::<Vec<_>>().join(", ")
    }

    /// How many questions pass, such as `12 of 14 questions pass`.
    pub fn figure(&self) -> String {
        let Self { total, asked, passed, .. } = *self;
        let pass = if asked == 1 { "passes" } else { "pass" };
        let all = format!("{passed} of {} {pass}", counted(asked, "question"));
        if asked < total {
            format!("{all}; {} not asked", counted(total - asked, "question"))
        } else {
            all
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(question: &str, fate: QuestionFate) -> QuestionChange {
        let pages = vec!["a".repeat(1_000); 9];
        QuestionChange { question: question.to_owned(), fate, pages, reason: "ä".repeat(900) }
    }

    #[test]
    fn changes_are_counted_and_the_worst_are_listed_first() {
        let mut changes = vec![change("gained", QuestionFate::GainedAnswer); 60];
        changes
            .extend([change("one", QuestionFate::LostPage), change("two", QuestionFate::LostPage)]);
        let check = QuestionCheck { total: 70, asked: 62, passed: 60, ..QuestionCheck::default() };
        let check = check.with_changes(changes);
        assert_eq!(
            check.summary(),
            "2 questions lost their page, 60 questions gained their answer"
        );
        assert_eq!(check.figure(), "60 of 62 questions pass; 8 questions not asked");
        assert_eq!((check.changed(), check.changes.len()), (62, MAXIMUM_CHANGES));
        assert_eq!(check.changes[0].question, "one");
        let first = &check.changes[0];
        assert_eq!(
            (first.pages.len(), first.reason.chars().count()),
            (MAXIMUM_PAGES, MAXIMUM_TEXT)
        );
        assert_eq!(QuestionCheck::default().summary(), "");
    }
}
