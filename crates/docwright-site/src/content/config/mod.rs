//! `docs.json`, typed. Unknown keys warn; a wrong value warns and falls back to its default.

mod fields;
mod fonts;
pub mod keys;
mod known;
mod read;

use std::collections::BTreeMap;

pub use fields::{color_pair, icon};
pub use fonts::{Font, Fonts, is_style_sheet, remote_fonts};
pub use read::{DEFAULT_PRIMARY, is_hex, read_overrides, spec_sources};
use url::Url;

use crate::Options;

/// A color, image or the like for each mode.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pair {
    /// In light mode.
    pub light: Option<String>,
    /// In dark mode.
    pub dark: Option<String>,
}

/// An icon as authors name it: a name of the site's library, a path or URL, or inline SVG.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Icon {
    /// Name, path, URL, or `<svg …>` markup.
    pub name: String,
    /// Font Awesome style: `regular solid light thin sharp-solid duotone brands`.
    pub style: Option<String>,
}

/// The configuration of a site. Field names follow the keys of `docs.json`.
#[derive(Debug, Clone, Default)]
#[allow(missing_docs, reason = "keys are documented by the authoring format")]
#[expect(clippy::struct_excessive_bools, reason = "each is a key of the format")]
pub struct Config {
    /// Which file this came from (`docs.json` or `mint.json`).
    pub path: String,
    pub theme: String,
    pub name: String,
    pub description: Option<String>,
    pub colors: Colors,
    pub logo: Option<Logo>,
    pub favicon: Pair,
    pub appearance: Appearance,
    pub fonts: Fonts,
    /// `fontawesome`, `lucide` or `tabler`.
    pub icon_library: String,
    pub background: Background,
    /// `section` or `breadcrumbs`.
    pub eyebrows: String,
    pub codeblocks: CodeTheme,
    pub navbar: Navbar,
    pub footer: Footer,
    pub banner: Option<Banner>,
    pub redirects: Vec<Redirect>,
    pub variables: BTreeMap<String, String>,
    pub timestamp: bool,
    pub not_found: NotFound,
    pub search_prompt: Option<String>,
    pub seo: Seo,
    pub markdown_instructions: Option<String>,
    pub feedback: Feedback,
    /// `markdown.schema`: the Markdown version of an API page contains the description.
    pub markdown_schema: bool,
    pub contextual: Vec<serde_json::Value>,
    /// `contextual.display`: `header` or `toc`; `None` leaves it to the theme.
    pub contextual_display: Option<String>,
    /// `interaction.drilldown`: the name of a group opens its first page.
    pub drilldown: bool,
    /// `styling.latex: false`: a `$` is text.
    pub without_math: bool,
    pub api: Api,
    /// `integrations`, as written.
    pub integrations: serde_json::Map<String, serde_json::Value>,
}

impl Config {
    /// The address that the configuration names for search engines, if it does.
    pub fn canonical(&self) -> Option<&str> {
        self.seo.metatags.get("canonical").map(String::as_str)
    }

    /// The public address of the site, without a slash at its end.
    pub fn public_address(&self, options: &Options) -> Option<String> {
        let given = options.site_url.as_ref().map(Url::as_str);
        let base = match self.canonical() {
            Some(own) if !options.site_url_wins => Some(own),
            own => given.or(own),
        };
        base.map(|base| base.trim_end_matches('/').to_owned())
    }
}

/// `colors`, as `#rrggbb`.
#[derive(Debug, Clone, Default)]
#[allow(missing_docs, reason = "keys are documented by the authoring format")]
pub struct Colors {
    pub primary: String,
    pub light: String,
    pub dark: String,
}

/// `logo`.
#[derive(Debug, Clone, Default)]
#[allow(missing_docs, reason = "keys are documented by the authoring format")]
pub struct Logo {
    pub image: Pair,
    pub href: Option<String>,
}

/// `appearance`.
#[derive(Debug, Clone, Default)]
#[allow(missing_docs, reason = "keys are documented by the authoring format")]
pub struct Appearance {
    /// `system`, `light` or `dark`.
    pub default: String,
    pub strict: bool,
}

/// `background`.
#[derive(Debug, Clone, Default)]
#[allow(missing_docs, reason = "keys are documented by the authoring format")]
pub struct Background {
    pub decoration: Option<String>,
    pub color: Pair,
    pub image: Pair,
}

/// `styling.codeblocks`: names of Shiki themes; `None` is docwright's own.
#[derive(Debug, Clone, Default)]
#[allow(missing_docs, reason = "keys are documented by the authoring format")]
pub struct CodeTheme {
    pub light: Option<String>,
    pub dark: Option<String>,
    /// Code is dark in light mode as well (`"dark"`).
    pub always_dark: bool,
    /// Paths of TextMate grammars.
    pub custom_languages: Vec<String>,
}

