//! The printed report of a run.

use std::collections::BTreeMap;

use super::{
    ask::Ticket,
    checks::Check,
    disrupt::Disrupted,
    plan::{Blow, Kind},
    tenants::Organization,
    watch::Followed,
};

/// The largest number of printed problems per check.
const SHOWN: usize = 10;

/// Prints the number of jobs of each kind and organization, and their results.
pub(super) fn print_jobs(organizations: &[Organization], jobs: &[Followed]) {
    print!("\n{:<16}", "jobs");
    for kind in Kind::ALL {
        print!("{:>9}", kind.name());
    }
    println!("{:>9}   ended", "all");
    for (number, organization) in organizations.iter().enumerate() {
        let own: Vec<_> = jobs.iter().filter(|job| job.asked.job.organization == number).collect();
        print!("{:<16}", organization.name);
        for kind in Kind::ALL {
            print!("{:>9}", own.iter().filter(|job| job.asked.job.kind == kind).count());
        }
        println!("{:>9}   {}", own.len(), endings(own.iter().copied()));
    }
}

/// Prints the results of the jobs of each of an organization's projects.
pub(super) fn print_attacks(organization: &Organization, jobs: &[&Followed]) {
    for (number, project) in organization.projects.iter().enumerate() {
        let name = project.attack.map_or("", super::sites::Attack::name);
        let own = jobs.iter().filter(|job| job.asked.job.project == number);
        println!("  {name:<14}{}", endings(own.copied()));
    }
}

fn endings<'a>(jobs: impl Iterator<Item = &'a Followed>) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for job in jobs {
        let ending = match (&job.asked.ticket, &job.ended) {
            (Ticket::Push(_), _) => "pushed",
            (Ticket::Refused(_), _) => "refused",
            (_, Some(seen)) => &seen.status,
            (_, None) => "open",
        };
        *counts.entry(ending).or_default() += 1;
    }
    let each: Vec<_> = counts.iter().map(|(ending, count)| format!("{count} {ending}")).collect();
    each.join(", ")
}

/// Prints the disruptions.
pub(super) fn print_disruptions(done: &[Disrupted]) {
    let count = |is: fn(&Blow) -> bool| done.iter().filter(|each| is(&each.blow)).count();
    println!(
        "\nkill -9: {}, SIGTERM: {}, SIGSTOP: {}, restarts of the database: {}",
        count(|blow| matches!(blow, Blow::Kill(_))),
        count(|blow| matches!(blow, Blow::Terminate)),
        count(|blow| matches!(blow, Blow::Freeze(_))),
        count(|blow| matches!(blow, Blow::RestartDatabase)),
    );
}

/// Prints all checks. Returns whether all passed.
pub(super) fn print_checks(checks: &[Check]) -> bool {
    println!();
    for check in checks {
        let outcome = if check.problems.is_empty() { "ok" } else { "FAILED" };
        println!("{outcome:<8}{:<52}{:>6} examined", check.name, check.examined);
        for problem in check.problems.iter().take(SHOWN) {
            println!("        {problem}");
        }
        let more = check.problems.len().saturating_sub(SHOWN);
        if more > 0 {
            println!("        and {more} more");
        }
    }
    checks.iter().all(|check| check.problems.is_empty())
}
