//! Negotiates the form of a file: the codings and types that a client accepts.

use axum::http::{HeaderMap, header};

/// The form in which contents are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Form {
    /// Uncompressed.
    Identity,
    /// As the gzip member in the bundle.
    Gzip,
}

/// The form that a client prefers (RFC 9110, section 12.5.3); `None` if it accepts neither. Contents that are not
/// deflated gain nothing as gzip, so they are sent unchanged wherever that is accepted.
pub(super) fn form(headers: &HeaderMap, stored: bool) -> Option<Form> {
    let mut lines = headers.get_all(header::ACCEPT_ENCODING).iter().peekable();
    if lines.peek().is_none() {
        // Anything is acceptable then, but such clients seldom decode.
        return Some(Form::Identity);
    }
    let (mut gzip, mut identity, mut others) = (None, None, None);
    for line in lines.filter_map(|line| line.to_str().ok()) {
        for element in line.split(',') {
            let (coding, parameters) = element.split_once(';').unwrap_or((element, ""));
            let Some(weight) = weight(parameters) else { continue };
            let coding = coding.trim();
            let is = |name: &str| coding.eq_ignore_ascii_case(name);
            if is("gzip") || is("x-gzip") {
                gzip = Some(weight);
            } else if is("identity") {
                identity = Some(weight);
            } else if coding == "*" {
                others = Some(weight);
            }
        }
    }
    let gzip = gzip.or(others).unwrap_or(0);
    // An unmentioned coding is accepted, but mentioned ones are preferred.
    let identity = identity.or(others);
    match identity {
        Some(0) if gzip == 0 => None,
        Some(0) => Some(Form::Gzip),
        Some(identity) if identity > gzip => Some(Form::Identity),
        _ if stored || gzip == 0 => Some(Form::Identity),
        _ => Some(Form::Gzip),
    }
}

/// The weight among the parameters of an element, in thousandths; `None` if it is invalid.
pub(super) fn weight(parameters: &str) -> Option<u16> {
    let parameters = parameters.trim();
    if parameters.is_empty() {
        return Some(1000);
    }
    let (name, value) = parameters.split_once('=')?;
    let value = value.trim();
    let (whole, decimals) = value.split_once('.').unwrap_or((value, ""));
    let is_weight = name.trim().eq_ignore_ascii_case("q")
        && matches!(whole, "0" | "1")
        && decimals.len() <= 3
        && decimals.bytes().all(|digit| digit.is_ascii_digit());
    if !is_weight {
        return None;
    }
    let thousandths: u16 = format!("{decimals:0<3}").parse().ok()?;
    Some(if whole == "1" { 1000 } else { thousandths })
}

/// Whether a program asks for text instead of a page, as <https://llmstxt.org> proposes.
pub(super) fn wants_markdown(headers: &HeaderMap) -> bool {
    let accept = headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok());
    accept.is_some_and(|accept| {
        !accept.contains("text/html")
            && (accept.contains("text/markdown") || accept.contains("text/plain"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deflated(accepted: &str) -> Option<Form> {
        let headers = HeaderMap::from_iter([(header::ACCEPT_ENCODING, accepted.parse().unwrap())]);
        form(&headers, false)
    }

    fn stored(accepted: &str) -> Option<Form> {
        let headers = HeaderMap::from_iter([(header::ACCEPT_ENCODING, accepted.parse().unwrap())]);
        form(&headers, true)
    }

    #[test]
    fn gzip_is_sent_to_clients_that_accept_it() {
        for accepted in [
            "gzip",
            "GZip",
            "x-gzip",
            "gzip, deflate, br, zstd",
            "deflate, gzip;q=1.0, *;q=0.5",
            "br;q=1, gzip;q=0.001",
            "*",
            "*;q=0.5",
            "gzip;q=0.5",
            "identity;q=0.5, gzip",
            "identity, gzip",
            "identity;q=0, gzip;q=0.1",
            " gzip ; q=1.000 ",
            "br, , gzip",
        ] {
            assert_eq!(deflated(accepted), Some(Form::Gzip), "{accepted}");
        }
    }

    #[test]
    fn other_clients_get_identity_contents() {
        for accepted in [
            "",
            "identity",
            "br",
            "gzip;q=0",
            "gzip;q=0.000",
            "gzip;q=0.5, identity",
            "gzip;q=0, *",
            "gzip;q=2",
            "gzip;q=0.1234",
            "gzip;level=9",
            "gzipped",
            "gzip;q=0.5, *;q=0.8",
        ] {
            assert_eq!(deflated(accepted), Some(Form::Identity), "{accepted}");
        }
        assert_eq!(form(&HeaderMap::new(), false), Some(Form::Identity));
    }

    #[test]
    fn no_form_is_sent_if_client_accepts_none() {
        for accepted in ["identity;q=0", "*;q=0", "br, *;q=0", "gzip;q=0, identity;q=0"] {
            assert_eq!(deflated(accepted), None, "{accepted}");
            assert_eq!(stored(accepted), None, "{accepted}");
        }
    }

    #[test]
    fn stored_contents_are_sent_unchanged_unless_refused() {
        for accepted in ["gzip", "*", "gzip, identity;q=0.1, br", "identity", ""] {
            assert_eq!(stored(accepted), Some(Form::Identity), "{accepted}");
        }
        assert_eq!(stored("gzip, identity;q=0"), Some(Form::Gzip));
        assert_eq!(stored("gzip, *;q=0"), Some(Form::Gzip));
    }
}
