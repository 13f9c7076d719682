//! What a query of analytics counts: the range of time, the pages, and the readers.

use docwright_storage::database::{AnalyticsFilter, AnalyticsRange, KEPT_ANALYTICS};
use docwright_types::{
    analytics::Reader,
    timestamp::{DAY, Timestamp, iso, parse_iso},
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::OperationError;

/// Length of a range without a start. Milliseconds.
const USUAL: Timestamp = 30 * DAY;
/// Longest path, in characters. The API spec says the same.
const LONGEST_PATH: usize = 200;

/// What to count. Ranges that start in the last 30 days have whole hours, and others whole days (UTC). Pages of a range
/// that starts more than 6 months ago have whole months.
#[derive(Debug, Default, Clone, Deserialize, Serialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct AnalyticsQuery {
    /// Start of the range: a time or a day. Defaults to 30 days before its end. Its other name is `dateFrom`.
    #[serde(alias = "dateFrom")]
    #[param(value_type = String, required = false, example = "2026-11-01T00:00:00Z")]
    pub from: Option<RangeEnd>,
    /// End of the range, which isn't part of it; now if omitted. Its other name is `dateTo`.
    #[serde(alias = "dateTo")]
    #[param(value_type = String, required = false, example = "2026-12-01T00:00:00Z")]
    pub to: Option<RangeEnd>,
    /// Path of a page or a folder. Counts only pages there. Searches are of whole sites.
    #[param(value_type = String, required = false, max_length = 200, pattern = r"^[^\x00]*$", example = "guides")]
    pub path: Option<PagePath>,
    /// Kind of readers. Counts only views by them.
    #[param(inline, required = false)]
    pub reader: Option<ReaderKind>,
}

/// A kind of readers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ReaderKind {
    /// People.
    Human,
    /// AI agents.
    Ai,
}

/// An end of a range: a time with its zone, or the start of a day (UTC).
#[derive(Debug, Clone, Copy, Deserialize, Serialize)]
#[serde(try_from = "String", into = "String")]
pub struct RangeEnd(pub Timestamp);

/// The path of a page or a folder, without slashes at its ends.
#[derive(Debug, Default, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(try_from = "String")]
pub struct PagePath(String);

impl TryFrom<String> for RangeEnd {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, &'static str> {
        let wrong = "must be a time with its zone, such as 2026-11-22T09:00:00Z, or a day, such as 2026-11-22";
        let time = parse_iso(&text).or_else(|| parse_iso(&format!("{text}T00:00:00Z")));
        time.map(Self).ok_or(wrong)
    }
}

impl From<RangeEnd> for String {
    fn from(RangeEnd(time): RangeEnd) -> Self {
        iso(time)
    }
}

impl TryFrom<String> for PagePath {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        if text.chars().count() > LONGEST_PATH {
            return Err(format!("must have at most {LONGEST_PATH} characters"));
        }
        Ok(Self(text.trim_matches('/').to_owned()))
    }
}

impl From<ReaderKind> for Reader {
    fn from(kind: ReaderKind) -> Self {
        match kind {
            ReaderKind::Human => Self::Human,
            ReaderKind::Ai => Self::Ai,
        }
    }
}

impl AnalyticsQuery {
    /// The range between two times.
    pub const fn between(from: Timestamp, to: Timestamp) -> Self {
        Self { from: Some(RangeEnd(from)), to: Some(RangeEnd(to)), path: None, reader: None }
    }

    /// The sums of a project that the query is about.
    pub(super) fn filter<'a>(
        &'a self,
        project_id: &'a str,
        now: Timestamp,
    ) -> Result<AnalyticsFilter<'a>, OperationError> {
        let path = self.path.as_ref().map_or("", |PagePath(path)| path);
        Ok(AnalyticsFilter { path, ..AnalyticsFilter::new(project_id, self.range(now)?) })
    }

    fn range(&self, now: Timestamp) -> Result<AnalyticsRange, OperationError> {
        let to = self.to.map_or(now, |time| time.0);
        let from = self.from.map_or(to.saturating_sub(USUAL), |time| time.0);
        let refuse = |text: &str| Err(OperationError::Invalid(text.to_owned()));
        if from >= to {
            return refuse("`from` isn't before `to`. Choose an earlier start.");
        }
        if to.saturating_sub(from) > KEPT_ANALYTICS + DAY {
            return refuse("The range from `from` to `to` exceeds 5 years. Choose a shorter one.");
        }
        Ok(AnalyticsRange::new((from, to), now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn range_is_the_last_30_days_by_default() {
        let now = 20_000 * DAY;
        let range = AnalyticsQuery::default().range(now).unwrap();
        assert_eq!((range.from, range.to), (now - 30 * DAY, now));
        assert!(AnalyticsQuery::between(2, 2).range(now).is_err());
        assert!(AnalyticsQuery::between(0, now).range(now).is_err());
        assert!(AnalyticsQuery::between(i64::MIN, i64::MAX).range(now).is_err());
    }

    #[test]
    fn ends_are_times_or_days() {
        let end = |text: &str| RangeEnd::try_from(text.to_owned()).map(|end| end.0);
        assert_eq!(end("1970-01-02"), Ok(DAY));
        assert_eq!(end("1970-01-02T00:00:00Z"), Ok(DAY));
        assert!(end("yesterday").is_err() && end("1970-13-02").is_err() && end("").is_err());
    }

    #[test]
    fn slashes_at_the_ends_of_a_path_dont_matter() {
        let path = |text: &str| PagePath::try_from(text.to_owned());
        assert_eq!(path("/guides/"), path("guides"));
        assert!(path(&"x".repeat(201)).is_err());
    }
}
