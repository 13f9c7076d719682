//! A row: a view of a page with the properties of its reader, or one thing that a reader did.

use std::borrow::Cow;

use docwright_types::{
    analytics::{Dimension, Reader},
    timestamp::{MINUTE, Timestamp},
};
use serde::{Deserialize, Serialize};

use super::super::visit::Counted;

/// Name of the event of a view. Others have the names of their dimensions.
const VIEW: &str = "view";

/// A row. Rows are ordered by their contents.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Row<'a> {
    /// Start of the minute.
    pub(super) time: Timestamp,
    /// The site's domain.
    #[serde(borrow)]
    pub(super) domain: Cow<'a, str>,
    /// What happened.
    #[serde(borrow)]
    pub(super) event: Cow<'a, str>,
    /// Values of columns in the order of [`COLUMNS`]; an empty one is unknown.
    #[serde(borrow)]
    pub(super) values: [Cow<'a, str>; COLUMNS.len()],
}

/// Columns after time, domain, and event.
pub(super) const COLUMNS: [&str; 11] = [
    "page",
    "reader",
    "value",
    "referrer",
    "entry",
    "language",
    "device",
    "agent",
    "campaign_source",
    "campaign_medium",
    "campaign",
];
const PAGE: usize = 0;
const READER: usize = 1;
const VALUE: usize = 2;

impl<'a> Row<'a> {
    /// The rows of what counts of a visit to a domain.
    pub(super) fn all(
        domain: &'a str,
        counted: &'a Counted,
        now: Timestamp,
    ) -> impl Iterator<Item = Self> {
        let row = move |event: &'static str| {
            let mut row = Self {
                time: now - now.rem_euclid(MINUTE),
                domain: domain.into(),
                event: event.into(),
                ..Self::default()
            };
            row.values[PAGE] = counted.page.as_deref().unwrap_or_default().into();
            row
        };
        let view = counted.view.map(|reader| {
            let mut view = row(VIEW);
            view.values[READER] = reader.name().into();
            for (dimension, value) in &counted.values {
                if let Some(column) = COLUMNS.iter().position(|name| *name == dimension.name()) {
                    view.values[column] = value.as_str().into();
                }
            }
            view
        });
        let others = counted.values.iter().filter(|_| counted.view.is_none());
        let others = others.map(move |(dimension, value)| {
            let mut other = row(dimension.name());
            other.values[VALUE] = value.as_str().into();
            // Only reports of people count. Who requested a dead link isn't known.
            if !matches!(dimension, Dimension::OwnDeadLink | Dimension::OtherDeadLink) {
                other.values[READER] = Reader::Human.name().into();
            }
            other
        });
        view.into_iter().chain(others)
    }

    /// About how many bytes its line has.
    pub(super) fn size(&self) -> u64 {
        let values: usize = self.values.iter().map(|value| value.len() + 3).sum();
        (self.domain.len() + self.event.len() + values + 50) as u64
    }
}
