//! What changes while somebody looks: a part of a page that asks for itself again.

use maud::{Markup, html};

/// How often a part asks for itself.
const EVERY: &str = "every 2s";

/// A part of the page at `path`. While something runs it takes its own place from a fresh copy of the page;
/// without scripts it stays as it is until the page is opened again.
pub(in crate::dashboard) fn live(id: &str, path: &str, is_running: bool, body: &Markup) -> Markup {
    let when = |text| is_running.then_some(text);
    let selected = format!("#{id}");
    html! {
        div id=(id) hx-get=[when(path)] hx-trigger=[when(EVERY)] hx-select=[when(&selected)]
            hx-target=[when("this")] hx-swap=[when("outerHTML")] aria-busy=[when("true")] {
            (body)
        }
    }
}
