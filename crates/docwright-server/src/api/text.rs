//! Text of a request.

use serde::Deserialize;

/// Some characters, `MAXIMUM` at most, that are not all blank. NUL is none of them, since PostgreSQL
/// doesn't keep it.
///
/// A field's schema states the same: `min_length = 1`, `max_length`, and `pattern` as below.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Text<const MAXIMUM: usize>(String);

impl<const MAXIMUM: usize> TryFrom<String> for Text<MAXIMUM> {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        if text.contains('\0') {
            return Err("holds a NUL character; leave it out".to_owned());
        }
        if text.chars().all(|letter| letter.is_whitespace() || letter.is_control()) {
            return Err("is blank; it needs some text".to_owned());
        }
        if text.chars().count() > MAXIMUM {
            return Err(format!("is longer than {MAXIMUM} characters; make it shorter"));
        }
        Ok(Self(text))
    }
}

impl<const MAXIMUM: usize> From<Text<MAXIMUM>> for String {
    fn from(text: Text<MAXIMUM>) -> Self {
        text.0
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
}
