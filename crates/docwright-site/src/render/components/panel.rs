//! `<Panel>`: content in place of the contents list.

use maud::{Markup, html};

use super::Component;
use crate::render::{Element, PageRenderer};

pub(super) const PANEL: Component = Component { names: &["Panel"], props: &[], render };

fn render(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    let body = page.nodes(element.children);
    if !page.has_right_column() {
        return html! { div.panel { (body) } };
    }
    page.add_panel(&body);
    html! {}
}
