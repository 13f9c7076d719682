//! Finds the redirect of a path without comparing it with each of them.

use std::collections::HashMap;

use super::{RedirectLoop, has_wildcard, pattern::Pattern, without_suffix};
use crate::content::config::Redirect;

/// Maximum length of a chain of redirects; real sites have chains of 200.
const MAXIMUM_STEPS: usize = 250;

/// The redirects of a site by what they match. Of several that match a path, the first in `docs.json` is used.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RedirectIndex {
    /// Places and destinations of redirects without wildcards, by their paths without surrounding slashes.
    exact: HashMap<String, (usize, String)>,
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
                index.exact.entry(path).or_insert_with(|| (place, destination.clone()));
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

    /// The destination of a path under the first redirect that matches.
    fn destination(&self, path: &str) -> Option<String> {
        let path = path.trim_matches('/');
        let first_segment = path.split('/').next().unwrap_or_default();
        let of_segment = self.by_first_segment.get(first_segment).map_or(&[][..], Vec::as_slice);
        let matched = [of_segment, &self.others].into_iter().filter_map(|patterns| {
            patterns.iter().find_map(|(place, pattern)| Some((*place, pattern.apply(path)?)))
        });
        let exact = self.exact.get(path).cloned();
        matched.chain(exact).min_by_key(|(place, _)| *place).map(|(_, destination)| destination)
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
    fn first_matching_redirect_is_used() {
        let index = index(&[
            ("/a/one", "https://x/exact"),
            ("/a/one", "https://x/second"),
            ("/a/:rest*", "https://x/of-a/:rest*"),
            ("/a/two", "https://x/never"),
            ("/:any/three", "https://x/three"),
            ("/b/three", "https://x/never"),
            ("/b/:rest*", "https://x/of-b/:rest*"),
            ("b/four/?x=1", "https://x/never"),
            ("/c/?x=1", "https://x/c"),
            ("/bc*", "https://x/beginning/*"),
            ("*", "https://x/any/*"),
            ("/d", "https://x/never"),
        ]);
        for (path, expected) in [
            ("/a/one", "exact"),
            ("/a/two", "of-a/two"),
            ("/a/three", "of-a/three"),
            ("/b/three", "three"),
            ("/b/four", "of-b/four"),
            ("/c", "c"),
            ("/bcd/e", "beginning/d/e"),
            ("/d", "any/d"),
            ("/", "any/"),
        ] {
            let expected = format!("https://x/{expected}");
            assert_eq!(index.follow(path), Ok(Some(expected)), "{path}");
        }
    }
}
