//! The playground of API pages: its data on the page, and its files. Pages load a small script, which loads the rest when
//! a reader opens the playground.

use maud::{Markup, PreEscaped, html};

use super::PageView;
use crate::{options::Options, render::Rendered};

/// The script that opens the playground, below the site root.
const LOADER: &str = "_docwright/playground.js";

/// Its dialog. The parts are functions that share one scope.
const DIALOG: &str = concat!(
    "var docwrightPlayground = (function () {\n\"use strict\";\n",
    include_str!("scripts/elements.js"),
    include_str!("scripts/playground/elements.js"),
    include_str!("scripts/playground/values.js"),
    include_str!("scripts/playground/schemas.js"),
    include_str!("scripts/playground/single_fields.js"),
    include_str!("scripts/playground/composed_fields.js"),
    include_str!("scripts/playground/choices.js"),
    include_str!("scripts/playground/page_fields.js"),
    include_str!("scripts/playground/servers.js"),
    include_str!("scripts/playground/authorization.js"),
    include_str!("scripts/playground/parameter_styles.js"),
    include_str!("scripts/playground/form_bodies.js"),
    include_str!("scripts/playground/body_form.js"),
    include_str!("scripts/playground/request.js"),
    include_str!("scripts/playground/samples.js"),
    include_str!("scripts/playground/sending.js"),
    include_str!("scripts/playground/highlighting.js"),
    include_str!("scripts/playground/streams.js"),
    include_str!("scripts/playground/response.js"),
    include_str!("scripts/playground/history.js"),
    include_str!("scripts/playground/sender.js"),
    include_str!("scripts/playground/dialog.js"),
    "return { Playground: Playground };\n})();\n",
);

/// Its style sheet.
pub(super) const STYLES: &str = include_str!("styles/playground.css");

/// The files of the playground below the site root: path and contents.
pub const PLAYGROUND_FILES: [(&str, &str); 3] = [
    (LOADER, include_str!("scripts/playground/loader.js")),
    ("_docwright/playground/dialog.js", DIALOG),
    ("_docwright/playground/dialog.css", STYLES),
];

/// Where requests go, as `data-mode` names it (`browser` or `show`), and the base address that replaces the
/// servers of the spec. `None` without a playground.
fn target(options: &Options) -> Option<(&str, Option<&str>)> {
    let playground = &options.features.playground;
    playground.is_on().then(|| (playground.mode.name(), playground.base_url.as_deref()))
}

/// Whether a page has the playground.
pub fn has_playground(options: &Options, page: &Rendered) -> bool {
    data_of(options, page).is_some()
}

/// Whether the page of a view has the playground.
pub(super) fn is_on(view: &PageView<'_>) -> bool {
    has_playground(view.options, view.rendered)
}

/// The data of a page's playground. Without a server, requests are impossible.
fn data_of<'r>(options: &Options, page: &'r Rendered) -> Option<&'r str> {
    let (_, base_url) = target(options)?;
    let api = page.api.as_ref().filter(|api| api.has_server || base_url.is_some())?;
    api.playground.as_deref()
}

/// The element with the data, and the script that opens the playground.
pub(super) fn data(view: &PageView<'_>) -> Markup {
    let Some(((mode, base_url), data)) =
        target(view.options).zip(data_of(view.options, view.rendered))
    else {
        return html! {};
    };
    html! {
        // Nothing in the data can end the element.
        script.dw-playground-data type="application/json" data-mode=(mode) data-base-url=[base_url]
            data-credentials[view.config.api.credentials] { (PreEscaped(data.replace("</", "<\\/"))) }
    }
}

/// The script that opens the playground, for the head of a page that has it.
pub(super) fn script(view: &PageView<'_>) -> Markup {
    html! { @if is_on(view) { script defer src=(view.address(LOADER)) {} } }
}
