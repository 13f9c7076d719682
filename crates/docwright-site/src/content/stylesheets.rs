//! URLs in style sheets: authors write them from the root of a host, but the site can be below a base path.

use std::borrow::Cow;

use super::links::relative;

/// A style sheet with `url(/…)` relative to the file at `from`, as far as `exists` knows the files.
pub fn relative_urls<'c>(css: &'c str, from: &str, exists: impl Fn(&str) -> bool) -> Cow<'c, str> {
    if !css.contains("url(") {
        return Cow::Borrowed(css);
    }
    let mut rewritten = String::with_capacity(css.len());
    let mut rest = css;
    while let Some(at) = rest.find("url(") {
        let (before, after) = rest.split_at(at + "url(".len());
        rewritten.push_str(before);
        rest = after;
        let Some(length) = rest.find(')') else { break };
        let address = rest[..length].trim().trim_matches(['"', '\'']);
        let end = address.find(['?', '#']).unwrap_or(address.len());
        let file = address[..end].strip_prefix('/').filter(|file| !file.starts_with('/'));
        if let Some(file) = file.filter(|file| exists(file)) {
            let target = relative(from, file) + &address[end..];
            rewritten.push_str(&format!("\"{}\"", target.replace('"', "%22")));
            rest = &rest[length..];
        }
    }
    rewritten.push_str(rest);
    Cow::Owned(rewritten)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_from_the_root_become_relative() {
        let css = "a{b:url('/i/a.png') x;c:url( /i/a b.svg#d )}e{f:url(//h/i/a.png) url(data:x) url(/gone) url(g";
        let exists = |path: &str| path.starts_with("i/");
        assert_eq!(
            relative_urls(css, "styles/x.css", exists),
            "a{b:url(\"../i/a.png\") x;c:url(\"../i/a%20b.svg#d\")}e{f:url(//h/i/a.png) url(data:x) url(/gone) url(g"
        );
        assert!(matches!(relative_urls("a{}", "x.css", exists), Cow::Borrowed(_)));
    }
}
