//! Gaps of a project: what readers asked and the pages don't answer, each with a button that starts an agent job.

use axum::{
    extract::{Path, State},
    response::Response,
};
use docwright_operations::{
    can,
    gaps::{self, Gap, NearSection},
    questions::QuestionRange,
};
use maud::{Markup, html};

use crate::{
    Dashboard,
    pages::jobs,
    parts::{at, empty},
    paths::encoded,
    project_context::ProjectContext,
    refusal::Refusal,
    words,
};

pub(super) async fn list(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
) -> Result<Response, Refusal> {
    let caller = place.of.caller.allowed()?;
    let range = QuestionRange::default();
    let list = gaps::list(&dashboard.operations, &caller, &place.project.id, &range).await?;
    let body = html! {
        h1 { (words::GAPS) }
        @if list.gaps.is_empty() {
            (empty(words::NO_GAPS, words::NO_GAPS_WHY, &Markup::default()))
        } @else {
            p.soft { (words::GAPS_WHY) }
            ul.answers { @for gap in &list.gaps { (shown(&dashboard, &place, gap)) } }
            @if list.total > list.gaps.len() { p.soft { (words::more(list.total - list.gaps.len())) } }
        }
    };
    Ok(place.page("gaps", words::GAPS, &body))
}

/// Starts an agent job that fills a gap.
pub(super) async fn fill(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Path((_, id)): Path<(String, String)>,
) -> Result<Response, Refusal> {
    let (operations, project) = (&dashboard.operations, place.project.id.as_str());
    let caller = place.of.caller.allowed::<can::CreateAgentJob>()?;
    let gap = gaps::get(operations, &place.of.caller.allowed()?, project, &id).await?;
    jobs::start(&dashboard, &place, &caller, gap.prompt).await
}

fn shown(dashboard: &Dashboard, place: &ProjectContext, gap: &Gap) -> Markup {
    let now = dashboard.operations.now();
    html! {
        li.answer {
            p.standing {
                strong { (gap.question) } " "
                span { (words::asked(gap.count)) } " "
                (at(now, Some(&gap.last_asked_at)))
                @if gap.not_helpful > 0 { " " span.soft { (words::rated_not_helpful(gap.not_helpful)) } }
            }
            @if gap.questions.len() > 1 {
                details {
                    summary { (words::IN_OTHER_WORDS) }
                    ul { @for question in gap.questions.iter().skip(1) { li { (question) } } }
                }
            }
            @if gap.sections.is_empty() {
                p.soft { (words::NO_NEAR_SECTIONS) }
            } @else {
                p { (words::NEAREST_SECTIONS) ": "
                    @for (number, section) in gap.sections.iter().enumerate() {
                        @if number > 0 { ", " }
                        (link(dashboard, section))
                    }
                }
            }
            @if place.of.caller.can::<can::CreateAgentJob>() {
                form.inline method="post" action=(place.path(&format!("gaps/{}/fill", encoded(&gap.id)))) {
                    button type="submit" { (words::START_JOB) }
                }
            }
        }
    }
}

fn link(dashboard: &Dashboard, section: &NearSection) -> Markup {
    let NearSection { domain, path, title } = section;
    // The path starts with a slash; sites have pages with and without the extension.
    let address = dashboard.operations.site_address(&format!("{domain}{path}"));
    html! { a href=[address] { (title) } }
}
