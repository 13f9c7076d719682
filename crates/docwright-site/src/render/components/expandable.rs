//! `Expandable`: properties of a field that readers open.

use maud::{Markup, html};

use super::props::prop;
use super::root::Root;
use super::{Component, props};
use crate::render::{Element, PageRenderer};

/// A native `details`.
pub(super) const EXPANDABLE: Component = Component {
    names: &["Expandable"],
    about: "Nested fields that readers can open.",
    props: &[
        prop("title", r#"="Address""#, "Title"),
        prop("defaultOpen", "={true}", "Open initially"),
    ],
    ignored: &["path", "type"],
    render,
};

fn render(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    let title = props::label(element, page, "title");
    let root = Root::new(element, page, "expandable dw-expandable");
    let open = element.flag("defaultOpen").unwrap_or(false);
    html! {
        details class=(root.class) id=[root.id] style=[root.style] open[open] {
            // The chevron is in the styles: API pages have hundreds of these.
            summary {
                span { @if let Some(title) = title { (title.html) } @else { "Properties" } }
            }
            div.dw-expandable-content.dw-prose { (page.folded_nodes(element.children, open)) }
        }
    }
}
