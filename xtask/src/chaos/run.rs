//! One run on one database, from an empty folder to the checks.

use std::{
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, anyhow};

use super::{
    ask::ask_all,
    checks::{self, Check},
    client::Client,
    cluster::Cluster,
    disrupt::{Disrupted, disrupt_all},
    evidence,
    logs::Logs,
    pace::wait,
    plan::{HOSTILE, Plan},
    report, shares,
    tenants::{self, Organization, PROJECTS},
    watch::{Followed, Watch},
};
use crate::postgres::Postgres;

/// The longest time until all jobs finish after the last request.
const PATIENCE: Duration = Duration::from_mins(4);
/// The longest time until child processes notice that their parent was killed.
const CHILDREN: Duration = Duration::from_secs(10);

/// Settings of a run.
#[derive(Debug, Clone, Copy)]
pub(super) struct RunPlan {
    /// The seed of the plan.
    pub(super) seed: u64,
    /// The number of jobs.
    pub(super) jobs: usize,
    /// Two nodes on PostgreSQL, or one on SQLite.
    pub(super) is_postgres: bool,
}

/// Runs and prints a report. Returns whether all checks passed.
pub(super) fn run(program: &Path, folder: &Path, wanted: RunPlan) -> anyhow::Result<bool> {
    let began = Instant::now();
    let folder = empty_folder(folder)?;
    let nodes = if wanted.is_postgres { 2 } else { 1 };
    let plan = Plan::new(wanted.seed, wanted.jobs, PROJECTS, (nodes, wanted.is_postgres));
    let postgres = wanted.is_postgres.then(Postgres::start).transpose()?;
    let cluster = Cluster::new(&folder, program, nodes, postgres)?;
    let organizations = tenants::create(&cluster, &folder)?;
    (0..nodes).try_for_each(|node| cluster.start(node))?;
    let client = Client::new(cluster.addresses());
    let watch = Watch::default();
    let asked = Instant::now();
    let disrupted = carry_out(&cluster, &client, &organizations, &plan, &watch)?;
    println!("{} s until every job was asked for", asked.elapsed().as_secs());
    watch.finish(&client, &organizations, PATIENCE)?;
    println!("{} s until every job had ended", asked.elapsed().as_secs());
    let jobs = watch.all();
    let checks = check(&cluster, &client, &organizations, &jobs, &disrupted)?;
    report::print_jobs(&organizations, &jobs);
    let hostile: Vec<_> = jobs.iter().filter(|job| job.asked.job.organization == HOSTILE).collect();
    report::print_attacks(&organizations[HOSTILE], &hostile);
    report::print_disruptions(&disrupted);
    let (repeated, failures) = client.counts();
    println!("requests repeated: {repeated}, answers with status 500: {failures}");
    let held = report::print_checks(&checks);
    println!("\n{} s in all", began.elapsed().as_secs());
    Ok(held)
}

/// Requests all jobs while the service is disrupted.
fn carry_out(
    cluster: &Cluster,
    client: &Client,
    organizations: &[Organization],
    plan: &Plan,
    watch: &Watch,
) -> anyhow::Result<Vec<Disrupted>> {
    let started = Instant::now();
    let over = AtomicBool::new(false);
    // If one thread fails, the others stop.
    let or_give_up = |error: anyhow::Error| {
        client.give_up();
        error
    };
    thread::scope(|scope| {
        let askers: Vec<_> = organizations
            .iter()
            .enumerate()
            .map(|(number, organization)| {
                let own = plan.jobs.iter().enumerate();
                let own = own.filter(move |(_, job)| job.organization == number);
                scope.spawn(move || {
                    let asked =
                        ask_all(client, organization, own, started, |job| watch.follow(job));
                    asked.map_err(or_give_up)
                })
            })
            .collect();
        let disrupter =
            scope.spawn(|| disrupt_all(cluster, &plan.disruptions, started).map_err(or_give_up));
        let watcher = scope.spawn(|| {
            let more = || !over.load(Ordering::Relaxed);
            watch.run(client, organizations, more).map_err(or_give_up)
        });
        let panicked = |_| anyhow!("a thread of the run panicked");
        let disrupted = disrupter.join().map_err(panicked).and_then(|done| done);
        let asked: Vec<_> =
            askers.into_iter().map(|asker| asker.join().map_err(panicked)).collect();
        over.store(true, Ordering::Relaxed);
        let watched = watcher.join().map_err(panicked).and_then(|done| done);
        let disrupted = disrupted?;
        asked.into_iter().try_for_each(|asked| asked?)?;
        watched.map(|()| disrupted)
    })
}

fn check(
    cluster: &Cluster,
    client: &Client,
    organizations: &[Organization],
    jobs: &[Followed],
    disrupted: &[Disrupted],
) -> anyhow::Result<Vec<Check>> {
    let published = evidence::published(client, organizations, jobs);
    let bundles = evidence::bundles(client, organizations, jobs);
    let pull_requests = evidence::pull_requests(client, organizations)?;
    let events = evidence::final_events(client, organizations, jobs)?;
    let releases = evidence::ended_releases(cluster, organizations)?;
    let stopped = stop(cluster);
    let logs = Logs::read(&cluster.logs())?;
    println!(
        "{} jobs started, {} retried, {} leases lost",
        logs.begins.len(),
        logs.retries,
        logs.lost
    );
    let attacks: Vec<_> = jobs
        .iter()
        .filter_map(|job| {
            let asked = &job.asked.job;
            Some((job, organizations[asked.organization].projects[asked.project].attack?))
        })
        .collect();
    Ok(vec![
        checks::ended_well(jobs),
        checks::ended_once(jobs, &logs),
        checks::claimed_once(&logs),
        checks::releases_ended(&releases),
        checks::one_final_event(&events),
        checks::one_pull_request(jobs, &pull_requests),
        bundles,
        published,
        checks::hostile_ended(&attacks),
        shares::check(jobs, &releases, &logs, disrupted),
        stopped,
        checks::no_panic(&logs),
    ])
}

/// Stops all nodes and checks that no process is left.
fn stop(cluster: &Cluster) -> Check {
    let mut check = Check::new("nodes stop when asked, and leave no process behind");
    for node in 0..cluster.addresses().len() {
        check.take(&format!("node {node}"), cluster.terminate(node));
    }
    let started = Instant::now();
    let left = loop {
        match cluster.children() {
            Ok(1..) if started.elapsed() < CHILDREN => wait(Duration::from_millis(100)),
            left => break left,
        }
    };
    let left = left.and_then(|left| match left {
        0 => Ok(()),
        left => Err(anyhow!("{left} run")),
    });
    check.take("processes", left);
    check
}

/// Creates an empty folder, removing an existing one.
fn empty_folder(folder: &Path) -> anyhow::Result<PathBuf> {
    if folder.exists() {
        std::fs::remove_dir_all(folder)
            .with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot create {}", folder.display()))?;
    // The system shows programs of processes with resolved links.
    Ok(folder.canonicalize()?)
}
