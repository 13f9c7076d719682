//! Icons of the frame, in the color of the text beside them.

use maud::{Markup, html};

/// A magnifying glass.
pub(super) fn search() -> Markup {
    icon("M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16 16l4.5 4.5")
}

/// A bell.
pub(super) fn bell() -> Markup {
    icon("M6 16V11a6 6 0 0 1 12 0v5l1.5 2h-15zM10 21h4M12 3v2")
}

fn icon(path: &str) -> Markup {
    html! {
        svg.icon viewBox="0 0 24 24" width="16" height="16" aria-hidden="true" {
            path d=(path) fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" {}
        }
    }
}
