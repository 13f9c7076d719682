//! `Visibility`: content for people only, or only for agents that read the Markdown.

use maud::{Markup, html};

use super::props::required;
use super::{Component, props};
use crate::render::{Element, PageRenderer};

/// HTML is for people; the page's Markdown version is written elsewhere.
pub(super) const VISIBILITY: Component = Component {
    names: &["Visibility"],
    about: "Content for people only or for agents only.",
    props: &[required("for", r#"="agents""#, "`humans` or `agents`")],
    ignored: &[],
    render,
};

fn render(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    match props::choice(element, page, "for", &["humans", "agents"]) {
        Some("agents") => html! {},
        _ => page.nodes(element.children),
    }
}
