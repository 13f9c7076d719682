//! Starting a static export.

use docwright_storage::database::{ExportTarget, NewExport, Started};
use docwright_types::{
    deployment::{DeploymentType, Features},
    domain_address::DomainAddress,
    domain_name::DomainName,
};
use serde::{Deserialize, Deserializer, de::Error as _};
use serde_json::json;
use utoipa::ToSchema;

use super::StaticExportJob;
use crate::{
    Allowed, Caller, OperationError, Operations,
    audit::Change,
    callers::no_domain,
    can,
    fields::{Label, Name, Text, field},
    idempotency::Idempotency,
    trace::concerns,
};

/// A static export to start.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StartExport {
    /// Domain as a bare hostname. It must belong to one of your projects.
    #[serde(deserialize_with = "bare_host_name")]
    #[schema(
        value_type = String,
        max_length = 253,
        pattern = r"^([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)*([A-Za-z]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?|(?![0-9]+\.*$|0[xX])[0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)\.*$",
        example = "docs.example.com"
    )]
    pub domain: DomainName,
    /// Base path of the site, such as `/docs`, if the hostname has several sites.
    #[schema(
        value_type = Option<String>,
        min_length = 1,
        max_length = 200,
        pattern = r"^/([A-Za-z0-9._~-]+/?)*$",
        example = "/docs"
    )]
    pub base_path: Option<BasePath>,
    /// One-line label for the export, saved in its manifest. An export with a label has a bundle of
    /// its own, and doesn't change what the domain serves.
    #[schema(
        value_type = Option<String>,
        min_length = 1,
        max_length = 200,
        pattern = r"^[^\s\x00-\x1f\x7f-\x9f]([^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f])?$",
        example = "2026.11"
    )]
    pub version: Option<Label<200>>,
    /// Paths of the only pages to export. The export doesn't change what the domain serves.
    #[schema(value_type = Option<Vec<PagePath>>, min_items = 1, example = json!(["quickstart"]))]
    pub paths: Option<Paths>,
    /// ID or name of the deployment to export for. If omitted, the bundle has the features that a
    /// client-hosted deployment has by default.
    #[schema(
        value_type = Option<String>,
        min_length = 1,
        max_length = 200,
        pattern = r"^[^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f][^\x00-\x1f\x7f-\x9f]*$",
        example = "customer-portal"
    )]
    pub deployment: Option<Name>,
}

/// Pages, at least one.
#[derive(Debug, Deserialize)]
#[serde(try_from = "Vec<PagePath>")]
pub struct Paths(Vec<String>);

/// Path of a page, relative to the root of the site.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(
    value_type = String,
    min_length = 1,
    max_length = 2000,
    pattern = r"^[^\x00]*[^\s\x00-\x1f\x7f-\x9f][^\x00]*$",
    example = "quickstart"
)]
pub struct PagePath(Text<2000>);

impl StartExport {
    /// Reads the host of a domain.
    pub fn host(text: &str) -> Result<DomainName, OperationError> {
        let read = DomainName::parse(text);
        read.map_err(|error| OperationError::Invalid(format!("`domain` {error}.")))
    }
}

impl Paths {
    /// Reads the paths of pages.
    pub fn parse(paths: Vec<String>) -> Result<Self, OperationError> {
        let paths: Vec<PagePath> = paths
            .into_iter()
            .enumerate()
            .map(|(index, path)| field(&format!("paths[{index}]"), path).map(PagePath))
            .collect::<Result<_, _>>()?;
        Self::try_from(paths).map_err(|what| OperationError::Invalid(format!("`paths` {what}.")))
    }
}

impl TryFrom<Vec<PagePath>> for Paths {
    type Error = &'static str;

    fn try_from(paths: Vec<PagePath>) -> Result<Self, &'static str> {
        if paths.is_empty() {
            return Err("must be an array of at least one page");
        }
        Ok(Self(paths.into_iter().map(|PagePath(path)| path.into()).collect()))
    }
}

/// The base path of a site.
#[derive(Debug, Deserialize)]
#[serde(try_from = "String")]
pub struct BasePath(String);

impl TryFrom<String> for BasePath {
    type Error = String;

    fn try_from(path: String) -> Result<Self, String> {
        let host = DomainName::parse("localhost").map_err(|error| error.to_string())?;
        let address = DomainAddress::new(host, &path).map_err(|error| error.to_string())?;
        Ok(Self(address.base().to_owned()))
    }
}

