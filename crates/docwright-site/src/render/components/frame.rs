//! `Frame`: a picture or a video with a border and a caption.

use std::borrow::Cow;

use maud::{Markup, html};

use super::Component;
use super::props::prop;
use super::root::Root;
use crate::mdx::{Attribute, AttributeValue, Node, NodeKind};
use crate::render::{Element, PageRenderer};

/// Browsers start a video automatically only if it is silent and stays in the page.
const AUTOPLAY_NEEDS: &[&str] = &["playsInline", "loop", "muted"];

/// A `figure`.
pub(super) const FRAME: Component = Component {
    names: &["Frame"],
    about: "An image or video with a border.",
    props: &[
        prop("caption", r#"="The **editor**""#, "Line below, in Markdown"),
        prop("hint", r#"="Click to open""#, "Line above, in Markdown"),
    ],
    ignored: &["title", "center", "border", "noborder", "shadow", "width", "background"],
    render,
};

fn render(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    let root = Root::new(element, page, "frame dw-frame");
    let hint = markdown(element, page, "hint");
    let caption = markdown(element, page, "caption");
    let children = with_playable_videos(element.children);
    html! {
        figure class=(root.class) id=[root.id] style=[root.style] {
            @if let Some(hint) = hint { p.dw-frame-hint { (hint) } }
            div.dw-frame-content { (page.nodes(&children)) }
            @if let Some(caption) = caption { figcaption.dw-frame-caption { (caption) } }
        }
    }
}

/// A prop with Markdown or JSX.
fn markdown(element: &Element<'_>, page: &mut PageRenderer<'_>, prop: &str) -> Option<Markup> {
    let markup = match element.text(prop) {
        Some(text) => page.inline_markdown(&text),
        None => page.value(element.value(prop)?),
    };
    Some(markup).filter(|markup| !markup.0.trim().is_empty())
}

/// The children, with the attributes that autoplay videos need.
fn with_playable_videos(nodes: &[Node]) -> Cow<'_, [Node]> {
    if !nodes.iter().any(has_autoplay) {
        return Cow::Borrowed(nodes);
    }
    let mut nodes = nodes.to_vec();
    nodes.iter_mut().for_each(complete);
    Cow::Owned(nodes)
}

fn has_autoplay(node: &Node) -> bool {
    video(node).is_some_and(|attributes| names(attributes, "autoPlay"))
        || node.children.iter().any(has_autoplay)
}

fn complete(node: &mut Node) {
    if has_autoplay(node)
        && let NodeKind::Jsx { name, attributes, .. } = &mut node.kind
        && name == "video"
    {
        for needed in AUTOPLAY_NEEDS {
            if !names(attributes, needed) {
                let name = (*needed).to_owned();
                attributes.push(Attribute { name, value: AttributeValue::True });
            }
        }
    }
    node.children.iter_mut().for_each(complete);
}

fn video(node: &Node) -> Option<&[Attribute]> {
    match &node.kind {
        NodeKind::Jsx { name, attributes, .. } if name == "video" => Some(attributes),
        _ => None,
    }
}

fn names(attributes: &[Attribute], name: &str) -> bool {
    attributes.iter().any(|attribute| attribute.name.eq_ignore_ascii_case(name))
}
