//! Icons by name.
//!
//! Three libraries are packed into the binary by the build script: Font Awesome Free, Lucide and
//! Tabler. A site uses one of them; docwright's own pages use Lucide.

mod drawing;
mod packed;
mod substitutes;

pub use drawing::Drawing;
use maud::Markup;

/// The icon library of a site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Icons {
    library: Library,
}

/// A library of icons.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Library {
    /// Font Awesome Free.
    FontAwesome,
    /// Lucide.
    Lucide,
    /// Tabler.
    Tabler,
}

impl Library {
    /// What is before the name of an icon in a class. The names of Font Awesome have their style before them.
    fn prefix(self) -> &'static str {
        match self {
            Self::FontAwesome => "",
            Self::Lucide => "lucide-",
            Self::Tabler => "tabler-",
        }
    }
}

impl Icons {
    /// The icons of `fontawesome`, `lucide`, or `tabler`; for any other name, Font Awesome, the format's
    /// default.
    pub fn new(library: &str) -> Self {
        let library = match library {
            "lucide" => Library::Lucide,
            "tabler" => Library::Tabler,
            _ => Library::FontAwesome,
        };
        Self { library }
    }

    /// The icon with a name, as inline SVG; see [`Icons::drawing`].
    pub fn find(&self, name: &str, style: Option<&str>) -> Option<Markup> {
        self.drawing(name, style).map(|drawing| drawing.inline())
    }

    /// The icon with a name. `style` is a style of Font Awesome. A style that isn't in its free edition falls
    /// back to a free one. An icon that a library lacks (Lucide has no company logos) falls back to other
    /// libraries, since a similar picture is better than a gap. A paid icon falls back to the nearest free one.
    pub fn drawing(&self, name: &str, style: Option<&str>) -> Option<Drawing> {
        self.own_or_other(name, style).or_else(|| {
            let nearest = substitutes::nearest(name.trim())?;
            Self { library: Library::FontAwesome }.own_or_other(&nearest, style)
        })
    }

    fn own_or_other(self, name: &str, style: Option<&str>) -> Option<Drawing> {
        let written = name.trim();
        let name = written.to_ascii_lowercase();
        match self.library {
            Library::FontAwesome => {
                font_awesome(&name, style).or_else(|| lucide(&name)).or_else(|| tabler(&name))
            }
            Library::Lucide => {
                let own = lucide(&name).or_else(|| lucide(&kebab(written)));
                own.or_else(|| font_awesome(&name, style))
            }
            Library::Tabler => {
                let own = tabler(&name).or_else(|| tabler(&kebab(written)));
                own.or_else(|| font_awesome(&name, style))
            }
        }
    }

    /// One of docwright's own icons, by its Lucide name; empty for an unknown name.
    pub fn glyph(&self, name: &str) -> Markup {
        lucide(name).map(|drawing| drawing.inline()).unwrap_or_default()
    }

    /// The authors and the license of the icons, in one line for a site's files.
    pub fn attribution(&self) -> &'static str {
        match self.library {
            Library::FontAwesome => {
                "Icons: Font Awesome Free, https://fontawesome.com, CC BY 4.0; Lucide, \
                 https://lucide.dev, ISC; Tabler, https://tabler.io/icons, MIT"
            }
            Library::Lucide => {
                "Icons: Lucide, https://lucide.dev, ISC; Font Awesome Free, https://fontawesome.com, \
                 CC BY 4.0"
            }
            Library::Tabler => {
                "Icons: Tabler, https://tabler.io/icons, MIT; Lucide, https://lucide.dev, ISC; \
                 Font Awesome Free, https://fontawesome.com, CC BY 4.0"
            }
        }
    }

    /// Where authors find the names.
    pub fn advice(&self) -> &'static str {
        match self.library {
            Library::FontAwesome => {
                "use a name of Font Awesome Free, see https://fontawesome.com/search?ic=free"
            }
            Library::Lucide => "use a name of Lucide, see https://lucide.dev/icons",
            Library::Tabler => "use a name of Tabler, see https://tabler.io/icons",
        }
    }
}

/// An icon of docwright's own pages, by its Lucide name; empty for an unknown name.
pub fn glyph(name: &str) -> Markup {
    Icons::new("lucide").glyph(name)
}

/// A company logo, by its Font Awesome name, as inline SVG.
pub fn brand(name: &str) -> Option<Markup> {
    brand_drawing(name).map(|drawing| drawing.inline())
}

/// An icon of docwright's own pages, by its Lucide name.
pub fn glyph_drawing(name: &str) -> Option<Drawing> {
    lucide(name)
}

/// A company logo, by its Font Awesome name.
pub fn brand_drawing(name: &str) -> Option<Drawing> {
    Icons::new("fontawesome").drawing(name, Some("brands"))
}

