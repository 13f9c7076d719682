//! The list of groups and pages beside a page. Groups open and close without scripts.

use maud::{Markup, PreEscaped, html};

use super::{
    PageView, header,
    long_sidebar::{self, Part, first_page},
    themes::{Landmarks, Place, Search, Tabs},
};
use crate::{
    content::navigation::view::{PageLink, SidebarEntry, SidebarGroup, Tab, Target},
    render::breakable_title,
};

/// Puts the list where the reader left it on the page before, as far as that shows the current page.
/// It runs before anything is drawn, so that nothing jumps. On phones, the list is behind the menu, and computing the
/// layout of the page this early would only delay its first paint.
const KEEP_PLACE: &str = "(function(b){if(matchMedia('(max-width:60rem)').matches)return;var s;try{s=sessionStorage}catch(e){}var k='docwright-sidebar';\
    if(s){b.scrollTop=s.getItem(k)||0;addEventListener('pagehide',function(){s.setItem(k,b.scrollTop)})}\
    var c=b.querySelector('[aria-current=page]');if(!c)return;\
    var o=b.getBoundingClientRect(),i=c.getBoundingClientRect();\
    if(i.top<o.top||i.bottom>o.bottom)b.scrollTop+=i.top-o.top-b.clientHeight/2})(document.getElementById('sidebar-content'))";

/// One list for all widths: beside the page, or behind the menu button, where the links of the
/// header that have no room there join it. Above and below it is what the theme has in the sidebar.
pub(super) fn sidebar(view: &PageView<'_>) -> Markup {
    let landmarks = Landmarks::of(view);
    let tabs_here = landmarks.tabs == Tabs::Sidebar;
    html! {
        div.dw-sidebar id=[view.landmark("sidebar")] {
            (top(view, landmarks))
            div #sidebar-content {
                @if !view.navigation.switchers.is_empty() || !view.navigation.tabs.is_empty() {
                    nav.dw-mobile-only #mobile-nav-content aria-label="Sections" {
                        (header::switchers(view, false))
                        (header::tabs(view, "mobile-nav-tabs-item"))
                    }
                }
                @if tabs_here { (header::tab_bar(view)) }
                (anchors(view))
                (pages(view))
                @if !view.config.navbar.links.is_empty() {
                    nav.dw-navbar-links data-phone[landmarks.links == Place::Foot] aria-label="Site links" {
                        @for link in &view.config.navbar.links { (header::navbar_link(view, link)) }
                    }
                }
            }
            (foot(view, landmarks))
            script { (PreEscaped(KEEP_PLACE)) }
        }
    }
}

/// Above the list, in a wide window.
fn top(view: &PageView<'_>, landmarks: Landmarks) -> Markup {
    let (logo, search) = (landmarks.has_logo_in_sidebar(), landmarks.search == Search::Sidebar);
    let switchers = landmarks.switchers == Place::Top && !view.navigation.switchers.is_empty();
    html! {
        @if logo || search || switchers {
            section.dw-sidebar-top aria-label=(view.config.name) {
                @if logo { (header::logo(view, false)) }
                @if switchers { (header::switchers(view, true)) }
                @if search { (header::search_button(view, landmarks.search, false)) }
            }
        }
    }
}

/// Below the list, in a wide window.
fn foot(view: &PageView<'_>, landmarks: Landmarks) -> Markup {
    let navbar = &view.config.navbar;
    let links =
        landmarks.links == Place::Foot && (!navbar.links.is_empty() || navbar.primary.is_some());
    let switchers = landmarks.switchers == Place::Foot && !view.navigation.switchers.is_empty();
    let mode = landmarks.mode == Place::Foot && !view.config.appearance.strict;
    html! {
        @if links || switchers || mode {
            div.dw-sidebar-foot {
                @if links { (header::links(view)) }
                @if switchers { (header::switchers(view, true)) }
                @if mode { (header::mode_toggle(view, false)) }
            }
        }
    }
}

