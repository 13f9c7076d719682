//! Hides secrets in paths for the log. Queries are never logged: setup, sign-in, and preview links, signed links
//! to bundles, and the answers of providers have their secrets there.

use std::borrow::Cow;

/// Route parameters that are secrets.
const PARAMETERS: [&str; 1] = ["{token}"];
/// Paths below which the next segment is a secret, also if no route matches the whole path.
const PREFIXES: [&str; 1] = ["invitations"];
/// The number of hexadecimal digits that makes a text likely a token, not an ID or a commit.
const DIGITS: usize = 48;
/// The replacement of a secret outside routes.
const HIDDEN: &str = "{secret}";

/// A path without its secrets: replaced by the name in the route, if one matches, and by the form of secrets.
pub(crate) fn shown<'a>(path: &'a str, route: Option<&str>) -> Cow<'a, str> {
    let mut names = route.unwrap_or_default().split('/');
    let mut before = "";
    let mut is_changed = false;
    let segments = path.split('/').map(|segment| {
        let name = names.next().unwrap_or_default();
        let shown = if PARAMETERS.contains(&name) {
            name
        } else if !segment.is_empty()
            && (PREFIXES.contains(&before) && route.is_none() || is_secret(segment))
        {
            HIDDEN
        } else {
            segment
        };
        before = segment;
        is_changed |= shown != segment;
        shown
    });
    let shown: Vec<_> = segments.collect();
    if is_changed { shown.join("/").into() } else { path.into() }
}

/// Whether a segment contains a likely token or API key, also with one character missing or added.
fn is_secret(segment: &str) -> bool {
    let decoded = percent_encoding::percent_decode_str(segment);
    let (mut digits, mut most) = (0, 0);
    let mut text = Vec::with_capacity(segment.len());
    for byte in decoded {
        digits = if byte.is_ascii_hexdigit() { digits + 1 } else { 0 };
        most = most.max(digits);
        text.push(byte);
    }
    most >= DIGITS || text.windows(3).any(|part| part == b"dw_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secret_is_shown_as_its_place_in_the_route() {
        let token = "0f".repeat(32);
        let route = Some("/invitations/{token}");
        assert_eq!(shown(&format!("/invitations/{token}"), route), "/invitations/{token}");
        assert_eq!(shown("/invitations/%61bc", route), "/invitations/{token}");
        let path = "/organizations/org_1/invitations/inv_2/withdraw";
        let route = "/organizations/{organization_id}/invitations/{invitation_id}/withdraw";
        assert_eq!(shown(path, Some(route)), path);
    }

    #[test]
    fn secret_is_hidden_where_no_route_has_it() {
        let token = "0f".repeat(32);
        for path in [
            "/invitations/x".to_owned(),
            format!("/invitations/{token}/"),
            format!("//invitations/{token}"),
            format!("/a/{token}/b"),
            format!("/a/{}", &token[1..]),
            format!("/a/{token})."),
            format!("/a/{}", token.to_uppercase()),
            format!("/a/%30{}", &token[1..]),
            "/a/dw_id_secret".to_owned(),
            "/a/d%77_id_secret".to_owned(),
        ] {
            let shown = shown(&path, None);
            assert!(shown.contains(HIDDEN), "{shown}");
            assert!(!shown.contains("0f0f0f") && !shown.contains("_secret"), "{shown}");
        }
        for path in [
            "/",
            "/projects/prj_0199a1b2c3d4e5f60718293a4b5c6d7e/releases",
            "/tree/da39a3ee5e6b4b0d3255bfef95601890afd80709",
            "/_docwright/theme-0123456789abcdef.css",
            "/guides/invitations",
        ] {
            assert!(matches!(shown(path, None), Cow::Borrowed(same) if same == path), "{path}");
        }
    }
}
