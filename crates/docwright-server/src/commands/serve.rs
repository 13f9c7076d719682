//! `docwright serve`: serves the API, sites and the git host, and runs workers.

use std::process::ExitCode;

use crate::{config::Settings, logging, service::Service};

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
    runtime.block_on(async {
        let service = Service::start(&arguments.settings).await?;
        println!("listening on http://{}", service.address());
        logging::stop_signal().await;
        service.stop().await;
        Ok(ExitCode::SUCCESS)
    })
}
