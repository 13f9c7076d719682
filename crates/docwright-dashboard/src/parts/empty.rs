//! A list without anything in it teaches what belongs there.

use maud::{Markup, html};

/// What is missing, what it is good for, and how to get it.
pub(crate) fn empty(title: &str, why: &str, action: &Markup) -> Markup {
    html! {
        div.empty {
            h2 { (title) }
            p { (why) }
            (action)
        }
    }
}
