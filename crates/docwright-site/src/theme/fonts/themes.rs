//! The faces of each theme, where `fonts` names no others.

/// Families of a theme, of those that docwright includes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Faces {
    pub(super) body: &'static str,
    pub(super) heading: &'static str,
    pub(super) code: &'static str,
}

/// The face of code, in every theme.
const CODE: &str = "JetBrains Mono";

/// The faces of a theme.
pub(super) fn faces(theme: &str) -> Faces {
    let text = if theme == "linden" { CODE } else { "Inter" };
    Faces { body: text, heading: text, code: CODE }
}