/// Font Awesome: `github`, `fa-github`, and class lists such as `fa-brands fa-github`.
fn font_awesome(name: &str, style: Option<&str>) -> Option<Drawing> {
    let mut style = style.unwrap_or_default();
    let mut icon = name;
    for word in name.split_whitespace() {
        let word = word.strip_prefix("fa-").unwrap_or(word);
        match word {
            "fas" | "solid" if word != name => style = "solid",
            "far" | "regular" if word != name => style = "regular",
            "fab" | "brands" if word != name => style = "brands",
            word => icon = word,
        }
    }
    let styles = match style {
        "brands" => ["brands", "solid", "regular"],
        "regular" | "light" | "thin" => ["regular", "solid", "brands"],
        _ => ["solid", "regular", "brands"],
    };
    let found =
        styles.iter().find_map(|style| packed::FONT_AWESOME.find(&format!("{style}/{icon}")))?;
    Some(Drawing::new(Library::FontAwesome, found, FILL))
}

fn lucide(name: &str) -> Option<Drawing> {
    Some(Drawing::new(Library::Lucide, packed::LUCIDE.find(name)?, STROKE))
}

/// Tabler: outlined icons, and filled ones as `name-filled`.
fn tabler(name: &str) -> Option<Drawing> {
    let name = name.strip_prefix("icon-").unwrap_or(name);
    let filled = || packed::TABLER.find(&format!("filled/{}", name.strip_suffix("-filled")?));
    let outlined = packed::TABLER.find(name).map(|found| (found, STROKE));
    let (found, paint) = outlined.or_else(|| Some((filled()?, FILL)))?;
    Some(Drawing::new(Library::Tabler, found, paint))
}

/// `ArrowUpRight` as `arrow-up-right`.
fn kebab(name: &str) -> String {
    let mut kebab = String::new();
    for character in name.chars() {
        if character.is_ascii_uppercase() && !kebab.is_empty() {
            kebab.push('-');
        }
        kebab.push(character.to_ascii_lowercase());
    }
    kebab
}

const FILL: &str = "fill=\"currentColor\"";
const STROKE: &str = "fill=\"none\" stroke=\"currentColor\" stroke-width=\"2\" \
                      stroke-linecap=\"round\" stroke-linejoin=\"round\"";

#[cfg(test)]
mod tests {
    use super::*;

    fn has(library: &str, name: &str, style: Option<&str>) -> bool {
        Icons::new(library).find(name, style).is_some()
    }

    #[test]
    fn names_of_each_library() {
        for name in ["rocket", "github", "house", "circle-info", "bluesky"] {
            assert!(has("fontawesome", name, None), "{name}");
        }
        for name in ["copy", "arrow-up-right", "ArrowUpRight", "sun-moon"] {
            assert!(has("lucide", name, None), "{name}");
        }
        for name in ["brand-github", "copy", "alarm-filled", "IconCopy"] {
            assert!(has("tabler", name, None), "{name}");
        }
        for library in ["fontawesome", "lucide", "tabler"] {
            assert!(!has(library, "no-such-icon", None));
            assert!(!has(library, "", None));
            assert!(!has(library, "filled/", None));
        }
    }

    #[test]
    fn font_awesome_styles_fall_back_to_free_ones() {
        let icons = Icons::new("fontawesome");
        let find = |style| icons.find("bell", style).expect("it is free").0;
        assert_ne!(find(Some("solid")), find(Some("regular")));
        assert_eq!(find(Some("light")), find(Some("regular")));
        assert_eq!(find(Some("duotone")), find(None));
        assert_eq!(find(Some("sharp-solid")), find(Some("solid")));
        assert!(icons.find("rocket", Some("regular")).is_some());
        assert!(icons.find("github", Some("solid")).is_some());
    }

    #[test]
    fn old_names_and_class_lists_of_font_awesome() {
        let icons = Icons::new("fontawesome");
        let find = |name| icons.find(name, None).map(|icon| icon.0);
        assert_eq!(find("home"), find("house"));
        assert_eq!(find("info-circle"), find("circle-info"));
        assert_eq!(find("area-chart"), find("chart-area"));
        assert_eq!(find("fa-brands fa-github"), find("github"));
        assert_eq!(find("fa-solid"), None);
    }

    #[test]
    fn svg_is_small_and_safe_to_inline() {
        let icon = Icons::new("lucide").glyph("x").0;
        assert!(icon.starts_with("<svg class=\"icon dw-icon\" aria-hidden=\"true\""), "{icon}");
        assert!(icon.ends_with("</svg>") && icon.len() < 320, "{icon}");
    }
}
