//! The effective redirects of a site, with encoded headers.
//!
//! A redirect of one address comes first, then the files of the site, then sources with wildcards in order.
//! Everything that serves redirects, or writes them for another host, starts here.

use std::collections::BTreeMap;

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};

use super::{
    has_wildcard,
    pattern::{Part, Pattern, Piece},
    without_suffix,
};
use crate::content::config::Redirect;

/// Characters that a header can't contain, or that have another meaning in it. Encoded text stays as it is.
const UNSAFE: &AsciiSet =
    &CONTROLS.add(b' ').add(b'"').add(b'<').add(b'>').add(b'\\').add(b'`').add(b'{').add(b'}');
/// The same characters, and those that end a path.
const UNSAFE_IN_PATH: &AsciiSet = &UNSAFE.add(b'?').add(b'#').add(b'%');

/// The current target of an address, and whether it is permanent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RedirectTarget {
    /// Characters for the header `Location`: printable ASCII.
    pub location: String,
    /// Whether permanently.
    pub permanent: bool,
}

/// A redirect whose source has wildcards.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wildcard {
    /// The source, as its author wrote it.
    pub source: String,
    /// Its source and its destination, both encoded.
    pub pattern: Pattern,
    /// Whether permanently.
    pub permanent: bool,
}

/// The redirects of a site that can be met.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Prepared {
    /// Redirects of one address: its path, decoded and without surrounding slashes.
    pub exact: BTreeMap<String, RedirectTarget>,
    /// Redirects with wildcards, in order.
    pub wildcards: Vec<Wildcard>,
}

impl Prepared {
    /// The redirects of a site with these files. A page takes precedence at its address, and the first redirect of
    /// an address is used.
    pub fn new(redirects: &[Redirect], has_file: impl Fn(&str) -> bool) -> Self {
        let is_page = |path: &str| {
            has_file(path) || (has_file(&format!("{path}.html")) && has_file(&format!("{path}.md")))
        };
        let mut prepared = Self::default();
        for redirect in redirects {
            if has_wildcard(&redirect.source) {
                prepared.wildcards.push(wildcard(redirect));
                continue;
            }
            let source = without_suffix(&redirect.source).trim_matches('/');
            let Ok(source) = percent_decode_str(source).decode_utf8() else { continue };
            let answer = location(&source, &redirect.destination)
                .map(|location| RedirectTarget { location, permanent: redirect.permanent });
            if let Some(answer) = answer.filter(|_| !is_page(&source)) {
                prepared.exact.entry(source.into_owned()).or_insert(answer);
            }
        }
        prepared
    }

    /// The target of a path without a file. The path is decoded.
    pub fn wildcard(&self, path: &str) -> Option<RedirectTarget> {
        if self.wildcards.is_empty() {
            return None;
        }
        let path = encoded_path(path);
        self.wildcards.iter().find_map(|wildcard| wildcard.answer(&path))
    }
}

impl Wildcard {
    /// The target of an encoded path; `None` if the source doesn't match it, or it would redirect to itself.
    pub fn answer(&self, path: &str) -> Option<RedirectTarget> {
        let destination = self.pattern.apply(path)?;
        // A path of this host stays on this host with any match of the wildcard.
        let destination = if self.is_own() {
            format!("/{}", destination.trim_start_matches('/'))
        } else {
            destination
        };
        let location = location(path.trim_matches('/'), &destination)?;
        Some(RedirectTarget { location, permanent: self.permanent })
    }

    /// Whether its target is on the same host.
    pub fn is_own(&self) -> bool {
        match self.pattern.destination.first() {
            Some(Piece::Text(text)) => is_own(text),
            _ => false,
        }
    }
}

/// Whether an address is one of the same host, from its root on.
pub fn is_own(address: &str) -> bool {
    address.starts_with('/') && !address.starts_with("//")
}

/// Encodes a decoded path for a URL.
pub fn encoded_path(path: &str) -> String {
    utf8_percent_encode(path, UNSAFE_IN_PATH).to_string()
}

