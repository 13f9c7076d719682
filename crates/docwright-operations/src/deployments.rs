//! Deployments: where the site of a project is served, and which features it has there.

mod change;
mod table;

use docwright_storage::database::{self, DeploymentChange as Row, NewDeployment};
use docwright_types::{
    deployment::{DeploymentType, Features, SettingError, check_address},
    export_job::ExportJob,
    timestamp::iso,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

use crate::{
    Allowed, Caller, OperationError, Operations,
    audit::Change,
    can,
    error::taken,
    fields::{Name, Text, require_current},
};

pub use change::{CreateDeployment, FeaturesChange, UpdateDeployment};
pub use table::{FeatureCell, FeatureRow};

/// A deployment: a place where the site of a project is served, and its features there.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Deployment {
    /// ID of the deployment.
    #[schema(example = "dpl_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    pub id: String,
    /// ID of the project.
    #[schema(example = "prj_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    pub project_id: String,
    /// Name of the deployment, unique in the project.
    #[schema(example = "customer-portal")]
    pub name: String,
    /// Type of the deployment. It never changes.
    #[serde(rename = "type")]
    pub kind: DeploymentType,
    /// URL of the site in the deployment, for canonical links, the sitemap, and `llms.txt`; null for the URL of the
    /// domain.
    #[schema(format = "uri", example = "https://docs.customer.example")]
    pub address: Option<String>,
    /// Features of the site. What is off leaves neither code nor addresses in its files.
    pub features: Features,
    /// The export that the server of the deployment last reported to serve; null if it reported none.
    pub report: Option<DeploymentReport>,
    /// Time when the deployment was created.
    #[schema(format = DateTime)]
    pub created_at: String,
    /// Revision of the object, which each update increments. An update can name it.
    #[schema(minimum = 1, example = 1)]
    pub revision: i64,
}

/// The export that the server of a deployment reported to serve.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeploymentReport {
    /// ID of the export. The export can be deleted by now.
    #[schema(example = "exp_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    pub job_id: String,
    /// Label of the export, if it has one.
    #[schema(example = "2026-11-01")]
    pub version: Option<String>,
    /// Time of the report.
    #[schema(format = DateTime)]
    pub reported_at: String,
}

/// An export that the server of a deployment serves.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct ReportDeployment {
    /// ID of the export.
    #[schema(value_type = String, min_length = 1, max_length = 200, pattern = r"^[^\x00]*[^\s\x00-\x1f\x7f-\x9f][^\x00]*$", example = "exp_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    pub job_id: Text<200>,
}

/// The deployments of a project, oldest first, and what each type can have. There are at most 50.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct DeploymentList {
    /// The deployments.
    pub deployments: Vec<Deployment>,
    /// The table of features by type of deployment.
    pub table: Vec<FeatureRow>,
}

/// Lists the deployments of a project, and what each type can have.
pub async fn list(
    operations: &Operations,
    caller: &Allowed<can::ListDeployments>,
    project_id: &str,
) -> Result<DeploymentList, OperationError> {
    let project = caller.project(operations, project_id).await?;
    let found = operations.database.deployments(&project.id).await?;
    let deployments = found.into_iter().map(Deployment::from).collect();
    Ok(DeploymentList { deployments, table: FeatureRow::all() })
}

/// Creates a deployment of a project.
pub async fn create(
    operations: &Operations,
    caller: &Allowed<can::CreateDeployment>,
    project_id: &str,
    input: CreateDeployment,
) -> Result<Deployment, OperationError> {
    let project = caller.project(operations, project_id).await?;
    let CreateDeployment { name, kind, address, features } = input;
    if kind == DeploymentType::Cloud {
        return Err(OperationError::Invalid(
            "`type` can't be `cloud`: the project has its cloud deployment already. Use client-hosted or air-gapped."
                .to_owned(),
        ));
    }
    let features = features.unwrap_or_default().applied_to(Features::of(kind));
    features.check(kind).map_err(invalid)?;
    require_address(kind, address.as_deref())?;
    let new = NewDeployment {
        project_id: &project.id,
        name: name.as_str(),
        kind,
        features: &features,
        address: address.as_deref(),
    };
    let entry = Change::of("deployment.create", Some(&project.organization_id)).after(json!({
        "projectId": project.id, "name": new.name, "type": kind, "address": address, "features": features,
    }));
    let database = caller.recording(operations, entry);
    Ok(database.create_deployment(new, operations.now()).await.map_err(taken)?.into())
}

/// Returns a deployment of a project, by its ID or name.
pub async fn get(
    operations: &Operations,
    caller: &Allowed<can::GetDeployment>,
    project_id: &str,
    id: &str,
) -> Result<Deployment, OperationError> {
    Ok(find(operations, caller, project_id, id).await?.1.into())
}

