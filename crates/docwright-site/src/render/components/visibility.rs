//! `<Visibility>`: text for readers only, or for agents only.

use maud::{Markup, html};

use super::Component;
use crate::render::{Element, PageRenderer};

pub(super) const VISIBILITY: Component =
    Component { names: &["Visibility"], props: &["for"], render };

fn render(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    match element.text("for").as_deref() {
        Some("agents") => html! {},
        Some("humans") => page.nodes(element.children),
        _ => {
            page.warn(
                element,
                "invalid-prop",
                "`for` must be `humans` or `agents`".to_owned(),
                "correct it",
            );
            page.nodes(element.children)
        }
    }
}
