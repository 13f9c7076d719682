//! `Panel`: content for the right column, instead of the contents list.

use maud::{Markup, html};

use super::Component;
use super::root::Root;
use crate::render::{Element, PageRenderer};

/// Moves its content to the right column, if the page has one.
pub(super) const PANEL: Component = Component {
    names: &["Panel"],
    about: "Content of the right column instead of the table of contents.",
    props: &[],
    ignored: &[],
    render,
};

fn render(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    let content = page.nodes(element.children);
    if page.has_right_column() {
        page.add_panel(&content);
        return html! {};
    }
    let root = Root::new(element, page, "panel dw-panel");
    html! { div class=(root.class) id=[root.id] style=[root.style] { (content) } }
}
