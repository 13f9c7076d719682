//! `<head>`: title, meta tags, styles, scripts.

use maud::{Markup, PreEscaped, html};
use serde_json::json;

use super::{
    PageView, SCRIPT, STYLES, analytics, assistant, header::search_prompt, inline, integrations,
    playground, structured_data,
};
use crate::{
    content::{languages, navigation::DivisionKind, words::Word},
    render::without_tags,
    search,
};

/// Sets the color mode before anything is drawn, so that nothing flashes.
const MODE_SCRIPT: &str = "(function(d){d.classList.add('js');var m;try{m=localStorage.getItem('docwright-mode')}catch(e){}\
    m=d.dataset.strict||m||d.dataset.mode;if(m==='dark'||m!=='light'&&matchMedia('(prefers-color-scheme:dark)').matches)d.classList.add('dark');\
    else d.classList.add('light')})(document.documentElement)";

/// Preloads the fonts in place of `FONTS`.
const FONT_SCRIPT: &str = "(function(d){if(location.protocol!=='file:')FONTS.forEach(function(f){var l=d.createElement('link');\
    l.rel='preload';l.as='font';l.href=f[0];l.type=f[1];l.crossOrigin='';d.head.append(l)})})(document)";
/// Chooses the tabs that the reader chose on other pages, likewise.
const TAB_SCRIPT: &str = include_str!("scripts/tab_choice.js");

pub(super) fn head(view: &PageView<'_>) -> Markup {
    let (config, frontmatter) = (view.config, &view.page.frontmatter);
    let title = meta(view, "og:title").unwrap_or_else(|| frontmatter.title.clone());
    let description = frontmatter
        .description
        .as_deref()
        .map(inline::plain)
        .or_else(|| excerpt(&view.rendered.html))
        .or_else(|| config.description.clone());
    let canonical = canonical(view);
    html! {
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1";
            title { (frontmatter.title) " - " (config.name) }
            @if let Some(description) = &description { meta name="description" content=(description); }
            meta name="generator" content="docwright";
            meta name="application-name" content=(config.name);
            @if !frontmatter.keywords.is_empty() { meta name="keywords" content=(frontmatter.keywords.join(", ")); }
            @if let Some(robots) = robots(view) { meta name="robots" content=(robots); }
            @if let Some(canonical) = &canonical { link rel="canonical" href=(canonical); }
            meta property="og:type" content="website";
            meta property="og:site_name" content=(config.name);
            meta property="og:title" content=(title);
            @if let Some(description) = &description { meta property="og:description" content=(description); }
            @if let Some(canonical) = &canonical { meta property="og:url" content=(canonical); }
            meta name="twitter:card" content=(if meta(view, "og:image").is_some() { "summary_large_image" } else { "summary" });
            (given_tags(view))
            (alternates(view))
            (favicon(view))
            link rel="alternate" type="text/markdown" href=(view.address(&format!("{}.md", view.page.slug)));
            @if let Some(feed) = feed(view) {
                link rel="alternate" type="application/rss+xml" title=(frontmatter.title) href=(feed);
            }
            (structured_data::structured_data(view))
            (mode_script(view))
            (assistant::announcement(view))
            (fonts(view))
            @if has_tabs(view) { script { (PreEscaped(TAB_SCRIPT)) } }
            @for style in STYLES { link rel="stylesheet" href=(view.address(style)); }
            @for style in view.custom_styles { link rel="stylesheet" href=(view.address(style)); }
            script defer src=(view.address(SCRIPT)) {}
            @if view.options.features.search.is_on() { (search_script(view, search::OPENER)) }
            (assistant::opener(view))
            (integrations::integrations(view))
            (playground::script(view))
            (analytics::loader(view))
            @for (script, _) in &view.rendered.scripts { script defer src=(view.address(script)) {} }
            @for script in view.custom_scripts { script defer src=(view.address(script)) {} }
        }
    }
}

/// Loads the fonts that the page shows first while the style sheet loads. Browsers refuse to do so for pages that are
/// opened from files, and complain, so it isn't in the HTML. The style sheet loads fonts in any case.
fn fonts(view: &PageView<'_>) -> Markup {
    let has_code = view.rendered.html.contains("<code");
    let fonts = view.fonts.preloads(&view.page.language, has_code);
    let fonts = fonts.iter().map(|font| (view.address(&font.path), &font.content_type));
    let fonts: Vec<_> = fonts.collect();
    let fonts = json!(fonts).to_string().replace('<', "\\u003c");
    html! { script { (PreEscaped(FONT_SCRIPT.replace("FONTS", &fonts))) } }
}

/// Whether the page has tabs that follow the reader's choice.
fn has_tabs(view: &PageView<'_>) -> bool {
    let rendered = view.rendered;
    let parts = [Some(&rendered.html), rendered.examples.as_ref(), rendered.panel.as_ref()];
    parts.into_iter().flatten().any(|html| html.contains(" data-sync"))
}

