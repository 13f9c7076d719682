//! What is wrong with a project, each problem with the way to fix it.

use docwright_operations::{can, problems::Problem};
use docwright_types::{account::Role, problem::ProblemKind, timestamp::Timestamp};
use maud::{Markup, html};

use crate::{
    parts::{Action, at},
    paths::encoded,
    project_context::ProjectContext,
    words,
};

/// The problems of a project, most important first. Those of a project that never published are what is left to do.
pub(super) fn list(
    place: &ProjectContext,
    now: Timestamp,
    problems: &[Problem],
    has_release: bool,
) -> Markup {
    html! {
        @for problem in problems {
            @let is_urgent = has_release || problem.kind != ProblemKind::Branch;
            div.problem[is_urgent].notice[!is_urgent] role=[is_urgent.then_some("alert")] {
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
    let subject = problem.subject.as_deref().unwrap_or_default();
    let caller = &place.of.caller;
    let settings = caller
        .can::<can::UpdateProject>()
        .then(|| ("settings".to_owned(), words::ADDRESS_AND_FOLDER));
    let release = || Some((format!("releases/{subject}"), words::THAT_RELEASE));
    let links = match problem.kind {
        ProblemKind::Repository => [settings, None],
        ProblemKind::Credentials => [
            caller
                .can::<can::SetCredential>()
                .then(|| ("settings/credentials".to_owned(), words::CREDENTIALS)),
            settings,
        ],
        ProblemKind::Branch => [
            caller
                .can::<can::UpdateDomain>()
                .then(|| ("domains".to_owned(), words::BRANCHES_OF_DOMAINS)),
            None,
        ],
        ProblemKind::Release => [release(), settings],
        ProblemKind::CommitStatus => [release(), None],
        ProblemKind::Dns | ProblemKind::Certificate => {
            [Some((format!("domains/{}", encoded(subject)), words::DOMAIN_AND_RECORDS)), None]
        }
        ProblemKind::Notification => {
            [Some((format!("settings/notifications/{subject}"), words::NOTIFICATIONS)), None]
        }
    };
    let links: Vec<_> = links.into_iter().flatten().collect();
    let again = match problem.kind {
        ProblemKind::Repository | ProblemKind::Credentials | ProblemKind::Branch => {
            caller.can::<can::PollProject>().then_some(("poll", words::TRY_NOW))
        }
        ProblemKind::Release => {
            caller.can::<can::StartUpdate>().then_some(("releases/build", words::BUILD_AGAIN))
        }
        _ => None,
    };
    html! {
        div.actions {
            @for (path, label) in &links { a.button href=(place.path(path)) { (label) } }
            @if links.is_empty() { span.soft { (words::needs(Role::Admin)) } }
            @if let Some((path, label)) = again { (Action::new(&place.path(path), label).show()) }
        }
    }
}
