//! `Tile`: a linked preview.

use maud::{Markup, html};

use super::props::{prop, required};
use super::root::Root;
use super::{Component, link, props};
use crate::render::{Element, PageRenderer};

/// The whole tile is the link.
pub(super) const TILE: Component = Component {
    names: &["Tile"],
    about: "A preview with a link.",
    props: &[
        required("href", r#"="/second""#, "Link"),
        prop("title", r#"="Start""#, "Title"),
        prop("description", r#"="All of it""#, "Line below the title"),
    ],
    ignored: &[],
    render,
};

fn render(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    let title = props::label(element, page, "title");
    let description = props::label(element, page, "description");
    let root = Root::new(element, page, "tile dw-tile");
    let href = link::href(element, page);
    let untitled = href.as_deref().filter(|_| title.is_none());
    // Content of a link can't contain other links.
    let outer = page.enter_link(href.is_some());
    let preview = page.nodes(element.children);
    page.leave_link(outer);
    let name = description.as_ref().map_or("Open", |description| &description.text);
    html! {
        div class=(root.class) id=[root.id] style=[root.style] data-link[href.is_some()] {
            div.dw-tile-preview { (preview) }
            @if let Some(href) = untitled { a.dw-tile-link href=(href) aria-label=(name) {} }
            @if let Some(title) = title {
                p.dw-tile-title {
                    @if let Some(href) = &href { a.dw-tile-link href=(href) { (title.html) } }
                    @else { (title.html) }
                }
            }
            @if let Some(description) = description {
                p.dw-tile-description { (description.html) }
            }
        }
    }
}
