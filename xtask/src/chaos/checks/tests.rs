//! Each check detects its violations.

use std::time::Duration;

use super::*;
use crate::chaos::{
    ask::RequestedJob,
    logs::Begin,
    plan::{Kind, PlannedJob},
    watch::ObservedJob,
};

fn seen(status: &str) -> ObservedJob {
    ObservedJob {
        status: status.to_owned(),
        created_at: "1970-01-01T00:00:01Z".to_owned(),
        changed_at: "1970-01-01T00:00:02Z".to_owned(),
        sentence: None,
        link: None,
    }
}

fn job(organization: usize, ticket: Ticket, ended: Option<ObservedJob>) -> Followed {
    let kind = Kind::Export;
    let job = PlannedJob { at: Duration::ZERO, organization, project: 0, kind };
    Followed { asked: RequestedJob { job, ticket }, ended, changed: None }
}

fn export(organization: usize, status: &str) -> Followed {
    job(organization, Ticket::Export("exp_1".to_owned()), Some(seen(status)))
}

fn problems(check: &Check) -> Vec<&str> {
    check.problems.iter().map(String::as_str).collect()
}

#[test]
fn jobs_of_other_organizations_must_succeed() {
    let good =
        ended_well(&[export(0, "completed"), export(1, "skipped"), export(HOSTILE, "failed")]);
    assert_eq!((good.examined, good.problems.len()), (2, 0));
    let open = job(0, Ticket::Agent("agt_1".to_owned()), None);
    let refused = job(2, Ticket::Refused("No.".to_owned()), None);
    let bad = ended_well(&[export(0, "failed"), export(1, "failure"), open, refused]);
    assert_eq!(bad.problems.len(), 4);
    assert_eq!(bad.problems[2], "export agt_1 of organization 0 never ended");
}

#[test]
fn changed_results_and_repeated_releases_are_found() {
    let mut twice = export(0, "completed");
    assert!(ended_once(&[twice.clone()], &Logs::default()).problems.is_empty());
    twice.changed = Some(seen("failed"));
    assert_eq!(ended_once(&[twice], &Logs::default()).problems.len(), 1);
    let ready = ["rel_a", "rel_b", "rel_a"].map(str::to_owned).to_vec();
    let found = ended_once(&[], &Logs { ready, ..Logs::default() });
    assert_eq!(problems(&found), ["two workers made rel_a ready"]);
}

#[test]
fn claim_by_two_workers_is_found() {
    let begin = |claim| Begin { at: 0, job: "rel_a".to_owned(), claim };
    let logs = |begins| Logs { begins, ..Logs::default() };
    assert!(claimed_once(&logs(vec![begin(1), begin(2)])).problems.is_empty());
    let found = claimed_once(&logs(vec![begin(1), begin(1)]));
    assert_eq!(problems(&found), ["claim 1 of rel_a began twice"]);
}

#[test]
fn releases_must_end_and_only_hostile_ones_can_fail() {
    let release = |organization, status: &str| Release {
        id: "rel_a".to_owned(),
        organization,
        status: status.to_owned(),
        is_preview: false,
        created_at: String::new(),
        error: None,
    };
    let good = [release(0, "ready"), release(1, "superseded"), release(HOSTILE, "failed")];
    assert!(releases_ended(&good).problems.is_empty());
    let bad = [release(0, "failed"), release(1, "queued"), release(HOSTILE, "building")];
    assert_eq!(releases_ended(&bad).problems.len(), 3);
}

#[test]
fn two_final_events_are_found() {
    let found = one_final_event(&[("agt_a".to_owned(), 1), ("agt_b".to_owned(), 2)]);
    assert_eq!(problems(&found), ["agt_b has 2"]);
}

#[test]
fn duplicate_pull_request_and_wrong_link_are_found() {
    let pull_request = |number: usize, id: &str| PullRequest {
        path: format!("/projects/prj_a/pull-requests/{number}"),
        head: format!("docwright/job-{id}"),
    };
    let linked = |id: &str, number: usize| {
        let link = Some(format!("http://127.0.0.1:1/projects/prj_a/pull-requests/{number}"));
        job(0, Ticket::Agent(id.to_owned()), Some(ObservedJob { link, ..seen("completed") }))
    };
    let jobs = [linked("agt_a", 1), linked("agt_b", 11)];
    let good = [pull_request(1, "agt_a"), pull_request(11, "agt_b")];
    assert!(one_pull_request(&jobs, &good).problems.is_empty());
    let twice = [pull_request(1, "agt_a"), pull_request(11, "agt_b"), pull_request(2, "agt_a")];
    let expected =
        ["docwright/job-agt_a has another pull request, /projects/prj_a/pull-requests/2"];
    assert_eq!(problems(&one_pull_request(&jobs, &twice)), expected);
    let wrong = [pull_request(1, "agt_b"), pull_request(11, "agt_a")];
    assert_eq!(one_pull_request(&jobs, &wrong).problems.len(), 2);
}

#[test]
fn attacks_must_fail_with_an_error_and_reach_no_other() {
    let failed = |sentence: Option<&str>| {
        let sentence = sentence.map(str::to_owned);
        let seen = ObservedJob { sentence, ..seen("failed") };
        job(HOSTILE, Ticket::Export("exp_1".to_owned()), Some(seen))
    };
    let good = failed(Some("the build took too long"));
    let done = export(HOSTILE, "completed");
    let check = |jobs: &[(&Followed, Attack)]| hostile_ended(jobs).problems.len();
    assert_eq!(check(&[(&good, Attack::LinkOut), (&done, Attack::Graph)]), 0);
    assert_eq!(check(&[(&failed(None), Attack::Graph)]), 1);
    assert_eq!(check(&[(&done, Attack::LinkOut)]), 1);
    assert_eq!(
        check(&[(&job(HOSTILE, Ticket::Export("exp_2".to_owned()), None), Attack::Graph)]),
        1
    );
    assert_eq!(check(&[(&done, Attack::Endless); 6]), 1, "no limit stopped the attack");
}