fn wildcard(redirect: &Redirect) -> Wildcard {
    let encode = |text: &str| utf8_percent_encode(text, UNSAFE).to_string();
    let rooted = match redirect.destination.as_str() {
        destination if has_root(destination) => destination.to_owned(),
        destination => format!("/{destination}"),
    };
    let mut pattern = Pattern::new(&redirect.source, &encode(&rooted));
    for part in &mut pattern.parts {
        if let Part::Text(text) | Part::Beginning(text) = part {
            *text = encoded_path(&percent_decode_str(text).decode_utf8_lossy());
        }
    }
    Wildcard { source: redirect.source.clone(), pattern, permanent: redirect.permanent }
}

/// Whether a destination is absolute: with a host, or from the root of this one.
fn has_root(destination: &str) -> bool {
    let first = without_suffix(destination).split('/').next().unwrap_or_default();
    destination.starts_with('/') || first.contains(':')
}

/// The URL of a destination; `None` if it equals the source.
fn location(source: &str, destination: &str) -> Option<String> {
    let path = without_suffix(destination);
    let has_scheme = path.split('/').next().is_some_and(|first| first.contains(':'));
    if !has_scheme && !path.starts_with("//") && path.trim_matches('/') == source {
        return None;
    }
    let root = if has_root(destination) { "" } else { "/" };
    Some(format!("{root}{}", utf8_percent_encode(destination, UNSAFE)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prepared(redirects: &[(&str, &str, bool)]) -> Prepared {
        let redirects = redirects.iter().map(|(source, destination, permanent)| Redirect {
            source: (*source).to_owned(),
            destination: (*destination).to_owned(),
            permanent: *permanent,
        });
        Prepared::new(&redirects.collect::<Vec<_>>(), |path| path == "page")
    }

    fn text(answer: Option<&RedirectTarget>) -> Option<(bool, &str)> {
        answer.map(|answer| (answer.permanent, answer.location.as_str()))
    }

    #[test]
    fn path_redirects_to_its_destination() {
        let redirects = prepared(&[
            ("/old", "/new", true),
            ("/old", "/second", true),
            ("soon/", "later?x=1#y", false),
            ("/page", "/elsewhere", true),
            ("/circle", "/circle/", true),
            ("/out", "https://example.com/ä b", true),
            ("/ümlaut", "/a%20b", true),
            ("/a%20b", "/ab", true),
        ]);
        for (path, expected) in [
            ("old", Some((true, "/new"))),
            ("soon", Some((false, "/later?x=1#y"))),
            ("page", None),
            ("circle", None),
            ("out", Some((true, "https://example.com/%C3%A4%20b"))),
            ("ümlaut", Some((true, "/a%20b"))),
            ("a b", Some((true, "/ab"))),
            ("", None),
        ] {
            assert_eq!(text(redirects.exact.get(path)), expected, "{path}");
        }
    }

    #[test]
    fn wildcards_redirect_within_the_same_host() {
        let redirects = prepared(&[
            ("/v1/:rest*", "/v2/:rest*", true),
            ("/any/*", "/*", false),
            ("/ä/:x", "/b/:x", true),
            ("/same/*", "/same/*", true),
            ("/*/login", "/*/login/x", true),
            ("/:a/out", "https://example.com/:a", true),
        ]);
        for (path, expected) in [
            ("/v1/a/b", Some((true, "/v2/a/b"))),
            ("/v1/a b?c#d", Some((true, "/v2/a%20b%3Fc%23d"))),
            ("/v1/a\r\nb", Some((true, "/v2/a%0D%0Ab"))),
            ("/any/x", Some((false, "/x"))),
            ("/any//evil.example", Some((false, "/evil.example"))),
            ("/any/\\evil.example", Some((false, "/%5Cevil.example"))),
            ("/ä/ö", Some((true, "/b/%C3%B6"))),
            ("/same/x", None),
            ("/login", Some((true, "/login/x"))),
            ("/a/out", Some((true, "https://example.com/a"))),
            ("/nothing", None),
        ] {
            assert_eq!(text(redirects.wildcard(path).as_ref()), expected, "{path}");
        }
    }
}
