//! The fonts that docwright includes. The build script makes the table of npm packages.

use crate::content::closest::closest;

/// A font family.
#[derive(Debug)]
pub(super) struct Family {
    /// Name of its package.
    pub(super) id: &'static str,
    /// Its name.
    pub(super) name: &'static str,
    /// How it is replaced.
    pub(super) kind: Kind,
    /// License and copyright, which accompany its files.
    pub(super) license: &'static str,
    /// Its files.
    pub(super) faces: &'static [Face],
    /// Fonts of operating systems, fitted to it.
    pub(super) fallbacks: &'static [Fallback],
}

/// What a font looks like, if it can't be seen itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Sans,
    Serif,
    Monospaced,
}

/// One file of a family.
pub(super) struct Face {
    /// Letters that it has: `latin`, `latin-ext`, `cyrillic`.
    pub(super) subset: &'static str,
    /// `normal` or `italic`.
    pub(super) style: &'static str,
    /// A weight, or the first and last one of a variable font.
    pub(super) weights: &'static str,
    /// Its letters as CSS lists them.
    pub(super) range: &'static str,
    /// Its contents, as WOFF2.
    pub(super) file: &'static [u8],
}

impl Face {
    /// Whether text of a weight is in this file.
    pub(super) fn has_weight(&self, weight: u16) -> bool {
        let mut bounds = self.weights.split(' ').filter_map(|bound| bound.parse::<u16>().ok());
        let first = bounds.next().unwrap_or_default();
        (first..=bounds.next().unwrap_or(first)).contains(&weight)
    }
}

impl std::fmt::Debug for Face {
    /// Leaves out the contents, which come with the program.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { subset, style, weights, .. } = self;
        formatter.debug_tuple("Face").field(&(subset, style, weights)).finish()
    }
}

/// A font of operating systems, fitted so that text takes the same room. Percentages of CSS.
#[derive(Debug)]
pub(super) struct Fallback {
    pub(super) font: SystemFont,
    pub(super) size: f64,
    pub(super) ascent: f64,
    pub(super) descent: f64,
    pub(super) gap: f64,
}

/// Fonts of equal widths, of which each operating system has one.
#[derive(Debug)]
pub(super) struct SystemFont {
    /// Their names, full ones and those of PostScript.
    pub(super) names: &'static [&'static str],
    /// Weights of text that they are for.
    pub(super) weights: &'static str,
}

#[rustfmt::skip]
impl SystemFont {
    const ARIAL: Self = Self { names: &["Arial", "ArialMT", "Liberation Sans", "LiberationSans", "Arimo", "Helvetica"], weights: "1 599" };
    const ARIAL_BOLD: Self = Self { names: &["Arial Bold", "Arial-BoldMT", "Liberation Sans Bold", "LiberationSans-Bold", "Arimo Bold", "Helvetica Bold"], weights: "600 1000" };
    const TIMES: Self = Self { names: &["Times New Roman", "TimesNewRomanPSMT", "Liberation Serif", "LiberationSerif", "Tinos", "Times"], weights: "1 599" };
    const TIMES_BOLD: Self = Self { names: &["Times New Roman Bold", "TimesNewRomanPS-BoldMT", "Liberation Serif Bold", "LiberationSerif-Bold", "Tinos Bold", "Times Bold"], weights: "600 1000" };
    const MENLO: Self = Self { names: &["Menlo", "Menlo-Regular", "DejaVu Sans Mono", "DejaVuSansMono"], weights: "1 1000" };
    const CONSOLAS: Self = Self { names: &["Consolas"], weights: "1 1000" };
    const COURIER_NEW: Self = Self { names: &["Liberation Mono", "LiberationMono", "Cousine", "Courier New", "CourierNewPSMT"], weights: "1 1000" };
}

/// Every family, by package: variable ones first.
static FAMILIES: &[Family] = include!(concat!(env!("OUT_DIR"), "/fonts.rs"));

/// Names that families had before.
const FORMER_NAMES: [(&str, &str); 3] = [
    ("sourcesanspro", "source-sans-3"),
    ("sourceserifpro", "source-serif-4"),
    ("intervariable", "inter"),
];

impl Family {
    /// Finds a family by its name, in any case.
    pub(super) fn named(name: &str) -> Option<&'static Self> {
        let key = key(name);
        let id = FORMER_NAMES.iter().find(|(former, _)| *former == key).map(|(_, id)| *id);
        FAMILIES
            .iter()
            .find(|family| id.map_or_else(|| self::key(family.name) == key, |id| family.id == id))
    }

    /// A family with almost that name.
    pub(super) fn like(name: &str) -> Option<&'static str> {
        closest(name, FAMILIES.iter().map(|family| family.name))
    }

    /// Names of all families, in order.
    pub(super) fn names() -> Vec<&'static str> {
        let mut names: Vec<_> = FAMILIES.iter().map(|family| family.name).collect();
        names.sort_unstable();
        names
    }
}

/// Authors write `IBM Plex Sans`, `ibm-plex-sans`, and `IBMPlexSans`.
fn key(name: &str) -> String {
    name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::theme::fonts::file::FontFile;

    #[test]
    fn every_face_is_variable_woff2_or_has_one_weight() {
        assert!(FAMILIES.len() >= 24, "{}", FAMILIES.len());
        for family in FAMILIES {
            assert!(family.license.contains("SIL Open Font License"), "{}", family.name);
            for face in family.faces {
                let file = FontFile::read(face.file).expect(family.name);
                assert_eq!(file.format, "woff2");
                assert_eq!(file.is_variable, face.weights.contains(' '), "{}", family.name);
                assert!(face.range.starts_with("U+"), "{}", family.name);
            }
        }
    }

    #[test]
    fn all_families_take_at_most_four_megabytes() {
        let files = FAMILIES.iter().flat_map(|family| family.faces).map(|face| face.file.len());
        let size = files.sum::<usize>();
        assert!((1_000_000..4_000_000).contains(&size), "{size}");
    }

    #[test]
    fn fallbacks_are_about_as_large_as_their_font() {
        for family in FAMILIES {
            for fallback in family.fallbacks {
                let Fallback { size, ascent, descent, .. } = fallback;
                assert!((80.0..135.0).contains(size), "{} {fallback:?}", family.name);
                assert!((70.0..125.0).contains(ascent), "{} {fallback:?}", family.name);
                assert!((15.0..50.0).contains(descent), "{} {fallback:?}", family.name);
            }
        }
    }

    #[test]
    fn family_is_found_by_any_spelling() {
        for (name, found) in [
            ("Inter", "Inter"),
            ("ibm-plex-sans", "IBM Plex Sans"),
            ("GeistMono", "Geist Mono"),
            ("Source Sans Pro", "Source Sans 3"),
        ] {
            assert_eq!(Family::named(name).map(|family| family.name), Some(found));
        }
        assert!(Family::named("Garnett").is_none());
        assert_eq!(Family::like("Robotto"), Some("Roboto"));
    }
}
