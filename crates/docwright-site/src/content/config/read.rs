//! From JSON to the typed [`Config`].

use serde_json::Value;

use super::{
    Api, Appearance, Background, Banner, CodeTheme, Colors, Config, Feedback, Footer, FooterColumn,
    Logo, Navbar, NavbarLink, NotFound, Redirect, Seo, SpecSource, fields::Fields, fonts, known,
};
use crate::{
    Diagnostic,
    content::{document::Document, navigation::Overrides},
};

const THEMES: &[&str] = &[
    "mint", "maple", "palm", "willow", "linden", "almond", "aspen", "sequoia", "luma", "quill",
    "prism", "venus",
];
/// The default color of a site.
/// `colors.primary` of a site that names none.
pub const DEFAULT_PRIMARY: &str = "#0f766e";

impl Config {
    /// Reads a configuration; every error in it becomes a diagnostic.
    pub fn read(document: &Document<'_>, diagnostics: &mut Vec<Diagnostic>) -> Self {
        known::check(document, diagnostics);
        let mut top = Fields::new(&document.root, document, diagnostics);
        let mut config = Self {
            path: document.path.to_owned(),
            theme: top.choice("theme", THEMES),
            name: top.text("name").unwrap_or_else(|| "Documentation".to_owned()),
            description: top.text("description"),
            colors: colors(&mut top),
            logo: logo(&mut top),
            favicon: top.pair("favicon"),
            appearance: appearance(&mut top),
            fonts: fonts::read(&mut top),
            icon_library: icon_library(&mut top),
            background: background(&mut top),
            navbar: navbar(&mut top),
            footer: footer(&mut top),
            banner: banner(&mut top),
            redirects: top.objects("redirects", redirect),
            timestamp: top
                .object("metadata")
                .and_then(|mut each| each.flag("timestamp"))
                .unwrap_or(false),
            not_found: not_found(&mut top),
            search_prompt: top.object("search").and_then(|mut each| each.text("prompt")),
            seo: seo(&mut top),
            api: api(&mut top),
            feedback: feedback(&mut top),
            drilldown: top
                .object("interaction")
                .and_then(|mut each| each.flag("drilldown"))
                .unwrap_or(false),
            contextual_display: top.object("contextual").and_then(|mut each| {
                each.map.contains_key("display").then(|| each.choice("display", &["header", "toc"]))
            }),
            ..Self::default()
        };
        read_styling(&mut top, &mut config);
        read_plain(&top, &mut config);
        config
    }
}

fn feedback(top: &mut Fields<'_, '_>) -> Feedback {
    let mut fields = top.object("feedback");
    let mut flag = |key| fields.as_mut().and_then(|fields| fields.flag(key)).unwrap_or(false);
    Feedback { thumbs: flag("thumbsRating"), edit: flag("suggestEdit"), issue: flag("raiseIssue") }
}

fn colors(top: &mut Fields<'_, '_>) -> Colors {
    let mut fields = top.object("colors");
    let mut color =
        |key| fields.as_mut().and_then(|fields| fields.text(key)).filter(|color| is_hex(color));
    let primary = color("primary").unwrap_or_else(|| DEFAULT_PRIMARY.to_owned());
    Colors {
        light: color("light").unwrap_or_else(|| primary.clone()),
        dark: color("dark").unwrap_or_else(|| primary.clone()),
        primary,
    }
}

