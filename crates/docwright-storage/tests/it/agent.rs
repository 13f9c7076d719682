//! Agent jobs, their limit and their leases; pull requests of the built-in host.

use docwright_domain::agent_job::{AgentJob, AgentStatus, Usage};
use docwright_storage::{
    Database,
    database::{AgentResult, NewAgentJob, NewExport, NewPullRequest, Prompted},
};
use futures::future::join_all;

const HOUR: i64 = 3_600_000;

pub(crate) async fn conforms(database: &Database, export: &NewExport) {
    let new = NewAgentJob {
        organization_id: export.organization_id.clone(),
        project_id: export.project_id.clone(),
        repository: "https://example.com/a.git".into(),
        model: "m".into(),
        prompt: "do it".into(),
        idempotency: None,
    };
    limit(database, &new).await;
    idempotency(database, &new).await;
    leases(database, &new).await;
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
    let jobs = database.agent_jobs(&new.project_id, Some(AgentStatus::Active), None, 500);
    for job in jobs.await.unwrap() {
        assert!(database.archive_agent_job(&job.id, now).await.unwrap());
    }
}

/// A hundred prompts in any hour, exactly, however many ask at once.
async fn limit(database: &Database, new: &NewAgentJob) {
    let asked = join_all((0..1000).map(|number| database.create_agent_job(new, number))).await;
    let passed: Vec<_> =
        asked.iter().flatten().filter(|asked| matches!(asked, Prompted::Job(..))).collect();
    assert_eq!(passed.len(), 100);
    let times = database.agent_jobs(&new.project_id, None, None, 500).await.unwrap();
    let first = times.iter().map(|job| job.created_at).min().unwrap();
    let Prompted::Limited(allowance) = database.create_agent_job(new, 5000).await.unwrap() else {
        panic!("the 101st passed");
    };
    assert_eq!((allowance.remaining, allowance.reset), (0, first + HOUR - 5000));
    let early = database.create_agent_job(new, first + HOUR - 1).await.unwrap();
    assert!(matches!(early, Prompted::Limited(_)), "the window has not moved yet");
    let job = create(database, new, first + HOUR).await;
    assert!(database.archive_agent_job(&job.id, first + HOUR).await.unwrap());
    archive_all(database, new, HOUR).await;
    // Follow-up messages count as well.
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

async fn leases(database: &Database, new: &NewAgentJob) {
    let now = 30 * HOUR;
    let id = create(database, new, now).await.id;
    let (one, two) = tokio::join!(
        database.claim_agent_job("one", now, 10),
        database.claim_agent_job("two", now, 10)
    );
    let claims = [one.unwrap(), two.unwrap()];
    assert_eq!(claims.iter().flatten().count(), 1, "one of two workers gets the job");
    let owner = if claims[0].is_some() { "one" } else { "two" };
    let usage = Usage { input_tokens: 1, output_tokens: 2, cost: Some(0.5) };
    assert!(database.save_agent_run(&id, owner, ("{}", &usage), now).await.unwrap());
    assert_eq!(database.note_base_commit(&id, owner, "c1").await.unwrap().as_deref(), Some("c1"));
    assert_eq!(database.note_base_commit(&id, owner, "c2").await.unwrap().as_deref(), Some("c1"));
    assert!(database.claim_agent_job("three", now + 9, 10).await.unwrap().is_none());
    assert_eq!(database.claim_agent_job("three", now + 11, 10).await.unwrap().unwrap().id, id);
    let files = ["a.mdx".to_owned()];
    let result = AgentResult { outcome: Ok("done"), usage: &usage, files_changed: &files };
    assert!(!database.renew_agent_job(&id, owner, now + 99).await.unwrap());
    assert!(!database.save_agent_run(&id, owner, ("{}", &usage), now).await.unwrap());
    assert!(!database.end_agent_job(&id, owner, result, None, now).await.unwrap());
    assert!(database.end_agent_job(&id, "three", result, Some("https://x"), now).await.unwrap());
    let job = database.agent_job(&new.project_id, &id).await.unwrap().unwrap();
    assert_eq!((job.status, job.pr_link.as_deref()), (AgentStatus::Completed, Some("https://x")));
    assert_eq!((job.usage, job.files_changed.len()), (usage, 1));
    assert!(database.agent_job("prj_other", &id).await.unwrap().is_none());
    for number in 1..=3 {
        database.add_agent_event(&id, "step", "{}", now).await.unwrap();
        assert_eq!(database.agent_events(&id, number - 1).await.unwrap()[0].number, number);
    }
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

async fn pull_requests(database: &Database, project_id: &str) {
    let new = |head| NewPullRequest { project_id, head, base: "main", title: "t", body: "b" };
    let opened =
        join_all(["x", "y", "x"].map(|head| database.open_pull_request(new(head), 1))).await;
    let numbers: Vec<_> = opened.iter().map(|opened| opened.as_ref().unwrap().number).collect();
    assert_eq!(numbers[0], numbers[2], "a branch has one pull request, ever");
    assert_ne!(numbers[0], numbers[1]);
}
