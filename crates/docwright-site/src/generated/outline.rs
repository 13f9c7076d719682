//! `_docwright/outline.json`: the pages of a site in the order of its navigation, each with its file.

use std::io;

use serde::{Deserialize, Serialize};

use super::PageSummary;
use crate::output::Output;

/// Path of the file: an array of pages.
pub const OUTLINE: &str = "_docwright/outline.json";

/// A page of a site, without its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OutlinePage {
    /// Its path below the site root, without an ending.
    pub path: String,
    /// Its title.
    pub title: String,
    /// Names of the divisions that it is listed in, outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sections: Vec<String>,
    /// Its file below the docs root; `None` for a page of an API spec.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Whether the navigation lists it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub listed: bool,
    /// ISO 8601 date of its last change, on sites that show it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_modified: Option<String>,
}

pub(super) fn write(pages: &[PageSummary], output: &dyn Output) -> io::Result<()> {
    let outlined = |page: &PageSummary| OutlinePage {
        path: page.slug.clone(),
        title: page.title.clone(),
        sections: page.sections.clone(),
        file: page.file.clone(),
        listed: page.listed,
        last_modified: page.last_modified.clone(),
    };
    let pages: Vec<_> = pages.iter().map(outlined).collect();
    output.write(OUTLINE, &serde_json::to_vec(&pages)?)
}
