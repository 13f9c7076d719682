//! What a page says to programs that read nothing else of the site.

use maud::{Markup, html};

use super::PageView;
use crate::content::links::from_here;

/// Names the list of all pages, and the Markdown version of this one. Nobody sees or hears it, and the
/// keyboard passes it by.
pub(super) fn directive(view: &PageView<'_>, markdown: Option<&str>) -> Markup {
    let link = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or(path).to_owned();
        let address = view.address(path);
        let address = if address.starts_with('/') { address } else { from_here(address) };
        html! { a href=(address) tabindex="-1" { (name) } }
    };
    html! {
        p.dw-visually-hidden lang="en" dir="ltr" aria-hidden="true" data-nosnippet {
            "For AI agents: " (link("llms.txt")) " lists all pages of this documentation."
            @if let Some(markdown) = markdown { " " (link(markdown)) " is this page as Markdown." }
        }
    }
}
