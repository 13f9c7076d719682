//! Looks up DNS records at the name servers of this machine or at those that the operator sets.

use std::{net::SocketAddr, sync::Arc};

use hickory_resolver::{
    TokioResolver,
    config::{ConnectionConfig, NameServerConfig, ResolverConfig},
    net::{NetError, runtime::TokioRuntimeProvider},
    proto::rr::{RData, RecordType},
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
        let resolver = self.0.as_ref().map_err(Clone::clone)?;
        let found = match resolver.lookup(format!("{name}."), RecordType::TXT).await {
            Ok(found) => found,
            Err(error) if error.is_no_records_found() => {
                return Ok(Vec::new());
            }
            Err(error) => return Err(error.to_string()),
        };
        let texts = found.answers().iter().filter_map(|record| match &record.data {
            RData::TXT(text) => Some(String::from_utf8_lossy(&text.txt_data.concat()).into_owned()),
            _ => None,
        });
        Ok(texts.take(MOST).collect())
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
