//! The bar above the page of an API operation, and the data of its playground.

use maud::{Markup, PreEscaped, html};

use super::PageView;
use crate::content::words::Word;

/// The playground's script below the site root.
pub(super) const PLAYGROUND: &str = "_docwright/playground.js";

/// Method, address, and the button of the playground.
pub(super) fn operation_bar(view: &PageView<'_>) -> Markup {
    let Some(api) = &view.rendered.api else { return html! {} };
    let playground = api.playground.as_ref().filter(|_| view.options.features.playground);
    html! {
        div.dw-api-operation {
            span.method-pill.dw-method-pill data-method=(api.method) { (api.method) }
            code { @if let Some(server) = &api.server { span.dw-api-server { (server) } } (api.path) }
            @if playground.is_some() { button.tryit-button.dw-tryit-button type="button" data-playground-open { (view.word(Word::TryIt)) } }
        }
        @if let Some(data) = playground {
            // Nothing in the data can end the element.
            script.dw-playground-data type="application/json" data-credentials[view.config.api.credentials] { (PreEscaped(data.replace("</", "<\\/"))) }
        }
    }
}

/// Whether a page loads the playground.
pub(super) fn has_playground(view: &PageView<'_>) -> bool {
    view.options.features.playground
        && view.rendered.api.as_ref().is_some_and(|api| api.playground.is_some())
}
