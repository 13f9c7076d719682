//! The import for a site block of a Caddyfile: two maps, one of addresses and one of patterns, and the responses.

use std::fmt::Write as _;

use super::{
    Site,
    rule::{Rule, escaped},
};

/// Why a Caddyfile can't say a rule.
pub(super) fn refuses(rule: &Rule) -> Option<String> {
    let odd = |letter: char| matches!(letter, '"' | '`' | '\\' | '{' | '}') || letter.is_control();
    let is_odd = rule.exact.as_ref().is_some_and(|path| path.contains(odd));
    is_odd.then(|| "has a character that a Caddyfile gives a meaning of its own".to_owned())
}

/// The file.
pub(super) fn text(site: &Site<'_>, rules: &[Rule]) -> String {
    let base = site.base;
    let name = name(base);
    let mut text = format!(
        "# Made by docwright: import it in a site block. Each build makes it anew.\n\
         # Addresses that moved come first, then files, then addresses that moved by wildcards.\n\n\
         map {{path}} {{{name}_to}} {{{name}_status}} {{\n"
    );
    for rule in rules {
        if let Some(path) = &rule.exact {
            let to = address(&rule.location(base, |_| String::new()));
            let path = format!("{base}/{path}");
            let bare = path.trim_end_matches('/');
            for path in [bare, &format!("{bare}/")] {
                if !path.is_empty() {
                    let _ = writeln!(text, "\t\"{path}\" {to} {}", rule.status());
                }
            }
        }
    }
    if !base.is_empty() && !site.redirects.exact.contains_key("") {
        let _ = writeln!(text, "\t\"{base}\" \"{base}/\" 308");
    }
    let _ = write!(
        text,
        "\tdefault \"\" \"\"\n}}\n\
         map {{http.request.uri}} {{{name}_wildcard_to}} {{{name}_wildcard_status}} {{\n"
    );
    for rule in rules.iter().filter(|rule| rule.exact.is_none()) {
        let to = address(&rule.location(base, group).replace('$', "$$"));
        let _ = writeln!(text, "\t`~{}` {to} {}", rule.regex(base), rule.status());
    }
    let _ = write!(
        text,
        "\tdefault \"\" \"\"\n}}\n\
         # The address without slashes behind it as a file, and as it was sent if it had one.\n\
         map {{path}} {{{name}_file}} {{\n\
         \t`~^(/.*?)/*$` \"${{1}}\"\n\
         }}\n\
         map {{http.request.uri}} {{{name}_bare}} {{\n\
         \t`~^/*{root}/+([^/?\\\\][^?\\\\]*?)/+(\\?.*)?$` \"{base}/${{1}}${{2}}\"\n\
         \tdefault \"\"\n\
         }}\n\n\
         @{name} expression {{{name}_to}} != \"\"\n\
         redir @{name} {{{name}_to}} {{{name}_status}}\n\
         @{name}_slash {{\n\
         \texpression {{{name}_bare}} != \"\"\n\
         \tfile {{{name}_file}} {{{name}_file}}.html\n\
         }}\n\
         redir @{name}_slash {{{name}_bare}} 308\n\
         @{name}_wildcard {{\n\
         \texpression {{{name}_wildcard_to}} != \"\"\n\
         \tnot file {{{name}_file}} {{{name}_file}}.html\n\
         }}\n\
         redir @{name}_wildcard {{{name}_wildcard_to}} {{{name}_wildcard_status}}\n",
        root = escaped(base),
    );
    text
}

/// Prefix of the names. Several sites can share a site block.
fn name(base: &str) -> String {
    let letter = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '_' };
    format!("docwright{}", base.chars().map(letter).collect::<String>())
}

/// Placeholder for the match of a wildcard. No address contains this character.
fn group(number: usize) -> String {
    format!("\0{}\u{1}", number + 1)
}

/// An address. It has no braces, which would be placeholders.
fn address(location: &str) -> String {
    format!("\"{}\"", location.replace('\0', "${").replace('\u{1}', "}"))
}
