//! `<Latex>`: maths, as older sites write it.

use maud::{Markup, html};

use super::Component;
use crate::render::{Element, PageRenderer, plain_text};

pub(super) const LATEX: Component = Component { names: &["Latex"], props: &[], render };

fn render(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    let tex = plain_text(element.children);
    match crate::render::math::render(tex.trim(), !element.inline) {
        Ok(math) => math,
        Err(reason) => {
            page.warn(
                element,
                "invalid-math",
                format!("this formula can't be read: {reason}"),
                "correct the TeX",
            );
            html! { code.math-error { (tex) } }
        }
    }
}
