//! Edits the text of one page, with its preview beside it. Saving opens a pull request.
//!
//! The preview is a frame on a host of its own. Its button sends the form there, so it works without scripts.

mod form;

use axum::{
    Extension,
    extract::{Query, State},
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Redirect, Response},
};
use docwright_http::error::Cause;
use docwright_operations::{
    Allowed, OperationError,
    built_in::is_built_in,
    can,
    fields::field,
    pages::{self, DraftAccess, GetPageSource, PageSource, draft_access},
};
use maud::html;
use serde::Deserialize;

use self::form::{Given, form};
use crate::{
    Dashboard,
    forms::Form,
    paths::with_query,
    project_context::ProjectContext,
    refusal::Refusal,
    shown_once,
    words::{self, Done},
};

/// Where a page is edited, below its project.
pub(super) const PATH: &str = "pages/edit";

/// What leads from a file to the form of its page, below its project.
pub(super) const FILE_PATH: &str = "pages/file";

/// What the address of the page says.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Asked {
    #[serde(default)]
    path: String,
    #[serde(default)]
    domain: String,
}

/// The address that edits a page.
pub(super) fn address(place: &ProjectContext, path: &str, domain: Option<&str>) -> String {
    with_query(&place.path(PATH), &[("path", Some(path)), ("domain", domain)])
}

pub(super) async fn show(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Query(asked): Query<Asked>,
) -> Result<Response, Refusal> {
    let caller = place.of.caller.allowed::<can::EditPage>()?;
    match read(&dashboard, &place, (&asked.path, &asked.domain)).await {
        Ok(source) => Ok(page(&dashboard, &place, &caller, &source, &Given::of(&source), None)),
        Err(error) => not_editable(&place, error),
    }
}

pub(super) async fn save(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Form(given): Form<Given>,
) -> Result<Response, Refusal> {
    let caller = place.of.caller.allowed::<can::EditPage>()?;
    let edited = match given.input() {
        Ok(input) => pages::edit(&dashboard.operations, &caller, &place.project.id, input).await,
        Err(error) => Err(error),
    };
    let error = match edited {
        Ok(edited) => return saved(&dashboard, &place, &edited.pull_request_url),
        Err(error) => error,
    };
    // The text stays after every error.
    let problem = Problem::of(error)?;
    let source = match read(&dashboard, &place, (&given.path, &given.domain)).await {
        Ok(source) => source,
        Err(error) => given.without_file(error)?,
    };
    Ok(page(&dashboard, &place, &caller, &source, &given, Some(problem)))
}

/// Leads to the pull request: on the dashboard, or on another git host by a link.
fn saved(dashboard: &Dashboard, place: &ProjectContext, url: &str) -> Result<Response, Refusal> {
    let browser = &place.of.person.browser;
    if is_built_in(&place.project) {
        let number = url.rsplit('/').next().unwrap_or_default();
        let path = place.path(&format!("pull-requests/{number}"));
        return Ok(browser.done(Done::PullRequestOpened, &path));
    }
    shown_once::redirect(dashboard, &place.of.person, (&place.path("pages"), url))
}

async fn read(
    dashboard: &Dashboard,
    place: &ProjectContext,
    (path, domain): (&str, &str),
) -> Result<PageSource, OperationError> {
    let domain = Some(domain).filter(|domain| !domain.is_empty());
    let asked = GetPageSource {
        path: field("path", path)?,
        domain: domain.map(|domain| field("domain", domain)).transpose()?,
    };
    let caller = place.of.caller.allowed()?;
    pages::source(&dashboard.operations, &caller, &place.project.id, &asked).await
}

/// Why a text wasn't saved.
struct Problem {
    status: StatusCode,
    sentence: String,
    cause: Option<String>,
}

impl Problem {
    fn of(error: OperationError) -> Result<Self, Refusal> {
        // The project exists, so it is the page.
        if let OperationError::NotFound(sentence) = error {
            return Ok(Self { status: StatusCode::NOT_FOUND, sentence, cause: None });
        }
        let (status, sentence, cause) = match Refusal::from(error) {
            Refusal::Invalid(sentence) => (StatusCode::BAD_REQUEST, sentence, None),
            Refusal::Conflict(sentence) => (StatusCode::CONFLICT, sentence, None),
            Refusal::Limited(sentence) => (StatusCode::TOO_MANY_REQUESTS, sentence, None),
            Refusal::Unavailable(cause) => {
                let sentence = words::UNAVAILABLE_WHY.to_owned();
                (StatusCode::SERVICE_UNAVAILABLE, sentence, Some(cause))
            }
            other => return Err(other),
        };
        Ok(Self { status, sentence, cause })
    }
}

/// A page that has no file to edit, and the reason.
fn not_editable(place: &ProjectContext, error: OperationError) -> Result<Response, Refusal> {
    let sentence = match Refusal::from(error) {
        Refusal::Conflict(sentence) => sentence,
        other => return Err(other),
    };
    let body = html! {
        p.above { a href=(place.path("pages")) { (words::PAGES) } }
        h1 { (words::NOT_EDITABLE) }
        p { (sentence) }
    };
    Ok(place.page_with(StatusCode::CONFLICT, "pages", words::NOT_EDITABLE, &body))
}

fn page(
    dashboard: &Dashboard,
    place: &ProjectContext,
    caller: &Allowed<can::EditPage>,
    source: &PageSource,
    given: &Given,
    problem: Option<Problem>,
) -> Response {
    let operations = &dashboard.operations;
    let sentence = problem.as_ref().map(|problem| problem.sentence.as_str());
    let has_file = !source.commit.is_empty();
    let access = has_file.then(|| draft_access(operations, caller, &place.project.id, source));
    let access = access.flatten();
    let no_previews = operations.repositories.previews.as_ref().err().map(ToString::to_string);
    let frame = access.as_ref().ok_or(no_previews.unwrap_or_else(|| words::NO_DRAFT.to_owned()));
    let body = form(&place.path(PATH), &place.path("pages"), (source, given), frame, sentence);
    let title = words::edit_page(&source.title);
    let status = problem.as_ref().map_or(StatusCode::OK, |problem| problem.status);
    let mut response = place.page_with(status, "pages", &title, &body);
    if let Some(policy) = access.as_ref().and_then(policy) {
        response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
        // The access to previews is a secret.
        response = crate::frame::with_secret(response);
    }
    if let Some(cause) = problem.and_then(|problem| problem.cause) {
        return (Extension(Cause(cause)), response).into_response();
    }
    response
}

/// The policy of the frame, with one more host that can be in a frame and receive the form.
fn policy(access: &DraftAccess) -> Option<HeaderValue> {
    HeaderValue::try_from(crate::frame::policy_with_preview(&access.origin)).ok()
}

/// Leads from a file, such as that of a diagnostic, to the page that is made of it.
pub(super) async fn find(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Query(asked): Query<AskedFile>,
) -> Result<Response, Refusal> {
    let caller = place.of.caller.allowed()?;
    let operations = &dashboard.operations;
    let found = pages::of_file(operations, &caller, &place.project.id, &asked.file).await?;
    let (domain, path) = found.ok_or(Refusal::Missing)?;
    Ok(Redirect::to(&address(&place, &path, Some(&domain))).into_response())
}

/// A file of the repository.
#[derive(Debug, Deserialize)]
pub(super) struct AskedFile {
    file: String,
}
