//! The frame of pages whose rows an agent job repairs: dead links, and searches without a result.

use axum::response::Response;
use docwright_operations::{OperationError, analytics::AnalyticsQuery, lists::Page};
use maud::{Markup, html};

use super::filter::{AnalyticsPage, Filter};
use crate::{Dashboard, project_context::ProjectContext, words};

/// Rows of a page.
const ROWS: i64 = 100;

/// What differs between the pages.
pub(super) struct RepairPage {
    /// The last part of its path.
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    pub(super) why: &'static str,
    /// The table of all rows, and the text of the link to it.
    pub(super) all: (&'static str, &'static str),
    /// The text of a page without rows.
    pub(super) nothing: &'static str,
}

/// What a user asks a page to show.
pub(super) struct Asked {
    pub(super) filter: Filter,
    pub(super) query: AnalyticsQuery,
    pub(super) page: Page,
}

impl Asked {
    pub(super) fn read(
        dashboard: &Dashboard,
        asked: &AnalyticsPage,
    ) -> Result<Self, OperationError> {
        let filter = asked.filter()?;
        let [query, _] = filter.queries(dashboard.operations.now())?;
        let cursor = asked.cursor.as_deref().filter(|cursor| !cursor.is_empty());
        Ok(Self { filter, query, page: Page::new(Some(ROWS), cursor)? })
    }
}

impl RepairPage {
    /// The page with its rows, if there are any, and the cursor of the next one.
    pub(super) fn show(
        &self,
        place: &ProjectContext,
        filter: &Filter,
        (rows, next): (Option<Markup>, Option<String>),
    ) -> Response {
        let (all, here) = (place.path("analytics"), self.path(place));
        let (table, view_all) = self.all;
        let body = html! {
            h1 { (self.title) }
            p.below { a href=(filter.link(&all, &[("table", Some(table))])) { (view_all) } }
            p.soft { (self.why) }
            @if let Some(rows) = rows { (rows) } @else { p.soft { (self.nothing) } }
            @if let Some(next) = next {
                p.pager { a rel="next" href=(filter.link(&here, &[("cursor", Some(&next))])) { (words::NEXT_PAGE) } }
            }
        };
        place.page("analytics", self.title, &body)
    }

    /// The path of the page, and of its forms.
    pub(super) fn path(&self, place: &ProjectContext) -> String {
        place.path(&format!("analytics/{}", self.name))
    }
}
