//! Ways for readers to improve a page: an edit or an issue at the repository's host (`feedback`).

use maud::{Markup, html};

use super::PageView;
use crate::content::{PageKind, config::Config, words::Word};

/// Whether pages ask readers whether they helped.
pub(crate) fn asks_for_feedback(config: &Config) -> bool {
    let telemetry = config.integrations.get("telemetry").and_then(|each| each.get("enabled"));
    config.feedback.thumbs && telemetry.and_then(serde_json::Value::as_bool) != Some(false)
}

/// What the configuration asks for: the question whether the page helped, and links to where the
/// git host takes edits and issues.
pub(super) fn contribute(view: &PageView<'_>) -> Markup {
    let feedback = &view.config.feedback;
    let asks = asks_for_feedback(view.config);
    let repository = view.options.repository.as_ref();
    // The file of a generated page is a description that is written elsewhere.
    let is_file = view.page.kind == PageKind::File;
    let edit = repository.filter(|_| feedback.edit && is_file);
    let edit = edit.and_then(|repository| repository.editor(&view.page.path));
    let issue = repository.filter(|_| feedback.issue);
    let issue =
        issue.and_then(|repository| repository.new_issue(&format!("Page /{}", view.page.slug)));
    if edit.is_none() && issue.is_none() && !asks {
        return html! {};
    }
    html! {
        div.feedback-toolbar.dw-feedback-toolbar {
            @if asks { (question(view)) }
            @if let Some(edit) = edit { a href=(edit) rel="noopener" { (view.glyph("pencil")) (view.word(Word::Edit)) } }
            @if let Some(issue) = issue { a href=(issue) rel="noopener" { (view.glyph("circle-alert")) (view.word(Word::Issue)) } }
        }
    }
}

/// Shown only where the host says that it takes answers: elsewhere nobody would hear them.
fn question(view: &PageView<'_>) -> Markup {
    html! {
        form.dw-feedback #feedback-form hidden data-feedback=(view.page.slug) {
            fieldset {
                legend { (view.word(Word::Helpful)) }
                button #feedback-thumbs-up type="button" value="true" { (view.glyph("thumbs-up")) (view.word(Word::Yes)) }
                button #feedback-thumbs-down type="button" value="false" { (view.glyph("thumbs-down")) (view.word(Word::No)) }
            }
            div.dw-feedback-comment hidden {
                textarea #feedback-form-input maxlength="2000" rows="3" aria-label=(view.word(Word::Comment)) placeholder=(view.word(Word::Comment)) {}
                button #feedback-form-submit type="submit" { (view.word(Word::Send)) }
                button #feedback-form-cancel type="button" { (view.word(Word::Close)) }
            }
            p.dw-feedback-thanks role="status" data-thanks=(view.word(Word::Thanks)) {}
        }
    }
}
