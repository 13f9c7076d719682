//! Converts logs and jobs to the turns and waits of [`fairness`](super::fairness).

use std::collections::BTreeMap;

use super::{
    ask::Ticket,
    checks::{Check, Release},
    disrupt::Disrupted,
    fairness::{Hold, SLACK, Span, Turn, Wait, examine, queued, started},
    logs::{Begin, Logs},
    pace::{Moment, parse},
    plan::Blow,
    watch::Followed,
};

/// A job in a queue.
#[derive(Debug, Clone, Copy)]
struct Queued {
    organization: usize,
    created: Moment,
    /// Whether it leaves the last free slot of a process to others, like previews.
    is_preview: bool,
}

/// Checks whether each organization had its fair share of both queues.
pub(super) fn check(
    jobs: &[Followed],
    releases: &[Release],
    logs: &Logs,
    disrupted: &[Disrupted],
) -> Check {
    let span = |each: &Disrupted| Span { from: each.from - SLACK, until: each.until + SLACK };
    let of = |is: fn(&Blow) -> bool| -> Vec<Span> {
        disrupted.iter().filter(|each| is(&each.blow)).map(span).collect()
    };
    let disturbed = of(|_| true);
    let frozen = of(|blow| matches!(blow, Blow::Freeze(_)));
    // A worker that is killed or has no database might have started a job without a log line.
    let hidden = of(|blow| matches!(blow, Blow::Kill(_) | Blow::RestartDatabase));
    let mut check = Check::new("fair share");
    for queue in [queue_of_releases(releases), queue_of_agent_jobs(jobs)] {
        let (turns, waits) = turns_and_waits(&queue, logs, &disturbed, &frozen);
        let found = examine(&turns, &waits, &holds(&queue, logs, &frozen), &hidden);
        check.examined += found.examined;
        check.problems.extend(found.unfair);
    }
    check
}

fn queue_of_releases(releases: &[Release]) -> BTreeMap<&str, Queued> {
    let queued = |release: &Release| {
        Some(Queued {
            organization: release.organization,
            created: parse(&release.created_at)?,
            is_preview: release.is_preview,
        })
    };
    releases.iter().filter_map(|each| Some((each.id.as_str(), queued(each)?))).collect()
}

fn queue_of_agent_jobs(jobs: &[Followed]) -> BTreeMap<&str, Queued> {
    let mut queue = BTreeMap::new();
    for job in jobs {
        if let (Ticket::Agent(id), Some(ended)) = (&job.asked.ticket, &job.ended)
            && let Some(created) = parse(&ended.created_at)
        {
            let organization = job.asked.job.organization;
            queue.insert(id.as_str(), Queued { organization, created, is_preview: false });
        }
    }
    queue
}

fn turns_and_waits(
    queue: &BTreeMap<&str, Queued>,
    logs: &Logs,
    disturbed: &[Span],
    frozen: &[Span],
) -> (Vec<Turn>, Vec<Wait>) {
    let mut turns = Vec::new();
    let mut waits = Vec::new();
    for begin in &logs.begins {
        let Some(Queued { organization, created, is_preview }) =
            queue.get(begin.job.as_str()).copied()
        else {
            continue;
        };
        let when = started(begin.at, frozen);
        turns.push(Turn { organization, job: begin.job.clone(), when });
        // A job that starts again waited for a lease to expire, not for a turn.
        if begin.claim == 1 && !is_preview {
            let waited = Span { from: queued(created, disturbed), until: when.from };
            waits.push(Wait { organization, when: waited });
        }
    }
    (turns, waits)
}

/// When each organization might have had a slot: from a start to the line of its end. A killed worker logs no
/// end, so its slot counts until the job starts again.
fn holds(queue: &BTreeMap<&str, Queued>, logs: &Logs, frozen: &[Span]) -> Vec<Hold> {
    let ends = logs.ends.iter().map(|end| ((end.job.as_str(), end.claim), end.at));
    let again = logs.begins.iter().map(|begin| ((begin.job.as_str(), begin.claim - 1), begin.at));
    let ends: BTreeMap<_, _> = again.chain(ends).collect();
    let hold = |begin: &Begin| {
        let organization = queue.get(begin.job.as_str())?.organization;
        let from = started(begin.at, frozen).from;
        let until = ends.get(&(begin.job.as_str(), begin.claim));
        let until = until.map_or(Moment::MAX, |at| at + SLACK);
        Some(Hold { organization, when: Span { from, until } })
    };
    logs.begins.iter().filter_map(hold).collect()
}
