//! Agent jobs, their limit, and their leases; pull requests of the built-in host.

use docwright_storage::{
    Database,
    database::{
        AgentResult, Lease, MergedCommits, NewAgentJob, NewPullRequest, PageRequest, Prompted,
        Queue,
    },
};
use docwright_types::{
    agent_job::{AgentJob, AgentStatus, JobDiff, RefusedCall, Usage},
    pull_request::PullRequestState,
    release::Trigger,
};
use futures::future::join_all;

use docwright_testing::database::TestDatabase;

const HOUR: i64 = 3_600_000;

pub(crate) async fn conforms(place: &TestDatabase) {
    let database = &place.database;
    let (site, _) = place.site("agents").await;
    let project = database.project(&site.project_id).await.unwrap().unwrap();
    let new = NewAgentJob {
        organization_id: project.organization_id.clone(),
        project_id: project.id,
        repository: "https://example.com/a.git".into(),
        model: "m".into(),
        prompt: "do it".into(),
        idempotency: None,
    };
    limit(database, &new).await;
    idempotency(database, &new).await;
    follow_ups_are_sent_once(database, &new).await;
    runs(place, &new).await;
    archiving(database, &new).await;
    pull_requests(database, &new.project_id).await;
}

async fn create(database: &Database, new: &NewAgentJob, now: i64) -> AgentJob {
    match database.create_agent_job(new, now).await.unwrap() {
        Prompted::Job(job, _) => *job,
        other => panic!("{other:?}"),
    }
}

async fn archive_all(database: &Database, new: &NewAgentJob, now: i64) {
    let jobs =
        database.agent_jobs(&new.project_id, Some(AgentStatus::Active), PageRequest::first(500));
    for job in jobs.await.unwrap() {
        assert!(database.archive_agent_job(&job.id, now).await.unwrap());
    }
}

/// An hour has exactly 100 prompts, also with parallel requests.
async fn limit(database: &Database, new: &NewAgentJob) {
    let asked = join_all((0..1000).map(|number| database.create_agent_job(new, number))).await;
    let passed: Vec<_> =
        asked.iter().flatten().filter(|asked| matches!(asked, Prompted::Job(..))).collect();
    assert_eq!(passed.len(), 100);
    let times = database.agent_jobs(&new.project_id, None, PageRequest::first(500)).await.unwrap();
    let first = times.iter().map(|job| job.created_at).min().unwrap();
    let Prompted::Limited(allowance) = database.create_agent_job(new, 5000).await.unwrap() else {
        panic!("the 101st passed");
    };
    assert_eq!((allowance.remaining, allowance.reset), (0, first + HOUR - 5000));
    // If a node's clock is behind, callers wait for one window at most.
    let behind = database.create_agent_job(new, first - 5000).await.unwrap();
    assert!(matches!(behind, Prompted::Limited(allowance) if allowance.reset == HOUR));
    let early = database.create_agent_job(new, first + HOUR - 1).await.unwrap();
    assert!(matches!(early, Prompted::Limited(_)), "the first prompt is still in the window");
    let job = create(database, new, first + HOUR).await;
    assert!(database.archive_agent_job(&job.id, first + HOUR).await.unwrap());
    archive_all(database, new, HOUR).await;
    // Follow-up messages count, too.
    let now = 10 * HOUR;
    let job = create(database, new, now).await;
    for _ in 0..99 {
        assert!(database.cancel_agent_job(&job.id, now).await.unwrap());
        let again = database.follow_up(&new.project_id, &job.id, "more", None, now).await.unwrap();
        assert!(matches!(again, Prompted::Job(..)), "{again:?}");
    }
    assert!(database.cancel_agent_job(&job.id, now).await.unwrap());
    let last = database.follow_up(&new.project_id, &job.id, "more", None, now).await.unwrap();
    assert!(matches!(last, Prompted::Limited(_)), "{last:?}");
    assert_eq!(database.agent_prompts(&job.id).await.unwrap().len(), 100);
}

async fn idempotency(database: &Database, new: &NewAgentJob) {
    let now = 20 * HOUR;
    let with = |print: &str| NewAgentJob {
        idempotency: Some(("agent".into(), print.into())),
        ..new.clone()
    };
    let same = with("a");
    let (one, two) = tokio::join!(create(database, &same, now), create(database, &same, now));
    assert_eq!(one.id, two.id);
    let other = database.create_agent_job(&with("b"), now).await.unwrap();
    assert!(matches!(other, Prompted::Conflict));
    archive_all(database, new, now).await;
}

