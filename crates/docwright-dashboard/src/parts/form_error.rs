//! The error of a form that is shown again: above the form, and at the field that it is about.

use maud::{Markup, html};

/// A field of a form: its name for the operation, its name in the form, and its label.
pub(crate) type NamedField = (&'static str, &'static str, &'static str);

/// The error of a form, if it has one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FormError {
    /// The name of the field in the form, if the error is about one.
    field: Option<&'static str>,
    sentence: Option<String>,
}

impl FormError {
    /// The error of an operation, in words of the form. Operations name a field as the API does, in backticks and
    /// with its position in a list; the form names it by its label.
    pub(crate) fn of(sentence: Option<&str>, fields: &[NamedField]) -> Self {
        let split = sentence.and_then(|text| text.strip_prefix('`')?.split_once('`'));
        let found = split.and_then(|(path, rest)| {
            let (name, position) = path.split_once('[').unwrap_or((path, ""));
            let (_, field, label) = fields.iter().find(|(known, ..)| *known == name)?;
            let position = position.trim_end_matches(']').parse::<usize>().ok();
            let entry = position.map(|position| format!(", entry {},", position + 1));
            Some((*field, format!("“{label}”{}{rest}", entry.unwrap_or_default())))
        });
        match found {
            Some((field, sentence)) => Self { field: Some(field), sentence: Some(sentence) },
            None => Self { field: None, sentence: sentence.map(str::to_owned) },
        }
    }

    /// An error about a field.
    pub(crate) const fn about(field: &'static str, sentence: String) -> Self {
        Self { field: Some(field), sentence: Some(sentence) }
    }

    /// The error above the form. It leads to the field.
    pub(crate) fn show(&self) -> Markup {
        html! {
            @if let Some(sentence) = &self.sentence {
                p.problem role="alert" {
                    @if let Some(field) = self.field { a href=(format!("#{field}")) { (sentence) } }
                    @else { (sentence) }
                }
            }
        }
    }

    /// Whether the form has no error.
    pub(crate) const fn is_none(&self) -> bool {
        self.sentence.is_none()
    }

    /// The sentence, if it is about this field.
    pub(crate) fn at(&self, field: &str) -> Option<&str> {
        self.field.filter(|own| *own == field).and(self.sentence.as_deref())
    }
}

/// The IDs of the texts that describe a field: its hint and its error.
pub(super) fn described_by(name: &str, has_hint: bool, has_error: bool) -> Option<String> {
    let hint = has_hint.then(|| format!("{name}-hint"));
    let error = has_error.then(|| format!("{name}-error"));
    let all: Vec<_> = hint.into_iter().chain(error).collect();
    (!all.is_empty()).then(|| all.join(" "))
}

/// The error at a field.
pub(super) fn error_at(name: &str, error: Option<&str>) -> Markup {
    html! {
        @if let Some(error) = error { p.error id=(format!("{name}-error")) { (error) } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIELDS: [NamedField; 2] =
        [("allow", "allow", "Allowed IP addresses"), ("agentPaths", "agent_paths", "Other files")];

    #[test]
    fn error_names_the_label_of_its_field() {
        let of = |sentence: &str| FormError::of(Some(sentence), &FIELDS);
        let listed = of("`allow[1]` isn't a network.");
        assert_eq!(listed.at("allow"), Some("“Allowed IP addresses”, entry 2, isn't a network."));
        assert_eq!(listed.at("agent_paths"), None);
        let renamed = of("`agentPaths` is blank; enter some text.");
        assert_eq!(renamed.at("agent_paths"), Some("“Other files” is blank; enter some text."));
        for other in ["The name is taken.", "`name` is blank.", "`allow"] {
            let error = of(other);
            assert_eq!((error.field, error.sentence.as_deref()), (None, Some(other)));
        }
        let shown = of("<b>").show().into_string();
        assert!(shown.contains("&lt;b&gt;"), "{shown}");
        assert_eq!(FormError::of(None, &FIELDS).show().into_string(), "");
    }
}
