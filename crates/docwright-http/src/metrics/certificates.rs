//! Metrics of certificates, from the database.

use std::sync::atomic::AtomicU64;

use docwright_storage::database::CertificateState;
use docwright_types::timestamp::Timestamp;
use prometheus_client::{
    metrics::{family::Family, gauge::Gauge},
    registry::Registry,
};

use super::exposition::Part;

/// Gauges of certificates. There are none if docwright orders none.
#[derive(Debug, Clone, Default)]
pub struct CertificateMetrics {
    hosts: Family<[(&'static str, &'static str); 1], Gauge>,
    expiry: Family<[(&'static str, &'static str); 0], Gauge<f64, AtomicU64>>,
}

impl CertificateMetrics {
    /// Updates the states of hosts.
    pub fn set(&self, states: &[CertificateState], now: Timestamp) {
        let mut counts = [("valid", 0), ("expired", 0), ("failed", 0), ("pending", 0)];
        for state in states {
            let place = match state.expires_at {
                Some(end) if end > now => 0,
                Some(_) => 1,
                None if state.problem.is_some() => 2,
                None => 3,
            };
            counts[place].1 += 1;
        }
        for (state, count) in counts {
            self.hosts.get_or_create(&[("state", state)]).set(count);
        }
        match states.iter().filter_map(|state| state.expires_at).min() {
            #[expect(
                clippy::cast_precision_loss,
                reason = "a certificate lasts no thousands of years"
            )]
            Some(first) => drop(self.expiry.get_or_create(&[]).set((first - now) as f64 / 1000.0)),
            None => self.expiry.clear(),
        }
    }
}

impl Part for CertificateMetrics {
    fn register(&self, registry: &mut Registry) {
        registry.register(
            "docwright_certificates",
            "Hosts with a certificate or an order for one, of all nodes, by state",
            self.hosts.clone(),
        );
        registry.register(
            "docwright_certificate_expiry_seconds",
            "Time until the first certificate expires",
            self.expiry.clone(),
        );
    }
}
