//! The list of groups and pages beside a page. Groups open and close without scripts.

use maud::{Markup, PreEscaped, html};

use super::{PageView, header};
use crate::content::navigation::view::{PageLink, SidebarEntry, SidebarGroup, Target};

/// Puts the list where the reader left it on the page before, as far as that shows the current page.
/// It runs before anything is drawn, so that nothing jumps.
const KEEP_PLACE: &str = "(function(b){var s;try{s=sessionStorage}catch(e){}var k='docwright-sidebar';\
    if(s){b.scrollTop=s.getItem(k)||0;addEventListener('pagehide',function(){s.setItem(k,b.scrollTop)})}\
    var c=b.querySelector('[aria-current=page]');if(!c)return;\
    var o=b.getBoundingClientRect(),i=c.getBoundingClientRect();\
    if(i.top<o.top||i.bottom>o.bottom)b.scrollTop+=i.top-o.top-b.clientHeight/2})(document.getElementById('sidebar-content'))";

/// One list for all widths: beside the page, or behind the menu button, where the links of the
/// header that have no room there join it.
pub(super) fn sidebar(view: &PageView<'_>) -> Markup {
    html! {
        div.dw-sidebar id=[view.landmark("sidebar")] {
            div #sidebar-content {
                div.dw-mobile-only #mobile-nav-content {
                    (header::switchers(view, false))
                    (header::tabs(view, "mobile-nav-tabs-item"))
                }
                (anchors(view))
                nav.dw-sidebar-nav aria-label="Pages" { (list(view, &view.navigation.sidebar, true)) }
                div.dw-navbar-links { @for link in &view.config.navbar.links { (header::navbar_link(view, link)) } }
            }
            script { (PreEscaped(KEEP_PLACE)) }
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
                        li { a.nav-anchor.dw-nav-anchor href=(href) data-active[anchor.current] { (view.icon(anchor.icon.as_ref())) (anchor.label) } }
                    }
                }
            } }
        }
    }
}

fn list(view: &PageView<'_>, entries: &[SidebarEntry], top: bool) -> Markup {
    html! {
        ul.sidebar-group[!top].dw-sidebar-group[!top] {
            @for entry in entries {
                @match entry {
                    SidebarEntry::Page(link) => { (page(view, link)) }
                    SidebarEntry::Group(group) => { (self::group(view, group, top)) }
                }
            }
        }
    }
}

/// Groups at the top are always open; those inside fold.
fn group(view: &PageView<'_>, group: &SidebarGroup, top: bool) -> Markup {
    let open = group.open || view.navigation.trail.contains(&group.number);
    let label = label(view, group);
    html! {
        li.dw-sidebar-section[top] {
            @if top {
                @if !group.label.is_empty() { p.sidebar-group-header.dw-sidebar-group-header { (label) } }
                (list(view, &group.entries, false))
            } @else if group.target.as_ref().is_some_and(|target| view.target(target).is_some()) {
                // A link can't stand in a summary: the two are side by side.
                div.dw-sidebar-root { (label) }
                details open[open] {
                    summary aria-label={ "Pages of " (group.label) } {}
                    (list(view, &group.entries, false))
                }
            } @else {
                details open[open] {
                    summary { (label) }
                    (list(view, &group.entries, false))
                }
            }
        }
    }
}

fn label(view: &PageView<'_>, group: &SidebarGroup) -> Markup {
    let inner = html! {
        (view.icon(group.icon.as_ref())) span.sidebar-title { (group.label) }
        @if let Some(tag) = &group.tag { span.nav-tag-pill.dw-nav-tag-pill { (tag) } }
    };
    match group.target.as_ref().and_then(|target| Some((target, view.target(target)?))) {
        Some((target, href)) => {
            html! { a href=(href) aria-current=[is_current(view, target).then_some("page")] { (inner) } }
        }
        None => inner,
    }
}

fn page(view: &PageView<'_>, link: &PageLink) -> Markup {
    let Some(href) = view.target(&link.target) else { return html! {} };
    let current = is_current(view, &link.target);
    html! {
        li { a href=(href) aria-current=[current.then_some("page")] data-active[current] {
            (view.icon(link.icon.as_ref()))
            @if let Some(method) = &link.method { span.method-nav-pill.dw-method-nav-pill data-method=(method) { (short(method)) } }
            span { (link.title) }
            @if let Some(tag) = &link.tag { span.nav-tag-pill.dw-nav-tag-pill { (tag) } }
            @if link.deprecated { span.nav-tag-pill.dw-nav-tag-pill { "deprecated" } }
        } }
    }
}

fn is_current(view: &PageView<'_>, target: &Target) -> bool {
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
