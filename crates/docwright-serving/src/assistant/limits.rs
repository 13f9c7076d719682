//! Limits of questions, ratings, and searches: of one reader, of a site, and of an organization.
//!
//! Addresses aren't stored: counters have the hash of a network with a key that is only in memory, and both are dropped
//! when their time is over, after a day at most. Each node counts separately.

use std::net::IpAddr;

use docwright_operations::attempts::Attempts;
use docwright_types::{
    network::network,
    timestamp::{DAY, MINUTE, SECOND, Timestamp},
};

/// The time of the limits without another one.
const WINDOW: Timestamp = 10 * MINUTE;
/// Questions of one reader to a site.
const OF_READER: u32 = 20;
/// Questions of one reader to a site in a day.
const OF_READER_A_DAY: u32 = 200;
/// Questions of all readers to a site.
const OF_SITE: u32 = 1_000;
/// Questions of all readers to the sites of an organization.
const OF_ORGANIZATION: u32 = 3_000;
/// Ratings of one reader on a site.
const RATINGS_OF_READER: u32 = 60;
/// Ratings of all readers on a site.
const RATINGS_OF_SITE: u32 = 3_000;
/// Searches and pages of one client of the API on a site.
const SEARCHES_OF_READER: u32 = 300;
/// Searches and pages of all clients of the API on a site.
const SEARCHES_OF_SITE: u32 = 5_000;

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Counted {
    Questions,
    Ratings,
    Searches,
}

/// Whose limit it is.
#[derive(Debug, Clone, Copy, Hash)]
enum Whose<'a> {
    Reader(&'a str, Option<IpAddr>),
    Site(&'a str),
    Organization(&'a str),
}

/// Recent requests.
#[derive(Debug)]
pub(super) struct Limits {
    recent: Attempts,
    of_day: Attempts,
}

impl Limits {
    pub(super) fn new() -> Self {
        Self { recent: Attempts::within(WINDOW), of_day: Attempts::within(DAY) }
    }

    /// Counts a request of a reader to a site.
    ///
    /// # Errors
    ///
    /// Fails at a limit, with the seconds until it ends.
    pub(super) fn count(
        &self,
        what: Counted,
        (site, organization): (&str, Option<&str>),
        address: Option<IpAddr>,
        now: Timestamp,
    ) -> Result<(), u64> {
        let reader = Whose::Reader(site, address.map(network));
        let (of_site, of_reader) = match what {
            Counted::Questions => (OF_SITE, OF_READER),
            Counted::Ratings => (RATINGS_OF_SITE, RATINGS_OF_READER),
            Counted::Searches => (SEARCHES_OF_SITE, SEARCHES_OF_READER),
        };
        let mut bounds = vec![((what, Whose::Site(site)), of_site), ((what, reader), of_reader)];
        if what == Counted::Questions {
            let of = organization.map(|id| ((what, Whose::Organization(id)), OF_ORGANIZATION));
            bounds.extend(of);
        }
        let counted = self.recent.count(&bounds, now).ok_or_else(|| rest(WINDOW, now))?;
        if what == Counted::Questions
            && self.of_day.count(&[((what, reader), OF_READER_A_DAY)], now).is_none()
        {
            self.recent.take_back(counted);
            return Err(rest(DAY, now));
        }
        Ok(())
    }
}

/// The seconds until the present window of a time ends.
fn rest(time: Timestamp, now: Timestamp) -> u64 {
    let rest = time - now.rem_euclid(time);
    (rest + SECOND - 1).div_euclid(SECOND).unsigned_abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(last: u32) -> IpAddr {
        IpAddr::from(last.to_be_bytes())
    }

    /// How many of some questions in one window count.
    fn counted(
        limits: &Limits,
        (site, organization): (&str, &str),
        reader: u32,
        now: i64,
    ) -> usize {
        let ask = || {
            limits.count(Counted::Questions, (site, Some(organization)), Some(address(reader)), now)
        };
        (0..50).filter(|_| ask().is_ok()).count()
    }

    #[test]
    fn reader_site_and_organization_have_limits() {
        let limits = Limits::new();
        assert_eq!(counted(&limits, ("a", "o"), 1, 0), 20);
        assert_eq!(counted(&limits, ("b", "o"), 1, 0), 20, "another site");
        let of_site: usize = (2..80).map(|reader| counted(&limits, ("a", "o"), reader, 0)).sum();
        assert_eq!(of_site, 1_000 - 20);
        let sites = ["b", "c", "d"];
        let more: usize = sites
            .iter()
            .map(|site| {
                (100..160).map(|reader| counted(&limits, (site, "o"), reader, 0)).sum::<usize>()
            })
            .sum();
        assert_eq!(more, 3_000 - 1_000 - 20);
        assert_eq!(counted(&limits, ("e", "other"), 1, 0), 20, "another organization");
    }

    #[test]
    fn reader_has_a_limit_in_a_day() {
        let limits = Limits::new();
        let asked: usize =
            (0..20).map(|window| counted(&limits, ("a", "o"), 1, window * WINDOW)).sum();
        assert_eq!(asked, 200);
        let refused = limits
            .count(Counted::Questions, ("a", Some("o")), Some(address(1)), DAY - 1_500)
            .unwrap_err();
        assert_eq!(refused, 2, "seconds until the next day");
        assert_eq!(counted(&limits, ("a", "o"), 1, DAY), 20);
    }

    #[test]
    fn ratings_do_not_use_up_questions() {
        let limits = Limits::new();
        let rate = || limits.count(Counted::Ratings, ("a", Some("o")), Some(address(1)), 0).is_ok();
        assert_eq!((0..100).filter(|_| rate()).count(), 60);
        assert_eq!(counted(&limits, ("a", "o"), 1, 0), 20);
    }
}
