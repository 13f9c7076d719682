//! Footnotes: numbered in the order of their references, listed at the end of the page.

use maud::{Markup, PreEscaped, html};

use super::PageRenderer;
use crate::mdx::Node;

/// The footnotes of a page.
#[derive(Debug, Default)]
pub(super) struct Footnotes {
    /// Identifiers in the order of their first reference, with the number of references.
    order: Vec<(String, u32)>,
    /// Rendered definitions.
    definitions: Vec<(String, String)>,
}

impl PageRenderer<'_> {
    pub(super) fn footnote_reference(&mut self, identifier: &str, label: &str) -> Markup {
        let order = &mut self.footnotes.order;
        let index = order.iter().position(|(known, _)| known == identifier).unwrap_or_else(|| {
            order.push((identifier.to_owned(), 0));
            order.len() - 1
        });
        order[index].1 += 1;
        let (number, repeat) = (index + 1, order[index].1);
        let id = if repeat == 1 {
            format!("footnote-reference-{number}")
        } else {
            format!("footnote-reference-{number}-{repeat}")
        };
        html! { sup.dw-footnote-reference { a href={ "#footnote-" (number) } id=(id) aria-label={ "Footnote " (label) } { (number) } } }
    }

    pub(super) fn footnote_definition(&mut self, identifier: &str, children: &[Node]) -> Markup {
        let rendered = self.nodes(children).into_string();
        self.footnotes.definitions.push((identifier.to_owned(), rendered));
        html! {}
    }

    /// The list at the end of the page; a definition that nothing refers to is listed last.
    pub(super) fn footnote_list(&mut self) -> Markup {
        if self.footnotes.definitions.is_empty() {
            return html! {};
        }
        let order = std::mem::take(&mut self.footnotes.order);
        let mut definitions = std::mem::take(&mut self.footnotes.definitions);
        let place = |identifier: &String| {
            order.iter().position(|(known, _)| known == identifier).unwrap_or(usize::MAX)
        };
        definitions.sort_by_key(|(identifier, _)| place(identifier));
        html! {
            section.dw-footnotes {
                h2.dw-visually-hidden #footnote-label { "Footnotes" }
                hr;
                ol {
                    @for (index, (_, definition)) in definitions.iter().enumerate() {
                        li id={ "footnote-" (index + 1) } {
                            (PreEscaped(definition))
                            @if index < order.len() {
                                " " a href={ "#footnote-reference-" (index + 1) } aria-label="Back to the text" { "↩" }
                            }
                        }
                    }
                }
            }
        }
    }
}
