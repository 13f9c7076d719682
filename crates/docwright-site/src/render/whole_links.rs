//! Complete links in a Markdown version, so that a text out of context still leads to the named pages and their
//! Markdown versions.

use std::{borrow::Cow, cell::Cell, ops::Range};

use super::evaluate::{Scope, interpolate};
use crate::{
    content::links::{Links, Resolution, relative},
    mdx::{Attribute, AttributeValue, Node, NodeKind},
};

/// A placeholder for the site's address. Authors' texts never contain it.
const MARK: char = '\0';
/// The cost of each link in bytes, in addition to its path, since the site's address is added later.
const LINK: usize = 64;

/// A Markdown version of a site at an address without a trailing slash, such as `https://e.org` or `..`.
pub fn at_site(markdown: &str, address: &str) -> String {
    markdown.replace(MARK, address)
}

/// An author's text without characters that look like marks. The length stays.
pub(super) fn without_marks(text: &str) -> Cow<'_, str> {
    if text.contains(MARK) { text.replace(MARK, " ").into() } else { text.into() }
}

/// Whether there is room for a number of bytes. Takes it.
pub(super) fn take_room(left: &Cell<usize>, bytes: usize) -> bool {
    let rest = left.get().checked_sub(bytes);
    left.set(rest.unwrap_or(0));
    rest.is_some()
}

/// A part of a text, and its replacement.
pub(super) struct Edit {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) text: String,
}

/// A part of a text with edits. Of overlapping edits, the first wins.
pub(super) fn edited(text: &str, part: Range<usize>, mut edits: Vec<Edit>) -> String {
    let mut result = String::with_capacity(part.len());
    let mut at = part.start;
    edits.sort_by_key(|edit| edit.start);
    for edit in edits {
        if edit.start < at || edit.end > part.end {
            continue;
        }
        result.push_str(text.get(at..edit.start).unwrap_or_default());
        result.push_str(&edit.text);
        at = edit.end;
    }
    result.push_str(text.get(at..part.end).unwrap_or_default());
    result
}

/// The result for a link.
enum Whole {
    /// It has this address.
    Address(String),
    /// It leads nowhere: its text stays.
    Text,
    /// It stays as it is.
    AsWritten,
}

/// The links of a text.
pub(super) struct WholeLinks<'a> {
    pub(super) links: &'a Links<'a>,
    /// The file that the text is in.
    pub(super) path: &'a str,
    pub(super) body: &'a str,
    pub(super) scope: &'a Scope,
    /// Room for complete links. Without room, links stay as written.
    pub(super) left: &'a Cell<usize>,
}

impl WholeLinks<'_> {
    /// Adds the edits that make the links of one node whole.
    pub(super) fn complete(&self, node: &Node, edits: &mut Vec<Edit>) {
        let body = self.body;
        match &node.kind {
            NodeKind::Link { url, title } => {
                let whole = self.resolve(&interpolate(url, self.scope));
                complete_link(&whole, title.as_deref(), node, body, edits);
            }
            NodeKind::Image { url, .. } => {
                if let Whole::Address(address) = self.resolve(&interpolate(url, self.scope)) {
                    edits.extend(image_edit(url, address, node, body));
                }
            }
            NodeKind::Jsx { attributes, .. } => {
                edits.extend(["href", "src"].into_iter().filter_map(|name| {
                    let written = attribute(attributes, name)?;
                    match self.resolve(written) {
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

    /// The complete address of a link; `None` if it leads nowhere.
    pub(super) fn address(&self, href: &str) -> Option<String> {
        match self.resolve(href) {
            Whole::Address(address) => Some(address),
            Whole::AsWritten => {
                let written = without_marks(href).replace(' ', "%20");
                Some(written.replace('(', "%28").replace(')', "%29"))
            }
            Whole::Text => None,
        }
    }

    fn resolve(&self, href: &str) -> Whole {
        match self.links.resolve(self.path, href) {
            Resolution::Page { slug, suffix } => self.at_site(&format!("{slug}.md"), &suffix),
            // The page that opens the site where none is called `index`.
            Resolution::File { path, suffix } if path == "index.html" => self.at_site("", &suffix),
            Resolution::File { path, suffix } => self.at_site(&path, &suffix),
            Resolution::External(address) if address.starts_with("//") => {
                Whole::Address(format!("https:{}", without_marks(&address)))
            }
            Resolution::External(_) | Resolution::Anchor(_) => Whole::AsWritten,
            Resolution::Loop | Resolution::Missing { .. } => Whole::Text,
        }
    }

    fn at_site(&self, file: &str, suffix: &str) -> Whole {
        let address = format!("{MARK}/{}{}", relative("", file), without_marks(suffix));
        if !take_room(self.left, LINK + address.len()) {
            return Whole::AsWritten;
        }
        Whole::Address(address.replace(' ', "%20").replace('(', "%28").replace(')', "%29"))
    }
}

fn attribute<'n>(attributes: &'n [Attribute], name: &str) -> Option<&'n str> {
    let found = attributes.iter().find(|attribute| attribute.name == name)?;
    match &found.value {
        AttributeValue::Text(text) => Some(text),
        _ => None,
    }
}

/// Completes `[text](address "title")` in any syntax by replacing everything after the text.
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
            let title =
                title.map(|title| format!(" \"{}\"", without_marks(title).replace('"', "\\\"")));
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

/// Replaces the address of an image in the source.
fn image_edit(url: &str, address: String, node: &Node, body: &str) -> Option<Edit> {
    let written = body.get(node.span.clone())?;
    let at = written.rfind(&format!("]({url}"))? + "](".len();
    let start = node.span.start + at;
    Some(Edit { start, end: start + url.len(), text: address })
}

/// Replaces the value of an attribute in the source.
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
