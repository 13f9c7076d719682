//! The parser's arena to our own tree.

use std::{collections::HashMap, ops::Range};

use satteri_arena::{Arena, Mdast, StringRef};
use satteri_ast::{
    mdast::{
        ColumnAlign, DefinitionData, ImageData, LinkData, ListData, ListItemData, MathData,
        MdastNodeType, ReferenceData, decode_code_data, decode_expression_data,
        decode_footnote_definition_data, decode_heading_data, decode_image_reference_alt,
        decode_mdx_jsx_attr, decode_mdx_jsx_attr_count, decode_mdx_jsx_element_name,
        decode_string_ref_data, decode_table_alignments,
    },
    shared::{MDX_ATTR_BOOLEAN_PROP, MDX_ATTR_EXPRESSION_PROP, MDX_ATTR_LITERAL_PROP},
};
use satteri_pulldown_cmark::{Options, parse};

use super::{
    Align, Attribute, AttributeValue, Node, NodeKind, ParseError, ParseProblem,
    indentation::{restore, restore_attribute},
    mask::unmask,
};

/// Deeper nodes are shown as written, since rendering recurses.
const MAXIMUM_DEPTH: u32 = 150;

/// Maximum bytes of an element that are searched for attribute expressions.
const LONGEST_TAG: usize = 64 * 1024;

/// Parses a masked text and converts the result.
pub(super) fn convert(
    text: &str,
    options: Options,
    first_line: u32,
    errors: &mut Vec<ParseError>,
) -> Vec<Node> {
    let (arena, problems) = parse(text, options);
    for (offset, message) in problems {
        let problem = ParseProblem {
            offset,
            message: sentence(&message),
            help: help_for(&message),
            over_budget: false,
        };
        errors.push(problem.place(text, first_line));
    }
    let mut converter = Converter {
        definitions: definitions(&arena),
        arena: &arena,
        text,
        line_offset: first_line.saturating_sub(1),
        container: 0,
        too_deep: None,
    };
    let nodes = converter.children(0, 0);
    if let Some((line, column)) = converter.too_deep {
        let message = format!(
            "elements are nested more than {MAXIMUM_DEPTH} deep; what is deeper is shown as written"
        );
        errors.push(ParseError {
            line,
            column,
            message,
            help: "close what is open, or make it less deep",
            over_budget: false,
        });
    }
    nodes
}

fn sentence(message: &str) -> String {
    let message = message.trim().trim_end_matches('.');
    let mut letters = message.chars();
    let first = letters.next().map(|letter| letter.to_lowercase().to_string()).unwrap_or_default();
    first + letters.as_str()
}

fn help_for(message: &str) -> &'static str {
    let message = message.to_lowercase();
    if message.contains("closing") || message.contains("close") || message.contains("tag") {
        "give every tag its closing tag, in the right order, or write \\< where < is text"
    } else if message.contains("expression") || message.contains("brace") {
        "write \\{ where a brace is text, or complete the expression"
    } else if message.contains("import") || message.contains("export") || message.contains("esm") {
        "complete the statement, and leave an empty line after it"
    } else {
        "correct the MDX here; see https://mdxjs.com/docs/troubleshooting-mdx/"
    }
}

/// Link definitions by their identifier; the first of several wins, as in `CommonMark`.
fn definitions(arena: &Arena<Mdast>) -> HashMap<String, (String, Option<String>)> {
    let mut found = HashMap::new();
    for id in 0..u32::try_from(arena.len()).unwrap_or(0) {
        if arena.get_node(id).node_type == MdastNodeType::Definition as u8 {
            let data = DefinitionData::from_bytes(arena.get_type_data(id));
            let target = (unmask(stored(arena, data.url)), optional(arena, data.title));
            found.entry(stored(arena, data.identifier).to_lowercase()).or_insert(target);
        }
    }
    found
}

/// A text in the tree. After certain errors, it exceeds the end of the source and is cut there.
fn stored(arena: &Arena<Mdast>, text: StringRef) -> &str {
    let (start, end) = (text.offset as usize, text.offset as usize + text.len as usize);
    let source = arena.source();
    if start < source.len() && end > source.len() {
        return source.get(start..).unwrap_or_default();
    }
    arena.get_str(text)
}

fn optional(arena: &Arena<Mdast>, text: StringRef) -> Option<String> {
    (!text.is_empty()).then(|| unmask(stored(arena, text)))
}

struct Converter<'a> {
    arena: &'a Arena<Mdast>,
    /// The parsed text.
    text: &'a str,
    definitions: HashMap<String, (String, Option<String>)>,
    line_offset: u32,
    /// Columns that surrounding lists remove from each line.
    container: usize,
    /// Position of the first node that is nested too deeply.
    too_deep: Option<(u32, u32)>,
}

