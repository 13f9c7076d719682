//! What a response shows of a site, for those who count readers. It is an extension of the response.

use axum::{http::StatusCode, response::Response};

use super::open_site::OpenSite;

/// What a response shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shown {
    /// A page, also if the reader has it already.
    Page {
        /// Its path, without a leading slash or an extension.
        page: Box<str>,
        /// Whether it is its Markdown version, which agents read.
        is_markdown: bool,
    },
    /// That there is no page.
    Missing,
}

impl Shown {
    /// Marks the response with a file of a site, if the file is a page.
    pub(super) fn mark(site: &OpenSite, file: usize, response: &mut Response) {
        let is_shown = matches!(response.status(), StatusCode::OK | StatusCode::NOT_MODIFIED);
        if !site.about().analytics || !is_shown {
            return;
        }
        let path = &*site.file(file).path;
        let html = path.strip_suffix(".html").filter(|page| has(site, page, "md"));
        let markdown = || path.strip_suffix(".md").filter(|page| has(site, page, "html"));
        if let Some(page) = html.or_else(markdown) {
            response.extensions_mut().insert(Self::page(page, html.is_none()));
        }
    }

    /// Marks the response of a site without a page at the address.
    pub(super) fn mark_missing(site: &OpenSite, response: &mut Response) {
        if site.about().analytics {
            response.extensions_mut().insert(Self::Missing);
        }
    }

    /// A page.
    pub(crate) fn page(page: &str, is_markdown: bool) -> Self {
        Self::Page { page: page.into(), is_markdown }
    }
}

/// Pages have both versions. Other files of authors have one ending.
fn has(site: &OpenSite, page: &str, ending: &str) -> bool {
    site.find(&format!("{page}.{ending}")).is_some()
}
