//! The built-in components of the authoring format, one file each.
//!
//! Owns their names, props and HTML. Leaves Markdown, links and ids to [`PageRenderer`], and
//! looks and behavior to the theme.
//!
//! # What styles and scripts rely on
//!
//! The root of a component has the documented class of its name (`accordion`, `card`, …), which is
//! for authors to hook their styles on, with the author's `className`, `id` and `style`. Styles and
//! scripts of the theme go by classes that begin with `dw-` alone, which no author writes. Besides:
//! - `[data-tabs]` holds a `[role=tablist]` of `[role=tab]` buttons and as many
//!   `[role=tabpanel]`s; the chosen tab has `aria-selected="true"`, the shown panel the class
//!   `active`. Without scripts, and on paper, every panel shows under its `.dw-tab-title`. Sets with
//!   `data-sync` follow each other by title. The id of a panel is what links name.
//! - `details.dw-accordion[id]` and `details.dw-expandable` open by themselves; a link to the id, or
//!   into the content, opens them.
//! - `[data-copy]` copies the code of the `.dw-code-block`, the `data-copy-text`, or the
//!   `[data-copy-source]` around it.
//! - `.dw-card[data-link]` and `.dw-tile[data-link]` are links as a whole: the `.dw-card-link` or
//!   `.dw-tile-link` inside covers them. A link around a card would be torn apart by the links that
//!   authors put into cards.
//! - `.dw-step` is numbered by the counter `step` unless its `.dw-step-marker` has `data-icon`.
//! - `.dw-view[data-view]` shows when the view of that number is chosen; all do without scripts.
//! - `.dw-update[data-tags]`, a JSON array, shows when all chosen tags are among its own.
//! - `img[data-zoom]` opens large.

mod accordion;
mod badge;
mod callout;
mod card;
mod children;
mod code_block;
mod code_group;
mod color;
mod columns;
mod css_color;
mod examples;
mod expandable;
mod field;
mod frame;
mod github_repo;
mod heading;
mod icon;
mod latex;
mod link;
mod nesting;
mod panel;
mod prompt;
mod props;
mod root;
mod steps;
mod tab_set;
mod tabs;
mod tile;
mod tooltip;
mod tree;
mod update;
mod view;
mod visibility;

use maud::Markup;

pub(crate) use code_block::{as_fence, fence_of};
pub(crate) use color::modes;
pub(crate) use field::{LOCATIONS, literal};
pub(crate) use github_repo::parse as parse_repository;
pub(crate) use latex::unquote;
pub(crate) use nesting::{Nesting, Panel};
pub(crate) use prompt::dedent;
pub(crate) use props::text as value_text;

use super::{Element, PageRenderer};

/// A built-in component.
#[derive(Debug)]
pub struct Component {
    /// Its names as authors write them; the first is the main one.
    pub names: &'static [&'static str],
    /// What it is for, in a sentence of the manual's reference.
    pub about: &'static str,
    /// The props it knows; others give a diagnostic.
    pub props: &'static [Prop],
    /// Props that sites write and that change nothing here.
    pub ignored: &'static [&'static str],
    /// Makes its HTML. Called by [`render`], which does what all components need.
    pub render: fn(&Element<'_>, &mut PageRenderer<'_>) -> Markup,
}

/// A prop of a component.
#[derive(Debug)]
pub struct Prop {
    /// Its name as authors write it.
    pub name: &'static str,
    /// What stands after the name in an example.
    pub example: &'static str,
    /// What it is for, in a line of the manual's reference.
    pub means: &'static str,
    /// The component can't do without it.
    pub required: bool,
}

/// Every component, in the order of the files they are in.
pub const ALL: &[&Component] = &[
    &accordion::ACCORDION,
    &accordion::GROUP,
    &badge::BADGE,
    &callout::CALLOUT,
    &callout::TYPED,
    &card::CARD,
    &code_block::CODE_BLOCK,
    &code_group::CODE_GROUP,
    &color::COLOR,
    &color::ITEM,
    &color::ROW,
    &columns::CARD_GROUP,
    &columns::COLUMN,
    &columns::COLUMNS,
    &examples::REQUEST,
    &examples::RESPONSE,
    &expandable::EXPANDABLE,
    &field::PARAM,
    &field::RESPONSE,
    &frame::FRAME,
    &github_repo::REPOSITORY,
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

/// Renders a use of a component, and reports props that it does not know or lacks.
pub fn render(
    component: &'static Component,
    element: &Element<'_>,
    page: &mut PageRenderer<'_>,
) -> Markup {
    props::check(component, element, page);
    let opened = page.nesting.enter(component.names[0]);
    let markup = (component.render)(element, page);
    if opened {
        page.nesting.leave();
    }
    markup
}
