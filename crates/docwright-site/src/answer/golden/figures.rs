//! Figures of judged questions.

use serde::Serialize;

use super::JudgedQuestion;

/// How good the answers to golden questions are. Shares are from 0 to 1; a share of nothing is left out.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Figures {
    /// Questions that the pages answer.
    pub answered: usize,
    /// Questions that no page answers.
    pub unanswered: usize,
    /// Share of the answered questions with a right page first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recall_at1: Option<f64>,
    /// Share with a right page among the first three.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recall_at3: Option<f64>,
    /// Share with a right page among the first five.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recall_at5: Option<f64>,
    /// Mean of one divided by the place of the first right page; 0 for a page that isn't found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_reciprocal_rank: Option<f64>,
    /// Share of the unanswered questions that were refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub right_refusals: Option<f64>,
    /// Share of the answered questions that were refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wrong_refusals: Option<f64>,
    /// Quoted sections.
    pub citations: usize,
    /// Share of the quoted sections whose words are on their page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub citations_that_hold: Option<f64>,
    /// Share of all questions that passed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub passed: Option<f64>,
}

impl Figures {
    /// Counts.
    pub fn of(judged: &[JudgedQuestion]) -> Self {
        let (unanswered, answered): (Vec<_>, Vec<_>) =
            judged.iter().partition(|question| question.unanswered);
        let within = |most: usize| {
            let is_found =
                |question: &&&JudgedQuestion| question.rank.is_some_and(|rank| rank <= most);
            share(answered.iter().filter(is_found).count(), answered.len())
        };
        let refused = |questions: &[&JudgedQuestion]| {
            let decided = questions.iter().filter_map(|question| question.refused);
            let (refused, all) = decided.fold((0, 0), |(refused, all), is_refused| {
                (refused + usize::from(is_refused), all + 1)
            });
            share(refused, all)
        };
        let citations = judged.iter().map(|question| question.sections.len()).sum();
        let broken: usize = judged.iter().map(|question| question.broken_citations.len()).sum();
        #[expect(clippy::cast_precision_loss, reason = "a few thousand questions")]
        let reciprocal: f64 = answered
            .iter()
            .filter_map(|question| question.rank)
            .map(|rank| 1.0 / rank as f64)
            .sum();
        #[expect(clippy::cast_precision_loss, reason = "a few thousand questions")]
        let mean = (!answered.is_empty()).then(|| reciprocal / answered.len() as f64);
        let passed = judged.iter().filter(|question| question.has_passed()).count();
        Self {
            answered: answered.len(),
            unanswered: unanswered.len(),
            recall_at1: within(1),
            recall_at3: within(3),
            recall_at5: within(super::judge::WITHIN),
            mean_reciprocal_rank: mean,
            right_refusals: refused(&unanswered),
            wrong_refusals: refused(&answered),
            citations,
            citations_that_hold: share(citations - broken, citations),
            passed: share(passed, judged.len()),
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "a few thousand questions")]
fn share(some: usize, all: usize) -> Option<f64> {
    (all > 0).then(|| some as f64 / all as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_count_only_what_was_asked() {
        let question = |unanswered, rank, refused| JudgedQuestion {
            unanswered,
            rank,
            refused: Some(refused),
            ..JudgedQuestion::default()
        };
        let figures = Figures::of(&[
            question(false, Some(1), false),
            question(false, Some(4), true),
            question(true, None, true),
        ]);
        assert_eq!((figures.answered, figures.unanswered), (2, 1));
        assert_eq!((figures.recall_at1, figures.recall_at5), (Some(0.5), Some(1.0)));
        assert_eq!(figures.mean_reciprocal_rank, Some(0.625));
        assert_eq!((figures.right_refusals, figures.wrong_refusals), (Some(1.0), Some(0.5)));
        assert_eq!(figures.citations_that_hold, None);
    }
}
