//! What stands behind a page: a pattern, or an image.

use maud::{Markup, html};

use super::PageView;

/// Decoration and image of the configuration.
pub(super) fn background(view: &PageView<'_>) -> Markup {
    let background = &view.config.background;
    let image = |path: &Option<String>, class: &str| {
        let src = path.as_deref().and_then(|path| view.asset(path));
        html! { @if let Some(src) = src { img class={ "dw-background-image " (class) } src=(src) alt=""; } }
    };
    html! {
        // Authors style it by its id; what they give `body` lies below it, as in the format's own.
        div.dw-background #background-color {}
        @if let Some(decoration) = &background.decoration {
            div.dw-background-decoration data-decoration=(decoration) {}
        }
        @if background.image.light == background.image.dark {
            (image(&background.image.light, ""))
        } @else {
            (image(&background.image.light, "dw-for-light")) (image(&background.image.dark, "dw-for-dark"))
        }
    }
}
