//! `Tooltip`: an explanation of a word.

use maud::{Markup, html};

use super::props::{prop, required};
use super::root::Root;
use super::{Component, children, link, props};
use crate::render::{Element, PageRenderer};

/// Shown while the word is hovered or focused, without scripts.
pub(super) const TOOLTIP: Component = Component {
    names: &["Tooltip"],
    about: "An explanation of a word.",
    props: &[
        required("tip", r#"="An explanation""#, "Explanation"),
        prop("headline", r#"="API""#, "Line above the explanation"),
        prop("href", r#"="/second""#, "Link below the explanation"),
        prop("cta", r#"="See the glossary""#, "Text of the link"),
        prop("title", r#"="An explanation""#, "Same as `tip`"),
    ],
    ignored: &[],
    render,
};

fn render(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    let root = Root::new(element, page, "tooltip dw-tooltip");
    let trigger = children::inline(element, page);
    let tip = props::label(element, page, "tip").or_else(|| props::label(element, page, "title"));
    let headline = props::label(element, page, "headline");
    let link = link::href(element, page);
    let cta = props::label(element, page, "cta");
    if tip.is_none() && headline.is_none() {
        return trigger;
    }
    let id = format!("tooltip-{}", page.next_number());
    html! {
        span class=(root.class) id=[root.id] style=[root.style] {
            span.dw-tooltip-trigger tabindex="0" aria-describedby=(id) { (trigger) }
            span.dw-tooltip-content role="tooltip" id=(id) {
                @if let Some(headline) = headline { strong { (headline.html) } " " }
                @if let Some(tip) = tip { (tip.html) }
                @if let Some(link) = link {
                    " " a href=(link) { @if let Some(cta) = cta { (cta.html) } @else { "Read more" } }
                }
            }
        }
    }
}
