//! Mermaid diagrams as inline SVG, drawn at build time.
//!
//! The renderer underneath takes what authors write, so it stays behind this module: limits before
//! it, a guard around it, and `clean` behind it, which lets only known markup through and gives
//! every color a counterpart for dark mode. What it can't draw, mermaid.js draws in the browser.

mod clean;
mod colors;
mod draw;
mod label;
mod metrics;
mod outline;
mod scripts;
mod sheet;
mod source;

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use maud::{Markup, PreEscaped, html};
use sha2::{Digest, Sha256};

pub(super) use scripts::DiagramScripts;

use crate::render::icons::glyph;

/// Colors of the parts of diagrams, for the theme's stylesheet.
pub fn stylesheet() -> String {
    colors::stylesheet()
}

/// Drawn diagrams are kept up to this many bytes of SVG.
const CAPACITY: usize = 32 * 1024 * 1024;

/// Diagrams taller than this, in pixels, get controls unless their author says otherwise.
const TALL: f64 = 120.0;

/// Draws diagrams, each only once.
#[derive(Debug, Default)]
pub struct Diagrams {
    drawn: Mutex<Drawn>,
}

#[derive(Debug, Default)]
struct Drawn {
    by_source: HashMap<[u8; 32], Arc<Drawing>>,
    bytes: usize,
}

type Drawing = Result<Picture, Failure>;

#[derive(Debug)]
struct Picture {
    svg: clean::Svg,
    outline: Vec<String>,
}

/// Why a diagram can't be drawn.
#[derive(Debug, Clone)]
pub struct Failure {
    /// A sentence without a full stop.
    pub reason: String,
    /// Whether mermaid.js can't draw it either.
    pub is_final: bool,
}

/// What a page wants of a diagram.
#[derive(Debug, Clone, Copy, Default)]
pub struct FrameOptions<'a> {
    /// Makes its ids distinct from those of the page's other diagrams.
    pub number: u32,
    /// Whether controls are wanted; `None` for tall ones only.
    pub actions: Option<bool>,
    /// The corner for them.
    pub placement: Option<&'a str>,
}

impl Diagrams {
    /// Draws a diagram in its frame, where it has its natural size and scrolls. `link` gives the
    /// address of a page or file of the site as it is from the page.
    pub fn render(
        &self,
        source: &str,
        options: FrameOptions<'_>,
        link: impl FnMut(&str) -> Option<String>,
    ) -> Result<Markup, Failure> {
        let drawing = self.drawing(source);
        let Picture { svg, outline } = drawing.as_ref().as_ref().map_err(Clone::clone)?;
        let markup = svg.finish(&format!("d{}-", options.number), link);
        let has_actions = options.actions.unwrap_or(svg.height > TALL);
        let start = svg.start.map(|start| format!("{start:.0}"));
        let drawn = html! {
            div.dw-mermaid-scroll data-start=[start] tabindex="0" role="group" aria-label=(name(&svg.kind)) {
                (PreEscaped(markup))
            }
            @if !outline.is_empty() {
                // Only for screen readers. The Markdown version has the source of the diagram instead.
                // The attribute tells that to tools that compare them (https://agentdocsspec.com).
                ul.dw-visually-hidden data-markdown-ignore { @for line in outline { li { (line) } } }
            }
        };
        Ok(frame(source, options, has_actions, None, &drawn))
    }

    fn drawing(&self, source: &str) -> Arc<Drawing> {
        let key: [u8; 32] = Sha256::digest(source).into();
        if let Ok(drawn) = self.drawn.lock()
            && let Some(drawing) = drawn.by_source.get(&key)
        {
            return Arc::clone(drawing);
        }
        let drawing = Arc::new(draw::draw(source));
        let bytes = drawing.as_ref().as_ref().map_or(0, |picture| picture.svg.markup.len());
        if let Ok(mut drawn) = self.drawn.lock()
            && drawn.bytes + bytes <= CAPACITY
        {
            drawn.bytes += bytes;
            drawn.by_source.insert(key, Arc::clone(&drawing));
        }
        drawing
    }
}

/// A diagram that the reader's browser is to draw in the place of its source.
pub(super) fn for_browser(source: &str, options: FrameOptions<'_>, code: &Markup) -> Markup {
    let holder = html! {
        div.dw-mermaid-scroll tabindex="0" role="group" aria-label="Diagram" hidden {}
        div.dw-mermaid-source { (code) }
    };
    frame(source, options, options.actions.unwrap_or(true), Some(""), &holder)
}

fn frame(
    source: &str,
    options: FrameOptions<'_>,
    has_actions: bool,
    browser: Option<&str>,
    content: &Markup,
) -> Markup {
    let corners = ["top-left", "top-right", "bottom-left", "bottom-right"];
    let placement = options.placement.filter(|corner| corners.contains(corner));
    html! {
        div.mermaid.dw-mermaid data-component-name="mermaid-container" data-actions[has_actions]
            data-placement=(placement.unwrap_or("bottom-right")) data-browser=[browser] data-copy-text=(source) {
            (content)
            @if has_actions {
                div.dw-mermaid-actions {
                    button type="button" data-copy aria-label="Copy source" title="Copy source" { (glyph("copy")) }
                    button type="button" data-diagram-enlarge aria-label="Enlarge" title="Enlarge" { (glyph("maximize-2")) }
                }
            }
        }
    }
}

/// What a kind of diagram is called.
fn name(kind: &str) -> &'static str {
    match kind {
        "flowchart-v2" | "flowchart" => "Flowchart",
        "class" => "Class diagram",
        "stateDiagram" => "State diagram",
        "sequence" => "Sequence diagram",
        "er" => "Entity relationship diagram",
        "pie" => "Pie chart",
        "mindmap" => "Mind map",
        "journey" => "User journey",
        "timeline" => "Timeline",
        "gantt" => "Gantt chart",
        "gitGraph" => "Git graph",
        "xychart" => "Chart",
        _ => "Diagram",
    }
}
