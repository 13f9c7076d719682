//! Redirects in a form that every host supports: wildcards of a rule never match nothing, so an address with
//! nothing after a slash is a separate rule.

use percent_encoding::percent_decode_str;

use super::{Host, LeftOut, Site};
use crate::content::redirects::{
    pattern::{Part, Pattern, Piece},
    prepared::{Wildcard, encoded_path, is_own},
};

/// A redirect as hosts say it.
#[derive(Debug, Clone)]
pub(super) struct Rule {
    /// The source in `docs.json`.
    pub(super) source: String,
    /// Its parts, encoded. `Rest` and `Beginning` match something.
    pub(super) parts: Vec<Part>,
    /// Its encoded target. Numbers refer to the wildcards.
    pub(super) destination: Vec<Piece>,
    /// Whether permanently.
    pub(super) permanent: bool,
    /// The address, decoded and without slashes around it, of a redirect that comes before files.
    pub(super) exact: Option<String>,
}

impl Rule {
    /// Whether it has no wildcards.
    pub(super) fn is_fixed(&self) -> bool {
        self.parts.iter().all(|part| matches!(part, Part::Text(_)))
    }

    /// The wildcard of a number.
    pub(super) fn wildcard(&self, number: usize) -> Option<&Part> {
        self.parts.iter().filter(|part| !matches!(part, Part::Text(_))).nth(number)
    }

    /// Its path below a base, as a host compares it, if it is fixed.
    pub(super) fn path(&self, base: &str) -> String {
        let text = |part: &Part| match part {
            Part::Text(text) => text.clone(),
            _ => String::new(),
        };
        format!("{base}/{}", self.parts.iter().map(text).collect::<Vec<_>>().join("/"))
    }

    /// Its status: 308 or 307.
    pub(super) const fn status(&self) -> u16 {
        if self.permanent { 308 } else { 307 }
    }

    /// The target URL; `matched` returns the host's placeholder for a wildcard.
    pub(super) fn location(&self, base: &str, matched: impl Fn(usize) -> String) -> String {
        let first = match self.destination.first() {
            Some(Piece::Text(text)) => text.as_str(),
            _ => "",
        };
        let base = if is_own(first) { base } else { "" };
        let pieces = self.destination.iter().map(|piece| match piece {
            Piece::Text(text) => text.clone(),
            Piece::Matched(number) => matched(*number),
        });
        std::iter::once(base.to_owned()).chain(pieces).collect()
    }

    /// A regular expression for the path of a request as sent, with a group for each wildcard. Groups don't match
    /// backslashes, which browsers read as slashes.
    pub(super) fn regex(&self, base: &str) -> String {
        let mut regex = String::from("^/+");
        if let Some(base) = base.strip_prefix('/') {
            regex += &format!("{}/+", escaped(base));
        }
        for (number, part) in self.parts.iter().enumerate() {
            let is_last = number + 1 == self.parts.len();
            if number > 0 {
                regex.push('/');
            }
            match part {
                Part::Text(text) => regex += &escaped(text),
                Part::Segment => regex += r"([^/?\\]+)",
                Part::Rest => regex += r"/*([^/?\\][^?\\]*?)",
                Part::Beginning(text) if is_last => {
                    regex += &format!(r"{}/*([^/?\\][^?\\]*?)", escaped(text));
                }
                Part::Beginning(text) => regex += &format!(r"{}([^/?\\]+)", escaped(text)),
            }
        }
        regex + r"/*(?:\?|$)"
    }
}

/// The text in a regular expression. Clients write the digits of encoded letters in both cases.
pub(super) fn escaped(text: &str) -> String {
    let mut regex = String::new();
    let mut digits = 0;
    for letter in text.chars() {
        let in_code = digits > 0;
        digits = if letter == '%' { 2 } else { usize::saturating_sub(digits, 1) };
        match letter {
            _ if in_code && letter.is_ascii_alphabetic() => {
                regex +=
                    &format!("[{}{}]", letter.to_ascii_uppercase(), letter.to_ascii_lowercase());
            }
            '.' | '+' | '*' | '?' | '(' | ')' | '|' | '[' | ']' | '{' | '}' | '^' | '$' | '\\' => {
                regex.extend(['\\', letter]);
            }
            _ => regex.push(letter),
        }
    }
    regex
}

