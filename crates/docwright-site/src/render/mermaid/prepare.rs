//! Rewrites what the renderer would silently leave out into the nearest that it draws.

use std::borrow::Cow;

/// Arrows of sequence diagrams that the renderer does not know, the longest first, and the nearest
/// that it does: the message matters more than the shape of its head.
const ARROWS: &[(&str, &str)] = &[
    ("<<-->>", "-->>"),
    ("<<->>", "->>"),
    ("--x", "-->>"),
    ("--)", "-->>"),
    ("-x", "->>"),
    ("-)", "->>"),
];

/// A diagram's source as the renderer takes it.
pub(super) fn prepare(source: &str) -> Cow<'_, str> {
    let source = without_directives(source);
    let mut lines = source.lines().map(str::trim);
    let is_sequence = lines.any(|line| line == "sequenceDiagram");
    if !is_sequence {
        return source;
    }
    Cow::Owned(source.lines().map(message).collect::<Vec<_>>().join("\n"))
}

/// `%%{init: …}%%` sets colors and fonts, which are the theme's here. The renderer takes none that
/// goes over several lines.
fn without_directives(source: &str) -> Cow<'_, str> {
    let mut kept = Cow::Borrowed(source);
    while let Some(start) = kept.find("%%{")
        && let Some(length) = kept[start..].find("}%%")
    {
        kept = Cow::Owned(kept[..start].to_owned() + &kept[start + length + 3..]);
    }
    kept
}

/// A line of a sequence diagram with its arrow replaced, if it is a message.
fn message(line: &str) -> Cow<'_, str> {
    let head = line.split(':').next().unwrap_or_default();
    let is_known = ["->", "<-"].iter().any(|arrow| head.contains(arrow)) && !head.contains("<<");
    let arrow = ARROWS.iter().find(|(arrow, _)| is_arrow(head, arrow));
    match arrow {
        Some((arrow, replacement)) if !is_known => Cow::Owned(line.replacen(arrow, replacement, 1)),
        _ => Cow::Borrowed(line),
    }
}

/// Whether an arrow stands between two names. One that ends in a letter must not begin a name
/// with a hyphen in it (`front-xyz`), so that a blank, `+`, `-` or a capital has to follow.
fn is_arrow(head: &str, arrow: &str) -> bool {
    let Some((left, right)) = head.split_once(arrow) else { return false };
    let next = right.chars().next();
    !left.trim().is_empty()
        && !right.trim().is_empty()
        && (!arrow.ends_with('x') || next.is_some_and(|next| !next.is_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_arrows_become_known_ones() {
        let prepared =
            prepare("sequenceDiagram\n  A--xB: no - x\n  A-)B: go\n  A<<->>B: both\n  A->>B: a-x");
        assert_eq!(
            prepared,
            "sequenceDiagram\n  A-->>B: no - x\n  A->>B: go\n  A->>B: both\n  A->>B: a-x"
        );
    }

    #[test]
    fn directives_are_removed() {
        let source = "%%{\n  init: {'theme': 'neutral'}\n}%%\ngraph LR\nA-->B %%{ open";
        assert_eq!(prepare(source), "\ngraph LR\nA-->B %%{ open");
    }

    #[test]
    fn names_with_hyphens_and_other_diagrams_stay() {
        assert_eq!(message("participant front-xyz"), "participant front-xyz");
        assert_eq!(prepare("flowchart LR\nA--xB"), "flowchart LR\nA--xB");
    }
}
