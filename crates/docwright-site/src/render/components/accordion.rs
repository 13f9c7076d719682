//! `Accordion` and `AccordionGroup`: content that readers open.

use maud::{Markup, html};

use super::props::{prop, required};
use super::root::Root;
use super::{Component, props};
use crate::render::{Element, PageRenderer};

/// A native `details`; its id comes from the title, so that links can lead to it.
pub(super) const ACCORDION: Component = Component {
    names: &["Accordion"],
    about: "A section that opens when readers select its title. A link to it opens it.",
    props: &[
        required("title", r#"="More""#, "Title"),
        prop("description", r#"="Details""#, "Line below the title"),
        prop("defaultOpen", "={true}", "Open initially"),
        prop(
            "icon",
            r#"="star""#,
            "Icon: a name of the icon library, a path, a URL, or inline SVG",
        ),
        prop("iconType", r#"="regular""#, "Style of a Font Awesome icon"),
    ],
    ignored: &["href"],
    render,
};

/// Accordions drawn as one list.
pub(super) const GROUP: Component = Component {
    names: &["AccordionGroup"],
    about: "Accordions in one list.",
    props: &[],
    ignored: &["title", "cols"],
    render: render_group,
};

fn render(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    let title = props::label(element, page, "title");
    let description = props::label(element, page, "description");
    let text = title.as_ref().map_or("Details", |title| &title.text);
    let root = Root::anchored(element, page, "accordion dw-accordion", text);
    let open = element.flag("defaultOpen").unwrap_or(false);
    let icon = page.icon(element);
    html! {
        details class=(root.class) id=[root.id] style=[root.style] open[open] {
            summary {
                span.dw-accordion-chevron { (page.glyph("chevron-right")) }
                @if !icon.0.is_empty() { span.dw-accordion-icon data-component-part="accordion-icon" { (icon) } }
                span.dw-accordion-title data-component-part="accordion-title" {
                    @if let Some(title) = &title { (title.html) } @else { "Details" }
                    @if let Some(description) = description {
                        span.dw-accordion-description { (description.html) }
                    }
                }
            }
            div.dw-accordion-content.dw-prose data-component-part="accordion-content" { (page.folded_nodes(element.children, open)) }
        }
    }
}

fn render_group(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    let root = Root::new(element, page, "accordion-group dw-accordion-group");
    html! {
        div class=(root.class) id=[root.id] style=[root.style] { (page.nodes(element.children)) }
    }
}
