//! A button that performs an action: a form, which works without scripts.

use maud::{Markup, html};

/// A button and the fields that it sends.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Action<'a> {
    path: &'a str,
    label: &'a str,
    fields: &'a [(&'a str, &'a str)],
    class: Option<&'static str>,
    question: Option<&'a str>,
}

impl<'a> Action<'a> {
    /// Sends only the request.
    pub(crate) const fn new(path: &'a str, label: &'a str) -> Self {
        Self { path, label, fields: &[], class: None, question: None }
    }

    /// Sets the fields to send.
    pub(crate) const fn with(self, fields: &'a [(&'a str, &'a str)]) -> Self {
        Self { fields, ..self }
    }

    /// Marks the primary action of the page.
    pub(crate) const fn primary(self) -> Self {
        Self { class: Some("primary"), ..self }
    }

    /// Marks an action that needs confirmation. With scripts, the browser asks first.
    pub(crate) const fn asks(self, question: &'a str) -> Self {
        Self { question: Some(question), ..self }
    }

    /// Marks an action that can't be undone.
    pub(crate) const fn dangerous(self, question: &'a str) -> Self {
        Self { class: Some("danger"), ..self.asks(question) }
    }

    /// The button.
    pub(crate) fn show(&self) -> Markup {
        html! {
            form method="post" action=(self.path) data-confirm=[self.question] {
                @for (name, value) in self.fields { input type="hidden" name=(name) value=(value); }
                button type="submit" class=[self.class] { (self.label) }
            }
        }
    }
}
