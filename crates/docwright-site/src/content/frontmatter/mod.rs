//! The YAML block at the head of a page.

pub mod keys;
mod read;

use std::collections::BTreeMap;

pub use read::{Split, read, split, typed};

use super::config::Icon;

/// Frontmatter of a page, typed. Keys that are not in [`keys::KEYS`] are left out.
#[derive(Debug, Clone, Default, PartialEq)]
#[allow(missing_docs, reason = "keys are documented by the authoring format")]
#[expect(clippy::struct_excessive_bools, reason = "each is a key of the format")]
pub struct Frontmatter {
    /// Never empty: a missing title is derived from the last part of the path.
    pub title: String,
    /// The author wrote the title.
    pub has_title: bool,
    pub sidebar_title: Option<String>,
    pub description: Option<String>,
    pub icon: Option<Icon>,
    pub tag: Option<String>,
    /// `default wide custom frame center assistant`.
    pub mode: String,
    pub hidden: Option<bool>,
    pub noindex: bool,
    pub searchable: Option<bool>,
    pub boost: Option<f64>,
    pub keywords: Vec<String>,
    pub deprecated: bool,
    /// The target of the sidebar entry, instead of the page.
    pub url: Option<String>,
    /// Value of `openapi`, as written.
    pub openapi: Option<String>,
    /// Value of `openapi-schema`, as written.
    pub openapi_schema: Option<String>,
    /// Value of `asyncapi`, as written.
    pub asyncapi: Option<String>,
    /// Value of `api` (`METHOD /path`), as written.
    pub api: Option<String>,
    pub hide_api_marker: bool,
    pub hide_footer_pagination: bool,
    pub timestamp: Option<bool>,
    pub last_updated: Option<String>,
    pub rss: bool,
    pub canonical: Option<String>,
    pub robots: Option<String>,
    /// `og:*`, `twitter:*` and other meta tags.
    pub meta: BTreeMap<String, String>,
    /// Value of `contextual`, as written.
    pub contextual: Option<serde_json::Value>,
    /// Value of `related`, as written.
    pub related: Option<serde_json::Value>,
    /// `interactive`, `simple`, `none` or `auth`.
    pub playground: Option<String>,
    /// `bearer`, `basic`, `key` or `none`.
    pub auth_method: Option<String>,
}
