//! Histograms of time, without a lock: an observation is two additions.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use prometheus_client::{
    encoding::{EncodeMetric, MetricEncoder, NoLabelSet},
    metrics::{MetricType, TypedMetric, family::MetricConstructor},
};

/// Upper bounds of buckets, in nanoseconds, the smallest first.
pub(super) type Bounds = &'static [u64];

const MILLISECOND: u64 = 1_000_000;
const SECOND: u64 = 1000 * MILLISECOND;

/// For requests: from a tenth of a millisecond to ten seconds.
pub(super) const REQUEST: Bounds = &[
    MILLISECOND / 10,
    MILLISECOND / 4,
    MILLISECOND,
    MILLISECOND * 5 / 2,
    5 * MILLISECOND,
    10 * MILLISECOND,
    25 * MILLISECOND,
    100 * MILLISECOND,
    250 * MILLISECOND,
    SECOND,
    SECOND * 5 / 2,
    10 * SECOND,
];

/// For answers of the assistant: from five milliseconds to a minute.
pub(super) const ANSWER: Bounds = &[
    5 * MILLISECOND,
    10 * MILLISECOND,
    25 * MILLISECOND,
    50 * MILLISECOND,
    100 * MILLISECOND,
    200 * MILLISECOND,
    SECOND,
    SECOND * 5 / 2,
    5 * SECOND,
    10 * SECOND,
    25 * SECOND,
    60 * SECOND,
];

/// For steps of jobs: from ten milliseconds to half an hour.
pub(super) const STEP: Bounds = &[
    10 * MILLISECOND,
    50 * MILLISECOND,
    250 * MILLISECOND,
    SECOND,
    SECOND * 5 / 2,
    10 * SECOND,
    30 * SECOND,
    120 * SECOND,
    600 * SECOND,
    1800 * SECOND,
];

/// A histogram of time.
#[derive(Debug, Clone)]
pub(super) struct Seconds(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    bounds: Bounds,
    /// One more than the number of bounds.
    counts: Box<[AtomicU64]>,
    nanoseconds: AtomicU64,
}

impl Seconds {
    /// An empty histogram.
    pub(super) fn new(bounds: Bounds) -> Self {
        let counts = (0..=bounds.len()).map(|_| AtomicU64::new(0)).collect();
        Self(Arc::new(Inner { bounds, counts, nanoseconds: AtomicU64::new(0) }))
    }

    /// Records a duration.
    pub(super) fn observe(&self, time: Duration) {
        let Inner { bounds, counts, nanoseconds } = &*self.0;
        let time = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let bucket = bounds.iter().position(|bound| time <= *bound).unwrap_or(bounds.len());
        counts[bucket].fetch_add(1, Ordering::Relaxed);
        nanoseconds.fetch_add(time, Ordering::Relaxed);
    }
}

impl TypedMetric for Seconds {
    const TYPE: MetricType = MetricType::Histogram;
}

impl EncodeMetric for Seconds {
    fn encode(&self, mut encoder: MetricEncoder<'_>) -> fmt::Result {
        let Inner { bounds, counts, nanoseconds } = &*self.0;
        let counts: Vec<u64> = counts.iter().map(|count| count.load(Ordering::Relaxed)).collect();
        let bounds = bounds.iter().map(|bound| seconds(*bound)).chain([f64::INFINITY]);
        let buckets: Vec<_> = bounds.zip(counts.iter().copied()).collect();
        let sum = seconds(nanoseconds.load(Ordering::Relaxed));
        encoder.encode_histogram::<NoLabelSet>(sum, counts.iter().sum(), &buckets, None)
    }

    fn metric_type(&self) -> MetricType {
        Self::TYPE
    }
}

#[expect(clippy::cast_precision_loss, reason = "what is lost is less than a microsecond in a year")]
fn seconds(nanoseconds: u64) -> f64 {
    nanoseconds as f64 / 1e9
}

/// Creates the histograms of a family.
#[derive(Debug, Clone, Copy)]
pub(super) struct OfBounds(pub(super) Bounds);

impl MetricConstructor<Seconds> for OfBounds {
    fn new_metric(&self) -> Seconds {
        Seconds::new(self.0)
    }
}

#[cfg(test)]
mod tests {
    use prometheus_client::{encoding::text, registry::Registry};

    use super::*;

    #[test]
    fn bounds_rise() {
        for bounds in [REQUEST, STEP] {
            assert!(bounds.is_sorted_by(|one, next| one < next), "{bounds:?}");
        }
    }

    #[test]
    fn each_time_is_in_its_bucket_and_in_those_above() {
        let histogram = Seconds::new(&[MILLISECOND, SECOND]);
        for milliseconds in [1, 2, 1000, 1001] {
            histogram.observe(Duration::from_millis(milliseconds));
        }
        let mut registry = Registry::default();
        registry.register("time_seconds", "Time", histogram);
        let mut text = String::new();
        text::encode(&mut text, &registry).unwrap();
        for line in [
            "time_seconds_sum 2.004",
            "time_seconds_count 4",
            "time_seconds_bucket{le=\"0.001\"} 1",
            "time_seconds_bucket{le=\"1.0\"} 3",
            "time_seconds_bucket{le=\"+Inf\"} 4",
        ] {
            assert!(text.lines().any(|each| each == line), "{line}: {text}");
        }
    }
}
