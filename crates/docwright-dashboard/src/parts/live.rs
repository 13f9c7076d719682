//! Live parts: a part of a page that refreshes itself.
//!
//! Each refresh is a short request, one at a time, and windows leave connections for others. The script sends
//! nothing while a window is hidden, and doesn't replace a part that is unchanged or in which someone is typing.

use std::hash::{DefaultHasher, Hash, Hasher};

use maud::{Markup, html};

/// Refresh intervals: while a task runs, and while it waits to start.
const RUNNING: &str = "every 2s";
const IDLE: &str = "every 5s";

/// A part of the page at `path`, which is replaced from a new copy of the page. Without scripts, it stays until
/// the page is reloaded.
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
    fn version_differs_if_contents_change() {
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
