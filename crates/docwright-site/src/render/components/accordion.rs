//! `<Accordion>` and `<AccordionGroup>`: text behind a title.

use maud::{Markup, html};

use super::Component;
use crate::render::{Element, PageRenderer};

pub(super) const ACCORDION: Component = Component {
    names: &["Accordion"],
    props: &["title", "description", "defaultOpen", "id", "icon", "iconType", "href"],
    render: accordion,
};

pub(super) const GROUP: Component =
    Component { names: &["AccordionGroup"], props: &["title", "cols"], render: group };

fn accordion(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    let title = element.value("title").cloned();
    let plain = element.text("title").unwrap_or_else(|| "Details".to_owned());
    let id = match element.text("id") {
        Some(id) => page.claim_id(&id),
        None => page.unique_id(&plain),
    };
    let icon = page.icon(element);
    let title = title.map_or_else(|| html! { (plain) }, |title| page.value(&title));
    let description = element.text("description").map(|text| page.inline_markdown(&text));
    let body = page.nodes(element.children);
    html! {
        details.accordion id=(id) open[element.flag("defaultOpen") == Some(true)] {
            summary {
                span.accordion-chevron { (page.glyph("chevron-right")) }
                @if !icon.0.is_empty() { span.accordion-icon { (icon) } }
                span.accordion-title { (title)
                    @if let Some(description) = description { span.accordion-description { (description) } }
                }
            }
            div.accordion-content { (body) }
        }
    }
}

fn group(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    html! { div.accordion-group { (page.nodes(element.children)) } }
}
