//! `404.html`: the page for addresses where there is none.
//!
//! Hosts serve it at any depth. So its styles stand in it, its addresses begin at the root of the
//! host, and its script corrects them where the site lies in another folder than its address says. The script also suggests pages
//! by the address that was asked for, and speaks the language of that address.

use std::collections::BTreeMap;

use maud::{DOCTYPE, Markup, PreEscaped, html};
use serde_json::{Map, Value, json};

use super::{
    PageView, SCRIPT, agents, assets, assistant, background, footer, head, header, inline, sidebar,
    skip_links, themes,
};
use crate::{
    content::{
        languages,
        navigation::view::{PageLink, SidebarEntry},
        words::{Word, word},
    },
    search,
};

/// Pages that are suggested without scripts.
const SUGGESTIONS: usize = 5;

/// The whole document. The view is that of a page which is not in the navigation; `folders` says which
/// language the pages of a folder have, where that is not the language of the view.
pub fn not_found(view: &PageView<'_>, folders: &BTreeMap<&str, &str>) -> String {
    let config = view.config;
    let direction = languages::is_right_to_left(&view.page.language).then_some("rtl");
    html! {
        (DOCTYPE)
        html lang=(view.page.language) dir=[direction] data-theme=(config.theme) {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="robots" content="noindex";
                title { (view.page.frontmatter.title) " - " (config.name) }
                (head::favicon(view))
                (head::mode_script(view))
                style { (PreEscaped(assets::stylesheet(config, view.fonts, &|path| view.address(path)))) (PreEscaped(assistant::page_styles(view.options))) }
                (assistant::announcement(view))
            }
            body data-mode="default" data-frame=(themes::Landmarks::of(view).frame.name()) {
                (background::background(view))
                (skip_links(view))
                (agents::directive(view, None))
                (header::banner(view))
                (header::header(view))
                div.dw-layout #body-content { (message(view)) (sidebar::sidebar(view)) }
                (footer::footer(view))
                template #not-found-assets data-redirect[config.not_found.redirect]
                    data-base=(view.options.base_path())
                    data-languages=(translations(view, folders)) {
                    @for style in view.custom_styles { link rel="stylesheet" href=(view.address(style)); }
                    script src=(view.address(SCRIPT)) {}
                    @if view.options.features.search.is_on() {
                        link rel="stylesheet" href=(view.address(search::STYLES));
                        (head::search_script(view, search::DIALOG))
                        (head::search_script(view, search::OPENER))
                    }
                    (assistant::opener(view))
                    @for script in view.custom_scripts { script src=(view.address(script)) {} }
                }
                @if view.options.features.search.is_on() {
                    script { (PreEscaped(include_str!("scripts/not_found_search.js"))) }
                }
                script { (PreEscaped(include_str!("scripts/not_found.js"))) }
            }
        }
    }
    .into_string()
}

fn message(view: &PageView<'_>) -> Markup {
    let description = view.config.not_found.description.as_deref();
    let description = description.unwrap_or_else(|| view.word(Word::Missing));
    let mut suggested = Vec::new();
    collect(&view.navigation.sidebar, &mut suggested);
    html! {
        main.dw-main {
            div.dw-content-area #content-area {
                article.dw-content.not-found-container {
                    header.dw-page-header {
                        p.not-found-status-code.eyebrow.dw-eyebrow { "404" }
                        h1.not-found-title #page-title { (view.page.frontmatter.title) }
                        p.not-found-description.dw-page-description { (inline::markup(description, view)) }
                    }
                    div.dw-body.dw-prose { (suggestions(view, &suggested)) }
                }
            }
        }
    }
}

fn suggestions(view: &PageView<'_>, suggested: &[&PageLink]) -> Markup {
    html! {
        ul.not-found-recommended-pages-list {
            @if let Some(home) = view.target(&view.home) { li { a href=(home) { (view.config.name) } } }
            @for link in suggested {
                @if let Some(href) = view.target(&link.target) { li { a href=(href) { (link.title) } } }
            }
        }
    }
}

/// What the page says in the languages of other folders, as JSON; what the author wrote stays.
fn translations(view: &PageView<'_>, folders: &BTreeMap<&str, &str>) -> String {
    let own = &view.config.not_found;
    let in_language = |language: &str| {
        let mut texts = json!({ "language": language });
        if own.title.is_none() {
            texts["title"] = word(language, Word::NotFound).into();
        }
        if own.description.is_none() {
            texts["description"] = word(language, Word::Missing).into();
        }
        texts
    };
    let all =
        folders.iter().map(|(folder, language)| ((*folder).to_owned(), in_language(language)));
    Value::Object(all.collect::<Map<_, _>>()).to_string()
}

/// The first pages of the navigation.
fn collect<'v>(entries: &'v [SidebarEntry], found: &mut Vec<&'v PageLink>) {
    for entry in entries {
        match entry {
            _ if found.len() == SUGGESTIONS => return,
            SidebarEntry::Page(link) => found.push(link),
            SidebarEntry::Group(group) => collect(&group.entries, found),
        }
    }
}
