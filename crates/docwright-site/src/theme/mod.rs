//! The page around a body: header, sidebar, contents list, footer; and the styles and scripts.
//!
//! One file per page landmark, one typed [`PageView`], design tokens in one stylesheet. Scripts
//! are classic scripts, since browsers refuse modules on `file://`, and pages read and navigate
//! without them.

mod agents;
mod analytics;
mod api;
mod article;
mod assets;
mod assistant;
mod background;
mod colors;
mod consent;
mod contents;
mod contribute;
mod fonts;
mod footer;
mod frame_icons;
mod head;
mod header;
mod inline;
mod integrations;
mod long_sidebar;
mod not_found;
mod page_menu;
mod playground;
mod redirect;
mod sidebar;
mod structured_data;
mod themes;
mod widget;

use maud::{DOCTYPE, Markup, html};

pub use assets::{SCRIPT, STYLES, TOKENS, assets, utilities};
pub use assistant::assistant_files;
pub use colors::unreadable_colors;
pub(crate) use contribute::asks_for_feedback;
pub use fonts::{FontFile, SiteFonts, fallback_faces};
pub use frame_icons::FrameIcons;
pub use long_sidebar::{LongSidebar, long_sidebar};
pub use not_found::not_found;
pub use playground::{PLAYGROUND_FILES, has_playground};
pub use redirect::redirect;

use crate::{
    content::{
        Page,
        config::{Config, Icon},
        languages,
        links::{output_path, relative},
        navigation::view::{NavigationView, Target},
        words::{self, Word},
    },
    options::Options,
    render::{
        Rendered,
        icons::{self, Drawing},
    },
};

/// Everything a page template can use.
#[expect(missing_debug_implementations, reason = "it holds a function")]
pub struct PageView<'a> {
    /// The site's configuration, a language's overrides applied.
    pub config: &'a Config,
    /// What the caller of the build decided.
    pub options: &'a Options,
    /// The page.
    pub page: &'a Page,
    /// Its body.
    pub rendered: &'a Rendered,
    /// The navigation as this page shows it.
    pub navigation: &'a NavigationView,
    /// The sidebar, if pages list only a part of it.
    pub long_sidebar: Option<&'a LongSidebar>,
    /// The same page in other languages: `hreflang` value and slug.
    pub alternates: &'a [(String, String)],
    /// Style sheets and scripts of the repository, as paths below the site root.
    pub custom_styles: &'a [String],
    /// See `custom_styles`.
    pub custom_scripts: &'a [String],
    /// ISO 8601 date of the last change, if the page shows one.
    pub last_modified: Option<&'a str>,
    /// Fonts of the site.
    pub fonts: &'a SiteFonts,
    /// Icons around the body.
    pub icons: &'a FrameIcons,
    /// What the logo leads to.
    pub home: Target,
    /// Hosts serve the page at any address: its links begin at the root of the host.
    pub anywhere: bool,
    /// Whether a file exists below the site root.
    pub has_file: &'a (dyn Fn(&str) -> bool + Sync),
    /// Width and height of an image of the repository, in pixels.
    pub image_size: &'a (dyn Fn(&str) -> Option<(usize, usize)> + Sync),
}

/// The whole HTML document of a page.
pub fn page(view: &PageView<'_>) -> String {
    let frontmatter = &view.page.frontmatter;
    let mode = frontmatter.mode.as_str();
    let direction = languages::is_right_to_left(&view.page.language).then_some("rtl");
    html! {
        (DOCTYPE)
        html lang=(view.page.language) dir=[direction] data-current-path={ "/" (view.page.slug) } data-page-mode=(mode) data-theme=(view.config.theme) {
            (head::head(view))
            body data-mode=(mode) data-frame=(themes::Landmarks::of(view).frame.name()) {
                (background::background(view))
                (skip_links(view))
                (consent::banner(view))
                (agents::directive(view, Some(&format!("{}.md", view.page.slug))))
                (header::banner(view))
                (header::header(view))
                // What was asked for comes first, for programs and screen readers; the styles put the
                // list of pages beside it.
                div.dw-layout #body-content {
                    (article::article(view))
                    (sidebar::sidebar(view))
                }
                @if !view.is_bare() { (footer::footer(view)) }
            }
        }
    }
    .into_string()
}

