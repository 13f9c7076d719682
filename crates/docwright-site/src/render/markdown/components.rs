//! The built-in components as plain Markdown: props become text beside the children, and purely visual props
//! are omitted.

use super::{
    MarkdownVersion,
    blocks::{Piece, with_margin},
    props::Props,
};
use crate::{
    content::words::{Word, word},
    mdx::{Attribute, Node, NodeKind, Value},
    render::components::{
        self, LOCATIONS, dedent, fence_of, literal, modes, parse_repository, unquote, value_text,
    },
};

/// The typed callouts.
const CALLOUTS: [&str; 6] = ["Note", "Warning", "Info", "Tip", "Check", "Danger"];

/// Nonempty blocks, one below another.
fn below(parts: impl IntoIterator<Item = Option<String>>) -> String {
    let parts: Vec<_> = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect();
    parts.join("\n\n")
}

fn bold(title: &str) -> String {
    format!("**{title}**")
}

/// A link, or only its text without an address.
fn link(text: &str, address: Option<&str>) -> String {
    match address {
        Some(address) => format!("[{}]({address})", text.replace('[', "\\[").replace(']', "\\]")),
        None => text.to_owned(),
    }
}

impl MarkdownVersion<'_> {
    /// A use of a built-in component; `None` if the component is none, or must stay as it is.
    pub(super) fn component(
        &self,
        name: &str,
        attributes: &[Attribute],
        node: &Node,
    ) -> Option<Piece> {
        // Without room, the component stays as written, so that nothing is lost.
        let component = components::find(name).filter(|_| self.left.get() > 0)?;
        let props = &Props { version: self, attributes, node };
        let titled = |title: Option<String>, otherwise: &str| {
            let title = title.unwrap_or_else(|| otherwise.to_owned());
            below([
                Some(bold(&title)),
                props.markdown("description"),
                Some(self.content(name, node)),
            ])
        };
        Some(Piece::block(match component.names[0] {
            "Accordion" => titled(props.label("title"), "Details"),
            "Expandable" => titled(props.label("title"), "Properties"),
            "Tab" => titled(props.label("title"), "Tab"),
            "View" => titled(props.label("title"), "View"),
            "Steps" => {
                let outer = self.step.replace(Some(0));
                let steps = self.content(name, node);
                self.step.set(outer);
                steps
            }
            "Step" => self.one_step(props),
            "Note" => self.callout(Some(name), props),
            "Callout" => self.callout(None, props),
            "Card" => self.card(props),
            "Tile" => self.tile(props),
            "ParamField" | "ResponseField" => self.field(name, props),
            "Frame" => below([
                props.markdown("hint"),
                Some(self.content(name, node)),
                props.markdown("caption"),
            ]),
            "Heading" => self.own_heading(props),
            "Prompt" => {
                let text = dedent(self.body.get(self.inside(node)).unwrap_or_default());
                below([props.markdown("description"), Some(fence_of("text", &text))])
            }
            "Update" => self.update(props),
            "Color.Row" => {
                let colors = self.content_with(name, node, "\n");
                below([props.label("title").as_deref().map(bold), Some(colors)])
            }
            "Color.Item" => color(props),
            "Tree.Folder" => {
                let folder = props.label("name").unwrap_or_default();
                let folder = format!("- {}/", folder.trim_end_matches('/'));
                let files = self.content_with(name, node, "\n");
                if files.is_empty() { folder } else { self.item(&format!("{folder}\n{files}"), "") }
            }
            "Tree.File" => format!("- {}", props.label("name").unwrap_or_default()),
            "Tree" | "Color" => self.content_with(name, node, "\n"),
            "GitHub.Repo" => repository(props),
            // Blocks that couldn't be written as fences stay.
            "CodeBlock" => return None,
            "Badge" | "Icon" | "Tooltip" | "Latex" => {
                return Some(self.phrase(component.names[0], props));
            }
            // Other components only position their children.
            _ => self.content(name, node),
        }))
    }

    /// Components that can be inline or blocks.
    fn phrase(&self, name: &str, props: &Props<'_>) -> Piece {
        let node = props.node;
        let is_block = matches!(node.kind, NodeKind::Jsx { inline: false, .. });
        let text = match name {
            "Badge" => self.line(node),
            "Tooltip" => {
                let tip = props.label("tip").or_else(|| props.label("title"));
                let headline = props.label("headline").map(|headline| bold(&headline));
                let address = props.address("href");
                let more = address.map(|address| {
                    link(
                        &props.label("cta").unwrap_or_else(|| "Read more".to_owned()),
                        Some(&address),
                    )
                });
                let parts: Vec<_> = [headline, tip, more].into_iter().flatten().collect();
                let words = self.line(node);
                if parts.is_empty() { words } else { format!("{words} ({})", parts.join(" ")) }
            }
            "Latex" => {
                let tex = unquote(self.body.get(self.inside(node)).unwrap_or_default());
                if is_block { format!("$$\n{tex}\n$$") } else { format!("${tex}$") }
            }
            _ => String::new(),
        };
        Piece { text, is_block }
    }

    fn one_step(&self, props: &Props<'_>) -> String {
        let number = self.step.get().map(|last| {
            let own = props.text("stepNumber").and_then(|number| number.parse().ok());
            own.unwrap_or(last.saturating_add(1))
        });
        self.step.set(number);
        let title = props.label("title");
        let title = match (number, title) {
            (Some(number), Some(title)) => Some(format!("{number}. {title}")),
            (Some(number), None) => Some(format!("{number}.")),
            (None, title) => title,
        };
        let size = props.text("titleSize");
        let level = size.as_deref().and_then(|size| size.strip_prefix('h')?.parse().ok());
        let title = title.map(|title| match level {
            Some(level @ 2..=4) => format!("{} {title}", "#".repeat(level)),
            _ => bold(&title),
        });
        below([title, Some(self.content("Step", props.node))])
    }

    /// A quote that starts with the kind of callout, if any.
    fn callout(&self, kind: Option<&str>, props: &Props<'_>) -> String {
        let own = props.text("type").filter(|_| kind.is_none());
        let own = own.and_then(|own| CALLOUTS.iter().find(|name| name.eq_ignore_ascii_case(&own)));
        let lead = match (own.copied().or(kind), props.label("title")) {
            (Some(kind), Some(title)) => Some(format!("{kind}: {title}")),
            (kind, title) => title.or_else(|| kind.map(str::to_owned)),
        };
        let text = below([lead.as_deref().map(bold), Some(self.content("Callout", props.node))]);
        if self.has_room_for(2 * text.lines().count()) {
            with_margin(&text, "> ", "> ")
        } else {
            text
        }
    }

    fn card(&self, props: &Props<'_>) -> String {
        let address = props.address("href");
        let image = props.address("img").map(|address| format!("![]({address})"));
        let title = props.label("title");
        let untitled = title.is_none();
        let title = title.map(|title| bold(&link(&title, address.as_deref())));
        let more = match (props.label("cta"), address) {
            (Some(words), address) => Some(link(&words, address.as_deref())),
            (None, Some(address)) if untitled => Some(link(&address, Some(&address))),
            (None, _) => None,
        };
        below([
            image,
            title,
            props.markdown("description"),
            Some(self.content("Card", props.node)),
            more,
        ])
    }

    fn tile(&self, props: &Props<'_>) -> String {
        let address = props.address("href");
        let title = props.label("title");
        let untitled = address.as_deref().filter(|_| title.is_none());
        let more = untitled.map(|address| link(address, Some(address)));
        let title = title.map(|title| bold(&link(&title, address.as_deref())));
        below([Some(self.content("Tile", props.node)), title, props.label("description"), more])
    }

    /// A list item, so that nested fields are below it.
    fn field(&self, name: &str, props: &Props<'_>) -> String {
        let code = |text: String| if text.contains('`') { text } else { format!("`{text}`") };
        let is_param = name == "ParamField";
        let location = LOCATIONS
            .iter()
            .filter(|_| is_param)
            .find_map(|location| Some((*location, props.text(location)?)));
        let (location, name) = match location {
            Some((location, name)) => (Some(location.to_owned()), Some(name)),
            None => (None, props.text("name")),
        };
        let labels = |prop: &str| match props.value(prop)? {
            Value::Array(values) => {
                Some(values.iter().map(value_text).collect::<Vec<_>>().join(" "))
            }
            value => Some(value_text(&value)),
        };
        let say = |what| word(&self.page.language, what).to_owned();
        let default =
            props.value("default").map(|value| literal(&value)).filter(|text| !text.is_empty());
        let kind =
            props.value("type").map(|kind| value_text(&kind)).filter(|kind| !kind.is_empty());
        let facts = [
            labels("pre"),
            name.map(code),
            kind.map(code),
            location,
            props.is("required").then(|| say(Word::Required)),
            props.is("deprecated").then(|| say(Word::Deprecated)),
            default.map(|default| format!("{}: {}", say(Word::Default), code(default))),
            labels("post"),
        ];
        let facts: Vec<_> = facts.into_iter().flatten().filter(|fact| !fact.is_empty()).collect();
        let facts = super::unmarked(super::blocks::in_line(&facts.join(" ")));
        let text = below([
            Some(facts),
            props.markdown("description"),
            Some(self.content("ResponseField", props.node)),
        ]);
        self.item(&text, "- ")
    }

    /// A text as a list item, unless there is no room for its margin.
    fn item(&self, text: &str, mark: &str) -> String {
        if self.has_room_for(2 * text.lines().count()) {
            with_margin(text, mark, "  ")
        } else {
            text.to_owned()
        }
    }

    fn own_heading(&self, props: &Props<'_>) -> String {
        let level =
            props.text("level").and_then(|level| level.trim_start_matches('h').parse().ok());
        let level = level.filter(|level| (1..=6).contains(level)).unwrap_or(2);
        format!("{} {}", "#".repeat(level), self.line(props.node))
    }

    fn update(&self, props: &Props<'_>) -> String {
        let label = props.label("label").map(|label| format!("## {label}"));
        let tags = props.value("tags").map(|tags| match tags {
            Value::Array(tags) => tags.iter().map(value_text).collect::<Vec<_>>().join(", "),
            tag => value_text(&tag),
        });
        let tags = tags.map(super::unmarked);
        below([label, tags, props.label("description"), Some(self.content("Update", props.node))])
    }
}

fn color(props: &Props<'_>) -> String {
    let (light, dark) = modes(props.value("value").as_ref());
    let values = if light == dark { vec![light] } else { vec![light, dark] };
    let values = values.into_iter().filter(|value| !value.is_empty());
    let values = values.map(|value| format!("`{}`", super::unmarked(value)));
    let parts: Vec<_> = props.label("name").into_iter().chain(values).collect();
    format!("- {}", parts.join(" "))
}

fn repository(props: &Props<'_>) -> String {
    let written = props.text("repo").unwrap_or_default();
    match parse_repository(&written) {
        Some((owner, name)) => format!("[{owner}/{name}](https://github.com/{owner}/{name})"),
        None => written,
    }
}
