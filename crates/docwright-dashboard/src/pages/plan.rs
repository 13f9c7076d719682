//! The plan of an organization and its usage. Operators can also change the name and the plan, and delete the
//! organization.

use axum::{extract::State, http::StatusCode, response::Response};
use docwright_operations::{
    OperationError, can,
    fields::field,
    organizations::{self, UpdateOrganization, Usage},
};
use docwright_storage::database::{Organization, USAGE_COUNTED};
use docwright_types::plan::Plan;
use maud::{Markup, html};
use serde::Deserialize;

use crate::{
    Dashboard,
    forms::{Form, is_stale, revision},
    parts::{self, Field, Tone, state, stored},
    project_context::OrganizationPlace,
    refusal::Refusal,
    words::{self, Done},
};

#[derive(Deserialize)]
pub(super) struct OrganizationForm {
    name: String,
    plan: String,
    revision: Option<String>,
}

impl OrganizationForm {
    fn input(&self) -> Result<UpdateOrganization, OperationError> {
        let plan = self.plan.parse().map_err(OperationError::Invalid)?;
        let name = field("name", self.name.trim())?;
        let revision = revision(self.revision.as_deref())?;
        Ok(UpdateOrganization { name: Some(name), plan: Some(plan), revision })
    }

    /// Stored values.
    fn of(place: &OrganizationPlace) -> Self {
        let Organization { name, plan, revision, .. } = &place.organization;
        Self {
            name: name.clone(),
            plan: plan.name().to_owned(),
            revision: Some(revision.to_string()),
        }
    }
}

/// Errors in a form.
struct FormProblem {
    sentence: String,
    /// The stored values, if someone else changed them.
    now: Option<OrganizationForm>,
}

impl FormProblem {
    const fn of(sentence: String) -> Self {
        Self { sentence, now: None }
    }
}

#[derive(Deserialize)]
pub(super) struct Confirmed {
    name: String,
}

pub(super) async fn show(
    State(dashboard): State<Dashboard>,
    place: OrganizationPlace,
) -> Result<Response, Refusal> {
    answer(&dashboard, &place, &OrganizationForm::of(&place), None).await
}

/// Changes the name and the plan, for operators.
pub(super) async fn change(
    State(dashboard): State<Dashboard>,
    place: OrganizationPlace,
    Form(mut form): Form<OrganizationForm>,
) -> Result<Response, Refusal> {
    let caller = place.caller.allowed()?;
    let id = place.organization.id.as_str();
    let updated = match form.input() {
        Ok(input) => organizations::update(&dashboard.operations, &caller, id, input).await,
        Err(error) => Err(error),
    };
    match updated.map_err(Refusal::from) {
        Ok(_) => Ok(place.person.browser.done(Done::Saved, &page_path(&place))),
        Err(refusal) => {
            let is_stale =
                is_stale(&refusal, form.revision.as_deref(), place.organization.revision);
            let mut problem = FormProblem::of(refusal.into_problem()?);
            if is_stale {
                let now = OrganizationForm::of(&place);
                form.revision.clone_from(&now.revision);
                problem.now = Some(now);
            }
            answer(&dashboard, &place, &form, Some(&problem)).await
        }
    }
}

/// Deletes the organization after its name was typed, for operators.
pub(super) async fn delete(
    State(dashboard): State<Dashboard>,
    place: OrganizationPlace,
    Form(confirmed): Form<Confirmed>,
) -> Result<Response, Refusal> {
    let caller = place.caller.allowed()?;
    if confirmed.name.trim() != place.organization.name {
        let problem = FormProblem::of(words::WRONG_NAME.to_owned());
        return answer(&dashboard, &place, &OrganizationForm::of(&place), Some(&problem)).await;
    }
    organizations::delete(&dashboard.operations, &caller, &place.organization.id).await?;
    Ok(place.person.browser.done(Done::OrganizationDeleted, "/organizations"))
}

fn page_path(place: &OrganizationPlace) -> String {
    format!("/organizations/{}/plan", place.organization.id)
}

async fn answer(
    dashboard: &Dashboard,
    place: &OrganizationPlace,
    form: &OrganizationForm,
    problem: Option<&FormProblem>,
) -> Result<Response, Refusal> {
    let caller = place.caller.allowed()?;
    let usage =
        organizations::usage(&dashboard.operations, &caller, &place.organization.id).await?;
    let body = html! {
        h1 { (words::PLAN_AND_USAGE) }
        (parts::problem(problem.map(|problem| problem.sentence.as_str())))
        @if let Some(now) = problem.and_then(|problem| problem.now.as_ref()) { (stored(&facts(now))) }
        dl.facts { dt { (words::PLAN) } dd { strong { (words::plan(usage.plan.name())) } } }
        (included(&usage))
        h2 { (words::THIS_MONTH) }
        dl.facts.numbers {
            @for (what, count) in [(words::RELEASES_ASKED, usage.releases), (words::PROMPTS_SENT, usage.prompts), (words::EXPORTS_STARTED, usage.exports)] {
                dt { (what) } dd.number { (words::grouped(count)) @if count >= USAGE_COUNTED { "+" } }
            }
        }
        (storage(&usage))
        @if place.caller.can::<can::UpdateOrganization>() { (operators(place, form)) } @else { p.soft { (words::PLAN_WHO) } }
    };
    let status = match problem {
        Some(FormProblem { now: Some(_), .. }) => StatusCode::CONFLICT,
        Some(_) => StatusCode::BAD_REQUEST,
        None => StatusCode::OK,
    };
    Ok(place.page_with(status, "plan", words::PLAN_AND_USAGE, &body))
}

