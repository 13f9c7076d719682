//! Mermaid diagrams as inline SVG that follows light and dark mode.

use std::{
    collections::HashMap,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, RwLock},
};

use mermaid_rs_renderer::{RenderOptions, Theme, render_with_options};

use super::icons::sanitise;

/// Longer sources are shown as code. Bytes.
const MAXIMUM_LENGTH: usize = 20_000;

/// Placeholder colours given to the renderer, and the CSS variables that they become.
const COLORS: &[(&str, &str)] = &[
    ("#010203", "var(--diagram-fill)"),
    ("#010204", "var(--diagram-text)"),
    ("#010205", "var(--diagram-border)"),
    ("#010206", "var(--diagram-line)"),
    ("#010207", "var(--diagram-fill-2)"),
    ("#010208", "var(--diagram-fill-3)"),
    ("#010209", "var(--diagram-background)"),
    ("#01020a", "var(--diagram-cluster)"),
    ("#01020b", "var(--diagram-note)"),
];

/// Diagrams that were drawn already, by their source.
#[derive(Debug, Default)]
pub struct Diagrams {
    drawn: RwLock<HashMap<String, Result<Arc<str>, String>>>,
}

impl Diagrams {
    /// The SVG of a diagram, its ids made unique with `number`; the error is why it can't be drawn.
    pub fn draw(&self, source: &str, number: u32) -> Result<String, String> {
        let known = self.drawn.read().ok().and_then(|drawn| drawn.get(source).cloned());
        let svg = match known {
            Some(known) => known,
            None => {
                let made = draw(source).map(Arc::from);
                if let Ok(mut drawn) = self.drawn.write() {
                    drawn.insert(source.to_owned(), made.clone());
                }
                made
            }
        };
        svg.map(|svg| with_unique_ids(&svg, number))
    }
}

fn draw(source: &str) -> Result<String, String> {
    if source.len() > MAXIMUM_LENGTH {
        return Err("it is too long".to_owned());
    }
    let options = RenderOptions { theme: theme(), ..RenderOptions::default() };
    // The renderer is young: a diagram it trips over must not take the site with it.
    let drawn = catch_unwind(AssertUnwindSafe(|| render_with_options(source, options)));
    let svg = match drawn {
        Ok(Ok(svg)) => svg,
        Ok(Err(error)) => return Err(error.to_string().lines().next().unwrap_or_default().to_owned()),
        Err(_) => return Err("its layout is not supported".to_owned()),
    };
    let mut svg = sanitise(&svg);
    for (color, variable) in COLORS {
        svg = svg.replace(color, variable).replace(&color.to_uppercase(), variable);
    }
    Ok(svg)
}

fn theme() -> Theme {
    let color = |index: usize| COLORS.get(index).map(|(color, _)| (*color).to_owned()).unwrap_or_default();
    let (fill, text, border, line) = (color(0), color(1), color(2), color(3));
    Theme {
        font_family: "inherit".to_owned(),
        primary_color: fill.clone(),
        primary_text_color: text.clone(),
        primary_border_color: border.clone(),
        line_color: line.clone(),
        secondary_color: color(4),
        tertiary_color: color(5),
        edge_label_background: color(6),
        cluster_background: color(7),
        cluster_border: border.clone(),
        background: "transparent".to_owned(),
        sequence_actor_fill: fill,
        sequence_actor_border: border.clone(),
        sequence_actor_line: line,
        sequence_note_fill: color(8),
        sequence_note_border: border.clone(),
        sequence_activation_fill: color(4),
        sequence_activation_border: border,
        text_color: text.clone(),
        pie_title_text_color: text.clone(),
        pie_legend_text_color: text,
        ..Theme::modern()
    }
}

/// Ids and the references to them, so that two diagrams on a page don't meet.
fn with_unique_ids(svg: &str, number: u32) -> String {
    let prefix = format!("diagram-{number}-");
    svg.replace(" id=\"", &format!(" id=\"{prefix}"))
        .replace("url(#", &format!("url(#{prefix}"))
        .replace("href=\"#", &format!("href=\"#{prefix}"))
}

#[cfg(test)]
mod tests {
    use super::Diagrams;

    #[test]
    fn diagrams_are_drawn_in_the_theme_s_colours() {
        let diagrams = Diagrams::default();
        let svg = diagrams.draw("flowchart LR\n  A[Start] --> B{Choice}", 7).unwrap();
        assert!(svg.starts_with("<svg") && svg.contains("Start") && svg.contains("var(--diagram-fill)"), "{svg}");
        assert!(!svg.contains("#010203") && !svg.contains("id=\"arrow"));
        assert!(diagrams.draw(&"x".repeat(30_000), 1).is_err());
    }
}
