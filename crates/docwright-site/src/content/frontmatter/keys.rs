//! The keys of a page's frontmatter, with what each is for. The manual's reference is made from this
//! table, and a test checks that every key changes what is built.

use crate::content::key::{Key, key};

/// Every key that has an effect.
pub const KEYS: &[Key] = &[
    key("title", "Install", "Title of the page; without one it is made from the name of the file"),
    key("sidebarTitle", "Set-up", "Title in the sidebar"),
    key(
        "description",
        "From nothing to a site.",
        "Line below the title, also for search engines and agents; code, bold and links as in Markdown",
    ),
    key("icon", "rocket", "Icon in the sidebar: a name of the site's library, a path, an address"),
    key(
        "iconType",
        "regular",
        "Style of a Font Awesome icon: `regular`, `solid`, `light`, `thin`, `duotone`, `brands`, …",
    ),
    key("tag", "NEW", "Pill in the sidebar"),
    key(
        "mode",
        "wide",
        "Layout: `default`; `wide`, without the right column; `custom`, with the header only; `frame`, with header and sidebar; `center`, with neither sidebar nor right column",
    ),
    key("hidden", "true", "Keeps the page out of navigation, search and lists; it can be reached"),
    key("noindex", "true", "Keeps the page out of search and lists, not out of the navigation"),
    key("searchable", "false", "Keeps the page out of the search"),
    key("boost", "2", "The page counts that much more in the search"),
    key("keywords", "[sso, login]", "Other words that the page is found by"),
    key("deprecated", "true", "A label beside the title"),
    key("url", "https://example.com", "The entry in the sidebar leads there instead"),
    key("openapi", "openapi.json GET /things", "Shows an [operation](/write/apis)"),
    key("openapi-schema", "Thing", "Shows a schema of an OpenAPI description"),
    key("asyncapi", "events.json chat", "Shows a channel of an AsyncAPI description"),
    key(
        "api",
        "GET https://api.example.com/things",
        "Method and address of an API page whose fields are written by hand",
    ),
    key("authMethod", "bearer", "How such a page signs in: `bearer`, `basic`, `key` or `none`"),
    key("playground", "none", "`interactive` or `none`, in place of the site's setting"),
    key("hideApiMarker", "true", "No method before the title in the sidebar"),
    key("hideFooterPagination", "true", "No links to the previous and next page"),
    key(
        "related",
        "[second]",
        "Links below the text: paths, addresses or `{Title: link}`, 10 at most",
    ),
    key(
        "contextual",
        "{options: [claude]}",
        "The menu beside the title, in place of the site's; `{options: []}` removes it",
    ),
    key(
        "timestamp",
        "true",
        "Whether the page shows when it was last changed, in place of the site's setting",
    ),
    key("lastUpdatedDate", "2026-01-31", "That date, in place of the last commit's"),
    key("rss", "true", "A button for the feed of a page with `Update`s"),
    key("canonical", "https://example.com/install", "Address that search engines shall list"),
    key("robots", "noindex", "What search engines may do with the page"),
    key(
        "\"og:title\"",
        "Install Acme",
        "Any meta tag with a colon in its name, such as `og:image` or `twitter:card`",
    ),
];

/// Keys that pages hold and that change nothing here.
pub const WITHOUT_EFFECT: &[&str] = &["groups", "public", "sdk", "version"];
