//! Follows the exports of a service by its API.
//!
//! The rule: a deployment serves the newest completed export of the whole site for it. If there is none, or if the
//! domain serves a newer commit than the newest export has, an export is started. In projects that activate
//! releases manually, only the first export is started: each later one is a decision, too.

use std::{path::PathBuf, sync::OnceLock};

use anyhow::{Context, anyhow};
use docwright_serving::deployment::{
    CompletedExport, ExportPoll, ExportRequest, Exports, Link, LinkedBundle, ServiceSource,
    UpdateError,
};
use docwright_types::{
    domain_address::DomainAddress,
    export_job::ExportStatus,
    key::PresentedKey,
    site::Activation,
    timestamp::{Timestamp, parse_iso},
};
use futures::future::BoxFuture;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::Client;
use serde::Deserialize;
use serde_json::json;
use sha2::{Digest, Sha256};

use super::api::{self, Api};

/// Pages of the list of exports that are read, of 100 exports each.
const MAXIMUM_PAGES: usize = 10;

/// The exports of services, asked with a key of the values or of the environment.
#[derive(Debug)]
pub(super) struct ServiceExports {
    client: OnceLock<Client>,
    /// The key in the environment.
    key: Option<PresentedKey>,
    /// The file that an option names.
    key_file: Option<PathBuf>,
}

