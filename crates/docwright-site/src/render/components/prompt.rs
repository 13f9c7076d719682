//! `Prompt`: a text to hand to a model.

use maud::{Markup, html};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use super::props::{prop, required};
use super::root::Root;
use super::{Component, props};
use crate::Rule;
use crate::render::{Element, PageRenderer, plain_text};

/// Longer addresses, in bytes, can be cut off or refused.
const LONGEST_ADDRESS: usize = 8_000;

/// Shows the prompt as written: it is copied, or opened in an editor, with its Markdown.
pub(super) const PROMPT: Component = Component {
    names: &["Prompt"],
    about: "A prompt to copy, or to open in an editor.",
    props: &[
        required("description", r#"="Fix the tests""#, "Description of the prompt, in Markdown"),
        prop("actions", r#"={["copy", "cursor"]}"#, "Buttons: `copy` and `cursor`"),
        prop(
            "icon",
            r#"="star""#,
            "Icon: a name of the icon library, a path, a URL, or inline SVG",
        ),
        prop("iconType", r#"="regular""#, "Style of a Font Awesome icon"),
    ],
    ignored: &["title"],
    render,
};

fn render(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    let root = Root::new(element, page, "prompt dw-prompt");
    let icon = page.icon(element);
    let icon = if icon.0.is_empty() { page.glyph("sparkles") } else { icon };
    let description = match element.text("description") {
        Some(text) => page.inline_markdown(&text),
        None => element.value("description").map(|value| page.value(value)).unwrap_or_default(),
    };
    let prompt = match page.source_of(element.children) {
        Some(source) => dedent(source),
        None => plain_text(element.children),
    };
    let actions = actions(element, page);
    let editor = actions.contains(&"cursor").then(|| cursor(&prompt)).flatten();
    html! {
        div class=(root.class) id=[root.id] style=[root.style] {
            div.dw-prompt-head {
                span.dw-prompt-icon { (icon) }
                div.dw-prompt-description { (description) }
                @if let Some(editor) = editor {
                    a.dw-prompt-open href=(editor) rel="noopener" { "Open in Cursor" }
                }
                @if actions.contains(&"copy") {
                    button.dw-prompt-copy type="button" data-copy aria-label="Copy prompt" {
                        (page.glyph("copy"))
                    }
                }
            }
            pre.dw-prompt-content data-copy-source tabindex="0" { (prompt) }
        }
    }
}

/// The buttons of the prompt. The default is copying it.
fn actions(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Vec<&'static str> {
    if element.value("actions").is_none() {
        return vec!["copy"];
    }
    let mut actions = Vec::new();
    for action in props::texts(element, "actions") {
        match action.as_str() {
            "copy" => actions.push("copy"),
            "cursor" => actions.push("cursor"),
            _ => {
                let message = format!("a prompt has no action `{action}`");
                page.warn(element, Rule::InvalidProp, message, "choose copy or cursor");
            }
        }
    }
    actions
}

/// The address that opens a prompt in Cursor (<https://docs.cursor.com/en/tools/deeplinks>).
fn cursor(prompt: &str) -> Option<String> {
    let text = utf8_percent_encode(prompt, NON_ALPHANUMERIC);
    let address = format!("https://cursor.com/link/prompt?text={text}");
    (address.len() <= LONGEST_ADDRESS).then_some(address)
}

/// A text without the indentation that all its lines share, and without blank lines around it.
pub(crate) fn dedent(text: &str) -> String {
    let width = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    // A first line without indentation follows the tag, so it doesn't count for the others.
    let behind_tag = usize::from(!text.starts_with([' ', '\t', '\n']));
    let lines = text.lines().skip(behind_tag).filter(|line| !line.trim().is_empty());
    let shared = lines.map(width).min().unwrap_or(0);
    let lines: Vec<_> = text.lines().map(|line| &line[shared.min(width(line))..]).collect();
    lines.join("\n").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::{cursor, dedent};

    #[test]
    fn shared_indentation_is_removed() {
        assert_eq!(
            dedent("You are\n    a list:\n      - of one\n"),
            "You are\na list:\n  - of one"
        );
        assert_eq!(dedent("\n  a\n\n  b\n"), "a\n\nb");
        assert_eq!(dedent("  a\n\n    b\n"), "a\n\n  b");
        assert_eq!(dedent(""), "");
        assert_eq!(dedent("a\n\u{3000}b\n c"), "a\n\u{3000}b\n c");
    }

    #[test]
    fn long_prompts_have_no_address() {
        assert_eq!(cursor("a b").as_deref(), Some("https://cursor.com/link/prompt?text=a%20b"));
        assert_eq!(cursor(&"ü".repeat(5_000)), None);
    }
}
