//! The next step of a project on its overview: one at a time, with the page where people do it.

use axum::{extract::State, response::Response};
use docwright_operations::{
    can,
    next_step::{self, NextStep},
    overview::Overview,
};
use docwright_types::account::Role;
use maud::{Markup, html};
use serde::Deserialize;

use super::personal_tokens;
use crate::{
    Dashboard,
    forms::Form,
    parts::{Action, copied_lines},
    paths::encoded,
    project_context::ProjectContext,
    refusal::Refusal,
    words::{self, Done},
};

#[derive(Deserialize)]
pub(super) struct DismissForm {
    step: String,
}

/// Dismisses a step that the project can do without.
pub(super) async fn dismiss(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Form(form): Form<DismissForm>,
) -> Result<Response, Refusal> {
    let caller = place.of.caller.allowed()?;
    next_step::dismiss(&dashboard.operations, &caller, &place.project.id, &form.step).await?;
    Ok(place.of.person.browser.done(Done::StepDismissed, &place.path("")))
}

/// The next step, if there is one.
pub(super) fn show(place: &ProjectContext, shown: &Overview) -> Markup {
    let Some(step) = &shown.next_step else { return Markup::default() };
    let (title, why) = words::next_step(step);
    html! {
        section.next aria-labelledby="next" {
            h2 #next { (words::NEXT) }
            p { strong { (title) } }
            @match step {
                NextStep::Push => (push(shown)),
                _ => p { (why) },
            }
            div.actions {
                (way(place, step))
                @if let Some(name) = step.dismissible().filter(|_| place.of.caller.can::<can::DismissStep>()) {
                    (Action::new(&place.path("next-step/dismiss"), words::DISMISS).with(&[("step", name)]).show())
                }
            }
        }
    }
}

/// How the first commit gets into the repository.
fn push(shown: &Overview) -> Markup {
    html! {
        @match &shown.project.clone_url {
            Some(url) => {
                p { (words::NEXT_PUSH_BUILT_IN) }
                (copied_lines(&format!(
                    "git init -b main\ngit add --all\ngit commit -m 'Begin'\ngit push {url} HEAD:main\n"
                )))
            },
            None => p { (words::NEXT_PUSH_WHY) },
        }
    }
}

/// The page where people do a step; else who can.
fn way(place: &ProjectContext, step: &NextStep) -> Markup {
    let here = |path: &str| place.path(path);
    let caller = &place.of.caller;
    let organization = &place.of.organization.id;
    let (path, label, is_allowed, role) = match step {
        NextStep::Push if place.of.can(Role::Editor) => {
            let tokens = personal_tokens::path_for(&place.of);
            (tokens, words::CREATE_A_PERSONAL_TOKEN, true, Role::Editor)
        }
        NextStep::Push | NextStep::WaitForRelease => return Markup::default(),
        NextStep::Repair(_) => ("#problem".to_owned(), words::VIEW_PROBLEM, true, Role::Viewer),
        NextStep::AddDomain | NextStep::AddOwnDomain => {
            (here("domains"), words::ADD_DOMAIN, caller.can::<can::CreateDomain>(), Role::Admin)
        }
        NextStep::VerifyDomain(domain) => {
            let path = here(&format!("domains/{}", encoded(domain)));
            (path, words::DOMAIN_AND_RECORDS, true, Role::Viewer)
        }
        NextStep::Activate(release) => {
            let path = here(&format!("releases/{release}/activate"));
            (path, words::ACTIVATE, caller.can::<can::ActivateRelease>(), Role::Editor)
        }
        NextStep::AddWebhook => (here("settings/webhooks"), words::WEBHOOKS, true, Role::Admin),
        NextStep::InviteTeam => {
            let path = format!("/organizations/{organization}/members");
            (path, words::INVITE, true, Role::Admin)
        }
        NextStep::TurnOnAssistant => (here("deployments"), words::DEPLOYMENTS, true, Role::Admin),
        NextStep::SetModel => ("/instance".to_owned(), words::INSTANCE_HEALTH, true, Role::Admin),
    };
    html! {
        @if is_allowed { a.button.primary href=(path) { (label) } }
        @else { span.soft { (words::needs(role)) } }
    }
}

/// How to edit the pages of a built-in repository that has a commit.
pub(super) fn edit_with_git(place: &ProjectContext, shown: &Overview) -> Markup {
    let url = shown.project.clone_url.as_ref();
    html! {
        // Git refuses commits that don't contain the first one.
        @if let Some(url) = url.filter(|_| shown.has_commit && place.of.can(Role::Editor)) {
            details.more {
                summary { (words::EDIT_WITH_GIT) }
                p { (words::EDIT_WITH_GIT_WHY) }
                (copied_lines(&format!(
                    "git clone {url} docs\ncd docs\n# Edit the files.\ngit add --all\ngit commit -m 'Edit'\ngit push\n"
                )))
            }
        }
    }
}
