//! The top of a page: banner, logo, search, links, color mode, switchers, tabs.

use maud::{Markup, html};

use super::{
    PageView, assistant,
    colors::text_on,
    inline,
    themes::{Frame, Landmarks, Place, Search, Tabs},
};
use crate::{
    content::{
        config::{Config, NavbarLink},
        navigation::{
            DivisionKind,
            view::{Switcher, Tab},
        },
        words::Word,
    },
    render::icons::{Drawing, brand_drawing},
};

/// Longest site name shown beside nothing else.
pub(super) fn banner(view: &PageView<'_>) -> Markup {
    let Some(banner) = &view.config.banner else { return html! {} };
    let color = banner.color.light.as_deref().filter(|color| crate::content::config::is_hex(color));
    html! {
        section.dw-banner id=[view.landmark("banner")] aria-label="Announcement" data-kind=(banner.kind) data-banner=(fingerprint(&banner.content)) style=[color.map(|color| format!("--banner:{color};color:{}", text_on(color)))] {
            p { (inline::markup(&banner.content, view)) }
            @if banner.dismissible { button type="button" data-banner-close aria-label="Dismiss" { (view.glyph("x")) } }
        }
    }
}

/// Identifies a banner, so that a dismissed one stays away until it changes.
fn fingerprint(text: &str) -> u32 {
    text.bytes()
        .fold(2_166_136_261, |hash: u32, byte| (hash ^ u32::from(byte)).wrapping_mul(16_777_619))
}

/// What is in the sidebar in a wide window is in the header on phones, so it is there twice.
pub(super) fn header(view: &PageView<'_>) -> Markup {
    let landmarks = Landmarks::of(view);
    let (search, in_sidebar) = (landmarks.search, landmarks.search == Search::Sidebar);
    html! {
        header.dw-site-header id=[view.landmark("navbar")] data-phone[is_bare(view, landmarks)] {
            div.dw-header-row {
                // On small screens the sidebar shows while this is open; see `layout.css`.
                details.dw-mobile-menu #mobile-nav { summary aria-label=(view.word(Word::Menu)) { (view.glyph("menu")) } }
                (logo(view, landmarks.has_logo_in_sidebar()))
                @if landmarks.switchers == Place::Header { (switchers(view, true)) }
                @if search == Search::Start { (search_button(view, search, false)) }
                @if landmarks.tabs == Tabs::Header { (tab_bar(view)) }
                @if search == Search::Center || in_sidebar { (search_button(view, search, in_sidebar)) }
                @if landmarks.links == Place::Header { (links(view)) }
                @if search == Search::End { (search_button(view, search, false)) }
                (mode_toggle(view, landmarks.mode == Place::Foot))
            }
            @if landmarks.tabs == Tabs::Row { (tab_bar(view)) }
        }
    }
}

/// Whether a wide window would show an empty header.
fn is_bare(view: &PageView<'_>, landmarks: Landmarks) -> bool {
    let navbar = &view.config.navbar;
    let has_links = !navbar.links.is_empty() || navbar.primary.is_some();
    let has_tabs = !view.navigation.tabs.is_empty();
    landmarks.frame == Frame::Side
        && (landmarks.links != Place::Header || !has_links)
        && (landmarks.tabs == Tabs::Sidebar || !has_tabs)
}

/// The buttons that open the search and the assistant. Those for phones have ids of their own.
pub(super) fn search_button(view: &PageView<'_>, place: Search, phone: bool) -> Markup {
    let id = if phone { "search-bar-entry-mobile" } else { "search-bar-entry" };
    html! {
        @if view.options.features.search.is_on() {
            button.dw-search-button id=(id) type="button" data-search-open data-place=(place.name()) data-phone[phone] {
                (view.glyph("search")) span { (search_prompt(view)) } kbd { "Ctrl K" }
            }
        }
        (assistant::button(view, place, phone))
    }
}

