//! Icons by name, from Font Awesome Free, Lucide and Tabler, as inline SVG.
//!
//! Attribution and licences are in `THIRD-PARTY.md`.

mod sanitise;

use std::{collections::HashMap, sync::OnceLock};

use maud::{Markup, PreEscaped, html};

pub use sanitise::sanitise;

/// Made by the build script.
static PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/icons.zst"));

/// The icons of one library.
#[derive(Debug, Clone)]
pub struct Icons {
    library: Library,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Library {
    FontAwesome,
    Lucide,
    Tabler,
}

impl Icons {
    /// The library that `icons.library` of the configuration names.
    pub fn new(library: &str) -> Self {
        let library = match library {
            "lucide" => Library::Lucide,
            "tabler" => Library::Tabler,
            _ => Library::FontAwesome,
        };
        Self { library }
    }

    /// An icon by its name and, for Font Awesome, its style.
    pub fn find(&self, name: &str, style: Option<&str>) -> Option<Markup> {
        let name = name.trim().trim_start_matches("fa-").to_ascii_lowercase();
        let keys: Vec<String> = match self.library {
            Library::Lucide => vec![format!("lucide/regular/{name}")],
            Library::Tabler => vec![format!("tabler/outline/{name}"), format!("tabler/filled/{name}")],
            Library::FontAwesome => {
                let wanted = style.filter(|style| ["solid", "regular", "brands"].contains(style));
                let styles = wanted.into_iter().chain(["solid", "brands", "regular"]);
                styles.map(|style| format!("fontawesome/{style}/{name}")).collect()
            }
        };
        keys.iter().find_map(|key| svg(key))
    }

    /// Whether another library has the name: authors who change theirs are not to blame twice.
    pub fn is_known_anywhere(&self, name: &str) -> bool {
        let others = ["lucide", "tabler", "fontawesome"].map(Self::new);
        others.iter().any(|icons| icons.find(name, None).is_some())
    }

    /// Whether the library has names that are not in its free set.
    pub fn has_paid_names(&self) -> bool {
        self.library == Library::FontAwesome
    }

    /// An icon of docwright's own pages, by its Lucide name; nothing if there is none.
    pub fn glyph(&self, name: &str) -> Markup {
        glyph(name)
    }
}

/// An icon of docwright's own pages, by its Lucide name; nothing if there is none.
pub fn glyph(name: &str) -> Markup {
    svg(&format!("lucide/regular/{name}")).unwrap_or_default()
}

/// The mark of a company, by its Font Awesome name.
pub fn brand(name: &str) -> Option<Markup> {
    svg(&format!("fontawesome/brands/{name}"))
}

fn svg(key: &str) -> Option<Markup> {
    let (view_box, content) = *table().get(key)?;
    let stroked = key.starts_with("lucide") || key.starts_with("tabler/outline");
    let content = PreEscaped(content);
    Some(if stroked {
        html! {
            svg.icon aria-hidden="true" viewBox=(view_box) fill="none" stroke="currentColor" stroke-width="2"
                stroke-linecap="round" stroke-linejoin="round" { (content) }
        }
    } else {
        html! { svg.icon aria-hidden="true" viewBox=(view_box) fill="currentColor" { (content) } }
    })
}

/// View box and content by `library/style/name`. Unpacked once; what it holds lives as long as the
/// program.
fn table() -> &'static HashMap<&'static str, (&'static str, &'static str)> {
    static TABLE: OnceLock<HashMap<&'static str, (&'static str, &'static str)>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let unpacked = zstd::decode_all(PACKED).unwrap_or_default();
        let text: &'static str = Box::leak(String::from_utf8(unpacked).unwrap_or_default().into_boxed_str());
        let rows = text.lines().filter_map(|line| {
            let mut parts = line.splitn(3, '\t');
            Some((parts.next()?, (parts.next()?, parts.next()?)))
        });
        rows.collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_library_has_its_icons() {
        for (library, name) in [("fontawesome", "house"), ("fontawesome", "github"), ("lucide", "search"), ("tabler", "home")] {
            assert!(Icons::new(library).find(name, None).is_some(), "{library} {name}");
        }
        // An older name, a style that is not free, and a name with the usual prefix.
        let icons = Icons::new("fontawesome");
        assert!(icons.find("home", None).is_some());
        assert!(icons.find("rocket", Some("duotone")).is_some());
        assert!(icons.find("fa-rocket", None).is_some());
        assert!(icons.find("no-such-icon", None).is_none());
    }
}
