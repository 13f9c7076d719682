//! Fair share: a waiting organization without a running job gets the next free slot after at most one job of
//! each other organization. An organization with a running job can have all slots of its share of a process.
//!
//! Logs record a job's start slightly after the database's decision, or seconds later if the process was
//! frozen in between. Only certain facts count: a [`Span`] contains all possible times of an event.

use super::pace::Moment;

/// The longest time between the database's decision and the log line, in milliseconds.
pub(super) const SLACK: Moment = 150;

/// A range of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    /// The first point in time.
    pub(super) from: Moment,
    /// The last point in time.
    pub(super) until: Moment,
}

/// The start of an organization's job, at some point in a span.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Turn {
    /// The organization.
    pub(super) organization: usize,
    /// The job.
    pub(super) job: String,
    /// The time.
    pub(super) when: Span,
}

/// An organization had a queued job during a whole span.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Wait {
    /// The organization.
    pub(super) organization: usize,
    /// The time.
    pub(super) when: Span,
}

/// An organization had a slot at some point in a span.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hold {
    /// The organization.
    pub(super) organization: usize,
    /// The time.
    pub(super) when: Span,
}

/// The result of the check.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Fairness {
    /// Pairs of turns of one organization during another's wait.
    pub(super) examined: usize,
    /// Pairs without a turn of the other organization in between.
    pub(super) unfair: Vec<String>,
}

impl Span {
    /// Whether two spans overlap.
    pub(super) const fn touches(self, other: Self) -> bool {
        self.from <= other.until && other.from <= self.until
    }

    const fn holds(self, other: Self) -> bool {
        self.from <= other.from && other.until <= self.until
    }
}

/// When a job started whose line was logged at `at`. A frozen process might have logged it late.
pub(super) fn started(at: Moment, frozen: &[Span]) -> Span {
    let mut span = Span { from: at - SLACK, until: at };
    let earlier = |each: &&Span, span: Span| each.touches(span) && each.from - SLACK < span.from;
    while let Some(freeze) = frozen.iter().find(|each| earlier(each, span)) {
        span.from = freeze.from - SLACK;
    }
    span
}

/// The earliest time when a job created at `at` was certainly in the queue.
pub(super) fn queued(at: Moment, disturbed: &[Span]) -> Moment {
    let mut moment = at + SLACK;
    while let Some(each) = disturbed
        .iter()
        .find(|each| each.touches(Span { from: at, until: moment }) && each.until + SLACK > moment)
    {
        moment = each.until + SLACK;
    }
    moment
}

/// Checks all pairs of consecutive turns of one organization. Spans in `hidden` can lack turns, so they prove
/// nothing.
pub(super) fn examine(turns: &[Turn], waits: &[Wait], holds: &[Hold], hidden: &[Span]) -> Fairness {
    let mut found = Fairness::default();
    for (index, first) in turns.iter().enumerate() {
        let next = turns[index + 1..].iter().find(|turn| turn.organization == first.organization);
        let Some(second) = next else { continue };
        let both = Span {
            from: first.when.from.min(second.when.from),
            until: second.when.until.max(first.when.until),
        };
        if hidden.iter().any(|each| each.touches(both)) {
            continue;
        }
        let mut waiting: Vec<_> = waits
            .iter()
            .filter(|wait| wait.organization != first.organization && wait.when.holds(both))
            .map(|wait| wait.organization)
            .collect();
        waiting.sort_unstable();
        waiting.dedup();
        for organization in waiting {
            let served = |turn: &Turn| turn.organization == organization && turn.when.touches(both);
            let held = |hold: &Hold| hold.organization == organization && hold.when.touches(both);
            let is_served = turns.iter().any(served);
            if !is_served && holds.iter().any(held) {
                continue;
            }
            found.examined += 1;
            if !is_served {
                found.unfair.push(format!(
                    "organization {organization} waited while {} and {} of organization {} began",
                    first.job, second.job, first.organization
                ));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(organization: usize, at: Moment) -> Turn {
        Turn { organization, job: format!("rel_{at}"), when: started(at, &[]) }
    }

    fn wait(organization: usize, from: Moment, until: Moment) -> Wait {
        Wait { organization, when: Span { from, until } }
    }

    #[test]
    fn two_turns_in_a_row_while_another_waits_are_unfair() {
        let turns = [turn(1, 1000), turn(1, 2000), turn(0, 3000)];
        let found = examine(&turns, &[wait(0, 500, 2800)], &[], &[]);
        let unfair = "organization 0 waited while rel_1000 and rel_2000 of organization 1 began";
        assert_eq!(found, Fairness { examined: 1, unfair: vec![unfair.to_owned()] });
    }

    #[test]
    fn turn_in_between_and_empty_queue_are_fair() {
        let turns = [turn(1, 1000), turn(0, 1500), turn(1, 2000), turn(1, 3000)];
        let found = examine(&turns, &[wait(0, 500, 2800)], &[], &[]);
        assert_eq!(found, Fairness { examined: 1, unfair: Vec::new() });
        assert_eq!(examine(&turns, &[wait(0, 1200, 1400)], &[], &[]).examined, 0);
        assert_eq!(
            examine(&turns, &[wait(1, 0, 9000)], &[], &[]).examined,
            0,
            "an organization doesn't wait for itself"
        );
    }

    #[test]
    fn organization_with_running_job_can_have_all_its_slots() {
        let turns = [turn(1, 1000), turn(1, 2000)];
        let waits = [wait(0, 500, 2800)];
        let hold = |from, until| Hold { organization: 0, when: Span { from, until } };
        assert_eq!(examine(&turns, &waits, &[hold(300, 1200)], &[]).examined, 0);
        assert_eq!(examine(&turns, &waits, &[hold(300, 700)], &[]).unfair.len(), 1);
    }

    #[test]
    fn waits_during_kills_are_not_examined() {
        let turns = [turn(1, 1000), turn(1, 2000)];
        let killed = Span { from: 1500, until: 1600 };
        assert_eq!(examine(&turns, &[wait(0, 500, 2800)], &[], &[killed]).examined, 0);
    }

    #[test]
    fn frozen_process_can_log_job_start_late() {
        let freeze = Span { from: 1000, until: 4000 };
        assert_eq!(started(4050, &[freeze]), Span { from: 850, until: 4050 });
        assert_eq!(started(9000, &[freeze]), Span { from: 8850, until: 9000 });
        assert_eq!(queued(900, &[freeze]), 4150);
        assert_eq!(queued(5000, &[freeze]), 5150);
    }
}
