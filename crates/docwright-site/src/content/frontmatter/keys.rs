//! The keys of a page's frontmatter, with descriptions. The manual's reference is generated from this table, and a
//! test checks that every key changes the build.

use crate::content::key::{Key, key};

/// Every key that has an effect.
pub const KEYS: &[Key] = &[
    key("title", "Install", "Title of the page; the default comes from the filename"),
    key("sidebarTitle", "Setup", "Title in the sidebar"),
    key(
        "description",
        "From nothing to a site.",
        "Line below the title, also for search engines and agents; can contain Markdown code, bold, and links",
    ),
    key("icon", "rocket", "Icon in the sidebar: a name of the icon library, a path, or a URL"),
    key(
        "iconType",
        "regular",
        "Style of a Font Awesome icon: `regular`, `solid`, `light`, `thin`, `duotone`, or `brands`",
    ),
    key("tag", "NEW", "Label in the sidebar"),
    key(
        "mode",
        "wide",
        "Layout: `default`; `wide`, without the right column; `custom`, with the header only; `frame`, with header and sidebar; `center`, without sidebar and right column; `assistant`, with the assistant in the page",
    ),
    key("hidden", "true", "Exclude the page from navigation, search, and lists; its URL works"),
    key("noindex", "true", "Exclude the page from search and lists, but not from the navigation"),
    key("searchable", "false", "`false` excludes the page from search"),
    key("boost", "2", "Weight of the page in search"),
    key("keywords", "[sso, login]", "Additional search words"),
    key("deprecated", "true", "Label next to the title"),
    key("url", "https://example.com", "Link of the sidebar entry"),
    key("openapi", "openapi.json GET /things", "Show an [operation](/write/apis)"),
    key("openapi-schema", "Thing", "Show a schema of an OpenAPI spec"),
    key("asyncapi", "events.json chat", "Show a channel of an AsyncAPI spec"),
    key("api", "GET https://api.example.com/things", "Method and URL of a handwritten API page"),
    key(
        "authMethod",
        "bearer",
        "Authentication of a handwritten API page: `bearer`, `basic`, `key`, or `none`",
    ),
    key("playground", "none", "`interactive` or `none`; overrides the site"),
    key("hideApiMarker", "true", "Hide the method before the title in the sidebar"),
    key("hideFooterPagination", "true", "Hide links to the previous and next page"),
    key("related", "[second]", "Links below the text: paths, URLs, or `{Title: link}`; at most 10"),
    key(
        "contextual",
        "{options: [claude]}",
        "Menu of the page; overrides the site. `{options: []}` removes it, `{display: toc}` moves it to the contents list",
    ),
    key("timestamp", "true", "Show the date of the last change; overrides the site"),
    key("lastUpdatedDate", "2026-01-31", "Date of the last change instead of the last commit's"),
    key("rss", "true", "Button for the feed of a page with `Update` components"),
    key("canonical", "https://example.com/install", "URL that search engines list"),
    key("robots", "noindex", "Rules for search engines"),
    key(
        "\"og:title\"",
        "Install Acme",
        "Any meta tag with a colon in its name, such as `og:image` or `twitter:card`",
    ),
];

/// Keys that pages use and that have no effect here, each with the reason.
pub const WITHOUT_EFFECT: &[(&str, &str)] = &[
    ("groups", "Every reader of a site can open every page"),
    ("public", "Every reader of a site can open every page"),
    ("sdk", "Key of an older format"),
    ("version", "The navigation says which version a page belongs to"),
];
