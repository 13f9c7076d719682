//! Form fields with a list of choices.

use maud::{Markup, html};

use super::form_error::{FormError, described_by, error_at};

/// A list of values with their labels, one of which is selected.
pub(crate) fn select<V: AsRef<str>, L: AsRef<str>>(
    named: (&str, &str),
    options: &[(V, L)],
    chosen: &str,
    hint: Option<&str>,
) -> Markup {
    select_checked(named, options, chosen, hint, &FormError::of(None, &[]))
}

/// The same in a form that can have an error.
pub(crate) fn select_checked<V: AsRef<str>, L: AsRef<str>>(
    (name, label): (&str, &str),
    options: &[(V, L)],
    chosen: &str,
    hint: Option<&str>,
    form: &FormError,
) -> Markup {
    let error = form.at(name);
    let described = described_by(name, hint.is_some(), error.is_some());
    html! {
        div.field {
            label for=(name) { (label) }
            select id=(name) name=(name) aria-invalid=[error.map(|_| "true")] aria-describedby=[described] {
                @for (value, label) in options {
                    option value=(value.as_ref()) selected[value.as_ref() == chosen] { (label.as_ref()) }
                }
            }
            @if let Some(hint) = hint { p.hint id=(format!("{name}-hint")) { (hint) } }
            (error_at(name, error))
        }
    }
}

/// A field with several lines of text.
pub(crate) fn lines(
    (name, label): (&str, &str),
    value: &str,
    hint: Option<&str>,
    form: &FormError,
) -> Markup {
    let error = form.at(name);
    let described = described_by(name, hint.is_some(), error.is_some());
    html! {
        div.field {
            label for=(name) { (label) }
            textarea id=(name) name=(name) aria-invalid=[error.map(|_| "true")] aria-describedby=[described] { (value) }
            @if let Some(hint) = hint { p.hint id=(format!("{name}-hint")) { (hint) } }
            (error_at(name, error))
        }
    }
}