/// Changes a deployment. New features of the cloud deployment start a release of each domain.
pub async fn update(
    operations: &Operations,
    caller: &Allowed<can::UpdateDeployment>,
    project_id: &str,
    id: &str,
    input: UpdateDeployment,
) -> Result<Deployment, OperationError> {
    let (organization, before) = find(operations, caller, project_id, id).await?;
    let UpdateDeployment { name, address, features, revision } = input;
    let revision = require_current("deployment", before.revision, revision)?;
    let features = features.map(|change| change.applied_to(before.features.clone()));
    if let Some(features) = &features {
        features.check(before.kind).map_err(invalid)?;
    }
    require_address(before.kind, address.as_deref().filter(|address| !address.is_empty()))?;
    let change = Row {
        name: name.as_ref().map(Name::as_str),
        features: features.as_ref().filter(|features| **features != before.features),
        address: address.as_deref(),
        revision,
    };
    let after = database::Deployment {
        name: change.name.unwrap_or(&before.name).to_owned(),
        features: change.features.unwrap_or(&before.features).clone(),
        address: match change.address {
            Some(address) => Some(address.to_owned()).filter(|address| !address.is_empty()),
            None => before.address.clone(),
        },
        ..before.clone()
    };
    let entry = Change::of("deployment.update", Some(&organization));
    let database = caller.recording(operations, entry.before(state(&before)).after(state(&after)));
    let updated = database.update_deployment(&before, change, operations.now()).await;
    if !updated.map_err(taken)? {
        return Err(missing(id));
    }
    operations.wakes.releases.notify_one();
    Ok(find(operations, caller, project_id, &before.id).await?.1.into())
}

/// Records that the server of a deployment serves an export for it. Servers that poll the service report each one.
pub async fn report(
    operations: &Operations,
    caller: &Allowed<can::ReportDeployment>,
    project_id: &str,
    id: &str,
    input: ReportDeployment,
) -> Result<Deployment, OperationError> {
    let (organization, deployment) = find(operations, caller, project_id, id).await?;
    let job_id = String::from(input.job_id);
    let job = operations.database.export_job(&job_id).await?;
    let is_of_deployment = |job: &ExportJob| job.deployment_id.as_ref() == Some(&deployment.id);
    let Some(job) = job.filter(is_of_deployment) else {
        let sentence = format!("`jobId`: {job_id} isn't an export for the deployment.");
        return Err(OperationError::Invalid(sentence));
    };
    let report = database::DeploymentReport { job_id, version: job.version, at: operations.now() };
    let entry = Change::of("deployment.report", Some(&organization))
        .after(json!({ "jobId": report.job_id, "version": report.version }));
    let database = caller.recording(operations, entry);
    if !database.report_deployment(&deployment.id, &report).await? {
        return Err(missing(id));
    }
    Ok(database::Deployment { report: Some(report), ..deployment }.into())
}

/// Deletes a deployment. Its exports stay until retention removes them.
pub async fn delete(
    operations: &Operations,
    caller: &Allowed<can::DeleteDeployment>,
    project_id: &str,
    id: &str,
) -> Result<(), OperationError> {
    let (organization, deployment) = find(operations, caller, project_id, id).await?;
    if deployment.kind == DeploymentType::Cloud {
        return Err(OperationError::Conflict(
            "The cloud deployment can't be deleted: it has all domains of the project.".to_owned(),
        ));
    }
    let entry = Change::of("deployment.delete", Some(&organization)).before(state(&deployment));
    let database = caller.recording(operations, entry);
    if database.delete_deployment(&deployment.id).await? { Ok(()) } else { Err(missing(id)) }
}

/// A deployment of a project that the caller can access, and its organization.
async fn find(
    operations: &Operations,
    caller: &Caller,
    project_id: &str,
    id: &str,
) -> Result<(String, database::Deployment), OperationError> {
    let project = caller.project(operations, project_id).await?;
    let found = operations.database.deployment(&project.id, id).await?;
    Ok((project.organization_id, found.ok_or_else(|| missing(id))?))
}

/// A deployment for the audit log.
fn state(deployment: &database::Deployment) -> Value {
    json!({
        "projectId": deployment.project_id,
        "name": deployment.name,
        "type": deployment.kind,
        "address": deployment.address,
        "features": deployment.features,
    })
}

fn require_address(kind: DeploymentType, address: Option<&str>) -> Result<(), OperationError> {
    let Some(address) = address else { return Ok(()) };
    if kind == DeploymentType::Cloud {
        return Err(OperationError::Invalid(
            "`address` can't be set in the cloud deployment, which has the addresses of the project's domains."
                .to_owned(),
        ));
    }
    check_address("address", address).map_err(invalid)
}

fn invalid(error: SettingError) -> OperationError {
    OperationError::Invalid(format!("{error}."))
}

fn missing(id: &str) -> OperationError {
    OperationError::NotFound(format!("Deployment {id} not found."))
}

impl From<database::Deployment> for Deployment {
    fn from(row: database::Deployment) -> Self {
        Self {
            id: row.id,
            project_id: row.project_id,
            name: row.name,
            kind: row.kind,
            address: row.address,
            features: row.features,
            report: row.report.map(DeploymentReport::from),
            created_at: iso(row.created_at),
            revision: row.revision,
        }
    }
}

impl From<database::DeploymentReport> for DeploymentReport {
    fn from(report: database::DeploymentReport) -> Self {
        let database::DeploymentReport { job_id, version, at } = report;
        Self { job_id, version, reported_at: iso(at) }
    }
}
