//! Certificates that are kept up, as the database has them.

use std::sync::atomic::AtomicU64;

use docwright_storage::database::CertificateState;
use docwright_types::timestamp::Timestamp;
use prometheus_client::{
    metrics::{family::Family, gauge::Gauge},
    registry::Registry,
};

use super::exposition::Part;

/// Tells of certificates. There is nothing to tell where none are kept up.
#[derive(Debug, Clone, Default)]
pub struct CertificateMetrics {
    hosts: Family<[(&'static str, &'static str); 1], Gauge>,
    expiry: Family<[(&'static str, &'static str); 0], Gauge<f64, AtomicU64>>,
}

impl CertificateMetrics {
    /// Takes over how hosts stand.
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
            "Hosts that have a certificate or are to have one, of all nodes, by state",
            self.hosts.clone(),
        );
        registry.register(
            "docwright_certificate_expiry_seconds",
            "How long until the first certificate ends",
            self.expiry.clone(),
        );
    }
}
