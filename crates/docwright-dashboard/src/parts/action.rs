//! A button that does something: a form of its own, which works without scripts.

use maud::{Markup, html};

/// A button and what it sends.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Action<'a> {
    path: &'a str,
    label: &'a str,
    fields: &'a [(&'a str, &'a str)],
    class: Option<&'static str>,
    question: Option<&'a str>,
}

impl<'a> Action<'a> {
    /// Sends nothing but the request.
    pub(crate) const fn new(path: &'a str, label: &'a str) -> Self {
        Self { path, label, fields: &[], class: None, question: None }
    }

    /// What it sends.
    pub(crate) const fn with(self, fields: &'a [(&'a str, &'a str)]) -> Self {
        Self { fields, ..self }
    }

    /// The first thing to do on the page.
    pub(crate) const fn primary(self) -> Self {
        Self { class: Some("primary"), ..self }
    }

    /// What is better thought over. Where scripts run, the browser asks first.
    pub(crate) const fn asks(self, question: &'a str) -> Self {
        Self { question: Some(question), ..self }
    }

    /// What can't be taken back.
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
