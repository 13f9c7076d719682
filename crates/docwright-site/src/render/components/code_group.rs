//! `CodeGroup`: code blocks of which readers choose one.

use maud::{Markup, html};

use super::props::prop;
use super::root::Root;
use super::tab_set::TabSet;
use super::{Component, Panel};
use crate::Rule;
use crate::render::{Element, PageRenderer};

/// Each fence inside, including fences in snippets, becomes a panel with its title.
pub(super) const CODE_GROUP: Component = Component {
    names: &["CodeGroup"],
    about: "Code blocks in tabs.",
    props: &[prop("dropdown", "={true}", "Menu instead of tabs")],
    ignored: &["title", "isRunnable", "isFileName"],
    render,
};

fn render(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    let root = Root::new(element, page, "code-group dw-code-group");
    group(element, page, &root)
}

/// The group of the code blocks inside an element.
pub(super) fn group(element: &Element<'_>, page: &mut PageRenderer<'_>, root: &Root) -> Markup {
    let rest = page.nodes(element.children);
    let panels = page.nesting.take_panels();
    if panels.is_empty() && rest.0.trim().is_empty() {
        let message = format!("<{}> contains no code", element.name);
        page.warn(
            element,
            Rule::EmptyComponent,
            message,
            "put fenced code blocks between its tags",
        );
    }
    let is_set = panels.len() > 1 || panels.iter().any(|panel| !panel.title.is_empty());
    let dropdown = is_set && element.flag("dropdown").unwrap_or(false);
    html! {
        div class=(root.class) id=[&root.id] style=[&root.style] data-tabs[is_set]
            data-sync[is_set] data-dropdown[dropdown] {
            @if is_set {
                (TabSet { active: 0, focusable: false }.render(titled(panels), page))
            } @else {
                @for panel in &panels { (panel.content) }
            }
            (rest)
        }
    }
}

/// In a group, each panel needs a title.
fn titled(panels: Vec<Panel>) -> Vec<Panel> {
    let title = |(mut panel, number): (Panel, u32)| {
        if panel.title.is_empty() {
            panel.title = format!("Code {number}");
            panel.label = html! { (panel.title) };
        }
        panel
    };
    panels.into_iter().zip(1..).map(title).collect()
}
