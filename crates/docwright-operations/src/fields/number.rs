//! Numbers of queries and paths.

use serde::{Deserialize, Deserializer, de::Error as _};

/// A whole number within limits, written as text.
#[derive(Debug, Clone, Copy)]
pub struct Number<const LEAST: i64, const MOST: i64>(pub i64);

impl<'de, const LEAST: i64, const MOST: i64> Deserialize<'de> for Number<LEAST, MOST> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let number = text.parse().ok().filter(|number| (LEAST..=MOST).contains(number));
        let wrong = || D::Error::custom(format!("must be a whole number from {LEAST} to {MOST}"));
        number.map(Self).ok_or_else(wrong)
    }
}
