//! Collects the data for the checks from the services after the run.

use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use serde_json::Value;

use super::{
    ask::Ticket,
    bundle::{Promised, verify},
    checks::{Check, PullRequest, Release},
    client::{Client, Request},
    cluster::Cluster,
    pace::wait,
    plan::HOSTILE,
    tenants::{Organization, Project, admin},
    watch::Followed,
};

/// The longest time until a push is published: branches without a release are found once a minute.
const PUBLISHED: Duration = Duration::from_secs(100);
/// The longest time of the last releases.
const RELEASED: Duration = Duration::from_mins(2);

/// The releases of all projects after all have finished. Pushes create releases that aren't followed.
pub(super) fn ended_releases(
    cluster: &Cluster,
    organizations: &[Organization],
) -> anyhow::Result<Vec<Release>> {
    let started = Instant::now();
    loop {
        let releases = releases(cluster, organizations)?;
        if !releases.iter().any(Release::is_open) || started.elapsed() > RELEASED {
            return Ok(releases);
        }
        wait(Duration::from_millis(500));
    }
}

fn releases(cluster: &Cluster, organizations: &[Organization]) -> anyhow::Result<Vec<Release>> {
    let mut releases: Vec<Release> = Vec::new();
    for (organization, each) in organizations.iter().enumerate() {
        for project in &each.projects {
            let list = ["release", "list", "--limit", "100000", "--project", &project.id];
            let listed = admin(cluster, &list)?;
            let listed = listed.as_array().context("releases are no list")?;
            releases.extend(listed.iter().map(|each| release(each, organization)));
        }
    }
    Ok(releases)
}

fn release(release: &Value, organization: usize) -> Release {
    let text = |field: &str| release[field].as_str().map(str::to_owned);
    Release {
        id: text("id").unwrap_or_default(),
        organization,
        status: text("status").unwrap_or_default(),
        is_preview: text("trigger").as_deref() == Some("preview"),
        created_at: text("createdAt").unwrap_or_default(),
        error: text("error"),
    }
}

/// The pull requests of every project.
pub(super) fn pull_requests(
    client: &Client,
    organizations: &[Organization],
) -> anyhow::Result<Vec<PullRequest>> {
    let mut found = Vec::new();
    for organization in organizations {
        for project in &organization.projects {
            let list = format!("/v1/projects/{}/pull-requests", project.id);
            let mut next = Some(String::new());
            while let Some(cursor) = next {
                let path = format!("{list}?limit=100&cursor={cursor}");
                let answer = client.ask(Request::get(&path, &organization.key))?;
                ensure!(answer.status == 200, "{path} is answered with: {}", answer.sentence());
                let page = answer.json();
                for each in page["pullRequests"].as_array().into_iter().flatten() {
                    let path = format!("/projects/{}/pull-requests/{}", project.id, each["number"]);
                    let head = each["head"].as_str().unwrap_or_default().to_owned();
                    found.push(PullRequest { path, head });
                }
                next = page["nextCursor"].as_str().map(str::to_owned);
            }
        }
    }
    Ok(found)
}

/// The number of final events of each agent job.
pub(super) fn final_events(
    client: &Client,
    organizations: &[Organization],
    jobs: &[Followed],
) -> anyhow::Result<Vec<(String, usize)>> {
    let mut counts = Vec::new();
    for job in jobs {
        let Ticket::Agent(id) = &job.asked.ticket else { continue };
        // The event stream of a running job doesn't end.
        if job.ended.is_none() {
            continue;
        }
        let organization = &organizations[job.asked.job.organization];
        let project = &organization.projects[job.asked.job.project];
        let path = format!("/v2/agent/{}/job/{id}/events", project.id);
        let answer = client.ask(Request::get(&path, &organization.key))?;
        ensure!(answer.status == 200, "{path} is answered with: {}", answer.sentence());
        let text = String::from_utf8_lossy(&answer.body).into_owned();
        let ends = text.lines().filter(|line| line.trim_end() == "event: status").count();
        counts.push((id.clone(), ends));
    }
    Ok(counts)
}

/// Every bundle can be downloaded and matches its description. Bundles of the hostile organization contain
/// nothing of others.
pub(super) fn bundles(client: &Client, organizations: &[Organization], jobs: &[Followed]) -> Check {
    let mut check = Check::new("every bundle verifies");
    for job in jobs.iter().filter(|job| job.has_bundle()) {
        let Ticket::Export(id) = &job.asked.ticket else { continue };
        let owner = job.asked.job.organization;
        let outcome = download(client, &organizations[owner].key, id).and_then(|text| {
            let others = organizations.iter().take(HOSTILE).flat_map(|each| &each.projects);
            let stolen = others.map(|project| &project.words).find(|words| text.contains(*words));
            match stolen {
                Some(words) if owner == HOSTILE => anyhow::bail!("it says {words}"),
                _ => Ok(()),
            }
        });
        check.take(&job.describe(), outcome);
    }
    check
}

fn download(client: &Client, key: &str, id: &str) -> anyhow::Result<String> {
    let path = format!("/v1/static-export/jobs/{id}/bundle");
    let body = Value::Null;
    let request = Request { body: Some(&body), ..Request::get(&path, key) };
    let answer = client.ask(request)?;
    ensure!(answer.status == 200, "there is no link: {}", answer.sentence());
    let link = answer.json();
    let promised = Promised {
        size: link["sizeBytes"].as_u64().context("it has no size")?,
        sha256: link["sha256"].as_str().context("it has no hash")?.to_owned(),
    };
    let url = link["bundleUrl"].as_str().context("it has no address")?;
    verify(&client.download(url)?, &promised)
}

/// Domains of organizations without attacks show their last push.
pub(super) fn published(
    client: &Client,
    organizations: &[Organization],
    jobs: &[Followed],
) -> Check {
    let mut check = Check::new("domains show what was pushed last");
    let started = Instant::now();
    for (number, organization) in organizations.iter().enumerate().take(HOSTILE) {
        for (index, project) in organization.projects.iter().enumerate() {
            let pushed = jobs.iter().rev().find_map(|job| match &job.asked.ticket {
                Ticket::Push(words)
                    if job.asked.job.organization == number && job.asked.job.project == index =>
                {
                    Some(words)
                }
                _ => None,
            });
            if let Some(words) = pushed {
                check.take(&project.domain, shows(client, project, words, started));
            }
        }
    }
    check
}

fn shows(client: &Client, project: &Project, words: &str, started: Instant) -> anyhow::Result<()> {
    loop {
        let request = Request { host: Some(&project.domain), ..Request::get("/", "") };
        let answer = client.ask(request)?;
        if String::from_utf8_lossy(&answer.body).contains(words) {
            return Ok(());
        }
        ensure!(started.elapsed() < PUBLISHED, "it never says {words}");
        wait(Duration::from_millis(500));
    }
}
