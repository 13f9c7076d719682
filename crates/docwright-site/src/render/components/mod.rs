//! The built-in components of the authoring format, one file each.
//!
//! What the theme's styles and script rely on, besides the documented class names:
//! - `[data-tabs]` holds a `[role=tablist]` of `[role=tab]` buttons and as many `[role=tabpanel]`s;
//!   the chosen tab has `aria-selected="true"`, the shown panel the class `active`. Without scripts
//!   every panel is shown under its `.tab-title`. Sets with `data-sync` follow each other by title.
//! - `details.accordion[id]` and `details.expandable` open by themselves; a link to the id opens it.
//! - `[data-copy]` copies the code of the `.code-block`, or the text of the `[data-copy-text]`, around it.
//! - `.view[data-view]` is shown when the view of that number is chosen; all are without scripts.
//! - `.update[data-tags]` is shown when all chosen tags are among its own.
//! - `img[data-zoom]` opens large.

mod accordion;
mod badge;
mod callout;
mod card;
mod code_block;
mod code_group;
mod color;
mod columns;
mod examples;
mod expandable;
mod field;
mod frame;
mod github_repo;
mod heading;
mod icon;
mod latex;
mod panel;
mod prompt;
mod steps;
mod tabs;
mod tile;
mod tooltip;
mod tree;
mod update;
mod view;
mod visibility;

use maud::Markup;

use super::{Element, PageRenderer};
use crate::mdx::{Node, NodeKind};

/// A built-in component.
#[derive(Debug)]
pub struct Component {
    /// Its names as authors write them; the first is the main one.
    pub names: &'static [&'static str],
    /// The props it knows; others give a diagnostic.
    pub props: &'static [&'static str],
    /// Makes its HTML.
    pub render: fn(&Element<'_>, &mut PageRenderer<'_>) -> Markup,
}

/// Every component, in the order of their names.
pub const ALL: &[&Component] = &[
    &accordion::ACCORDION,
    &accordion::GROUP,
    &badge::BADGE,
    &callout::CALLOUT,
    &callout::CHECK,
    &callout::DANGER,
    &callout::INFO,
    &callout::NOTE,
    &callout::TIP,
    &callout::WARNING,
    &card::CARD,
    &code_block::CODE_BLOCK,
    &code_group::CODE_GROUP,
    &color::COLOR,
    &color::ITEM,
    &color::ROW,
    &columns::COLUMN,
    &columns::COLUMNS,
    &examples::REQUEST,
    &examples::RESPONSE,
    &expandable::EXPANDABLE,
    &field::PARAMETER,
    &field::RESPONSE,
    &frame::FRAME,
    &github_repo::GITHUB_REPO,
    &heading::HEADING,
    &icon::ICON,
    &latex::LATEX,
    &panel::PANEL,
    &prompt::PROMPT,
    &steps::STEP,
    &steps::STEPS,
    &tabs::TAB,
    &tabs::TABS,
    &tile::TILE,
    &tooltip::TOOLTIP,
    &tree::FILE,
    &tree::FOLDER,
    &tree::TREE,
    &update::UPDATE,
    &view::VIEW,
    &visibility::VISIBILITY,
];

/// The component of a name.
pub fn find(name: &str) -> Option<&'static Component> {
    ALL.iter().copied().find(|component| component.names.contains(&name))
}

/// The name and the node of each child element, through fragments and paragraphs.
fn child_elements<'a>(nodes: &'a [Node], found: &mut Vec<(&'a str, &'a Node)>) {
    for node in nodes {
        match &node.kind {
            NodeKind::Jsx { name, .. } if name.is_empty() => child_elements(&node.children, found),
            NodeKind::Jsx { name, .. } => found.push((name, node)),
            NodeKind::Paragraph => child_elements(&node.children, found),
            _ => {}
        }
    }
}

/// A colour that may stand in a style attribute: hex digits, a plain name, or a colour function of
/// numbers. Anything else could break out, or load an address.
fn safe_color(color: &str) -> Option<&str> {
    let color = color.trim();
    let name = !color.is_empty()
        && color.len() < 30
        && color.bytes().all(|byte| byte.is_ascii_alphabetic());
    let function = ["rgb(", "rgba(", "hsl(", "hsla(", "oklch("]
        .iter()
        .any(|start| color.starts_with(start))
        && color.ends_with(')')
        && color.len() < 60
        && color.matches('(').count() == 1
        && color.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"(),.%/ -".contains(&byte));
    (name || function || crate::content::config::is_hex(color)).then_some(color)
}

#[cfg(test)]
mod tests {
    use super::safe_color;

    #[test]
    fn colours_can_not_break_out() {
        for color in ["#fff", "#a1b2c3", "red", "rgb(1, 2, 3)", "hsl(10 20% 30% / 0.5)"] {
            assert!(safe_color(color).is_some(), "{color}");
        }
        for color in
            ["", "red;x:y", "url(//e.org)", "rgb(1);background:url(x)", "#ff\"", "var(--x)"]
        {
            assert!(safe_color(color).is_none(), "{color}");
        }
    }
}
