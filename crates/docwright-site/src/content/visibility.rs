//! Where pages are visible: the visibility matrix of the authoring format.

use std::collections::BTreeMap;

use super::{
    Content, Page, Visibility,
    config::Config,
    navigation::{Division, Entry, Navigation},
};

/// How navigation lists a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Listing {
    /// Under a hidden division; `true` if that division has `searchable: true`.
    Hidden(bool),
    /// Visible; `false` if a division around it has `searchable: false`.
    Open(bool),
}

/// Fills in the visibility of every page.
pub(super) fn resolve(content: &mut Content) {
    let mut listings = BTreeMap::new();
    collect(&content.navigation, &mut listings);
    for page in content.pages.values_mut() {
        page.visibility = of(page, listings.get(&page.slug).copied(), &content.config);
    }
}

fn collect(navigation: &Navigation, listings: &mut BTreeMap<String, Listing>) {
    collect_entries(&navigation.entries, Listing::Open(true), listings);
}

fn collect_entries(entries: &[Entry], listing: Listing, listings: &mut BTreeMap<String, Listing>) {
    let mut record = |slug: &String| {
        let best = listings.entry(slug.clone()).or_insert(listing);
        *best = (*best).max(listing);
    };
    for entry in entries {
        if let Entry::Page(slug) = entry {
            record(slug);
        }
    }
    for entry in entries {
        if let Entry::Division(division) = entry {
            let below = below(division, listing);
            if let Some(root) = &division.root {
                let best = listings.entry(root.clone()).or_insert(below);
                *best = (*best).max(below);
            }
            collect_entries(&division.entries, below, listings);
        }
    }
}

fn below(division: &Division, listing: Listing) -> Listing {
    match (listing, division.hidden) {
        (Listing::Open(searchable), false) => {
            Listing::Open(division.searchable.unwrap_or(searchable))
        }
        (Listing::Open(_), true) => Listing::Hidden(division.searchable == Some(true)),
        (Listing::Hidden(searchable), _) => {
            Listing::Hidden(division.searchable.unwrap_or(searchable))
        }
    }
}

fn of(page: &Page, listing: Option<Listing>, config: &Config) -> Visibility {
    let frontmatter = &page.frontmatter;
    let all = |yes: bool| Visibility {
        navigation: yes,
        search: yes,
        sitemap: yes,
        engines: yes,
        llms: yes,
    };
    if frontmatter.hidden == Some(true) {
        return all(false);
    }
    let mut visibility = match listing {
        Some(Listing::Open(searchable)) => Visibility { search: searchable, ..all(true) },
        Some(Listing::Hidden(searchable)) => {
            let found = searchable || config.seo.index_hidden || frontmatter.hidden == Some(false);
            Visibility { navigation: false, engines: true, ..all(found) }
        }
        None => Visibility { navigation: false, engines: true, ..all(config.seo.index_hidden) },
    };
    if frontmatter.noindex || says_noindex(frontmatter.robots.as_deref()) {
        visibility = Visibility { navigation: visibility.navigation, ..all(false) };
    }
    if says_noindex(config.seo.metatags.get("robots").map(String::as_str)) {
        visibility.engines = false;
        visibility.sitemap = false;
    }
    if frontmatter.searchable == Some(false) {
        visibility.search = false;
    }
    visibility
}

fn says_noindex(robots: Option<&str>) -> bool {
    robots.is_some_and(|robots| robots.to_ascii_lowercase().contains("noindex"))
}
