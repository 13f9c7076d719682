//! `docwright admin project`: documentation repositories.

use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use axum::http::Method;
use clap::Subcommand;
use docwright_agent::models::check_name;
use docwright_domain::site::Activation;
use docwright_repository::location::{BUILT_IN, Location};
use serde_json::{Value, json};

use super::{
    Client, Report,
    client::{encoded, text},
    confirm::Confirm,
    repository,
};
use docwright_operations::fields::Name;

/// What to do with projects.
#[derive(Debug, Subcommand)]
pub(super) enum Action {
    /// Make a project
    Create {
        /// Its name, which no other project of the organisation has
        name: Name,
        /// Id or name of its organisation; with a key of an organisation, that one if left out
        #[arg(long)]
        organization: Option<String>,
        /// Where its files are: a folder, a bare repository of this machine, a git URL, or `built-in` for
        /// docwright's own git host
        #[arg(long, value_name = "DIR|URL|built-in", default_value = BUILT_IN)]
        repository: String,
        /// Folder whose files are the first commit of a built-in repository
        #[arg(long, value_name = "DIR")]
        import: Option<PathBuf>,
        /// Folder of the docs root within the repository, as docs; without it the root is looked for
        #[arg(long, default_value = "", hide_default_value = true)]
        path: String,
        /// Model of its agent jobs, if not that of the install, as anthropic:claude-sonnet-4-5
        #[arg(long, value_name = "NAME", value_parser = model)]
        model: Option<String>,
        /// How its releases become active: automatic or manual
        #[arg(long, default_value = "automatic")]
        activation: Activation,
    },
    /// List projects
    List {
        /// Only those of this organisation; its id or name
        #[arg(long)]
        organization: Option<String>,
    },
    /// Show a project
    Show {
        /// Its id or name
        project: String,
    },
    /// Change a project; what is not named stays. Jobs that are under way end as they began
    #[command(group = clap::ArgGroup::new("change").required(true).multiple(true))]
    Update {
        /// Its id or name
        project: String,
        /// Its new name
        #[arg(long, group = "change")]
        name: Option<Name>,
        /// A folder, a bare repository of this machine, a git URL, or `built-in` for docwright's own git host
        #[arg(long, value_name = "DIR|URL|built-in", group = "change")]
        repository: Option<String>,
        /// Folder of the docs root within the repository; empty to look for it
        #[arg(long, group = "change")]
        path: Option<String>,
        /// Model of its agent jobs; empty for that of the install
        #[arg(long, value_name = "NAME", value_parser = model, group = "change")]
        model: Option<String>,
        /// How its releases become active: automatic or manual
        #[arg(long, group = "change")]
        activation: Option<Activation>,
        /// Pattern of files that agents can change besides documentation, as examples/**; repeatable, and empty
        /// for none
        #[arg(long, value_name = "PATTERN", group = "change")]
        agent_path: Vec<String>,
    },
    /// Delete a project with its domains, releases, exports, jobs and built-in repository
    Delete {
        /// Its id or name
        project: String,
        #[command(flatten)]
        confirm: Confirm,
    },
}

pub(super) async fn act(client: &Client, action: Action) -> anyhow::Result<Report> {
    match action {
        Action::Create { name, organization, repository, import, path, model, activation } => {
            let body = json!({
                "name": name,
                "organizationId": client.organization_id(organization.as_deref()).await?,
                "repository": repository::named(client, &repository, Some(&path))?,
                "path": path,
                "model": model,
                "activation": activation.name(),
            });
            create(client, body, &repository, import.as_deref()).await
        }
        Action::List { organization } => {
            let organization = client.organization_id(organization.as_deref()).await?;
            let query = [("organizationId", organization.as_deref())];
            Ok(Report::list(
                client.list("/v1/projects", &query, "projects").await?,
                &["id", "name", "organizationName", "repository", "path"],
                "There is no project; make one with `docwright admin project create NAME --organization ORGANIZATION`.",
            ))
        }
        Action::Show { project } => Ok(Report::of(client.project(&project).await?)),
        Action::Update { project, name, repository, path, model, activation, agent_path } => {
            let before = client.project(&project).await?;
            let docs = path.as_deref().unwrap_or(text(&before, "path"));
            let repository = repository
                .map(|repository| repository::named(client, &repository, Some(docs)))
                .transpose()?;
            let body = json!({
                "name": name,
                "repository": repository,
                "path": path,
                "model": model,
                "activation": activation.map(Activation::name),
                "agentPaths": agent_paths(agent_path),
            });
            Ok(Report::of(client.send(Method::PATCH, &self::path(&before), Some(body)).await?))
        }
        Action::Delete { project, confirm } => {
            let found = client.project(&project).await?;
            confirm.ask(&format!(
                "the project {} ({}) with its domains, releases, exports, jobs and built-in repository",
                text(&found, "name"),
                text(&found, "id")
            ))?;
            Ok(Report::of(client.send(Method::DELETE, &path(&found), None).await?))
        }
    }
}

/// The patterns of a project; `None` to leave them as they are, and an empty one for none.
fn agent_paths(given: Vec<String>) -> Option<Vec<String>> {
    let is_given = !given.is_empty();
    let patterns = given.into_iter().filter(|pattern| !pattern.is_empty()).collect();
    is_given.then_some(patterns)
}

/// The name of a model; empty for none.
fn model(text: &str) -> Result<String, String> {
    if !text.is_empty() {
        check_name(text)?;
    }
    Ok(text.to_owned())
}

fn path(project: &Value) -> String {
    format!("/v1/projects/{}", encoded(text(project, "id")))
}

async fn create(
    client: &Client,
    body: Value,
    repository: &str,
    import: Option<&Path>,
) -> anyhow::Result<Report> {
    ensure!(
        import.is_none() || repository == BUILT_IN,
        "--import fills a built-in repository; leave --repository out, or --import"
    );
    let import = match import {
        Some(folder) => {
            client.here("--import")?;
            Some(repository::import(folder, text(&body, "path"))?)
        }
        None => None,
    };
    let made = client.send(Method::POST, "/v1/projects", Some(body)).await?;
    let id = text(&made, "id").to_owned();
    if let Some(folder) = &import {
        let repository = client.here("--import")?.app.repositories.built_in(&id);
        if let Err(error) = repository.import(folder).await {
            // Nobody could do anything with half a project, and its name would be taken.
            let undone = client.send(Method::DELETE, &path(&made), None).await;
            let error = anyhow::Error::from(error).context("cannot make the repository");
            return Err(match undone {
                Ok(_) => error,
                Err(left) => error.context(format!("the project {id} is left: {left:#}")),
            });
        }
    }
    let stored = text(&made, "repository").to_owned();
    let mut report = Report::of(made);
    match Location::parse(&stored).context("the repository can't be read")? {
        Location::BuiltIn if import.is_none() => {
            report = report.then(format!(
                "push to /git/{id}.git of the running service, with a key as the password"
            ));
        }
        Location::Remote(remote) if !remote.host().is_empty() => {
            report = report.then(format!(
                "docwright admin credential set {} --project {id} < TOKEN_FILE  # if it is private",
                remote.host_and_port(),
            ));
        }
        _ => {}
    }
    Ok(report.then(format!("docwright admin domain create DOMAIN --project {id}")))
}
