//! `Steps` and `Step`: a procedure.

use maud::{Markup, html};

use super::props::prop;
use super::root::Root;
use super::{Component, children, props};
use crate::render::{Element, PageRenderer};

/// The elements that a step's title can be.
const TITLE_SIZES: &[&str] = &["p", "h2", "h3", "h4"];

/// A numbered list. The stylesheet counts, so that steps in snippets count, too.
pub(super) const STEPS: Component = Component {
    names: &["Steps"],
    about: "A numbered procedure.",
    props: &[prop("titleSize", r#"="h3""#, "Element of the titles: `p`, `h2`, `h3`, or `h4`")],
    ignored: &["level", "toc"],
    render,
};

/// One step; its title is in the contents list.
pub(super) const STEP: Component = Component {
    names: &["Step"],
    about: "One step.",
    props: &[
        prop("title", r#"="Install""#, "Title, also in the table of contents"),
        prop("stepNumber", "={3}", "Number"),
        prop("titleSize", r#"="h3""#, "Element of the title: `p`, `h2`, `h3`, or `h4`"),
        prop("noAnchor", "={true}", "No anchor link"),
        prop(
            "icon",
            r#"="star""#,
            "Icon: a name of the icon library, a path, a URL, or inline SVG",
        ),
        prop("iconType", r#"="regular""#, "Style of a Font Awesome icon"),
    ],
    ignored: &["duration", "last"],
    render: render_step,
};

fn render(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    let root = Root::new(element, page, "steps dw-steps");
    let title_size = props::choice(element, page, "titleSize", TITLE_SIZES);
    let is_list = children::are_all(element, STEP.names[0]);
    if let Some(steps) = page.nesting.current() {
        steps.title_size = title_size;
        steps.is_list = is_list;
    }
    let content = page.nodes(element.children);
    html! {
        div class=(root.class) id=[root.id] style=[root.style] role=[is_list.then_some("list")] {
            (content)
        }
    }
}

fn render_step(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    let own_size = props::choice(element, page, "titleSize", TITLE_SIZES);
    let steps = page.nesting.parent().filter(|parent| parent.name == STEPS.names[0]);
    let (in_steps, in_list) = steps.as_ref().map_or((false, false), |steps| (true, steps.is_list));
    let size = own_size.or_else(|| steps.and_then(|steps| steps.title_size)).unwrap_or("p");
    let (root, title) = titled_root(element, page, size);
    let icon = page.icon(element);
    let step = html! {
        div class=(root.class) id=[root.id] style=[root.style] data-title-size=(size)
            role=[in_list.then_some("listitem")] {
            span.dw-step-marker data-icon[!icon.0.is_empty()] { (icon) }
            div.dw-step-content.dw-prose {
                (title)
                (page.nodes(element.children))
            }
        }
    };
    if in_steps {
        step
    } else {
        html! { div.steps.dw-steps { (step) } }
    }
}

/// The root of a step and its title, which has an entry in the contents list.
fn titled_root(element: &Element<'_>, page: &mut PageRenderer<'_>, size: &str) -> (Root, Markup) {
    let title = props::label(element, page, "title");
    let text = title.as_ref().map_or("", |title| &title.text);
    let mut root = Root::anchored(element, page, "step dw-step", text);
    if let Some(number) = props::whole_number(element, "stepNumber") {
        root.declare("counter-reset", &format!("step {}", i32::from(number) - 1));
    }
    let Some(title) = title else { return (root, html! {}) };
    let has_anchor = !element.flag("noAnchor").unwrap_or(false);
    let id = root.id.as_deref().filter(|_| has_anchor);
    if let Some(id) = id {
        let level = size.strip_prefix('h').and_then(|level| level.parse().ok());
        page.add_contents_entry(level, id, &title.text);
    }
    let content = html! {
        (title.html)
        @if let Some(id) = id { a.dw-heading-anchor href={ "#" (id) } aria-label={ "Link to " (title.text) } {} }
    };
    let title = match size {
        "h2" => html! { h2.dw-step-title { (content) } },
        "h3" => html! { h3.dw-step-title { (content) } },
        "h4" => html! { h4.dw-step-title { (content) } },
        _ => html! { p.dw-step-title { (content) } },
    };
    (root, title)
}
