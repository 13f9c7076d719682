//! The intended target of a broken link, only if it is certain: pages are changed with it, so a guess isn't
//! enough.

use std::collections::{BTreeSet, HashMap};

use super::{
    Page,
    links::{Links, Resolution, candidates, decode},
    redirects, slug,
};

/// The intended target of a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkSuggestion {
    /// The target, as an address of the site without query and fragment, or on another site.
    Certain(String),
    /// Several possible slugs.
    OneOf(Vec<String>),
    /// Unknown; perhaps this slug.
    Unknown(Option<String>),
}

/// Names that many pages have on sites of several products or versions, without separators.
const COMMON: &[&str] = &[
    "index",
    "overview",
    "introduction",
    "intro",
    "quickstart",
    "gettingstarted",
    "installation",
    "install",
    "setup",
    "configuration",
    "config",
    "settings",
    "faq",
    "faqs",
    "changelog",
    "errors",
    "errorcodes",
    "authentication",
    "auth",
    "usage",
    "examples",
    "example",
    "reference",
    "apireference",
    "sdkreference",
    "api",
    "sdk",
    "guide",
    "guides",
    "home",
    "readme",
    "tutorial",
    "tutorials",
    "bestpractices",
    "keyconcepts",
    "coreconcepts",
    "concepts",
    "troubleshooting",
    "releasenotes",
    "knownissues",
    "ratelimits",
    "nextsteps",
    "howitworks",
];

/// Names of pages that open a folder.
const OPENING: [&str; 3] = ["overview", "introduction", "intro"];

/// The pages of a site, indexed for links.
#[derive(Debug)]
pub struct Meanings<'a> {
    links: &'a Links<'a>,
    by_letters: HashMap<String, Vec<&'a str>>,
    /// By the letters of the last part.
    by_name: HashMap<String, Vec<&'a str>>,
}

impl<'a> Meanings<'a> {
    /// The pages of a site.
    pub fn new(links: &'a Links<'a>) -> Self {
        let (mut by_letters, mut by_name) = (HashMap::new(), HashMap::new());
        for slug in links.content.pages.keys().map(String::as_str) {
            by_letters.entry(letters(slug)).or_insert_with(Vec::new).push(slug);
            by_name.entry(letters(name(slug))).or_insert_with(Vec::new).push(slug);
        }
        Self { links, by_letters, by_name }
    }

    /// The intended target of a broken link in the file at `path`.
    pub fn of(&self, path: &str, href: &str) -> LinkSuggestion {
        let written = decode(redirects::without_suffix(href));
        let written = clean(&written);
        let own = self.links.content.pages.get(&slug::of_path(path));
        let wanted = candidates(path, &written);
        if let Some(found) = self.address(path, &wanted, &written) {
            return LinkSuggestion::Certain(found);
        }
        let language = own.map(|page| page.language.as_str());
        let version = match versions(&written) {
            none if none.is_empty() => versions(&slug::of_path(path)),
            named => named,
        };
        // Pages of another version or of an archive don't count.
        let meant = |slugs: &[&'a str]| {
            let same: Vec<_> =
                slugs.iter().copied().filter(|slug| versions(slug) == version).collect();
            self.only(&same, own, language)
        };
        let same = wanted.iter().find_map(|wanted| self.by_letters.get(&letters(wanted)));
        if let Some(found) = same.and_then(|slugs| meant(slugs)) {
            return LinkSuggestion::Certain(format!("/{found}"));
        }
        if let Some(found) = self.section(&wanted) {
            return LinkSuggestion::Certain(format!("/{found}"));
        }
        let named = self.by_name.get(&letters(name(&written))).map_or(&[][..], Vec::as_slice);
        let tail = format!("/{}", letters(written.trim_start_matches(['.', '/'])));
        let ends = |slug: &&&str| format!("/{}", letters(slug)).ends_with(&tail);
        let ending: Vec<_> = named.iter().filter(ends).copied().collect();
        let has_folder = tail.matches('/').count() > 1;
        if let Some(found) = meant(&ending).filter(|_| has_folder) {
            return LinkSuggestion::Certain(format!("/{found}"));
        }
        if let Some(found) = meant(named).filter(|found| is_telling(&written, found)) {
            return LinkSuggestion::Certain(format!("/{found}"));
        }
        match named {
            [] => LinkSuggestion::Unknown(self.links.closest(&slug::of_reference(
                wanted.first().map_or(written.as_str(), String::as_str),
            ))),
            [one] => LinkSuggestion::Unknown(Some((*one).to_owned())),
            several => {
                LinkSuggestion::OneOf(several.iter().map(|slug| (*slug).to_owned()).collect())
            }
        }
    }

