//! Results of the search, as the page and the dialog show them.

use maud::{Markup, html};

/// Results of one kind.
pub(super) struct Group {
    pub(super) label: &'static str,
    pub(super) entries: Vec<Entry>,
}

/// A result.
pub(super) struct Entry {
    title: String,
    /// What tells it from others with this title, such as the name of its project.
    place: String,
    target: Target,
}

enum Target {
    /// The page at a path.
    Page(String),
    /// A form without fields that is sent to a path.
    Form(String),
}

impl Entry {
    /// A result that leads to a page.
    pub(super) fn page(title: &str, place: &str, path: String) -> Self {
        Self { title: title.to_owned(), place: place.to_owned(), target: Target::Page(path) }
    }

    /// A result that does something.
    pub(super) fn form(title: &str, place: &str, path: String) -> Self {
        Self { title: title.to_owned(), place: place.to_owned(), target: Target::Form(path) }
    }

    pub(super) fn show(&self) -> Markup {
        html! {
            @match &self.target {
                Target::Page(path) => { a href=(path) { (self.title) } }
                Target::Form(path) => {
                    form method="post" action=(path) { button.link type="submit" { (self.title) } }
                }
            }
            @if !self.place.is_empty() { span.soft { (self.place) } }
        }
    }
}
