//! `docwright demo`: Run an end-to-end demo without setup.

use std::{
    io::Write,
    net::SocketAddr,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
    time::Duration,
};

use anyhow::{Context, bail, ensure};
use docwright_assistant::Assistant;
use docwright_http::{
    client::TrustedProxies,
    listen::{self, Bounds},
    listen_address::ListenAddress,
    metrics::Connections,
    signals::Signals,
    tls::TlsSettings,
};
use docwright_jobs::clock::Clock;
use docwright_operations::callers::links;
use docwright_repository::{
    location::{BUILT_IN, Location},
    network::{AllowedHosts, Network},
    remote::{Access, Remote},
};
use docwright_serving::deployment::{self, BundleSource, Deployment, Link, NoExports, Pin, Values};
use docwright_site::bundle::{Limits, verify};
use docwright_storage::{
    Database,
    database::{NewAccount, NewKey, NewProject},
};
use docwright_types::{
    account::{self, Email},
    domain_address::DomainAddress,
    key::Scope,
    plan::Plan,
    site::Activation,
    timestamp::{DAY, Timestamp},
    token::Token,
};
use reqwest::{Client, Method, header::HOST};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::{
    config::{
        AgentSettings, AssistantSettings, BuildSettings, DomainSettings, GitHostSettings,
        MAXIMUM_PUSH, MailSettings, PreviewSettings, ProxySettings, RetentionSettings, Role,
        Settings, SignInSettings, SiteSettings, StoreSettings,
    },
    progress::ProgressDisplay,
    repositories::{git, repositories},
    service::Service,
};

/// The domain of the demo's project.
const DOMAIN: &str = "docs.localhost";
/// The organization of its project.
const ORGANIZATION: &str = "Demo";
/// The account of the demo's user.
const EMAIL: &str = "demo@localhost.example";
/// How long its link is valid.
const LINK_LIFETIME: i64 = DAY;

/// Run an end-to-end demo without setup.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Documentation repository to use instead of docwright's own manual
    #[arg(long, value_name = "DIR|URL")]
    repo: Option<String>,
    /// Folder for the demo
    #[arg(long, value_name = "DIR", default_value = "docwright-demo")]
    data: PathBuf,
    /// Address to listen on; port 0 takes a free one
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:0")]
    listen: ListenAddress,
    /// Stop at the end; exit with status 0 on success
    #[arg(long)]
    exit: bool,
}

impl Arguments {
    /// The folder of the demo.
    pub(super) fn data_folder(&self) -> &Path {
        &self.data
    }
}

/// Runs the demo.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let signals = Signals::listen(Service::stopping_time(&settings(&arguments)))?;
    let runtime = tokio::runtime::Runtime::new()?;
    let outcome = runtime.block_on(demonstrate(arguments, signals));
    runtime.shutdown_background();
    outcome
}

/// The main tasks, step by step, over the real API.
async fn demonstrate(arguments: Arguments, signals: Signals) -> anyhow::Result<ExitCode> {
    let settings = settings(&arguments);
    std::fs::create_dir_all(&settings.store.data)
        .with_context(|| format!("cannot create {}", settings.store.data.display()))?;
    let repository = repository(arguments.repo, &settings.store.data).await?;
    let Seed { project, key, link } = seed(&settings, &repository).await?;
    let service = Service::start(&settings).await?;
    let api = Api { client: Client::new(), base: format!("http://{}", service.address()), key };
    step("project", &format!("{} as {DOMAIN}", repository.display()));
    publish(&api, &project).await?;
    let hosted = hosted_site(service.address()).await?;
    let job = export(&api).await?;
    let bundle =
        api.call(Method::POST, &format!("/v1/static-export/jobs/{job}/bundle"), None).await?;
    let archive = settings.store.data.join("bundle.tar.gz");
    download(&api, &bundle, &archive).await?;
    let site = serve_bundle(&archive, &settings.store.data).await?;
    let pull_request = run_agent(&api, &project).await?;
    summarize(&api, &bundle, &archive, (&hosted, site));
    summarize_agent(&api, &project, &pull_request);
    summarize_dashboard(&api, &project, &link);
    if !arguments.exit {
        println!("\nCtrl+C stops.");
        signals.stop().await;
    }
    service.stop().await;
    Ok(ExitCode::SUCCESS)
}

