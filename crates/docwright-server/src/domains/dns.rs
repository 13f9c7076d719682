//! Looking up records of DNS, at the name servers of this machine or those that the operator names.

use std::{net::SocketAddr, sync::Arc};

use anyhow::Context;
use hickory_resolver::{
    TokioResolver,
    config::{ConnectionConfig, NameServerConfig, ResolverConfig},
    net::runtime::TokioRuntimeProvider,
    proto::rr::{RData, RecordType},
};

/// Records that are read of one name at most.
const MOST: usize = 100;

/// A way to look up records.
#[derive(Clone)]
pub(crate) struct Dns(Arc<TokioResolver>);

impl std::fmt::Debug for Dns {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Dns")
    }
}

impl Dns {
    /// Asks these servers, or those of this machine if there are none.
    pub(super) fn new(servers: &[SocketAddr]) -> anyhow::Result<Self> {
        let mut builder = if servers.is_empty() {
            TokioResolver::builder_tokio()
                .context("the name servers of this machine are not known")?
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
        // Who has just set a record does not want to hear what was there before.
        builder.options_mut().cache_size = 0;
        Ok(Self(Arc::new(builder.build().context("records of DNS can't be looked up")?)))
    }

    /// The texts of a name; none if there are none.
    pub(super) async fn texts(&self, name: &str) -> Result<Vec<String>, String> {
        let found = match self.0.lookup(format!("{name}."), RecordType::TXT).await {
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
