//! Sidebars of large sites. A page that repeats hundreds of links is slow to load, and the site grows with the square
//! of its pages. So a long sidebar lists the pages around the current one, and links to the rest. A script that its
//! pages share has the whole list.

use maud::{Markup, html};
use serde_json::Value;

use super::{
    PageView,
    assets::without_line_comments,
    sidebar::{self, Extent},
};
use crate::{
    content::navigation::view::{SidebarEntry, SidebarGroup, Target},
    hashed_path::hashed_path,
};

/// Maximum number of pages in a sidebar that lists all of them.
const MAXIMUM_PAGES: usize = 100;
/// Maximum number of pages that the script lists at once; more are listed only for a reader who opens a group.
const MAXIMUM_PAGES_AT_ONCE: usize = 300;
/// Maximum number of pages that a browser is asked to list. More of them would take it seconds.
const MAXIMUM_PAGES_OF_SCRIPT: usize = 5_000;
/// Maximum number of entries of one list that are listed one by one.
const MAXIMUM_ENTRIES: usize = 100;
/// Folder of the scripts, below the site root. `scripts/sidebar.js` knows how deep it is.
const FOLDER: &str = "_docwright/sidebars";
/// Puts the whole list in place of that of the page. Its HTML, as a string, replaces `LIST`.
const SCRIPT: &str = include_str!("scripts/sidebar.js");

/// A sidebar that is too long for pages to list all of it.
#[derive(Debug)]
pub struct LongSidebar {
    /// The script that has all of it; `None` if it is too long for that too.
    pub script: Option<SidebarScript>,
}

/// The script that has all of a long sidebar.
#[derive(Debug)]
pub struct SidebarScript {
    /// Where it is, below the site root. The name is a hash of the contents.
    pub path: String,
    /// Its contents.
    pub contents: String,
    /// Whether pages load it with the sidebar, not when a reader opens a group.
    pub at_once: bool,
}

/// A long sidebar; `None` if pages list all of it. The view is that of a page at the site
/// root that isn't in the navigation.
pub fn long_sidebar(view: &PageView<'_>) -> Option<LongSidebar> {
    let entries = &view.navigation.sidebar;
    if !has_more_pages(entries, MAXIMUM_PAGES) {
        return None;
    }
    if has_more_pages(entries, MAXIMUM_PAGES_OF_SCRIPT) {
        return Some(LongSidebar { script: None });
    }
    let list = sidebar::list(view, Extent::Script).into_string();
    let contents = without_line_comments(SCRIPT).replace("LIST", &Value::from(list).to_string());
    let path = hashed_path(FOLDER, contents.as_bytes(), "js");
    let at_once = !has_more_pages(entries, MAXIMUM_PAGES_AT_ONCE);
    Some(LongSidebar { script: Some(SidebarScript { path, contents, at_once }) })
}

/// Whether a sidebar has more pages than a number.
fn has_more_pages(entries: &[SidebarEntry], number: usize) -> bool {
    fn count(entries: &[SidebarEntry], left: &mut usize) -> bool {
        entries.iter().all(|entry| match entry {
            SidebarEntry::Page(_) if *left == 0 => false,
            SidebarEntry::Page(_) => {
                *left -= 1;
                true
            }
            SidebarEntry::Group(group) => count(&group.entries, left),
        })
    }
    !count(entries, &mut { number })
}

/// A group that the current page isn't in: a link to its first page. `None` if it has no page, or if the current page
/// is in it.
pub(super) fn closed_group(view: &PageView<'_>, group: &SidebarGroup) -> Option<Markup> {
    if is_around(view, group) {
        return None;
    }
    let target = group.target.as_ref().or_else(|| first_page(&group.entries))?;
    let href = view.target(target)?;
    Some(html! { a.dw-sidebar-closed href=(href) { (sidebar::label_of(view, group)) } })
}

/// The entries of a list, in parts: of a very long list, only the part with the current page is listed.
pub(super) fn parts<'e>(view: &PageView<'_>, entries: &'e [SidebarEntry]) -> Vec<Part<'e>> {
    if entries.len() <= MAXIMUM_ENTRIES {
        return vec![Part::Listed(entries)];
    }
    let chunks = entries.chunks(MAXIMUM_ENTRIES / 2);
    chunks
        .map(|part| {
            let is_here = part.iter().any(|entry| match entry {
                SidebarEntry::Page(link) => sidebar::is_current(view, &link.target),
                SidebarEntry::Group(group) => is_around(view, group),
            });
            match (part, first_page(part)) {
                ([first, .., last], Some(target)) if !is_here => {
                    Part::Linked { from: title(first), to: title(last), target }
                }
                _ => Part::Listed(part),
            }
        })
        .collect()
}

/// A part of a list.
pub(super) enum Part<'e> {
    /// Its entries are listed.
    Listed(&'e [SidebarEntry]),
    /// Only a link to its first page is shown, with the names of its first and last entry.
    Linked {
        /// The name of the first entry.
        from: &'e str,
        /// The name of the last entry.
        to: &'e str,
        /// The first page.
        target: &'e Target,
    },
}

fn is_around(view: &PageView<'_>, group: &SidebarGroup) -> bool {
    view.navigation.trail.contains(&group.number)
}

fn title(entry: &SidebarEntry) -> &str {
    match entry {
        SidebarEntry::Page(link) => &link.title,
        SidebarEntry::Group(group) => &group.label,
    }
}

/// The first page of a list and its groups.
pub(super) fn first_page(entries: &[SidebarEntry]) -> Option<&Target> {
    entries.iter().find_map(|entry| match entry {
        SidebarEntry::Page(link) => Some(&link.target),
        SidebarEntry::Group(group) => group.target.as_ref().or_else(|| first_page(&group.entries)),
    })
}
