//! The deployments of a project, the features of each type, and the form that creates one.

mod form;
pub(super) mod show;

use axum::{extract::State, http::StatusCode, response::Response};
use docwright_operations::{
    OperationError, can,
    deployments::{self, CreateDeployment, Deployment, FeatureCell, FeatureRow},
    error::sentence,
    fields::field,
};
use docwright_types::{
    account::Role,
    deployment::{Availability, DeploymentType, Features},
};
use maud::{Markup, html};
use serde::Deserialize;

use crate::{
    Dashboard,
    forms::Form,
    parts::{Field, Tone, problem, select, state},
    project_context::ProjectContext,
    refusal::Refusal,
    words::{self, Done},
};

#[derive(Deserialize)]
pub(super) struct NewDeployment {
    name: String,
    #[serde(rename = "type")]
    kind: String,
    address: String,
}

impl NewDeployment {
    fn input(&self) -> Result<CreateDeployment, OperationError> {
        let kind = self.kind.parse();
        Ok(CreateDeployment {
            name: field("name", self.name.as_str())?,
            kind: kind.map_err(|what| OperationError::Invalid(format!("`type`: {what}.")))?,
            address: form::filled(&self.address),
            features: None,
        })
    }
}

pub(super) async fn list(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
) -> Result<Response, Refusal> {
    page(&dashboard, &place, None).await
}

pub(super) async fn create(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Form(new): Form<NewDeployment>,
) -> Result<Response, Refusal> {
    let caller = place.of.caller.allowed()?;
    let created = match new.input() {
        Ok(input) => {
            deployments::create(&dashboard.operations, &caller, &place.project.id, input).await
        }
        Err(error) => Err(error),
    };
    match created.map_err(Refusal::from) {
        Ok(created) => {
            Ok(place.of.person.browser.done(Done::DeploymentCreated, &path(&place, &created)))
        }
        Err(refusal) => {
            let sentence = refusal.into_problem()?;
            page(&dashboard, &place, Some((&sentence, &new))).await
        }
    }
}

/// The page of a deployment.
fn path(place: &ProjectContext, deployment: &Deployment) -> String {
    place.path(&format!("deployments/{}", deployment.id))
}

async fn page(
    dashboard: &Dashboard,
    place: &ProjectContext,
    wrong: Option<(&str, &NewDeployment)>,
) -> Result<Response, Refusal> {
    let caller = place.of.caller.allowed()?;
    let list = deployments::list(&dashboard.operations, &caller, &place.project.id).await?;
    let body = html! {
        h1 { (words::DEPLOYMENTS) }
        p { (words::DEPLOYMENTS_WHY) }
        (problem(wrong.map(|(sentence, _)| sentence)))
        (table(place, &list.deployments))
        @if place.of.caller.can::<can::CreateDeployment>() {
            h2 { (words::NEW_DEPLOYMENT) }
            (create_form(place, wrong.map(|(_, given)| given)))
        } @else { p.soft.below { (words::needs(Role::Admin)) } }
        h2 { (words::FEATURES_BY_TYPE) }
        (matrix(&list.table))
    };
    let status = if wrong.is_some() { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    Ok(place.page_with(status, "deployments", words::DEPLOYMENTS, &body))
}

fn table(place: &ProjectContext, deployments: &[Deployment]) -> Markup {
    html! {
        div.scroll tabindex="0" { table {
            thead { tr {
                th { (words::DEPLOYMENT) } th { (words::TYPE) } th { (words::SITE_ADDRESS) } th { (words::FEATURES) }
            } }
            tbody {
                @for deployment in deployments {
                    tr {
                        td { a href=(path(place, deployment)) { (deployment.name) } }
                        td { (words::deployment_type(deployment.kind)) }
                        td { (address(place, deployment)) }
                        td.grow { (names_of(&deployment.features)) }
                    }
                }
            }
        } }
    }
}

fn address(place: &ProjectContext, deployment: &Deployment) -> Markup {
    html! {
        @match (&deployment.address, deployment.kind) {
            (Some(address), _) => (address),
            (None, DeploymentType::Cloud) => a href=(place.path("domains")) { (words::DOMAINS_OF_PROJECT) },
            (None, _) => span.soft { "–" },
        }
    }
}

/// The titles of the features that are on.
fn names_of(features: &Features) -> String {
    use docwright_types::deployment::FeatureName::{
        Analytics, Assistant, Integrations, Playground, Search,
    };
    let on = [
        (Search, features.search.is_on()),
        (Assistant, features.assistant.is_on()),
        (Analytics, features.analytics.is_on()),
        (Playground, features.playground.is_on()),
        (Integrations, features.integrations.is_on()),
    ];
    let titles: Vec<_> = on.iter().filter(|(_, on)| *on).map(|(name, _)| name.title()).collect();
    titles.join(", ")
}

fn create_form(place: &ProjectContext, given: Option<&NewDeployment>) -> Markup {
    let text = |of: fn(&NewDeployment) -> &str| given.map_or("", of);
    let types = [DeploymentType::ClientHosted, DeploymentType::AirGapped];
    let types = types.map(|kind| (kind.name(), words::deployment_type(kind)));
    html! {
        form.wide method="post" action=(place.path("deployments")) {
            (Field::text("name", words::NAME, text(|given| &given.name)).show())
            (select(("type", words::TYPE), &types, text(|given| &given.kind), Some(words::TYPE_HINT)))
            (Field::text("address", words::SITE_ADDRESS, text(|given| &given.address)).of("url", "off").hint(words::SITE_ADDRESS_HINT).optional().show())
            button.primary type="submit" { (words::CREATE_DEPLOYMENT) }
        }
    }
}

/// The table of features by type of deployment.
fn matrix(rows: &[FeatureRow]) -> Markup {
    html! {
        div.scroll tabindex="0" { table.features {
            thead { tr {
                th { (words::FEATURE) }
                @for kind in DeploymentType::ALL { th { (words::deployment_type(kind)) } }
            } }
            tbody {
                @for row in rows {
                    tr {
                        th scope="row" { (row.title) }
                        @for cell in &row.cells { td { (standing(cell)) } }
                    }
                }
            }
        } }
    }
}

fn standing(cell: &FeatureCell) -> Markup {
    let tone = match cell.availability {
        Availability::Available => Tone::Good,
        Availability::Configurable => Tone::Waiting,
        Availability::Unavailable => Tone::Neutral,
    };
    html! {
        (state(tone, words::availability(cell.availability)))
        @if let Some(reason) = &cell.reason { p.hint { (sentence(reason)) } }
    }
}
