//! Limits of access: no key can create a key, or an account, that can do more than itself.

use docwright_types::key::Scope;
use ipnet::IpNet;

use crate::{Caller, OperationError};

impl Caller {
    /// Fails if a key with a scope and networks could do what the caller can't. Its lifetime doesn't count:
    /// otherwise a key could not be replaced in time.
    pub fn require_no_more(&self, scope: Scope, networks: &[IpNet]) -> Result<(), OperationError> {
        if scope > self.scope() {
            return Err(OperationError::Forbidden(format!(
                "A key with the scope `{}` can't create a key with the scope `{}`. Use a key that has that scope.",
                self.scope().name(),
                scope.name()
            )));
        }
        if within(self.allowlist(), networks) {
            return Ok(());
        }
        Err(OperationError::Forbidden(
            "This key is limited to some IP addresses, so it can't create keys for others. Set `allow` to addresses on its allowlist."
                .to_owned(),
        ))
    }
}

impl Caller {
    /// Fails for a key that is limited to some addresses: members can sign in from anywhere, so they can do more
    /// than the key.
    pub fn require_every_address(&self) -> Result<(), OperationError> {
        if self.allowlist().is_empty() {
            return Ok(());
        }
        Err(OperationError::Forbidden(
            "This key is limited to some IP addresses, and members can sign in from any. Use a key without that limit."
                .to_owned(),
        ))
    }
}

/// Whether networks are contained in a list. An empty list stands for every address.
fn within(list: &[IpNet], networks: &[IpNet]) -> bool {
    let is_inside = |network: &IpNet| list.iter().any(|own| own.contains(network));
    list.is_empty() || (!networks.is_empty() && networks.iter().all(is_inside))
}

#[cfg(test)]
mod tests {
    use docwright_types::key::parse_allowlist;

    use super::*;

    #[test]
    fn networks_are_compared_by_containment() {
        for (list, networks, expected) in [
            ("", "", true),
            ("", "10.0.0.0/8", true),
            ("10.0.0.0/8", "10.1.0.0/16", true),
            ("10.0.0.0/8", "10.0.0.0/8", true),
            ("10.0.0.0/8,2001:db8::/32", "2001:db8:1::/48,10.1.1.1", true),
            ("10.0.0.0/8", "", false),
            ("10.0.0.0/16", "10.0.0.0/8", false),
            ("10.0.0.0/8", "10.0.0.1,11.0.0.1", false),
            ("10.0.0.0/8", "::ffff:10.0.0.1", false),
        ] {
            let [list, networks] = [list, networks].map(|text| parse_allowlist(text).unwrap());
            assert_eq!(within(&list, &networks), expected, "{list:?} {networks:?}");
        }
    }
}
