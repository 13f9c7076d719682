//! The navigation tree, prepared once so that the view of each page is cheap.

mod sidebars;

use std::{collections::HashMap, sync::Arc};

use super::{
    Division, DivisionKind, Entry, Overrides,
    view::{
        Crumb, Directory, MenuItem, NavigationView, PageLink, SidebarEntry, Switcher,
        SwitcherOption, Tab, Target,
    },
};
use crate::content::{Content, config::Icon, languages, openapi, redirects, slug};

/// A site's navigation with everything that pages share.
#[derive(Debug)]
pub struct NavigationIndex<'a> {
    content: &'a Content,
    nodes: Vec<Node<'a>>,
    /// Divisions at the top of the tree.
    top: Vec<usize>,
    /// The first place of a page: the indexes of its divisions, outermost first.
    trails: HashMap<&'a str, Vec<usize>>,
    /// Sidebar of each division that is no group; the last is that of the root.
    sidebars: Vec<Arc<Vec<SidebarEntry>>>,
    /// Reading order of each sidebar.
    orders: Vec<Vec<&'a str>>,
    /// The first position of each page in the order of a sidebar.
    positions: HashMap<(usize, &'a str), usize>,
}

#[derive(Debug)]
struct Node<'a> {
    division: &'a Division,
    parent: Option<usize>,
    children: Vec<usize>,
    /// Where its name leads.
    target: Option<Target>,
    /// Folders that all its pages share; a sibling's replaces it when a reader switches.
    prefix: Option<Vec<&'a str>>,
    /// Which sidebar its pages show.
    sidebar: usize,
}

impl<'a> NavigationIndex<'a> {
    /// Prepares the navigation of a site.
    pub fn new(content: &'a Content) -> Self {
        let mut index = Self {
            content,
            nodes: Vec::new(),
            top: Vec::new(),
            trails: HashMap::new(),
            sidebars: vec![Arc::default()],
            orders: vec![Vec::new()],
            positions: HashMap::new(),
        };
        let entries = &content.navigation.entries;
        index.top = index.add_entries(entries, &mut Vec::new(), 0);
        index.sidebars[0] = Arc::new(index.sidebar_entries(entries, &index.top, true));
        index
    }

    /// The navigation of one page.
    pub fn view(&self, slug: &str) -> NavigationView {
        let listed = self.trails.get(slug);
        let trail = listed.cloned().unwrap_or_else(|| self.default_trail());
        let sidebar = self.sidebar_of(&trail);
        let (previous, next) = self.neighbors(sidebar, slug);
        NavigationView {
            switchers: self.switchers(&trail, slug),
            tabs: self.tabs(&trail, DivisionKind::Tab),
            anchors: self.tabs(&trail, DivisionKind::Anchor),
            sidebar: Arc::clone(&self.sidebars[sidebar]),
            sidebar_number: sidebar,
            breadcrumbs: if listed.is_some() { self.breadcrumbs(&trail) } else { Vec::new() },
            previous,
            next,
            directory: self.directory(&trail, slug),
            language: self.language(&trail).map(str::to_owned),
            trail: if listed.is_some() { trail } else { Vec::new() },
        }
    }

