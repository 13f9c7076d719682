//! Connections: how many are open, and how many were refused.

use prometheus_client::{
    metrics::{counter::Counter, family::Family, gauge::Gauge},
    registry::Registry,
};

use super::exposition::Part;

/// Connections of all listeners but that of the probes.
#[derive(Debug, Clone, Default)]
pub struct Connections {
    open: Gauge,
    refused: Family<[(&'static str, &'static str); 1], Counter>,
}

/// Why a connection was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// The system gave none, or it broke off at once.
    System,
    /// There is no room, and none makes way.
    Full,
    /// The client has its share.
    Client,
}

impl Refusal {
    const ALL: [Self; 3] = [Self::System, Self::Full, Self::Client];

    const fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Full => "full",
            Self::Client => "client",
        }
    }
}

impl Connections {
    /// A connection is open until the answer is dropped.
    pub fn opened(&self) -> OpenConnection {
        self.open.inc();
        OpenConnection(self.open.clone())
    }

    /// A connection was refused.
    pub fn refused(&self, why: Refusal) {
        self.refused.get_or_create(&[("reason", why.name())]).inc();
    }
}

/// A connection that is open.
#[derive(Debug)]
pub struct OpenConnection(Gauge);

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.0.dec();
    }
}

impl Part for Connections {
    fn register(&self, registry: &mut Registry) {
        registry.register("docwright_connections", "Connections that are open", self.open.clone());
        for why in Refusal::ALL {
            drop(self.refused.get_or_create(&[("reason", why.name())]));
        }
        registry.register(
            "docwright_connections_refused",
            "Connections that were refused, by reason",
            self.refused.clone(),
        );
    }
}