/// Links above the groups: the anchors of the site.
fn anchors(view: &PageView<'_>) -> Markup {
    html! {
        @if !view.navigation.anchors.is_empty() {
            nav aria-label="Links" { ul.nav-anchors.dw-nav-anchors {
                @for anchor in &view.navigation.anchors {
                    @if let Some(href) = view.target(&anchor.target) {
                        li { a.nav-anchor.dw-nav-anchor href=(href) data-active[anchor.current] style=[icon_color(anchor)] { (view.icon(anchor.icon.as_ref())) (anchor.label) } }
                    }
                }
            } }
        }
    }
}

/// The author's color of an icon in both modes, which the styles read.
fn icon_color(anchor: &Tab) -> Option<String> {
    let (light, dark) = (anchor.color.light.as_deref()?, anchor.color.dark.as_deref()?);
    Some(format!("--anchor:{light};--anchor-dark:{dark}"))
}

/// The list, and of a long one the script that has all of it.
fn pages(view: &PageView<'_>) -> Markup {
    let extent = if view.long_sidebar.is_some() { Extent::Around } else { Extent::All };
    // A page that is served at any address doesn't know where the script is until it has asked.
    let script = view.long_sidebar.and_then(|sidebar| sidebar.script.as_ref());
    let script = script.filter(|_| !view.anywhere);
    let address = |at_once| {
        script.filter(|script| script.at_once == at_once).map(|script| view.address(&script.path))
    };
    html! {
        nav.dw-sidebar-nav aria-label="Pages" data-list=[address(false)] {
            (list(view, extent))
            @if let Some(address) = address(true) { script src=(address) {} }
        }
    }
}

/// How much of a list there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// All entries.
    All,
    /// The entries around the page; other groups are links to their first page.
    Around,
    /// All entries, for the script that pages share. It marks the current page.
    Script,
}

/// The groups and pages of the sidebar.
pub(super) fn list(view: &PageView<'_>, extent: Extent) -> Markup {
    List { view, extent }.entries(&view.navigation.sidebar, true)
}

/// Lists entries.
struct List<'v> {
    view: &'v PageView<'v>,
    extent: Extent,
}

impl List<'_> {
    fn entries(&self, entries: &[SidebarEntry], top: bool) -> Markup {
        let parts = if self.extent == Extent::Around {
            long_sidebar::parts(self.view, entries)
        } else {
            vec![Part::Listed(entries)]
        };
        html! {
            ul.sidebar-group[!top].dw-sidebar-group[!top] {
                @for part in &parts {
                    @match part {
                        Part::Listed(entries) => {
                            @for entry in *entries {
                                @match entry {
                                    SidebarEntry::Page(link) => { (page(self.view, link)) }
                                    SidebarEntry::Group(group) => { (self.group(group, top)) }
                                }
                            }
                        }
                        Part::Linked { from, to, target } => {
                            @if let Some(href) = self.view.target(target) {
                                li { a.dw-sidebar-closed href=(href) { span { (from) " – " (to) } } }
                            }
                        }
                    }
                }
            }
        }
    }

    /// Groups at the top are always open; those inside fold.
    fn group(&self, group: &SidebarGroup, top: bool) -> Markup {
        let view = self.view;
        if self.extent == Extent::Around
            && let Some(link) = long_sidebar::closed_group(view, group)
        {
            return html! { li.dw-sidebar-section[top] { (link) } };
        }
        let open = group.open || view.navigation.trail.contains(&group.number);
        let target = if top { group.target.as_ref() } else { group_target(view, group) };
        let is_link = target.is_some_and(|target| view.target(target).is_some());
        let label = self.label(group, target);
        html! {
            li.dw-sidebar-section[top] {
                @if top {
                    @if !group.label.is_empty() { p.sidebar-group-header.dw-sidebar-group-header { (label) } }
                    (self.entries(&group.entries, false))
                } @else if is_link {
                    // A link can't stand in a summary: the two are side by side.
                    div.dw-sidebar-root { (label) }
                    details open[open] {
                        summary aria-label={ "Pages of " (group.label) } {}
                        (self.entries(&group.entries, false))
                    }
                } @else {
                    details open[open] {
                        summary { (label) }
                        (self.entries(&group.entries, false))
                    }
                }
            }
        }
    }

    /// The name of a group, as a link if it has a target.
    fn label(&self, group: &SidebarGroup, target: Option<&Target>) -> Markup {
        let view = self.view;
        let inner = label_of(view, group);
        match target.and_then(|target| view.target(target)) {
            Some(href) => {
                // The first page of a group has an entry of its own, which is the current one then.
                let current = group.target.as_ref().is_some_and(|root| is_current(view, root));
                let is_first = self.extent == Extent::Script && group.target.is_none();
                html! { a href=(href) aria-current=[current.then_some("page")] data-first[is_first] { (inner) } }
            }
            None => inner,
        }
    }
}

