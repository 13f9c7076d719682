//! Carries out a plan's disruptions and records their times.

use std::time::{Duration, Instant};

use anyhow::Context;

use super::{
    cluster::Cluster,
    pace::{Moment, now, wait},
    plan::{Blow, Disruption},
};

/// A completed disruption.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Disrupted {
    /// Its kind.
    pub(super) blow: Blow,
    /// Its start.
    pub(super) from: Moment,
    /// The time when the service had recovered.
    pub(super) until: Moment,
}

/// Disrupts the service until the plan is complete. All nodes run afterward.
pub(super) fn disrupt_all(
    cluster: &Cluster,
    plan: &[Disruption],
    started: Instant,
) -> anyhow::Result<Vec<Disrupted>> {
    let mut done = Vec::new();
    for disruption in plan {
        wait(disruption.at.saturating_sub(started.elapsed()));
        let from = now();
        disrupt(cluster, disruption)
            .with_context(|| format!("the disruption number {}", done.len()))?;
        done.push(Disrupted { blow: disruption.blow, from, until: now() });
    }
    Ok(done)
}

fn disrupt(cluster: &Cluster, disruption: &Disruption) -> anyhow::Result<()> {
    let node = disruption.node;
    match disruption.blow {
        Blow::Kill(time) => {
            cluster.kill(node)?;
            wait(time);
            cluster.start(node)
        }
        Blow::Terminate => {
            cluster.terminate(node)?;
            cluster.start(node)
        }
        Blow::Freeze(time) => {
            cluster.signal(node, "STOP")?;
            wait(time);
            cluster.signal(node, "CONT")
        }
        Blow::RestartDatabase => {
            cluster.restart_database()?;
            // Lets clients reconnect before the next disruption.
            wait(Duration::from_millis(200));
            Ok(())
        }
    }
}
