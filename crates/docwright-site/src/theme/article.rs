//! The middle of a page: title, body, neighbors, and the right column.

use maud::{Markup, PreEscaped, html};

use super::{
    PageView, api, assistant, contents, contribute, head::feed, inline, page_menu, sidebar,
};
use crate::{
    content::{navigation::view::PageLink, words::Word},
    render::breakable_title,
};

pub(super) fn article(view: &PageView<'_>) -> Markup {
    let (frontmatter, rendered) = (&view.page.frontmatter, view.rendered);
    let bare = view.is_bare();
    let beside = frontmatter.mode == "default";
    let contents = contents::state(view).filter(|_| beside);
    let has_filters = rendered.updates.iter().any(|update| !update.tags.is_empty());
    html! {
        // Said at the start of what is laid out: nothing can move once the column has arrived.
        main.dw-main data-examples[beside && rendered.examples.is_some()] data-contents=[contents] {
            // What authors know as the content area: without the column beside it.
            div.dw-content-area #content-area {
                article.dw-content {
                    @if !bare { (head(view)) }
                    @if !rendered.views.is_empty() { (views(&rendered.views)) }
                    @if has_filters { div.dw-changelog-filters #changelog-filters hidden {} }
                    (api::operation_bar(view))
                    div.mdx-content.dw-body.prose[!bare].dw-prose[!bare] id=[view.landmark("content")] data-page-href={ "/" (view.page.slug) } { (PreEscaped(&rendered.html)) }
                    (sidebar::directory(view))
                    (assistant::place(view))
                }
                @if !bare { div.dw-page-foot { (foot(view)) } }
            }
            @if beside {
                aside.dw-right-column {
                    @if let Some(examples) = &rendered.examples { div.dw-examples { (PreEscaped(examples)) } }
                    @if let Some(panel) = &rendered.panel { div.panel.dw-panel.prose.dw-prose id=[view.landmark("panel")] { (PreEscaped(panel)) } }
                    @else if contents::is_in_column(view) { (contents::contents(view)) }
                }
            }
        }
    }
}

fn head(view: &PageView<'_>) -> Markup {
    let frontmatter = &view.page.frontmatter;
    html! {
        header.dw-page-header id=[view.landmark("header")] {
            (eyebrow(view))
            div.dw-page-title-row {
                h1 #page-title { (breakable_title(&frontmatter.title)) }
                @if frontmatter.deprecated { span.nav-tag-pill.dw-nav-tag-pill { (view.word(Word::Deprecated)) } }
                (actions(view))
            }
            @if let Some(description) = &frontmatter.description { p.dw-page-description { (inline::markup(description, view)) } }
        }
    }
}

/// What readers can do with the page, at the end of the row of its title. The format has it in one place too.
fn actions(view: &PageView<'_>) -> Markup {
    let feed = feed(view).filter(|_| view.page.frontmatter.rss);
    let menu = page_menu::page_menu(view);
    html! {
        @if feed.is_some() || !menu.0.is_empty() {
            div.dw-page-actions #page-context-menu {
                @if let Some(feed) = feed { a.dw-rss-button href=(feed) { (view.glyph("rss")) span { "Feed" } } }
                (menu)
            }
        }
    }
}

fn eyebrow(view: &PageView<'_>) -> Markup {
    let crumbs = &view.navigation.breadcrumbs;
    if view.config.eyebrows == "breadcrumbs" && crumbs.len() > 1 {
        return html! {
            nav.dw-breadcrumbs aria-label="Breadcrumbs" {
                ol.breadcrumb-list.dw-breadcrumb-list {
                    @for crumb in crumbs {
                        li.breadcrumb-item.dw-breadcrumb-item {
                            @match crumb.target.as_ref().and_then(|target| view.target(target)) {
                                Some(href) => { a href=(href) { (crumb.label) } }
                                None => { span { (crumb.label) } }
                            }
                        }
                    }
                }
            }
        };
    }
    html! { @if let Some(crumb) = crumbs.last() { p.eyebrow.dw-eyebrow { (crumb.label) } } }
}

fn views(titles: &[String]) -> Markup {
    html! {
        div.dw-view-switcher #multi-view-dropdown role="group" aria-label="Show the page for" {
            @for (number, title) in titles.iter().enumerate() {
                button type="button" data-view-button=(number) aria-pressed=(if number == 0 { "true" } else { "false" }) { (title) }
            }
        }
    }
}

fn foot(view: &PageView<'_>) -> Markup {
    let navigation = view.navigation;
    let neighbors = !view.page.frontmatter.hide_footer_pagination
        && (navigation.previous.is_some() || navigation.next.is_some());
    html! {
        @if let Some(date) = view.last_modified { p.dw-last-modified { (view.word(Word::Modified)) " " time datetime=(date) { (date.get(..10).unwrap_or(date)) } } }
        (contribute::contribute(view))
        @if !view.rendered.related.is_empty() {
            nav.dw-related aria-labelledby="related-title" {
                h2 #related-title { (view.word(Word::Related)) }
                ul { @for link in &view.rendered.related { li { a href=(link.address) { (link.title) } } } }
            }
        }
        @if neighbors {
            nav.dw-pagination id=[view.landmark("pagination")] aria-label="Neighboring pages" {
                @if let Some(previous) = &navigation.previous { (neighbor(view, previous, "prev", Word::Previous, "chevron-left")) }
                @if let Some(next) = &navigation.next { (neighbor(view, next, "next", Word::Next, "chevron-right")) }
            }
        }
    }
}

fn neighbor(view: &PageView<'_>, link: &PageLink, rel: &str, word: Word, icon: &str) -> Markup {
    let Some(href) = view.target(&link.target) else { return html! {} };
    html! {
        a class={ "pagination-" (rel) " dw-pagination-" (rel) } href=(href) rel=(rel) {
            span.dw-pagination-label { (view.glyph(icon)) (view.word(word)) }
            span.pagination-title.dw-pagination-title { (breakable_title(&link.title)) }
        }
    }
}
