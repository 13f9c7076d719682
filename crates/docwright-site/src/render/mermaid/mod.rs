//! Mermaid diagrams as inline SVG, drawn at build time.
//!
//! The renderer underneath is young and takes what authors write, so it stays behind this module:
//! limits before it, a guard around it, and `clean` behind it, which lets only known markup
//! through and gives every color a counterpart for dark mode.

mod clean;
mod colors;
mod prepare;

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

use maud::{Markup, PreEscaped, html};
use mermaid_rs_renderer::{
    DiagramKind, Edge, Graph, Layout, LayoutConfig, compute_layout, parse_mermaid, render_svg,
};
use sha2::{Digest, Sha256};

use crate::render::icons::glyph;

/// Colors of the parts of diagrams, for the theme's stylesheet.
pub fn stylesheet() -> String {
    colors::stylesheet()
}

/// Diagrams larger than this, in bytes of source, are not drawn.
const LARGEST_SOURCE: usize = 30_000;

/// Graphs with more nodes or edges are not drawn: layout takes more than quadratic time, and this
/// many take about a second. Nobody could read a larger one on a page either.
const LARGEST_GRAPH: usize = 150;

/// The same for messages of a sequence diagram, which are only stacked.
const MOST_MESSAGES: usize = 500;

/// Drawn diagrams are kept up to this many bytes of SVG.
const CAPACITY: usize = 32 * 1024 * 1024;

/// Diagrams taller than this, in pixels, get zoom controls unless their author says otherwise.
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

type Drawing = Result<Picture, String>;

#[derive(Debug)]
struct Picture {
    svg: clean::Svg,
    start: Option<f32>,
}

/// A drawn diagram.
#[derive(Debug, Clone)]
pub struct Diagram {
    svg: String,
    height: f64,
    /// Where its first node stands, in per cent of its width from the left.
    start: Option<f32>,
}

impl Diagrams {
    /// Draws a diagram. `number` makes its ids distinct from those of the page's other diagrams.
    /// What is wrong with it comes back as a sentence without a full stop.
    pub fn render(&self, source: &str, number: u32) -> Result<Diagram, String> {
        let drawing = self.drawing(source);
        let Picture { svg, start } = drawing.as_ref().as_ref().map_err(Clone::clone)?;
        let markup = svg.with_ids(&format!("d{number}-"));
        Ok(Diagram { svg: markup, height: svg.height, start: *start })
    }

