//! Forward pagination of a list. There are no totals, since these would need a count.

use maud::{Markup, html};

use crate::{paths::with_query, words};

/// Links to the next page and to the first. `query` has the other parameters of the list.
pub(crate) fn pager(
    path: &str,
    query: &[(&str, Option<&str>)],
    (cursor, next): (Option<&str>, Option<&str>),
) -> Markup {
    let at = |cursor| with_query(path, &[query, &[("cursor", cursor)]].concat());
    html! {
        @if cursor.is_some() || next.is_some() {
            p.pager {
                @if cursor.is_some() { a href=(at(None)) { (words::FIRST_PAGE) } }
                @if next.is_some() { a rel="next" href=(at(next)) { (words::NEXT_PAGE) } }
            }
        }
    }
}