/// `navbar`.
#[derive(Debug, Clone, Default)]
#[allow(missing_docs, reason = "keys are documented by the authoring format")]
pub struct Navbar {
    pub links: Vec<NavbarLink>,
    pub primary: Option<NavbarLink>,
}

/// A link of the header. `kind` is `link`, `button`, `github` or `discord`.
#[derive(Debug, Clone, Default)]
#[allow(missing_docs, reason = "keys are documented by the authoring format")]
pub struct NavbarLink {
    pub kind: String,
    pub label: String,
    pub href: String,
    pub icon: Option<Icon>,
}

/// `footer`.
#[derive(Debug, Clone, Default)]
#[allow(missing_docs, reason = "keys are documented by the authoring format")]
pub struct Footer {
    /// Network name → address, in the order written.
    pub socials: Vec<(String, String)>,
    pub columns: Vec<FooterColumn>,
}

/// A column of footer links.
#[derive(Debug, Clone, Default)]
#[allow(missing_docs, reason = "keys are documented by the authoring format")]
pub struct FooterColumn {
    pub header: Option<String>,
    /// Label and address.
    pub items: Vec<(String, String)>,
}

/// `banner`.
#[derive(Debug, Clone, Default)]
#[allow(missing_docs, reason = "keys are documented by the authoring format")]
pub struct Banner {
    pub content: String,
    pub dismissible: bool,
    /// `info`, `warning` or `critical`.
    pub kind: String,
    pub color: Pair,
}

/// A redirect, as written except for a leading slash.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[allow(missing_docs, reason = "keys are documented by the authoring format")]
pub struct Redirect {
    pub source: String,
    pub destination: String,
    pub permanent: bool,
}

/// `feedback`: kinds of feedback that readers can give on a page.
#[derive(Debug, Clone, Copy, Default)]
pub struct Feedback {
    /// `thumbsRating`: whether it helped.
    pub thumbs: bool,
    /// `suggestEdit`: an edit at the repository's host.
    pub edit: bool,
    /// `raiseIssue`: an issue there.
    pub issue: bool,
}

/// `errors.404`.
#[derive(Debug, Clone, Default)]
#[allow(missing_docs, reason = "keys are documented by the authoring format")]
pub struct NotFound {
    /// Redirects to the homepage immediately, only if the author says so: readers should learn that a page is
    /// missing.
    pub redirect: bool,
    pub title: Option<String>,
    pub description: Option<String>,
}

/// `seo`.
#[derive(Debug, Clone, Default)]
#[allow(missing_docs, reason = "keys are documented by the authoring format")]
pub struct Seo {
    /// `indexing: all`.
    pub index_hidden: bool,
    pub metatags: BTreeMap<String, String>,
    pub trailing_slash: bool,
    /// `organization`, as written.
    pub organization: serde_json::Map<String, serde_json::Value>,
}

/// `api`, so far as this crate uses it.
#[derive(Debug, Clone, Default)]
#[allow(missing_docs, reason = "keys are documented by the authoring format")]
#[expect(clippy::struct_excessive_bools, reason = "each is a key of the format")]
pub struct Api {
    pub openapi: Vec<SpecSource>,
    pub asyncapi: Vec<SpecSource>,
    /// `api.mdx.server`.
    pub servers: Vec<String>,
    /// `api.mdx.auth.method`: `bearer`, `basic`, `key` or `cobo`.
    pub auth_method: Option<String>,
    /// `api.mdx.auth.name`: the header of a key.
    pub auth_name: Option<String>,
    /// `api.playground.display`: `interactive`, `simple`, `none` or `auth`.
    pub playground: String,
    /// `api.playground.credentials`: requests carry the reader's cookies.
    pub credentials: bool,
    /// `api.params.expanded: all`.
    pub expanded: bool,
    /// `api.params.post`.
    pub pills: Vec<String>,
    /// `api.url: full`.
    pub full_url: bool,
    /// `api.examples.languages`.
    pub languages: Vec<String>,
    /// `api.examples.defaults: required`.
    pub required_only: bool,
    /// `api.examples.prefill`.
    pub prefill: bool,
    /// `api.examples.autogenerate`.
    pub autogenerate: bool,
}

/// Where an API spec is, and where its pages go.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SpecSource {
    /// Path below the docs root, or URL.
    pub source: String,
    /// Folder of the generated pages.
    pub directory: Option<String>,
}