    /// Banner, footer and navigation bar of the language that a page is in.
    pub fn overrides(&self, slug: &str) -> Option<&'a Overrides> {
        let trail = self.trails.get(slug)?;
        trail.iter().find_map(|node| self.nodes[*node].division.overrides.as_deref())
    }

    /// The same page in the other languages: `hreflang` value and slug, its own included.
    pub fn alternates(&self, slug: &str) -> Vec<(String, String)> {
        let Some(trail) = self.trails.get(slug) else { return Vec::new() };
        let Some(at) = trail.iter().find(|node| self.kind(**node) == DivisionKind::Language) else {
            return Vec::new();
        };
        let siblings = self.siblings(*at).iter();
        let found = siblings.filter_map(|sibling| {
            let code = languages::code(&self.nodes[*sibling].division.label).to_owned();
            Some((code, self.counterpart(*at, *sibling, slug)?))
        });
        let found: Vec<_> = found.collect();
        if found.len() > 1 { found } else { Vec::new() }
    }

    /// The languages that the site can open in at its home page, the default one first: `hreflang` value and target.
    /// A language without this page opens at its first one.
    pub fn home_languages(&self, home: &str) -> Vec<(String, Target)> {
        let trail = self.trails.get(home).cloned().unwrap_or_else(|| self.default_trail());
        let switchers = self.switchers(&trail, home).into_iter();
        let languages = switchers.filter(|switcher| switcher.kind == DivisionKind::Language);
        let mut options: Vec<_> = languages.flat_map(|switcher| switcher.options).collect();
        options.sort_by_key(|option| !option.current);
        options.into_iter().filter_map(|option| Some((option.code?, option.target))).collect()
    }

    /// Whether a page belongs to the default language and version, as far as it has any.
    pub fn is_default(&self, slug: &str) -> bool {
        let trail = self.trails.get(slug).map(Vec::as_slice).unwrap_or_default();
        trail.iter().filter(|node| is_edition(self.kind(**node))).all(|node| {
            let same = |other: &&usize| self.kind(**other) == self.kind(*node);
            let mut siblings = self.siblings(*node).iter().filter(same);
            let first = siblings.clone().next();
            let default = siblings.find(|node| self.nodes[**node].division.default).or(first);
            default == Some(node)
        })
    }

    /// The first page in reading order.
    pub fn first_page(&self) -> Option<String> {
        let trail = self.default_trail();
        let sidebar = self.sidebar_of(&trail);
        self.orders[sidebar].first().map(|slug| (*slug).to_owned())
    }

    /// Slugs as navigation lists them; those it does not list are left out.
    pub fn reading_order(&self) -> Vec<&'a str> {
        let mut order = Vec::new();
        collect_pages(&self.content.navigation.entries, &mut order);
        order
    }

    /// The language and version of a page, by name; `None` if it has neither.
    pub fn edition(&self, slug: &str) -> Option<String> {
        let labels = self.labels(slug, is_edition);
        (!labels.is_empty()).then(|| labels.join(", "))
    }

    /// The version and product of a page, by name; `None` if it has neither.
    pub fn version(&self, slug: &str) -> Option<String> {
        let is_version = |kind| matches!(kind, DivisionKind::Version | DivisionKind::Product);
        let labels = self.labels(slug, is_version);
        (!labels.is_empty()).then(|| labels.join(", "))
    }

    /// Names of the divisions around a page, outermost first, without languages and versions.
    pub fn sections(&self, slug: &str) -> Vec<String> {
        self.labels(slug, |kind| !is_edition(kind))
    }

    /// Icons of divisions and of listed pages, each as often as it is listed.
    pub fn icons(&self) -> impl Iterator<Item = &'a Icon> {
        let of_divisions = self.nodes.iter().map(|node| node.division);
        let of_divisions = of_divisions.chain(&self.content.navigation.global);
        let pages = self.orders.iter().flatten().filter_map(|slug| self.content.pages.get(*slug));
        let of_pages = pages.filter_map(|page| page.frontmatter.icon.as_ref());
        of_divisions.filter_map(|division| division.icon.as_ref()).chain(of_pages)
    }

    /// Boost of a page from the nearest division that sets one.
    pub fn boost(&self, slug: &str) -> Option<f64> {
        let trail = self.trails.get(slug)?;
        trail.iter().rev().find_map(|node| self.nodes[*node].division.boost)
    }

    // ---- preparing ----

    fn add_entries(
        &mut self,
        entries: &'a [Entry],
        trail: &mut Vec<usize>,
        sidebar: usize,
    ) -> Vec<usize> {
        let mut children = Vec::new();
        for entry in entries {
            match entry {
                Entry::Page(slug) => self.add_page(slug, trail, sidebar),
                Entry::Division(division) => {
                    children.push(self.add_division(division, trail, sidebar));
                }
            }
        }
        children
    }

    fn add_page(&mut self, slug: &'a str, trail: &[usize], sidebar: usize) {
        let hidden = trail.iter().any(|node| self.nodes[*node].division.hidden);
        let page = self.content.pages.get(slug);
        if !hidden
            && page.is_some_and(|page| page.visibility.navigation && page.frontmatter.url.is_none())
        {
            let order = &mut self.orders[sidebar];
            self.positions.entry((sidebar, slug)).or_insert(order.len());
            order.push(slug);
        }
        self.trails.entry(slug).or_insert_with(|| trail.to_vec());
        for node in trail {
            narrow(&mut self.nodes[*node].prefix, slug);
        }
    }

    fn add_division(
        &mut self,
        division: &'a Division,
        trail: &mut Vec<usize>,
        outer: usize,
    ) -> usize {
        let number = self.nodes.len();
        let own_sidebar = division.kind != DivisionKind::Group;
        let sidebar = if own_sidebar { self.new_sidebar() } else { outer };
        let parent = trail.last().copied();
        self.nodes.push(Node {
            division,
            parent,
            children: Vec::new(),
            target: None,
            prefix: None,
            sidebar,
        });
        trail.push(number);
        if let Some(root) = &division.root
            && !lists(&division.entries, root)
        {
            self.add_page(root, trail, sidebar);
        }
        let children = self.add_entries(&division.entries, trail, sidebar);
        trail.pop();
        if own_sidebar {
            self.sidebars[sidebar] =
                Arc::new(self.sidebar_entries(&division.entries, &children, true));
        }
        self.nodes[number].children = children;
        self.nodes[number].target = self.target_of(division, number);
        number
    }

    fn target_of(&self, division: &Division, number: usize) -> Option<Target> {
        if let Some(href) = &division.href {
            return Some(self.target_of_href(href));
        }
        if let Some(root) = &division.root {
            return Some(Target::Page(root.clone()));
        }
        let own = division.entries.iter().find_map(|entry| match entry {
            Entry::Page(slug) if self.shown(slug) => Some(Target::Page(slug.clone())),
            _ => None,
        });
        let children = &self.nodes[number].children;
        let preferred = children.iter().find(|child| self.nodes[**child].division.default);
        let below = preferred
            .into_iter()
            .chain(children)
            .filter(|child| !self.nodes[**child].division.hidden);
        own.or_else(|| {
            below
                .filter_map(|child| self.nodes[*child].target.clone())
                .find(|target| !matches!(target, Target::External(_)))
        })
    }

    fn target_of_href(&self, href: &str) -> Target {
        if !href.starts_with('/') {
            return if href.contains(':') || href.starts_with('#') {
                Target::External(href.to_owned())
            } else {
                self.target_of_href(&format!("/{href}"))
            };
        }
        let slug = slug::of_reference(redirects::without_suffix(href));
        if self.content.pages.contains_key(&slug) {
            Target::Page(slug)
        } else {
            Target::Path(href.trim_start_matches('/').to_owned())
        }
    }

    fn shown(&self, slug: &str) -> bool {
        self.content.pages.get(slug).is_some_and(|page| page.visibility.navigation)
    }

    // ---- viewing ----

    /// Names of the divisions of some kinds around a page, outermost first.
    fn labels(&self, slug: &str, includes: fn(DivisionKind) -> bool) -> Vec<String> {
        let trail = self.trails.get(slug).map(Vec::as_slice).unwrap_or_default();
        let divisions = trail.iter().map(|node| self.nodes[*node].division);
        let divisions =
            divisions.filter(|division| includes(division.kind) && !division.label.is_empty());
        let name = |division: &Division| match division.kind {
            DivisionKind::Language => languages::name(&division.label).to_owned(),
            _ => division.label.clone(),
        };
        divisions.map(name).collect()
    }

    fn kind(&self, node: usize) -> DivisionKind {
        self.nodes[node].division.kind
    }

    fn siblings(&self, node: usize) -> &[usize] {
        self.nodes[node].parent.map_or(&self.top, |parent| &self.nodes[parent].children)
    }

    /// The way to the first page of the default divisions, for pages that navigation does not list.
    fn default_trail(&self) -> Vec<usize> {
        let mut trail = Vec::new();
        let mut level = &self.top;
        loop {
            let choices = || {
                level.iter().filter(|node| {
                    !self.nodes[**node].division.hidden && self.nodes[**node].target.is_some()
                })
            };
            let default = choices().find(|node| self.nodes[**node].division.default);
            let Some(node) = default.or_else(|| {
                choices().find(|node| {
                    !self.nodes[**node].children.is_empty()
                        || has_pages(self.nodes[**node].division)
                })
            }) else {
                return trail;
            };
            trail.push(*node);
            level = &self.nodes[*node].children;
        }
    }

    fn page_link(&self, slug: &str) -> Option<PageLink> {
        let page = self.content.pages.get(slug)?;
        let frontmatter = &page.frontmatter;
        let target = match &frontmatter.url {
            Some(url) => self.target_of_href(url),
            None => Target::Page(slug.to_owned()),
        };
        let reference = frontmatter.openapi.as_deref().or(frontmatter.api.as_deref());
        let method = reference.and_then(openapi::parse_reference).map(|named| named.method);
        let method = method.or_else(|| frontmatter.asyncapi.is_some().then(|| "WSS".to_owned()));
        Some(PageLink {
            title: frontmatter.sidebar_title.clone().unwrap_or_else(|| frontmatter.title.clone()),
            description: frontmatter.description.clone(),
            target,
            icon: frontmatter.icon.clone(),
            tag: frontmatter.tag.clone(),
            method: method.filter(|_| !frontmatter.hide_api_marker),
            deprecated: frontmatter.deprecated,
        })
    }

    fn neighbors(&self, sidebar: usize, slug: &str) -> (Option<PageLink>, Option<PageLink>) {
        let order = &self.orders[sidebar];
        let Some(at) = self.positions.get(&(sidebar, slug)).copied() else { return (None, None) };
        let link = |index: Option<usize>| order.get(index?).and_then(|slug| self.page_link(slug));
        (link(at.checked_sub(1)), link(Some(at + 1)))
    }

    fn switchers(&self, trail: &[usize], slug: &str) -> Vec<Switcher> {
        let mut switchers = Vec::new();
        for node in trail {
            let kind = self.kind(*node);
            let switches = matches!(
                kind,
                DivisionKind::Language
                    | DivisionKind::Version
                    | DivisionKind::Product
                    | DivisionKind::Dropdown
            );
            if !switches {
                continue;
            }
            let siblings = self.siblings(*node).iter().filter(|each| self.kind(**each) == kind);
            let shown =
                siblings.filter(|each| **each == *node || !self.nodes[**each].division.hidden);
            let options: Vec<_> =
                shown.filter_map(|sibling| self.switcher_option(*node, *sibling, slug)).collect();
            if options.len() > 1 {
                switchers.push(Switcher { kind, options });
            }
        }
        switchers
    }

    fn switcher_option(
        &self,
        current: usize,
        sibling: usize,
        slug: &str,
    ) -> Option<SwitcherOption> {
        let node = &self.nodes[sibling];
        let same = self.counterpart(current, sibling, slug).map(Target::Page);
        let language = node.division.kind == DivisionKind::Language;
        let label = &node.division.label;
        Some(SwitcherOption {
            label: if language { languages::name(label).to_owned() } else { label.clone() },
            code: language.then(|| languages::code(label).to_owned()),
            description: node.division.description.clone(),
            icon: node.division.icon.clone(),
            tag: node.division.tag.clone(),
            target: same.or_else(|| node.target.clone())?,
            current: current == sibling,
        })
    }

    /// The counterpart of this page in a sibling division.
    fn counterpart(&self, from: usize, to: usize, slug: &str) -> Option<String> {
        if from == to {
            return Some(slug.to_owned());
        }
        let prefix = |node: usize| self.nodes[node].prefix.clone().unwrap_or_default();
        let parts: Vec<_> = slug.split('/').collect();
        let rest = parts.strip_prefix(prefix(from).as_slice())?;
        let mut candidate = prefix(to);
        candidate.extend(rest);
        let candidate = candidate.join("/");
        let trail = self.trails.get(candidate.as_str())?;
        trail.contains(&to).then_some(candidate)
    }

    /// Tabs (or anchors) beside the one that the page is in, and those shown everywhere.
    fn tabs(&self, trail: &[usize], kind: DivisionKind) -> Vec<Tab> {
        let own = trail.iter().find(|node| self.kind(**node) == kind).copied();
        // A site whose top divisions are versions can have its tabs beside them.
        let level = own
            .map(|node| self.siblings(node))
            .or_else(|| trail.last().map(|node| self.nodes[*node].children.as_slice()))
            .unwrap_or(&self.top);
        let beside = level
            .iter()
            .filter(|node| self.kind(**node) == kind && !self.nodes[**node].division.hidden);
        let mut tabs: Vec<_> = beside.filter_map(|node| self.tab(*node, trail)).collect();
        let global = self.content.navigation.global.iter().filter(|division| division.kind == kind);
        tabs.extend(global.filter_map(|division| {
            Some(Tab {
                label: division.label.clone(),
                icon: division.icon.clone(),
                color: division.color.clone(),
                target: self.target_of_href(division.href.as_deref()?),
                current: false,
                menu: Vec::new(),
            })
        }));
        tabs
    }

    fn tab(&self, number: usize, trail: &[usize]) -> Option<Tab> {
        let node = &self.nodes[number];
        let items = node.children.iter().filter(|child| {
            self.kind(**child) == DivisionKind::MenuItem && !self.nodes[**child].division.hidden
        });
        Some(Tab {
            label: node.division.label.clone(),
            icon: node.division.icon.clone(),
            color: node.division.color.clone(),
            target: node.target.clone()?,
            current: trail.contains(&number),
            menu: items.filter_map(|child| self.menu_item(*child, trail)).collect(),
        })
    }

    fn menu_item(&self, number: usize, trail: &[usize]) -> Option<MenuItem> {
        let node = &self.nodes[number];
        Some(MenuItem {
            label: node.division.label.clone(),
            description: node.division.description.clone(),
            icon: node.division.icon.clone(),
            target: node.target.clone()?,
            current: trail.contains(&number),
        })
    }

    fn breadcrumbs(&self, trail: &[usize]) -> Vec<Crumb> {
        let named = trail.iter().filter(|node| {
            matches!(
                self.kind(**node),
                DivisionKind::Group
                    | DivisionKind::Tab
                    | DivisionKind::MenuItem
                    | DivisionKind::Anchor
            )
        });
        named
            .map(|node| {
                let node = &self.nodes[*node];
                let group = node.division.kind == DivisionKind::Group;
                let root = node.division.root.clone().map(Target::Page);
                Crumb {
                    label: node.division.label.clone(),
                    target: if group { root } else { node.target.clone() },
                }
            })
            .filter(|crumb| !crumb.label.is_empty())
            .collect()
    }

    fn directory(&self, trail: &[usize], slug: &str) -> Option<Directory> {
        let node = trail
            .iter()
            .rev()
            .find(|node| self.nodes[**node].division.root.as_deref() == Some(slug))?;
        let division = self.nodes[*node].division;
        let entries = self.sidebar_entries(&division.entries, &self.nodes[*node].children, false);
        let listed = entries.into_iter().filter(|entry| !matches!(entry, SidebarEntry::Page(link) if link.target == Target::Page(slug.to_owned())));
        (division.directory != "none")
            .then(|| Directory { style: division.directory.clone(), entries: listed.collect() })
    }

    fn language(&self, trail: &[usize]) -> Option<&str> {
        let node = trail.iter().find(|node| self.kind(**node) == DivisionKind::Language)?;
        Some(languages::code(&self.nodes[*node].division.label))
    }
}

