//! Checks at the end of a run, as functions of observed states. They send no requests.

mod agent_jobs;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

pub(super) use agent_jobs::{PullRequest, one_final_event, one_pull_request};

use super::{ask::Ticket, logs::Logs, plan::HOSTILE, sites::Attack, watch::Followed};

/// A check and the problems it found.
#[derive(Debug)]
pub(super) struct Check {
    /// The checked property.
    pub(super) name: &'static str,
    /// The number of checked items.
    pub(super) examined: usize,
    /// The violations, one sentence each.
    pub(super) problems: Vec<String>,
}

/// A release, as an operator sees it.
#[derive(Debug, Clone)]
pub(super) struct Release {
    /// Its id.
    pub(super) id: String,
    /// Its organization.
    pub(super) organization: usize,
    /// `ready`, `failed`, and so on.
    pub(super) status: String,
    /// Whether it belongs to a preview.
    pub(super) is_preview: bool,
    /// Time of the request.
    pub(super) created_at: String,
    /// The reason of a failure.
    pub(super) error: Option<String>,
}

/// All jobs of organizations that don't attack succeeded.
pub(super) fn ended_well(jobs: &[Followed]) -> Check {
    let others = jobs.iter().filter(|job| job.asked.job.organization != HOSTILE);
    let mut check = Check::new("every job of the others ended well");
    for job in others {
        check.examined += 1;
        let problem = match (&job.asked.ticket, &job.ended) {
            (Ticket::Push(_), _) => continue,
            (Ticket::Refused(sentence), _) => format!("was refused: {sentence}"),
            (_, None) => "never ended".to_owned(),
            (_, Some(seen)) if matches!(seen.status.as_str(), "failed" | "failure") => {
                format!("failed: {}", seen.sentence.as_deref().unwrap_or("without a reason"))
            }
            _ => continue,
        };
        check.problems.push(format!("{} {problem}", job.describe()));
    }
    check
}

/// Finished jobs didn't change, and no release became ready twice.
pub(super) fn ended_once(jobs: &[Followed], logs: &Logs) -> Check {
    let mut check = Check::new("no job ended twice");
    for job in jobs {
        check.examined += usize::from(job.ended.is_some());
        if let (Some(ended), Some(changed)) = (&job.ended, &job.changed) {
            check.problems.push(format!("{} was {ended:?}, then {changed:?}", job.describe()));
        }
    }
    let mut ready = BTreeSet::new();
    let twice = logs.ready.iter().filter(|id| !ready.insert(id.as_str()));
    check.problems.extend(twice.map(|id| format!("two workers made {id} ready")));
    check
}

/// Each claim has one worker.
pub(super) fn claimed_once(logs: &Logs) -> Check {
    let mut check = Check::new("no claim had two workers");
    let mut claims = BTreeSet::new();
    for begin in &logs.begins {
        check.examined += 1;
        if !claims.insert((begin.job.as_str(), begin.claim)) {
            check.problems.push(format!("claim {} of {} began twice", begin.claim, begin.job));
        }
    }
    check
}

/// The hostile organization's jobs finished: with an error, or because the attack had no effect.
pub(super) fn hostile_ended(jobs: &[(&Followed, Attack)]) -> Check {
    let mut check = Check::new("attacks failed with a sentence, or did nothing");
    let mut failed = BTreeMap::new();
    for (job, attack) in jobs {
        check.examined += 1;
        let failures: &mut (usize, usize) = failed.entry(attack.name()).or_default();
        failures.0 += 1;
        let (status, sentence) = match (&job.asked.ticket, &job.ended) {
            (Ticket::Push(_), _) => continue,
            (Ticket::Refused(sentence), _) => ("refused", Some(sentence)),
            (_, Some(seen)) => (seen.status.as_str(), seen.sentence.as_ref()),
            (_, None) => {
                check.problems.push(format!("{} never ended", job.describe()));
                continue;
            }
        };
        if matches!(status, "failed" | "failure" | "refused") {
            failures.1 += 1;
            if sentence.is_none_or(|sentence| !sentence.contains(' ')) {
                check.problems.push(format!("{} failed without a sentence", job.describe()));
            }
        } else if *attack == Attack::LinkOut && matches!(status, "success" | "completed") {
            check.problems.push(format!("{} was {status} with another's files", job.describe()));
        }
    }
    for attack in [Attack::Endless, Attack::Memory, Attack::LinkOut] {
        // Some jobs of an attack don't run into it: pushes, and skipped updates.
        if let Some((6.., 0)) = failed.get(attack.name()) {
            check.problems.push(format!("no job of `{}` met a limit", attack.name()));
        }
    }
    check
}

/// No release is still open, and no release of an organization without attacks failed.
pub(super) fn releases_ended(releases: &[Release]) -> Check {
    let mut check = Check::new("every release ended, those of the others well");
    for release in releases {
        check.examined += 1;
        if release.is_open() || (release.status == "failed" && release.organization != HOSTILE) {
            let Release { id, status, error, organization, .. } = release;
            let why = error.as_deref().unwrap_or_default();
            check.problems.push(format!("{id} of organization {organization} is {status} {why}"));
        }
    }
    check
}

/// No log contains a panic.
pub(super) fn no_panic(logs: &Logs) -> Check {
    Check { name: "no panic", examined: logs.begins.len(), problems: logs.panics.clone() }
}

impl Check {
    /// A check without problems so far.
    pub(super) const fn new(name: &'static str) -> Self {
        Self { name, examined: 0, problems: Vec::new() }
    }

    /// Records the result of one item. Returns it on success.
    pub(super) fn take<T>(&mut self, what: &str, outcome: anyhow::Result<T>) -> Option<T> {
        self.examined += 1;
        outcome.map_err(|error| self.problems.push(format!("{what}: {error:#}"))).ok()
    }
}

impl Release {
    /// Whether it is queued or building.
    pub(super) fn is_open(&self) -> bool {
        matches!(self.status.as_str(), "queued" | "building")
    }
}

impl Followed {
    /// A description for messages.
    pub(super) fn describe(&self) -> String {
        let id = match &self.asked.ticket {
            Ticket::Update(id) | Ticket::Export(id) | Ticket::Agent(id) => id,
            Ticket::Push(words) => words,
            Ticket::Refused(_) => "without an id",
        };
        let job = &self.asked.job;
        format!("{} {id} of organization {}", job.kind.name(), job.organization)
    }

    /// Whether it completed with a bundle.
    pub(super) fn has_bundle(&self) -> bool {
        let done = self.ended.as_ref().is_some_and(|seen| seen.status == "completed");
        done && matches!(self.asked.ticket, Ticket::Export(_))
    }
}
