//! `docwright deploy`: Serve an exported bundle in a client-hosted place.

use std::{net::SocketAddr, path::PathBuf, process::ExitCode};

use anyhow::Context;
use tokio::net::TcpListener;

use crate::{
    deployment::{self, Deployment, Values},
    logging,
};

/// Serve an exported bundle in a client-hosted place.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// YAML file with `staticExport: {enabled, bundleUrl, version}`
    #[arg(long, value_name = "FILE")]
    values: PathBuf,
    /// Folder for the versions
    #[arg(long, value_name = "DIR", env = "DOCWRIGHT_DATA", default_value = "docwright-data")]
    data: PathBuf,
    /// Address to listen on; port 0 takes a free one
    #[arg(long, value_name = "ADDR", env = "DOCWRIGHT_LISTEN", default_value = "127.0.0.1:8080")]
    listen: SocketAddr,
}

/// Runs the command until it is asked to stop, or has nothing to serve.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    logging::start();
    let values = Values::read(&arguments.values)?;
    let deployment = Deployment::open(arguments.data)?;
    let runtime = tokio::runtime::Runtime::new()?;
    runtime.block_on(async {
        let listener = TcpListener::bind(arguments.listen).await.with_context(|| {
            format!("cannot listen on {}; choose another --listen", arguments.listen)
        })?;
        println!("listening on http://{}", listener.local_addr()?);
        let router = deployment::router(deployment.clone());
        let server = axum::serve(listener, router).with_graceful_shutdown(logging::stop_signal());
        let server = tokio::spawn(server.into_future());
        deployment.update(&values).await?;
        server.await.context("the server broke off")??;
        Ok(ExitCode::SUCCESS)
    })
}
