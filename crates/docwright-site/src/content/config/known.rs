//! Names of the keys of `docs.json`, to recognise typing errors.

use serde_json::{Map, Value};

use crate::{
    Diagnostic, Rule,
    content::{closest::closest, document::Document},
};

/// Keys by the object they stand in; `""` is the top.
const KNOWN: &[(&str, &[&str])] = &[
    (
        "",
        &[
            "$schema",
            "theme",
            "name",
            "description",
            "colors",
            "logo",
            "favicon",
            "appearance",
            "fonts",
            "icons",
            "background",
            "styling",
            "thumbnails",
            "navbar",
            "footer",
            "banner",
            "interaction",
            "contextual",
            "redirects",
            "variables",
            "metadata",
            "errors",
            "search",
            "seo",
            "markdown",
            "api",
            "integrations",
            "navigation",
            // Undocumented or older, but used by real sites.
            "css",
            "js",
            "scripts",
            "head",
            "feedback",
            "chat",
            "versions",
            "analytics",
            "openapi",
            "asyncapi",
            "topbar",
            "repo",
            "isWhiteLabeled",
            "rss",
            "assistant",
        ],
    ),
    ("colors", &["primary", "light", "dark", "background", "anchors"]),
    ("logo", &["light", "dark", "href"]),
    ("favicon", &["light", "dark"]),
    ("appearance", &["default", "strict", "layout"]),
    ("fonts", &["family", "weight", "source", "format", "heading", "body"]),
    ("icons", &["library"]),
    ("background", &["decoration", "color", "image"]),
    ("styling", &["eyebrows", "latex", "codeblocks"]),
    ("navbar", &["links", "primary"]),
    ("footer", &["socials", "links", "notice"]),
    ("banner", &["content", "dismissible", "type", "color"]),
    ("search", &["prompt"]),
    ("seo", &["indexing", "metatags", "organization", "trailingSlash"]),
    ("metadata", &["timestamp"]),
    ("errors", &["404"]),
    ("contextual", &["options", "display"]),
    ("markdown", &["schema", "instructions"]),
    (
        "api",
        &[
            "openapi",
            "asyncapi",
            "playground",
            "params",
            "url",
            "examples",
            "mdx",
            "proxy",
            "version",
            "baseUrl",
            "auth",
        ],
    ),
    (
        "navigation",
        &[
            "groups",
            "pages",
            "tabs",
            "anchors",
            "dropdowns",
            "products",
            "versions",
            "languages",
            "global",
            "openapi",
            "asyncapi",
            "directory",
        ],
    ),
];

/// Warns of keys that nobody reads.
pub(super) fn check(document: &Document<'_>, diagnostics: &mut Vec<Diagnostic>) {
    for (path, known) in KNOWN {
        let object = if path.is_empty() {
            Some(&document.root)
        } else {
            document.root.get(*path).and_then(Value::as_object)
        };
        if let Some(object) = object {
            check_object(document, path, object, known, diagnostics);
        }
    }
}

fn check_object(
    document: &Document<'_>,
    path: &str,
    object: &Map<String, Value>,
    known: &[&str],
    diagnostics: &mut Vec<Diagnostic>,
) {
    for key in object.keys().filter(|key| !known.contains(&key.as_str())) {
        let full = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        let help = match closest(key, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "remove it, or correct its name".to_owned(),
        };
        let diagnostic =
            Diagnostic::new(Rule::UnknownKey, "", format!("`{full}` is not a known key"))
                .help(help);
        diagnostics.push(document.at(key, diagnostic));
    }
}
