//! Text of a request.

use serde::{Deserialize, Serialize};

/// Text of at most `MAXIMUM` characters that isn't blank. NUL isn't allowed, since PostgreSQL doesn't store it.
///
/// A field's schema states the same: `min_length = 1`, `max_length`, and `pattern` as below.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct Text<const MAXIMUM: usize>(String);

impl<const MAXIMUM: usize> TryFrom<String> for Text<MAXIMUM> {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        if text.contains('\0') {
            return Err("contains a NUL character; remove it".to_owned());
        }
        if text.chars().all(|letter| letter.is_whitespace() || letter.is_control()) {
            return Err("is blank; enter some text".to_owned());
        }
        if text.chars().count() > MAXIMUM {
            return Err(format!("is longer than {MAXIMUM} characters; make it shorter"));
        }
        Ok(Self(text))
    }
}

impl<const MAXIMUM: usize> Text<MAXIMUM> {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<const MAXIMUM: usize> From<Text<MAXIMUM>> for String {
    fn from(text: Text<MAXIMUM>) -> Self {
        text.0
    }
}

/// The same for a name on one line: no control characters, and no surrounding spaces.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "Text<MAXIMUM>")]
pub struct Label<const MAXIMUM: usize>(String);

impl<const MAXIMUM: usize> TryFrom<Text<MAXIMUM>> for Label<MAXIMUM> {
    type Error = &'static str;

    fn try_from(Text(text): Text<MAXIMUM>) -> Result<Self, &'static str> {
        if text.chars().any(char::is_control) {
            return Err("contains a control character, such as a line break; remove it");
        }
        if text.trim() != text {
            return Err("starts or ends with a space; remove it");
        }
        Ok(Self(text))
    }
}

impl<const MAXIMUM: usize> TryFrom<String> for Label<MAXIMUM> {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Self::try_from(Text::try_from(text)?).map_err(str::to_owned)
    }
}

impl<const MAXIMUM: usize> From<Label<MAXIMUM>> for String {
    fn from(label: Label<MAXIMUM>) -> Self {
        label.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_not_blank_not_long_and_has_no_nul() {
        let text = |text: &str| Text::<3>::try_from(text.to_owned()).map(String::from);
        assert_eq!(text("äöü").as_deref(), Ok("äöü"));
        for (wrong, why) in [
            ("", "blank"),
            (" \n\u{85}", "blank"),
            ("\u{1f}", "blank"),
            ("abcd", "longer than 3"),
            ("a\0", "NUL"),
        ] {
            assert!(text(wrong).is_err_and(|error| error.contains(why)), "{wrong:?}");
        }
    }

    #[test]
    fn label_has_one_line_without_blanks_around_it() {
        let label = |text: &str| {
            let text = serde_json::Value::from(text);
            serde_json::from_value::<Label<9>>(text)
                .map(String::from)
                .map_err(|why| why.to_string())
        };
        assert_eq!(label("2026 ü.11").as_deref(), Ok("2026 ü.11"));
        for (wrong, why) in [
            ("a\nb", "control character"),
            ("a\u{7f}", "control character"),
            ("\u{9b}a", "control character"),
            (" a", "ends with a space"),
            ("a\u{a0}", "ends with a space"),
            ("a\t", "control character"),
            (" ", "is blank"),
            ("0123456789", "longer than 9"),
        ] {
            assert!(label(wrong).is_err_and(|error| error.contains(why)), "{wrong:?}");
        }
    }
}
