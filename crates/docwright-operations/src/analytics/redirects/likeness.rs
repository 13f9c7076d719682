//! The page that a path without a page probably means.

use docwright_site::content::closest::closest;

/// Names that pages of many folders have.
const COMMON: &[&str] = &["index", "overview", "introduction", "readme", "changelog"];

/// The page whose path resembles a path: it has the same name in another folder, or few letters differ. `None` if
/// there is none, or if several pages have the name.
pub(super) fn resembling<'a>(
    path: &str,
    pages: impl Iterator<Item = &'a str> + Clone,
) -> Option<&'a str> {
    let path = plain(path);
    let name = name_of(&path);
    if path.is_empty() || path.starts_with('.') {
        return None;
    }
    let mut exact = pages.clone().filter(|page| plain(page) == path);
    if let Some(page) = exact.next() {
        return Some(page);
    }
    let mut same = pages.clone().filter(|page| name_of(&plain(page)) == name);
    match (same.next(), same.next()) {
        _ if COMMON.contains(&name) => {}
        (Some(page), None) => return Some(page),
        (Some(_), Some(_)) => return None,
        (None, _) => {}
    }
    closest(&path, pages)
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
            assert_eq!(resembling(path, pages.iter().copied()), expected, "{path}");
        }
    }
}
