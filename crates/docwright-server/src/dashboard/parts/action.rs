//! A button that does something: a form of its own, which works without scripts.

use maud::{Markup, html};

/// A button and what it sends.
#[derive(Debug, Clone, Copy)]
pub(in crate::dashboard) struct Action<'a> {
    path: &'a str,
    label: &'a str,
    fields: &'a [(&'a str, &'a str)],
    class: Option<&'static str>,
    question: Option<&'a str>,
}

impl<'a> Action<'a> {
    /// Sends nothing but the request.
    pub(in crate::dashboard) const fn new(path: &'a str, label: &'a str) -> Self {
        Self { path, label, fields: &[], class: None, question: None }
    }

    /// What it sends.
    pub(in crate::dashboard) const fn with(self, fields: &'a [(&'a str, &'a str)]) -> Self {
        Self { fields, ..self }
    }

    /// The first thing to do on the page.
    pub(in crate::dashboard) const fn primary(self) -> Self {
        Self { class: Some("primary"), ..self }
    }

    /// What is better thought over. Where scripts run, the browser asks first.
    pub(in crate::dashboard) const fn asks(self, question: &'a str) -> Self {
        Self { question: Some(question), ..self }
    }

    /// What can't be taken back.
    pub(in crate::dashboard) const fn dangerous(self, question: &'a str) -> Self {
        Self { class: Some("danger"), ..self.asks(question) }
    }

    /// The button.
    pub(in crate::dashboard) fn show(&self) -> Markup {
        html! {
            form method="post" action=(self.path) data-confirm=[self.question] {
                @for (name, value) in self.fields { input type="hidden" name=(name) value=(value); }
                button type="submit" class=[self.class] { (self.label) }
            }
        }
    }
}
