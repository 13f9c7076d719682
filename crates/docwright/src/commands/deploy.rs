//! `docwright deploy`: Serve an exported bundle on your own servers.

mod analytics;
mod api;
mod service;

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
    time::Duration,
};

use anyhow::Context;

use docwright_http::{
    listen::{self, Bounds},
    listen_address::ListenAddress,
    metrics,
    probes::Probes,
    signals::Signals,
};
use docwright_serving::deployment::{
    self, BundleSource, Deployment, Hangups, Link, Values, ValuesFile,
};
use docwright_types::{domain_address::DomainAddress, domain_name::DomainName, key::PresentedKey};
use tokio::runtime::Runtime;

use crate::{
    config::{AssistantSettings, PrivateHosts, ProviderSettings, ProxySettings},
    logging,
};
use service::ServiceExports;

/// Time to write what was counted of readers, when the command ends.
const READERS: Duration = Duration::from_secs(5);

/// Serve an exported bundle on your own servers.
#[derive(Debug, clap::Args)]
#[command(group = clap::ArgGroup::new("what").required(true).args(["values", "bundle", "bundles"]))]
pub(crate) struct Arguments {
    /// YAML file with `staticExport: {enabled, bundleUrl, version, sha256}`
    ///
    /// docwright reloads it when it changes and on SIGHUP. With `source` instead of `bundleUrl`, docwright polls
    /// a service for new exports.
    #[arg(long, value_name = "FILE")]
    values: Option<PathBuf>,
    /// Bundle to serve, instead of a values file
    ///
    /// docwright reads it again on SIGHUP.
    #[arg(long, value_name = "FILE.tar.gz")]
    bundle: Option<PathBuf>,
    /// Folder of bundles, of which the newest valid one is served, instead of a values file
    ///
    /// docwright looks for new bundles every 2 seconds.
    #[arg(long, value_name = "DIR")]
    bundles: Option<PathBuf>,
    /// File with the API key for `source`, or `DOCWRIGHT_KEY`
    ///
    /// A key in the values file has precedence.
    #[arg(long, value_name = "FILE", env = "DOCWRIGHT_KEY_FILE")]
    key_file: Option<PathBuf>,
    /// File with the password of the page of web analytics, or `DOCWRIGHT_ANALYTICS_PASSWORD`
    ///
    /// `analytics.passwordFile` in the values file has precedence. Without a password, there is no page.
    #[arg(long, value_name = "FILE", env = "DOCWRIGHT_ANALYTICS_PASSWORD_FILE")]
    analytics_password_file: Option<PathBuf>,
    /// Folder for bundles, and for the sums of web analytics
    #[arg(long, value_name = "DIR", env = "DOCWRIGHT_DATA", default_value = "docwright-data")]
    data: PathBuf,
    /// Address to listen on, such as 127.0.0.1:8080
    ///
    /// A port alone, such as 8080, listens on this machine only. With a colon before it, such as :8080, it
    /// listens on every network. Port 0 takes a free port.
    #[arg(long, value_name = "ADDR", env = "DOCWRIGHT_LISTEN", default_value = "127.0.0.1:8080")]
    listen: ListenAddress,
    /// Path that the site is below, such as /docs
    ///
    /// A proxy in front of docwright must keep it in the path of requests.
    #[arg(long, value_name = "PATH", env = "DOCWRIGHT_BASE_PATH", value_parser = base_path)]
    base_path: Option<String>,
    #[command(flatten)]
    proxies: ProxySettings,
    #[command(flatten)]
    private_hosts: PrivateHosts,
    #[command(flatten)]
    assistant: AssistantSettings,
    #[command(flatten)]
    providers: ProviderSettings,
    /// Separate address for /healthz, /readyz, and /metrics
    #[arg(long, value_name = "ADDR", env = "DOCWRIGHT_PROBES")]
    probes: Option<ListenAddress>,
}

/// A base path in the form of domains: without a trailing slash.
fn base_path(text: &str) -> Result<String, String> {
    let host = DomainName::parse("localhost").map_err(|error| error.to_string())?;
    let address = DomainAddress::new(host, text).map_err(|error| error.to_string())?;
    Ok(address.base().to_owned())
}

