//! A fence of a page: a code block, or a diagram.

use maud::{Markup, html};

use super::{CodeBlock, Language, Meta, block};
use crate::Rule;
use crate::render::PageRenderer;
use crate::render::components::Panel;
use crate::render::mermaid::{DiagramScripts, FrameOptions, for_browser};

/// Renders a fence from its language, its other options, and its text. `line` is its 1-based line in the
/// source, for diagnostics.
pub fn fence(
    language: Option<&str>,
    meta: Option<&str>,
    value: &str,
    page: &mut PageRenderer<'_>,
    line: u32,
) -> Markup {
    let (language, meta) = language_and_meta(language, meta);
    fence_with(language, meta, value, page, line)
}

/// Renders a fence with parsed options. In a group of code blocks, it becomes a panel with its title.
pub fn fence_with(
    language: Option<&str>,
    mut meta: Meta,
    value: &str,
    page: &mut PageRenderer<'_>,
    line: u32,
) -> Markup {
    if !page.nesting.collects_code() {
        let icon = icon(meta.icon.as_deref(), page, line);
        return block_or_diagram(language, meta, icon, value, page, line);
    }
    let icon = icon(meta.icon.take().as_deref(), page, line);
    let title = meta.title.take().or_else(|| language.map(str::to_owned)).unwrap_or_default();
    let content = block_or_diagram(language, meta, html! {}, value, page, line);
    page.nesting.add_code(Panel { label: html! { (title) }, title, icon, id: None, content });
    html! {}
}

fn block_or_diagram(
    language: Option<&str>,
    meta: Meta,
    icon: Markup,
    value: &str,
    page: &mut PageRenderer<'_>,
    line: u32,
) -> Markup {
    if language.is_some_and(|language| language.eq_ignore_ascii_case("mermaid")) {
        return diagram(value, meta, page, line);
    }
    let highlighter = page.highlighter();
    if let Some(name) = language
        && let Language::Unknown { closest: Some(closest) } = highlighter.language(name)
    {
        let message = format!("unknown language `{name}`, so this code has no highlighting");
        page.warn_at(line, Rule::UnknownLanguage, message, &format!("did you mean `{closest}`?"));
    }
    block(&CodeBlock { language, code: value, meta, icon }, highlighter)
}

/// All options need a language before them, except a bare `nocopy`.
fn language_and_meta<'a>(language: Option<&'a str>, meta: Option<&str>) -> (Option<&'a str>, Meta) {
    let options = Meta::parse(meta.unwrap_or_default());
    match language {
        Some("nocopy") => (None, Meta { copy: false, ..options }),
        other => (other, options),
    }
}

fn diagram(source: &str, meta: Meta, page: &mut PageRenderer<'_>, line: u32) -> Markup {
    let placement = meta.placement.clone();
    let number = page.next_number();
    let options = FrameOptions { number, actions: meta.actions, placement: placement.as_deref() };
    let drawn = page.diagrams().render(source, options, |link| page.link(link, line, 0));
    let failure = match drawn {
        Ok(diagram) => {
            page.diagram_scripts.has_diagrams = true;
            return diagram;
        }
        Err(failure) => failure,
    };
    let message = format!("this Mermaid diagram can't be drawn: {}", failure.reason);
    let help = "fix the diagram; until then, the page shows its source";
    page.warn_at(line, Rule::InvalidDiagram, message, help);
    let code = CodeBlock { language: Some("mermaid"), code: source, meta, icon: html! {} };
    let code = block(&code, page.highlighter());
    if failure.is_final {
        return code;
    }
    page.diagram_scripts = DiagramScripts { has_diagrams: true, needs_library: true };
    for_browser(source, options, &code)
}

/// The icon of a title: a name of the library, or an image.
fn icon(name: Option<&str>, page: &mut PageRenderer<'_>, line: u32) -> Markup {
    let Some(name) = name else { return html! {} };
    if name.contains('/') || name.contains("://") {
        let source = page.asset(name, line, 0);
        return html! { img.icon.dw-icon src=(source) alt="" width="16" height="16"; };
    }
    page.icons().find(name, None).unwrap_or_else(|| {
        let message = format!("unknown icon `{name}`");
        page.warn_at(line, Rule::UnknownIcon, message, page.icons().advice());
        html! {}
    })
}
