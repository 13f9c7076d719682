//! Settings of proxies in front of the service.

use std::net::IpAddr;

use docwright_http::client::TrustedProxies;
use ipnet::IpNet;

/// Settings of proxies. Each flag has a variable of the same name.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct ProxySettings {
    /// Proxies to trust for client addresses, such as 10.0.0.0/8,192.0.2.10
    #[arg(
        long,
        value_name = "NETWORK",
        env = "DOCWRIGHT_TRUSTED_PROXIES",
        value_delimiter = ',',
        value_parser = parse
    )]
    trusted_proxies: Vec<IpNet>,
}

impl ProxySettings {
    /// The proxies.
    pub(crate) fn trusted(&self) -> TrustedProxies {
        TrustedProxies::new(self.trusted_proxies.clone())
    }
}

fn parse(text: &str) -> Result<IpNet, String> {
    let text = text.trim();
    let network = text.parse::<IpNet>().or_else(|_| text.parse::<IpAddr>().map(IpNet::from));
    let network = network
        .map_err(|_| format!("`{text}` isn't an IP address or a network, such as 10.0.0.0/8"))?;
    if network.prefix_len() == 0 {
        return Err(format!("`{text}` trusts every client; list only your proxies"));
    }
    Ok(network)
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn invalid_network_is_named() {
        assert_eq!(parse(" 10.0.0.1").unwrap().to_string(), "10.0.0.1/32");
        assert_eq!(parse("fd00::/8").unwrap().to_string(), "fd00::/8");
        for (text, said) in [("0.0.0.0/0", "every client"), ("proxy", "isn't an IP address")] {
            assert!(parse(text).unwrap_err().contains(said), "{text}");
        }
    }
}
