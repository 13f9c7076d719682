//! `<Heading>`: a heading whose level and id are props.

use maud::Markup;

use super::Component;
use crate::render::{Element, PageRenderer, plain_text};

pub(super) const HEADING: Component =
    Component { names: &["Heading"], props: &["level", "noAnchor"], render };

fn render(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    let level = element.number("level").unwrap_or(2.0).clamp(1.0, 6.0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 1 and 6")]
    let level = level as u8;
    let title = plain_text(element.children);
    let inner = page.nodes(element.children);
    let anchor = element.flag("noAnchor") != Some(true);
    page.heading_markup(level, element.text("id").as_deref(), title.trim(), &inner, anchor)
}
