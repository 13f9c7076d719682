//! The faces of each theme, where `fonts` names no others.

/// Families of a theme, of those that docwright includes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Faces {
    pub(super) body: &'static str,
    pub(super) heading: &'static str,
    pub(super) code: &'static str,
}

const USUAL: Faces = Faces { body: "Inter", heading: "Inter", code: "JetBrains Mono" };

/// Themes with other faces.
const OTHERS: &[(&str, Faces)] = &[];

/// The faces of a theme.
pub(super) fn faces(theme: &str) -> Faces {
    OTHERS.iter().find(|(name, _)| *name == theme).map_or(USUAL, |(_, faces)| *faces)
}