/// The links of the navigation bar, and its button.
pub(super) fn links(view: &PageView<'_>) -> Markup {
    let navbar = &view.config.navbar;
    html! {
        nav.topbar-right-container.dw-topbar-right-container aria-label="Site" {
            @for link in &navbar.links { (navbar_link(view, link)) }
            @if let Some(primary) = &navbar.primary { (primary_link(view, primary)) }
        }
    }
}

/// The button that changes the color mode, unless the author chose it.
pub(super) fn mode_toggle(view: &PageView<'_>, phone: bool) -> Markup {
    html! {
        @if !view.config.appearance.strict {
            button.dw-mode-toggle type="button" data-mode-toggle data-component-name="theme-toggle" data-phone[phone] aria-label=(view.word(Word::Scheme)) {
                span.dw-for-light { (view.glyph("moon")) } span.dw-for-dark { (view.glyph("sun")) }
            }
        }
    }
}

/// The tabs of a wide window.
pub(super) fn tab_bar(view: &PageView<'_>) -> Markup {
    html! {
        @if !view.navigation.tabs.is_empty() {
            nav.nav-tabs.dw-nav-tabs aria-label="Sections" { (tabs(view, "nav-tabs-item")) }
        }
    }
}

/// Height of the logo, in pixels.
const LOGO_HEIGHT: usize = 24;

/// What the field of the search says before anything is typed.
pub(super) fn search_prompt<'a>(view: &'a PageView<'_>) -> &'a str {
    view.config.search_prompt.as_deref().unwrap_or_else(|| view.word(Word::Search))
}

pub(super) fn logo(view: &PageView<'_>, phone: bool) -> Markup {
    let config = view.config;
    let own =
        config.logo.as_ref().and_then(|logo| logo.href.as_deref()).and_then(|href| view.href(href));
    let home = own.or_else(|| view.target(&view.home)).unwrap_or_else(|| "#".to_owned());
    let image = |path: Option<&str>, class| path.and_then(|path| logo_image(view, path, class));
    let pair = config.logo.as_ref().map(|logo| {
        (
            image(logo.image.light.as_deref(), "dw-for-light"),
            image(logo.image.dark.as_deref(), "dw-for-dark"),
        )
    });
    html! {
        a.nav-logo.dw-nav-logo href=(home) data-phone[phone] {
            @match pair {
                Some((Some(light), Some(dark))) => { (light) (dark) }
                _ => { span.dw-site-name { (config.name) } }
            }
        }
    }
}

/// With its shape, so that nothing beside it moves when it arrives. The stylesheet gives the height. Browsers load a lazy
/// image only if it is seen, so the one of the other color mode never is.
fn logo_image(view: &PageView<'_>, path: &str, class: &str) -> Option<Markup> {
    let src = view.asset(path)?;
    let size = (view.image_size)(path.trim_start_matches("./").trim_start_matches('/'));
    let width = size.map(|(width, height)| (width * LOGO_HEIGHT).div_ceil(height));
    Some(
        html! { img class=(class) src=(src) alt=(view.config.name) width=[width] height=(LOGO_HEIGHT) loading="lazy"; },
    )
}

/// The choices between languages, versions and products. They stand in the header where it has
/// room, and in the menu elsewhere; only the first have the documented id.
pub(super) fn switchers(view: &PageView<'_>, first: bool) -> Markup {
    html! { @for switcher in &view.navigation.switchers { (self::switcher(view, switcher, first)) } }
}

