//! Names of objects.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Longest name, in characters.
const LONGEST: usize = 200;

/// A line of at most 200 characters. Surrounding spaces are removed.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[serde(try_from = "String")]
#[schema(
    value_type = String,
    min_length = 1,
    max_length = 200,
    pattern = r"^[^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f][^\x00-\x1f\x7f-\x9f]*$",
    example = "Docs"
)]
pub struct Name(String);

impl TryFrom<String> for Name {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        if text.chars().any(char::is_control) {
            return Err("must be one line, without control characters".to_owned());
        }
        if text.chars().count() > LONGEST {
            return Err(format!("is longer than {LONGEST} characters; make it shorter"));
        }
        let name = text.trim();
        if name.is_empty() {
            return Err("is blank; enter some text".to_owned());
        }
        Ok(Self(name.to_owned()))
    }
}

impl FromStr for Name {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::try_from(text.to_owned()).map_err(|what| format!("a name {what}"))
    }
}

impl fmt::Display for Name {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl Name {
    /// Its text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_is_one_printable_line() {
        assert_eq!("  Docs ".parse::<Name>().unwrap().as_str(), "Docs");
        assert!("x".repeat(LONGEST).parse::<Name>().is_ok());
        for wrong in ["", "  ", "a\nb", "\u{1b}[31m", "\0", "\u{85}", &"x".repeat(LONGEST + 1)] {
            assert!(wrong.parse::<Name>().is_err(), "{wrong:?}");
        }
    }
}