    /// The target of the link if its path follows the usual form, or by a redirect.
    fn address(&self, path: &str, wanted: &[String], written: &str) -> Option<String> {
        let address = |resolution: Resolution| match resolution {
            Resolution::Page { slug, .. } => Some(format!("/{slug}")),
            Resolution::File { path, .. } if path != "index.html" => Some(format!("/{path}")),
            Resolution::External(address) => Some(address),
            _ => None,
        };
        if let Some(found) = address(self.links.resolve(path, written)) {
            return Some(found);
        }
        let redirects = &self.links.content.redirects;
        let followed = wanted.iter().filter_map(|wanted| {
            let end = redirects.follow(&format!("/{wanted}")).ok()??;
            if end.contains("://") {
                return Some(end);
            }
            let end = redirects::without_suffix(&end).trim_matches('/');
            self.links.find(end, "").and_then(address)
        });
        followed.into_iter().next()
    }

    /// The index page of a folder, if a link names the folder.
    fn section(&self, wanted: &[String]) -> Option<&'a str> {
        let opens = |wanted: &String| OPENING.map(|name| format!("{wanted}/{name}"));
        let mut found: Vec<&'a str> = wanted
            .iter()
            .flat_map(opens)
            .filter_map(|slug| self.links.content.pages.get(&slug).map(|page| page.slug.as_str()))
            .collect();
        found.dedup();
        found.pop().filter(|_| found.is_empty())
    }

    /// The page that replaced a section of another page: it is below that page and has the name of the section.
    pub fn part(&self, slug: &str, place: &str) -> Option<String> {
        let below = letters(&format!("{slug}/{place}"));
        match self.by_letters.get(&below)?.as_slice() {
            [one] => Some(format!("/{one}")),
            _ => None,
        }
    }

    /// The only possible target among some pages, if there is exactly one: another page in the same language.
    fn only(
        &self,
        slugs: &[&'a str],
        own: Option<&Page>,
        language: Option<&str>,
    ) -> Option<&'a str> {
        let can = |slug: &&&str| {
            let page = self.links.content.pages.get(**slug);
            let other = own.is_none_or(|own| own.slug != **slug);
            let spoken = |page: &Page| language.is_none_or(|language| language == page.language);
            // An address with such characters can be written in several ways.
            let plain = !slug.contains([' ', '(', ')', '<', '>', '"', '\'', '`', '{', '}', '%']);
            other && plain && page.is_some_and(spoken)
        };
        let mut found = slugs.iter().filter(can);
        found.next().filter(|_| found.next().is_none()).copied()
    }
}

/// A path in the format's usual form.
fn clean(written: &str) -> String {
    let path = written.trim().replace('\\', "/");
    let path = path.trim_end_matches('/');
    let stems = [".mdx", ".md", ".html", ".htm"].iter().find_map(|end| path.strip_suffix(end));
    let path = stems.unwrap_or(path);
    path.strip_suffix("/index").unwrap_or(path).to_owned()
}

/// Whether the name alone identifies a page: it isn't a common name, and either it has several words or the last
/// folder of one path is in the other path too.
fn is_telling(written: &str, found: &str) -> bool {
    let last = name(written);
    if COMMON.contains(&letters(last).as_str()) {
        return false;
    }
    let folders = |path: &str| {
        let mut parts: Vec<_> = path.split('/').map(letters).collect();
        parts.pop();
        parts.retain(|part| part.len() > 2 && part != "docs");
        parts
    };
    let (one, other) = (folders(written), folders(found));
    let shared = one.last().is_some_and(|last| other.contains(last))
        || other.last().is_some_and(|last| one.contains(last));
    let words = last.split(['-', '_', ' ']).filter(|word| !word.is_empty()).count();
    words > 2 || last.len() > 9 && words == 2 || last.len() > 4 && shared
}

/// Parts of a path that name a version, such as `v2`, `1.3` or `latest`, or an old state.
fn versions(path: &str) -> BTreeSet<String> {
    let is_version = |part: &&str| {
        let number = part.strip_prefix('v').unwrap_or(part);
        let numbered = !number.is_empty() && number.chars().all(|c| c.is_ascii_digit() || c == '.');
        numbered || part.split(['-', '_']).any(|word| STATES.contains(&word))
    };
    path.split('/').filter(is_version).map(str::to_owned).collect()
}

