//! Icons around the bodies of pages. Each page repeats those of its header, sidebar, and footer, and their paths are
//! longer than everything else there. So the site's stylesheet has the paths, as masks, and pages only name them.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap, HashSet},
};

use maud::Markup;

use super::{footer, header, page_menu};
use crate::{
    content::{
        config::{Config, Icon},
        navigation::NavigationIndex,
    },
    render::icons::{Drawing, Icons, Library, glyph_drawing},
};

/// Icons of the theme itself, by their Lucide names.
const GLYPHS: [&str; 20] = [
    "chevron-down",
    "chevron-left",
    "chevron-right",
    "chevrons-up-down",
    "circle-alert",
    "copy",
    "download",
    "external-link",
    "file-text",
    "languages",
    "menu",
    "moon",
    "pencil",
    "rss",
    "search",
    "sparkles",
    "sun",
    "thumbs-down",
    "thumbs-up",
    "x",
];
/// Maximum length of the rules in bytes. Icons for which there is no room are on the pages themselves.
const MAXIMUM_LENGTH: usize = 256 * 1024;

/// The icons of a site that its stylesheet draws.
#[derive(Debug)]
pub struct FrameIcons {
    library: Icons,
    /// What authors name in the navigation.
    named: HashMap<Icon, Option<Drawing>>,
    /// What the stylesheet draws.
    drawn: HashSet<(Library, &'static str)>,
    stylesheet: String,
}

impl FrameIcons {
    /// The icons of a site's theme, configuration, and navigation.
    pub fn new(library: Icons, config: &Config, navigation: &NavigationIndex<'_>) -> Self {
        let theme = GLYPHS.iter().filter_map(|name| glyph_drawing(name));
        let options = header::icons(config)
            .chain(page_menu::icons(config, library))
            .chain(footer::icons(config));
        let navbar = config.navbar.links.iter().filter_map(|link| link.icon.as_ref());
        let named = navbar.chain(navigation.icons());
        Self::with(library, theme.chain(options), named, MAXIMUM_LENGTH)
    }

    /// Draws these icons, then those of `named`, the most frequent first, as far as there is room.
    fn with<'i>(
        library: Icons,
        icons: impl Iterator<Item = Drawing>,
        named: impl Iterator<Item = &'i Icon>,
        maximum_length: usize,
    ) -> Self {
        let mut uses = BTreeMap::<_, usize>::new();
        named.for_each(|icon| *uses.entry(icon).or_default() += 1);
        let mut named: Vec<_> = uses.into_iter().collect();
        named.sort_by_key(|(_, uses)| Reverse(*uses));
        let find = |icon: &Icon| (icon.clone(), library.drawing(&icon.name, icon.style.as_deref()));
        let named: Vec<_> = named.into_iter().map(|(icon, _)| find(icon)).collect();
        let mut drawn = HashSet::new();
        let mut stylesheet = String::new();
        for icon in icons.chain(named.iter().filter_map(|(_, drawing)| *drawing)) {
            let rule = icon.rule();
            if stylesheet.len() + rule.len() <= maximum_length && drawn.insert(icon.key()) {
                stylesheet.push_str(&rule);
            }
        }
        Self { library, named: named.into_iter().collect(), drawn, stylesheet }
    }

    /// The rules that draw them.
    pub fn stylesheet(&self) -> &str {
        &self.stylesheet
    }

    /// An icon as authors name it, if the libraries have it.
    pub(super) fn find(&self, icon: &Icon) -> Option<Markup> {
        let search = || self.library.drawing(&icon.name, icon.style.as_deref());
        let drawing = self.named.get(icon).copied().unwrap_or_else(search);
        drawing.map(|drawing| self.markup(&drawing))
    }

    /// An icon of a library.
    pub(super) fn markup(&self, drawing: &Drawing) -> Markup {
        if self.drawn.contains(&drawing.key()) { drawing.masked() } else { drawing.inline() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_icon_of_the_theme_exists() {
        for name in GLYPHS {
            assert!(glyph_drawing(name).is_some(), "{name}");
        }
    }

    #[test]
    fn icons_without_room_are_inline() {
        let named = |name: &str| Icon { name: name.to_owned(), style: None };
        let [rare, often] = [named("anchor"), named("rocket")];
        let library = Icons::new("lucide");
        let maximum_length = library.drawing("rocket", None).expect("it exists").rule().len();
        let icons = FrameIcons::with(
            library,
            [].into_iter(),
            [&rare, &often, &often].into_iter(),
            maximum_length,
        );
        let shown = |icon| icons.find(icon).expect("it exists").into_string();
        assert!(
            shown(&often).starts_with("<i class=\"icon dw-icon dw-masked dw-icon-lucide-rocket\">")
        );
        assert!(shown(&rare).starts_with("<svg"));
        assert!(
            icons
                .stylesheet()
                .starts_with(".dw-icon-lucide-rocket{--icon:url(\"data:image/svg+xml,%3Csvg ")
        );
        assert_eq!(icons.stylesheet().lines().count(), 1);
        assert!(icons.find(&named("no-such-icon")).is_none());
    }
}
