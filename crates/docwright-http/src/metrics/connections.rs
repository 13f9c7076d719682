//! Metrics of connections: open ones and refused ones.

use prometheus_client::{
    metrics::{counter::Counter, family::Family, gauge::Gauge},
    registry::Registry,
};

use super::exposition::Part;

/// Connections of all listeners except that for probes.
#[derive(Debug, Clone, Default)]
pub struct Connections {
    open: Gauge,
    refused: Family<[(&'static str, &'static str); 1], Counter>,
}

/// Why a connection was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// The system had none, or it broke immediately.
    System,
    /// The listener is full, and no connection can be closed.
    Full,
    /// The client is at its limit.
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
    /// Counts a connection as open until the result is dropped.
    pub fn opened(&self) -> OpenConnection {
        self.open.inc();
        OpenConnection(self.open.clone())
    }

    /// Counts a refused connection.
    pub fn refused(&self, why: Refusal) {
        self.refused.get_or_create(&[("reason", why.name())]).inc();
    }
}

/// An open connection.
#[derive(Debug)]
pub struct OpenConnection(Gauge);

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.0.dec();
    }
}

impl Part for Connections {
    fn register(&self, registry: &mut Registry) {
        registry.register("docwright_connections", "Open connections", self.open.clone());
        for why in Refusal::ALL {
            drop(self.refused.get_or_create(&[("reason", why.name())]));
        }
        registry.register(
            "docwright_connections_refused",
            "Refused connections, by reason",
            self.refused.clone(),
        );
    }
}
