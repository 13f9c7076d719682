//! The contents list of a page: beside the text, or behind a bar below the header where that has no room.

use maud::{Markup, PreEscaped, html};

use super::{PageView, page_menu};
use crate::{
    content::words::Word,
    render::{ContentsEntry, Month},
};

/// Changelogs with this many updates are listed by month.
const MANY_UPDATES: usize = 12;

/// Whether the right column of the page is for the list, and for nothing that the author placed there.
pub(super) fn is_in_column(view: &PageView<'_>) -> bool {
    view.rendered.examples.is_none() && view.rendered.panel.is_none()
}

/// Whether readers see the list before they open anything: `shown` or `folded`. `None` if the page has no list.
pub(super) fn state(view: &PageView<'_>) -> Option<&'static str> {
    let entries = Some(&view.rendered.contents)
        .filter(|entries| !entries.is_empty() && is_in_column(view))?;
    Some(if entries.iter().all(|entry| entry.folded) { "folded" } else { "shown" })
}

/// The list, and below it the page's menu if that is here.
pub(super) fn contents(view: &PageView<'_>) -> Markup {
    html! {
        @if page_menu::is_in_contents(view) {
            div.dw-toc-column { (contents_list(view)) (page_menu::list(view)) }
        } @else {
            (contents_list(view))
        }
    }
}

fn contents_list(view: &PageView<'_>) -> Markup {
    let entries = &view.rendered.contents;
    html! {
        @if !entries.is_empty() {
            // Opens the list where the styles show it: in windows of little width.
            details.dw-contents-bar data-dropdown {
                summary { span { (view.word(Word::Contents)) } span.dw-contents-here {} }
            }
            nav.toc.dw-toc id=[view.landmark("table-of-contents")] aria-labelledby="table-of-contents-title" {
                p.dw-toc-title #table-of-contents-title { (view.word(Word::Contents)) }
                ul #table-of-contents-content { (list(entries)) }
            }
        }
    }
}

fn list(entries: &[ContentsEntry]) -> Markup {
    let is_changelog = entries.iter().all(|entry| entry.month.is_some());
    if !is_changelog || entries.len() < MANY_UPDATES {
        return html! { @for entry in entries { (item(entry)) } };
    }
    let months = entries.chunk_by(|one, next| one.month == next.month);
    html! {
        @for (index, updates) in months.enumerate() {
            @match (updates, updates.first().and_then(|update| update.month)) {
                ([_, _, ..], Some(month)) => { (group(month, updates, index == 0)) }
                _ => { @for update in updates { (item(update)) } }
            }
        }
    }
}

/// The updates of a month; those of the first one are shown.
fn group(month: Month, updates: &[ContentsEntry], is_open: bool) -> Markup {
    html! {
        li {
            details.dw-toc-month open[is_open] {
                summary { (month) }
                ul { @for update in updates { (item(update)) } }
            }
        }
    }
}

fn item(entry: &ContentsEntry) -> Markup {
    html! {
        li.toc-item.dw-toc-item data-level=(entry.level) hidden[entry.folded] {
            a href={ "#" (entry.id.replace('%', "%25").replace(' ', "%20")) } { (PreEscaped(&entry.title)) }
        }
    }
}
