//! The built-in components of the authoring format, one file each.
//!
//! Owns their names, props and HTML. Leaves Markdown, links and ids to [`PageRenderer`], and
//! looks and behaviour to the theme, which relies on what follows.
//!
//! # The contract with styles and scripts
//!
//! Every page reads well without scripts. The head of the page sets the class `js` on `html`
//! where scripts run, and styles hide things only then.
//!
//! - The root of a component has the documented class of its name (`accordion`, `card`, …), with
//!   the author's `className`, `id` and `style`; its parts are `<name>-<part>`
//!   (`accordion-title`). Options are data attributes, present or absent: `data-horizontal`.
//! - `[data-tabs]` ([`tabs`], [`code_group`]): a `role=tablist` of buttons, then the panels, each
//!   with `data-title`. The chosen button and panel have `data-active`. `data-sync`: choosing a
//!   title chooses it in the other sets of the page. Without scripts, and on paper, all panels
//!   show, headed by their `data-title`. A hash that names a panel chooses it.
//! - `details.accordion` and `details.expandable` need no script; `data-hash`: opening one sets
//!   the hash.
//! - `[data-copy-text]` copies its value, `[data-copy-target]` the text of the element with that
//!   id; both get `data-copied` for a moment.
//! - `.card` and `.tile` with `data-link` are links as a whole: their `.card-link` or `.tile-link`
//!   covers them (`::after`), since a link around a card would be torn apart by the links that
//!   authors put into cards.
//! - `.step` is numbered by the counter `step`, wherever `.step-indicator` is empty.
//! - `.view` has `data-view`, the index in the page's list of views, and `data-title`;
//!   `.update` has `data-tags`, a JSON array.
//! - Chevrons, and the icons of files and folders, are the stylesheet's.

mod nesting;

use maud::Markup;

pub use nesting::Nesting;
pub(crate) use nesting::Panel;

use super::{Element, PageRenderer};

/// A built-in component.
#[derive(Debug)]
pub struct Component {
    /// Its names as authors write them; the first is the main one.
    pub names: &'static [&'static str],
    /// The props it knows; others give a diagnostic.
    pub props: &'static [&'static str],
    /// The props it can't do without.
    pub required: &'static [&'static str],
    /// Makes its HTML. Called by [`render`], which does what all components need.
    pub render: fn(&Element<'_>, &mut PageRenderer<'_>) -> Markup,
}

/// Every component, in the order of their names.
pub const ALL: &[&Component] = &[];

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
    page.nesting.enter(component.names[0]);
    let markup = (component.render)(element, page);
    page.nesting.leave();
    markup
}