/// A follow-up that is sent again with the same key reaches the job once.
async fn follow_ups_are_sent_once(database: &Database, new: &NewAgentJob) {
    let now = 25 * HOUR;
    let id = create(database, new, now).await.id;
    let send = async |print, id: &str| {
        let key = Some((new.organization_id.as_str(), "follow-up", print));
        database.follow_up(&new.project_id, id, "more", key, now).await.unwrap()
    };
    let refused = send("a", &id).await;
    assert!(matches!(refused, Prompted::Refused(AgentStatus::Active)), "{refused:?}");
    assert!(matches!(send("a", "agt_none").await, Prompted::Missing));
    let is_used = |now| database.is_idempotency_key_used(&new.organization_id, "follow-up", now);
    assert!(!is_used(now).await.unwrap(), "refused prompts use no key");
    assert!(database.cancel_agent_job(&id, now).await.unwrap());
    let Prompted::Job(job, first) = send("a", &id).await else {
        panic!("expected an accepted prompt")
    };
    assert_eq!((job.status, job.error), (AgentStatus::Active, None));
    let Prompted::Job(again, second) = send("a", &id).await else {
        panic!("expected the earlier result")
    };
    assert_eq!(
        (again.id, second.remaining),
        (job.id, first.remaining),
        "a repeated prompt doesn't count"
    );
    assert!(is_used(now).await.unwrap() && !is_used(now + 25 * HOUR).await.unwrap());
    assert!(matches!(send("b", &id).await, Prompted::Conflict));
    assert_eq!(database.agent_prompts(&id).await.unwrap(), ["do it", "more"]);
    archive_all(database, new, now).await;
}

async fn claim(database: &Database, now: i64) -> Lease {
    database.claim(Queue::AgentJobs, 60_000, now).await.unwrap().unwrap().lease
}

/// A worker records results under its lease. A worker without the lease can't.
async fn runs(place: &TestDatabase, new: &NewAgentJob) {
    let (database, now) = (&place.database, 30 * HOUR);
    let id = create(database, new, now).await.id;
    let lost = claim(database, now).await;
    assert_eq!(lost.id, id);
    let usage = Usage { input_tokens: 1, output_tokens: 2, cost: Some(0.5) };
    assert_eq!(database.agent_run(&id).await.unwrap(), None);
    assert!(database.save_agent_run(&lost, ("{}", &usage), now).await.unwrap());
    assert_eq!(database.agent_run(&id).await.unwrap().as_deref(), Some("{}"));
    assert_eq!(database.record_base_commit(&lost, "c1").await.unwrap().as_deref(), Some("c1"));
    assert_eq!(database.record_base_commit(&lost, "c2").await.unwrap().as_deref(), Some("c1"));
    place.age("agent_jobs", &id, 120_000).await;
    let held = claim(database, now).await;
    assert_eq!((held.id.as_str(), held.number), (id.as_str(), lost.number + 1));
    let files = ["a.mdx".to_owned()];
    let refused = [RefusedCall { tool: "push".into(), reason: "there is none".into(), times: 2 }];
    let result = AgentResult {
        outcome: Ok("done"),
        usage: &usage,
        files_changed: &files,
        refused: &refused,
        pr_link: Some("https://x"),
    };
    assert!(!database.save_agent_run(&lost, ("{}", &usage), now).await.unwrap());
    assert_eq!(database.record_base_commit(&lost, "c3").await.unwrap(), None);
    assert!(!database.record_branch(&lost, "b", None).await.unwrap());
    assert!(!database.end_agent_job(&lost, result, now).await.unwrap());
    assert!(database.agent_events(&id, 0).await.unwrap().is_empty());
    assert_eq!(database.agent_diff(&id).await.unwrap(), None);
    let diff = JobDiff {
        base: "c1".into(),
        commit: "c2".into(),
        is_whole: true,
        text: "diff --git a/a b/a\n+\"é\u{fffd}\n".into(),
    };
    assert!(!database.record_branch(&lost, "b", Some(&diff)).await.unwrap());
    assert!(database.record_branch(&held, "b", Some(&diff)).await.unwrap());
    assert_eq!(database.agent_diff(&id).await.unwrap(), Some(diff));
    assert_eq!(database.agent_diff("agt_none").await.unwrap(), None);
    assert!(database.end_agent_job(&held, result, now).await.unwrap());
    assert!(!database.end_agent_job(&held, result, now).await.unwrap(), "a job finishes once");
    let job = database.agent_job(&new.project_id, &id).await.unwrap().unwrap();
    assert_eq!((job.status, job.pr_link.as_deref()), (AgentStatus::Completed, Some("https://x")));
    assert_eq!((job.usage, job.files_changed.len()), (usage, 1));
    assert_eq!(job.refused, refused);
    assert!(database.agent_job("prj_other", &id).await.unwrap().is_none());
    let ended = database.agent_events(&id, 0).await.unwrap();
    assert!(ended.len() == 1 && ended[0].data.contains("completed"), "{ended:?}");
    for number in 2..=3 {
        database.add_agent_event(&id, "step", "{}", now).await.unwrap();
        assert_eq!(database.agent_events(&id, number - 1).await.unwrap()[0].number, number);
    }
    cancelled(database, new, now).await;
}

