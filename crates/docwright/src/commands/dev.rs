//! `docwright dev`: local site of a docs root, which reloads on save.

use std::{process::ExitCode, sync::Arc};

use docwright_http::{
    client::TrustedProxies,
    listen::{self, Bounds},
    listen_address::ListenAddress,
    metrics::Connections,
    signals::Signals,
};

use crate::{compile::CompileArguments, dev_server::Preview};

/// Serve a docs root locally; reload on save
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    compile: CompileArguments,
    /// Address to listen on, such as 127.0.0.1:3000
    ///
    /// A port alone, such as 3000, listens on this machine only. With a colon before it, such as :3000, it
    /// listens on every network. Port 0 takes a free port.
    #[arg(long, default_value = "127.0.0.1:3000", value_name = "ADDR")]
    listen: ListenAddress,
}

/// Runs the command until it is interrupted.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let preview = Arc::new(Preview::new(&arguments.compile)?);
    preview.rebuild();
    let _watcher = preview.watch()?;
    let signals = Signals::listen(listen::STOPPING_TIME)?;
    let runtime = tokio::runtime::Runtime::new()?;
    runtime.block_on(async {
        let listener = listen::bind(&arguments.listen, "--listen").await?;
        println!("listening on http://{}", listener.local_addr()?);
        let bounds = Bounds::public(TrustedProxies::default(), Connections::default());
        listen::serve_until(listener, signals, bounds, preview.router()).await;
        Ok(ExitCode::SUCCESS)
    })
}
