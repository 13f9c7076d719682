//! The keys of `docs.json`, with descriptions. The manual's reference is generated from this table, typos are
//! recognized with it, and a test checks that every key changes the build.

use crate::content::key::{Key, key};

/// Every key that has an effect. Dots separate objects; `[]` is each object of an array, and `*` is any name.
pub const KEYS: &[Key] = &[
    key(
        "theme",
        r#""maple""#,
        "[Theme](/write/themes): `mint`, `maple`, `palm`, `willow`, `linden`, `almond`, `aspen`, `sequoia`, or `luma`",
    ),
    key("name", r#""Acme""#, "Name of the site"),
    key(
        "description",
        r#""How to use Acme""#,
        "Description of the site, for search engines and agents",
    ),
    key("colors.primary", r##""#7c3aed""##, "Color of the site, such as `#0f766e`"),
    key("colors.light", r##""#c4b5fd""##, "Color in dark mode; the default is `primary`"),
    key("colors.dark", r##""#4c1d95""##, "Color of buttons; the default is `primary`"),
    key(
        "colors.background",
        r##"{"light": "#fffbeb", "dark": "#1c1917"}"##,
        "Old name of `background.color`",
    ),
    key(
        "logo",
        r#""/logo.svg""#,
        "Path of the logo, or `{light, dark, href}` for one per mode and a link",
    ),
    key("logo.light", r#""/logo.svg""#, "Logo in light mode"),
    key("logo.dark", r#""/logo.svg""#, "Logo in dark mode"),
    key("logo.href", r#""https://example.com""#, "Link of the logo; the default is the first page"),
    key(
        "favicon",
        r#""/logo.svg""#,
        "Path of the icon in the browser tab, or `{light, dark}` for one per mode",
    ),
    key("favicon.light", r#""/logo.svg""#, "Icon in light mode"),
    key("favicon.dark", r#""/logo.svg""#, "Icon in dark mode"),
    key("appearance.default", r#""dark""#, "Initial mode: `system`, `light`, or `dark`"),
    key("appearance.strict", "true", "Readers can't change the mode"),
    key(
        "fonts.family",
        r#""Lora""#,
        "Font of the whole site, one that docwright includes or the one of `source`",
    ),
    key("fonts.source", r#""/body.woff2""#, "Path or URL of the font file"),
    key("fonts.weight", "450", "Weight of text, from 1 to 1,000"),
    key("fonts.heading", r#"{"family": "Lora"}"#, "Font of headings: `{family, source, weight}`"),
    key("fonts.body", r#"{"family": "Lora"}"#, "Font of text: `{family, source, weight}`"),
    key("icons.library", r#""tabler""#, "Icon library: `fontawesome`, `lucide`, or `tabler`"),
    key(
        "background.decoration",
        r#""grid""#,
        "Background pattern: `gradient`, `grid`, or `windows`",
    ),
    key(
        "background.color",
        r##"{"light": "#fffbeb", "dark": "#1c1917"}"##,
        "Background color of each mode",
    ),
    key("background.image", r#""/logo.svg""#, "Background image, or `{light, dark}`"),
    key(
        "styling.eyebrows",
        r#""breadcrumbs""#,
        "Line above a title: the group (`section`) or the whole path (`breadcrumbs`)",
    ),
    key(
        "styling.codeblocks",
        r#""dark""#,
        "Code theme: `system`, `dark`, a Shiki theme, or `{theme, languages}`",
    ),
    key(
        "styling.codeblocks.languages.custom",
        r#"["grammar.json"]"#,
        "Paths of TextMate grammars of other languages",
    ),
    key("styling.latex", "false", "`false` leaves `$` as text; the default finds formulas"),
    key(
        "navbar.links",
        r#"[{"label": "Blog", "href": "https://example.com/blog"}]"#,
        "Links in the header: `{label, href, icon, type}`; `type` is `github` or `discord`",
    ),
    key(
        "navbar.primary",
        r#"{"type": "button", "label": "Sign up", "href": "https://example.com"}"#,
        "Button in the header: `{type, label, href}`",
    ),
    key(
        "footer.socials",
        r#"{"github": "https://github.com/acme"}"#,
        "Links to social networks by name, such as `x`, `github`, `discord`, `linkedin`",
    ),
    key(
        "footer.links",
        r#"[{"header": "Company", "items": [{"label": "Jobs", "href": "https://example.com/jobs"}]}]"#,
        "Columns of links",
    ),
    key("banner.content", r#""Version 2 is out""#, "Line above the site, with inline Markdown"),
    key("banner.dismissible", "true", "Readers can close the banner until its text changes"),
    key("banner.type", r#""warning""#, "Kind of banner: `info`, `warning`, or `critical`"),
    key("banner.color", r##""#7c3aed""##, "Color of the banner, or `{light, dark}`"),
    key(
        "contextual.options",
        r#"["copy", "claude"]"#,
        "Menu next to the title: `copy`, `view`, `download-pdf`, `download-spec`, `assistant`, `chatgpt`, `claude`, `perplexity`, `grok`, `aistudio`, `devin`, `mcp`, `add-mcp`, `devin-mcp`, `cursor`, `vscode`, or `{title, description, icon, href}`",
    ),
    key(
        "contextual.display",
        r#""toc""#,
        "Place of that menu: `header`, next to the title; `toc`, in the contents list. The default depends on the theme",
    ),
    key(
        "interaction.drilldown",
        "true",
        "The name of a group inside another opens its first page, unless it has a `root`",
    ),
    key(
        "redirects",
        r#"[{"source": "/old", "destination": "/second"}]"#,
        "Paths that moved: `{source, destination, permanent}`",
    ),
    key("variables.*", r#""2.0""#, "Value of `{{name}}` in pages and snippets"),
    key("metadata.timestamp", "true", "Show the date of the last change on pages"),
    key(
        "errors.404.redirect",
        "true",
        "Redirect unknown paths to the homepage; the default `false` shows the 404 page",
    ),
    key("errors.404.title", r#""Nothing here""#, "Title of the 404 page"),
    key("errors.404.description", r#""Try the search.""#, "Text of the 404 page"),
    key("search.prompt", r#""Find …""#, "Placeholder of the search field"),
    key(
        "seo.indexing",
        r#""all""#,
        "Pages in search and in the lists for search engines and agents: `navigable` (pages in the navigation) or `all`",
    ),
    key(
        "seo.metatags.*",
        r#""value""#,
        "Meta tags of every page, by name; `canonical` is the URL of the site, `robots: noindex` excludes search engines",
    ),
    key(
        "seo.organization",
        r#"{"name": "Acme Ltd"}"#,
        "Publisher for search engines: `{id, name, legalName, url, logo, sameAs}`",
    ),
    key("seo.trailingSlash", "true", "URLs for search engines end with a slash"),
    key("markdown.schema", "false", "Include the API spec in the Markdown of an API page"),
    key(
        "markdown.instructions",
        r#""Prefer version 2.""#,
        "Instructions for agents, as text or a list of lines",
    ),
    key(
        "api.openapi",
        r#""openapi.json""#,
        "OpenAPI specs of the site: a path, a URL, a list, or `{source, directory}`",
    ),
    key("api.asyncapi", r#""events.json""#, "AsyncAPI specs of the site, in the same form"),
    key(
        "api.playground.display",
        r#""none""#,
        "`interactive` shows a form that sends requests; `none`, `simple`, and `auth` don't",
    ),
    key(
        "api.playground.credentials",
        "true",
        "Requests of the playground carry the cookies of the reader for that server",
    ),
    key("api.params.expanded", r#""all""#, "`all` opens nested fields initially"),
    key("api.params.post", r#"["x-beta"]"#, "Schema keys whose values appear next to a field name"),
    key("api.url", r#""full""#, "`full` always shows the server in URLs"),
    key("api.examples.languages", r#"["rust"]"#, "Languages of samples, in order"),
    key(
        "api.examples.defaults",
        r#""required""#,
        "`required` omits optional parameters in samples",
    ),
    key("api.examples.prefill", "true", "Fill the playground with the examples of the spec"),
    key("api.examples.autogenerate", "false", "Generate samples if the spec has none"),
    key(
        "api.mdx.server",
        r#""https://api.example.com""#,
        "Server of handwritten API pages, or a list",
    ),
    key(
        "api.mdx.auth.method",
        r#""bearer""#,
        "Authentication of handwritten API pages: `bearer`, `basic`, `key`, or `cobo`",
    ),
    key("api.mdx.auth.name", r#""X-Key""#, "Header of the key"),
    key("api.baseUrl", r#""https://api.example.com""#, "Old name of `api.mdx.server`"),
    key("api.auth", r#"{"method": "bearer"}"#, "Old name of `api.mdx.auth`"),
    key(
        "integrations.*",
        r#"{"measurementId": "G-12345"}"#,
        "Analytics and chat services, if the site [can load them](/commands)",
    ),
    key("analytics", r#"{"ga4": {"measurementId": "G-12345"}}"#, "Old name of `integrations`"),
    key("openapi", r#""openapi.json""#, "Old name of `api.openapi`"),
    key("asyncapi", r#""events.json""#, "Old name of `api.asyncapi`"),
    key(
        "feedback.thumbsRating",
        "true",
        "Ask readers to rate the page, if [the service](/run/readers) hosts the site",
    ),
    key("feedback.suggestEdit", "true", "Link to edit the page on the git host"),
    key("feedback.raiseIssue", "true", "Link to a new issue on the git host"),
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
        "Divisions in a menu",
    ),
    key(
        "navigation.products",
        r#"[{"product": "Acme", "pages": ["second"]}]"#,
        "Products in a menu",
    ),
    key(
        "navigation.versions",
        r#"[{"version": "2.0", "pages": ["second"]}]"#,
        "Versions in a menu",
    ),
    key(
        "navigation.languages",
        r#"[{"language": "fr", "pages": ["second"]}]"#,
        "Languages in a menu",
    ),
    key(
        "navigation.global",
        r#"{"anchors": [{"anchor": "Blog", "href": "https://example.com"}]}"#,
        "Divisions on every page",
    ),
    key("navigation.openapi", r#""openapi.json""#, "OpenAPI spec with a page for each operation"),
    key("navigation.asyncapi", r#""events.json""#, "AsyncAPI spec with a page for each channel"),
    key(
        "navigation.directory",
        r#""card""#,
        "List of a group's pages on its `root` page: `none`, `accordion`, or `card`",
    ),
    key(
        "navigation.groups[].group",
        r#""Basics""#,
        "Name of the group; other divisions use `tab`, `anchor`, `dropdown`, `product`, `version`, `language`, or `item`",
    ),
    key(
        "navigation.groups[].pages",
        r#"["second", {"group": "More", "pages": ["third"]}]"#,
        "Pages, operations (`GET /path`), and groups; a group can contain any other division instead",
    ),
    key("navigation.groups[].icon", r#""book""#, "Icon before the name; `iconType` is its style"),
    key("navigation.groups[].tag", r#""NEW""#, "Label after the name"),
    key("navigation.groups[].root", r#""second""#, "Page that opens when readers select the name"),
    key("navigation.groups[].pages[].expanded", "true", "Open a nested group initially"),
    key("navigation.groups[].hidden", "true", "Hide the pages from the navigation"),
    key(
        "navigation.groups[].searchable",
        "false",
        "`false` excludes the pages from search; `true` includes hidden ones",
    ),
    key("navigation.groups[].boost", "3", "Weight of the pages in search"),
    key("navigation.groups[].directory", r#""card""#, "The same for this group"),
    key(
        "navigation.groups[].openapi",
        r#""openapi.json""#,
        "OpenAPI spec of the pages; with `{source, directory}`, its operations follow them",
    ),
    key("navigation.groups[].asyncapi", r#""events.json""#, "AsyncAPI spec of the pages"),
    key(
        "navigation.tabs[].href",
        r#""https://example.com""#,
        "Link of a tab, anchor, dropdown, product, or menu item without pages",
    ),
    key(
        "navigation.tabs[].menu",
        r#"[{"item": "Guides", "pages": ["second"]}]"#,
        "Menu items of a tab or product",
    ),
    key(
        "navigation.anchors[].color",
        r##"{"light": "#0f766e", "dark": "#5eead4"}"##,
        "Color of the icon of an anchor, or `{light, dark}`",
    ),
    key("navigation.dropdowns[].description", r#""All of it""#, "Line below the name in menus"),
    key(
        "navigation.versions[].default",
        "true",
        "Initial version or language; the default is the first one",
    ),
    key(
        "navigation.languages[].banner",
        r#"{"content": "Bonjour"}"#,
        "Banner of a language instead of the site's; the same works for `footer` and `navbar`",
    ),
];

/// Keys that sites use and that have no effect here, each with the reason.
pub const WITHOUT_EFFECT: &[(&str, &str)] = &[
    ("$schema", "Only editors read it"),
    ("thumbnails", "docwright draws no preview images; `og:image` in `seo.metatags` names one"),
    ("css", "All `.css` files of the docs root are loaded"),
    ("js", "All `.js` files of the docs root are loaded"),
    ("scripts", "All `.js` files of the docs root are loaded"),
    ("head", "`seo.metatags` and `integrations` add to the head of pages"),
    ("chat", "Sites have no chat"),
    ("assistant", "The settings of a deployment turn the assistant on"),
    ("versions", "Key of `mint.json`; `navigation.versions` replaces it"),
    ("topbar", "Key of `mint.json`; the theme decides"),
    ("fonts.format", "The font file itself says its format"),
    ("appearance.layout", "Key of `mint.json`; the theme decides"),
    ("colors.anchors", "Key of `mint.json`; `navigation.anchors[].color` replaces it"),
    ("repo", "docwright knows the repository of the project"),
    ("isWhiteLabeled", "Pages have no badge to hide"),
    ("rss", "Pages with `Update` components have a feed"),
    ("api.playground.proxy", "The playground sends requests from the browser"),
    ("api.proxy", "The playground sends requests from the browser"),
    ("api.version", "API specs contain their version"),
];

/// The names that an object can contain; `None` if unknown. `""` is the top.
pub(super) fn names(object: &str) -> Option<Vec<&'static str>> {
    let paths = KEYS.iter().map(|key| key.name).chain(WITHOUT_EFFECT.iter().map(|(name, _)| *name));
    let below = paths.filter_map(|path| match object {
        "" => Some(path),
        object => path.strip_prefix(object)?.strip_prefix('.'),
    });
    let mut names: Vec<_> = below.filter_map(|rest| rest.split(['.', '[']).next()).collect();
    names.dedup();
    (!names.is_empty() && !names.contains(&"*")).then_some(names)
}
