//! `docwright serve`: serves the API, sites and the git host, and runs workers.

use std::{process::ExitCode, time::Instant};

use crate::{config::Settings, logging, service::Service, stop_signal::stop_signal};

/// Serve the API, sites and the git host, and run workers.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    settings: Settings,
}

/// Runs the command until it is asked to stop.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    logging::start();
    let runtime = tokio::runtime::Runtime::new()?;
    let settings = arguments.settings;
    runtime.block_on(async {
        let service = Service::start(&settings).await?;
        tracing::info!(
            version = env!("CARGO_PKG_VERSION"),
            role = settings.role.name(),
            listen = %service.address(),
            probes = service.probes().map(display),
            database = service.database_kind(),
            objects = settings.objects.kind(),
            "started"
        );
        println!("listening on http://{}", service.address());
        let signal = stop_signal().await;
        let asked = Instant::now();
        tracing::info!(signal, "stopping");
        service.stop().await;
        tracing::info!(signal, seconds = asked.elapsed().as_secs_f64(), "stopped");
        Ok(ExitCode::SUCCESS)
    })
}