/// Chooses the color mode; see [`MODE_SCRIPT`].
pub(super) fn mode_script(view: &PageView<'_>) -> Markup {
    let mode = &view.config.appearance;
    let script = MODE_SCRIPT
        .replace("d.dataset.strict", if mode.strict { "d.dataset.mode" } else { "''" })
        .replace("d.dataset.mode", &format!("'{}'", mode.default));
    html! { script { (PreEscaped(script)) } }
}

/// The address of the page's feed. Feeds have absolute addresses, so there is none on a site without
/// a public one.
pub(super) fn feed(view: &PageView<'_>) -> Option<String> {
    public_address(view, &view.page.slug).filter(|_| !view.rendered.updates.is_empty())?;
    Some(view.address(&format!("{}/rss.xml", view.page.slug)))
}

/// The start of a page's first paragraph of text, as plain text.
fn excerpt(html: &str) -> Option<String> {
    let (_, rest) = html.split_once("<p>")?;
    let (paragraph, _) = rest.split_once("</p>")?;
    let mut text = without_tags(paragraph);
    // Maud writes these; the attribute gets them anew.
    for (entity, letter) in [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&amp;", "&")] {
        text = text.replace(entity, letter);
    }
    let text: String =
        text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(160).collect();
    (text.chars().count() > 20).then_some(text)
}

/// A script of the search dialog, with the words of the dialog and where its index is.
pub(super) fn search_script(view: &PageView<'_>, script: &str) -> Markup {
    let root = view.address("x").trim_end_matches('x').to_owned();
    html! {
        script defer src=(view.address(script)) data-root=(root) data-language=(view.page.language)
            data-prompt=(search_prompt(view))
            data-nothing=(view.word(Word::Nothing)) data-close=(view.word(Word::Close))
            data-version=[version(view)] {}
    }
}

/// The version and product that the page is in, as the search index names them.
pub(super) fn version(view: &PageView<'_>) -> Option<String> {
    let switchers = view.navigation.switchers.iter();
    let versions =
        switchers.filter(|each| matches!(each.kind, DivisionKind::Version | DivisionKind::Product));
    let labels = versions.filter_map(|each| each.options.iter().find(|option| option.current));
    let labels: Vec<_> = labels.map(|option| option.label.as_str()).collect();
    (!labels.is_empty()).then(|| labels.join(", "))
}

/// A meta tag of the page, or of the site.
fn meta(view: &PageView<'_>, name: &str) -> Option<String> {
    let own = view.page.frontmatter.meta.get(name);
    own.or_else(|| view.config.seo.metatags.get(name)).cloned()
}

/// Tags that the author gives, less those that are made anyway.
fn given_tags(view: &PageView<'_>) -> Markup {
    let site = view
        .config
        .seo
        .metatags
        .iter()
        .filter(|(name, _)| !view.page.frontmatter.meta.contains_key(*name));
    let made = [
        "canonical",
        "robots",
        "description",
        "og:title",
        "og:type",
        "og:site_name",
        "og:description",
        "og:url",
        "title",
        "keywords",
        "charset",
        "viewport",
    ];
    html! {
        @for (name, content) in view.page.frontmatter.meta.iter().chain(site).filter(|(name, _)| !made.contains(&name.as_str())) {
            @if name.starts_with("og:") || name.starts_with("article:") { meta property=(name) content=(content); }
            @else { meta name=(name) content=(content); }
        }
    }
}

fn robots(view: &PageView<'_>) -> Option<String> {
    if !view.page.visibility.engines {
        return Some("noindex".to_owned());
    }
    view.page.frontmatter.robots.clone().or_else(|| view.config.seo.metatags.get("robots").cloned())
}

fn canonical(view: &PageView<'_>) -> Option<String> {
    if let Some(own) = &view.page.frontmatter.canonical {
        return Some(own.clone());
    }
    public_address(view, &view.page.slug)
}

/// The public address of a page: without extension.
pub(super) fn public_address(view: &PageView<'_>, slug: &str) -> Option<String> {
    let base = view.config.public_address(view.options)?;
    let path = if slug == "index" { String::new() } else { format!("/{slug}") };
    let slash = if view.config.seo.trailing_slash { "/" } else { "" };
    Some(format!("{base}{path}{slash}"))
}

fn alternates(view: &PageView<'_>) -> Markup {
    html! {
        @for (language, slug) in view.alternates {
            @if let Some(href) = public_address(view, slug) { link rel="alternate" hreflang=(languages::code(language)) href=(href); }
        }
    }
}

/// The icon of the site, for each color mode.
pub(super) fn favicon(view: &PageView<'_>) -> Markup {
    let favicon = &view.config.favicon;
    let (light, dark) = (&favicon.light, &favicon.dark);
    let address = |path: &Option<String>| path.as_deref().and_then(|path| view.asset(path));
    html! {
        @if light == dark {
            @match address(light) {
                Some(href) => { link rel="icon" href=(href); }
                None => { link rel="icon" href="data:,"; }
            }
        } @else {
            @if let Some(href) = address(light) { link rel="icon" href=(href) media="(prefers-color-scheme: light)"; }
            @if let Some(href) = address(dark) { link rel="icon" href=(href) media="(prefers-color-scheme: dark)"; }
        }
    }
}
