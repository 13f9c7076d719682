//! `<Frame>`: a border and a caption around a picture.

use maud::{Markup, PreEscaped, html};

use super::Component;
use crate::render::{Element, PageRenderer};

pub(super) const FRAME: Component = Component {
    names: &["Frame"],
    props: &[
        "caption",
        "hint",
        "center",
        "border",
        "shadow",
        "width",
        "noborder",
        "background",
        "title",
        "height",
        "type",
        "label",
    ],
    render,
};

fn render(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    let body = page.nodes(element.children);
    // Browsers only start a video by themselves when it is silent and in place.
    let body =
        PreEscaped(body.0.replace("<video autoplay", "<video autoplay playsinline loop muted"));
    let caption = element.text("caption").map(|text| page.inline_markdown(&text));
    let hint = element.text("hint").map(|text| page.inline_markdown(&text));
    html! {
        figure.frame {
            @if let Some(hint) = hint { p.frame-hint { (hint) } }
            div.frame-content { (body) }
            @if let Some(caption) = caption { figcaption { (caption) } }
        }
    }
}