/// The organization's storage usage, and its limit.
fn storage(usage: &Usage) -> Markup {
    let Usage { bundle_bytes, repository_bytes, clone_bytes, .. } = *usage;
    let used = bundle_bytes + repository_bytes + clone_bytes;
    let limit = usage.limits.storage_bytes.map(i64::from);
    let parts = [
        (words::BUNDLES, bundle_bytes),
        (words::REPOSITORIES, repository_bytes),
        (words::CLONES, clone_bytes),
    ];
    html! {
        h2 { (words::STORAGE) }
        p {
            (words::storage_used(used, limit))
            @if let Some(limit) = limit.filter(|limit| *limit > 0) {
                " " progress max=(limit) value=(used.min(limit)) aria-label=(words::STORAGE) {}
            }
        }
        @if limit.is_some_and(|limit| used >= limit) { p.problem { (words::STORAGE_FULL) } }
        dl.facts.numbers {
            @for (what, count) in parts { dt { (what) } dd.number { (words::bytes(count)) } }
        }
    }
}

fn included(usage: &Usage) -> Markup {
    let limits = &usage.limits;
    let limit = |limit: Option<i64>| match limit {
        Some(limit) => words::grouped(limit),
        None => words::NO_LIMIT.to_owned(),
    };
    let counted = |what: &str, used: i64, most: Option<i64>| {
        html! {
            tr {
                th scope="row" { (what) }
                td.number { (words::grouped(used)) }
                td.number { (limit(most)) }
                td { @if let Some(most) = most.filter(|most| *most > 0) { progress max=(most) value=(used.min(most)) aria-label=(what) {} } }
            }
        }
    };
    html! {
        div.scroll tabindex="0" { table.usage {
            thead { tr { th { (words::FEATURE) } th.number { (words::USED) } th.number { (words::INCLUDED) } td {} } }
            tbody {
                (counted(words::PROJECTS, usage.projects, limits.projects.map(i64::from)))
                (counted(words::MEMBERS, usage.members, limits.members.map(i64::from)))
                tr {
                    th scope="row" { (words::PROMPTS_AN_HOUR) } td {}
                    td.number { (words::grouped(i64::from(limits.prompts_an_hour))) } td {}
                }
                tr {
                    th scope="row" { (words::STATIC_EXPORT) } td {}
                    td.number {
                        @if limits.static_export { (state(Tone::Good, words::PLAN_INCLUDES)) }
                        @else { (state(Tone::Neutral, words::PLAN_LACKS)) }
                    }
                    td {}
                }
            }
        } }
    }
}

fn facts(form: &OrganizationForm) -> Markup {
    html! {
        dl.facts {
            dt { (words::NAME) } dd { (form.name) }
            dt { (words::PLAN) } dd { (words::plan(&form.plan)) }
        }
    }
}

fn operators(place: &OrganizationPlace, form: &OrganizationForm) -> Markup {
    let (path, name) = (page_path(place), place.organization.name.as_str());
    html! {
        h2 { (words::FOR_OPERATOR) }
        form.wide method="post" action=(path) {
            (parts::revision(form.revision.as_deref()))
            (Field::text("name", words::NAME, &form.name).show())
            (choice(&form.plan))
            button type="submit" { (words::SAVE) }
        }
        details.confirm.apart {
            summary { (words::DELETE_ORGANIZATION) }
            form.wide method="post" action=(format!("{path}/delete")) {
                p { (words::DELETE_ORGANIZATION_WHY) }
                div.field {
                    label for="confirmed" { (words::TYPE_THE_NAME) ": " strong { (name) } }
                    input id="confirmed" name="name" type="text" autocomplete="off" required;
                }
                button.danger type="submit" { (words::DELETE_ORGANIZATION) }
            }
        }
    }
}

/// The plan field.
pub(super) fn choice(chosen: &str) -> Markup {
    html! {
        div.field {
            label for="plan" { (words::PLAN) }
            select id="plan" name="plan" {
                @for plan in Plan::ALL.map(Plan::name) { option value=(plan) selected[plan == chosen] { (words::plan(plan)) } }
            }
        }
    }
}
