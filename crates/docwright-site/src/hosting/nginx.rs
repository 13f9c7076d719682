//! The include for a `server` block of nginx: a location for each moved address, and one for missing files.

use std::fmt::Write as _;

use super::{Site, rule::Rule};
use crate::content::redirects::pattern::Part;

/// The number of groups in nginx.
const GROUPS: usize = 9;

/// Why nginx can't say a rule.
pub(super) fn refuses(rule: &Rule) -> Option<String> {
    let groups = rule.parts.iter().filter(|part| !matches!(part, Part::Text(_))).count();
    let control = rule.exact.as_ref().is_some_and(|path| path.contains(char::is_control));
    if control {
        return Some("has a character that its configuration can't hold".to_owned());
    }
    (groups > GROUPS).then(|| format!("has more than {GROUPS} wildcards"))
}

/// The file.
pub(super) fn text(site: &Site<'_>, rules: &[Rule]) -> String {
    let base = site.base;
    let name = name(base);
    let mut text = String::from(
        "# Made by docwright: include it in a `server` block. Each build makes it anew.\n\
         # Addresses that moved come first, then files, then addresses that moved by wildcards.\n\n",
    );
    for rule in rules {
        if let Some(path) = &rule.exact {
            let answer =
                format!("return {} {}", rule.status(), address(&rule.location(base, group)));
            let path = format!("{base}/{path}");
            let bare = path.trim_end_matches('/');
            for path in [bare, &format!("{bare}/")] {
                if !path.is_empty() {
                    let _ = writeln!(text, "location = {} {{ {answer}; }}", quoted(path));
                }
            }
        }
    }
    if !site.redirects.exact.contains_key("") {
        if !base.is_empty() {
            let home = quoted(&format!("{base}/"));
            let _ = writeln!(text, "location = {} {{ return 308 {home}; }}", quoted(base));
        }
        let (home, index) = (quoted(&format!("{base}/")), quoted(&format!("{base}/index.html")));
        let _ = writeln!(text, "location = {home} {{ rewrite ^ {index} last; }}");
    }
    let _ = write!(
        text,
        "\nlocation @{name} {{\n\
         \x20   error_page 404 {missing};\n\
         \x20   # A page with a slash behind it leads to the one without.\n\
         \x20   set $docwright_file \"\";\n\
         \x20   set $docwright_page \"\";\n\
         \x20   if ($uri ~ \"^(/.+?)/+$\") {{\n\
         \x20       set $docwright_file $document_root$1;\n\
         \x20       set $docwright_page $document_root$1.html;\n\
         \x20   }}\n\
         \x20   if ($request_uri ~ \"^/+([^/?\\\\\\\\][^?\\\\\\\\]*?)/*(\\?.*)?$\") {{ set $docwright_bare /$1$2; }}\n\
         \x20   if (-f $docwright_file) {{ return 308 $docwright_bare; }}\n\
         \x20   if (-f $docwright_page) {{ return 308 $docwright_bare; }}\n",
        missing = quoted(&format!("{base}/404.html")),
    );
    for rule in rules.iter().filter(|rule| rule.exact.is_none()) {
        let _ = writeln!(
            text,
            "    if ($request_uri ~ {}) {{ return {} {}; }}",
            quoted(&rule.regex(base)),
            rule.status(),
            address(&rule.location(base, group)),
        );
    }
    text + "    return 404;\n}\n"
}

/// The name of the location for missing files. Several sites can share a server.
fn name(base: &str) -> String {
    let letter = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '_' };
    format!("docwright{}", base.chars().map(letter).collect::<String>())
}

/// Placeholder for the match of a wildcard. No address contains this character.
fn group(number: usize) -> String {
    format!("\0{}", number + 1)
}

/// A text of the configuration.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// An address, in which a dollar sign would start a variable.
fn address(location: &str) -> String {
    quoted(&location.replace('$', "%24").replace('\0', "$"))
}
