//! Formulas: TeX to MathML, which browsers draw without fonts or scripts.

use std::cell::OnceCell;

use katex::{KatexContext, OutputFormat, Settings, StrictMode, StrictSetting, TrustSetting};
use maud::{Markup, PreEscaped, html};

use super::tags::{Attributes, tag_end, without_tags};

/// Formulas longer than this, in bytes, are refused: real ones have some hundred.
const LONGEST_FORMULA: usize = 20_000;

/// Groups can be nested this deep; the parser recurses.
const DEEPEST_GROUP: usize = 60;

/// Macros can expand this often in a formula.
const MOST_EXPANSIONS: usize = 1_000;

/// The limit for a formula that defines macros, since each can nest the next one deeper.
const MOST_OWN_EXPANSIONS: usize = 100;

/// A formula in a sentence with more letters can be wider than a phone. Browsers don't break formulas, so it scrolls.
const LETTERS_IN_LINE: usize = 20;

thread_local! {
    // Expensive to create, and can't be shared between threads.
    static CONTEXT: OnceCell<KatexContext> = const { OnceCell::new() };
}

/// Renders a formula; `display` puts it on its own line. Errors are returned as a sentence without a period, so
/// that the caller can show the TeX instead.
pub fn render(tex: &str, display: bool) -> Result<Markup, String> {
    if tex.len() > LONGEST_FORMULA {
        return Err(format!("it is longer than {LONGEST_FORMULA} bytes"));
    }
    if depth(tex) > DEEPEST_GROUP {
        return Err(format!("its groups are nested more than {DEEPEST_GROUP} deep"));
    }
    let defines = ["def", "command", "\\let", "futurelet"].iter().any(|word| tex.contains(word));
    let settings = Settings::builder()
        .display_mode(display)
        .output(OutputFormat::Mathml)
        .strict(StrictSetting::Mode(StrictMode::Ignore))
        .trust(TrustSetting::Bool(false))
        .max_expand(if defines { MOST_OWN_EXPANSIONS } else { MOST_EXPANSIONS })
        .build();
    let rendered = CONTEXT.with(|context| {
        katex::render_to_string(context.get_or_init(KatexContext::default), tex, &settings)
    });
    let rendered = rendered.map_err(|error| error.to_string())?;
    let math = PreEscaped(unwrap(&rendered));
    Ok(if display {
        html! { div.dw-math.dw-math-display tabindex="0" { (math) } }
    } else if shown_letters(&math.0) > LETTERS_IN_LINE {
        html! { span.dw-math.dw-math-inline tabindex="0" { (math) } }
    } else {
        math
    })
}

/// The letters that readers see.
fn shown_letters(math: &str) -> usize {
    let shown = math.split_once("<annotation").map_or(math, |(shown, _)| shown);
    without_tags(shown).chars().count()
}

/// The maximum nesting of groups, delimiters, and environments.
fn depth(tex: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    let mut rest = tex;
    while let Some(at) = rest.find(['{', '}', '\\']) {
        rest = &rest[at..];
        let opened = ["{", "\\left", "\\begin"].iter().any(|open| rest.starts_with(open));
        let closed = ["}", "\\right", "\\end"].iter().any(|close| rest.starts_with(close));
        if opened {
            depth += 1;
        } else if closed {
            depth = depth.saturating_sub(1);
        }
        deepest = deepest.max(depth);
        let escape = rest.starts_with('\\');
        let mut characters = rest.chars();
        characters.next();
        if escape {
            characters.next();
        }
        rest = characters.as_str();
    }
    deepest
}

/// The `math` element without the wrapper for KaTeX's stylesheet, with its attributes in a fixed order, since
/// KaTeX uses the order of a hash map.
fn unwrap(rendered: &str) -> String {
    let inside = rendered.find("<math").zip(rendered.rfind("</math>"));
    let math = inside.map_or(rendered, |(start, end)| &rendered[start..end + "</math>".len()]);
    let mut ordered = String::with_capacity(math.len());
    let mut rest = math;
    while let Some((text, tag)) = rest.split_once('<') {
        let Some(end) = tag_end(tag) else { break };
        ordered.push_str(text);
        push_ordered(&tag[..end], &mut ordered);
        rest = &tag[end + 1..];
    }
    ordered.push_str(rest);
    ordered
}

/// Writes a tag with sorted attributes and without the namespace, which HTML implies.
fn push_ordered(tag: &str, markup: &mut String) {
    let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
    let mut pairs: Vec<_> = Attributes(attributes).filter(|(key, _)| *key != "xmlns").collect();
    pairs.sort_unstable();
    markup.push('<');
    markup.push_str(name);
    for (key, value) in pairs {
        for part in [" ", key, "=\"", value, "\""] {
            markup.push_str(part);
        }
    }
    markup.push_str(if attributes.ends_with('/') { "/>" } else { ">" });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_become_mathml() {
        let inline = render(r"\frac{a}{b}", false).expect("it is valid").0;
        assert!(inline.starts_with("<math") && inline.contains("<mfrac>"), "{inline}");
        let display = render(r"\sum_{i=1}^n x_i", true).expect("it is valid").0;
        assert!(display.starts_with("<div class=\"dw-math dw-math-display\""), "{display}");
        assert!(display.contains("display=\"block\""), "{display}");
    }

    #[test]
    fn long_formula_in_a_sentence_can_scroll() {
        let short = render(r"\mathbf{a} + \mathbf{b} = \mathbf{c}", false).expect("it is valid").0;
        assert!(short.starts_with("<math"), "{short}");
        let long =
            render(r"f(a_1, a_2, a_3) = g(b_1, b_2, b_3) + h", false).expect("it is valid").0;
        assert!(long.starts_with("<span class=\"dw-math dw-math-inline\""), "{long}");
    }

    #[test]
    fn output_is_the_same_every_time() {
        let tex = r"\begin{array}{c|c} a & \colorbox{red}{b} \\ \hline c & \left(\frac12\right) \end{array}";
        let once = render(tex, true).expect("it is valid").0;
        for _ in 0..30 {
            assert_eq!(render(tex, true).expect("it is valid").0, once);
        }
        assert!(!once.contains("xmlns"));
    }

    #[test]
    fn diagnostics_come_back_as_a_reason() {
        let reason = render(r"\frac{a", false).expect_err("the group is open");
        assert!(!reason.is_empty());
        assert!(render(r"\nosuchcommand", false).is_err());
    }

    #[test]
    fn text_and_links_can_not_leave_the_formula() {
        let math = render(r"\text{<script>alert(1)</script>}", false).expect("it is text").0;
        assert!(!math.contains("<script"), "{math}");
        let link = render(r"\href{javascript:alert(1)}{x}", false);
        assert!(link.is_err() || !link.expect("checked").0.contains("href="));
    }

    #[test]
    fn hostile_formulas_end() {
        for tex in [
            "{".repeat(9_000),
            format!("{}x{}", "{".repeat(9_000), "}".repeat(9_000)),
            format!("x{}", "^{x".repeat(5_000)),
            r"\left(".repeat(3_000),
            r"\begin{matrix}".repeat(1_000),
            r"\sqrt".repeat(3_000),
            r"\def\a{\a\a}\a".to_owned(),
            r"\def\a{{\a}}\a".to_owned(),
            r"\def\a#1{\sqrt{\a{#1}}}\a{x}".to_owned(),
            "x^".repeat(9_000),
            r"\text".repeat(3_000),
            r"\mathrm".repeat(2_000),
            r"\hat".repeat(4_000),
            "'".repeat(19_000),
            "a_b".repeat(6_000),
        ] {
            let _ = render(&tex, true);
        }
    }
}
