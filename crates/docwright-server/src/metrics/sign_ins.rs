//! Sign-ins that were refused: of keys, and of people.

use docwright_domain::key::KeyRefusal;
use prometheus_client::{
    metrics::{counter::Counter, family::Family},
    registry::Registry,
};

use super::exposition::Part;

/// Why a sign-in was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refused {
    /// That of a key.
    Key(KeyRefusal),
    /// The password was wrong, or nobody has the e-mail address.
    Password,
    /// Too many passwords were wrong before.
    TooMany,
    /// A passkey was of nobody here, or its answer was wrong.
    Passkey,
    /// A link was used before, its time is over, or there never was one.
    Link,
}

/// Sign-ins that failed, by reason.
#[derive(Debug, Clone, Default)]
pub(crate) struct SignIns(Family<[(&'static str, &'static str); 1], Counter>);

impl Refused {
    /// Its name in the metrics and in the log.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Key(why) => why.name(),
            Self::Password => "password",
            Self::TooMany => "too_many",
            Self::Passkey => "passkey",
            Self::Link => "link",
        }
    }
}

impl From<KeyRefusal> for Refused {
    fn from(why: KeyRefusal) -> Self {
        Self::Key(why)
    }
}

impl SignIns {
    /// A sign-in was refused.
    pub(crate) fn failed(&self, why: Refused) {
        self.0.get_or_create(&[("reason", why.name())]).inc();
    }
}

impl Part for SignIns {
    fn register(&self, registry: &mut Registry) {
        let keys = KeyRefusal::ALL.into_iter().map(Refused::Key);
        for why in
            keys.chain([Refused::Password, Refused::TooMany, Refused::Passkey, Refused::Link])
        {
            drop(self.0.get_or_create(&[("reason", why.name())]));
        }
        registry.register(
            "docwright_sign_ins_failed",
            "Sign-ins of API keys and of people that were refused, by reason",
            self.0.clone(),
        );
    }
}
