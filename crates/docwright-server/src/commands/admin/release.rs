//! `docwright admin release`: asks for releases, lists them, activates one.

use anyhow::{Context, bail, ensure};
use clap::Subcommand;
use docwright_domain::{
    domain_address::DomainAddress,
    release::{Release, Trigger},
    site::Site,
    timestamp::iso,
};
use docwright_storage::database::Requested;
use serde_json::{Value, json};

use super::{Install, Report, domain};

/// Releases that are listed unless the command says how many.
const LISTED: i64 = 20;

/// What to do with releases.
#[derive(Debug, Subcommand)]
pub(super) enum Action {
    /// Build the newest commit of a domain's branch; a running server does the work
    Create {
        /// The domain
        #[arg(long, value_parser = domain::parse)]
        domain: DomainAddress,
    },
    /// List the releases of a project, newest first
    List {
        /// Id or name of the project
        #[arg(long, required_unless_present = "domain")]
        project: Option<String>,
        /// The project's domain, in place of its name
        #[arg(long, value_parser = domain::parse, conflicts_with = "project")]
        domain: Option<DomainAddress>,
        /// List those before this one
        #[arg(long, value_name = "RELEASE")]
        before: Option<String>,
        /// How many to list
        #[arg(long, default_value_t = LISTED, value_parser = clap::value_parser!(i64).range(1..=1000))]
        limit: i64,
    },
    /// Show a release
    Show {
        /// Id of the release
        release: String,
    },
    /// Serve a ready release, such as an earlier one; it stays until a newer commit is released
    Activate {
        /// Id of the release
        release: String,
    },
}

pub(super) async fn act(install: &Install, action: Action) -> anyhow::Result<Report> {
    let database = &install.database;
    match action {
        Action::Create { domain } => create(install, &domain).await,
        Action::List { project, domain, before, limit } => {
            let id = match (project, domain) {
                (Some(project), _) => install.project(&project).await?.id,
                (None, Some(domain)) => site(install, &domain).await?.project_id,
                (None, None) => bail!("name a project or a domain"),
            };
            let releases = database.releases(&id, before.as_deref(), limit).await?;
            let mut rows = Vec::new();
            for release in &releases {
                rows.push(show(release, is_active(install, release).await?));
            }
            Ok(Report::list(
                rows,
                &["id", "status", "active", "pages", "warnings", "createdAt", "message", "error"],
                "There is no release; ask for one with `docwright admin release create --domain DOMAIN`.",
            ))
        }
        Action::Show { release } => {
            let found = database.release(&release).await?.with_context(|| {
                format!("there is no release {release}; see `docwright admin release list`")
            })?;
            Ok(Report::of(show(&found, is_active(install, &found).await?)))
        }
        Action::Activate { release } => {
            ensure!(
                database.activate_release(&release, install.now).await?,
                "there is no ready release {release} of a whole site, or it was removed because of its age; see `docwright admin release list`"
            );
            Ok(Report::of(json!({ "id": release, "active": true })))
        }
    }
}

async fn is_active(install: &Install, release: &Release) -> anyhow::Result<bool> {
    let site = install.database.site(&release.site_id).await?;
    let active = site.and_then(|site| site.active_release_id);
    Ok(active.as_deref() == Some(&release.id))
}

async fn site(install: &Install, domain: &DomainAddress) -> anyhow::Result<Site> {
    let site = install.database.site_of_domain(domain).await?;
    site.with_context(|| domain::missing(domain))
}

async fn create(install: &Install, domain: &DomainAddress) -> anyhow::Result<Report> {
    let (database, now) = (&install.database, install.now);
    let site = site(install, domain).await?;
    let (project, trigger) = (&site.project_id, Trigger::Manual);
    let asked = database.request_update(project, Some(&site.id), trigger, None, now).await?;
    let Requested::Update(update) = asked else { bail!("the site of {domain} is gone") };
    let releases = database.releases_of_update(&update).await?;
    let release = releases.first().context("the release is gone")?;
    let made = json!({ "id": release.id, "update": update, "status": release.status.name() });
    Ok(Report::of(made).then(format!(
        "docwright admin release show {}  # a running `docwright serve` builds it",
        release.id
    )))
}

fn show(release: &Release, active: bool) -> Value {
    json!({
        "id": release.id,
        "status": release.status.name(),
        "active": active,
        "commit": release.commit.sha,
        "message": release.commit.message,
        "author": release.commit.author,
        "trigger": release.trigger.name(),
        "pages": release.page_count,
        "warnings": release.warning_count,
        "error": release.error,
        "createdAt": iso(release.created_at),
    })
}