/// The rules of a site, rules for exact addresses first, and the unsupported redirects.
pub(super) fn rules(host: Host, site: &Site<'_>) -> (Vec<Rule>, Vec<LeftOut>) {
    let mut rules: Vec<_> = site
        .redirects
        .exact
        .iter()
        .map(|(path, answer)| Rule {
            source: format!("/{path}"),
            parts: path.split('/').map(|part| Part::Text(encoded_path(part))).collect(),
            destination: vec![Piece::Text(answer.location.clone())],
            permanent: answer.permanent,
            exact: Some(path.clone()),
        })
        .collect();
    let mut left_out = Vec::new();
    for (number, wildcard) in site.redirects.wildcards.iter().enumerate() {
        let reason = never(wildcard).or_else(|| {
            let hidden = if host.redirects_first() { hides(wildcard, site) } else { None };
            hidden.map(|path| format!("would hide /{path}, since the host looks for it first"))
        });
        if let Some(reason) = reason {
            left_out.push(LeftOut { source: wildcard.source.clone(), reason });
            continue;
        }
        let before = &site.redirects.wildcards[..number];
        rules.extend(rules_of(wildcard).into_iter().filter(|rule| is_met(rule, before, site)));
    }
    (rules, left_out)
}

/// Why no host gets a redirect.
fn never(wildcard: &Wildcard) -> Option<String> {
    let empty = wildcard.pattern.parts.iter().filter(|part| can_be_empty(part)).count();
    if empty > 1 {
        return Some("has more than one wildcard for any number of segments".to_owned());
    }
    let sample = vec!["x".to_owned(); wildcard.pattern.parts.len()];
    let there = wildcard.pattern.fill(&sample);
    let again = wildcard.pattern.apply(&there).filter(|_| wildcard.is_own());
    (again? == there).then(|| format!("leads from {there} to itself"))
}

const fn can_be_empty(part: &Part) -> bool {
    matches!(part, Part::Rest | Part::Beginning(_))
}

/// A file of the site whose address a redirect with wildcards matches. If its wildcard matches nothing, it is a
/// separate rule, which is left out separately.
fn hides<'a>(wildcard: &Wildcard, site: &'a Site<'_>) -> Option<&'a str> {
    let is_hidden = |address: &str| {
        let is_exact = site.redirects.exact.contains_key(address);
        let matched = wildcard.pattern.matched(&encoded_path(address));
        !is_exact && matched.is_some_and(|matched| matched.iter().all(|text| !text.is_empty()))
    };
    let hidden = |path: &&str| {
        let stem = path.strip_suffix(".html").unwrap_or(path);
        let address = if stem == "index" { "" } else { stem };
        let is_redirect_page = site.redirects.exact.contains_key(stem);
        is_hidden(address) || (!is_redirect_page && is_hidden(path))
    };
    site.files.iter().map(String::as_str).find(hidden)
}

/// Whether a rule can apply: a file or an earlier redirect can have its address.
fn is_met(rule: &Rule, before: &[Wildcard], site: &Site<'_>) -> bool {
    if !rule.is_fixed() {
        return true;
    }
    let encoded = rule.path("");
    let encoded = encoded.trim_matches('/');
    let path = percent_decode_str(encoded).decode_utf8_lossy();
    let is_file = match &*path {
        "" => site.files.contains("index.html"),
        path => site.files.contains(path) || site.files.contains(&format!("{path}.html")),
    };
    let leads_elsewhere = before.iter().any(|other| other.answer(encoded).is_some());
    !is_file && !leads_elsewhere && !site.redirects.exact.contains_key(&*path)
}

/// One rule, or two if a wildcard can also match nothing.
fn rules_of(wildcard: &Wildcard) -> Vec<Rule> {
    let Wildcard { source, pattern, permanent } = wildcard;
    let rule = |pattern: Pattern| Rule {
        source: source.clone(),
        parts: pattern.parts,
        destination: pattern.destination,
        permanent: *permanent,
        exact: None,
    };
    let without = without_empty(pattern, wildcard.is_own());
    without.into_iter().map(rule).chain(std::iter::once(rule(pattern.clone()))).collect()
}

/// The pattern where its wildcard for any number of segments matches nothing.
fn without_empty(pattern: &Pattern, own: bool) -> Option<Pattern> {
    let place = pattern.parts.iter().position(can_be_empty)?;
    let mut parts = pattern.parts.clone();
    match parts.remove(place) {
        Part::Beginning(text) => parts.insert(place, Part::Text(text)),
        _ if parts.is_empty() => parts.push(Part::Text(String::new())),
        _ => {}
    }
    let number =
        pattern.parts[..place].iter().filter(|part| !matches!(part, Part::Text(_))).count();
    let mut destination: Vec<Piece> = Vec::new();
    for piece in &pattern.destination {
        match (piece, destination.last_mut()) {
            (Piece::Matched(matched), _) if *matched == number => {}
            (Piece::Matched(matched), _) => {
                destination.push(Piece::Matched(matched - usize::from(*matched > number)));
            }
            (Piece::Text(text), Some(Piece::Text(before))) => before.push_str(text),
            (piece, _) => destination.push(piece.clone()),
        }
    }
    if let Some(Piece::Text(text)) = destination.first_mut()
        && own
    {
        *text = format!("/{}", text.trim_start_matches('/'));
    }
    Some(Pattern { parts, destination })
}
