//! Finds the redirect of a path without comparing it with each of them.

use std::collections::HashMap;

use super::{RedirectLoop, has_wildcard, pattern::Pattern, without_suffix};
use crate::content::config::Redirect;

/// Maximum length of a chain of redirects; real sites have chains of 200.
const MAXIMUM_STEPS: usize = 250;

/// The redirects of a site by what they match. As on a host ([`prepared`](super::prepared)), a redirect of one path comes
/// before those with wildcards. Of several of a kind that match a path, the first in `docs.json` is used.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RedirectIndex {
    /// Destinations of redirects without wildcards, by their paths without surrounding slashes.
    exact: HashMap<String, String>,
    /// Redirects with wildcards, in order, by the text of their first segment.
    by_first_segment: HashMap<String, Vec<(usize, Pattern)>>,
    /// Redirects that can match any first segment, in order.
    others: Vec<(usize, Pattern)>,
}

impl RedirectIndex {
    /// The index of the redirects of a `docs.json`, in its order.
    pub fn new(redirects: &[Redirect]) -> Self {
        let mut index = Self::default();
        for (place, redirect) in redirects.iter().enumerate() {
            let (source, destination) = (&redirect.source, &redirect.destination);
            if !has_wildcard(source) {
                let path = without_suffix(source).trim_matches('/').to_owned();
                index.exact.entry(path).or_insert_with(|| destination.clone());
                continue;
            }
            let pattern = (place, Pattern::new(source, destination));
            match pattern.1.first_text() {
                Some(text) => {
                    index.by_first_segment.entry(text.to_owned()).or_default().push(pattern);
                }
                None => index.others.push(pattern),
            }
        }
        index
    }

    /// The final path of a path with its leading slash after all redirects; an error if they loop.
    pub fn follow(&self, path: &str) -> Result<Option<String>, RedirectLoop> {
        let mut current = path.to_owned();
        for step in 0..MAXIMUM_STEPS {
            let plain = without_suffix(&current);
            match self.destination(plain) {
                Some(next) if next.contains("://") => return Ok(Some(next)),
                Some(next) if without_suffix(&next) == plain => return Ok(Some(next)),
                Some(next) => current = next,
                None => return Ok((step > 0).then_some(current)),
            }
        }
        Err(RedirectLoop)
    }

    /// The destination of a path under the redirect that a host would use.
    fn destination(&self, path: &str) -> Option<String> {
        let path = path.trim_matches('/');
        if let Some(destination) = self.exact.get(path) {
            return Some(destination.clone());
        }
        let first_segment = path.split('/').next().unwrap_or_default();
        let of_segment = self.by_first_segment.get(first_segment).map_or(&[][..], Vec::as_slice);
        let matched = [of_segment, &self.others].into_iter().filter_map(|patterns| {
            patterns.iter().find_map(|(place, pattern)| Some((*place, pattern.apply(path)?)))
        });
        matched.min_by_key(|(place, _)| *place).map(|(_, destination)| destination)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(redirects: &[(&str, &str)]) -> RedirectIndex {
        let redirect = |(source, destination): &(&str, &str)| Redirect {
            source: (*source).to_owned(),
            destination: (*destination).to_owned(),
            permanent: true,
        };
        RedirectIndex::new(&redirects.iter().map(redirect).collect::<Vec<_>>())
    }

    #[test]
    fn chains_end_and_loops_are_found() {
        let circle = index(&[("/a", "/b"), ("/b", "/a")]);
        assert_eq!(circle.follow("/a"), Err(RedirectLoop));
        let chain = index(&[("/a", "/b"), ("/b", "/c")]);
        assert_eq!(chain.follow("/a"), Ok(Some("/c".to_owned())));
        assert_eq!(chain.follow("/x"), Ok(None));
        let same = index(&[("/same", "same/")]);
        assert_eq!(same.follow("/same"), Ok(Some("same/".to_owned())));
    }

    #[test]
    fn redirect_of_one_path_comes_before_wildcards() {
        let index = index(&[
            ("/a/:rest*", "https://x/of-a/:rest*"),
            ("/a/one", "https://x/exact"),
            ("/a/one", "https://x/never"),
            ("/:any/three", "https://x/three"),
            ("/b/:rest*", "https://x/of-b/:rest*"),
            ("b/four/?x=1", "https://x/four"),
            ("/bc*", "https://x/beginning/*"),
            ("*", "https://x/any/*"),
            ("/c/:rest*", "https://x/never"),
        ]);
        for (path, expected) in [
            ("/a/one", "exact"),
            ("/a/two", "of-a/two"),
            ("/a/three", "of-a/three"),
            ("/b/three", "three"),
            ("/b/four", "four"),
            ("/b/five", "of-b/five"),
            ("/bcd/e", "beginning/d/e"),
            ("/c/d", "any/c/d"),
            ("/", "any/"),
        ] {
            let expected = format!("https://x/{expected}");
            assert_eq!(index.follow(path), Ok(Some(expected)), "{path}");
        }
    }
}
