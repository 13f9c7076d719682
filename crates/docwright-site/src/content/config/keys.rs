//! The keys of `docs.json`, with what each is for. The manual's reference is made from this table, typing
//! errors are recognised by it, and a test checks that every key changes what is built.

use crate::content::key::{Key, key};

/// Every key that has an effect. Dots stand between objects; `[]` stands for each object of an array, `*`
/// for any name.
pub const KEYS: &[Key] = &[
    key(
        "theme",
        r#""maple""#,
        "Layout: `mint`, `maple`, `palm`, `willow`, `linden`, `almond`, `aspen`, `sequoia`, `luma`",
    ),
    key("name", r#""Acme""#, "Name of the site"),
    key(
        "description",
        r#""How to use Acme""#,
        "Description of the site, for search engines and agents",
    ),
    key("colors.primary", r##""#7c3aed""##, "The site's colour, as `#rgb` or `#rrggbb`"),
    key("colors.light", r##""#c4b5fd""##, "The same in dark mode; without it, `primary`"),
    key("colors.dark", r##""#4c1d95""##, "Buttons; without it, `primary`"),
    key(
        "logo",
        r#""/logo.svg""#,
        "Path of the logo; `{light, dark, href}` for one a mode, and for where it leads",
    ),
    key("logo.light", r#""/logo.svg""#, "Logo in light mode"),
    key("logo.dark", r#""/logo.svg""#, "Logo in dark mode"),
    key(
        "logo.href",
        r#""https://example.com""#,
        "Where the logo leads; without it, to the first page",
    ),
    key(
        "favicon",
        r#""/logo.svg""#,
        "Path of the browser tab's icon; `{light, dark}` for one a mode",
    ),
    key("favicon.light", r#""/logo.svg""#, "Icon in light mode"),
    key("favicon.dark", r#""/logo.svg""#, "Icon in dark mode"),
    key("appearance.default", r#""dark""#, "Mode at first: `system`, `light` or `dark`"),
    key("appearance.strict", "true", "Readers can't change the mode"),
    key("fonts.family", r#""Lora""#, "Font of the whole site"),
    key(
        "fonts.source",
        r#""/body.woff2""#,
        "Path or address of its file; without one, the reader's own font of that name is used",
    ),
    key("fonts.format", r#""woff""#, "Format of the file: `woff` or `woff2`"),
    key("fonts.heading", r#"{"family": "Lora"}"#, "Font of headings: `{family, source, format}`"),
    key("fonts.body", r#"{"family": "Lora"}"#, "Font of text: `{family, source, format}`"),
    key(
        "icons.library",
        r#""tabler""#,
        "Where the names of icons come from: `fontawesome`, `lucide` or `tabler`",
    ),
    key(
        "background.decoration",
        r#""grid""#,
        "Pattern behind pages: `gradient`, `grid` or `windows`",
    ),
    key(
        "background.color",
        r##"{"light": "#fffbeb", "dark": "#1c1917"}"##,
        "Colour behind pages, for each mode",
    ),
    key("background.image", r#""/logo.svg""#, "Image behind pages, or `{light, dark}`"),
    key(
        "styling.eyebrows",
        r#""breadcrumbs""#,
        "What stands above a title: the group (`section`), or the whole way (`breadcrumbs`)",
    ),
    key(
        "styling.codeblocks",
        r#""dark""#,
        "Look of code: `system`, `dark`, the name of a Shiki theme, or `{theme, languages}`",
    ),
    key(
        "navbar.links",
        r#"[{"label": "Blog", "href": "https://example.com/blog"}]"#,
        "Links of the header: `{label, href, icon, type}`; `type` is `github` or `discord`",
    ),
    key(
        "navbar.primary",
        r#"{"type": "button", "label": "Sign up", "href": "https://example.com"}"#,
        "The button of the header: `{type, label, href}`",
    ),
    key(
        "footer.socials",
        r#"{"github": "https://github.com/acme"}"#,
        "Links to networks, by name: `x`, `github`, `discord`, `linkedin`, …",
    ),
    key(
        "footer.links",
        r#"[{"header": "Company", "items": [{"label": "Jobs", "href": "https://example.com/jobs"}]}]"#,
        "Columns of links",
    ),
    key("banner.content", r#""Version 2 is out""#, "Line above the site, with inline Markdown"),
    key("banner.dismissible", "true", "Readers can close it, until its words change"),
    key("banner.type", r#""warning""#, "Its colour by meaning: `info`, `warning` or `critical`"),
    key("banner.color", r##""#7c3aed""##, "Its colour, or `{light, dark}`"),
    key(
        "contextual.options",
        r#"["copy", "claude"]"#,
        "The menu beside the title: `copy`, `view`, `download-pdf`, `download-spec`, `chatgpt`, `claude`, `perplexity`, `grok`, `aistudio`, `devin`, `mcp`, `add-mcp`, `devin-mcp`, `cursor`, `vscode`, or `{title, description, icon, href}`",
    ),
    key(
        "redirects",
        r#"[{"source": "/old", "destination": "/second"}]"#,
        "Addresses that moved: `{source, destination, permanent}`",
    ),
    key("variables.*", r#""2.0""#, "What `{{name}}` stands for in pages and snippets"),
    key("metadata.timestamp", "true", "Pages show when they were last changed"),
    key(
        "errors.404.redirect",
        "true",
        "Whether an address without a page leads to the home page: `true`, or `false` (as usual), which shows that there is none",
    ),
    key("errors.404.title", r#""Nothing here""#, "Title of the page that says that there is none"),
    key("errors.404.description", r#""Try the search.""#, "Its text"),
    key("search.prompt", r#""Find …""#, "What the empty search field says"),
    key(
        "seo.indexing",
        r#""all""#,
        "Whether pages that the navigation doesn't list are searched and listed for search engines and agents: `navigable` (no) or `all`",
    ),
    key(
        "seo.metatags.*",
        r#""value""#,
        "Meta tags of every page, by name. `canonical` is the site's address; `robots: noindex` keeps search engines away",
    ),
    key(
        "seo.organization",
        r#"{"name": "Acme Ltd"}"#,
        "Who publishes the site, for search engines: `{id, name, legalName, url, logo, sameAs}`",
    ),
    key("seo.trailingSlash", "true", "Addresses for search engines end with a slash"),
    key("markdown.schema", "false", "Whether the Markdown of an API page holds its description"),
    key(
        "markdown.instructions",
        r#""Prefer version 2.""#,
        "What agents read first, as text or a list of lines",
    ),
    key(
        "api.openapi",
        r#""openapi.json""#,
        "OpenAPI descriptions of the site: a path, an address, a list, or `{source, directory}`",
    ),
    key("api.asyncapi", r#""events.json""#, "AsyncAPI descriptions of the site, in the same way"),
    key(
        "api.playground.display",
        r#""none""#,
        "`interactive` shows the form that sends requests; `none`, `simple` and `auth` don't",
    ),
    key("api.params.expanded", r#""all""#, "`all` opens nested fields from the start"),
    key(
        "api.params.post",
        r#"["x-beta"]"#,
        "Keys of schemas whose values are shown beside a field's name",
    ),
    key("api.url", r#""full""#, "`full` always shows the server in addresses"),
    key("api.examples.languages", r#"["rust"]"#, "Languages of samples, in this order"),
    key(
        "api.examples.defaults",
        r#""required""#,
        "`required` leaves optional parameters out of samples",
    ),
    key(
        "api.examples.prefill",
        "true",
        "The playground's form starts with the examples of the description",
    ),
    key(
        "api.examples.autogenerate",
        "false",
        "Whether samples are made where the description has none",
    ),
    key(
        "api.mdx.server",
        r#""https://api.example.com""#,
        "Server of pages whose fields are written by hand, or a list",
    ),
    key(
        "api.mdx.auth.method",
        r#""bearer""#,
        "How these pages sign in: `bearer`, `basic`, `key` or `cobo`",
    ),
    key("api.mdx.auth.name", r#""X-Key""#, "Header of the key"),
    key(
        "integrations.*",
        r#"{"measurementId": "G-12345"}"#,
        "Services that count visits or chat, where the site [may load them](/commands)",
    ),
    key(
        "feedback.thumbsRating",
        "true",
        "Asks whether the page helped, where [the service](/run/readers) hosts the site",
    ),
    key("feedback.suggestEdit", "true", "A link to an edit at the repository's host"),
    key("feedback.raiseIssue", "true", "A link to a new issue at the repository's host"),
    key("navigation.groups", r#"[{"group": "Guides", "pages": ["second"]}]"#, "Groups of pages"),
    key("navigation.pages", r#"["second"]"#, "Pages without a group"),
    key("navigation.tabs", r#"[{"tab": "Guides", "pages": ["second"]}]"#, "Tabs below the header"),
    key(
        "navigation.anchors",
        r#"[{"anchor": "Guides", "pages": ["second"]}]"#,
        "Divisions listed above the groups",
    ),
    key(
        "navigation.dropdowns",
        r#"[{"dropdown": "Guides", "pages": ["second"]}]"#,
        "Divisions that a menu chooses",
    ),
    key(
        "navigation.products",
        r#"[{"product": "Acme", "pages": ["second"]}]"#,
        "Products that a menu chooses",
    ),
    key(
        "navigation.versions",
        r#"[{"version": "2.0", "pages": ["second"]}]"#,
        "Versions that a menu chooses",
    ),
    key(
        "navigation.languages",
        r#"[{"language": "fr", "pages": ["second"]}]"#,
        "Languages that a menu chooses",
    ),
    key(
        "navigation.global",
        r#"{"anchors": [{"anchor": "Blog", "href": "https://example.com"}]}"#,
        "Divisions that every page shows",
    ),
    key(
        "navigation.openapi",
        r#""openapi.json""#,
        "OpenAPI description that gives a page for each operation",
    ),
    key(
        "navigation.asyncapi",
        r#""events.json""#,
        "AsyncAPI description that gives a page for each channel",
    ),
    key(
        "navigation.directory",
        r#""card""#,
        "How pages that are the `root` of a group list what is in it: `none`, `accordion` or `card`",
    ),
    key(
        "navigation.groups[].group",
        r#""Basics""#,
        "Name of the group. Others are named by `tab`, `anchor`, `dropdown`, `product`, `version`, `language`, `item`",
    ),
    key(
        "navigation.groups[].pages",
        r#"["second", {"group": "More", "pages": ["third"]}]"#,
        "Pages, operations (`GET /path`) and groups in it. Any other kind of division may stand in its place",
    ),
    key("navigation.groups[].icon", r#""book""#, "Icon before the name; `iconType` is its style"),
    key("navigation.groups[].tag", r#""NEW""#, "Pill after the name"),
    key("navigation.groups[].root", r#""second""#, "Page that the name opens"),
    key("navigation.groups[].pages[].expanded", "true", "A nested group is open at first"),
    key("navigation.groups[].hidden", "true", "Its pages are left out of the navigation"),
    key(
        "navigation.groups[].searchable",
        "false",
        "Its pages are left out of the search, or in it though hidden",
    ),
    key("navigation.groups[].boost", "3", "Its pages count that much more in the search"),
    key("navigation.groups[].directory", r#""card""#, "The same as above, for this group"),
    key(
        "navigation.groups[].openapi",
        r#""openapi.json""#,
        "OpenAPI description of its pages; with `{source, directory}` its operations follow them",
    ),
    key("navigation.groups[].asyncapi", r#""events.json""#, "AsyncAPI description of its pages"),
    key(
        "navigation.tabs[].href",
        r#""https://example.com""#,
        "A tab, anchor, dropdown, product or menu item may be a link instead",
    ),
    key(
        "navigation.tabs[].menu",
        r#"[{"item": "Guides", "pages": ["second"]}]"#,
        "Items of a tab's or product's menu",
    ),
    key("navigation.dropdowns[].description", r#""All of it""#, "Line below the name, in menus"),
    key(
        "navigation.versions[].default",
        "true",
        "The version or language at first; without it, the first one",
    ),
    key(
        "navigation.languages[].banner",
        r#"{"content": "Bonjour"}"#,
        "Banner of a language, in place of the site's; so are `footer` and `navbar`",
    ),
];

/// Keys that sites hold and that change nothing here.
pub const WITHOUT_EFFECT: &[&str] = &[
    "$schema",
    "thumbnails",
    "interaction",
    "css",
    "js",
    "scripts",
    "head",
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
    "colors.background",
    "colors.anchors",
    "appearance.layout",
    "styling.latex",
    "fonts.weight",
    "contextual.display",
    "api.playground.credentials",
    "api.playground.proxy",
    "api.proxy",
    "api.version",
    "api.baseUrl",
    "api.auth",
    "navigation.anchors[].color",
];

/// The names that an object may hold; `None` if nobody knows. `""` is the top.
pub(super) fn names(object: &str) -> Option<Vec<&'static str>> {
    let paths = KEYS.iter().map(|key| key.name).chain(WITHOUT_EFFECT.iter().copied());
    let below = paths.filter_map(|path| match object {
        "" => Some(path),
        object => path.strip_prefix(object)?.strip_prefix('.'),
    });
    let mut names: Vec<_> = below.filter_map(|rest| rest.split(['.', '[']).next()).collect();
    names.dedup();
    (!names.is_empty() && !names.contains(&"*")).then_some(names)
}
