//! A deployment: its settings, and its deletion.

use axum::{
    extract::{Path, State},
    http::StatusCode,
    response::Response,
};
use docwright_operations::{
    can,
    deployments::{self, Deployment, DeploymentReport},
};
use docwright_types::{account::Role, deployment::DeploymentType, timestamp::Timestamp};
use maud::{Markup, html};

use super::{
    form::{FIELDS, Settings},
    names_of, path,
};
use crate::{
    Dashboard,
    forms::{Form, FormProblem, is_stale},
    parts::{self, Action, FormError, at, stored},
    project_context::ProjectContext,
    refusal::Refusal,
    words::{self, Done},
};

pub(in crate::pages) async fn show(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Path((_, id)): Path<(String, String)>,
) -> Result<Response, Refusal> {
    let deployment = find(&dashboard, &place, &id).await?;
    Ok(page(&dashboard, &place, (&deployment, &Settings::of(&deployment)), None))
}

/// Changes the settings.
pub(in crate::pages) async fn update(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Path((_, id)): Path<(String, String)>,
    Form(mut settings): Form<Settings>,
) -> Result<Response, Refusal> {
    let deployment = find(&dashboard, &place, &id).await?;
    let (operations, project) = (&dashboard.operations, &place.project.id);
    let caller = place.of.caller.allowed()?;
    let updated = match settings.input() {
        Ok(input) => deployments::update(operations, &caller, project, &deployment.id, input).await,
        Err(error) => Err(error),
    };
    match updated.map_err(Refusal::from) {
        Ok(updated) => Ok(place.of.person.browser.done(Done::Saved, &path(&place, &updated))),
        Err(refusal) => {
            let current = find(&dashboard, &place, &deployment.id).await?;
            let is_stale = is_stale(&refusal, settings.revision.as_deref(), current.revision);
            if is_stale {
                settings.revision = Some(current.revision.to_string());
            }
            let problem = FormProblem { sentence: refusal.into_problem()?, is_stale };
            Ok(page(&dashboard, &place, (&current, &settings), Some(&problem)))
        }
    }
}

pub(in crate::pages) async fn delete(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Path((_, id)): Path<(String, String)>,
) -> Result<Response, Refusal> {
    let caller = place.of.caller.allowed()?;
    deployments::delete(&dashboard.operations, &caller, &place.project.id, &id).await?;
    Ok(place.of.person.browser.done(Done::DeploymentDeleted, &place.path("deployments")))
}

async fn find(
    dashboard: &Dashboard,
    place: &ProjectContext,
    id: &str,
) -> Result<Deployment, Refusal> {
    let caller = place.of.caller.allowed()?;
    Ok(deployments::get(&dashboard.operations, &caller, &place.project.id, id).await?)
}

fn page(
    dashboard: &Dashboard,
    place: &ProjectContext,
    (deployment, settings): (&Deployment, &Settings),
    problem: Option<&FormProblem>,
) -> Response {
    let here = path(place, deployment);
    let is_cloud = deployment.kind == DeploymentType::Cloud;
    let sentence = problem.map(|problem| problem.sentence.as_str());
    let error = FormError::of(sentence, &FIELDS);
    let body = html! {
        p.above { a href=(place.path("deployments")) { (words::DEPLOYMENTS) } }
        h1 { (deployment.name) }
        (error.show())
        @if problem.is_some_and(|problem| problem.is_stale) { (stored(&facts(deployment))) }
        @if place.of.caller.can::<can::UpdateDeployment>() {
            p { (words::deployment_type(deployment.kind)) }
            form.wide method="post" action=(here) {
                (parts::revision(settings.revision.as_deref()))
                (settings.show(deployment.kind, &error))
                p.hint { (if is_cloud { words::CLOUD_FEATURES_WHY } else { words::EXPORTED_FEATURES_WHY }) }
                button.primary type="submit" { (words::SAVE) }
            }
        } @else {
            (facts(deployment))
            p.soft.below { (words::needs(Role::Admin)) }
        }
        @if !is_cloud {
            h2 { (words::SERVED_EXPORT) }
            (report(place, deployment, dashboard.operations.now()))
        }
        @if !is_cloud && place.of.caller.can::<can::DeleteDeployment>() {
            h2 { (words::DELETE_DEPLOYMENT) }
            (Action::new(&format!("{here}/delete"), words::DELETE_DEPLOYMENT).dangerous(words::DELETE_DEPLOYMENT_QUESTION).show())
        }
    };
    let status = if problem.is_some() { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    place.page_with(status, "deployments", &deployment.name, &body)
}

/// What the server of the deployment serves, if it says so.
fn report(place: &ProjectContext, deployment: &Deployment, now: Timestamp) -> Markup {
    let Some(DeploymentReport { job_id, version, reported_at }) = &deployment.report else {
        return html! { p.soft { (words::NOTHING_REPORTED) } };
    };
    html! {
        dl.facts {
            dt { (words::REPORTED_EXPORT) }
            dd { a href=(place.path(&format!("exports/{job_id}"))) { (version.as_deref().unwrap_or(job_id)) } }
            dt { (words::REPORTED_AT) } dd { (at(now, Some(reported_at))) }
        }
    }
}

fn facts(deployment: &Deployment) -> Markup {
    html! {
        dl.facts {
            dt { (words::TYPE) } dd { (words::deployment_type(deployment.kind)) }
            @if let Some(address) = &deployment.address { dt { (words::SITE_ADDRESS) } dd { (address) } }
            dt { (words::FEATURES) } dd { (names_of(&deployment.features)) }
        }
    }
}
