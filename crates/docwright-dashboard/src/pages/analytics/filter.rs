//! What a user asks to see: a range, and the pages and readers that count.

use docwright_operations::{
    OperationError,
    analytics::{AnalyticsQuery, PagePath, ReaderKind},
};
use docwright_types::timestamp::Timestamp;
use serde::Deserialize;

use super::span::Span;
use crate::paths::with_query;

/// Parameters of the page and of its downloads.
#[derive(Debug, Default, Deserialize)]
pub(in crate::pages) struct AnalyticsPage {
    range: Option<String>,
    path: Option<String>,
    reader: Option<String>,
    /// A table to see in full, or to download.
    pub(super) table: Option<String>,
    pub(super) cursor: Option<String>,
}

/// The parameters, read.
#[derive(Debug, Clone)]
pub(super) struct Filter {
    pub(super) span: Span,
    /// A page or a folder; empty for all.
    pub(super) path: String,
    pub(super) reader: Option<ReaderKind>,
}

impl AnalyticsPage {
    pub(super) fn filter(&self) -> Result<Filter, OperationError> {
        let invalid = |text: &str| OperationError::Invalid(text.to_owned());
        let given = |value: &Option<String>| value.clone().filter(|text| !text.is_empty());
        let wrong = || invalid("`range` must be day, week, month, or year.");
        let span = given(&self.range);
        let span = span.map_or(Ok(Span::Month), |name| Span::of(&name).ok_or_else(wrong))?;
        let reader = match given(&self.reader).as_deref() {
            None => None,
            Some("human") => Some(ReaderKind::Human),
            Some("ai") => Some(ReaderKind::Ai),
            Some(_) => return Err(invalid("`reader` must be human or ai.")),
        };
        let path = given(&self.path).unwrap_or_default();
        let path = path.trim_matches(|letter: char| letter == '/' || letter.is_whitespace());
        if let Err(error) = PagePath::try_from(path.to_owned()) {
            return Err(OperationError::Invalid(format!("`path` {error}.")));
        }
        Ok(Filter { span, path: path.to_owned(), reader })
    }
}

impl Filter {
    /// The queries of the range, and of the one before.
    pub(super) fn queries(&self, now: Timestamp) -> Result<[AnalyticsQuery; 2], OperationError> {
        let path = PagePath::try_from(self.path.clone()).map_err(OperationError::Invalid)?;
        let ranges = self.span.queries(now).into_iter();
        let queries = ranges.map(|range| AnalyticsQuery {
            path: Some(path.clone()),
            reader: self.reader,
            ..range
        });
        queries
            .collect::<Vec<_>>()
            .try_into()
            .map_err(|_| OperationError::Internal("two ranges are expected".to_owned()))
    }

    /// The kind of readers as a parameter; empty for all.
    pub(super) const fn reader_name(&self) -> &'static str {
        match self.reader {
            None => "",
            Some(ReaderKind::Human) => "human",
            Some(ReaderKind::Ai) => "ai",
        }
    }

    /// The address of a page with these parameters, and more.
    pub(super) fn link(&self, path: &str, more: &[(&str, Option<&str>)]) -> String {
        let own = [
            ("range", Some(self.span.name())),
            ("path", Some(self.path.as_str())),
            ("reader", Some(self.reader_name())),
        ];
        with_query(path, &[&own, more].concat())
    }

    /// The same for pages at a path.
    pub(super) fn at(&self, path: &str) -> Self {
        Self { path: path.to_owned(), ..self.clone() }
    }

    /// Whether only some pages or readers count.
    pub(super) const fn limits(&self) -> bool {
        !self.path.is_empty() || self.reader.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_checked() {
        let page = |range: &str, path: &str, reader: &str| AnalyticsPage {
            range: Some(range.to_owned()),
            path: Some(path.to_owned()),
            reader: Some(reader.to_owned()),
            ..AnalyticsPage::default()
        };
        let filter = page("week", " /guides/ ", "ai").filter().unwrap();
        assert_eq!(filter.link("/x", &[]), "/x?range=week&path=guides&reader=ai");
        let all = page("", "", "").filter().unwrap();
        assert_eq!((all.link("/x", &[]).as_str(), all.limits()), ("/x?range=month", false));
        for wrong in [page("decade", "", ""), page("", "", "bot"), page("", &"x".repeat(201), "")] {
            assert!(wrong.filter().is_err(), "{wrong:?}");
        }
    }
}
