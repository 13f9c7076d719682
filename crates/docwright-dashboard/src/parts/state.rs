//! A state, shown by a word and a shape, and only then by a color.

use maud::{Markup, html};

/// The tone of a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    Good,
    Bad,
    Running,
    Waiting,
    Neutral,
}

/// A state.
pub(crate) fn state(tone: Tone, word: &str) -> Markup {
    let (name, shape) = match tone {
        Tone::Good => ("good", "✓"),
        Tone::Bad => ("bad", "✕"),
        Tone::Running => ("running", "◐"),
        Tone::Waiting => ("waiting", "○"),
        Tone::Neutral => ("neutral", "–"),
    };
    html! {
        span.state data-tone=(name) { span.shape aria-hidden="true" { (shape) } (word) }
    }
}
