//! Footnotes: numbered in the order of their references, listed at the end of the page.

use std::collections::HashMap;

use maud::{Markup, PreEscaped, html};

use super::PageRenderer;
use crate::mdx::Node;

/// The footnotes of a page.
#[derive(Debug, Default)]
pub(super) struct Footnotes {
    /// Each identifier with its position in the order of first references, and the number of references.
    order: HashMap<String, (usize, u32)>,
    /// Rendered definitions.
    definitions: Vec<(String, String)>,
}

impl PageRenderer<'_> {
    pub(super) fn footnote_reference(&mut self, identifier: &str, label: &str) -> Markup {
        let next = self.footnotes.order.len() + 1;
        let place = self.footnotes.order.entry(identifier.to_owned()).or_insert((next, 0));
        place.1 += 1;
        let (number, repeat) = *place;
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

    /// The list at the end of the page. Definitions without references are last.
    pub(super) fn footnote_list(&mut self) -> Markup {
        if self.footnotes.definitions.is_empty() {
            return html! {};
        }
        let order = std::mem::take(&mut self.footnotes.order);
        let mut definitions = std::mem::take(&mut self.footnotes.definitions);
        let place =
            |identifier: &String| order.get(identifier).map_or(usize::MAX, |(place, _)| *place);
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
