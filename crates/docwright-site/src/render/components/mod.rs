//! The built-in components of the authoring format, with one file for each.
//!
//! Defines their names, props, and HTML. [`PageRenderer`] handles Markdown, links, and ids; the theme handles
//! styles and behavior.
//!
//! # Interface for styles and scripts
//!
//! The root of a component has the documented class of its name (`accordion`, `card`, …) for authors' styles,
//! and the author's `className`, `id`, and `style`. Styles and scripts of the theme use only classes that start
//! with `dw-`, which authors don't write. In addition:
//! - `[data-tabs]` contains a `[role=tablist]` of `[role=tab]` buttons and the same number of
//!   `[role=tabpanel]`s. The selected tab has `aria-selected="true"`, the shown panel the class `active`. Without
//!   scripts and in print, every panel is shown below its `.dw-tab-title`. Sets with `data-sync` are synchronized
//!   by title. Links use the id of a panel.
//! - `details.dw-accordion[id]` and `details.dw-expandable` work without scripts; a link to the id, or into the
//!   content, opens them.
//! - `[data-copy]` copies the code of the `.dw-code-block`, the `data-copy-text`, or the
//!   `[data-copy-source]` around it.
//! - `.dw-card[data-link]` and `.dw-tile[data-link]` are links as a whole: the `.dw-card-link` or
//!   `.dw-tile-link` inside covers them. A link around a card would conflict with links inside the card.
//! - `.dw-step` is numbered by the counter `step` unless its `.dw-step-marker` has `data-icon`.
//! - `.dw-view[data-view]` is shown when the view with that number is selected; without scripts, all views are
//!   shown.
//! - `.dw-update[data-tags]`, a JSON array, is shown when it contains all selected tags.
//! - `img[data-zoom]` opens in full size.

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
    /// Its names; the main name is first.
    pub names: &'static [&'static str],
    /// Its purpose, in a sentence of the manual's reference.
    pub about: &'static str,
    /// Its known props; others give a diagnostic.
    pub props: &'static [Prop],
    /// Props that sites use and that have no effect here.
    pub ignored: &'static [&'static str],
    /// Renders its HTML. Called by [`render`], which handles everything that components share.
    pub render: fn(&Element<'_>, &mut PageRenderer<'_>) -> Markup,
}

/// A prop of a component.
#[derive(Debug)]
pub struct Prop {
    /// Its name.
    pub name: &'static str,
    /// The text after the name in an example.
    pub example: &'static str,
    /// Its purpose, in a line of the manual's reference.
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

/// The component with a name.
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