fn switcher(view: &PageView<'_>, switcher: &Switcher, first: bool) -> Markup {
    let current = switcher.options.iter().find(|option| option.current);
    let language = switcher.kind == DivisionKind::Language;
    let id = (language && first).then_some("localization-select-trigger");
    html! {
        details.dw-switcher data-dropdown {
            summary.nav-dropdown-trigger id=[id] aria-label={ (kind_label(switcher.kind)) ": " (current.map(|option| option.label.as_str()).unwrap_or_default()) } {
                @if language { (view.glyph("languages")) }
                @if let Some(current) = current { (view.icon(current.icon.as_ref())) span { (current.label) } }
                (view.glyph("chevrons-up-down"))
            }
            ul.nav-dropdown-content.dw-nav-dropdown-content {
                @for option in &switcher.options {
                    @if let Some(href) = view.target(&option.target) {
                        li { a.nav-dropdown-item.dw-nav-dropdown-item href=(href) data-active[option.current] hreflang=[option.code.as_deref()] lang=[option.code.as_deref()] {
                            (view.icon(option.icon.as_ref()))
                            span {
                                span.nav-dropdown-item-title { (option.label) }
                                @if let Some(description) = &option.description { span.nav-dropdown-item-description.dw-nav-dropdown-item-description { (description) } }
                            }
                            @if let Some(tag) = &option.tag { span.nav-tag-pill.dw-nav-tag-pill { (tag) } }
                        } }
                    }
                }
            }
        }
    }
}

const fn kind_label(kind: DivisionKind) -> &'static str {
    match kind {
        DivisionKind::Language => "Language",
        DivisionKind::Version => "Version",
        DivisionKind::Product => "Product",
        _ => "Section",
    }
}

/// The icons of the companies that the navigation bar links to.
pub(super) fn icons(config: &Config) -> impl Iterator<Item = Drawing> {
    config.navbar.links.iter().filter_map(|link| brand_drawing(brand(link)?))
}

/// The company that a link of the navigation bar leads to, by the Font Awesome name of its logo.
fn brand(link: &NavbarLink) -> Option<&'static str> {
    match link.kind.as_str() {
        "github" => Some("github"),
        "discord" => Some("discord"),
        _ => None,
    }
}

/// A link of the navigation bar.
pub(super) fn navbar_link(view: &PageView<'_>, link: &NavbarLink) -> Markup {
    let Some(href) = view.href(&link.href) else { return html! {} };
    let icon = match brand(link) {
        Some(brand) => view.brand(brand),
        None => view.icon(link.icon.as_ref()),
    };
    // A link that is only an icon has the name of the service, or of what it leads to.
    let name = match link.kind.as_str() {
        "github" => "GitHub",
        "discord" => "Discord",
        _ => link.href.as_str(),
    };
    let name = link.label.is_empty().then_some(name);
    html! { a.navbar-link.dw-navbar-link href=(href) aria-label=[name] { (icon) (link.label) } }
}

fn primary_link(view: &PageView<'_>, link: &NavbarLink) -> Markup {
    if link.kind != "button" {
        return navbar_link(view, link);
    }
    if let Some(href) = view.href(&link.href) {
        html! { a.dw-primary-button #topbar-cta-button href=(href) { (link.label) } }
    } else {
        html! {}
    }
}

pub(super) fn tabs(view: &PageView<'_>, class: &str) -> Markup {
    html! {
        @if !view.navigation.tabs.is_empty() {
            ul.dw-tab-row { @for tab in &view.navigation.tabs { (self::tab(view, tab, class)) } }
        }
    }
}

fn tab(view: &PageView<'_>, tab: &Tab, class: &str) -> Markup {
    let Some(href) = view.target(&tab.target) else { return html! {} };
    html! {
        li {
            a class={ (class) " dw-" (class) } href=(href) data-active[tab.current] aria-current=[tab.current.then_some("true")] { (view.icon(tab.icon.as_ref())) (tab.label) }
            @if tab.menu.len() > 1 {
                ul.dw-tab-menu {
                    @for item in &tab.menu {
                        @if let Some(href) = view.target(&item.target) {
                            li { a href=(href) data-active[item.current] {
                                (view.icon(item.icon.as_ref()))
                                span { (item.label) @if let Some(description) = &item.description { small { (description) } } }
                            } }
                        }
                    }
                }
            }
        }
    }
}
