//! The connections of a server: accepting them, and letting them end.

use std::{convert::Infallible, net::SocketAddr, pin::pin, time::Duration};

use axum::{
    Router,
    body::Body,
    extract::{ConnectInfo, Request},
    response::Response,
};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use tokio::{
    net::{TcpListener, TcpStream},
    sync::watch,
};
use tower::ServiceExt;

use crate::metrics::{Connections, Refusal};

/// How long to wait when the system has no more connections to give.
const PAUSE: Duration = Duration::from_millis(100);

/// Answers requests until it is asked to stop; those that have begun then come to their end.
pub(crate) async fn serve<A, F>(
    listener: TcpListener,
    stop: impl Future<Output = ()>,
    connections: Connections,
    answer: A,
) where
    A: Fn(Request, SocketAddr) -> F + Clone + Send + 'static,
    F: Future<Output = Response> + Send + 'static,
{
    allow_connections();
    let (stopping, stopped) = watch::channel(false);
    let mut stop = pin!(stop);
    loop {
        let accepted = tokio::select! {
            () = &mut stop => break,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, peer)) => {
                let open = connections.opened();
                let connection = connection(stream, peer, answer.clone(), stopped.clone());
                tokio::spawn(async move {
                    connection.await;
                    drop(open);
                });
            }
            Err(error) => {
                // A connection that broke off at once costs nothing; too many open ones take time.
                tracing::warn!(%error, "a connection was not accepted");
                connections.refused(Refusal::System);
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
    drop((listener, stopped));
    stopping.send_replace(true);
    // Each connection holds a receiver until it ends.
    stopping.closed().await;
}

/// The same with a router, whose handlers may ask for the address of the client.
pub(crate) async fn serve_router(
    listener: TcpListener,
    stop: impl Future<Output = ()>,
    connections: Connections,
    router: Router,
) {
    let answer = move |request, peer| route(router.clone(), request, peer);
    serve(listener, stop, connections, answer).await;
}

/// Answers a request from a router.
pub(crate) async fn route(router: Router, mut request: Request, peer: SocketAddr) -> Response {
    request.extensions_mut().insert(ConnectInfo(peer));
    let Ok(response) = router.oneshot(request).await;
    response
}

/// Lets the process have as many connections as the system allows, where the usual limit is low.
fn allow_connections() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Resource, getrlimit, setrlimit};

        let mut limit = getrlimit(Resource::Nofile);
        limit.current = limit.maximum;
        // With the usual limit there are fewer of them.
        let _unchanged = setrlimit(Resource::Nofile, limit);
    }
}

async fn connection<A, F>(
    stream: TcpStream,
    peer: SocketAddr,
    answer: A,
    mut stopped: watch::Receiver<bool>,
) where
    A: Fn(Request, SocketAddr) -> F,
    F: Future<Output = Response>,
{
    // Without this the end of an answer waits for the client's acknowledgement of its beginning.
    drop(stream.set_nodelay(true));
    let service = service_fn(move |request: hyper::Request<Incoming>| {
        let response = answer(request.map(Body::new), peer);
        async { Ok::<_, Infallible>(response.await) }
    });
    let connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
    let stop = async move { drop(stopped.wait_for(|stopped| *stopped).await) };
    let mut connection = pin!(connection);
    let ended = tokio::select! {
        ended = &mut connection => ended,
        () = stop => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection broke off");
    }
}