fn bare_host_name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<DomainName, D::Error> {
    DomainName::parse(&String::deserialize(deserializer)?).map_err(D::Error::custom)
}

/// Starts the export of the site of a domain.
pub async fn start(
    operations: &Operations,
    caller: &Allowed<can::StartStaticExport>,
    input: StartExport,
    idempotency: Idempotency,
) -> Result<StaticExportJob, OperationError> {
    caller.require_static_export(operations).await?;
    let StartExport { domain, base_path, version, paths, deployment } = input;
    let paths = paths.map(|Paths(paths)| paths);
    let domain = named_domain(operations, caller, domain, base_path).await?;
    let project = caller.project_of_domain(operations, &domain).await?;
    let target = target(operations, &project.id, deployment.as_ref()).await?;
    operations.require_room().await?;
    let site = operations.database.site_of_domain(&domain).await?;
    let site = site.ok_or_else(|| OperationError::Internal(format!("{domain} has no site")))?;
    if let Some(paths) = &paths {
        operations.page_lookup.check(&operations.repositories, (&project, &site), paths).await?;
    }
    let new = NewExport {
        organization_id: project.organization_id,
        project_id: project.id,
        site_id: site.id,
        domain: domain.to_string(),
        version: version.map(String::from),
        paths,
        target,
        idempotency: idempotency.0,
    };
    let change = Change::of("export_job.create", Some(&new.organization_id)).after(json!({
        "projectId": new.project_id,
        "domain": new.domain,
        "version": new.version,
        "paths": new.paths.as_ref().map(Vec::len),
        "deploymentId": new.target.deployment_id(),
    }));
    let database = caller.recording(operations, change);
    match database.start_export(&new, operations.now()).await? {
        Started::Conflict => Err(OperationError::Conflict(
            "This Idempotency-Key was used with a different body. Use a new key.".to_owned(),
        )),
        Started::Job(job) => {
            operations.wakes.releases.notify_one();
            concerns("job", &job.id);
            concerns("project", &job.project_id);
            concerns("release", job.release_id.as_deref().unwrap_or_default());
            Ok(StaticExportJob::from(*job))
        }
    }
}

/// What the bundle is made for: a deployment of the project, or a client-hosted one with default features.
async fn target(
    operations: &Operations,
    project_id: &str,
    deployment: Option<&Name>,
) -> Result<ExportTarget, OperationError> {
    let Some(name) = deployment else {
        let features = Features::of(DeploymentType::ClientHosted);
        return Ok(ExportTarget::Elsewhere { deployment_id: None, features, address: None });
    };
    let found = operations.database.deployment(project_id, name.as_str()).await?;
    let found = found.ok_or_else(|| {
        OperationError::Invalid(format!("`deployment`: the project has no deployment `{name}`."))
    })?;
    Ok(match found.kind {
        DeploymentType::Cloud => ExportTarget::Cloud(found.id),
        DeploymentType::ClientHosted | DeploymentType::AirGapped => ExportTarget::Elsewhere {
            deployment_id: Some(found.id),
            features: found.features,
            address: found.address,
        },
    })
}

/// The domain of the caller's organization with a host and a base path. A host with one site needs no base path;
/// if there are several, the default is the one at the root.
async fn named_domain(
    operations: &Operations,
    caller: &Caller,
    host: DomainName,
    base: Option<BasePath>,
) -> Result<DomainAddress, OperationError> {
    let mut owned = operations.database.domains_of_host(&host).await?;
    owned.retain(|domain| caller.reaches(&domain.organization_id, &domain.project_id));
    let wanted = match &base {
        Some(BasePath(base)) => format!("{host}{base}"),
        None if owned.len() == 1 => owned[0].name.clone(),
        None => host.to_string(),
    };
    if let Some(domain) = owned.iter().find(|domain| domain.name == wanted) {
        let address = DomainAddress::parse(&domain.name);
        return address
            .map_err(|error| OperationError::Internal(format!("{}: {error}", domain.name)));
    }
    if owned.is_empty() || base.is_some() {
        return Err(no_domain(&wanted));
    }
    let names: Vec<_> = owned.iter().map(|domain| domain.name.as_str()).collect();
    Err(OperationError::Invalid(format!(
        "{host} has several sites ({}). Choose one with `basePath`.",
        names.join(", ")
    )))
}
