//! `<Tabs>` and `<Tab>`: parts of which one is shown.

use maud::{Markup, html};

use super::{Component, child_elements};
use crate::{
    mdx::NodeKind,
    render::{Element, PageRenderer},
};

pub(super) const TABS: Component = Component {
    names: &["Tabs"],
    props: &["defaultTabIndex", "sync", "borderBottom", "groupId"],
    render: tabs,
};
pub(super) const TAB: Component =
    Component { names: &["Tab"], props: &["title", "id", "icon", "iconType"], render: lone_tab };

/// A part of a set.
#[derive(Debug)]
pub(super) struct Panel {
    pub(super) icon: Option<Markup>,
    pub(super) title: String,
    pub(super) id: Option<String>,
    pub(super) body: Markup,
}

/// Parts of which one is shown.
#[derive(Debug)]
pub(super) struct TabSet {
    pub(super) class: &'static str,
    pub(super) panels: Vec<Panel>,
    pub(super) default: usize,
    pub(super) synced: bool,
}

impl TabSet {
    /// Without scripts, every part is shown below its title.
    pub(super) fn render(self, page: &mut PageRenderer<'_>) -> Markup {
        let number = page.next_number();
        let default = self.default.min(self.panels.len().saturating_sub(1));
        let ids: Vec<_> =
            (0..self.panels.len()).map(|index| format!("tab-{number}-{index}")).collect();
        html! {
            div class=(self.class) data-tabs data-sync[self.synced] {
                div.tab-list role="tablist" {
                    @for (index, panel) in self.panels.iter().enumerate() {
                        button role="tab" type="button" id=(ids[index]) aria-controls={ (ids[index]) "-panel" }
                            aria-selected=(if index == default { "true" } else { "false" })
                            tabindex=(if index == default { "0" } else { "-1" }) data-hash=[panel.id.as_deref()] {
                            @if let Some(icon) = &panel.icon { span.tab-icon { (icon) } }
                            (panel.title)
                        }
                    }
                }
                @for (index, panel) in self.panels.iter().enumerate() {
                    div.tab-panel.active[index == default] role="tabpanel" id={ (ids[index]) "-panel" } aria-labelledby=(ids[index]) {
                        @if let Some(id) = &panel.id { span.alias id=(id) {} }
                        p.tab-title { (panel.title) }
                        (panel.body)
                    }
                }
            }
        }
    }
}

fn tabs(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    let mut children = Vec::new();
    child_elements(element.children, &mut children);
    if children.is_empty() {
        return page.nodes(element.children);
    }
    let mut panels = Vec::new();
    for (name, node) in children {
        let NodeKind::Jsx { attributes, .. } = &node.kind else { continue };
        let attributes = page.evaluate_attributes(attributes);
        let child = Element {
            name,
            attributes,
            children: &node.children,
            line: node.line,
            column: node.column,
            inline: false,
        };
        if name == "Tab" {
            panels.push(panel(&child, page));
        } else {
            // A snippet may hold the tabs, or something else stands between them.
            let body = page.nodes(std::slice::from_ref(node));
            panels.push(Panel {
                icon: None,
                title: child.text("title").unwrap_or_else(|| name.to_owned()),
                id: None,
                body,
            });
        }
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clamped to a small range"
    )]
    let default = element.number("defaultTabIndex").unwrap_or(0.0).clamp(0.0, 1000.0) as usize;
    TabSet { class: "tabs", panels, default, synced: element.flag("sync") != Some(false) }
        .render(page)
}

fn panel(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Panel {
    let title = element.text("title").unwrap_or_default();
    if title.is_empty() {
        page.warn(element, "missing-prop", "<Tab> has no `title`".to_owned(), "give it a title");
    }
    let icon = page.icon(element);
    let id = match element.text("id") {
        Some(id) => page.claim_id(&id),
        None => page.unique_id(&title),
    };
    let body = page.nodes(element.children);
    Panel { icon: (!icon.0.is_empty()).then_some(icon), title, id: Some(id), body }
}

/// A tab outside a set is a part with a title.
fn lone_tab(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    let panels = vec![panel(element, page)];
    TabSet { class: "tabs", panels, default: 0, synced: false }.render(page)
}
