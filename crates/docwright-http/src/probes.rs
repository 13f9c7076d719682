//! The private listener of probes and metrics.

use std::net::SocketAddr;

use axum::{Router, middleware};
use tokio::{net::TcpListener, task::JoinHandle};

use crate::{
    listen::{self, Bounds},
    request,
};

/// Serves probes and metrics until it is dropped, also while the process stops.
#[derive(Debug)]
pub struct Probes {
    address: SocketAddr,
    server: JoinHandle<()>,
}

impl Probes {
    /// Starts to serve.
    pub fn serve(listener: TcpListener, router: Router) -> anyhow::Result<Self> {
        let address = listener.local_addr()?;
        let router = router.layer(middleware::map_response(request::log_cause));
        let server =
            listen::serve_router(listener, std::future::pending(), Bounds::probes(), router);
        Ok(Self { address, server: tokio::spawn(server) })
    }

    /// Its address.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Probes {
    fn drop(&mut self) {
        self.server.abort();
    }
}