fn settings(arguments: &Arguments) -> Settings {
    Settings {
        listen: arguments.listen.clone(),
        probes: None,
        role: Role::All,
        public_url: None,
        link_seconds: 3600,
        store: StoreSettings::in_folder(arguments.data.clone()),
        sites: SiteSettings::default(),
        assistant: AssistantSettings::default(),
        builds: BuildSettings::default(),
        previews: PreviewSettings::default(),
        retention: RetentionSettings::default(),
        agent: AgentSettings::default(),
        git_hosts: GitHostSettings::default(),
        sign_in: SignInSettings::default(),
        mail: MailSettings::default(),
        proxies: ProxySettings::default(),
        domains: DomainSettings::default(),
        tls: TlsSettings::default(),
        maximum_push: MAXIMUM_PUSH,
        drain_seconds: 5,
        lease_seconds: 15,
        signal_at: None,
    }
}

/// The folder of the specified repository, or docwright's own manual from the binary.
async fn repository(given: Option<String>, data: &Path) -> anyhow::Result<PathBuf> {
    let Some(given) = given else { return Ok(docwright_manual::write(&data.join("manual"))?) };
    let address = match Location::parse(&given)? {
        Location::Folder(folder) => return Ok(std::fs::canonicalize(folder)?),
        Location::Remote(address) => address,
        Location::BuiltIn => {
            bail!("the demo has no built-in manual; name a folder or a URL")
        }
    };
    let clone = data.join("clone");
    if clone.exists() {
        std::fs::remove_dir_all(&clone)?;
    }
    let folder = std::path::absolute(&clone)?.display().to_string();
    let network = Network::new(AllowedHosts::default());
    let remote = Remote::connect(&git(data)?, &network, &address, &Access::Anonymous).await?;
    let arguments = ["clone", "--quiet", "--depth", "1", "--", remote.url(), &folder];
    remote.git().run(data, &arguments).await.with_context(|| format!("cannot clone {address}"))?;
    Ok(clone)
}

/// The objects of the demo.
struct Seed {
    /// The ID of the project.
    project: String,
    key: String,
    /// Token of a single-use sign-in link for its account.
    link: Token,
}

/// An organization, a project with the files of a folder, its domain, a key, and an account. An earlier demo left
/// some of them.
async fn seed(settings: &Settings, repository: &Path) -> anyhow::Result<Seed> {
    remove_earlier(&settings.store).await?;
    let database = settings.store.database().await?;
    let now = Clock::default().now();
    let organization = database.create_organization(ORGANIZATION, Plan::Enterprise, now).await?;
    let new = NewProject {
        organization_id: &organization.id,
        name: "Demo",
        repository: BUILT_IN,
        docs_path: "",
        model: None,
        activation: Activation::Automatic,
    };
    let project = database.create_project(new, now).await?;
    let keyring = settings.store.keyring(&database).await?;
    let places = (&settings.store, &settings.git_hosts);
    let repositories = repositories(places, (&database, &keyring), String::new())?;
    let made = repositories.built_in(&project.id).import(repository).await;
    made.context("cannot create the repository")?;
    database.add_domain(&DomainAddress::parse(DOMAIN)?, &project.id, None, now).await?;
    let link = account(&database, &organization.id, now).await?;
    let key = NewKey {
        organization_id: Some(organization.id),
        name: "demo".to_owned(),
        scope: Scope::Write,
        projects: Vec::new(),
        allowlist: Vec::new(),
        days: None,
        created_by: None,
    };
    let key = database.create_key(&key, now).await?;
    database.close().await;
    Ok(Seed { project: project.id, key: key.reveal(), link })
}

