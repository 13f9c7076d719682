//! `<Tooltip>`: an explanation of a word.

use maud::{Markup, html};

use super::Component;
use crate::render::{Element, PageRenderer};

pub(super) const TOOLTIP: Component =
    Component { names: &["Tooltip"], props: &["tip", "headline", "cta", "href", "title"], render };

fn render(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    let tip = element.text("tip").or_else(|| element.text("title"));
    let number = page.next_number();
    let id = format!("tooltip-{number}");
    let href = element.text("href").and_then(|href| page.link(&href, element.line, element.column));
    let cta = element.text("cta").unwrap_or_else(|| "Read more".to_owned());
    let trigger = page.nodes(element.children);
    html! {
        span.tooltip {
            span.tooltip-trigger tabindex="0" aria-describedby=(id) { (trigger) }
            span.tooltip-content role="tooltip" id=(id) {
                @if let Some(headline) = element.text("headline") { strong { (headline) } " " }
                (tip.unwrap_or_default())
                @if let Some(href) = href { " " a href=(href) { (cta) } }
            }
        }
    }
}
