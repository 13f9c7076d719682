//! What changes while someone looks: a part of a page that asks for itself again.
//!
//! Each question is a short request of its own, one at a time, so that many windows leave connections for
//! the rest. The script asks nothing while a window is hidden, and leaves a part as it is that has not
//! changed, or in which someone is writing.

use std::hash::{DefaultHasher, Hash, Hasher};

use maud::{Markup, html};

/// How often a part asks for itself while something runs, and while it waits for what begins elsewhere.
const RUNNING: &str = "every 2s";
const IDLE: &str = "every 5s";

/// A part of the page at `path`, which takes its own place from a fresh copy of the page; without scripts it
/// stays as it is until the page is opened again.
pub(crate) fn live(id: &str, path: &str, is_running: bool, body: &Markup) -> Markup {
    let mut hasher = DefaultHasher::new();
    (is_running, &body.0).hash(&mut hasher);
    let version = format!("{:016x}", hasher.finish());
    let when = if is_running { RUNNING } else { IDLE };
    html! {
        div id=(id) hx-get=(path) hx-trigger=(when) hx-select=(format!("#{id}")) hx-target="this"
            hx-swap="outerHTML" hx-sync="this:drop" data-version=(version)
            aria-busy=[is_running.then_some("true")] {
            (body)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changed_has_another_version() {
        let version = |is_running, text: &str| {
            let shown = live("a", "/a", is_running, &html! { (text) }).into_string();
            shown.split("data-version=\"").nth(1).and_then(|rest| rest.get(..16)).map(str::to_owned)
        };
        assert!(version(false, "one").is_some());
        assert_eq!(version(false, "one"), version(false, "one"));
        assert_ne!(version(false, "one"), version(false, "two"));
        assert_ne!(version(false, "one"), version(true, "one"));
    }
}
