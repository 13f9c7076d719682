//! `<Tile>`: a picture that links to a page.

use maud::{Markup, html};

use super::Component;
use crate::render::{Element, PageRenderer};

pub(super) const TILE: Component =
    Component { names: &["Tile"], props: &["href", "title", "description"], render };

fn render(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    let href = element.text("href").and_then(|href| page.link(&href, element.line, element.column));
    let outer = page.enter_link(href.is_some());
    let preview = page.nodes(element.children);
    page.leave_link(outer);
    let inner = html! {
        div.tile-preview { (preview) }
        @if let Some(title) = element.text("title") { p.tile-title { (title) } }
        @if let Some(description) = element.text("description") { p.tile-description { (description) } }
    };
    if let Some(href) = href {
        html! { a.tile href=(href) { (inner) } }
    } else {
        html! { div.tile { (inner) } }
    }
}
