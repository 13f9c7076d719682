//! A list of tabs with their panels, as tabs and code groups have it.

use maud::{Markup, html};

use super::Panel;
use crate::render::PageRenderer;

/// How a tab set presents its panels.
#[derive(Debug, Clone, Copy)]
pub(super) struct TabSet {
    /// Index of the initially shown panel.
    pub(super) active: usize,
    /// Whether panels can be focused: needed where nothing inside them can.
    pub(super) focusable: bool,
}

impl TabSet {
    /// The list of tabs, and the panels after it.
    pub(super) fn render(self, panels: Vec<Panel>, page: &mut PageRenderer<'_>) -> Markup {
        let panels: Vec<_> = panels
            .into_iter()
            .enumerate()
            .map(|(index, panel)| (panel_id(&panel, page), index == self.active, panel))
            .collect();
        html! {
            div.dw-tab-list role="tablist" {
                @for (id, active, panel) in &panels { (tab(id, *active, panel)) }
            }
            @for (id, active, panel) in &panels {
                div.dw-tab-panel.dw-prose.active[*active] role="tabpanel" id=(id) aria-labelledby={ (id) "-tab" }
                    tabindex=[self.focusable.then_some("0")] {
                    p.dw-tab-title { (panel.label) }
                    (panel.content)
                }
            }
        }
    }
}

fn tab(id: &str, active: bool, panel: &Panel) -> Markup {
    html! {
        button type="button" role="tab" id={ (id) "-tab" } aria-controls=(id)
            aria-selected=(active) tabindex=(if active { "0" } else { "-1" }) {
            @if !panel.icon.0.is_empty() { span.tab-icon { (panel.icon) } }
            (panel.label)
        }
    }
}

fn panel_id(panel: &Panel, page: &mut PageRenderer<'_>) -> String {
    panel.id.clone().unwrap_or_else(|| format!("tabpanel-{}", page.next_number()))
}
