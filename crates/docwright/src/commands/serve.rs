//! `docwright serve`: serves the API, sites, and the git host, and runs workers.

use std::{io::Write, path::Path, process::ExitCode, time::Instant};

use docwright_http::signals::Signals;

use crate::{config::Settings, logging, service::Service};

/// Serve the API, sites, and the git host; run workers
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    settings: Settings,
}

impl Arguments {
    /// The data folder.
    pub(super) fn data_folder(&self) -> &Path {
        &self.settings.store.data
    }
}

/// Runs the command until it is asked to stop.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    logging::start();
    let signals = Signals::listen(Service::stopping_time(&arguments.settings))?;
    let runtime = tokio::runtime::Runtime::new()?;
    let outcome = runtime.block_on(serve(&arguments.settings, signals));
    // Blocked threads, such as on a hanging disk, end with the process.
    runtime.shutdown_background();
    outcome.map(|()| ExitCode::SUCCESS)
}

async fn serve(settings: &Settings, signals: Signals) -> anyhow::Result<()> {
    let service = tokio::select! {
        started = Service::start(settings) => started?,
        _ = signals.clone().stop() => return Ok(()),
    };
    tracing::info!(
        version = env!("CARGO_PKG_VERSION"),
        role = settings.role.name(),
        listen = %service.address(),
        tls = service.secure_address().map(display),
        probes = service.probes().map(display),
        database = service.database_kind(),
        objects = settings.store.objects.kind(),
        "started"
    );
    let secure = service.secure_address();
    let secure = secure.map(|address| format!("listening on https://{address}\n"));
    let setup = service.setup_link().map(|link| setup(link, &settings.store.data));
    let text = [format!("listening on http://{}\n", service.address())].into_iter();
    let text: String = text.chain(secure).chain(setup).collect();
    // The reader can close the output after the first line, which is no reason to end.
    drop(std::io::stdout().write_all(text.as_bytes()));
    let signal = signals.stop().await.name();
    let asked = Instant::now();
    tracing::info!(signal, "stopping");
    service.stop().await;
    tracing::info!(signal, seconds = asked.elapsed().as_secs_f64(), "stopped");
    Ok(())
}

/// Where to create the first account, for the person at the terminal. Lines of the log are for programs.
fn setup(link: &str, data: &Path) -> String {
    let data = data.display();
    format!(
        "\nCreate the first account:\n  {link}\nPrint this link again:\n  docwright admin setup-link --data {data}\n"
    )
}
