//! The form: the text, the frame with its preview, and what the pull request says.

use docwright_operations::{
    OperationError,
    fields::field,
    pages::{DraftAccess, EditPage, PageSource},
};
use maud::{Markup, html};
use serde::Deserialize;

use crate::{
    assets,
    parts::{Field, FormError, NamedField, lines},
    paths::encoded,
    refusal::Refusal,
    words,
};

/// The fields of the form, as errors of the operation name them.
const FIELDS: [NamedField; 3] = [
    ("text", "text", words::PAGE_TEXT),
    ("title", "title", words::EDIT_TITLE),
    ("description", "description", words::DESCRIPTION),
];
/// Target of the preview's button.
const FRAME: &str = "draft";

/// What someone wrote.
#[derive(Debug, Default, Deserialize)]
pub(in crate::pages) struct Given {
    pub(super) path: String,
    #[serde(default)]
    pub(super) domain: String,
    revision: String,
    text: String,
    #[serde(default)]
    title: String,
    #[serde(default)]
    description: String,
}

impl Given {
    /// An unchanged text.
    pub(super) fn of(source: &PageSource) -> Self {
        Self {
            path: source.path.clone(),
            domain: source.domain.clone(),
            revision: source.revision.clone(),
            text: source.text.clone(),
            ..Self::default()
        }
    }

    pub(super) fn input(&self) -> Result<EditPage, OperationError> {
        let given = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        Ok(EditPage {
            path: field("path", self.path.as_str())?,
            domain: given(&self.domain).map(|domain| field("domain", domain)).transpose()?,
            revision: field("revision", self.revision.as_str())?,
            text: field("text", self.text.as_str())?,
            title: field("title", self.title.trim())?,
            description: given(&self.description)
                .map(|text| field("description", text))
                .transpose()?,
        })
    }

    /// The form of a page whose file is gone by now, so that its text isn't lost.
    pub(super) fn without_file(&self, error: OperationError) -> Result<PageSource, Refusal> {
        let sentence = match error {
            OperationError::NotFound(sentence) | OperationError::Conflict(sentence) => {
                Some(sentence)
            }
            // Sending the form again can succeed.
            OperationError::Busy(_) | OperationError::Unavailable(_) => None,
            other => return Err(other.into()),
        };
        Ok(PageSource {
            path: self.path.clone(),
            title: self.path.clone(),
            domain: self.domain.clone(),
            file: String::new(),
            branch: String::new(),
            commit: String::new(),
            revision: self.revision.clone(),
            text: String::new(),
            unavailable: sentence,
        })
    }
}

/// The page. `frame` is where the preview is, or why there is none.
pub(super) fn form(
    here: &str,
    list: &str,
    (source, given): (&PageSource, &Given),
    frame: Result<&DraftAccess, String>,
    sentence: Option<&str>,
) -> Markup {
    let error = FormError::of(sentence, &FIELDS);
    let is_stale = source.revision != given.revision;
    html! {
        p.above { a href=(list) { (words::PAGES) } }
        h1 { (words::edit_page(&source.title)) }
        @if !source.file.is_empty() {
            p.soft { code { (source.file) } " · " (words::BRANCH) " " code { (source.branch) } }
        }
        @if is_stale { (stale(source)) } @else { (error.show()) }
        @if let Some(why) = source.unavailable.as_deref().filter(|why| Some(*why) != sentence) {
            div.notice { p { strong { (words::NO_PULL_REQUESTS_HERE) } } p { (why) } }
        }
        form.editor method="post" action=(here) {
            input type="hidden" name="path" value=(source.path);
            input type="hidden" name="domain" value=(source.domain);
            input type="hidden" name="revision" value=(source.revision);
            div.panes {
                (text(given, &error))
                (preview(source, frame.as_ref()))
            }
            (Field::text("title", words::EDIT_TITLE, &given.title).hint(words::EDIT_TITLE_HINT).checked(&error).show())
            (lines(("description", words::DESCRIPTION), &given.description, Some(words::EDIT_DESCRIPTION_HINT), &error))
            div.actions {
                // The first button is that of the Enter key.
                @if source.unavailable.is_none() {
                    button.primary type="submit" { (words::PROPOSE) }
                }
                @if let Ok(access) = &frame {
                    button type="submit" formaction=(place(access)) formtarget=(FRAME) formnovalidate { (words::PREVIEW) }
                }
            }
        }
        script src=(assets::editor()) defer {}
    }
}

