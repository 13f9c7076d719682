//! Addresses to listen on, as people write them.

use std::{fmt, str::FromStr};

/// Examples of addresses, for help and errors.
const EXAMPLES: &str = "use an address such as 127.0.0.1:8080, localhost:8080, or [::1]:8080; 8080 alone listens on this machine only, :8080 on every network";

/// An address to listen on: a host, or every address, and a port. Names are resolved when they are used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListenAddress {
    host: Option<String>,
    port: u16,
}

impl ListenAddress {
    /// The host, without brackets; `None` for every address of the machine.
    pub fn host(&self) -> Option<&str> {
        self.host.as_deref()
    }

    /// The port; 0 picks a free one.
    pub const fn port(&self) -> u16 {
        self.port
    }
}

impl FromStr for ListenAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some((scheme, rest)) = text.split_once("://") {
            let rest = rest.trim_end_matches('/');
            return Err(format!(
                "an address has no scheme; leave `{scheme}://` out, such as {rest}"
            ));
        }
        let (host, port) = match text.rsplit_once(':') {
            None => ("127.0.0.1", text),
            Some(("", port)) => ("", port),
            Some((host, port)) => match host.strip_prefix('[') {
                Some(inner) => (inner.strip_suffix(']').ok_or(EXAMPLES)?, port),
                // In an IPv6 address without brackets, the start of the port is ambiguous.
                None if host.contains(':') => {
                    return Err("an IPv6 address needs brackets, such as [::1]:8080".to_owned());
                }
                None => (host, port),
            },
        };
        let digits = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
        if !digits {
            return Err(if text.contains(':') {
                format!("`{port}` isn't a port; {EXAMPLES}")
            } else {
                format!("no port; {EXAMPLES}")
            });
        }
        let port = port.parse().map_err(|_| "a port is a number from 0 to 65535".to_owned())?;
        let sane = |letter: char| letter.is_ascii_alphanumeric() || "-._:%".contains(letter);
        if !host.chars().all(sane) {
            return Err(format!("`{host}` isn't a name or an IP address; {EXAMPLES}"));
        }
        Ok(Self { host: Some(host.to_owned()).filter(|host| !host.is_empty()), port })
    }
}

impl fmt::Display for ListenAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.host {
            Some(host) if host.contains(':') => write!(formatter, "[{host}]:{}", self.port),
            Some(host) => write!(formatter, "{host}:{}", self.port),
            None => write!(formatter, ":{}", self.port),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_read() {
        for (text, host, port, shown) in [
            ("127.0.0.1:8080", Some("127.0.0.1"), 8080, "127.0.0.1:8080"),
            ("localhost:8080", Some("localhost"), 8080, "localhost:8080"),
            ("docs-host.lan:80", Some("docs-host.lan"), 80, "docs-host.lan:80"),
            ("8080", Some("127.0.0.1"), 8080, "127.0.0.1:8080"),
            (":8080", None, 8080, ":8080"),
            ("[::1]:8080", Some("::1"), 8080, "[::1]:8080"),
            ("[::]:0", Some("::"), 0, "[::]:0"),
            ("0.0.0.0:0", Some("0.0.0.0"), 0, "0.0.0.0:0"),
        ] {
            let address: ListenAddress = text.parse().unwrap();
            assert_eq!((address.host(), address.port()), (host, port), "{text}");
            assert_eq!(address.to_string(), shown);
        }
    }

    #[test]
    fn diagnostics_get_an_example() {
        for (text, said) in [
            ("localhost", "no port; use an address such as 127.0.0.1:8080"),
            ("", "no port"),
            ("localhost:", "`` isn't a port"),
            ("localhost:http", "`http` isn't a port"),
            ("localhost:99999", "from 0 to 65535"),
            ("::1:8080", "[::1]:8080"),
            ("[::1", "[::1]:8080"),
            ("[::1:8080", "[::1]:8080"),
            ("http://localhost:8080/", "leave `http://` out, such as localhost:8080"),
            ("a b:80", "`a b` isn't a name"),
        ] {
            let error = text.parse::<ListenAddress>().unwrap_err();
            assert!(error.contains(said), "{text}: {error}");
        }
    }
}