// The fields of responses that are needed. Services of other versions have fewer or more.

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Domain {
    #[serde(rename = "domain")]
    name: String,
    project_id: String,
    release_id: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Deployment {
    id: String,
}

#[derive(Debug, Deserialize)]
struct Project {
    activation: Activation,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Release {
    commit: Option<String>,
    created_at: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Key {
    expires_at: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Bundle {
    bundle_url: String,
    sha256: String,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Export {
    job_id: String,
    domain: String,
    status: ExportStatus,
    created_at: String,
    error: Option<String>,
    version: Option<String>,
    paths: Option<Vec<String>>,
    deployment_id: Option<String>,
    release_id: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ExportList {
    jobs: Vec<Export>,
    next_cursor: Option<String>,
}

/// Where exports are read.
struct Place {
    domain: Domain,
    deployment_id: Option<String>,
}

impl ServiceExports {
    pub(super) const fn new(key: Option<PresentedKey>, key_file: Option<PathBuf>) -> Self {
        Self { client: OnceLock::new(), key, key_file }
    }

    fn client(&self) -> anyhow::Result<&Client> {
        if let Some(client) = self.client.get() {
            return Ok(client);
        }
        let client = api::client()?;
        Ok(self.client.get_or_init(|| client))
    }

    /// The key of the values, else that of the options.
    fn key(&self, source: &ServiceSource) -> anyhow::Result<PresentedKey> {
        let in_values = source.key.is_some() || source.key_file.is_some();
        let (key, file) =
            if in_values { (&source.key, &source.key_file) } else { (&self.key, &self.key_file) };
        if let Some(key) = key {
            return Ok(key.clone());
        }
        let file = file.as_ref().context(
            "there is no key for the service; set staticExport.source.key or keyFile, DOCWRIGHT_KEY, or --key-file",
        )?;
        let text = std::fs::read_to_string(file)
            .with_context(|| format!("cannot read {}", file.display()))?;
        PresentedKey::parse(text.trim()).with_context(|| {
            format!("{} doesn't contain an API key such as dw_…_…", file.display())
        })
    }

    /// The API of a source.
    fn api<'a>(&'a self, source: &'a ServiceSource) -> anyhow::Result<Api<'a>> {
        let key = self.key(source)?;
        Ok(Api { client: self.client()?, address: &source.url, key })
    }

    async fn poll(
        &self,
        source: &ServiceSource,
        request: ExportRequest<'_>,
    ) -> Result<ExportPoll, UpdateError> {
        let api = self.api(source).map_err(UpdateError::Permanent)?;
        let place = Place::find(&api, source).await?;
        let (newest, completed) = exports(&api, &place, request.version).await?;
        let mut poll = ExportPoll { key_expires_at: key_end(&api).await?, ..ExportPoll::default() };
        match (&newest, request.version) {
            (Some(job), _)
                if matches!(job.status, ExportStatus::Queued | ExportStatus::Running) =>
            {
                poll.pending = Some(format!("the export {} is {}", job.job_id, job.status));
            }
            (None, Some(version)) => {
                poll.problem = Some(format!("no export has the version {version}; start one"));
            }
            (_, None) if place.needs_export(&api, newest.as_ref()).await? => {
                match start(&api, source, &place).await {
                    Ok(job) => {
                        tracing::info!(job = job.job_id, "export started");
                        poll.pending = Some(format!("the export {} is {}", job.job_id, job.status));
                    }
                    // The versions so far can still be served.
                    Err(error) => {
                        let problem = format!("cannot start an export: {}", error.describe());
                        poll.problem = Some(problem);
                    }
                }
            }
            (Some(job), _) if job.status == ExportStatus::Failed => {
                let reason = job.error.as_deref().unwrap_or("no reason");
                poll.problem = Some(format!("the newest export, {}, failed: {reason}", job.job_id));
            }
            _ => {}
        }
        if let Some(job) = completed {
            let bundle = match request.known {
                Some(known) if known == job.job_id => None,
                _ => Some(link(&api, &job.job_id).await?),
            };
            poll.completed = Some(CompletedExport { id: job.job_id, bundle });
        }
        Ok(poll)
    }
}

impl ServiceExports {
    /// Reports the export to the deployment that the values name; without one there is nothing to report to.
    async fn report(&self, source: &ServiceSource, export: &str) -> Result<(), UpdateError> {
        let api = self.api(source).map_err(UpdateError::Permanent)?;
        let Place { domain, deployment_id } = Place::find(&api, source).await?;
        let Some(deployment) = deployment_id else { return Ok(()) };
        let (project, deployment) = (encoded(&domain.project_id), encoded(&deployment));
        let path = format!("/v1/projects/{project}/deployments/{deployment}/report");
        let _reported: Deployment =
            api.post(&path, Some((&json!({ "jobId": export }), export))).await?;
        Ok(())
    }
}

impl Exports for ServiceExports {
    fn poll<'a>(
        &'a self,
        source: &'a ServiceSource,
        request: ExportRequest<'a>,
    ) -> BoxFuture<'a, Result<ExportPoll, UpdateError>> {
        Box::pin(self.poll(source, request))
    }

    fn report<'a>(
        &'a self,
        source: &'a ServiceSource,
        export: &'a str,
    ) -> BoxFuture<'a, Result<(), UpdateError>> {
        Box::pin(self.report(source, export))
    }
}

impl Place {
    async fn find(api: &Api<'_>, source: &ServiceSource) -> Result<Self, UpdateError> {
        let name = encoded(&source.domain.to_string());
        let domain: Domain = api.get(&format!("/v1/domains/{name}")).await?;
        let deployment_id = match &source.deployment {
            None => None,
            Some(name) => {
                let (project, name) = (encoded(&domain.project_id), encoded(name));
                let path = format!("/v1/projects/{project}/deployments/{name}");
                Some(api.get::<Deployment>(&path).await?.id)
            }
        };
        Ok(Self { domain, deployment_id })
    }

    /// Whether an export is one of the whole site for this deployment.
    fn has(&self, job: &Export) -> bool {
        job.domain == self.domain.name
            && job.deployment_id == self.deployment_id
            && job.paths.is_none()
    }

    /// Whether the domain serves a newer commit than the newest export has.
    async fn needs_export(
        &self,
        api: &Api<'_>,
        newest: Option<&Export>,
    ) -> Result<bool, UpdateError> {
        let Some(newest) = newest else { return Ok(true) };
        let Some(active) = &self.domain.release_id else { return Ok(false) };
        if newest.release_id.as_ref() == Some(active) {
            return Ok(false);
        }
        let Some(active) = release(api, active).await? else { return Ok(false) };
        // After a rollback, the active release is older than the newest export.
        if parse_iso(&active.created_at) <= parse_iso(&newest.created_at) {
            return Ok(false);
        }
        let exported = match &newest.release_id {
            Some(id) => release(api, id).await?,
            None => None,
        };
        if exported.is_some_and(|exported| exported.commit == active.commit) {
            return Ok(false);
        }
        let project: Project =
            api.get(&format!("/v1/projects/{}", encoded(&self.domain.project_id))).await?;
        Ok(project.activation == Activation::Automatic)
    }
}

/// The newest export for a place, and the newest completed one. With a version, only exports with that label count.
async fn exports(
    api: &Api<'_>,
    place: &Place,
    version: Option<&str>,
) -> Result<(Option<Export>, Option<Export>), UpdateError> {
    let (project, domain) = (encoded(&place.domain.project_id), encoded(&place.domain.name));
    let list = format!("/v1/static-export/jobs?projectId={project}&search={domain}&limit=100");
    let (mut newest, mut cursor) = (None, String::new());
    for _ in 0..MAXIMUM_PAGES {
        let page: ExportList = api.get(&format!("{list}&cursor={cursor}")).await?;
        // Longer domains that start with this one come after it.
        let is_past = page.jobs.last().is_none_or(|job| job.domain != place.domain.name);
        for job in page.jobs {
            let is_wanted = version.is_none() || job.version.as_deref() == version;
            if !is_wanted || !place.has(&job) {
                continue;
            }
            let newest = newest.get_or_insert_with(|| job.clone());
            if job.status == ExportStatus::Completed {
                return Ok((Some(newest.clone()), Some(job)));
            }
        }
        match page.next_cursor {
            Some(next) if !is_past => cursor = next,
            _ => break,
        }
    }
    Ok((newest, None))
}

/// Starts an export. Several processes that follow the same deployment share one, because the Idempotency-Key
/// follows from what the domain serves.
async fn start(
    api: &Api<'_>,
    source: &ServiceSource,
    place: &Place,
) -> Result<Export, UpdateError> {
    let Domain { name: domain, release_id, .. } = &place.domain;
    let parsed = DomainAddress::parse(domain);
    let address = parsed.map_err(|error| UpdateError::Permanent(anyhow!("{domain} {error}")))?;
    let mut body = json!({ "domain": address.host().to_string() });
    if !address.base().is_empty() {
        body["basePath"] = json!(address.base());
    }
    if let Some(deployment) = &place.deployment_id {
        body["deployment"] = json!(deployment);
    }
    let release = release_id.as_deref().unwrap_or("none");
    let once = Sha256::digest(format!("{}\n{body}\n{release}", source.url));
    let once = format!("deploy-{}", hex::encode(once));
    api.post("/v1/static-export/jobs", Some((&body, &once))).await
}

async fn link(api: &Api<'_>, job_id: &str) -> Result<LinkedBundle, UpdateError> {
    let path = format!("/v1/static-export/jobs/{}/bundle", encoded(job_id));
    let bundle: Bundle = api.post(&path, None).await?;
    Ok(LinkedBundle { link: Link::new(bundle.bundle_url), sha256: bundle.sha256 })
}

async fn release(api: &Api<'_>, id: &str) -> Result<Option<Release>, UpdateError> {
    api.find(&format!("/v1/releases/{}", encoded(id))).await
}

/// When the key of the requests expires.
async fn key_end(api: &Api<'_>) -> Result<Option<Timestamp>, UpdateError> {
    let key: Option<Key> = api.find("/v1/key").await?;
    Ok(key.and_then(|key| key.expires_at).as_deref().and_then(parse_iso))
}

fn encoded(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}
