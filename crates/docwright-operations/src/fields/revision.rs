//! Revisions that updates name.

use docwright_storage::StorageError;
use serde::{Deserialize, Serialize};
use serde_json::Number;

use crate::OperationError;

/// Number of the version of a record that an update is based on.
///
/// A field's schema states the same: `value_type = Option<i64>` and `minimum = 1`.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(try_from = "Number", into = "i64")]
pub struct Revision(i64);

impl TryFrom<Number> for Revision {
    type Error = &'static str;

    /// `5.0` is a whole number in JSON Schema, and also here.
    fn try_from(number: Number) -> Result<Self, &'static str> {
        let whole = || number.as_f64()?.to_string().parse().ok();
        number.as_i64().or_else(whole).and_then(Self::within).ok_or(RULE)
    }
}

impl TryFrom<String> for Revision {
    type Error = &'static str;

    /// Parses digits.
    fn try_from(text: String) -> Result<Self, &'static str> {
        text.parse().ok().and_then(Self::within).ok_or(RULE)
    }
}

impl From<Revision> for i64 {
    fn from(Revision(number): Revision) -> Self {
        number
    }
}

impl Revision {
    fn within(number: i64) -> Option<Self> {
        (number >= 1).then_some(Self(number))
    }
}

/// Fails if an update names another revision than the record had when it was read. Returns the named one, which
/// the database checks again: so a stale update does nothing, and the audit entry has the replaced state.
pub(crate) fn require_current(
    record: &'static str,
    current: i64,
    named: Option<Revision>,
) -> Result<Option<i64>, OperationError> {
    match named.map(i64::from) {
        Some(revision) if revision != current => {
            Err(StorageError::Stale { record, revision }.into())
        }
        named => Ok(named),
    }
}

/// The error for a number that isn't a revision.
const RULE: &str = "must be a whole number from 1";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn revision_is_a_whole_number_from_1() {
        let read = |text: &str| serde_json::from_str::<Revision>(text).map(i64::from);
        assert_eq!((read("1").unwrap(), read("5.0").unwrap()), (1, 5));
        for wrong in ["0", "-1", "1.5", "1e300", "\"5\"", "null", "9223372036854775808"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
        let typed = |text: &str| Revision::try_from(text.to_owned()).map(i64::from);
        assert_eq!(typed("5"), Ok(5));
        assert!(["", "0", "5.0"].iter().all(|wrong| typed(wrong).is_err()));
    }
}
