//! `POST /v1/projects`.

use axum::{
    Json,
    extract::State,
    http::{HeaderName, StatusCode, header},
};
use docwright_domain::site;
use docwright_flows::built_in::BuiltInError;
use docwright_repository::location::{BUILT_IN, Location};
use docwright_storage::database::{self, NewProject};
use serde::Deserialize;
use serde_json::json;
use utoipa::ToSchema;

use super::{Activation, DocsPath, Model, Project, repository, starter};
use crate::{
    api::{body::Body, deletion::delete_project, id::Id, name::Name, text::Text},
    audit::Change,
    authorize::{Admin, unnamed_organization},
    error::{ApiError, Error, taken},
    state::AppState,
};

/// A project to be made.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct CreateProject {
    /// Its name, which no other project of the organisation has.
    name: Name,
    /// Identifier of its organisation; that of the key if left out. Keys of the install name one.
    organization_id: Option<Id>,
    /// Where its files are: an `https://` or `ssh://` address, `git@host:path`, or `built-in` for docwright's
    /// own git host, which it is if left out. Keys of the install may name a folder of the server too.
    #[schema(value_type = Option<String>, min_length = 1, max_length = 2000, pattern = r"^[^\x00]*[^\s\x00-\x1f\x7f-\x9f][^\x00]*$", example = "built-in")]
    repository: Option<Text<2000>>,
    /// Whether the repository begins with a few example pages. Only docwright's own git host makes them.
    #[serde(default)]
    starter: bool,
    /// Folder of the docs root within the repository; it is looked for if left out.
    #[schema(value_type = Option<String>, max_length = 1000, pattern = r"^[^\x00-\x1f\x7f-\x9f]*$", example = "docs")]
    path: Option<DocsPath>,
    /// Model of its agent jobs; that of the install if left out.
    #[schema(value_type = Option<String>, max_length = 200, pattern = r"^[^\x00-\x1f\x7f-\x9f]*$", example = "builtin:edits")]
    model: Option<Model>,
    /// How its releases become active; `automatic` if left out.
    #[schema(value_type = Option<Activation>)]
    activation: Option<Activation>,
}

/// Make a project
///
/// The repository of a `built-in` project is made with it. Credentials for a private repository are kept by
/// another operation.
#[utoipa::path(
    post,
    path = "/v1/projects",
    tag = "Projects",
    operation_id = "createProject",
    security(("key" = ["admin"])),
    request_body = CreateProject,
    responses(
        (status = 201, description = "The project", body = Project,
            headers(("Location" = String, description = "Where it is")),
            links(
                ("get" = (operation_id = "getProject", parameters(("projectId" = "$response.body#/id")))),
                ("update" = (operation_id = "updateProject", parameters(("projectId" = "$response.body#/id")))),
                ("delete" = (operation_id = "deleteProject", parameters(("projectId" = "$response.body#/id")))),
                ("releases" = (operation_id = "listReleases", parameters(("projectId" = "$response.body#/id")))),
                ("jobs" = (operation_id = "listAgentJobs", parameters(("projectId" = "$response.body#/id")))),
            )),
        (status = 404, description = "There is no such organisation", body = Error),
        (status = 409, description = "Another project of the organisation has this name", body = Error),
    ),
)]
pub(crate) async fn create(
    State(app): State<AppState>,
    caller: Admin,
    body: Result<Body<CreateProject>, ApiError>,
) -> Result<(StatusCode, [(HeaderName, String); 1], Json<Project>), ApiError> {
    let asked = body?.value;
    let organization = asked.organization_id.as_ref().map(Id::as_str);
    let organization = caller.whole_organization(&app, organization).await?;
    let organization = organization.ok_or_else(unnamed_organization)?;
    let repository = asked.repository.map_or_else(|| BUILT_IN.to_owned(), String::from);
    let (location, repository) = repository::read(&app, &caller, &repository).await?;
    if asked.starter && location != Location::BuiltIn {
        return Err(ApiError::Invalid(
            "`starter`: Example pages are for docwright's own git host; leave `starter` or `repository` out."
                .to_owned(),
        ));
    }
    let model = asked.model.map(|Model(name)| name).filter(|name| !name.is_empty());
    let new = NewProject {
        organization_id: &organization.id,
        name: asked.name.as_str(),
        repository: &repository,
        docs_path: asked.path.as_ref().map(|path| path.0.as_str()).unwrap_or_default(),
        model: model.as_deref(),
        activation: asked.activation.map_or(site::Activation::Automatic, site::Activation::from),
    };
    let change = Change::of("project.create", Some(&organization.id)).after(json!({
        "name": new.name,
        "repository": new.repository,
        "path": new.docs_path,
        "model": new.model,
        "activation": new.activation.name(),
    }));
    let made = caller.recording(&app, change).create_project(new, app.now()).await;
    let made = made.map_err(taken)?;
    if location == Location::BuiltIn
        && let Err(error) = make_repository(&app, &made, asked.starter).await
    {
        // Nobody could do anything with half a project, and its name would be taken.
        delete_project(&app, &caller, &made).await?;
        return Err(ApiError::Unavailable(format!("cannot make the repository: {error}")));
    }
    let location = [(header::LOCATION, format!("/v1/projects/{}", made.id))];
    Ok((StatusCode::CREATED, location, Json(Project::of(&app, made, organization.name, None))))
}

/// Makes the repository of a project on docwright's own git host.
async fn make_repository(
    app: &AppState,
    project: &database::Project,
    has_starter: bool,
) -> Result<(), BuiltInError> {
    let repository = app.repositories.built_in(&project.id);
    if !has_starter {
        return repository.create().await;
    }
    let folder = tempfile::tempdir()?;
    starter::write(folder.path(), &project.name)?;
    repository.import(folder.path()).await
}
