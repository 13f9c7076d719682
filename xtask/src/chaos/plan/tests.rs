//! A plan depends only on its seed and contains all kinds of jobs and disruptions.

use super::*;

fn plan(seed: u64) -> Plan {
    Plan::new(seed, 300, [1, 1, 1, 1, 5], (2, true))
}

#[test]
fn seed_decides_whole_plan() {
    assert_eq!(plan(7), plan(7));
    assert_ne!(plan(7), plan(8));
}

#[test]
fn plan_has_every_kind_of_job_and_disruption() {
    let plan = plan(1);
    assert_eq!(plan.jobs.len(), 300);
    for organization in 0..ORGANIZATIONS {
        for kind in Kind::ALL {
            let is = |job: &&PlannedJob| job.organization == organization && job.kind == kind;
            assert!(plan.jobs.iter().any(|job| is(&job)), "{organization} {kind:?}");
        }
    }
    for project in 0..5 {
        let is = |job: &PlannedJob| job.organization == HOSTILE && job.project == project;
        assert!(plan.jobs.iter().any(is), "{project}");
    }
    let any = |is: fn(&Blow) -> bool| plan.disruptions.iter().any(|each| is(&each.blow));
    assert!(any(|blow| matches!(blow, Blow::Kill(_))));
    assert!(any(|blow| matches!(blow, Blow::Terminate)));
    assert!(any(|blow| matches!(blow, Blow::Freeze(_))));
    assert!(any(|blow| matches!(blow, Blow::RestartDatabase)));
}

#[test]
fn project_stays_below_its_limit_of_prompts() {
    let plan = Plan::new(1, 5000, [1; ORGANIZATIONS], (1, false));
    for organization in 0..ORGANIZATIONS {
        let is = |job: &&PlannedJob| job.organization == organization && job.kind == Kind::Agent;
        assert_eq!(plan.jobs.iter().filter(is).count(), MAXIMUM_PROMPTS);
    }
    assert!(plan.disruptions.iter().all(|each| each.blow != Blow::RestartDatabase));
}