    fn drawing(&self, source: &str) -> Arc<Drawing> {
        let key: [u8; 32] = Sha256::digest(source).into();
        if let Ok(drawn) = self.drawn.lock()
            && let Some(drawing) = drawn.by_source.get(&key)
        {
            return Arc::clone(drawing);
        }
        let drawing = Arc::new(draw(source));
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

impl Diagram {
    /// The diagram in its frame, where it has its natural size and scrolls. `actions`: whether zoom
    /// controls are wanted, `None` for tall ones only; `placement`: the corner for them.
    pub fn frame(&self, actions: Option<bool>, placement: Option<&str>) -> Markup {
        let actions = actions.unwrap_or(self.height > TALL);
        let corners = ["top-left", "top-right", "bottom-left", "bottom-right"];
        let start = self.start.map(|start| format!("{start:.0}"));
        let placement = placement.filter(|corner| corners.contains(corner));
        html! {
            div.mermaid.dw-mermaid data-component-name="mermaid-container" data-actions[actions]
                data-placement=(placement.unwrap_or("bottom-right")) {
                div.dw-mermaid-scroll data-zoom data-start=[start] tabindex="0" role="group" aria-label="diagram" {
                    (PreEscaped(&self.svg))
                }
                @if actions {
                    button.dw-mermaid-enlarge type="button" data-enlarge aria-label="Enlarge" { (glyph("maximize-2")) }
                }
            }
        }
    }
}

fn draw(source: &str) -> Drawing {
    if source.len() > LARGEST_SOURCE {
        return Err(format!("it is longer than {LARGEST_SOURCE} bytes"));
    }
    // The renderer has panicked on malformed diagrams; one of them must not end a build.
    let drawn = catch_unwind(AssertUnwindSafe(|| svg(source)));
    let (svg, kind, start) = drawn.unwrap_or_else(|_| Err("its layout failed".to_owned()))?;
    let svg = clean::clean(&svg, kind).ok_or_else(|| "its layout failed".to_owned())?;
    Ok(Picture { svg, start })
}

/// The renderer's SVG, what kind of diagram it is, and where its first node stands.
fn svg(source: &str) -> Result<(String, &'static str, Option<f32>), String> {
    let parsed = parse_mermaid(&prepare::prepare(source)).map_err(|error| error.to_string())?;
    let mut graph = parsed.graph;
    graph.edges.iter_mut().for_each(unquote);
    let limit = if graph.kind == DiagramKind::Sequence { MOST_MESSAGES } else { LARGEST_GRAPH };
    if graph.nodes.len().max(graph.edges.len()) > limit {
        return Err(format!("it has more than {limit} nodes or edges"));
    }
    let theme = colors::theme();
    let layout = layout();
    let drawn = compute_layout(&graph, &theme, &layout);
    Ok((render_svg(&drawn, &theme, &layout), kind(&graph), start(&graph, &drawn)))
}

/// Where the first node of a diagram stands, in per cent of the width from the left. A tree begins in the
/// middle, and so should those who see a part of it only.
fn start(graph: &Graph, drawn: &Layout) -> Option<f32> {
    let (first, _) = graph.node_order.iter().min_by_key(|(_, place)| **place)?;
    let node = drawn.nodes.get(first)?;
    let start = (node.x + node.width / 2.0) / drawn.width * 100.0;
    (0.0..=100.0).contains(&start).then_some(start)
}

/// Quotes around the label of an edge are the author's way to write anything in it; the renderer
/// would show them.
fn unquote(edge: &mut Edge) {
    for label in [&mut edge.label, &mut edge.start_label, &mut edge.end_label] {
        let inner = label.as_deref().map(str::trim).and_then(|text| {
            text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).map(str::to_owned)
        });
        if inner.is_some() {
            *label = inner;
        }
    }
}

/// The renderer's layout, without the fonts of the machine: other fonts would make another page,
/// and it keeps copies of fonts it finds. ASCII text goes by its own table of widths anyway.
fn layout() -> LayoutConfig {
    let mut config = LayoutConfig { fast_text_metrics: true, ..LayoutConfig::default() };
    // C4 diagrams have a font for each of their 22 kinds of box.
    let fonts = serde_json::to_value(&config.c4).and_then(|mut c4| {
        for (key, value) in c4.as_object_mut().into_iter().flatten() {
            if key.ends_with("font_family") {
                *value = colors::NO_FONT.into();
            }
        }
        serde_json::from_value(c4)
    });
    if let Ok(c4) = fonts {
        config.c4 = c4;
    }
    config
}

fn kind(graph: &Graph) -> &'static str {
    match graph.kind {
        DiagramKind::Flowchart => "flowchart",
        DiagramKind::Class => "class diagram",
        DiagramKind::State => "state diagram",
        DiagramKind::Sequence => "sequence diagram",
        DiagramKind::Er => "entity relationship diagram",
        DiagramKind::Pie => "pie chart",
        DiagramKind::Mindmap => "mind map",
        DiagramKind::Journey => "user journey",
        DiagramKind::Timeline => "timeline",
        DiagramKind::Gantt => "Gantt chart",
        DiagramKind::GitGraph => "Git graph",
        DiagramKind::XYChart => "chart",
        _ => "diagram",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_edges_have_no_quotes() {
        for source in [
            "flowchart LR\n  A -->|\"create()\"| B",
            "flowchart LR\n  A -- \"create()\" --> B",
            "erDiagram\n  A ||--o{ B : \"create()\"",
        ] {
            let svg = Diagrams::default().render(source, 1).expect("it is a diagram").svg;
            assert!(svg.contains("create()") && !svg.contains("&quot;"), "{source}: {svg}");
        }
    }

    #[test]
    fn diagram_starts_at_its_first_node() {
        let start = |source: &str| Diagrams::default().render(source, 1).expect("it is one").start;
        let children: Vec<_> =
            (0..9).map(|n| format!("  Root --> C{n}[A child of the root]")).collect();
        let tree = start(&format!("flowchart TD\n{}", children.join("\n"))).expect("it has nodes");
        assert!((30.0..=70.0).contains(&tree), "{tree}");
        let line = start("flowchart LR\n  A --> B --> C --> D --> E").expect("it has nodes");
        assert!(line < 20.0, "{line}");
        assert_eq!(start("pie\n  \"a\": 1\n  \"b\": 2"), None);
    }

    #[test]
    fn layout_uses_no_system_font() {
        let config = serde_json::to_string(&layout().c4).expect("it is plain data");
        assert_eq!(config.matches("font_family\":\"").count(), 22);
        assert!(!config.contains("sans-serif"));
    }
}
