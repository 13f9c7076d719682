//! `<Expandable>`: nested properties behind a title.

use maud::{Markup, html};

use super::Component;
use crate::render::{Element, PageRenderer};

pub(super) const EXPANDABLE: Component =
    Component { names: &["Expandable"], props: &["title", "defaultOpen", "path", "type"], render };

fn render(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    let title = element.text("title").unwrap_or_else(|| "Details".to_owned());
    html! {
        details.expandable open[element.flag("defaultOpen") == Some(true)] {
            summary { (page.glyph("chevron-right")) span { (title) } }
            div.expandable-content { (page.nodes(element.children)) }
        }
    }
}
