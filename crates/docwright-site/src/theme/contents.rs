//! The contents list of a page.

use maud::{Markup, PreEscaped, html};

use super::{PageView, page_menu};
use crate::content::words::Word;

/// The list, and below it the page's menu if that is here.
pub(super) fn contents(view: &PageView<'_>) -> Markup {
    html! {
        @if page_menu::is_in_contents(view) {
            div.dw-toc-column { (list(view)) (page_menu::list(view)) }
        } @else {
            (list(view))
        }
    }
}

fn list(view: &PageView<'_>) -> Markup {
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
