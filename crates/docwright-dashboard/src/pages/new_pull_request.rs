//! Opens a pull request for a branch on the built-in git host. Git shows the address of this page after a push.

use axum::{
    extract::{Query, State},
    http::StatusCode,
    response::Response,
};
use docwright_operations::{
    OperationError,
    fields::field,
    pull_requests::{self, BranchChoices, CreatePullRequest},
};
use maud::{Markup, html};
use serde::Deserialize;

use crate::{
    Dashboard,
    forms::Form,
    parts::{Field, FormError, NamedField, lines},
    project_context::ProjectContext,
    refusal::Refusal,
    words::{self, Done},
};

/// The fields of the form, as errors of the operation name them.
const FIELDS: [NamedField; 4] = [
    ("head", "head", words::BRANCH),
    ("base", "base", words::TARGET_BRANCH),
    ("title", "title", words::PULL_REQUEST_TITLE),
    ("body", "body", words::DESCRIPTION),
];

#[derive(Deserialize)]
pub(super) struct Chosen {
    #[serde(default)]
    branch: String,
}

#[derive(Default, Deserialize)]
pub(super) struct NewPullRequest {
    head: String,
    #[serde(default)]
    base: String,
    title: String,
    #[serde(default)]
    body: String,
}

impl NewPullRequest {
    fn input(&self) -> Result<CreatePullRequest, OperationError> {
        let given = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        Ok(CreatePullRequest {
            head: field("head", self.head.trim())?,
            base: given(&self.base).map(|base| field("base", base)).transpose()?,
            title: field("title", self.title.trim())?,
            body: given(&self.body).map(|body| field("body", body)).transpose()?,
        })
    }
}

pub(super) async fn show(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Query(chosen): Query<Chosen>,
) -> Result<Response, Refusal> {
    let head = chosen.branch;
    let choices = choices(&dashboard, &place, &head).await?;
    let title = choices.subject.clone().unwrap_or_default();
    let base = choices.default.clone();
    let given = NewPullRequest { head, base, title, ..NewPullRequest::default() };
    Ok(page(&place, &choices, &given, None))
}

pub(super) async fn create(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Form(given): Form<NewPullRequest>,
) -> Result<Response, Refusal> {
    let (operations, project) = (&dashboard.operations, &place.project.id);
    let caller = place.of.caller.allowed()?;
    let opened = match given.input() {
        Ok(input) => pull_requests::create(operations, &caller, project, input).await,
        Err(error) => Err(error),
    };
    match opened.map_err(Refusal::from) {
        Ok(opened) => {
            let path = place.path(&format!("pull-requests/{}", opened.number));
            Ok(place.of.person.browser.done(Done::PullRequestOpened, &path))
        }
        Err(refusal) => {
            let sentence = refusal.into_problem()?;
            let choices = choices(&dashboard, &place, &given.head).await?;
            Ok(page(&place, &choices, &given, Some(&sentence)))
        }
    }
}

async fn choices(
    dashboard: &Dashboard,
    place: &ProjectContext,
    head: &str,
) -> Result<BranchChoices, Refusal> {
    let (operations, caller) = (&dashboard.operations, place.of.caller.allowed()?);
    let head = Some(head).filter(|head| !head.is_empty());
    Ok(pull_requests::branch_choices(operations, &caller, &place.project.id, head).await?)
}

fn page(
    place: &ProjectContext,
    choices: &BranchChoices,
    given: &NewPullRequest,
    sentence: Option<&str>,
) -> Response {
    let list = place.path("pull-requests");
    let error = FormError::of(sentence, &FIELDS);
    let body = html! {
        p.above { a href=(list) { (words::PULL_REQUESTS) } }
        h1 { (words::NEW_PULL_REQUEST) }
        (error.show())
        @if choices.others.is_empty() {
            p.notice { (words::NO_OTHER_BRANCH) }
        }
        form.wide method="post" action=(list) {
            (Field::text("head", words::BRANCH, &given.head).hint(words::HEAD_HINT).suggested("branches").checked(&error).show())
            (suggestions(choices))
            (Field::text("base", words::TARGET_BRANCH, &given.base).checked(&error).show())
            (Field::text("title", words::PULL_REQUEST_TITLE, &given.title).checked(&error).show())
            (lines(("body", words::DESCRIPTION), &given.body, Some(words::DESCRIPTION_HINT), &error))
            button.primary type="submit" { (words::OPEN_PULL_REQUEST_NOW) }
        }
    };
    let status = if sentence.is_some() { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    place.page_with(status, "pull-requests", words::NEW_PULL_REQUEST, &body)
}

fn suggestions(choices: &BranchChoices) -> Markup {
    html! {
        datalist id="branches" { @for name in &choices.others { option value=(name) {} } }
    }
}
