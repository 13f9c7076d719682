//! Gauges that are read on request.

use std::fmt;

use prometheus_client::{
    encoding::{EncodeMetric, MetricEncoder},
    metrics::{MetricType, TypedMetric},
};

/// A gauge with the value of a function.
pub(super) struct ReadGauge<F>(pub(super) F);

impl<F> fmt::Debug for ReadGauge<F> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ReadGauge")
    }
}

impl<F> TypedMetric for ReadGauge<F> {
    const TYPE: MetricType = MetricType::Gauge;
}

impl<F: Fn() -> i64> EncodeMetric for ReadGauge<F> {
    fn encode(&self, mut encoder: MetricEncoder<'_>) -> fmt::Result {
        encoder.encode_gauge(&(self.0)())
    }

    fn metric_type(&self) -> MetricType {
        Self::TYPE
    }
}
