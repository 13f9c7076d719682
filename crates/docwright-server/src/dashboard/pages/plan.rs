//! The plan of an organisation and what it uses; for the operator also its name, its plan and its end.

use axum::{
    http::{Method, StatusCode},
    response::{IntoResponse, Redirect, Response},
};
use docwright_storage::database::USAGE_COUNTED;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::json;

use super::plans::{Limits, PLANS};
use crate::dashboard::{
    forms::Form,
    parts::{Field, Tone, problem, state},
    place::OrganizationPlace,
    refusal::Refusal,
    words,
};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Usage {
    plan: String,
    pub(super) limits: Limits,
    projects: i64,
    members: i64,
    releases: i64,
    prompts: i64,
    exports: i64,
    bundle_bytes: i64,
    repository_bytes: i64,
    clone_bytes: i64,
}

impl Usage {
    /// What an organisation uses, and what its plan lets it use.
    pub(super) async fn of(place: &OrganizationPlace) -> Result<Self, Refusal> {
        place.operations.get(&format!("/v1/organizations/{}/usage", place.organization.id)).await
    }
}

#[derive(Deserialize)]
pub(super) struct Change {
    name: String,
    plan: String,
}

#[derive(Deserialize)]
pub(super) struct Confirmed {
    name: String,
}

pub(super) async fn show(place: OrganizationPlace) -> Result<Response, Refusal> {
    answer(&place, StatusCode::OK, None).await
}

/// Changes the name and the plan: the operator's.
pub(super) async fn change(
    place: OrganizationPlace,
    Form(change): Form<Change>,
) -> Result<Response, Refusal> {
    require_operator(&place)?;
    let body = json!({ "name": change.name.trim(), "plan": change.plan });
    let path = format!("/v1/organizations/{}", place.organization.id);
    match place.operations.send(Method::PATCH, &path, Some(body)).await {
        Ok(_) => Ok(Redirect::to(&page_path(&place)).into_response()),
        Err(refusal) => {
            let sentence = refusal.into_problem()?;
            answer(&place, StatusCode::BAD_REQUEST, Some(&sentence)).await
        }
    }
}

/// Deletes the organisation, if its name was typed: the operator's.
pub(super) async fn delete(
    place: OrganizationPlace,
    Form(confirmed): Form<Confirmed>,
) -> Result<Response, Refusal> {
    require_operator(&place)?;
    if confirmed.name.trim() != place.organization.name {
        let (status, why) = (StatusCode::BAD_REQUEST, words::WRONG_NAME);
        return answer(&place, status, Some(why)).await;
    }
    let path = format!("/v1/organizations/{}", place.organization.id);
    place.operations.send(Method::DELETE, &path, None).await?;
    Ok(Redirect::to("/organizations").into_response())
}

fn require_operator(place: &OrganizationPlace) -> Result<(), Refusal> {
    if place.person.account.is_operator {
        return Ok(());
    }
    Err(Refusal::Forbidden(words::OPERATOR_ONLY.to_owned()))
}

fn page_path(place: &OrganizationPlace) -> String {
    format!("/organizations/{}/plan", place.organization.id)
}

async fn answer(
    place: &OrganizationPlace,
    status: StatusCode,
    sentence: Option<&str>,
) -> Result<Response, Refusal> {
    let usage = Usage::of(place).await?;
    let is_operator = place.person.account.is_operator;
    let body = html! {
        h1 { (words::PLAN_AND_USAGE) }
        (problem(sentence))
        dl.facts { dt { (words::PLAN) } dd { strong { (words::plan(&usage.plan)) } } }
        (included(&usage))
        h2 { (words::THIS_MONTH) }
        dl.facts.numbers {
            @for (what, count) in [(words::RELEASES_ASKED, usage.releases), (words::PROMPTS_SENT, usage.prompts), (words::EXPORTS_STARTED, usage.exports)] {
                dt { (what) } dd.number { (words::grouped(count)) @if count >= USAGE_COUNTED { "+" } }
            }
        }
        (storage(&usage))
        @if is_operator { (operators(place, &usage.plan)) } @else { p.soft { (words::PLAN_WHO) } }
    };
    Ok(place.page_with(status, "plan", words::PLAN_AND_USAGE, &body))
}

/// The storage that the organization uses, and its limit.
fn storage(usage: &Usage) -> Markup {
    let Usage { bundle_bytes, repository_bytes, clone_bytes, .. } = *usage;
    let used = bundle_bytes + repository_bytes + clone_bytes;
    let limit = usage.limits.storage_bytes;
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
                (counted(words::PROJECTS, usage.projects, limits.projects))
                (counted(words::MEMBERS, usage.members, limits.members))
                tr {
                    th scope="row" { (words::PROMPTS_AN_HOUR) } td {}
                    td.number { (words::grouped(limits.prompts_an_hour)) } td {}
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

fn operators(place: &OrganizationPlace, plan: &str) -> Markup {
    let (path, name) = (page_path(place), place.organization.name.as_str());
    html! {
        h2 { (words::FOR_OPERATOR) }
        form.wide method="post" action=(path) {
            (Field::text("name", words::NAME, name).show())
            (choice(plan))
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

/// The field of a plan.
pub(super) fn choice(chosen: &str) -> Markup {
    html! {
        div.field {
            label for="plan" { (words::PLAN) }
            select id="plan" name="plan" {
                @for plan in PLANS { option value=(plan) selected[plan == chosen] { (words::plan(plan)) } }
            }
        }
    }
}
