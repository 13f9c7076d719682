//! From a diagram's source to its picture, by the renderer.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::LazyLock;

use merman::svg::{
    DeterministicTextMeasurer, LayoutOptions, MeasurementProfileId, SvgRenderOptions,
    TextMeasurementPolicy, TextMeasurementProfile, TextMeasurementProfileIdentity,
};
use merman::{
    Engine, MermaidConfig, OperationControl, ParseOptions, RenderError, RenderOutput,
    RenderRequest, RenderSemanticModel, Renderer, SvgEnvironment, SvgRequest,
};

use super::{Failure, Picture, clean, colors, metrics, outline, source};

/// Diagrams larger than this, in bytes of source, are not drawn. It is the limit of mermaid.js.
const LARGEST_SOURCE: usize = 50_000;

/// Graphs with more nodes or edges are not drawn: their layout takes seconds. It is the limit of
/// mermaid.js for edges.
const LARGEST_GRAPH: usize = 500;

/// The width of a column of text in pixels, for charts that fill it.
const COLUMN: f64 = 720.0;

/// The id of the picture, which each page prefixes.
const ID: &str = "dw";

/// The renderer with the theme's configuration.
static ENGINE: LazyLock<Engine> =
    LazyLock::new(|| Engine::new().with_site_config(MermaidConfig::from_value(colors::config())));

/// Text is measured by the widths that are compiled in.
static ENVIRONMENT: LazyLock<SvgEnvironment> = LazyLock::new(|| {
    let environment = SvgEnvironment::deterministic();
    let identity = MeasurementProfileId::new("inter")
        .and_then(|profile| TextMeasurementProfileIdentity::new(profile, "4"));
    let Ok(identity) = identity else { return environment };
    let measurer = DeterministicTextMeasurer::default().with_width_callback(metrics::width);
    let profile = TextMeasurementProfile::new(identity, measurer);
    environment.with_text_measurement_policy(TextMeasurementPolicy::uniform(profile))
});

/// Draws a diagram.
pub(super) fn draw(written: &str) -> Result<Picture, Failure> {
    if written.len() > LARGEST_SOURCE {
        return Err(Failure::final_for(format!("it is longer than {LARGEST_SOURCE} bytes")));
    }
    let source = source::prepare(written);
    // A malformed diagram must not end a build, even if the renderer panics.
    let drawn = catch_unwind(AssertUnwindSafe(|| picture(&source)));
    drawn.unwrap_or_else(|_| Err(Failure::of_layout()))
}

/// Parses a diagram for its size and outline, and draws it. The renderer keeps its own model to itself, so it parses
/// the source again.
fn picture(source: &str) -> Result<Picture, Failure> {
    let parsed = ENGINE
        .parse_diagram_for_render_model_sync(source, ParseOptions::strict())
        .map_err(|error| Failure::from(RenderError::from(error)))?
        .ok_or_else(Failure::no_diagram)?;
    check_size(parsed.model())?;
    let request = SvgRequest {
        environment: ENVIRONMENT.clone(),
        layout: LayoutOptions::default().with_container_size(COLUMN, COLUMN),
        options: SvgRenderOptions {
            diagram_id: Some(ID.to_owned()),
            ..SvgRenderOptions::default()
        },
        ..SvgRequest::default()
    };
    let renderer =
        Renderer::new().with_engine(ENGINE.clone()).with_parse_options(ParseOptions::strict());
    let request = RenderRequest::svg(source, OperationControl::new(), request);
    let RenderOutput::Svg(Some(svg)) = renderer.render(request)? else {
        return Err(Failure::no_diagram());
    };
    let svg = clean::clean(svg.svg()).ok_or_else(Failure::of_layout)?;
    Ok(Picture { svg, outline: outline::outline(parsed.model()) })
}

fn check_size(model: &RenderSemanticModel) -> Result<(), Failure> {
    let size = match model {
        RenderSemanticModel::Flowchart(chart) => chart.nodes.len().max(chart.edges.len()),
        RenderSemanticModel::State(diagram) => diagram.nodes.len().max(diagram.edges.len()),
        RenderSemanticModel::Class(diagram) => diagram.classes.len().max(diagram.relations.len()),
        RenderSemanticModel::Er(diagram) => diagram.entities.len().max(diagram.relationships.len()),
        _ => 0,
    };
    if size > LARGEST_GRAPH {
        let reason = format!("it has more than {LARGEST_GRAPH} nodes or edges");
        return Err(Failure::final_for(reason));
    }
    Ok(())
}

impl Failure {
    /// A diagram that a browser can't draw either.
    fn final_for(reason: String) -> Self {
        Self { reason, is_final: true }
    }

    fn of_layout() -> Self {
        Self { reason: "its layout failed".to_owned(), is_final: false }
    }

    fn no_diagram() -> Self {
        Self::final_for("its first line names no kind of diagram".to_owned())
    }
}

impl From<RenderError> for Failure {
    fn from(error: RenderError) -> Self {
        let text = error.to_string();
        if text.contains("No Mermaid diagram type detected")
            || matches!(error, RenderError::NoDiagram)
        {
            return Self::no_diagram();
        }
        if let RenderError::ResourceLimitExceeded(_) = error {
            return Self::final_for("its layout is too large".to_owned());
        }
        // `Diagram parse error (flowchart-v2): …`
        let text = text.split_once("): ").map_or(text.as_str(), |(_, text)| text);
        let mut letters = text.trim_end_matches('.').chars();
        let first = letters.next().map(|letter| letter.to_lowercase().to_string());
        Self { reason: first.unwrap_or_default() + letters.as_str(), is_final: false }
    }
}
