//! `Tabs` and `Tab`: content of which readers choose one part.

use maud::{Markup, html};

use super::props::{prop, required};
use super::root::Root;
use super::tab_set::TabSet;
use super::{Component, Panel, props};
use crate::Rule;
use crate::render::{Element, PageRenderer};

/// Shows the tabs that render inside it, including those in snippets.
pub(super) const TABS: Component = Component {
    names: &["Tabs"],
    about: "Content in tabs. Sets with the same titles switch together.",
    props: &[
        prop("defaultTabIndex", "={1}", "Initial tab, from 0"),
        prop("sync", "={false}", "Switch together with other sets"),
        prop("borderBottom", "={true}", "Line below the tabs"),
    ],
    ignored: &["groupId"],
    render,
};

/// Hands its content to the `Tabs` around it.
pub(super) const TAB: Component = Component {
    names: &["Tab"],
    about: "One tab.",
    props: &[
        required("title", r#"="Linux""#, "Title"),
        prop(
            "icon",
            r#"="star""#,
            "Icon: a name of the icon library, a path, a URL, or inline SVG",
        ),
        prop("iconType", r#"="regular""#, "Style of a Font Awesome icon"),
    ],
    ignored: &[],
    render: render_tab,
};

fn render(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    let root = Root::new(element, page, "tabs dw-tabs");
    let rest = page.nodes(element.children);
    let panels = page.nesting.take_panels();
    if panels.is_empty() {
        let message = "<Tabs> contains no <Tab>".to_owned();
        page.warn(element, Rule::EmptyComponent, message, "put <Tab title=\"…\"> between the tags");
        return rest;
    }
    let active = active(element, page, panels.len());
    let sync = element.flag("sync").unwrap_or(true);
    let border = element.flag("borderBottom").unwrap_or(false);
    html! {
        (rest)
        div class=(root.class) id=[root.id] style=[root.style] data-tabs data-sync[sync]
            data-border[border] {
            (TabSet { active, focusable: true }.render(panels, page))
        }
    }
}

/// Index of the initially shown tab.
fn active(element: &Element<'_>, page: &mut PageRenderer<'_>, count: usize) -> usize {
    let Some(wanted) = element.text("defaultTabIndex") else { return 0 };
    let index = props::whole_number(element, "defaultTabIndex").map(usize::from);
    index.filter(|index| *index < count).unwrap_or_else(|| {
        let message = format!("`defaultTabIndex` {wanted} names no tab");
        let help = format!("count from 0: the last one is {}", count.saturating_sub(1));
        page.warn(element, Rule::InvalidProp, message, &help);
        0
    })
}

fn render_tab(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    let label = props::label(element, page, "title");
    let (label, title) = match label {
        Some(label) => (label.html, label.text),
        None => (html! { "Tab" }, "Tab".to_owned()),
    };
    let root = Root::anchored(element, page, "tab", &title);
    let icon = page.icon(element);
    let content = page.nodes(element.children);
    match page.nesting.parent() {
        Some(tabs) if tabs.name == TABS.names[0] => {
            tabs.panels.push(Panel { label, title, icon, id: root.id, content });
            html! {}
        }
        _ => {
            let message = "this <Tab> is not in <Tabs>".to_owned();
            let help = "put it and its siblings between <Tabs> and </Tabs>";
            page.warn(element, Rule::MisplacedComponent, message, help);
            html! {
                div id=[root.id] { p { strong { (icon) (label) } } (content) }
            }
        }
    }
}