/// Icon, name, and tag of a group.
pub(super) fn label_of(view: &PageView<'_>, group: &SidebarGroup) -> Markup {
    html! {
        (view.icon(group.icon.as_ref())) span.sidebar-title { (group.label) }
        @if let Some(tag) = &group.tag { span.nav-tag-pill.dw-nav-tag-pill { (tag) } }
    }
}

/// What the name of a group inside another opens: its root page, or its first page if the author
/// wants that.
fn group_target<'g>(view: &PageView<'_>, group: &'g SidebarGroup) -> Option<&'g Target> {
    let first = || first_page(&group.entries);
    group.target.as_ref().or_else(|| if view.config.drilldown { first() } else { None })
}

fn page(view: &PageView<'_>, link: &PageLink) -> Markup {
    let Some(href) = view.target(&link.target) else { return html! {} };
    let current = is_current(view, &link.target);
    html! {
        li { a href=(href) aria-current=[current.then_some("page")] data-active[current] {
            (view.icon(link.icon.as_ref()))
            @if let Some(method) = &link.method { span.method-nav-pill.dw-method-nav-pill data-method=(method) { (short(method)) } }
            span { (breakable_title(&link.title)) }
            @if let Some(tag) = &link.tag { span.nav-tag-pill.dw-nav-tag-pill { (tag) } }
            @if link.deprecated { span.nav-tag-pill.dw-nav-tag-pill { "deprecated" } }
        } }
    }
}

/// Whether a link leads to the page itself.
pub(super) fn is_current(view: &PageView<'_>, target: &Target) -> bool {
    matches!(target, Target::Page(slug) if *slug == view.page.slug)
}

/// Long methods don't fit beside a title.
fn short(method: &str) -> &str {
    match method {
        "DELETE" => "DEL",
        "OPTIONS" => "OPT",
        "WEBHOOK" => "HOOK",
        method => method,
    }
}

/// Children of a group, below the body of its root page.
pub(super) fn directory(view: &PageView<'_>) -> Markup {
    let Some(directory) = &view.navigation.directory else { return html! {} };
    html! {
        section.directory.dw-directory data-style=(directory.style) aria-label="In this section" {
            @for entry in &directory.entries { (directory_entry(view, entry)) }
        }
    }
}

fn directory_entry(view: &PageView<'_>, entry: &SidebarEntry) -> Markup {
    match entry {
        SidebarEntry::Page(link) => {
            if let Some(href) = view.target(&link.target) {
                html! {
                    a.card.dw-card.directory-card href=(href) {
                        @let icon = view.icon(link.icon.as_ref());
                        @if !icon.0.is_empty() { span.dw-card-icon { (icon) } }
                        div.dw-card-content {
                            p.dw-card-title { (link.title) }
                            @if let Some(description) = &link.description { p { (description) } }
                        }
                    }
                }
            } else {
                html! {}
            }
        }
        SidebarEntry::Group(group) => html! {
            div.directory-group.dw-directory-group {
                p.dw-directory-group-title { (group.label) }
                @for entry in &group.entries { (directory_entry(view, entry)) }
            }
        },
    }
}
