//! The sidebars of a site: one for each division except groups, and that of the root.

use std::sync::Arc;

use super::{
    super::{
        Division, DivisionKind, Entry,
        view::{NavigationView, SidebarEntry, SidebarGroup, Target},
    },
    NavigationIndex,
};

impl NavigationIndex<'_> {
    /// How many sidebars there are.
    pub fn sidebars(&self) -> usize {
        self.sidebars.len()
    }

    /// The number of the sidebar that a page shows.
    pub fn sidebar_number(&self, slug: &str) -> usize {
        match self.trails.get(slug) {
            Some(trail) => self.sidebar_of(trail),
            None => self.sidebar_of(&self.default_trail()),
        }
    }

    /// The number of the sidebar at the end of a trail.
    pub(super) fn sidebar_of(&self, trail: &[usize]) -> usize {
        trail.last().map_or(0, |node| self.nodes[*node].sidebar)
    }

    /// A sidebar as a page shows it that isn't in the navigation.
    pub fn sidebar_alone(&self, number: usize) -> NavigationView {
        let sidebar = Arc::clone(&self.sidebars[number]);
        NavigationView { sidebar, sidebar_number: number, ..NavigationView::default() }
    }

    pub(super) fn new_sidebar(&mut self) -> usize {
        self.sidebars.push(Arc::default());
        self.orders.push(Vec::new());
        self.sidebars.len() - 1
    }

    /// `numbers` are those of the divisions among the entries, in order.
    pub(super) fn sidebar_entries(
        &self,
        entries: &[Entry],
        numbers: &[usize],
        top: bool,
    ) -> Vec<SidebarEntry> {
        let mut numbers = numbers.iter();
        let mut shown = Vec::new();
        for entry in entries {
            match entry {
                Entry::Page(slug) if self.shown(slug) => {
                    shown.extend(self.page_link(slug).map(SidebarEntry::Page));
                }
                Entry::Page(_) => {}
                Entry::Division(division) => {
                    let Some(number) = numbers.next() else { continue };
                    if division.kind == DivisionKind::Group && !division.hidden {
                        shown.push(SidebarEntry::Group(self.sidebar_group(division, *number, top)));
                    }
                }
            }
        }
        shown
    }

    fn sidebar_group(&self, division: &Division, number: usize, top: bool) -> SidebarGroup {
        SidebarGroup {
            label: division.label.clone(),
            icon: division.icon.clone(),
            tag: division.tag.clone(),
            target: division.root.clone().map(Target::Page),
            number,
            open: top || division.expanded == Some(true),
            entries: self.sidebar_entries(&division.entries, &self.nodes[number].children, false),
        }
    }
}
