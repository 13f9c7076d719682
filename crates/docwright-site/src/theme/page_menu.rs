//! The menu beside a page's title: the page as Markdown, and questions about it elsewhere.

use maud::{Markup, html};
use serde_json::Value;

use super::{PageView, assistant, themes::Landmarks};
use crate::{
    content::{
        config::{Config, Icon},
        words::Word,
    },
    render::icons::{Drawing, Icons, brand_drawing, glyph_drawing},
};

/// The picture of an entry: the mark of a company, where the icon libraries have it, or a simple one.
#[derive(Clone, Copy)]
enum Picture {
    Brand(&'static str),
    Glyph(&'static str),
}

impl Picture {
    fn drawing(self) -> Option<Drawing> {
        match self {
            Self::Brand(name) => brand_drawing(name),
            Self::Glyph(name) => glyph_drawing(name),
        }
    }
}

/// A service that takes a question in its address.
struct Service {
    key: &'static str,
    label: &'static str,
    picture: Picture,
    /// What stands before the question.
    address: &'static str,
}

/// The services, each with a picture of its own.
const SERVICES: &[Service] = &[
    Service {
        key: "chatgpt",
        label: "Open in ChatGPT",
        picture: Picture::Brand("openai"),
        address: "https://chatgpt.com/?hints=search&q=",
    },
    Service {
        key: "claude",
        label: "Open in Claude",
        picture: Picture::Brand("claude"),
        address: "https://claude.ai/new?q=",
    },
    Service {
        key: "perplexity",
        label: "Open in Perplexity",
        picture: Picture::Glyph("compass"),
        address: "https://www.perplexity.ai/search?q=",
    },
    Service {
        key: "grok",
        label: "Open in Grok",
        picture: Picture::Glyph("orbit"),
        address: "https://grok.com/?q=",
    },
    Service {
        key: "aistudio",
        label: "Open in Google AI Studio",
        picture: Picture::Brand("google"),
        address: "https://aistudio.google.com/prompts/new_chat?prompt=",
    },
    Service {
        key: "devin",
        label: "Open in Devin",
        picture: Picture::Glyph("bot"),
        address: "https://app.devin.ai/?prompt=",
    },
];
/// What a question of any service is about.
const ABOUT_PAGE: &str = "Ask questions about this page";

/// What is done with the site's MCP server: key, label, picture, what is copied before its address.
const COPIED: &[(&str, &str, Picture, &str)] = &[
    ("mcp", "Copy MCP server address", Picture::Brand("mcp"), ""),
    ("add-mcp", "Copy MCP install command", Picture::Glyph("terminal"), "npx add-mcp "),
    ("devin-mcp", "Copy MCP server for Devin", Picture::Glyph("bot-message-square"), ""),
];
/// Editors to which a link can add the MCP server: key, label, picture.
const EDITORS: &[(&str, &str, Picture)] = &[
    ("cursor", "Connect to Cursor", Picture::Glyph("mouse-pointer-2")),
    ("vscode", "Connect to VS Code", Picture::Brand("brand-vscode")),
];

/// An entry of the menu.
enum Entry {
    /// Copies the page as Markdown.
    Copy,
    /// Opens the page as Markdown.
    View,
    /// A question about the page, to a service. The address is completed in the browser, which
    /// knows where the page is.
    Ask(&'static Service),
    /// Opens the assistant, where the server has it.
    Assistant,
    /// Prints the page, which browsers can do into a file.
    Print,
    /// The API spec that the page is made from, by its path.
    Spec(String),
    /// Copies the address of the site's MCP server, or what adds it to an agent.
    CopyServer { label: &'static str, picture: Picture, command: &'static str },
    /// Adds the site's MCP server to an editor.
    AddServer { label: &'static str, picture: Picture, editor: &'static str },
    /// A link of the author's own; `$page`, `$path` and `$mcp` are filled in in the browser.
    Link { label: String, description: String, icon: Option<Icon>, address: String },
}

impl Entry {
    /// Its own picture, unless the entry leads nowhere else.
    fn picture(&self) -> Option<Picture> {
        match self {
            Self::Ask(Service { picture, .. })
            | Self::CopyServer { picture, .. }
            | Self::AddServer { picture, .. } => Some(*picture),
            _ => None,
        }
    }
}

/// The menu beside the title; nothing if the author wants none. If it is in the contents list, it is
/// beside the title only where the window has no room for that list.
pub(super) fn page_menu(view: &PageView<'_>) -> Markup {
    let entries = entries(view);
    let Some((first, rest)) = entries.split_first() else { return html! {} };
    html! {
        div.dw-page-context-menu data-narrow[is_in_contents(view)] {
            (self::entry(view, first))
            @if !rest.is_empty() {
                details.dw-page-context-more data-dropdown {
                    summary #page-context-menu-button aria-label=(view.word(Word::More)) { (view.glyph("chevron-down")) }
                    ul { @for entry in rest { li { (self::entry(view, entry)) } } }
                }
            }
        }
    }
}

/// The icons of the options that a site chose for all its pages.
pub(super) fn icons(config: &Config, library: Icons) -> impl Iterator<Item = Drawing> {
    config.contextual.iter().filter_map(move |option| match option {
        Value::String(key) => elsewhere(key)?.picture()?.drawing(),
        Value::Object(option) => library.drawing(option.get("icon")?.as_str()?, None),
        _ => None,
    })
}

/// Whether the menu is in the contents list: the page says it, or the site, or the theme.
pub(super) fn is_in_contents(view: &PageView<'_>) -> bool {
    let (frontmatter, rendered) = (&view.page.frontmatter, view.rendered);
    let has_list =
        frontmatter.mode == "default" && rendered.examples.is_none() && rendered.panel.is_none();
    let own = frontmatter.contextual.as_ref().and_then(|own| own.get("display")?.as_str());
    let display = own.or(view.config.contextual_display.as_deref());
    has_list && display.map_or_else(|| Landmarks::of(view).menu_in_contents, |name| name == "toc")
}

/// The menu as a list, for the contents list.
pub(super) fn list(view: &PageView<'_>) -> Markup {
    let entries = entries(view);
    html! {
        @if !entries.is_empty() {
            ul.dw-toc-actions { @for entry in &entries { li { (self::entry(view, entry)) } } }
        }
    }
}

fn entries(view: &PageView<'_>) -> Vec<Entry> {
    let own = view.page.frontmatter.contextual.as_ref();
    let own = own.and_then(|contextual| contextual.get("options")).and_then(Value::as_array);
    let options = own.unwrap_or(&view.config.contextual);
    if options.is_empty() {
        // The author said so; or said nothing.
        return if own.is_some() { Vec::new() } else { vec![Entry::Copy, Entry::View] };
    }
    options.iter().filter_map(|option| read(option, view)).collect()
}

fn read(option: &Value, view: &PageView<'_>) -> Option<Entry> {
    match option {
        Value::String(key) => named(key, view),
        Value::Object(option) => {
            let text = |key: &str| option.get(key).and_then(Value::as_str).map(str::to_owned);
            Some(Entry::Link {
                label: text("title")?,
                description: text("description").unwrap_or_default(),
                icon: text("icon").map(|name| Icon { name, style: None }),
                address: address(option.get("href")?)?,
            })
        }
        _ => None,
    }
}

fn named(key: &str, view: &PageView<'_>) -> Option<Entry> {
    match key {
        "copy" => return Some(Entry::Copy),
        "view" => return Some(Entry::View),
        "assistant" => return assistant::has_assistant(view.options).then_some(Entry::Assistant),
        "download-pdf" => return Some(Entry::Print),
        "download-spec" => {
            let spec = view.rendered.api.as_ref()?.spec.as_deref()?;
            return Some(Entry::Spec(view.asset(spec)?));
        }
        _ => {}
    }
    elsewhere(key)
}

/// The entry of an option that leads to another service or program. It is the same on each page.
fn elsewhere(key: &str) -> Option<Entry> {
    if let Some(&(_, label, picture, command)) = COPIED.iter().find(|(name, ..)| *name == key) {
        return Some(Entry::CopyServer { label, picture, command });
    }
    if let Some(&(editor, label, picture)) = EDITORS.iter().find(|(name, ..)| *name == key) {
        return Some(Entry::AddServer { label, picture, editor });
    }
    SERVICES.iter().find(|service| service.key == key).map(Entry::Ask)
}

/// An address as text, or as a base with a query.
fn address(href: &Value) -> Option<String> {
    if let Some(href) = href.as_str() {
        return safe(href).then(|| href.to_owned());
    }
    let base = href.get("base")?.as_str()?;
    let query = href.get("query").and_then(Value::as_array);
    let pairs: Vec<_> = query
        .into_iter()
        .flatten()
        .filter_map(|pair| {
            Some(format!("{}={}", pair.get("key")?.as_str()?, pair.get("value")?.as_str()?))
        })
        .collect();
    let separator = if base.contains('?') { "&" } else { "?" };
    safe(base).then(|| format!("{base}{separator}{}", pairs.join("&")))
}

fn safe(href: &str) -> bool {
    ["https://", "http://", "mailto:", "/", "cursor:", "vscode:"]
        .iter()
        .any(|start| href.starts_with(start))
}

fn entry(view: &PageView<'_>, entry: &Entry) -> Markup {
    let markdown = view.address(&format!("{}.md", view.page.slug));
    match entry {
        Entry::Copy => html! {
            button type="button" data-copy-page=(markdown) { (view.glyph("copy")) span { (view.word(Word::CopyPage)) } }
        },
        Entry::View => html! {
            a href=(markdown) { (view.glyph("file-text")) span { (view.word(Word::ViewMarkdown)) } }
        },
        Entry::Ask(service) => html! {
            a href=(service.address) data-ask=(service.address) target="_blank" rel="noopener noreferrer" title=(ABOUT_PAGE) {
                (view.drawing(service.picture.drawing())) span { (service.label) }
            }
        },
        Entry::Assistant => html! {
            button type="button" data-assistant-open aria-haspopup="dialog" { (view.glyph("sparkles")) span { (assistant::label(view)) } }
        },
        Entry::Print => html! {
            button type="button" data-print { (view.glyph("download")) span { "Save as PDF" } }
        },
        Entry::Spec(address) => html! {
            a href=(address) download { (view.glyph("download")) span { "Download API spec" } }
        },
        // Only a host that runs the server shows these: the page asks its own headers.
        Entry::CopyServer { label, picture, command } => html! {
            button type="button" hidden data-mcp data-copy-server=(command) { (view.drawing(picture.drawing())) span { (label) } }
        },
        Entry::AddServer { label, picture, editor } => html! {
            // Scripts of authors take it for granted that a link has an address.
            a hidden href="#page-context-menu" data-mcp data-add-server=(editor) data-name=(view.config.name) { (view.drawing(picture.drawing())) span { (label) } }
        },
        Entry::Link { label, description, icon, address } => html! {
            a href=(address) data-template=(address) data-markdown=(markdown) target="_blank" rel="noopener noreferrer" title=(description) {
                (icon.as_ref().and_then(|icon| view.icons.find(icon)).unwrap_or_else(|| view.glyph("external-link")))
                span { (label) }
            }
        },
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn each_option_has_its_own_picture() {
        let services = SERVICES.iter().map(|service| service.picture);
        let servers = COPIED.iter().map(|(_, _, picture, _)| *picture);
        let pictures = services.chain(servers).chain(EDITORS.iter().map(|(.., picture)| *picture));
        let count = pictures.clone().count();
        let drawn = pictures.filter_map(Picture::drawing).map(|icon| icon.key());
        assert_eq!(drawn.collect::<HashSet<_>>().len(), count);
    }
}
