//! The `href` of components with links.

use crate::render::{Element, PageRenderer};

/// The resolved address of `href`; `None` if it is missing or broken, or if the component is inside a link.
pub(super) fn href(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Option<String> {
    let written = element.text("href").filter(|href| !href.trim().is_empty())?;
    page.link(written.trim(), element.line, element.column).filter(|_| !page.in_link)
}

/// Whether an address leads to another site.
pub(super) fn is_external(href: &str) -> bool {
    let href = href.trim_start();
    href.starts_with("//") || href.starts_with("https:") || href.starts_with("http:")
}
