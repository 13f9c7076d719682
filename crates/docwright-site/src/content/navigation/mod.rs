//! The navigation tree, and the part of it for one page.
//!
//! [`Navigation`] is the author's tree with all its divisions; [`view`] reduces it to the switchers, tabs,
//! sidebar, breadcrumbs, and neighbors of a page.

mod api;
mod build;
mod given;
mod index;
pub mod view;

pub(super) use build::{build, listed};
pub(super) use given::GivenSpecs;
pub use index::NavigationIndex;

use super::config::{Banner, Footer, Icon, Navbar, Pair};

/// The navigation of a site.
#[derive(Debug, Clone, Default)]
pub struct Navigation {
    /// The top of the tree.
    pub entries: Vec<Entry>,
    /// Divisions shown on every page (`navigation.global`), all with an `href`.
    pub global: Vec<Division>,
}

/// A place in the navigation tree.
#[derive(Debug, Clone)]
#[expect(
    clippy::large_enum_variant,
    reason = "a site has some hundred divisions, and boxes would be in every match"
)]
pub enum Entry {
    /// A page, by slug. It exists.
    Page(String),
    /// A division with its entries.
    Division(Division),
}

/// The key of a [`Division`] in `docs.json`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "names are those of the authoring format")]
pub enum DivisionKind {
    Group,
    Tab,
    MenuItem,
    Anchor,
    Dropdown,
    Product,
    Version,
    Language,
}

/// A named part of the navigation.
#[derive(Debug, Clone)]
#[allow(missing_docs, reason = "keys are documented by the authoring format")]
pub struct Division {
    pub kind: DivisionKind,
    /// Its name; for a language, the code (`fr`).
    pub label: String,
    pub icon: Option<Icon>,
    /// Color of the icon, of an anchor.
    pub color: Pair,
    pub tag: Option<String>,
    pub description: Option<String>,
    /// A URL instead of, or in addition to, entries: external, or root-relative.
    pub href: Option<String>,
    /// Slug of the page that the name of a group opens.
    pub root: Option<String>,
    pub expanded: Option<bool>,
    pub hidden: bool,
    pub searchable: Option<bool>,
    pub boost: Option<f64>,
    /// `none`, `accordion` or `card`, inherited already.
    pub directory: String,
    pub default: bool,
    /// Overrides of a language.
    pub overrides: Option<Box<Overrides>>,
    pub entries: Vec<Entry>,
}

/// Parts of the page frame that a language replaces.
#[derive(Debug, Clone, Default)]
#[allow(missing_docs, reason = "keys are documented by the authoring format")]
pub struct Overrides {
    pub banner: Option<Banner>,
    pub footer: Option<Footer>,
    pub navbar: Option<Navbar>,
}

impl Division {
    /// A plain group.
    pub fn group(label: String, entries: Vec<Entry>) -> Self {
        Self {
            kind: DivisionKind::Group,
            label,
            icon: None,
            color: Pair::default(),
            tag: None,
            description: None,
            href: None,
            root: None,
            expanded: None,
            hidden: false,
            searchable: None,
            boost: None,
            directory: "none".to_owned(),
            default: false,
            overrides: None,
            entries,
        }
    }
}