/// Removes the database and data of an earlier demo. Other instances stay.
async fn remove_earlier(store: &StoreSettings) -> anyhow::Result<()> {
    let data = &store.data;
    if store.is_new() {
        return Ok(());
    }
    let database = store.database().await?;
    let organizations = database.organizations().await?;
    database.close().await;
    ensure!(
        organizations.iter().all(|each| each.name == ORGANIZATION),
        "{} contains an instance that isn't a demo; choose another --data",
        data.display()
    );
    for folder in ["git", "objects", "cache"] {
        match std::fs::remove_dir_all(data.join(folder)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
    }
    for ending in ["", "-wal", "-shm"] {
        drop(std::fs::remove_file(data.join(format!("{}{ending}", Database::FILE))));
    }
    Ok(())
}

/// The account of the demo's user. It has no password; the link signs in.
async fn account(database: &Database, organization: &str, now: Timestamp) -> anyhow::Result<Token> {
    let email: Email = EMAIL.parse().map_err(anyhow::Error::msg)?;
    let new = NewAccount { email, name: "Demo".to_owned(), password: None };
    let made = database.create_first_account(&new, now).await?;
    let id = made.context("an account already exists")?.id;
    database.add_member(organization, &id, account::Role::Admin, now).await?;
    Ok(database.create_sign_in_link(&id, now, now + LINK_LIFETIME).await?)
}

struct Api {
    client: Client,
    base: String,
    key: String,
}

impl Api {
    async fn call(&self, method: Method, path: &str, body: Option<Value>) -> anyhow::Result<Value> {
        let mut request =
            self.client.request(method, format!("{}{path}", self.base)).bearer_auth(&self.key);
        if let Some(body) = body {
            request = request.json(&body);
        }
        let response = request.send().await.with_context(|| format!("{path} can't be reached"))?;
        let status = response.status();
        let body: Value = response.json().await?;
        ensure!(
            status.is_success(),
            "{path} answers {status}: {}",
            body["error"].as_str().unwrap_or_default()
        );
        Ok(body)
    }
}

/// Builds and publishes the latest commit, and waits until its domain serves it.
async fn publish(api: &Api, project: &str) -> anyhow::Result<()> {
    let started = api.call(Method::POST, &format!("/v1/project/update/{project}"), None).await?;
    let id = started["statusId"].as_str().context("the API returned no status ID")?.to_owned();
    loop {
        let path = format!("/v1/project/update-status/{id}");
        let update = api.call(Method::GET, &path, None).await?;
        let summary = update["summary"].as_str().unwrap_or_default();
        match update["status"].as_str() {
            // A new server also finds the import automatically, and can build it first.
            Some("success" | "skipped") => break,
            Some("failure") => bail!("nothing was published: {summary}"),
            _ => tokio::time::sleep(Duration::from_millis(100)).await,
        }
    }
    let release = active_release(api, project).await?;
    let commit = release["commit"].as_str().unwrap_or_default();
    let commit = commit.get(..7).unwrap_or(commit);
    step("publish", &format!("{} pages of commit {commit}", release["pages"]));
    Ok(())
}

/// Waits for the active release of the site.
async fn active_release(api: &Api, project: &str) -> anyhow::Result<Value> {
    let path = format!("/v1/projects/{project}/releases");
    loop {
        let mut list = api.call(Method::GET, &path, None).await?;
        let releases = list["releases"].as_array_mut().context("the API listed no releases")?;
        match releases.iter().position(|release| release["active"] == true) {
            Some(active) => return Ok(releases.swap_remove(active)),
            None => tokio::time::sleep(Duration::from_millis(100)).await,
        }
    }
}

/// Address of the site on the service: browsers resolve `NAME.localhost` to this machine.
async fn hosted_site(service: SocketAddr) -> anyhow::Result<String> {
    let page = Client::new().get(format!("http://{service}/")).header(HOST, DOMAIN).send().await?;
    ensure!(page.status().is_success(), "the site of {DOMAIN} returned {}", page.status());
    let address = format!("http://{DOMAIN}:{}/", service.port());
    step("host", &address);
    Ok(address)
}

/// Starts an export and waits for its end.
async fn export(api: &Api) -> anyhow::Result<String> {
    let started =
        api.call(Method::POST, "/v1/static-export/jobs", Some(json!({ "domain": DOMAIN }))).await?;
    let id = started["jobId"].as_str().context("the API returned no job ID")?.to_owned();
    let bar = ProgressDisplay::new("export", "pages", false);
    loop {
        let job = api.call(Method::GET, &format!("/v1/static-export/jobs/{id}"), None).await?;
        bar.percent(job["progress"].as_u64().unwrap_or(0));
        match job["status"].as_str() {
            Some("completed") => {
                bar.finish();
                step(
                    "export",
                    &format!("{} pages, {} diagnostics", job["pageCount"], job["warningCount"]),
                );
                return Ok(id);
            }
            Some("failed") => {
                bail!("the export failed: {}", job["error"].as_str().unwrap_or_default())
            }
            _ => tokio::time::sleep(Duration::from_millis(100)).await,
        }
    }
}

/// Downloads with the presigned link, without the key, and compares the hash.
async fn download(api: &Api, bundle: &Value, archive: &Path) -> anyhow::Result<()> {
    let link = bundle["bundleUrl"].as_str().context("the API returned no link")?;
    let bytes = api.client.get(link).send().await?.error_for_status()?.bytes().await?;
    let sha256 = hex::encode(Sha256::digest(&bytes));
    ensure!(
        bundle["sha256"].as_str() == Some(&sha256),
        "the download doesn't match the SHA-256 from the API"
    );
    std::fs::File::create(archive)?.write_all(&bytes)?;
    step("bundle", &format!("{} ({} kB)", archive.display(), bytes.len() / 1024));
    Ok(())
}

/// Verifies the bundle against its manifest and serves it like a client-hosted deployment.
async fn serve_bundle(archive: &Path, data: &Path) -> anyhow::Result<SocketAddr> {
    let manifest = verify(archive, Limits::default())?;
    step("verify", &format!("{} files match the manifest", manifest.files.len()));
    let values = Values {
        enabled: true,
        source: BundleSource::Link(Link::new(archive.display().to_string())),
        pin: Pin::default(),
        maximum_bytes: u64::MAX,
        analytics_password_file: None,
    };
    let deployment = Deployment::open(data.join("deployment"), values, Arc::new(NoExports))?;
    deployment.update_once().await?;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let router = deployment::site(
        deployment,
        "",
        Network::new(AllowedHosts::default()),
        (Assistant::default(), None),
    );
    let bounds = Bounds::public(TrustedProxies::default(), Connections::default());
    tokio::spawn(listen::serve_router(listener, std::future::pending(), bounds, router));
    let page = reqwest::get(format!("http://{address}/")).await?;
    ensure!(page.status().is_success(), "the site answers {}", page.status());
    step("deploy", &format!("http://{address}/"));
    Ok(address)
}

/// The demo's prompt: a task for any repository.
const PROMPT: &str = "Add page made-by-docwright titled \"Made by docwright\" with text \"An agent job added this page.\"";

/// Runs an agent job to a pull request. Returns the finished job.
async fn run_agent(api: &Api, project: &str) -> anyhow::Result<Value> {
    let created = api
        .call(Method::POST, &format!("/v2/agent/{project}/job"), Some(json!({ "prompt": PROMPT })))
        .await?;
    let id = created["id"].as_str().context("the API returned no job ID")?.to_owned();
    loop {
        let job = api.call(Method::GET, &format!("/v2/agent/{project}/job/{id}"), None).await?;
        match job["status"].as_str() {
            Some("completed") => {
                let link = job["prLink"].as_str().context("the job opened no pull request")?;
                step("agent", &format!("{PROMPT} ({})", job["model"].as_str().unwrap_or_default()));
                step("pull", link);
                return Ok(job);
            }
            Some("active") => tokio::time::sleep(Duration::from_millis(50)).await,
            _ => bail!("the agent job failed: {}", job["error"].as_str().unwrap_or_default()),
        }
    }
}

fn summarize_agent(api: &Api, project: &str, job: &Value) {
    let Api { base, key, .. } = api;
    let link = job["prLink"].as_str().unwrap_or_default();
    println!("\nPull request  {link}");
    println!("  curl -X POST {base}/v2/agent/{project}/job -H 'Authorization: Bearer {key}' \\");
    println!(
        "       -H 'Content-Type: application/json' -d '{}'",
        json!({ "prompt": "fix broken links" })
    );
    println!("  git clone {base}/git/{project}.git");
    let api = link.replace("/projects/", "/v1/projects/");
    println!("  curl -X POST {api}/merge -H 'Authorization: Bearer {key}'");
}

fn summarize(api: &Api, bundle: &Value, archive: &Path, (hosted, deployed): (&str, SocketAddr)) {
    let Api { base, key, .. } = api;
    println!("\nSite      {hosted}  (or from the bundle, http://{deployed}/)");
    println!("API       {base}/api");
    println!("Bundle    {}", archive.display());
    println!("Key       {key}");
    println!("\nUse the API:");
    println!("  curl -X POST {base}/v1/static-export/jobs -H 'Authorization: Bearer {key}' \\");
    println!("       -H 'Content-Type: application/json' -d '{{\"domain\": \"{DOMAIN}\"}}'");
    println!(
        "  curl {base}/v1/static-export/jobs/{} -H 'Authorization: Bearer {key}'",
        bundle["jobId"].as_str().unwrap_or_default()
    );
    println!(
        "  curl -X POST {base}/v1/static-export/jobs/{}/bundle -H 'Authorization: Bearer {key}'",
        bundle["jobId"].as_str().unwrap_or_default()
    );
    println!("  curl -o bundle.tar.gz '{}'", bundle["bundleUrl"].as_str().unwrap_or_default());
}

fn summarize_dashboard(Api { base, .. }: &Api, project: &str, link: &Token) {
    println!("\nDashboard  {base}/projects/{project}");
    println!("Sign in    {base}{}  (single use)", links::path(link));
}

fn step(name: &str, result: &str) {
    println!("{name:>9}  {result}");
}
