//! Metrics of the bundle cache on this machine's disk, and of open sites.

use prometheus_client::{
    metrics::{counter::Counter, gauge::Gauge},
    registry::Registry,
};

use super::exposition::Part;

/// Counters of copies and open sites.
#[derive(Debug, Clone, Default)]
pub struct BundleCacheMetrics {
    /// Bytes of all copies.
    pub bytes: Gauge,
    /// Number of copies.
    pub copies: Gauge,
    /// Sites that were opened from a copy.
    pub hits: Counter,
    /// Bundles that had to be copied first.
    pub misses: Counter,
    /// Copies that were removed to make room.
    pub evictions: Counter,
    /// Sites that are open.
    pub open_sites: Gauge,
}

impl Part for BundleCacheMetrics {
    fn register(&self, registry: &mut Registry) {
        let gauges = [
            (
                "docwright_bundle_cache_bytes",
                "Bytes of the copies of bundles on this disk",
                &self.bytes,
            ),
            ("docwright_bundle_cache_copies", "Copies of bundles on this disk", &self.copies),
            ("docwright_open_sites", "Sites whose bundles are open", &self.open_sites),
        ];
        for (name, help, gauge) in gauges {
            registry.register(name, help, gauge.clone());
        }
        let counters = [
            ("docwright_bundle_cache_hits", "Sites that were opened from a copy", &self.hits),
            (
                "docwright_bundle_cache_misses",
                "Bundles that were copied to be opened",
                &self.misses,
            ),
            ("docwright_bundle_cache_evictions", "Copies removed to make room", &self.evictions),
        ];
        for (name, help, counter) in counters {
            registry.register(name, help, counter.clone());
        }
    }
}
