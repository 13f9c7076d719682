//! `docwright dev`: live preview of a docs root, which reloads on save.

use std::{net::SocketAddr, process::ExitCode, sync::Arc};

use anyhow::Context;
use tokio::net::TcpListener;

use crate::{
    client::TrustedProxies,
    compile::CompileArguments,
    listen::{self, Bounds},
    metrics::Connections,
    preview::Preview,
    signals::Signals,
};

/// Preview a docs root; reloads on save.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    compile: CompileArguments,
    /// Address to listen on; port 0 takes a free one
    #[arg(long, default_value = "127.0.0.1:3000", value_name = "ADDR")]
    listen: SocketAddr,
}

/// Runs the command until it is interrupted.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let preview = Arc::new(Preview::new(&arguments.compile)?);
    preview.rebuild();
    let _watcher = preview.watch()?;
    let signals = Signals::listen(listen::STOPPING_TIME)?;
    let runtime = tokio::runtime::Runtime::new()?;
    runtime.block_on(async {
        let listener = TcpListener::bind(arguments.listen).await.with_context(|| {
            format!("cannot listen on {}; choose another --listen", arguments.listen)
        })?;
        println!("listening on http://{}", listener.local_addr()?);
        let bounds = Bounds::public(TrustedProxies::default(), Connections::default());
        listen::serve_until(listener, signals, bounds, preview.router()).await;
        Ok(ExitCode::SUCCESS)
    })
}
