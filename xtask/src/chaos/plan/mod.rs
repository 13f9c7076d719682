//! The plan of a run, created in advance by a random generator: one seed, one plan.

use std::time::Duration;

use rand::{RngExt, SeedableRng, rngs::StdRng, seq::IndexedRandom};

/// Number of organizations. The last one is hostile.
pub(super) const ORGANIZATIONS: usize = 5;
/// The hostile organization.
pub(super) const HOSTILE: usize = ORGANIZATIONS - 1;
/// Average time between two jobs.
const BETWEEN_JOBS: Duration = Duration::from_millis(550);
/// Average time between two disruptions.
const BETWEEN_DISRUPTIONS: Duration = Duration::from_secs(6);
/// Number of bursts of jobs, which make organizations wait.
const BURSTS: u32 = 12;
/// A project can send 100 prompts an hour.
const MAXIMUM_PROMPTS: usize = 90;

/// A kind of job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// Builds and publishes the newest commit.
    Update,
    /// Exports the whole site.
    Export,
    /// Exports one page.
    ExportOfPaths,
    /// Exports with a label.
    ExportOfVersion,
    /// Adds a page with the agent.
    Agent,
    /// Pushes a commit with git.
    Push,
}

impl Kind {
    /// Every kind.
    pub(super) const ALL: [Self; 6] = [
        Self::Update,
        Self::Export,
        Self::ExportOfPaths,
        Self::ExportOfVersion,
        Self::Agent,
        Self::Push,
    ];

    /// The name in the report.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Update => "update",
            Self::Export => "export",
            Self::ExportOfPaths => "paths",
            Self::ExportOfVersion => "version",
            Self::Agent => "agent",
            Self::Push => "push",
        }
    }
}

/// A planned job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PlannedJob {
    /// Time since the start of the run.
    pub(super) at: Duration,
    /// The organization.
    pub(super) organization: usize,
    /// The index of the project within the organization.
    pub(super) project: usize,
    /// The kind of job.
    pub(super) kind: Kind,
}

/// A kind of disruption.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Blow {
    /// SIGKILL, like a power cut; the process restarts after the time.
    Kill(Duration),
    /// SIGTERM, like an operator; the process restarts after it exits.
    Terminate,
    /// SIGSTOP, and SIGCONT after the time.
    Freeze(Duration),
    /// The database server crashes and restarts.
    RestartDatabase,
}

/// A planned disruption.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Disruption {
    /// Time since the start of the run.
    pub(super) at: Duration,
    /// The affected node.
    pub(super) node: usize,
    /// The kind of disruption.
    pub(super) blow: Blow,
}

/// All random choices of a run.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Plan {
    /// Jobs ordered by time.
    pub(super) jobs: Vec<PlannedJob>,
    /// Disruptions ordered by time.
    pub(super) disruptions: Vec<Disruption>,
}

impl Plan {
    /// Creates the plan of a seed. `projects` are the numbers of projects of each organization; `databases`
    /// says whether a database server can crash.
    pub(super) fn new(
        seed: u64,
        jobs: usize,
        projects: [usize; ORGANIZATIONS],
        (nodes, database): (usize, bool),
    ) -> Self {
        let mut random = StdRng::seed_from_u64(seed);
        let count = u32::try_from(jobs).unwrap_or(u32::MAX);
        let span = BETWEEN_JOBS.saturating_mul(count);
        let mut prompts = [0; ORGANIZATIONS];
        let mut planned: Vec<_> = (0..jobs)
            .map(|_| {
                let organization = random.random_range(0..ORGANIZATIONS);
                let kind = *Kind::ALL.choose(&mut random).unwrap_or(&Kind::Update);
                let kind = if kind == Kind::Agent {
                    prompts[organization] += 1;
                    if prompts[organization] > MAXIMUM_PROMPTS { Kind::Update } else { kind }
                } else {
                    kind
                };
                let project = random.random_range(0..projects[organization]);
                PlannedJob { at: moment(&mut random, span), organization, project, kind }
            })
            .collect();
        planned.sort_by_key(|job| job.at);
        let disruptions = disruptions(&mut random, span, nodes, database);
        Self { jobs: planned, disruptions }
    }
}

/// Half of the jobs come at random times, the others in bursts.
fn moment(random: &mut StdRng, span: Duration) -> Duration {
    if random.random_bool(0.5) {
        span.mul_f64(random.random())
    } else {
        span / BURSTS * random.random_range(0..BURSTS)
    }
}

fn disruptions(
    random: &mut StdRng,
    span: Duration,
    nodes: usize,
    database: bool,
) -> Vec<Disruption> {
    let mut disruptions = Vec::new();
    let mut at = BETWEEN_DISRUPTIONS / 2;
    while at < span {
        let node = random.random_range(0..nodes);
        let blow = match random.random_range(0..20) {
            0..8 => Blow::Kill(Duration::from_millis(random.random_range(0..1500))),
            8..12 => Blow::Terminate,
            12..18 => Blow::Freeze(Duration::from_millis(random.random_range(500..4000))),
            _ if database => Blow::RestartDatabase,
            _ => Blow::Freeze(Duration::from_millis(random.random_range(500..4000))),
        };
        disruptions.push(Disruption { at, node, blow });
        at += BETWEEN_DISRUPTIONS.mul_f64(random.random_range(0.4..1.6));
    }
    disruptions
}

#[cfg(test)]
mod tests;