/// Words that describe the state of a folder's contents.
const STATES: &[&str] =
    &["latest", "next", "beta", "preview", "legacy", "old", "deprecated", "archive", "archived"];

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// A path without letter case and separators of words.
fn letters(path: &str) -> String {
    let kept = path.chars().filter(|letter| letter.is_alphanumeric() || *letter == '/');
    kept.flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{content::Content, source::Source};

    fn site() -> Source {
        let pages = [
            "index",
            "start/install",
            "start/Set-Up",
            "api/users/create",
            "api/teams/create",
            "api/users/rate_limits",
            "guides/send-your-first-email",
            "guides/webhooks",
            "v1/guides/event-log-format",
            "fr/guides/deploy-now",
            "es/guides/deploy-now",
            "fr/guides/plans",
            "en/guides/deploy-now",
            "en/x",
            "billing/overview",
            "archive/invoices",
            "archive/tax/vat",
            "billing/vat/rates",
            "org/members/workspaces",
        ];
        let config = serde_json::json!({
            "theme": "mint", "name": "S", "colors": { "primary": "#000000" },
            "navigation": { "languages": [
                { "language": "en", "pages": ["index", "en/guides/deploy-now", "en/x"] },
                { "language": "fr", "pages": ["fr/guides/deploy-now", "fr/guides/plans"] },
                { "language": "es", "pages": ["es/guides/deploy-now"] },
            ] },
            "redirects": [
                { "source": "/old/:slug*", "destination": "/start/:slug*" },
                { "source": "/away", "destination": "https://e.org/x" },
            ],
        });
        let mut files = vec![("docs.json".to_owned(), config.to_string().into_bytes())];
        files.extend(pages.map(|page| (format!("{page}.mdx"), Vec::new())));
        files.push(("images/p.png".to_owned(), Vec::new()));
        Source::from_files(files)
    }

    fn meant(path: &str, href: &str) -> LinkSuggestion {
        let source = site();
        let content = Content::load(&source).unwrap().0;
        let links = Links::new(&content, &source);
        Meanings::new(&links).of(path, href)
    }

    #[test]
    fn certain_target_is_found() {
        for (path, href, expected) in [
            // Letter case, separators, endings.
            ("index.mdx", "/start/INSTALL", "/start/install"),
            ("index.mdx", "/start/set_up", "/start/Set-Up"),
            ("index.mdx", "/api/users/rate-limits#x", "/api/users/rate_limits"),
            ("index.mdx", "/start/install.html", "/start/install"),
            ("index.mdx", "/start/install/index.mdx", "/start/install"),
            // Redirects, behind the prefix and the ending that the format does not write.
            ("index.mdx", "/old/install.html", "/start/install"),
            ("index.mdx", "/docs/old/install", "/start/install"),
            ("index.mdx", "/away.html", "https://e.org/x"),
            // Relative to another folder than the author thought.
            ("api/teams/create.mdx", "../../users/create", "/api/users/create"),
            ("api/teams/create.mdx", "/users/create", "/api/users/create"),
            ("fr/guides/plans.mdx", "/guides/deploy-now", "/fr/guides/deploy-now"),
            // A folder, by the page that opens it; an archive from within it.
            ("index.mdx", "/billing/", "/billing/overview"),
            ("archive/invoices.mdx", "/tax/vat", "/archive/tax/vat"),
            // A name that is unique and specific enough.
            ("index.mdx", "/emails/send-your-first-email", "/guides/send-your-first-email"),
            ("index.mdx", "/guides/basics/webhooks", "/guides/webhooks"),
        ] {
            assert_eq!(meant(path, href), LinkSuggestion::Certain(expected.to_owned()), "{href}");
        }
    }

    #[test]
    fn missing_section_can_be_a_page() {
        let source = site();
        let content = Content::load(&source).unwrap().0;
        let links = Links::new(&content, &source);
        let meanings = Meanings::new(&links);
        assert_eq!(
            meanings.part("api/users", "Rate-Limits()").as_deref(),
            Some("/api/users/rate_limits")
        );
        assert_eq!(meanings.part("api", "create"), None);
    }

    #[test]
    fn uncertain_target_is_not_used() {
        let one_of =
            |slugs: &[&str]| LinkSuggestion::OneOf(slugs.iter().map(|s| (*s).to_owned()).collect());
        let create = one_of(&["api/teams/create", "api/users/create"]);
        assert_eq!(meant("index.mdx", "/create"), create);
        assert_eq!(meant("index.mdx", "/orders/create"), create, "that of orders is gone");
        for (path, href) in [
            ("index.mdx", "/nowhere"),
            // A common name, and a name that is too unspecific.
            ("index.mdx", "/python/install"),
            ("index.mdx", "/plugins/webhooks"),
            ("index.mdx", "/org/settings/workspaces"),
            // Another version, another language, the page itself, an archived one.
            ("index.mdx", "/tax/vat"),
            ("index.mdx", "/billing/invoices"),
            ("index.mdx", "/v2/guides/event-log-format"),
            ("en/x.mdx", "/abos/plans"),
            ("guides/webhooks.mdx", "/guides/hooks/webhooks"),
        ] {
            assert!(
                matches!(meant(path, href), LinkSuggestion::Unknown(_)),
                "{href}: {:?}",
                meant(path, href)
            );
        }
    }
}
