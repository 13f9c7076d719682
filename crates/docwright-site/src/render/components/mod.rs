//! The built-in components of the authoring format, one file each.

use maud::Markup;

use super::{Element, PageRenderer};

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
pub const ALL: &[&Component] = &[];

/// The component of a name.
pub fn find(name: &str) -> Option<&'static Component> {
    ALL.iter().copied().find(|component| component.names.contains(&name))
}
