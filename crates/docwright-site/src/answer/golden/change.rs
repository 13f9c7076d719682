//! Golden questions before and after a change: which of them lost or gained their page or answer.

use docwright_types::question_check::{
    MAXIMUM_CHECKED, QuestionChange, QuestionCheck, QuestionFate,
};

use super::{GoldenQuestion, JudgedQuestion, Method, SearchedSite};
use crate::search::SearchError;

/// Asks the questions of a change: of the site after it, and of the one before it. Each question is asked of both,
/// so the first ones are compared even if there isn't time for all. Stops when `is_over` says so, and at
/// [`MAXIMUM_CHECKED`] questions.
pub fn check_change(
    questions: &[GoldenQuestion],
    after: &SearchedSite,
    before: Option<&SearchedSite>,
    is_over: impl Fn() -> bool + Send + Sync + Clone + 'static,
) -> Result<QuestionCheck, SearchError> {
    let mut check = QuestionCheck {
        total: questions.len(),
        is_compared: before.is_some(),
        ..QuestionCheck::default()
    };
    let mut changes = Vec::new();
    for question in questions.iter().take(MAXIMUM_CHECKED) {
        let asked = after.judge(question, Method::Extract, is_over.clone()).and_then(|now| {
            let earlier = before
                .map(|before| before.judge(question, Method::Extract, is_over.clone()))
                .transpose()?;
            Ok((now, earlier))
        });
        let (now, earlier) = match asked {
            Ok(asked) => asked,
            Err(SearchError::TooLong) => break,
            Err(error) => return Err(error),
        };
        check.asked += 1;
        check.passed += usize::from(now.has_passed());
        if let Some(fate) = earlier.and_then(|earlier| fate(&earlier, &now)) {
            changes.push(QuestionChange {
                question: question.question.clone(),
                fate,
                pages: question.pages.clone(),
                reason: now.failures.join("; "),
            });
        }
    }
    Ok(check.with_changes(changes))
}

fn fate(before: &JudgedQuestion, now: &JudgedQuestion) -> Option<QuestionFate> {
    match (before.is_found(), now.is_found(), before.has_passed(), now.has_passed()) {
        (true, false, ..) => Some(QuestionFate::LostPage),
        (false, true, ..) => Some(QuestionFate::FoundPage),
        (_, _, true, false) => Some(QuestionFate::LostAnswer),
        (_, _, false, true) => Some(QuestionFate::GainedAnswer),
        _ => None,
    }
}
