//! Links of a Markdown version, made whole: a text that is taken out of its place still leads to the
//! pages that it names, and to their Markdown versions.

use super::evaluate::{Scope, interpolate};
use crate::{
    content::links::{Links, Resolution, relative},
    mdx::{Attribute, AttributeValue, Node, NodeKind},
};

/// Stands for the address of the site until that is put in. No text of an author holds it.
pub(super) const SITE: char = '\0';

/// A part of a text, and what takes its place.
pub(super) struct Edit {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) text: String,
}

/// A text with edits, which end where it is longer than `longest`. Of those that overlap, the first counts.
pub(super) fn edited(text: &str, mut edits: Vec<Edit>, longest: usize) -> String {
    let mut result = String::with_capacity(text.len());
    let mut at = 0;
    edits.sort_by_key(|edit| edit.start);
    for edit in edits {
        if edit.start < at || edit.end > text.len() || result.len() > longest {
            continue;
        }
        result.push_str(text.get(at..edit.start).unwrap_or_default());
        result.push_str(&edit.text);
        at = edit.end;
    }
    result.push_str(text.get(at..).unwrap_or_default());
    result
}

/// What becomes of a link.
enum Whole {
    /// It has this address.
    Address(String),
    /// It leads nowhere: its text stays.
    Text,
    /// It stays as it is.
    AsWritten,
}

/// Edits that make the links of one node whole. It stands in the file at `path`.
pub(super) fn complete_links(
    links: &Links<'_>,
    path: &str,
    node: &Node,
    (body, scope): (&str, &Scope),
    edits: &mut Vec<Edit>,
) {
    match &node.kind {
        NodeKind::Link { url, title } => {
            let whole = resolve(links, path, &interpolate(url, scope));
            complete_link(&whole, title.as_deref(), node, body, edits);
        }
        NodeKind::Image { url, .. } => {
            if let Whole::Address(address) = resolve(links, path, &interpolate(url, scope)) {
                edits.extend(image_edit(url, address, node, body));
            }
        }
        NodeKind::Jsx { attributes, .. } => {
            let named = ["href", "src"].into_iter();
            edits.extend(named.filter_map(|name| {
                let written = attribute(attributes, name)?;
                match resolve(links, path, written) {
                    Whole::Address(address) => {
                        attribute_edit((name, written), &address, node, body)
                    }
                    Whole::Text | Whole::AsWritten => None,
                }
            }));
        }
        _ => {}
    }
}

fn resolve(links: &Links<'_>, path: &str, href: &str) -> Whole {
    let at_site = |file: &str, suffix: &str| {
        let address = format!("{SITE}/{}{suffix}", relative("", file));
        Whole::Address(address.replace(' ', "%20").replace('(', "%28").replace(')', "%29"))
    };
    match links.resolve(path, href) {
        Resolution::Page { slug, suffix } => at_site(&format!("{slug}.md"), &suffix),
        // The page that opens the site where none is called `index`.
        Resolution::File { path, suffix } if path == "index.html" => at_site("", &suffix),
        Resolution::File { path, suffix } => at_site(&path, &suffix),
        Resolution::External(address) if address.starts_with("//") => {
            Whole::Address(format!("https:{address}"))
        }
        Resolution::External(_) | Resolution::Anchor(_) => Whole::AsWritten,
        Resolution::Loop | Resolution::Missing { .. } => Whole::Text,
    }
}

fn attribute<'n>(attributes: &'n [Attribute], name: &str) -> Option<&'n str> {
    let found = attributes.iter().find(|attribute| attribute.name == name)?;
    match &found.value {
        AttributeValue::Text(text) => Some(text),
        _ => None,
    }
}

/// `[text](address "title")`, however the link was written: what stands behind its text is replaced.
fn complete_link(
    whole: &Whole,
    title: Option<&str>,
    node: &Node,
    body: &str,
    edits: &mut Vec<Edit>,
) {
    let (start, end) = (node.span.start, node.span.end);
    let (Some(first), Some(last)) = (node.children.first(), node.children.last()) else { return };
    let (text_start, text_end) = (first.span.start, last.span.end);
    let is_link = body.get(start..text_start) == Some("[")
        && body
            .get(text_end..end)
            .is_some_and(|tail| tail.starts_with(']') && tail.ends_with([')', ']']));
    if !is_link {
        return;
    }
    match whole {
        Whole::Address(address) => {
            let title = title.map(|title| format!(" \"{}\"", title.replace('"', "\\\"")));
            let text = format!("]({address}{})", title.unwrap_or_default());
            edits.push(Edit { start: text_end, end, text });
        }
        Whole::Text => {
            edits.push(Edit { start, end: text_start, text: String::new() });
            edits.push(Edit { start: text_end, end, text: String::new() });
        }
        Whole::AsWritten => {}
    }
}

/// The address of an image is replaced where it stands as it was read.
fn image_edit(url: &str, address: String, node: &Node, body: &str) -> Option<Edit> {
    let written = body.get(node.span.clone())?;
    let at = written.rfind(&format!("]({url}"))? + "](".len();
    let start = node.span.start + at;
    Some(Edit { start, end: start + url.len(), text: address })
}

/// The value of an attribute is replaced where it stands as it was read.
fn attribute_edit(
    (name, written): (&str, &str),
    address: &str,
    node: &Node,
    body: &str,
) -> Option<Edit> {
    let end = node.children.first().map_or(node.span.end, |child| child.span.start);
    let tag = body.get(node.span.start..end)?;
    ['"', '\''].into_iter().filter(|quote| !address.contains(*quote)).find_map(|quote| {
        let before = format!("{name}={quote}");
        let at = tag.find(&format!("{before}{written}{quote}"))?;
        let start = node.span.start + at + before.len();
        let is_whole_name = tag[..at].ends_with(|letter: char| letter.is_whitespace());
        let edit = Edit { start, end: start + written.len(), text: address.to_owned() };
        is_whole_name.then_some(edit)
    })
}
