//! Binds addresses. Errors name the address, the reason, and a remedy.

use std::{
    io::{self, ErrorKind},
    net::{Ipv4Addr, Ipv6Addr, SocketAddr},
};

use anyhow::{anyhow, bail};
use tokio::net::TcpListener;

use crate::listen_address::ListenAddress;

/// Listens on an address. `flag` names the setting in errors.
pub async fn bind(address: &ListenAddress, flag: &str) -> anyhow::Result<TcpListener> {
    let mut refused = None;
    for candidate in candidates(address, flag).await? {
        match TcpListener::bind(candidate).await {
            Ok(listener) => return Ok(listener),
            // A machine without IPv6 can't bind its addresses; the next address can work.
            Err(error) => refused = refused.or(Some((candidate, error))),
        }
    }
    let Some((candidate, error)) = refused else {
        bail!("{flag} {address}: this name has no address; use one of this machine's addresses");
    };
    let named = address.host().is_some_and(|host| host.parse::<std::net::IpAddr>().is_err());
    let shown = if named { format!("{address} ({candidate})") } else { address.to_string() };
    Err(anyhow!("cannot listen on {shown}: {}", reason(&error, candidate, flag)))
}

/// Candidate addresses, the best first.
async fn candidates(address: &ListenAddress, flag: &str) -> anyhow::Result<Vec<SocketAddr>> {
    let port = address.port();
    let Some(host) = address.host() else {
        // The first one accepts IPv4 and IPv6 if the system has both.
        let every = [Ipv6Addr::UNSPECIFIED.into(), Ipv4Addr::UNSPECIFIED.into()];
        return Ok(every.map(|each| SocketAddr::new(each, port)).into());
    };
    let found = tokio::net::lookup_host((host, port)).await.map_err(|error| {
        anyhow!("{flag} {address}: `{host}` can't be looked up ({error}); use an address of this machine, such as 127.0.0.1:{port}")
    })?;
    let mut found: Vec<_> = found.collect();
    // Other software that names this address, such as a proxy, usually uses 127.0.0.1.
    found.sort_by_key(SocketAddr::is_ipv6);
    Ok(found)
}

fn reason(error: &io::Error, address: SocketAddr, flag: &str) -> String {
    let port = address.port();
    match error.kind() {
        ErrorKind::AddrInUse => format!(
            "another program listens there; stop it, or choose another port, such as {flag} {}",
            SocketAddr::new(address.ip(), port.checked_add(1).unwrap_or(8080))
        ),
        ErrorKind::AddrNotAvailable => format!(
            "this machine has no such address; use one of its addresses, or {flag} :{port} for all of them"
        ),
        ErrorKind::PermissionDenied => format!(
            "ports below 1024 need a special permission; use a higher port, such as {flag} {}, or give docwright the capability CAP_NET_BIND_SERVICE",
            SocketAddr::new(address.ip(), 8080)
        ),
        _ => format!("{error}; choose another {flag}"),
    }
}
