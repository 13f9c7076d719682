//! The header `Forwarded` (RFC 7239), read from its end: the last element is from the nearest proxy. Earlier
//! elements come from farther away and can't change how the last one is read.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::{Hop, Malformed, is_https};
use crate::authority::Authority;

/// The elements of one line of the header, the last one first. An invalid element ends the iteration.
#[derive(Debug)]
pub(super) struct Elements<'a> {
    rest: &'a [u8],
}

impl<'a> Elements<'a> {
    /// The elements of a line.
    pub(super) const fn of(line: &'a [u8]) -> Self {
        Self { rest: line }
    }

    /// Takes the last element.
    fn take(&mut self) -> Result<Hop, Malformed> {
        let (mut node, mut scheme, mut host) = (None, None, None);
        loop {
            let mut other = None;
            self.trim(b" \t;");
            if matches!(self.rest.last(), None | Some(b',')) {
                break;
            }
            let (name, value) = self.take_pair()?;
            let field = match name.to_ascii_lowercase().as_slice() {
                b"for" => &mut node,
                b"proto" => &mut scheme,
                b"host" => &mut host,
                _ => &mut other,
            };
            if field.replace(value).is_some() {
                return Err(Malformed);
            }
            self.trim(b" \t");
            if !matches!(self.rest.last(), None | Some(b',' | b';')) {
                return Err(Malformed);
            }
        }
        Ok(Hop {
            address: node.map_or(Ok(None), |node| read_node(&node))?,
            is_https: scheme.is_some_and(|scheme| is_https(&scheme)),
            host: host.and_then(|host| Authority::parse(&host)),
        })
    }

    /// Takes `name=value` at the end.
    fn take_pair(&mut self) -> Result<(&'a [u8], String), Malformed> {
        let value = match self.rest.split_last() {
            Some((b'"', before)) => {
                let start = opening_quote(before).ok_or(Malformed)?;
                let value = unquoted(&before[start + 1..])?;
                self.rest = &before[..start];
                value
            }
            _ => String::from_utf8_lossy(self.take_token()?).into_owned(),
        };
        self.rest = self.rest.strip_suffix(b"=").ok_or(Malformed)?;
        Ok((self.take_token()?, value))
    }

    fn take_token(&mut self) -> Result<&'a [u8], Malformed> {
        let start = self.rest.iter().rposition(|byte| !is_token(*byte)).map_or(0, |end| end + 1);
        let (before, token) = self.rest.split_at(start);
        self.rest = before;
        if token.is_empty() { Err(Malformed) } else { Ok(token) }
    }

    fn trim(&mut self, bytes: &[u8]) {
        while let Some((last, before)) = self.rest.split_last()
            && bytes.contains(last)
        {
            self.rest = before;
        }
    }
}

impl Iterator for Elements<'_> {
    type Item = Result<Hop, Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        // A list can have empty elements.
        self.trim(b" \t,");
        if self.rest.is_empty() {
            return None;
        }
        let hop = self.take();
        if hop.is_err() {
            self.rest = &[];
        }
        Some(hop)
    }
}

/// Start of the quoted string that ends after this text.
fn opening_quote(text: &[u8]) -> Option<usize> {
    let is_escaped = |place: usize| {
        text[..place].iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1
    };
    if is_escaped(text.len()) {
        return None;
    }
    (0..text.len()).rev().find(|place| text[*place] == b'"' && !is_escaped(*place))
}

/// The contents of a quoted string.
fn unquoted(text: &[u8]) -> Result<String, Malformed> {
    let mut bytes = text.iter().copied();
    let mut plain = Vec::with_capacity(text.len());
    while let Some(byte) = bytes.next() {
        let byte = if byte == b'\\' { bytes.next().ok_or(Malformed)? } else { byte };
        if byte != b'\t' && (byte < b' ' || byte == 0x7f) {
            return Err(Malformed);
        }
        plain.push(byte);
    }
    String::from_utf8(plain).map_err(|_| Malformed)
}

/// The address of a node; `None` if the node hides it: `unknown`, or an identifier such as `_hidden`.
pub(super) fn read_node(node: &str) -> Result<Option<IpAddr>, Malformed> {
    let (name, port) = match node.strip_prefix('[') {
        Some(rest) => rest.split_once(']').ok_or(Malformed)?,
        None => node.split_at(node.find(':').unwrap_or(node.len())),
    };
    let is_port = |port: &str| {
        let is_number =
            (1..=5).contains(&port.len()) && port.bytes().all(|each| each.is_ascii_digit());
        is_number || is_obfuscated(port)
    };
    if !(port.is_empty() || port.strip_prefix(':').is_some_and(is_port)) {
        return Err(Malformed);
    }
    if node.starts_with('[') {
        return name
            .parse()
            .map(|address: Ipv6Addr| Some(address.to_canonical()))
            .map_err(|_| Malformed);
    }
    if name.eq_ignore_ascii_case("unknown") || is_obfuscated(name) {
        return Ok(None);
    }
    name.parse().map(|address: Ipv4Addr| Some(address.into())).map_err(|_| Malformed)
}

fn is_obfuscated(name: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    name.strip_prefix('_').is_some_and(|rest| !rest.is_empty() && rest.bytes().all(is_letter))
}

fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}
