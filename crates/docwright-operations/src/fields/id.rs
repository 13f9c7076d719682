//! Identifiers in bodies.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Longest identifier, in characters. Existing ones are shorter.
const LONGEST: usize = 200;

/// ID of an object, without NUL characters.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[serde(try_from = "String")]
#[schema(
    value_type = String,
    max_length = 200,
    pattern = r"^[^\x00]*$",
    example = "prj_0199a1b2c3d4e5f60718293a4b5c6d7e"
)]
pub struct Id(String);

impl TryFrom<String> for Id {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        if text.contains('\0') {
            return Err("contains a NUL character; remove it".to_owned());
        }
        if text.chars().count() > LONGEST {
            return Err(format!("is longer than {LONGEST} characters; check the ID"));
        }
        Ok(Self(text))
    }
}

impl Id {
    /// Its text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifier_must_suit_every_database() {
        assert!(Id::try_from("prj_1".to_owned()).is_ok());
        assert!(Id::try_from("a\0".to_owned()).is_err());
        assert!(Id::try_from("x".repeat(LONGEST + 1)).is_err());
    }
}
