//! Metrics of refused sign-ins: of keys, and of people.

use docwright_operations::failed_sign_ins::SignInRefusal;
use docwright_types::key::KeyRefusal;
use prometheus_client::{
    metrics::{counter::Counter, family::Family},
    registry::Registry,
};

use super::exposition::Part;

/// Failed sign-ins, by reason.
#[derive(Debug, Clone, Default)]
pub struct SignIns(Family<[(&'static str, &'static str); 1], Counter>);

impl SignIns {
    /// Counts a refused sign-in.
    pub fn failed(&self, why: SignInRefusal) {
        self.0.get_or_create(&[("reason", why.name())]).inc();
    }
}

impl Part for SignIns {
    fn register(&self, registry: &mut Registry) {
        let keys = KeyRefusal::ALL.into_iter().map(SignInRefusal::Key);
        for why in keys.chain([
            SignInRefusal::Password,
            SignInRefusal::TooMany,
            SignInRefusal::Passkey,
            SignInRefusal::Link,
        ]) {
            drop(self.0.get_or_create(&[("reason", why.name())]));
        }
        registry.register(
            "docwright_sign_ins_failed",
            "Refused sign-ins of API keys and people, by reason",
            self.0.clone(),
        );
    }
}
