//! TeX as MathML: no fonts, no scripts, readable to screen readers.

use std::cell::OnceCell;

use katex::{KatexContext, OutputFormat, Settings, render_to_string};
use maud::{Markup, PreEscaped};

/// Longer formulas are refused. Bytes.
const MAXIMUM_LENGTH: usize = 10_000;

thread_local! {
    static CONTEXT: OnceCell<KatexContext> = const { OnceCell::new() };
}

/// Renders a formula; the error is what is wrong with it, in a few words.
pub(super) fn render(tex: &str, display: bool) -> Result<Markup, String> {
    if tex.len() > MAXIMUM_LENGTH {
        return Err("it is too long".to_owned());
    }
    let mut settings = Settings::default();
    settings.display_mode = display;
    settings.output = OutputFormat::Mathml;
    CONTEXT.with(|context| {
        let context = context.get_or_init(KatexContext::default);
        match render_to_string(context, tex, &settings) {
            Ok(html) => Ok(PreEscaped(html)),
            Err(error) => Err(error.to_string().trim_start_matches("KaTeX parse error: ").to_owned()),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::render;

    #[test]
    fn formulas_become_mathml() {
        let html = render(r"\frac{a}{b}", true).unwrap().into_string();
        assert!(html.contains("<mfrac>") && html.contains("display=\"block\""), "{html}");
        assert!(render(r"\frac{a", false).is_err());
    }
}
