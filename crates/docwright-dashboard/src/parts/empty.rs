//! An empty list explains what belongs there.

use maud::{Markup, html};

/// What is missing, its purpose, and how to create it.
pub(crate) fn empty(title: &str, why: &str, action: &Markup) -> Markup {
    html! {
        div.empty {
            h2 { (title) }
            p { (why) }
            (action)
        }
    }
}
