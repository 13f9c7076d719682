//! Keys that were refused.

use docwright_domain::key::KeyRefusal;
use prometheus_client::{
    metrics::{counter::Counter, family::Family},
    registry::Registry,
};

use super::exposition::Part;

/// Sign-ins that failed, by reason.
#[derive(Debug, Clone, Default)]
pub(crate) struct SignIns(Family<[(&'static str, &'static str); 1], Counter>);

impl SignIns {
    /// A key was refused.
    pub(crate) fn failed(&self, why: KeyRefusal) {
        self.0.get_or_create(&[("reason", why.name())]).inc();
    }
}

impl Part for SignIns {
    fn register(&self, registry: &mut Registry) {
        for why in KeyRefusal::ALL {
            drop(self.0.get_or_create(&[("reason", why.name())]));
        }
        registry.register(
            "docwright_sign_ins_failed",
            "API keys that were refused, by reason",
            self.0.clone(),
        );
    }
}
