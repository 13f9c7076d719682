//! Addresses of domains: a host, and the base path of its site.

use std::{fmt, str::FromStr};

use crate::domain_name::{DomainName, InvalidDomainName};

/// Largest number of segments in a base path.
pub const MAXIMUM_SEGMENTS: usize = 8;
/// Longest base path. Bytes.
const MAXIMUM_BASE: usize = 200;
/// Paths that every site uses itself, so base paths can't.
const RESERVED: [&str; 2] = ["_docwright", ".well-known"];

/// A host, and the base path of a site on it, such as `docs.example.com` or `example.com/docs`. As text
/// it is the name of the domain.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DomainAddress {
    host: DomainName,
    text: String,
}

/// Why a text isn't an address of a domain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidDomainAddress {
    /// Its host is invalid.
    #[error(transparent)]
    Host(#[from] InvalidDomainName),
    /// Its base path is invalid.
    #[error(
        "must have a base path of letters, digits, hyphens, underscores, dots, and tildes between slashes, such as example.com/docs"
    )]
    Base,
    /// Its base path is too long.
    #[error(
        "must have a base path of at most {MAXIMUM_SEGMENTS} segments and {MAXIMUM_BASE} characters"
    )]
    Long,
    /// Its base path is reserved.
    #[error(
        "must have a base path without `_docwright` and `.well-known`, which docwright reserves"
    )]
    Reserved,
}

impl DomainAddress {
    /// Parses a host and a base path, with or without a trailing slash.
    pub fn parse(text: &str) -> Result<Self, InvalidDomainAddress> {
        if text.contains("://") {
            return Err(InvalidDomainName::Scheme.into());
        }
        let (host, base) = text.split_at(text.find('/').unwrap_or(text.len()));
        Self::new(DomainName::parse(host)?, base)
    }

    /// The address of a base path on a host; it can be empty.
    pub fn new(host: DomainName, base: &str) -> Result<Self, InvalidDomainAddress> {
        let base = base.strip_suffix('/').unwrap_or(base);
        if base.is_empty() {
            return Ok(host.into());
        }
        let segments = base.strip_prefix('/').ok_or(InvalidDomainAddress::Base)?;
        if base.len() > MAXIMUM_BASE || segments.split('/').count() > MAXIMUM_SEGMENTS {
            return Err(InvalidDomainAddress::Long);
        }
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        let is_segment =
            |segment: &str| !matches!(segment, "" | "." | "..") && segment.bytes().all(allowed);
        if !segments.split('/').all(is_segment) {
            return Err(InvalidDomainAddress::Base);
        }
        if segments.split('/').any(|segment| RESERVED.contains(&segment)) {
            return Err(InvalidDomainAddress::Reserved);
        }
        let text = format!("{host}{base}");
        Ok(Self { host, text })
    }

    /// The host.
    pub const fn host(&self) -> &DomainName {
        &self.host
    }

    /// The base path, such as `/docs`; empty at the root of the host.
    pub fn base(&self) -> &str {
        base_of(&self.text)
    }

    /// Both as one text.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

/// The base path of a valid address.
pub fn base_of(address: &str) -> &str {
    &address[address.find('/').unwrap_or(address.len())..]
}

impl From<DomainName> for DomainAddress {
    fn from(host: DomainName) -> Self {
        Self { text: host.to_string(), host }
    }
}

impl FromStr for DomainAddress {
    type Err = InvalidDomainAddress;

    fn from_str(text: &str) -> Result<Self, InvalidDomainAddress> {
        Self::parse(text)
    }
}

impl fmt::Display for DomainAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn domain_address_is_normalized() {
        for (text, host, base) in [
            ("docs.example.com", "docs.example.com", ""),
            ("Docs.Example.com./", "docs.example.com", ""),
            ("example.com/docs", "example.com", "/docs"),
            ("EXAMPLE.com/Docs/v1.2/", "example.com", "/Docs/v1.2"),
        ] {
            let address = DomainAddress::parse(text).unwrap();
            assert_eq!((address.host().as_str(), address.base()), (host, base), "{text}");
            assert_eq!(address.to_string(), format!("{host}{base}"));
            assert_eq!(DomainAddress::parse(address.as_str()), Ok(address));
        }
    }

    #[test]
    fn paths_that_browsers_would_change_are_refused() {
        use InvalidDomainAddress::{Base, Host, Long, Reserved};
        let deep = format!("a.b{}", "/x".repeat(MAXIMUM_SEGMENTS + 1));
        let long = format!("a.b/{}", "x".repeat(MAXIMUM_BASE));
        for (text, reason) in [
            ("a.b/../c", Base),
            ("a.b/./c", Base),
            ("a.b//c", Base),
            ("a.b/c//", Base),
            ("a.b/c?d", Base),
            ("a.b/c#d", Base),
            ("a.b/c%2Fd", Base),
            ("a.b/ä", Base),
            ("a.b/c d", Base),
            ("a.b/c\\d", Base),
            ("a.b/_docwright", Reserved),
            ("a.b/c/.well-known", Reserved),
            (&deep, Long),
            (&long, Long),
            ("https://a.b/c", Host(InvalidDomainName::Scheme)),
            ("a.b:80/c", Host(InvalidDomainName::Port)),
            ("127.0.0.1/c", Host(InvalidDomainName::Address)),
            ("/c", Host(InvalidDomainName::Name)),
        ] {
            assert_eq!(DomainAddress::parse(text), Err(reason), "{text}");
        }
    }
}
