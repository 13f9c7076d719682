//! Words of the list of a site's pages.

use docwright_types::counted::{counted, severities};

use super::number;

pub(crate) const NO_PAGES: &str = "No pages yet";
pub(crate) const NO_PAGES_WHY: &str =
    "Pages are listed here once a domain of this project has an active release.";
pub(crate) const SEARCH_PAGES: &str = "Search titles, paths, and files";
pub(crate) const RATINGS: &str = "Ratings";
pub(crate) const UNLISTED_PAGES: &str = "Not in the navigation";
pub(crate) const FROM_API_SPEC: &str = "From an API spec";
pub(crate) const PAGES_COUNTED: &str = "Views by people and ratings (helpful, not helpful) of the last 30 days. The last change is known on sites that show it.";

/// The number of pages, or of those that match a search.
pub(crate) fn pages_of(count: usize, search: &str) -> String {
    let pages = counted(count, "page");
    if search.is_empty() { pages } else { format!("{pages} with \u{201c}{search}\u{201d}") }
}

/// The diagnostics of a page by severity.
pub(crate) fn diagnostics_of_page(errors: usize, warnings: usize) -> String {
    if errors + warnings == 0 { "–".to_owned() } else { severities(errors, warnings, "") }
}

/// Helpful and not helpful ratings.
pub(crate) fn ratings(helpful: i64, not_helpful: i64) -> String {
    if helpful + not_helpful == 0 {
        return "–".to_owned();
    }
    format!("{} / {}", number(helpful), number(not_helpful))
}
