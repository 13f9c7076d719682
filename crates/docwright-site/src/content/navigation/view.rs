//! The navigation of one page.
//!
//! Addresses are site-absolute targets ([`Target`]); the theme makes them relative to the page.

use std::sync::Arc;

use crate::content::config::{Icon, Pair};

/// The target of a navigation link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A page of this site, by slug.
    Page(String),
    /// A root-relative path of this site that is not a page (a static file), without the slash.
    Path(String),
    /// Another site, or anything with a scheme.
    External(String),
}

/// The navigation as one page shows it.
#[derive(Debug, Clone, Default)]
pub struct NavigationView {
    /// Languages, versions, products, dropdowns on the way to the page, outermost first; one
    /// with a single choice is left out.
    pub switchers: Vec<Switcher>,
    /// Tabs at the level of the page's own tab, then global tabs.
    pub tabs: Vec<Tab>,
    /// Anchors at the level of the page's own anchor, then global anchors.
    pub anchors: Vec<Tab>,
    /// The groups and pages beside the page; shared by all pages that show the same.
    pub sidebar: Arc<Vec<SidebarEntry>>,
    /// Identifies the sidebar within the site.
    pub sidebar_number: usize,
    /// Numbers of the groups that the page is in, outermost first.
    pub trail: Vec<usize>,
    /// Labels and targets from the outermost division to the page's group.
    pub breadcrumbs: Vec<Crumb>,
    /// The page before it in reading order, within the same tab.
    pub previous: Option<PageLink>,
    /// The page after it.
    pub next: Option<PageLink>,
    /// For a group's root page whose `directory` is not `none`: the list below the body.
    pub directory: Option<Directory>,
    /// The language division of the page, if the site has languages.
    pub language: Option<String>,
}

/// A choice between sibling divisions.
#[derive(Debug, Clone)]
#[allow(missing_docs, reason = "plain words")]
pub struct Switcher {
    pub kind: super::DivisionKind,
    pub options: Vec<SwitcherOption>,
}

/// One choice of a [`Switcher`].
#[derive(Debug, Clone)]
#[allow(missing_docs, reason = "plain words")]
pub struct SwitcherOption {
    /// For a language its own name (`Français`).
    pub label: String,
    /// For a language the `hreflang` value.
    pub code: Option<String>,
    pub description: Option<String>,
    pub icon: Option<Icon>,
    pub tag: Option<String>,
    /// The same page there if it exists, else the first page there.
    pub target: Target,
    pub current: bool,
}

/// A tab or an anchor.
#[derive(Debug, Clone)]
#[allow(missing_docs, reason = "plain words")]
pub struct Tab {
    pub label: String,
    pub icon: Option<Icon>,
    /// Color of the icon, of an anchor.
    pub color: Pair,
    pub target: Target,
    pub current: bool,
    /// Items of a tab's menu; empty without one.
    pub menu: Vec<MenuItem>,
}

/// An item of a tab's menu.
#[derive(Debug, Clone)]
#[allow(missing_docs, reason = "plain words")]
pub struct MenuItem {
    pub label: String,
    pub description: Option<String>,
    pub icon: Option<Icon>,
    pub target: Target,
    pub current: bool,
}

/// A line of the sidebar.
#[derive(Debug, Clone)]
pub enum SidebarEntry {
    /// A page.
    Page(PageLink),
    /// A group.
    Group(SidebarGroup),
}

/// A group of the sidebar.
#[derive(Debug, Clone)]
#[allow(missing_docs, reason = "plain words")]
pub struct SidebarGroup {
    pub label: String,
    pub icon: Option<Icon>,
    pub tag: Option<String>,
    /// The page that its name opens.
    pub target: Option<Target>,
    /// Identifies the group within the site; see [`NavigationView::trail`].
    pub number: usize,
    /// Shown open on every page; a group on the way to the page is always open.
    pub open: bool,
    pub entries: Vec<SidebarEntry>,
}

/// A link to a page, with its sidebar decorations.
#[derive(Debug, Clone)]
#[allow(missing_docs, reason = "plain words")]
pub struct PageLink {
    pub title: String,
    pub description: Option<String>,
    pub target: Target,
    pub icon: Option<Icon>,
    pub tag: Option<String>,
    /// HTTP method of an API page.
    pub method: Option<String>,
    pub deprecated: bool,
}

/// A step of the breadcrumbs.
#[derive(Debug, Clone)]
#[allow(missing_docs, reason = "plain words")]
pub struct Crumb {
    pub label: String,
    pub target: Option<Target>,
}

/// A listing of a group's children.
#[derive(Debug, Clone)]
#[allow(missing_docs, reason = "plain words")]
pub struct Directory {
    /// `accordion` or `card`.
    pub style: String,
    pub entries: Vec<SidebarEntry>,
}