impl Converter<'_> {
    fn children(&mut self, id: u32, depth: u32) -> Vec<Node> {
        let children = self.arena.get_children(id);
        children.iter().filter_map(|child| self.node(*child, depth)).collect()
    }

    fn node(&mut self, id: u32, depth: u32) -> Option<Node> {
        let node = self.arena.get_node(id);
        let (line, column) = (node.start_line + self.line_offset, node.start_column);
        let span = node.start_offset as usize..node.end_offset as usize;
        if depth > MAXIMUM_DEPTH {
            self.too_deep.get_or_insert((line, column));
            let value = unmask(self.arena.source().get(span.clone()).unwrap_or_default());
            let kind = NodeKind::Text { value };
            return Some(Node { kind, children: Vec::new(), span, line, column });
        }
        let mut kind = self.kind(id, MdastNodeType::from_u8(node.node_type)?)?;
        self.restore_indentation(&mut kind, span.clone());
        let outer = self.container;
        if matches!(kind, NodeKind::ListItem { .. }) {
            self.container = self.content_column(id, node.start_column);
        }
        let mut children = self.children(id, depth + 1);
        self.container = outer;
        if let NodeKind::Heading { id, .. } = &mut kind {
            *id = take_heading_id(&mut children);
        }
        Some(Node { kind, children, span, line, column })
    }

    /// Columns before the content of an item of a list.
    fn content_column(&self, id: u32, column: u32) -> usize {
        let first = self.arena.get_children(id).first().map(|first| self.arena.get_node(*first));
        let own_line = self.arena.get_node(id).start_line;
        let content = first.filter(|first| first.start_line == own_line);
        let content = content.map_or(column + 2, |first| first.start_column);
        content.saturating_sub(1) as usize
    }

    fn restore_indentation(&self, kind: &mut NodeKind, span: Range<usize>) {
        let written = self.text.get(span).unwrap_or_default();
        let tag = &written[..written.floor_char_boundary(LONGEST_TAG)];
        match kind {
            NodeKind::Expression { value, .. } if value.contains('\n') => {
                let inside = written.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
                let own = std::mem::take(value);
                *value = restore(own, &unmask(inside.unwrap_or_default()), self.container);
            }
            NodeKind::Jsx { attributes, .. } => {
                for attribute in attributes {
                    if let AttributeValue::Expression(value) = &mut attribute.value
                        && value.contains('\n')
                    {
                        let own = std::mem::take(value);
                        *value = restore_attribute(own, &unmask(tag), self.container);
                    }
                }
            }
            _ => {}
        }
    }

    fn kind(&self, id: u32, node_type: MdastNodeType) -> Option<NodeKind> {
        let data = self.arena.get_type_data(id);
        let text = |text: StringRef| unmask(stored(self.arena, text));
        Some(match node_type {
            MdastNodeType::Paragraph => NodeKind::Paragraph,
            MdastNodeType::Heading => {
                NodeKind::Heading { depth: decode_heading_data(data).depth.clamp(1, 6), id: None }
            }
            MdastNodeType::ThematicBreak => NodeKind::ThematicBreak,
            MdastNodeType::Blockquote => NodeKind::BlockQuote,
            MdastNodeType::List => {
                let list = ListData::from_bytes(data);
                NodeKind::List { ordered: list.ordered, start: list.start, spread: list.spread }
            }
            MdastNodeType::ListItem => list_item(data),
            MdastNodeType::Code => {
                let code = decode_code_data(data);
                let (language, meta) =
                    (optional(self.arena, code.lang), optional(self.arena, code.meta));
                NodeKind::Code { language, meta, value: text(code.value) }
            }
            MdastNodeType::Math | MdastNodeType::InlineMath => {
                let value = text(MathData::from_bytes(data).value);
                if node_type == MdastNodeType::Math {
                    NodeKind::Math { value }
                } else {
                    NodeKind::InlineMath { value }
                }
            }
            MdastNodeType::Text => NodeKind::Text { value: text(decode_string_ref_data(data)) },
            // Only from plain Markdown.
            MdastNodeType::Html => NodeKind::Html { value: text(decode_string_ref_data(data)) },
            MdastNodeType::InlineCode => {
                NodeKind::InlineCode { value: text(decode_string_ref_data(data)) }
            }
            MdastNodeType::Emphasis => NodeKind::Emphasis,
            MdastNodeType::Strong => NodeKind::Strong,
            MdastNodeType::Delete => NodeKind::Delete,
            MdastNodeType::Break => NodeKind::Break,
            MdastNodeType::Table => NodeKind::Table {
                align: decode_table_alignments(data).into_iter().map(align).collect(),
            },
            MdastNodeType::TableRow => NodeKind::TableRow,
            MdastNodeType::TableCell => NodeKind::TableCell,
            MdastNodeType::MdxJsxFlowElement | MdastNodeType::MdxJsxTextElement => {
                self.element(data, node_type == MdastNodeType::MdxJsxTextElement)
            }
            MdastNodeType::MdxFlowExpression | MdastNodeType::MdxTextExpression => {
                NodeKind::Expression {
                    value: text(decode_expression_data(data).value),
                    inline: node_type == MdastNodeType::MdxTextExpression,
                }
            }
            MdastNodeType::MdxjsEsm => {
                NodeKind::Esm { value: text(decode_expression_data(data).value) }
            }
            _ => return self.link_kind(id, node_type),
        })
    }

    fn link_kind(&self, id: u32, node_type: MdastNodeType) -> Option<NodeKind> {
        let data = self.arena.get_type_data(id);
        let text = |text: StringRef| unmask(stored(self.arena, text));
        Some(match node_type {
            MdastNodeType::Link => {
                let link = LinkData::from_bytes(data);
                NodeKind::Link { url: text(link.url), title: optional(self.arena, link.title) }
            }
            MdastNodeType::Image => {
                let image = ImageData::from_bytes(data);
                NodeKind::Image {
                    url: text(image.url),
                    alt: text(image.alt),
                    title: optional(self.arena, image.title),
                }
            }
            MdastNodeType::LinkReference | MdastNodeType::ImageReference => {
                let reference = ReferenceData::from_bytes(data);
                let identifier = stored(self.arena, reference.identifier).to_lowercase();
                let (url, title) = self.definitions.get(&identifier)?.clone();
                if node_type == MdastNodeType::LinkReference {
                    NodeKind::Link { url, title }
                } else {
                    NodeKind::Image { url, alt: text(decode_image_reference_alt(data)), title }
                }
            }
            MdastNodeType::FootnoteReference => {
                let reference = ReferenceData::from_bytes(data);
                NodeKind::FootnoteReference {
                    identifier: text(reference.identifier),
                    label: text(reference.label),
                }
            }
            MdastNodeType::FootnoteDefinition => {
                let definition = decode_footnote_definition_data(data);
                NodeKind::FootnoteDefinition {
                    identifier: text(definition.identifier),
                    label: text(definition.label),
                }
            }
            _ => return None,
        })
    }

    fn element(&self, data: &[u8], inline: bool) -> NodeKind {
        let text = |text: StringRef| unmask(stored(self.arena, text));
        let attributes = (0..decode_mdx_jsx_attr_count(data)).map(|index| {
            let (kind, name, value) = decode_mdx_jsx_attr(data, index);
            let value = match kind {
                MDX_ATTR_BOOLEAN_PROP => AttributeValue::True,
                MDX_ATTR_LITERAL_PROP => AttributeValue::Text(text(value)),
                MDX_ATTR_EXPRESSION_PROP => AttributeValue::Expression(text(value)),
                _ => AttributeValue::Expression(text(value).trim_start_matches("...").to_owned()),
            };
            let spread = !matches!(
                kind,
                MDX_ATTR_BOOLEAN_PROP | MDX_ATTR_LITERAL_PROP | MDX_ATTR_EXPRESSION_PROP
            );
            Attribute { name: if spread { String::new() } else { text(name) }, value }
        });
        NodeKind::Jsx {
            name: text(decode_mdx_jsx_element_name(data)),
            attributes: attributes.collect(),
            inline,
        }
    }
}

fn list_item(data: &[u8]) -> NodeKind {
    let item = ListItemData::from_bytes(data);
    let checked = match item.checked {
        0 => Some(false),
        1 => Some(true),
        _ => None,
    };
    NodeKind::ListItem { checked, spread: item.spread }
}

/// Removes the id from the end of a heading's text and returns it.
fn take_heading_id(children: &mut [Node]) -> Option<String> {
    let NodeKind::Text { value } = &mut children.last_mut()?.kind else { return None };
    let open = value.rfind("{#").filter(|_| value.trim_end().ends_with('}'))?;
    let id = value[open + 2..].trim_end().trim_end_matches('}').to_owned();
    value.truncate(value[..open].trim_end().len());
    Some(id)
}

fn align(align: ColumnAlign) -> Align {
    match align {
        ColumnAlign::None => Align::None,
        ColumnAlign::Left => Align::Left,
        ColumnAlign::Center => Align::Center,
        ColumnAlign::Right => Align::Right,
    }
}
