//! The time of questions to read.

use docwright_types::timestamp::{Timestamp, parse_iso};
use serde::{Deserialize, Serialize};
use utoipa::IntoParams;

use crate::OperationError;

/// When the questions were asked.
#[derive(Debug, Default, Clone, Deserialize, Serialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct QuestionRange {
    /// Return only questions from this time on: a time with its zone, or a day (UTC).
    #[param(value_type = String, required = false, example = "2026-11-01")]
    pub date_from: Option<Moment>,
    /// Return only questions before this time: a time with its zone, or the start of a day (UTC).
    #[param(value_type = String, required = false, example = "2026-12-01")]
    pub date_to: Option<Moment>,
}

/// A time, or the start of a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(try_from = "String")]
pub struct Moment(Timestamp);

impl TryFrom<String> for Moment {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, &'static str> {
        let time = parse_iso(&text).or_else(|| parse_iso(&format!("{text}T00:00:00Z")));
        time.map(Self).ok_or("must be a day or a time with its zone, such as 2026-11-22")
    }
}

impl QuestionRange {
    /// The first time, and the end, which isn't part of the range.
    pub(crate) fn times(&self) -> Result<(Timestamp, Timestamp), OperationError> {
        let from = self.date_from.map_or(i64::MIN, |moment| moment.0);
        let to = self.date_to.map_or(i64::MAX, |moment| moment.0);
        if from >= to {
            let error = "`dateFrom` isn't before `dateTo`. Choose an earlier start.";
            return Err(OperationError::Invalid(error.to_owned()));
        }
        Ok((from, to))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use docwright_types::timestamp::DAY;

    #[test]
    fn range_is_read_from_days_and_times() {
        let moment = |text: &str| Moment::try_from(text.to_owned());
        assert_eq!(moment("1970-01-02"), Ok(Moment(DAY)));
        assert_eq!(moment("1970-01-02T01:00:00+01:00"), Ok(Moment(DAY)));
        for wrong in ["", "yesterday", "1970-13-01", "1970-01-02T00:00:00"] {
            assert!(moment(wrong).is_err(), "{wrong}");
        }
        assert_eq!(QuestionRange::default().times().unwrap(), (i64::MIN, i64::MAX));
        let empty = QuestionRange { date_from: Some(Moment(2)), date_to: Some(Moment(2)) };
        assert!(empty.times().is_err());
    }
}
