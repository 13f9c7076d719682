//! `<Prompt>`: text to hand to an AI tool.

use maud::{Markup, html};

use super::Component;
use crate::render::{Element, PageRenderer};

pub(super) const PROMPT: Component = Component {
    names: &["Prompt"],
    props: &["description", "actions", "icon", "iconType", "title"],
    render,
};

fn render(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    let own = page.icon(element);
    let icon = if own.0.is_empty() { page.glyph("sparkles") } else { own };
    let description = element.text("description").map(|text| page.inline_markdown(&text));
    let body = page.nodes(element.children);
    html! {
        div.prompt {
            div.prompt-head {
                span.prompt-icon { (icon) }
                @if let Some(description) = description { span.prompt-description { (description) } }
                button.prompt-copy type="button" data-copy aria-label="Copy prompt" { (page.glyph("copy")) }
            }
            div.prompt-content data-copy-source { (body) }
        }
    }
}