/// A worker loses the lease of a canceled job. A follow-up queues the job for a new claim.
async fn cancelled(database: &Database, new: &NewAgentJob, now: i64) {
    let id = create(database, new, now).await.id;
    let lease = claim(database, now).await;
    assert!(database.cancel_agent_job(&id, now).await.unwrap());
    assert!(!database.renew(&lease, 1000).await.unwrap());
    database.follow_up(&new.project_id, &id, "more", None, now).await.unwrap();
    assert!(!database.renew(&lease, 1000).await.unwrap(), "a lost claim can't be renewed");
    let again = claim(database, now).await;
    assert_eq!(again.number, lease.number + 1);
    assert!(database.fail(&again, "because", now).await.unwrap());
    let job = database.agent_job(&new.project_id, &id).await.unwrap().unwrap();
    assert_eq!((job.status, job.error.as_deref()), (AgentStatus::Failed, Some("because")));
    let events = database.agent_events(&id, 0).await.unwrap();
    assert!(events.last().unwrap().data.contains("failed"), "{events:?}");
}

async fn archiving(database: &Database, new: &NewAgentJob) {
    let now = 40 * HOUR;
    let (old, young) = (create(database, new, now).await.id, create(database, new, now).await.id);
    assert!(database.cancel_agent_job(&old, now).await.unwrap());
    assert!(database.cancel_agent_job(&young, now + 10).await.unwrap());
    database.archive_agent_jobs(now + 5, now + 20).await.unwrap();
    let job = database.agent_job(&new.project_id, &old).await.unwrap().unwrap();
    assert_eq!((job.status, job.archived_at), (AgentStatus::Archived, Some(now + 20)));
    let job = database.agent_job(&new.project_id, &young).await.unwrap().unwrap();
    assert_eq!(job.status, AgentStatus::Failed);
}

/// A branch has one pull request. A merge is recorded once, with the head of its base branch.
async fn pull_requests(database: &Database, project_id: &str) {
    let new = |head| NewPullRequest { project_id, head, base: "main", title: "t", body: "b" };
    let opened =
        join_all(["x", "y", "x"].map(|head| database.open_pull_request(new(head), 1))).await;
    let numbers: Vec<_> = opened.iter().map(|opened| opened.as_ref().unwrap().number).collect();
    assert_eq!(numbers[0], numbers[2], "a branch keeps its pull request");
    assert_ne!(numbers[0], numbers[1]);
    let listed = async |before, limit| {
        let page = database.pull_requests(project_id, before, limit).await.unwrap();
        page.into_iter().map(|each| each.number).collect::<Vec<_>>()
    };
    assert_eq!((listed(None, 9).await, listed(None, 1).await), (vec![2, 1], vec![2]));
    assert_eq!((listed(Some(2), 9).await, listed(Some(1), 9).await), (vec![1], vec![]));
    let merged = opened[0].as_ref().unwrap();
    let commits = MergedCommits { before: Some("m0".to_owned()), after: "m1".to_owned() };
    for _ in 0..2 {
        database.record_merge(merged, (&commits, true), 2).await.unwrap();
        let found = database.pull_request(project_id, merged.number).await.unwrap().unwrap();
        assert_eq!(found.state, PullRequestState::Merged);
        assert_eq!(
            (found.base_before.as_deref(), found.merge_commit.as_deref()),
            (Some("m0"), Some("m1"))
        );
    }
    assert!(!database.close_pull_request(project_id, merged.number, 3).await.unwrap());
    assert!(database.close_pull_request(project_id, numbers[1], 3).await.unwrap());
    assert_eq!(database.last_head(project_id, Some("main")).await.unwrap().as_deref(), Some("m1"));
    assert_eq!(database.last_head(project_id, None).await.unwrap().as_deref(), Some("m1"));
    let releases = database.releases(project_id, None, PageRequest::first(10)).await.unwrap();
    assert_eq!(releases.len(), 1, "one release for the domain's site");
    assert_eq!(releases[0].trigger, Trigger::Merge);
}
