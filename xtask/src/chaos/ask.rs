//! Requests the jobs of a plan, each exactly once, with retries.

use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use serde_json::{Value, json};

use super::{
    client::{Client, Request},
    pace::wait,
    plan::{Kind, PlannedJob},
    push,
    tenants::{Organization, Project, text},
};

/// A service's response to a job request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Ticket {
    /// The id of an update.
    Update(String),
    /// The id of an export.
    Export(String),
    /// The id of an agent job.
    Agent(String),
    /// The text of a commit that the git host accepted.
    Push(String),
    /// The error of a refused request.
    Refused(String),
}

/// A requested job.
#[derive(Debug, Clone)]
pub(super) struct RequestedJob {
    /// The job.
    pub(super) job: PlannedJob,
    /// The response.
    pub(super) ticket: Ticket,
}

/// Requests the jobs of one organization at their times. Passes each to `asked`.
pub(super) fn ask_all<'a>(
    client: &Client,
    organization: &Organization,
    jobs: impl Iterator<Item = (usize, &'a PlannedJob)>,
    started: Instant,
    asked: impl Fn(RequestedJob),
) -> anyhow::Result<()> {
    for (number, job) in jobs {
        wait(job.at.saturating_sub(started.elapsed()));
        let project = &organization.projects[job.project];
        let ticket = ask(client, organization, project, (number, job.kind))
            .with_context(|| format!("job {number}, {}", job.kind.name()))?;
        asked(RequestedJob { job: job.clone(), ticket });
    }
    Ok(())
}

fn ask(
    client: &Client,
    organization: &Organization,
    project: &Project,
    (number, kind): (usize, Kind),
) -> anyhow::Result<Ticket> {
    let idempotency = format!("job-{number}");
    let post = |path: &str, body: &Value| loop {
        let answer = client.ask(Request {
            path,
            key: &organization.key,
            idempotency: Some(&idempotency),
            host: None,
            body: Some(body),
        })?;
        // An organization can have a limited number of pending updates.
        if answer.status != 429 {
            return anyhow::Ok(answer);
        }
        wait(Duration::from_secs(1));
    };
    let (answer, field, ticket): (_, _, fn(String) -> Ticket) = match kind {
        Kind::Update => {
            let path = format!("/v1/project/update/{}", project.id);
            (post(&path, &json!({}))?, "statusId", Ticket::Update)
        }
        Kind::Export | Kind::ExportOfPaths | Kind::ExportOfVersion => {
            let answer = post("/v1/static-export/jobs", &export(project, kind, number))?;
            (answer, "jobId", Ticket::Export)
        }
        Kind::Agent => {
            let prompt = format!("add page added-{number} titled \"Added {number}\"");
            let path = format!("/v2/agent/{}/job", project.id);
            (post(&path, &json!({ "prompt": prompt }))?, "id", Ticket::Agent)
        }
        Kind::Push => {
            let words = format!("{} at number {number}", project.words);
            push::push(client, organization, project, &words)?;
            return Ok(Ticket::Push(words));
        }
    };
    if (200..300).contains(&answer.status) {
        return Ok(ticket(text(&answer.json(), field)?));
    }
    if answer.status == 409 || answer.status == 400 {
        return Ok(Ticket::Refused(answer.sentence()));
    }
    bail!("it is answered with status {}: {}", answer.status, answer.sentence())
}

fn export(project: &Project, kind: Kind, number: usize) -> Value {
    let mut body = json!({ "domain": project.domain });
    match kind {
        Kind::ExportOfPaths => body["paths"] = json!([format!("page-{}", number % 4 + 2)]),
        Kind::ExportOfVersion => body["version"] = json!(format!("v{number}")),
        _ => {}
    }
    body
}