/// `#rgb`, `#rrggbb`, or with an alpha channel.
pub fn is_hex(color: &str) -> bool {
    color.strip_prefix('#').is_some_and(|digits| {
        matches!(digits.len(), 3 | 4 | 6 | 8) && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

fn logo(top: &mut Fields<'_, '_>) -> Option<Logo> {
    top.map.get("logo")?;
    let href = top
        .map
        .get("logo")
        .and_then(|logo| logo.get("href"))
        .and_then(Value::as_str)
        .map(str::to_owned);
    let image = top.pair("logo");
    image.light.is_some().then_some(Logo { image, href })
}

fn appearance(top: &mut Fields<'_, '_>) -> Appearance {
    let Some(mut fields) = top.object("appearance") else {
        return Appearance { default: "system".to_owned(), strict: false };
    };
    Appearance {
        default: fields.choice("default", &["system", "light", "dark"]),
        strict: fields.flag("strict").unwrap_or(false),
    }
}

fn icon_library(top: &mut Fields<'_, '_>) -> String {
    let libraries = ["fontawesome", "lucide", "tabler"];
    top.object("icons")
        .map_or_else(|| "fontawesome".to_owned(), |mut each| each.choice("library", &libraries))
}

fn background(top: &mut Fields<'_, '_>) -> Background {
    top.object("background").map_or_else(Background::default, |mut fields| Background {
        decoration: fields.text("decoration"),
        color: fields.each_mode("color"),
        image: fields.each_mode("image"),
    })
}

fn navbar(top: &mut Fields<'_, '_>) -> Navbar {
    top.object("navbar").map_or_else(Navbar::default, |mut fields| Navbar {
        links: fields.objects("links", navbar_link),
        primary: fields.object("primary").and_then(|mut each| navbar_link(&mut each)),
    })
}

fn navbar_link(fields: &mut Fields<'_, '_>) -> Option<NavbarLink> {
    let href = fields.text("href").or_else(|| fields.text("url"))?;
    let kind = fields.text("type").unwrap_or_else(|| "link".to_owned());
    let label = fields.text("label").unwrap_or_else(|| match kind.as_str() {
        "github" => "GitHub".to_owned(),
        "discord" => "Discord".to_owned(),
        _ => href.clone(),
    });
    Some(NavbarLink { kind, label, href, icon: fields.icon() })
}

fn footer(top: &mut Fields<'_, '_>) -> Footer {
    top.object("footer").map_or_else(Footer::default, |mut fields| Footer {
        socials: socials(fields.map.get("socials")),
        columns: fields.objects("links", |column| {
            let items =
                column.objects("items", |item| Some((item.text("label")?, item.text("href")?)));
            Some(FooterColumn { header: column.text("header"), items })
        }),
    })
}

fn socials(value: Option<&Value>) -> Vec<(String, String)> {
    let Some(Value::Object(map)) = value else { return Vec::new() };
    map.iter().filter_map(|(name, href)| Some((name.clone(), href.as_str()?.to_owned()))).collect()
}

fn banner(top: &mut Fields<'_, '_>) -> Option<Banner> {
    let mut fields = top.object("banner")?;
    Some(Banner {
        content: fields.text("content")?,
        dismissible: fields.flag("dismissible").unwrap_or(false),
        kind: fields.choice("type", &["info", "warning", "critical"]),
        color: fields.pair("color"),
    })
}

fn redirect(fields: &mut Fields<'_, '_>) -> Option<Redirect> {
    let slash = |path: String| {
        if path.contains("://") || path.starts_with('/') { path } else { format!("/{path}") }
    };
    Some(Redirect {
        source: slash(fields.text("source")?),
        destination: slash(fields.text("destination")?),
        permanent: fields.flag("permanent").unwrap_or(true),
    })
}

fn not_found(top: &mut Fields<'_, '_>) -> NotFound {
    let mut errors = top.object("errors");
    let Some(mut fields) = errors.as_mut().and_then(|errors| errors.object("404")) else {
        return NotFound::default();
    };
    NotFound {
        redirect: fields.flag("redirect").unwrap_or(false),
        title: fields.text("title"),
        description: fields.text("description"),
    }
}

fn seo(top: &mut Fields<'_, '_>) -> Seo {
    let Some(mut fields) = top.object("seo") else { return Seo::default() };
    let metatags = fields.map.get("metatags").and_then(Value::as_object);
    Seo {
        index_hidden: fields.choice("indexing", &["navigable", "all"]) == "all",
        metatags: metatags
            .into_iter()
            .flatten()
            .filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())))
            .collect(),
        trailing_slash: fields.flag("trailingSlash").unwrap_or(false),
        organization: fields
            .map
            .get("organization")
            .and_then(Value::as_object)
            .cloned()
            .unwrap_or_default(),
    }
}

fn api(top: &mut Fields<'_, '_>) -> Api {
    let mut api =
        Api { playground: "interactive".to_owned(), autogenerate: true, ..Api::default() };
    let Some(mut fields) = top.object("api") else { return api };
    api.openapi = spec_sources(fields.map.get("openapi"));
    api.asyncapi = spec_sources(fields.map.get("asyncapi"));
    api.full_url = fields.map.get("url").and_then(Value::as_str) == Some("full");
    if let Some(mut mdx) = fields.object("mdx") {
        api.servers = mdx.texts("server");
        if let Some(mut auth) = mdx.object("auth") {
            api.auth_method = auth.text("method");
            api.auth_name = auth.text("name");
        }
    }
    if let Some(mut playground) = fields.object("playground") {
        api.playground = playground.choice("display", &["interactive", "simple", "none", "auth"]);
        api.credentials = playground.flag("credentials").unwrap_or(false);
    }
    if let Some(mut params) = fields.object("params") {
        api.expanded = params.text("expanded").as_deref() == Some("all");
        api.pills = params.texts("post");
    }
    if let Some(mut examples) = fields.object("examples") {
        api.languages = examples.texts("languages");
        api.required_only = examples.text("defaults").as_deref() == Some("required");
        api.prefill = examples.flag("prefill").unwrap_or(false);
        api.autogenerate = examples.flag("autogenerate").unwrap_or(true);
    }
    api
}

