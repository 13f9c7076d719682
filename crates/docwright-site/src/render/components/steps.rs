//! `<Steps>` and `<Step>`: instructions in order.

use maud::{Markup, PreEscaped, html};

use super::Component;
use crate::render::{Element, PageRenderer, Value, plain_text};

pub(super) const STEPS: Component =
    Component { names: &["Steps"], props: &["titleSize", "level", "toc"], render: steps };
pub(super) const STEP: Component = Component {
    names: &["Step"],
    props: &[
        "title",
        "icon",
        "iconType",
        "stepNumber",
        "titleSize",
        "id",
        "noAnchor",
        "duration",
        "last",
    ],
    render: step,
};

fn steps(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    let size = element.text("titleSize");
    html! { div.steps role="list" data-title-size=[size] { (page.nodes(element.children)) } }
}

fn step(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    let title = element.value("title").cloned();
    let plain = match &title {
        Some(Value::Jsx(nodes)) => plain_text(nodes),
        Some(value) => value.to_text().unwrap_or_default(),
        None => String::new(),
    };
    let head = title.filter(|_| !plain.is_empty()).map(|title| {
        let inner = page.value(&title);
        heading(element, page, &plain, &inner)
    });
    let icon = page.icon(element);
    let number = element.number("stepNumber");
    let body = page.nodes(element.children);
    html! {
        div.step role="listitem" style=[number.map(|number| format!("counter-set:step {number}"))] {
            span.step-marker data-icon[!icon.0.is_empty()] { (icon) }
            div.step-content {
                @if let Some(head) = head { (head) }
                (body)
            }
        }
    }
}

/// The title: a paragraph that can be linked to, or a heading of the size asked for.
fn heading(
    element: &Element<'_>,
    page: &mut PageRenderer<'_>,
    title: &str,
    inner: &Markup,
) -> Markup {
    let id = match element.text("id") {
        Some(id) => page.claim_id(&id),
        None => page.unique_id(title),
    };
    if element.flag("noAnchor") != Some(true) {
        page.add_contents_entry(None, &id, title);
    }
    let tag = match element.text("titleSize").as_deref() {
        Some(size @ ("h2" | "h3" | "h4")) => size.to_owned(),
        _ => "p".to_owned(),
    };
    html! {
        (PreEscaped(format!("<{tag} class=\"step-title\" id=\""))) (id) (PreEscaped("\">")) (inner)
        (PreEscaped(format!("</{tag}>")))
    }
}
