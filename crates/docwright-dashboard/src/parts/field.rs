//! Form fields, their errors, and text to copy.

use maud::{Markup, html};

use super::form_error::{FormError, described_by, error_at};
use crate::words;

/// A field with one line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Field<'a> {
    pub(crate) name: &'a str,
    pub(crate) label: &'a str,
    /// `text`, `email`, `password`, and so on.
    pub(crate) kind: &'a str,
    pub(crate) value: &'a str,
    /// The `autocomplete` value in HTML.
    pub(crate) autocomplete: &'a str,
    pub(crate) hint: Option<&'a str>,
    pub(crate) is_required: bool,
    /// The ID of a list of suggestions.
    pub(crate) list: Option<&'a str>,
    /// What is wrong with the value.
    pub(crate) error: Option<&'a str>,
}

impl<'a> Field<'a> {
    /// A required line of text.
    pub(crate) const fn text(name: &'a str, label: &'a str, value: &'a str) -> Self {
        Self {
            name,
            label,
            kind: "text",
            value,
            autocomplete: "off",
            hint: None,
            is_required: true,
            list: None,
            error: None,
        }
    }

    /// The same with another type and `autocomplete` value.
    pub(crate) const fn of(self, kind: &'a str, autocomplete: &'a str) -> Self {
        Self { kind, autocomplete, ..self }
    }

    /// Adds a hint below the label.
    pub(crate) const fn hint(self, hint: &'a str) -> Self {
        Self { hint: Some(hint), ..self }
    }

    /// Makes it optional.
    pub(crate) const fn optional(self) -> Self {
        Self { is_required: false, ..self }
    }

    /// Offers the values of a `datalist`.
    pub(crate) const fn suggested(self, list: &'a str) -> Self {
        Self { list: Some(list), ..self }
    }

    /// Adds the error of the form, if it is about this field.
    pub(crate) fn checked(self, form: &'a FormError) -> Self {
        Self { error: form.at(self.name), ..self }
    }

    /// Its label, its input, and its error.
    pub(crate) fn show(&self) -> Markup {
        let described = described_by(self.name, self.hint.is_some(), self.error.is_some());
        html! {
            div.field {
                label for=(self.name) { (self.label) }
                input id=(self.name) name=(self.name) type=(self.kind) value=(self.value)
                    autocomplete=(self.autocomplete) list=[self.list] required[self.is_required]
                    aria-invalid=[self.error.map(|_| "true")] aria-describedby=[described];
                @if let Some(hint) = self.hint { p.hint id=(format!("{}-hint", self.name)) { (hint) } }
                (error_at(self.name, self.error))
            }
        }
    }
}

/// The error of a form that is shown again.
pub(crate) fn problem(sentence: Option<&str>) -> Markup {
    html! {
        @if let Some(sentence) = sentence { p.problem role="alert" { (sentence) } }
    }
}

/// The revision of the record, which the form sends back.
pub(crate) fn revision(number: Option<&str>) -> Markup {
    html! {
        @if let Some(number) = number { input type="hidden" name="revision" value=(number); }
    }
}

/// The values of a record that someone else changed, above a form that keeps the entered values.
pub(crate) fn stored(values: &Markup) -> Markup {
    html! {
        h2 { (words::STORED) }
        (values)
        p { (words::STORED_WHY) }
    }
}

/// A text to copy, with a button if scripts run.
pub(crate) fn copied(text: &str) -> Markup {
    html! {
        span.copied {
            code { (text) }
            button.quiet type="button" hidden data-copy=(text) { (words::COPY) }
        }
    }
}

/// Several lines to copy.
pub(crate) fn copied_lines(text: &str) -> Markup {
    html! {
        div.lines {
            pre tabindex="0" { code { (text) } }
            button.quiet type="button" hidden data-copy=(text) { (words::COPY) }
        }
    }
}
