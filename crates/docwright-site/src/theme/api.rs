//! The bar above the page of an API operation.

use maud::{Markup, html};

use super::{PageView, playground};
use crate::{content::words::Word, render::breakable_title};

/// Method, address, and the button of the playground.
pub(super) fn operation_bar(view: &PageView<'_>) -> Markup {
    let Some(api) = &view.rendered.api else { return html! {} };
    html! {
        div.dw-api-operation {
            span.method-pill.dw-method-pill data-method=(api.method) { (api.method) }
            code { @if let Some(server) = &api.server { span.dw-api-server { (breakable_title(server)) } } (breakable_title(&api.path)) }
            @if playground::is_on(view) {
                button.tryit-button.dw-tryit-button type="button" data-playground-open { (view.word(Word::TryIt)) }
            }
        }
        (playground::data(view))
    }
}
