//! The page around a body: header, sidebar, contents list, footer; and the styles and scripts.
//!
//! One file per page landmark, one typed [`PageView`], design tokens in one stylesheet. Scripts
//! are classic scripts, since browsers refuse modules on `file://`, and pages read and navigate
//! without them.

use crate::{
    content::{Page, config::Config, navigation::view::NavigationView},
    options::Options,
    render::Rendered,
};

/// Everything a page template may use.
#[derive(Debug)]
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
    /// The same page in other languages: `hreflang` value and slug.
    pub alternates: &'a [(String, String)],
    /// Style sheets and scripts of the repository, as paths below the site root.
    pub custom_styles: &'a [String],
    /// See `custom_styles`.
    pub custom_scripts: &'a [String],
    /// ISO 8601 date of the last change, if the page shows one.
    pub last_modified: Option<&'a str>,
}
