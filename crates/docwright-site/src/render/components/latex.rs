//! `Latex`: a formula, used before `$…$` existed.

use maud::{Markup, html};

use super::Component;
use crate::Rule;
use crate::render::{Element, PageRenderer, math, plain_text};

/// Its children are TeX, not Markdown.
pub(super) const LATEX: Component =
    Component { names: &["Latex"], about: "A formula.", props: &[], ignored: &[], render };

fn render(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    let written = page.source_of(element.children).map(str::to_owned);
    let tex = unquote(&written.unwrap_or_else(|| plain_text(element.children)));
    match math::render(&tex, !element.inline) {
        Ok(formula) => formula,
        Err(reason) => {
            let message = format!("this formula can't be read: {reason}");
            page.warn(
                element,
                Rule::InvalidMath,
                message,
                "correct the TeX; the page shows it as it is",
            );
            html! { code.dw-math-error { (tex) } }
        }
    }
}

/// The source of children: TeX itself, or a string in an expression (`{"…"}`) with doubled backslashes.
pub(crate) fn unquote(source: &str) -> String {
    let source = source.trim();
    let inside = source.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).map(str::trim);
    let quoted = ['"', '\'', '`'].into_iter().find_map(|quote| {
        let text = inside?.strip_prefix(quote)?.strip_suffix(quote)?;
        (!text.contains(quote)).then(|| text.replace("\\\\", "\\"))
    });
    quoted.unwrap_or_else(|| source.to_owned())
}

#[cfg(test)]
mod tests {
    use super::unquote;

    #[test]
    fn tex_is_read_from_text_and_from_literals() {
        assert_eq!(unquote(" x_{a}^2 "), "x_{a}^2");
        assert_eq!(unquote("{'\\\\frac{1}{2}'}"), "\\frac{1}{2}");
        assert_eq!(unquote("{`a`} + {`b`}"), "{`a`} + {`b`}");
        assert_eq!(unquote("{"), "{");
        assert_eq!(unquote("{\"}"), "{\"}");
    }
}
