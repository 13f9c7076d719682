//! `Heading`: a heading with level and id as props.

use maud::Markup;

use super::props::prop;
use super::{Component, children, props};
use crate::Rule;
use crate::render::{Element, PageRenderer, plain_text};

/// Looks like a Markdown heading and is treated as one.
pub(super) const HEADING: Component = Component {
    names: &["Heading"],
    about: "A heading for your own components.",
    props: &[prop("level", "={3}", "1 to 6"), prop("noAnchor", "={true}", "No anchor link")],
    ignored: &[],
    render,
};

fn render(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    let level = level(element, page);
    let title = plain_text(element.children);
    let inner = children::inline(element, page);
    let has_anchor = element.flag("noAnchor") != Some(true);
    page.heading_markup(level, element.text("id").as_deref(), title.trim(), &inner, has_anchor)
}

fn level(element: &Element<'_>, page: &mut PageRenderer<'_>) -> u8 {
    let Some(value) = element.value("level") else { return 2 };
    let written = props::text(value);
    let level = written.trim_start_matches('h').trim().parse().ok();
    level.filter(|level| (1..=6).contains(level)).unwrap_or_else(|| {
        let message = format!("`{written}` is not the level of a heading");
        page.warn(element, Rule::InvalidProp, message, "choose a level from 1 to 6");
        2
    })
}
