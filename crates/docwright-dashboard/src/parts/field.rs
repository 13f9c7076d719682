//! Fields of forms, what was wrong with one, and texts to copy.

use maud::{Markup, html};

use crate::words;

/// A field of one line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Field<'a> {
    pub(crate) name: &'a str,
    pub(crate) label: &'a str,
    /// `text`, `email`, `password` and so on.
    pub(crate) kind: &'a str,
    pub(crate) value: &'a str,
    /// What browsers fill in, in the words of HTML.
    pub(crate) autocomplete: &'a str,
    pub(crate) hint: Option<&'a str>,
    pub(crate) is_required: bool,
}

impl<'a> Field<'a> {
    /// A line of text that has to be there.
    pub(crate) const fn text(name: &'a str, label: &'a str, value: &'a str) -> Self {
        Self {
            name,
            label,
            kind: "text",
            value,
            autocomplete: "off",
            hint: None,
            is_required: true,
        }
    }

    /// The same of another kind, which browsers fill in as `autocomplete` says.
    pub(crate) const fn of(self, kind: &'a str, autocomplete: &'a str) -> Self {
        Self { kind, autocomplete, ..self }
    }

    /// With a line that says what belongs there.
    pub(crate) const fn hint(self, hint: &'a str) -> Self {
        Self { hint: Some(hint), ..self }
    }

    /// That can be left out.
    pub(crate) const fn optional(self) -> Self {
        Self { is_required: false, ..self }
    }

    /// Its label and input.
    pub(crate) fn show(&self) -> Markup {
        let hint_id = format!("{}-hint", self.name);
        html! {
            div.field {
                label for=(self.name) { (self.label) }
                input id=(self.name) name=(self.name) type=(self.kind) value=(self.value)
                    autocomplete=(self.autocomplete) required[self.is_required]
                    aria-describedby=[self.hint.map(|_| &hint_id)];
                @if let Some(hint) = self.hint { p.hint id=(hint_id) { (hint) } }
            }
        }
    }
}

/// What was wrong with a form that is shown again.
pub(crate) fn problem(sentence: Option<&str>) -> Markup {
    html! {
        @if let Some(sentence) = sentence { p.problem role="alert" { (sentence) } }
    }
}

/// The revision of the record that a form is filled in from, which the form sends back.
pub(crate) fn revision(number: Option<&str>) -> Markup {
    html! {
        @if let Some(number) = number { input type="hidden" name="revision" value=(number); }
    }
}

/// The values of a record that someone else changed, above a form that still has what was typed.
pub(crate) fn stored(values: &Markup) -> Markup {
    html! {
        h2 { (words::STORED) }
        (values)
        p { (words::STORED_WHY) }
    }
}

/// A text that is made to be copied, with a button for it where scripts run.
pub(crate) fn copied(text: &str) -> Markup {
    html! {
        span.copied {
            code { (text) }
            button.quiet type="button" hidden data-copy=(text) { (words::COPY) }
        }
    }
}

/// Lines that are made to be copied.
pub(crate) fn copied_lines(text: &str) -> Markup {
    html! {
        div.lines {
            pre tabindex="0" { code { (text) } }
            button.quiet type="button" hidden data-copy=(text) { (words::COPY) }
        }
    }
}
