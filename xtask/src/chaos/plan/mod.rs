//! What a run does, decided before it begins by a random generator: one seed, one plan.

use std::time::Duration;

use rand::{RngExt, SeedableRng, rngs::StdRng, seq::IndexedRandom};

/// Organizations, of which the last one is hostile.
pub(super) const ORGANIZATIONS: usize = 5;
/// The one that attacks the others.
pub(super) const HOSTILE: usize = ORGANIZATIONS - 1;
/// Time between two jobs, on average.
const BETWEEN_JOBS: Duration = Duration::from_millis(550);
/// Time between two disruptions, on average.
const BETWEEN_DISRUPTIONS: Duration = Duration::from_secs(6);
/// Moments at which many jobs are asked for at once, so that organizations have to wait.
const BURSTS: u32 = 12;
/// A project can send 100 prompts an hour.
const MAXIMUM_PROMPTS: usize = 90;

/// What is asked of a service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// Build and publish the newest commit.
    Update,
    /// Export the whole site.
    Export,
    /// Export one page.
    ExportOfPaths,
    /// Export under a label.
    ExportOfVersion,
    /// Let the agent add a page.
    Agent,
    /// Push a commit with git.
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

    /// Its name in the report.
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

/// A job that will be asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PlannedJob {
    /// When, from the start of the run.
    pub(super) at: Duration,
    /// Whose it is.
    pub(super) organization: usize,
    /// Which of the organization's projects it is for.
    pub(super) project: usize,
    /// What is asked.
    pub(super) kind: Kind,
}

/// What happens to a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Blow {
    /// SIGKILL, as a power cut; it is started again after the time.
    Kill(Duration),
    /// SIGTERM, as an operator; it is started again once it has ended.
    Terminate,
    /// SIGSTOP, and SIGCONT after the time.
    Freeze(Duration),
    /// The database server breaks off and starts again.
    RestartDatabase,
}

/// Something that goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Disruption {
    /// When, from the start of the run.
    pub(super) at: Duration,
    /// The node that it hits.
    pub(super) node: usize,
    /// What it is.
    pub(super) blow: Blow,
}

/// Everything that a run decides by chance.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Plan {
    /// By time.
    pub(super) jobs: Vec<PlannedJob>,
    /// By time.
    pub(super) disruptions: Vec<Disruption>,
}

impl Plan {
    /// The plan of a seed. `projects` says how many each organization has; `databases` whether there is
    /// a server of databases that can break off.
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

/// Half of the jobs come by themselves, the others at a few moments.
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
