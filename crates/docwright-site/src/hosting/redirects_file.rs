//! The file `_redirects` of Netlify, Cloudflare Pages, and GitLab Pages, which each read it differently.

use std::fmt::Write as _;

use super::{Host, Site, rule::Rule};
use crate::content::redirects::pattern::{Part, Piece};

/// The beginning of the file.
pub(super) const HEAD: &str = "# Made by docwright. Each build makes it anew.\n";

/// Longest line for Cloudflare, in characters.
const CLOUDFLARE_LINE: usize = 1000;

/// Maximum number of segments of an address that GitLab matches.
const GITLAB_SEGMENTS: usize = 25;

/// Names of placeholders: letters, as GitLab requires. None is a prefix of another or of `splat`.
const NAMES: &str = "abcdefghijklmnopqr";

/// Why a host can't say a rule.
pub(super) fn refuses(host: Host, rule: &Rule, site: &Site<'_>) -> Option<String> {
    let reason = |reason: &str| Some(reason.to_owned());
    let placeholders =
        rule.parts.iter().filter(|part| matches!(part, Part::Segment | Part::Beginning(_)));
    let splats = rule.parts.iter().filter(|part| matches!(part, Part::Rest | Part::Beginning(_)));
    if placeholders.count() > NAMES.len() || splats.count() > 1 {
        return reason("has too many wildcards for the host");
    }
    let part_is_odd = |part: &Part| match part {
        Part::Text(text) | Part::Beginning(text) => text.contains([':', '*']),
        Part::Segment | Part::Rest => false,
    };
    if rule.parts.iter().any(part_is_odd) {
        return reason("has a character that the host takes for a wildcard");
    }
    let beginning = rule.parts.iter().position(|part| matches!(part, Part::Beginning(_)));
    if beginning.is_some_and(|place| host == Host::Gitlab || place + 1 < rule.parts.len()) {
        return reason("has a wildcard for a part of a segment");
    }
    if destination_is_odd(host, rule) {
        return reason("leads to an address that the host takes for a wildcard");
    }
    if is_open(host, rule, site) {
        let is_beginning = rule.parts.iter().any(|part| matches!(part, Part::Beginning(_)));
        if host == Host::Netlify && site.origin.is_empty() {
            return reason("would lead to any host behind a second slash; name --site-url");
        }
        if host == Host::Cloudflare && is_beginning {
            return reason("would lead to any host behind a slash");
        }
    }
    if host == Host::Cloudflare && lines(host, rule, site).len() > CLOUDFLARE_LINE {
        return reason("is longer than the host takes");
    }
    if host == Host::Gitlab && rule.path(site.base).matches('/').count() > GITLAB_SEGMENTS {
        return reason("has more segments than the host takes");
    }
    None
}

/// Whether a wildcard's match comes first in a target on the same host. It could start with a slash, and two
/// slashes start another host. GitLab merges slashes.
fn is_open(host: Host, rule: &Rule, site: &Site<'_>) -> bool {
    let begins = match rule.destination.as_slice() {
        [Piece::Text(text), Piece::Matched(number), ..] => {
            text == "/" && !matches!(rule.wildcard(*number), Some(Part::Segment))
        }
        _ => false,
    };
    begins && site.base.is_empty() && host != Host::Gitlab
}

/// Whether a text of the destination would be read as a placeholder.
fn destination_is_odd(host: Host, rule: &Rule) -> bool {
    // GitLab looks for placeholders in every destination.
    let looks = host == Host::Gitlab || !rule.is_fixed();
    let begins_name = |text: &str| {
        let letters = text.match_indices(':').map(|(place, _)| text[place + 1..].chars().next());
        letters.flatten().any(|letter| letter.is_ascii_alphabetic())
    };
    let mut after_matched = false;
    rule.destination.iter().any(|piece| match piece {
        Piece::Text(text) => {
            let continues = after_matched
                && text.starts_with(|letter: char| letter.is_ascii_alphanumeric() || letter == '_');
            after_matched = false;
            continues || (looks && begins_name(text))
        }
        Piece::Matched(_) => {
            after_matched = true;
            false
        }
    })
}

/// The file.
pub(super) fn text(host: Host, rules: &[Rule], site: &Site<'_>) -> String {
    let (fixed, wildcards): (Vec<_>, Vec<_>) = rules.iter().partition(|rule| rule.is_fixed());
    let mut text = String::from(HEAD);
    for rule in fixed.into_iter().chain(wildcards) {
        text += &lines(host, rule, site);
    }
    text
}

/// Whether Cloudflare needs a rule for an address with a trailing slash. It finds redirect pages there, and a
/// trailing wildcard matches it.
fn needs_slash(rule: &Rule, site: &Site<'_>) -> bool {
    if let Some(path) = &rule.exact {
        return !path.is_empty() && !site.files.contains(&format!("{path}.html"));
    }
    !rule.is_fixed() && matches!(rule.parts.last(), Some(Part::Text(_) | Part::Segment))
}

/// The lines of a rule: one, plus extra ones for Cloudflare.
pub(super) fn lines(host: Host, rule: &Rule, site: &Site<'_>) -> String {
    let mut source = site.base.to_owned();
    let mut names = Vec::new();
    let mut letters = NAMES.chars();
    for part in &rule.parts {
        source.push('/');
        match part {
            Part::Text(text) => source += text,
            Part::Rest => {
                source.push('*');
                names.push(":splat".to_owned());
            }
            Part::Beginning(text) => {
                let _ = write!(source, "{text}*");
                names.push(":splat".to_owned());
            }
            Part::Segment => {
                let name = format!(":{}", letters.next().unwrap_or_default());
                source += &name;
                names.push(name);
            }
        }
    }
    let location =
        rule.location(site.base, |number| names.get(number).cloned().unwrap_or_default());
    // Cloudflare removes its own host from a URL, so a target with a second slash goes elsewhere first.
    let (origin, guard) = match host {
        _ if !is_open(host, rule, site) => ("", String::new()),
        Host::Cloudflare => ("", format!("{} / 302\n", source.replace('*', "/*"))),
        _ => (site.origin, String::new()),
    };
    let status = match (host, rule.permanent) {
        (Host::Cloudflare, _) => rule.status().to_string(),
        // The two that Netlify and GitLab document for redirects.
        (_, permanent) => if permanent { "301" } else { "302" }.to_owned(),
    };
    // The address has a redirect page; `!` makes Netlify apply the rule anyway.
    let forced = if host == Host::Netlify && rule.exact.is_some() { "!" } else { "" };
    let line = format!("{source} {origin}{location} {status}{forced}\n");
    let slash = if host == Host::Cloudflare && needs_slash(rule, site) {
        format!("{source}/ {location} {status}\n")
    } else {
        String::new()
    };
    guard + &line + &slash
}
