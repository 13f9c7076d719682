//! Hostnames of domains.

use std::fmt;

/// A bare hostname in lower case, such as `docs.example.com`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DomainName(String);

/// Why a text isn't a bare hostname.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidDomainName {
    /// It has a scheme.
    #[error("must be a bare hostname, without a scheme such as https://")]
    Scheme,
    /// It has a path, query, or fragment.
    #[error("must be a bare hostname, without a path")]
    Path,
    /// It has a port.
    #[error("must be a bare hostname, without a port")]
    Port,
    /// It is an IP address: browsers read every name that ends with a number as one.
    #[error("must be a hostname, not an IP address")]
    Address,
    /// It stands for many hostnames.
    #[error("must be one hostname, not a wildcard")]
    Wildcard,
    /// It has characters that DNS does not support.
    #[error("must be ASCII; write an international name in the form that starts with xn--")]
    International,
    /// It isn't a hostname at all.
    #[error("must be a hostname of letters, digits, hyphens, and dots, such as docs.example.com")]
    Name,
}

impl DomainName {
    /// Parses a hostname (RFC 1123, section 2.1).
    pub fn parse(text: &str) -> Result<Self, InvalidDomainName> {
        if text.contains("://") {
            return Err(InvalidDomainName::Scheme);
        }
        if text.contains(['/', '?', '#']) {
            return Err(InvalidDomainName::Path);
        }
        if text.contains(':') {
            return Err(InvalidDomainName::Port);
        }
        if text.contains('*') {
            return Err(InvalidDomainName::Wildcard);
        }
        if !text.is_ascii() {
            return Err(InvalidDomainName::International);
        }
        let name = text.trim_end_matches('.').to_ascii_lowercase();
        let label = |label: &str| {
            (1..=63).contains(&label.len())
                && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
                && !label.starts_with('-')
                && !label.ends_with('-')
        };
        if name.len() > 253 || !name.split('.').all(label) {
            return Err(InvalidDomainName::Name);
        }
        let last = name.rsplit('.').next().unwrap_or_default();
        if last.bytes().all(|byte| byte.is_ascii_digit()) || last.starts_with("0x") {
            return Err(InvalidDomainName::Address);
        }
        Ok(Self(name))
    }

    /// Whether a host is a domain, or below it.
    pub fn is_at_or_below(host: &str, domain: &str) -> bool {
        host.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for DomainName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_bare_host_names_pass() {
        let name = DomainName::parse("Docs.Example.com").unwrap();
        assert_eq!(
            (name.as_str(), name.to_string().as_str()),
            ("docs.example.com", "docs.example.com")
        );
        for (text, reason) in [
            ("https://a.b", InvalidDomainName::Scheme),
            ("a.b/c", InvalidDomainName::Path),
            ("a.b:80", InvalidDomainName::Port),
            ("127.0.0.1", InvalidDomainName::Address),
            ("docs.2130706433", InvalidDomainName::Address),
            ("0x7f000001", InvalidDomainName::Address),
            ("*.example.com", InvalidDomainName::Wildcard),
            ("müller.example", InvalidDomainName::International),
            ("", InvalidDomainName::Name),
            ("-a.b", InvalidDomainName::Name),
            ("a..b", InvalidDomainName::Name),
            ("a b", InvalidDomainName::Name),
        ] {
            assert_eq!(DomainName::parse(text), Err(reason), "{text}");
        }
    }
}
