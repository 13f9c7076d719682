//! The contents list of a page.

use maud::{Markup, PreEscaped, html};

use super::PageView;
use crate::content::words::Word;

pub(super) fn contents(view: &PageView<'_>) -> Markup {
    let entries = &view.rendered.contents;
    html! {
        @if !entries.is_empty() {
            nav.toc.dw-toc id=[view.landmark("table-of-contents")] aria-labelledby="table-of-contents-title" {
                p.dw-toc-title #table-of-contents-title { (view.word(Word::Contents)) }
                ul #table-of-contents-content {
                    @for entry in entries {
                        li.toc-item.dw-toc-item data-level=(entry.level) data-view=[entry.view] {
                            a href={ "#" (entry.id.replace('%', "%25").replace(' ', "%20")) } { (PreEscaped(&entry.title)) }
                        }
                    }
                }
            }
        }
    }
}
