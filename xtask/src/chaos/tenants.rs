//! The organizations of a run with their projects, domains, and keys, created with `docwright admin`.

use std::{
    path::{Path, PathBuf},
    process::Stdio,
};

use anyhow::{Context, ensure};
use serde_json::Value;

use super::{
    cluster::Cluster,
    plan::{HOSTILE, ORGANIZATIONS},
    sites::{self, Attack},
};

/// The number of projects of each organization.
pub(super) const PROJECTS: [usize; ORGANIZATIONS] = [1, 1, 1, 1, Attack::ALL.len()];

/// An organization.
#[derive(Debug)]
pub(super) struct Organization {
    /// The name in the report.
    pub(super) name: String,
    /// A key with the scope `write`.
    pub(super) key: String,
    /// Its projects.
    pub(super) projects: Vec<Project>,
}

/// A project on the built-in git host.
#[derive(Debug)]
pub(super) struct Project {
    /// Its id.
    pub(super) id: String,
    /// Its domain.
    pub(super) domain: String,
    /// A unique text on its pages.
    pub(super) words: String,
    /// The attack of its repository.
    pub(super) attack: Option<Attack>,
    /// The path of this run's clone.
    pub(super) clone: PathBuf,
}

/// Creates all records in a database before a node uses it.
pub(super) fn create(cluster: &Cluster, folder: &Path) -> anyhow::Result<Vec<Organization>> {
    (0..ORGANIZATIONS).map(|number| organization(cluster, folder, number)).collect()
}

fn organization(cluster: &Cluster, folder: &Path, number: usize) -> anyhow::Result<Organization> {
    let name =
        if number == HOSTILE { "hostile".to_owned() } else { format!("organization {number}") };
    let made = admin(cluster, &["organization", "create", &name, "--plan", "enterprise"])?;
    let id = text(&made, "id")?;
    let made = admin(cluster, &["key", "create", "chaos", "--organization", &id])?;
    let key = text(&made, "key")?;
    let projects = (0..PROJECTS[number])
        .map(|project| {
            let attack = (number == HOSTILE).then(|| Attack::ALL[project]);
            create_project(cluster, folder, &id, (number, project), attack)
        })
        .collect::<anyhow::Result<_>>()?;
    Ok(Organization { name, key, projects })
}

fn create_project(
    cluster: &Cluster,
    folder: &Path,
    organization: &str,
    (number, project): (usize, usize),
    attack: Option<Attack>,
) -> anyhow::Result<Project> {
    let source = |number: usize, project: usize| folder.join(format!("source-{number}-{project}"));
    let words = words(number, project);
    match attack {
        Some(attack) => sites::write_attack(&source(number, project), attack, &source(0, 0))?,
        None => sites::write_site(&source(number, project), &words)?,
    }
    let import = source(number, project).display().to_string();
    let name = format!("{} {project}", attack.map_or("docs", Attack::name));
    let path = attack.map_or("", Attack::docs_path);
    let arguments =
        ["project", "create", &name, "--organization", organization, "--import", &import];
    let made = admin(cluster, &[&arguments[..], &["--path", path]].concat())?;
    let id = text(&made, "id")?;
    let domain = format!("docs-{number}-{project}.example.com");
    admin(cluster, &["domain", "create", &domain, "--project", &id])?;
    let clone = folder.join(format!("clone-{number}-{project}"));
    Ok(Project { id, domain, words, attack, clone })
}

/// The unique text of a project's pages.
fn words(number: usize, project: usize) -> String {
    format!("the secret of organization {number} in project {project}")
}

/// Runs `docwright admin`. Returns its JSON output.
pub(super) fn admin(cluster: &Cluster, arguments: &[&str]) -> anyhow::Result<Value> {
    let mut command = cluster.command();
    command.args(["admin", "--json"]).args(arguments).stderr(Stdio::inherit());
    let output = command.output().context("cannot start docwright")?;
    ensure!(output.status.success(), "`docwright admin {}` failed", arguments.join(" "));
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// A text field of a response.
pub(super) fn text(value: &Value, field: &str) -> anyhow::Result<String> {
    let text = value[field].as_str().map(str::to_owned);
    text.with_context(|| format!("an answer without `{field}`: {value}"))
}
