//! What sets a theme apart: where the landmarks of its pages are, and a style sheet of its own.
//!
//! [`THEMES`] has a row for each theme. The markup of header and sidebar and the attributes of
//! `<body>` follow from the row; the style sheet only sets tokens and what no token can say.

use super::PageView;

/// A row of the table.
#[derive(Debug)]
pub(super) struct Theme {
    /// Its name in `docs.json`.
    pub(super) name: &'static str,
    /// Where its landmarks are.
    pub(super) landmarks: Landmarks,
    /// Its tokens.
    pub(super) styles: &'static str,
}

/// Where the landmarks of a page are, in a wide window. On a phone all themes have the same places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Landmarks {
    /// The parts of the page around each other.
    pub(super) frame: Frame,
    /// The search field.
    pub(super) search: Search,
    /// The tabs of the navigation.
    pub(super) tabs: Tabs,
    /// The links of the navigation bar and its button.
    pub(super) links: Place,
    /// The menus of languages, versions, and products.
    pub(super) switchers: Place,
    /// The button that changes the color mode.
    pub(super) mode: Place,
    /// The menu of the page is in the contents list instead of beside the title.
    pub(super) menu_in_contents: bool,
}

/// How header, sidebar, and content are arranged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Frame {
    /// The header is above everything.
    Top,
    /// The sidebar has the full height and the logo; a header is only above the content.
    Side,
    /// The content is a card on a tinted page.
    Inset,
}

/// The place of the search field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Search {
    /// In the header, beside the logo.
    Start,
    /// In the middle of the header.
    Center,
    /// In the header, before the mode button.
    End,
    /// At the top of the sidebar.
    Sidebar,
}

/// The place of the tabs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tabs {
    /// A row of their own below the header.
    Row,
    /// In the header, beside the logo.
    Header,
    /// A list at the top of the sidebar.
    Sidebar,
}

/// The place of something that some themes have in the header, and others in the sidebar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// In the header.
    Header,
    /// At the top of the sidebar.
    Top,
    /// At the foot of the sidebar.
    Foot,
}

/// The places of most landmarks: in the header.
const IN_HEADER: Landmarks = Landmarks {
    frame: Frame::Top,
    search: Search::Center,
    tabs: Tabs::Row,
    links: Place::Header,
    switchers: Place::Header,
    mode: Place::Header,
    menu_in_contents: false,
};

/// Letters of all tabs that fit beside logo and search; more tabs get a row of their own.
const WIDEST_TABS: usize = 44;

/// Every theme of the format. The first is the default.
pub(super) const THEMES: &[Theme] = &[
    Theme { name: "mint", landmarks: IN_HEADER, styles: include_str!("styles/themes/mint.css") },
    Theme {
        name: "maple",
        landmarks: Landmarks {
            frame: Frame::Side,
            search: Search::Sidebar,
            tabs: Tabs::Header,
            switchers: Place::Top,
            mode: Place::Foot,
            ..IN_HEADER
        },
        styles: include_str!("styles/themes/maple.css"),
    },
    Theme {
        name: "palm",
        landmarks: Landmarks { search: Search::Start, switchers: Place::Foot, ..IN_HEADER },
        styles: include_str!("styles/themes/palm.css"),
    },
    Theme {
        name: "willow",
        landmarks: Landmarks {
            frame: Frame::Side,
            search: Search::Sidebar,
            tabs: Tabs::Sidebar,
            links: Place::Foot,
            switchers: Place::Top,
            mode: Place::Foot,
            ..IN_HEADER
        },
        styles: include_str!("styles/themes/willow.css"),
    },
    Theme {
        name: "linden",
        landmarks: Landmarks { search: Search::End, ..IN_HEADER },
        styles: include_str!("styles/themes/linden.css"),
    },
    Theme {
        name: "almond",
        landmarks: Landmarks {
            frame: Frame::Inset,
            search: Search::Sidebar,
            tabs: Tabs::Header,
            switchers: Place::Top,
            mode: Place::Foot,
            ..IN_HEADER
        },
        styles: include_str!("styles/themes/almond.css"),
    },
    Theme { name: "aspen", landmarks: IN_HEADER, styles: include_str!("styles/themes/aspen.css") },
    Theme {
        name: "sequoia",
        landmarks: Landmarks { search: Search::End, menu_in_contents: true, ..IN_HEADER },
        styles: include_str!("styles/themes/sequoia.css"),
    },
    Theme {
        name: "luma",
        landmarks: Landmarks { search: Search::End, tabs: Tabs::Header, ..IN_HEADER },
        styles: include_str!("styles/themes/luma.css"),
    },
];

/// The theme of a name. Names of an older format mean the default.
pub(super) fn theme(name: &str) -> &'static Theme {
    THEMES.iter().find(|theme| theme.name == name).unwrap_or(&THEMES[0])
}

impl Landmarks {
    /// The landmarks of a page.
    pub(super) fn of(view: &PageView<'_>) -> Self {
        let theme = theme(&view.config.theme);
        let mut landmarks = theme.landmarks;
        if !shows_sidebar(theme.name, &view.page.frontmatter.mode) {
            landmarks = landmarks.without_sidebar();
        }
        let letters = view.navigation.tabs.iter().map(|tab| tab.label.chars().count());
        if landmarks.tabs == Tabs::Header && letters.sum::<usize>() > WIDEST_TABS {
            landmarks.tabs = Tabs::Row;
        }
        landmarks
    }

    /// The same with everything in the header.
    fn without_sidebar(self) -> Self {
        let frame = match self.frame {
            Frame::Side => Frame::Top,
            frame => frame,
        };
        let search = match self.search {
            Search::Sidebar => Search::Center,
            search => search,
        };
        let tabs = match self.tabs {
            Tabs::Sidebar => Tabs::Row,
            tabs => tabs,
        };
        let menu_in_contents = self.menu_in_contents;
        Self { frame, search, tabs, menu_in_contents, ..IN_HEADER }
    }

    /// Whether the logo is in the sidebar.
    pub(super) fn has_logo_in_sidebar(self) -> bool {
        self.frame == Frame::Side
    }
}

/// Whether the pages of a mode have a sidebar in a wide window. Some themes don't know the mode
/// `center`.
pub(super) fn shows_sidebar(theme: &str, mode: &str) -> bool {
    match mode {
        "custom" => false,
        "center" => matches!(theme, "palm" | "almond" | "aspen"),
        _ => true,
    }
}

impl Frame {
    /// Its word in the attribute of `<body>`.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Top => "top",
            Self::Side => "side",
            Self::Inset => "inset",
        }
    }
}

impl Search {
    /// Its word in the attribute of the field.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Center => "center",
            Self::End => "end",
            Self::Sidebar => "sidebar",
        }
    }
}