impl Arguments {
    /// The data folder.
    pub(super) fn data_folder(&self) -> &Path {
        &self.data
    }
}

/// Runs the command until it is asked to stop, or has nothing to serve.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    logging::start();
    let signals = Signals::listen(listen::STOPPING_TIME)?;
    let runtime = Runtime::new()?;
    let outcome = runtime.block_on(deploy(arguments, signals));
    // A check of a bundle that is under way ends with the process, and leaves nothing active.
    runtime.shutdown_background();
    outcome.map(|()| ExitCode::SUCCESS)
}

/// The API key in the environment. An empty variable counts as none.
fn key_of_environment() -> anyhow::Result<Option<PresentedKey>> {
    let text = std::env::var("DOCWRIGHT_KEY").unwrap_or_default();
    let key = Some(text.trim()).filter(|text| !text.is_empty());
    key.map(|text| {
        PresentedKey::parse(text).context("DOCWRIGHT_KEY doesn't contain an API key such as dw_…_…")
    })
    .transpose()
}

/// Who changes the values.
enum Changes {
    /// A values file.
    File(ValuesFile),
    /// Nobody: SIGHUP applies the same again.
    Signal(Hangups),
}

impl Changes {
    /// The changes, and the first values.
    fn of(arguments: &Arguments) -> anyhow::Result<(Self, Values)> {
        let source = match (&arguments.values, &arguments.bundle, &arguments.bundles) {
            (Some(file), _, _) => {
                let (file, values) = ValuesFile::open(file.clone())?;
                return Ok((Self::File(file), values));
            }
            (None, Some(file), _) => BundleSource::Link(Link::new(file.to_string_lossy())),
            (None, None, Some(folder)) => BundleSource::Folder(folder.clone()),
            (None, None, None) => anyhow::bail!("set --values, --bundle, or --bundles"),
        };
        Ok((Self::Signal(Hangups::listen()?), Values::of(source)))
    }

    async fn follow(self, deployment: &Deployment) -> ! {
        match self {
            Self::File(file) => file.follow(deployment).await,
            Self::Signal(hangups) => hangups.follow(deployment).await,
        }
    }
}

async fn deploy(arguments: Arguments, signals: Signals) -> anyhow::Result<()> {
    let (changes, values) = Changes::of(&arguments)?;
    let exports = ServiceExports::new(key_of_environment()?, arguments.key_file);
    let deployment = Deployment::open(arguments.data.clone(), values, Arc::new(exports))?;
    let listener = listen::bind(&arguments.listen, "--listen").await?;
    let address = listener.local_addr()?;
    let base = arguments.base_path.unwrap_or_default();
    let network = arguments.private_hosts.network();
    let assistant = arguments.assistant.assistant(&arguments.providers.models()?)?;
    deployment.prepare_readers().await;
    let site = deployment::site(deployment.clone(), &base, network, assistant)
        .merge(analytics::router(&deployment, &base, arguments.analytics_password_file));
    let health = deployment::health(deployment.clone());
    let (router, probes) = match arguments.probes {
        None => (site.merge(health), None),
        Some(probes) => {
            let metrics = metrics::router(deployment.exposition(&arguments.data));
            (
                site,
                Some(Probes::serve(
                    listen::bind(&probes, "--probes").await?,
                    health.merge(metrics),
                )?),
            )
        }
    };
    tracing::info!(
        version = env!("CARGO_PKG_VERSION"),
        role = "deploy",
        listen = %address,
        probes = probes.as_ref().map(|probes| display(probes.address())),
        "started"
    );
    println!("listening on http://{address}");
    let bounds = Bounds::public(arguments.proxies.trusted(), deployment.connections());
    let outcome = tokio::select! {
        () = listen::serve_until(listener, signals, bounds, router) => Ok(()),
        failed = deployment.run() => failed,
        never = deployment.count_readers() => never,
        never = changes.follow(&deployment) => never,
    };
    deployment.readers().finish(READERS).await;
    outcome
}