/// Whether divisions of a kind contain the same pages again.
const fn is_edition(kind: DivisionKind) -> bool {
    matches!(kind, DivisionKind::Language | DivisionKind::Version)
}

fn collect_pages<'a>(entries: &'a [Entry], order: &mut Vec<&'a str>) {
    for entry in entries {
        match entry {
            Entry::Page(slug) => order.push(slug),
            Entry::Division(division) => {
                order.extend(division.root.as_deref());
                collect_pages(&division.entries, order);
            }
        }
    }
}

fn has_pages(division: &Division) -> bool {
    division.entries.iter().any(|entry| matches!(entry, Entry::Page(_)))
}

fn lists(entries: &[Entry], slug: &str) -> bool {
    entries.iter().any(|entry| matches!(entry, Entry::Page(page) if page == slug))
}

/// Shortens a prefix to the folders that it shares with a slug.
fn narrow<'a>(prefix: &mut Option<Vec<&'a str>>, slug: &'a str) {
    let mut folders: Vec<_> = slug.split('/').collect();
    folders.pop();
    match prefix {
        None => *prefix = Some(folders),
        Some(prefix) => {
            let shared =
                prefix.iter().zip(&folders).take_while(|(one, other)| one == other).count();
            prefix.truncate(shared);
        }
    }
}
