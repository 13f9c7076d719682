//! The page that a path without a page probably means.

use std::collections::HashMap;

use docwright_site::content::closest::closest;

/// Names that pages of many folders have.
const COMMON: &[&str] = &["index", "overview", "introduction", "readme", "changelog"];

/// The paths of a site's pages, read once for many paths that are compared with them.
pub(super) struct SitePaths<'a> {
    all: Vec<&'a str>,
    /// By what paths have in common that mean the same page.
    plain: HashMap<String, &'a str>,
    /// By name; `None` if several pages have it.
    names: HashMap<String, Option<&'a str>>,
}

impl<'a> SitePaths<'a> {
    pub(super) fn of(pages: impl Iterator<Item = &'a str>) -> Self {
        let (all, mut names): (Vec<_>, HashMap<_, _>) = (pages.collect(), HashMap::new());
        let mut by_plain = HashMap::new();
        for page in &all {
            let path = plain(page);
            let of_name = names.entry(name_of(&path).to_owned());
            of_name.and_modify(|only| *only = None).or_insert(Some(*page));
            by_plain.entry(path).or_insert(*page);
        }
        Self { all, plain: by_plain, names }
    }

    /// The page whose path resembles a path: it has the same name in another folder, or few letters differ. `None` if
    /// there is none, or if several pages have the name.
    pub(super) fn resembling(&self, path: &str) -> Option<&'a str> {
        let path = plain(path);
        let name = name_of(&path);
        if path.is_empty() || path.starts_with('.') {
            return None;
        }
        if let Some(page) = self.plain.get(&path) {
            return Some(page);
        }
        match self.names.get(name) {
            Some(only) if !COMMON.contains(&name) => *only,
            _ => closest(&path, self.all.iter().copied()),
        }
    }
}

/// The last part of a path.
fn name_of(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// A path in lower case, without slashes at its ends, the ending of a file, and `index`.
fn plain(path: &str) -> String {
    let path = path.trim_matches('/').to_lowercase().replace(['_', ' '], "-");
    let endings = [".html", ".htm", ".mdx", ".md"];
    let path = endings.iter().find_map(|ending| path.strip_suffix(ending)).unwrap_or(&path);
    path.strip_suffix("/index").unwrap_or(path).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lead_to_the_page_that_they_resemble() {
        let pages = [
            "index",
            "guides/install",
            "guides/upgrade",
            "reference/cli",
            "reference/overview",
            "v1/limits",
            "v2/limits",
        ];
        for (path, expected) in [
            ("/guides/instal", Some("guides/install")),
            ("/Guides/Install.html", Some("guides/install")),
            ("/install", Some("guides/install")),
            ("/docs/start/upgrade/", Some("guides/upgrade")),
            ("/referenc/cl", Some("reference/cli")),
            // Two pages have the name.
            ("/limits", None),
            ("/v3/limits", None),
            // Pages of many folders have the name.
            ("/get-started/overview", None),
            ("/wp-login.php", None),
            ("/.env", None),
            ("/", None),
        ] {
            let paths = SitePaths::of(pages.iter().copied());
            assert_eq!(paths.resembling(path), expected, "{path}");
        }
    }
}