/// A path, a list of them, or `{source, directory}`.
pub fn spec_sources(value: Option<&Value>) -> Vec<SpecSource> {
    match value {
        Some(Value::String(source)) => vec![SpecSource { source: source.clone(), directory: None }],
        Some(Value::Array(items)) => {
            items.iter().flat_map(|item| spec_sources(Some(item))).collect()
        }
        Some(Value::Object(map)) => {
            let directory = map
                .get("directory")
                .and_then(Value::as_str)
                .map(|path| path.trim_matches('/').to_owned());
            let sources = spec_sources(map.get("source"));
            sources
                .into_iter()
                .map(|spec| SpecSource { directory: directory.clone(), ..spec })
                .collect()
        }
        _ => Vec::new(),
    }
}

/// The parts of the page frame that a language overrides.
pub fn read_overrides(
    node: &serde_json::Map<String, Value>,
    document: &Document<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Overrides {
    let mut fields = Fields::new(node, document, diagnostics);
    Overrides {
        banner: banner(&mut fields),
        footer: node.contains_key("footer").then(|| footer(&mut fields)),
        navbar: node.contains_key("navbar").then(|| navbar(&mut fields)),
    }
}

fn read_styling(top: &mut Fields<'_, '_>, config: &mut Config) {
    "section".clone_into(&mut config.eyebrows);
    let Some(mut fields) = top.object("styling") else { return };
    config.eyebrows = fields.choice("eyebrows", &["section", "breadcrumbs"]);
    config.without_math = fields.flag("latex") == Some(false);
    config.codeblocks = code_theme(fields.map.get("codeblocks"));
}

fn code_theme(value: Option<&Value>) -> CodeTheme {
    match value {
        Some(Value::String(name)) => named_theme(name),
        Some(Value::Object(map)) => {
            let custom = map.get("languages").and_then(|languages| languages.get("custom"));
            let paths = custom.and_then(Value::as_array).into_iter().flatten();
            let theme = match map.get("theme") {
                Some(Value::String(name)) => named_theme(name),
                Some(Value::Object(pair)) => {
                    let name = |key: &str| pair.get(key).and_then(Value::as_str).map(str::to_owned);
                    CodeTheme { light: name("light"), dark: name("dark"), ..CodeTheme::default() }
                }
                _ => CodeTheme::default(),
            };
            CodeTheme {
                custom_languages: paths.filter_map(Value::as_str).map(str::to_owned).collect(),
                ..theme
            }
        }
        _ => CodeTheme::default(),
    }
}

fn named_theme(name: &str) -> CodeTheme {
    match name {
        "system" => CodeTheme::default(),
        "dark" => CodeTheme { always_dark: true, ..CodeTheme::default() },
        name => CodeTheme {
            light: Some(name.to_owned()),
            dark: Some(name.to_owned()),
            ..CodeTheme::default()
        },
    }
}

/// Parts that are used as they are.
fn read_plain(top: &Fields<'_, '_>, config: &mut Config) {
    if let Some(Value::Object(variables)) = top.map.get("variables") {
        let texts = variables
            .iter()
            .filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())));
        config.variables = texts.collect();
    }
    if let Some(Value::Object(integrations)) = top.map.get("integrations") {
        config.integrations.clone_from(integrations);
    }
    let options = top.map.get("contextual").and_then(|contextual| contextual.get("options"));
    if let Some(Value::Array(options)) = options {
        config.contextual.clone_from(options);
    }
    let schema = top.map.get("markdown").and_then(|markdown| markdown.get("schema"));
    config.markdown_schema = schema.and_then(Value::as_bool).unwrap_or(true);
    config.markdown_instructions =
        match top.map.get("markdown").and_then(|markdown| markdown.get("instructions")) {
            Some(Value::String(text)) => Some(text.clone()),
            Some(Value::Array(lines)) => {
                Some(lines.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n"))
            }
            _ => None,
        };
}
