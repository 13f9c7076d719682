//! Looks up DNS records at the name servers of this machine or at those that the operator sets.

use std::{
    net::{IpAddr, SocketAddr},
    sync::Arc,
};

use hickory_resolver::{
    TokioResolver,
    config::{ConnectionConfig, NameServerConfig, ResolverConfig},
    net::{NetError, runtime::TokioRuntimeProvider},
    proto::rr::{Name, RData, Record, RecordType},
};

/// Records that are read for one name.
const MOST: usize = 100;

/// A DNS resolver.
pub(super) struct Dns(Result<Arc<TokioResolver>, String>);

impl std::fmt::Debug for Dns {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Dns")
    }
}

impl Dns {
    /// Uses these servers, or those of this machine if there are none. If the machine has none, look-ups fail.
    pub(super) fn new(servers: &[SocketAddr]) -> Self {
        let resolver = resolver(servers).map(Arc::new);
        Self(
            resolver
                .map_err(|error| format!("the name servers of this machine are unknown: {error}")),
        )
    }

    /// The texts of a name; empty if it has none.
    pub(super) async fn texts(&self, name: &str) -> Result<Vec<String>, String> {
        let read = |_: &Name, data: &RData| match data {
            RData::TXT(text) => Some(String::from_utf8_lossy(&text.txt_data.concat()).into_owned()),
            _ => None,
        };
        self.lookup(name, RecordType::TXT, read).await
    }

    /// The addresses of a name, in order; empty if it has none.
    pub(super) async fn addresses(&self, name: &str) -> Result<Vec<IpAddr>, String> {
        let read = |_: &Name, data: &RData| match data {
            RData::A(address) => Some(IpAddr::V4(address.0)),
            RData::AAAA(address) => Some(IpAddr::V6(address.0)),
            _ => None,
        };
        let (v4, v6) = tokio::join!(
            self.lookup(name, RecordType::A, read),
            self.lookup(name, RecordType::AAAA, read),
        );
        let mut addresses = match (v4, v6) {
            (Err(error), Err(_)) => return Err(error),
            // Some servers fail for a type of address that they don't know.
            (v4, v6) => [v4.unwrap_or_default(), v6.unwrap_or_default()].concat(),
        };
        addresses.sort_unstable();
        addresses.dedup();
        Ok(addresses)
    }

    /// Whether a name is the root of a zone. A server that doesn't tell counts as no.
    pub(super) async fn is_zone(&self, name: &str) -> bool {
        let owner = format!("{name}.");
        let read = |found: &Name, data: &RData| {
            matches!(data, RData::SOA(_)).then(|| found.to_ascii().eq_ignore_ascii_case(&owner))
        };
        let found = self.lookup(name, RecordType::SOA, read).await;
        found.is_ok_and(|found| found.contains(&true))
    }

    /// What is read from the records of a name; empty if it has none.
    async fn lookup<T>(
        &self,
        name: &str,
        kind: RecordType,
        read: impl Fn(&Name, &RData) -> Option<T>,
    ) -> Result<Vec<T>, String> {
        let resolver = self.0.as_ref().map_err(Clone::clone)?;
        let found = match resolver.lookup(format!("{name}."), kind).await {
            Ok(found) => found,
            Err(error) if error.is_no_records_found() => return Ok(Vec::new()),
            Err(error) => return Err(error.to_string()),
        };
        let read = |record: &Record| read(&record.name, &record.data);
        Ok(found.answers().iter().filter_map(read).take(MOST).collect())
    }
}

fn resolver(servers: &[SocketAddr]) -> Result<TokioResolver, NetError> {
    let mut builder = if servers.is_empty() {
        TokioResolver::builder_tokio()?
    } else {
        let servers = servers.iter().map(|server| {
            let connections = [ConnectionConfig::udp(), ConnectionConfig::tcp()];
            let connections = connections.map(|mut connection| {
                connection.port = server.port();
                connection
            });
            NameServerConfig::new(server.ip(), true, connections.into())
        });
        let config = ResolverConfig::from_parts(None, Vec::new(), servers.collect());
        TokioResolver::builder_with_config(config, TokioRuntimeProvider::default())
    };
    // Negative answers are not cached, since someone might have just added the record.
    builder.options_mut().cache_size = 0;
    builder.build()
}
