//! Refused keys and people: each is counted, and logged up to a limit, so that an attacker can't fill the disk.

use std::{
    fmt,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use docwright_types::key::KeyRefusal;

/// Largest number of lines per minute.
const LINES: u64 = 60;
const MINUTE: Duration = Duration::from_mins(1);

/// Why a sign-in was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignInRefusal {
    /// The reason for a refused key.
    Key(KeyRefusal),
    /// The password was wrong, or no account has the email address.
    Password,
    /// Too many passwords were wrong before.
    TooMany,
    /// A passkey belongs to no account here, or its answer was wrong.
    Passkey,
    /// A link was used before, has expired, or never existed.
    Link,
}

impl SignInRefusal {
    /// Its name in metrics and logs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Key(why) => why.name(),
            Self::Password => "password",
            Self::TooMany => "too_many",
            Self::Passkey => "passkey",
            Self::Link => "link",
        }
    }
}

impl From<KeyRefusal> for SignInRefusal {
    fn from(why: KeyRefusal) -> Self {
        Self::Key(why)
    }
}

/// Records failed sign-ins.
pub struct FailedSignIns {
    count: Box<dyn Fn(SignInRefusal) + Send + Sync>,
    minute: Mutex<Minute>,
}

impl fmt::Debug for FailedSignIns {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("FailedSignIns").finish_non_exhaustive()
    }
}

/// Number of lines logged within a minute.
#[derive(Debug)]
struct Minute {
    began: Instant,
    failed: u64,
}

impl FailedSignIns {
    /// Also counts each of them with a function.
    pub fn new(count: impl Fn(SignInRefusal) + Send + Sync + 'static) -> Self {
        Self {
            count: Box::new(count),
            minute: Mutex::new(Minute { began: Instant::now(), failed: 0 }),
        }
    }

    /// Records a refused sign-in. `id` is the public ID of the presented key, or the ID of the account.
    pub fn record(&self, why: impl Into<SignInRefusal>, id: Option<&str>) {
        let why = why.into();
        (self.count)(why);
        let (is_logged, left_out) =
            self.minute.lock().unwrap_or_else(PoisonError::into_inner).take(Instant::now());
        if left_out > 0 {
            tracing::warn!(left_out, "sign-ins failed, more than were logged");
        }
        if is_logged {
            if matches!(why, SignInRefusal::Key(_)) {
                tracing::warn!(reason = why.name(), key = id, "sign-in failed");
            } else {
                tracing::warn!(reason = why.name(), account = id, "sign-in failed");
            }
        }
    }
}

impl Minute {
    /// Whether another one is logged, and how many of the previous minute were not.
    fn take(&mut self, now: Instant) -> (bool, u64) {
        let mut left_out = 0;
        if now.duration_since(self.began) >= MINUTE {
            left_out = self.failed.saturating_sub(LINES);
            *self = Self { began: now, failed: 0 };
        }
        self.failed += 1;
        (self.failed <= LINES, left_out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flood_is_logged_in_part_with_its_size() {
        let start = Instant::now();
        let mut minute = Minute { began: start, failed: 0 };
        let logged = (0..1000).filter(|_| minute.take(start).0).count();
        assert_eq!(logged, 60);
        assert_eq!(minute.take(start + MINUTE), (true, 940));
        assert_eq!(minute.take(start + MINUTE), (true, 0));
        assert_eq!(minute.take(start + 3 * MINUTE), (true, 0));
    }
}
