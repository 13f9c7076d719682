//! `<Update>`: an entry of a changelog.

use maud::{Markup, html};

use super::Component;
use crate::render::{Element, PageRenderer, Value, plain_text};

pub(super) const UPDATE: Component = Component {
    names: &["Update"],
    props: &["label", "description", "tags", "rss", "date", "title"],
    render,
};

fn render(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    page.mark_updates();
    let label = match element.value("label") {
        Some(Value::Jsx(nodes)) => plain_text(nodes),
        Some(value) => value.to_text().unwrap_or_default(),
        None => String::new(),
    };
    if label.is_empty() {
        page.warn(
            element,
            "missing-prop",
            "<Update> has no `label`".to_owned(),
            "give it a label, such as a date",
        );
    }
    let id = page.unique_id(&label);
    page.add_contents_entry(Some(2), &id, &label);
    let tags: Vec<_> = match element.value("tags") {
        Some(Value::Array(tags)) => tags.iter().filter_map(Value::to_text).collect(),
        Some(value) => value.to_text().into_iter().collect(),
        None => Vec::new(),
    };
    let description = element.text("description").map(|text| page.inline_markdown(&text));
    let body = page.nodes(element.children);
    html! {
        section.update id=(id) data-tags=[(!tags.is_empty()).then(|| tags.join("|"))] {
            div.update-head {
                a.update-label href={ "#" (id) } { (label) }
                @if !tags.is_empty() { div.update-tags { @for tag in &tags { span.update-tag { (tag) } } } }
                @if let Some(description) = description { p.update-description { (description) } }
            }
            div.update-content { (body) }
        }
    }
}
