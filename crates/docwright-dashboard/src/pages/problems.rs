//! What is wrong with a project, each problem with the way to fix it.

use axum::{extract::State, response::Response};
use docwright_operations::{
    can,
    problems::{self, Problem},
};
use docwright_types::{account::Role, problem::ProblemKind, timestamp::Timestamp};
use maud::{Markup, html};

use crate::{
    Dashboard,
    parts::{Action, at},
    paths::encoded,
    project_context::ProjectContext,
    refusal::Refusal,
    words::{self, Done},
};

/// The problems of a project, most important first. Those of a project that never published are what is left to do.
pub(super) fn list(
    place: &ProjectContext,
    now: Timestamp,
    problems: &[Problem],
    has_release: bool,
) -> Markup {
    html! {
        @for (index, problem) in problems.iter().enumerate() {
            @let is_urgent = has_release || problem.kind != ProblemKind::Branch;
            div.problem[is_urgent].notice[!is_urgent] id=[(index == 0).then_some("problem")] role=[is_urgent.then_some("alert")] {
                p { strong { (words::problem(problem.kind)) } " " (problem.message) "." }
                @if problem.kind == ProblemKind::Release { p { (words::FAILED_NEXT) } }
                (progress(now, problem))
                (ways_out(place, problem))
            }
        }
    }
}

/// Since when the problem exists, and what docwright does about it.
fn progress(now: Timestamp, problem: &Problem) -> Markup {
    let Problem { since, attempts, next_attempt_at, .. } = problem;
    html! {
        @if since.is_some() || next_attempt_at.is_some() {
            p.soft {
                @if since.is_some() { (words::PROBLEM_SINCE) " " (at(now, since.as_deref())) }
                @if let Some(attempts) = attempts { " · " (words::failed_attempts(*attempts)) }
                @if next_attempt_at.is_some() { " · " (words::NEXT_ATTEMPT) " " (at(now, next_attempt_at.as_deref())) }
            }
        }
    }
}

/// The page where people fix the problem, and a button that tries again.
fn ways_out(place: &ProjectContext, problem: &Problem) -> Markup {
    let links = links(place, problem);
    html! {
        div.actions {
            @for (path, label) in &links { a.button href=(path) { (label) } }
            @if links.is_empty() { span.soft { (who_fixes(problem.kind)) } }
            @if let Some((path, label)) = again(place, problem.kind) {
                (Action::new(&place.path(path), label).show())
            }
        }
    }
}

/// Pages where the caller can fix the problem.
fn links(place: &ProjectContext, problem: &Problem) -> Vec<(String, &'static str)> {
    let subject = problem.subject.as_deref().unwrap_or_default();
    let caller = &place.of.caller;
    let here = |path: &str, label| Some((place.path(path), label));
    let settings = || {
        here("settings", words::ADDRESS_AND_FOLDER).filter(|_| caller.can::<can::UpdateProject>())
    };
    let release = || here(&format!("releases/{subject}"), words::THAT_RELEASE);
    let health = || {
        caller.can::<can::GetInstance>().then(|| ("/instance".to_owned(), words::INSTANCE_HEALTH))
    };
    let links = match problem.kind {
        ProblemKind::Repository => [settings(), None],
        ProblemKind::Credentials => {
            let credentials = here("settings/credentials", words::CREDENTIALS);
            [credentials.filter(|_| caller.can::<can::SetCredential>()), settings()]
        }
        ProblemKind::Branch => {
            let domains = here("domains", words::BRANCHES_OF_DOMAINS);
            [domains.filter(|_| caller.can::<can::UpdateDomain>()), None]
        }
        ProblemKind::Release => [release(), settings()],
        ProblemKind::CommitStatus => [release(), None],
        ProblemKind::Dns | ProblemKind::Certificate => {
            [here(&format!("domains/{}", encoded(subject)), words::DOMAIN_AND_RECORDS), None]
        }
        ProblemKind::Notification => {
            [here(&format!("settings/notifications/{subject}"), words::NOTIFICATIONS), None]
        }
        ProblemKind::Model => {
            let model = here("settings", words::MODEL_OF_PROJECT);
            [model.filter(|_| caller.can::<can::UpdateProject>()), health()]
        }
        ProblemKind::Storage => [health(), None],
    };
    links.into_iter().flatten().collect()
}

/// Who can fix a problem that the caller can't.
fn who_fixes(kind: ProblemKind) -> String {
    match kind {
        ProblemKind::Storage => words::OPERATOR_FIXES.to_owned(),
        _ => words::needs(Role::Admin),
    }
}

/// The form that tries again, and its button.
fn again(place: &ProjectContext, kind: ProblemKind) -> Option<(&'static str, &'static str)> {
    let caller = &place.of.caller;
    match kind {
        ProblemKind::Repository | ProblemKind::Credentials | ProblemKind::Branch => {
            caller.can::<can::PollProject>().then_some(("poll", words::TRY_NOW))
        }
        ProblemKind::Release => {
            caller.can::<can::StartUpdate>().then_some(("releases/build", words::BUILD_AGAIN))
        }
        ProblemKind::Model | ProblemKind::Storage => {
            caller.can::<can::TestDependencies>().then_some(("problems/test", words::TRY_NOW))
        }
        _ => None,
    }
}

/// Tests models and the object storage now.
pub(super) async fn test(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
) -> Result<Response, Refusal> {
    let caller = place.of.caller.allowed()?;
    problems::test(&dashboard.operations, &caller, &place.project.id).await?;
    Ok(place.of.person.browser.done(Done::DependenciesTested, &place.path("")))
}
