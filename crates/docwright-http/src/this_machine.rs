//! Addresses of this machine itself, such as on a laptop.

use url::{Host, Url};

/// Whether an address is local: `localhost`, a name below it, or a loopback address.
pub fn is_this_machine(address: &Url) -> bool {
    match address.host() {
        Some(Host::Domain(name)) => {
            let name = name.trim_end_matches('.');
            name == "localhost" || name.ends_with(".localhost")
        }
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}