/// The first stops of the keyboard. The list of pages comes after the text, so it has a link too.
fn skip_links(view: &PageView<'_>) -> Markup {
    let has_sidebar = themes::shows_sidebar(&view.config.theme, &view.page.frontmatter.mode);
    html! {
        a.dw-skip-link href="#content-area" { (view.word(Word::Skip)) }
        @if has_sidebar {
            a.dw-skip-link.dw-skip-to-menu href="#sidebar-content" { (view.word(Word::Menu)) }
        }
    }
}

impl PageView<'_> {
    /// Whether the author's body is all there is between the bar and, in `frame` mode, the sidebar:
    /// no typography, no title, no footer.
    fn is_bare(&self) -> bool {
        matches!(self.page.frontmatter.mode.as_str(), "custom" | "frame")
    }

    /// The documented id of a landmark, unless something of the page itself has it: its heading
    /// "Pagination" must be found by `#pagination`.
    fn landmark(&self, id: &'static str) -> Option<&'static str> {
        (!self.rendered.ids.iter().any(|own| own == id)).then_some(id)
    }

    /// A word in the language of the page.
    fn word(&self, name: Word) -> &'static str {
        words::word(&self.page.language, name)
    }

    /// The address of a file of the site, as seen from this page.
    fn address(&self, path: &str) -> String {
        if self.anywhere {
            return format!("{}/{}", self.options.base_path(), relative("", path));
        }
        relative(&output_path(&self.page.slug), path)
    }

    /// The address of a navigation target; nothing for a path where no file is.
    fn target(&self, target: &Target) -> Option<String> {
        match target {
            Target::Page(slug) => Some(self.address(&output_path(slug))),
            Target::External(href) => Some(href.clone()),
            Target::Path(path) => {
                let end = path.find(['?', '#']).unwrap_or(path.len());
                let file = path[..end].trim_matches('/');
                (self.has_file)(file).then(|| self.address(file) + &path[end..])
            }
        }
    }

    /// The address of an `href` of the configuration.
    fn href(&self, href: &str) -> Option<String> {
        if !href.starts_with('/') || href.starts_with("//") {
            return Some(href.to_owned());
        }
        let end = href.find(['?', '#']).unwrap_or(href.len());
        let path = href[..end].trim_matches('/');
        let page = if path.is_empty() { "index.html".to_owned() } else { output_path(path) };
        [page, path.to_owned()]
            .into_iter()
            .find(|path| (self.has_file)(path))
            .map(|path| self.address(&path) + &href[end..])
    }

    /// The address of an image of the configuration.
    fn asset(&self, path: &str) -> Option<String> {
        if path.contains("://") || path.starts_with("data:") {
            return Some(path.to_owned());
        }
        let path = path.trim_start_matches("./").trim_start_matches('/');
        (self.has_file)(path).then(|| self.address(path))
    }

    /// An icon of the theme, by its Lucide name.
    fn glyph(&self, name: &str) -> Markup {
        self.drawing(icons::glyph_drawing(name))
    }

    /// A company logo, by its Font Awesome name.
    fn brand(&self, name: &str) -> Markup {
        self.drawing(icons::brand_drawing(name))
    }

    /// An icon of a library; nothing if the library lacks it.
    fn drawing(&self, icon: Option<Drawing>) -> Markup {
        icon.map(|icon| self.icons.markup(&icon)).unwrap_or_default()
    }

    fn icon(&self, icon: Option<&Icon>) -> maud::Markup {
        let Some(icon) = icon else { return html! {} };
        if icon.name.starts_with("<svg") {
            let svg = maud::PreEscaped(crate::render::svg::sanitize(&icon.name));
            return html! { i.icon.dw-icon { (svg) } };
        }
        if let Some(found) = self.icons.find(icon) {
            return found;
        }
        if let Some(src) = self.asset(&icon.name).filter(|_| icon.name.contains(['/', '.'])) {
            html! { img.icon.dw-icon src=(src) alt=""; }
        } else {
            html! {}
        }
    }
}