fn text(given: &Given, error: &FormError) -> Markup {
    let wrong = error.at("text");
    html! {
        div.field {
            label for="text" { (words::PAGE_TEXT) }
            // HTML drops the first line break, so the text has its own.
            textarea.source id="text" name="text" required spellcheck="true" autocomplete="off"
                aria-invalid=[wrong.map(|_| "true")] aria-describedby=[wrong.map(|_| "text-error")] { "\n" (given.text) }
            @if let Some(wrong) = wrong { p.error id="text-error" { (wrong) } }
        }
    }
}

fn preview(source: &PageSource, frame: Result<&&DraftAccess, &String>) -> Markup {
    html! {
        section.field aria-labelledby="preview-label" {
            p.label id="preview-label" { (words::PREVIEW) }
            @match frame {
                Ok(access) => {
                    input type="hidden" name="draft" value=(access.access);
                    input type="hidden" name="scrolled" value="0";
                    div.drafts {
                        iframe name=(FRAME) src=(place(access)) title=(words::preview_of(&source.title))
                            sandbox="allow-scripts allow-popups" referrerpolicy="no-referrer" {}
                    }
                    p.hint { (words::PREVIEW_HINT) }
                }
                Err(why) => p.soft { (why) },
            }
        }
    }
}

/// The address of the page on the host of drafts.
fn place(access: &DraftAccess) -> String {
    let path: Vec<_> = access.path.split('/').map(encoded).collect();
    format!("{}/{}", access.origin, path.join("/"))
}

/// The text that the branch has by now, above the text that isn't saved.
fn stale(source: &PageSource) -> Markup {
    html! {
        div.problem role="alert" {
            p { strong { (words::STALE_EDIT) } }
            p { (words::STALE_EDIT_WHY) }
        }
        h2 id="current" { (words::CURRENT_TEXT) }
        pre.current tabindex="0" role="region" aria-labelledby="current" { code { (source.text) } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> PageSource {
        let owned = str::to_owned;
        PageSource {
            path: owned("guides/a b"),
            title: owned("<b>Title"),
            domain: owned("docs.example.com"),
            file: owned("docs/a.mdx"),
            branch: owned("main"),
            commit: owned("8f2c"),
            revision: owned("257c"),
            text: owned(text),
            unavailable: None,
        }
    }

    fn shown(source: &PageSource, given: &Given) -> String {
        let access = DraftAccess {
            origin: "https://d.example.net".to_owned(),
            path: source.path.clone(),
            access: "signed".to_owned(),
        };
        form("/here", "/list", (source, given), Ok(&access), None).into_string()
    }

    #[test]
    fn text_of_the_file_is_text_in_the_form() {
        let source = source("\n</textarea><script>alert(1)</script>");
        let html = shown(&source, &Given::of(&source));
        assert!(html.contains(">\n\n&lt;/textarea&gt;&lt;script&gt;"), "{html}");
        assert!(!html.contains("<script>") && !html.contains("<b>"), "{html}");
        assert!(html.contains("src=\"https://d.example.net/guides/a%20b\""), "{html}");
        assert!(!html.contains(words::STALE_EDIT));
    }

    #[test]
    fn stale_form_shows_both_texts_and_is_based_on_the_new_one() {
        let before = source("old");
        let given = Given { text: "mine".to_owned(), ..Given::of(&before) };
        let now = PageSource { revision: "9999".to_owned(), text: "theirs".to_owned(), ..before };
        let html = shown(&now, &given);
        for part in [words::STALE_EDIT, "mine", "theirs", "name=\"revision\" value=\"9999\""] {
            assert!(html.contains(part), "{part}: {html}");
        }
    }
}
