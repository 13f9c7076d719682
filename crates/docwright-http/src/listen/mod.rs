//! The connections of a server: accepting them, limiting them, and ending them.
//!
//! One task accepts connections and counts ticks of a second. At each tick the `room` checks every connection: its
//! phase (`connection`) and the pace of its client (`pace`). So a request costs a few stores to memory, and no
//! timers. With TLS there can be HTTP/2, whose requests are simultaneous (`exchange`, `http2`).

mod bind;
mod bodies;
mod connection;
mod exchange;
mod heads;
mod http2;
mod pace;
mod room;
mod stream;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tls_tests;

use std::{
    convert::Infallible,
    net::SocketAddr,
    pin::{Pin, pin},
    sync::Arc,
    time::Duration,
};

use axum::{
    Router,
    extract::Request,
    http::{HeaderValue, StatusCode, Version, header},
    response::{IntoResponse, Response},
};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use rustls::ServerConfig;
use tokio::{
    net::{TcpListener, TcpStream},
    sync::watch,
    time::{Interval, MissedTickBehavior, interval},
};
use tokio_rustls::TlsAcceptor;
use tower::ServiceExt;

pub use bind::bind;

use bodies::{AnswerBody, Answering, RequestBody};
use connection::{Connection, End};
use room::{ConnectionSlot, Room};
use stream::Stream;

use crate::{
    client::TrustedProxies,
    metrics::{Connections, Refusal},
    signals::Signals,
};

/// How long to wait when the system has no more connections.
const PAUSE: Duration = Duration::from_millis(100);
/// How long requests can continue when the process stops.
const LAST_REQUESTS: Duration = Duration::from_secs(5);
/// Time for a process that only serves to stop, with a reserve.
pub const STOPPING_TIME: Duration = Duration::from_secs(10);
/// How often connections are checked.
const TICK: Duration = Duration::from_secs(1);
/// Connections that a listener can have, even if the system allows more: each uses some memory.
const MOST: usize = 16_384;
/// Connections of a listener for probes.
const PROBES: usize = 64;
/// Handles of a process if the system does not report them.
const USUAL_HANDLES: usize = 1_024;
/// Longest head of a request. Bytes.
const MAXIMUM_HEAD: usize = 64 * 1024;
/// Length of a head up to which docwright itself answers a request, in bytes. Longer ones get only a status from
/// hyper.
const READ_HEAD: usize = 4 * MAXIMUM_HEAD;
/// The response to a client that is refused before its request is read.
const REFUSED: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 5\r\nconnection: close\r\n\
    content-type: text/plain\r\n\r\nToo many connections. Try again soon.\n";

/// Settings of a listener.
#[derive(Debug, Clone)]
pub struct Bounds {
    /// Connections at most.
    most: usize,
    proxies: TrustedProxies,
    tick: Duration,
    counted: Connections,
    /// The TLS settings, if it speaks TLS.
    tls: Option<Arc<ServerConfig>>,
}

impl Bounds {
    /// Settings of a public listener. Half of the handles of the process are for connections; files, git, and the
    /// database need some as well.
    pub fn public(proxies: TrustedProxies, counted: Connections) -> Self {
        Self { most: (allow_handles() / 2).min(MOST), proxies, tick: TICK, counted, tls: None }
    }

    /// Settings of a listener for probes. These connections are few, and never refused because of many readers.
    pub fn probes() -> Self {
        let (proxies, counted) = (TrustedProxies::default(), Connections::default());
        Self { most: PROBES, proxies, tick: TICK, counted, tls: None }
    }

    /// The same for each of two listeners, which share the handles of the process.
    #[must_use]
    pub const fn halved(mut self) -> Self {
        self.most = self.most.div_ceil(2);
        self
    }

    /// The same for a listener with TLS.
    #[must_use]
    pub fn with_tls(self, config: Arc<ServerConfig>) -> Self {
        Self { tls: Some(config), ..self }
    }
}

/// Answers requests until it is asked to stop; requests that have started are finished. Dropping the future drops
/// the connections.
pub async fn serve<A, F>(
    listener: TcpListener,
    stop: impl Future<Output = ()>,
    bounds: Bounds,
    answer: A,
) where
    A: Fn(Request) -> F + Clone + Send + 'static,
    F: Future<Output = Response> + Send + 'static,
{
    let room = Room::new(bounds.most, bounds.proxies);
    let tls = bounds.tls.map(TlsAcceptor::from);
    let _ended_with_this = Ended(Arc::clone(&room));
    let mut ticks = interval(bounds.tick);
    // Time in which the process did not run does not count.
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let (open, closed) = watch::channel(());
    let mut stop = pin!(stop);
    loop {
        let accepted = tokio::select! {
            () = &mut stop => break,
            accepted = listener.accept() => accepted,
            _ = ticks.tick() => {
                room.tick();
                continue;
            }
        };
        match accepted {
            Ok((stream, peer)) => match room.enter(peer.ip()) {
                Ok(place) => {
                    let (answer, closed) = (answer.clone(), closed.clone());
                    let (counted, tls) = (bounds.counted.opened(), tls.clone());
                    tokio::spawn(async move {
                        connection(stream, tls, (peer, place), answer).await;
                        drop((counted, closed));
                    });
                }
                Err(refusal) => {
                    bounds.counted.refused(refusal);
                    if tls.is_none() {
                        // It fits into the buffer of a new connection.
                        drop(stream.try_write(REFUSED));
                    }
                }
            },
            Err(error) => {
                // A connection that broke immediately costs nothing; reaching the limit of connections takes time.
                tracing::warn!(%error, "connection not accepted");
                bounds.counted.refused(Refusal::System);
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
    drop((listener, closed));
    room.stop();
    // Each connection holds a receiver until it ends.
    tokio::select! {
        () = open.closed() => {}
        () = go_on(&room, &mut ticks) => {}
    }
}

/// The same with a router.
pub async fn serve_router(
    listener: TcpListener,
    stop: impl Future<Output = ()>,
    bounds: Bounds,
    router: Router,
) {
    serve(listener, stop, bounds, move |request| route(router.clone(), request)).await;
}

/// The same until the process is asked to stop; requests that take too long are then cut off.
pub async fn serve_until(listener: TcpListener, signals: Signals, bounds: Bounds, router: Router) {
    let stop = signals.clone().stop();
    let overdue = async {
        signals.stop().await;
        tokio::time::sleep(LAST_REQUESTS).await;
    };
    tokio::select! {
        () = serve_router(listener, async { let _signal = stop.await; }, bounds, router) => {}
        () = overdue => {}
    }
}

/// Answers a request from a router.
pub async fn route(router: Router, request: Request) -> Response {
    let Ok(response) = router.oneshot(request).await;
    response
}

/// Ends the connections of a room when it is dropped.
struct Ended(Arc<Room>);

impl Drop for Ended {
    fn drop(&mut self) {
        self.0.end();
    }
}

async fn go_on(room: &Room, ticks: &mut Interval) {
    loop {
        ticks.tick().await;
        room.tick();
    }
}

/// Raises the limit of handles of the process to the system's maximum. Returns that number.
fn allow_handles() -> usize {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Resource, getrlimit, setrlimit};

        let mut limit = getrlimit(Resource::Nofile);
        limit.current = limit.maximum;
        // The default limit allows fewer of them.
        let _unchanged = setrlimit(Resource::Nofile, limit);
        let handles = getrlimit(Resource::Nofile).current;
        handles.and_then(|handles| usize::try_from(handles).ok()).unwrap_or(USUAL_HANDLES)
    }
    #[cfg(not(target_os = "linux"))]
    USUAL_HANDLES
}

async fn connection<A, F>(
    stream: TcpStream,
    tls: Option<TlsAcceptor>,
    (peer, place): (SocketAddr, ConnectionSlot),
    answer: A,
) where
    A: Fn(Request) -> F + Send + 'static,
    F: Future<Output = Response> + Send + 'static,
{
    let connection = Arc::clone(&place.connection);
    let stream = Stream::new(stream, Arc::clone(&connection));
    let is_tls = tls.is_some();
    let service = service_fn(move |request| respond(request, (peer, is_tls), &place, &answer));
    let mut http1 = http1::Builder::new();
    http1.max_buf_size(READ_HEAD);
    let Some(tls) = tls else {
        let served = http1.serve_connection(TokioIo::new(stream), service);
        return run(served, &connection, http1::Connection::graceful_shutdown).await;
    };
    let shaken = tokio::select! {
        shaken = tls.accept(stream) => shaken,
        _ = connection.asked() => return,
    };
    match shaken {
        Ok(stream) if stream.get_ref().1.alpn_protocol() == Some(b"h2") => {
            connection.multiplex();
            let served = http2::builder().serve_connection(TokioIo::new(stream), service);
            run(served, &connection, hyper::server::conn::http2::Connection::graceful_shutdown)
                .await;
        }
        Ok(stream) => {
            let served = http1.serve_connection(TokioIo::new(stream), service);
            run(served, &connection, http1::Connection::graceful_shutdown).await;
        }
        // Scanners try unknown names and old protocols.
        Err(error) => tracing::debug!(%error, "handshake failed"),
    }
}

/// Serves a connection until it ends, or must end.
async fn run<C>(served: C, connection: &Connection, end_gently: impl Fn(Pin<&mut C>))
where
    C: Future<Output = hyper::Result<()>>,
{
    let mut served = pin!(served);
    let ended = loop {
        tokio::select! {
            biased;
            ended = &mut served => break ended,
            end = connection.asked() => match end {
                End::Gently => end_gently(served.as_mut()),
                End::AtOnce => return,
            }
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "connection lost");
    }
}

/// Answers a request of a connection.
fn respond<A, F>(
    request: hyper::Request<Incoming>,
    (peer, is_tls): (SocketAddr, bool),
    place: &ConnectionSlot,
    answer: &A,
) -> impl Future<Output = Result<hyper::Response<AnswerBody>, Infallible>> + use<A, F>
where
    A: Fn(Request) -> F,
    F: Future<Output = Response>,
{
    let answering = Answering::begin(&place.connection);
    let exchange = place.connection.begin_exchange();
    let (mut client, forwarded) = place.room.proxies().client(peer.ip(), request.headers());
    client.is_https |= is_tls && !client.is_proxied;
    let is_beside = request.version() == Version::HTTP_2;
    let mut request = request.map(|body| RequestBody::body(body, &exchange));
    request.extensions_mut().insert(client);
    if let Some(forwarded) = forwarded {
        request.extensions_mut().insert(forwarded);
    }
    let response = if heads::is_too_large(&request) { None } else { Some(answer(request)) };
    async move {
        let mut response = match response {
            Some(response) => response.await,
            None => heads::refused(),
        };
        if exchange.is_late() {
            response = too_slow();
        }
        // Otherwise a client would send its next request into a connection that is about to close.
        if exchange.has_unread_body() && !is_beside {
            response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        Ok(response.map(|body| {
            if is_beside { answering.body_beside(body, exchange) } else { answering.body(body) }
        }))
    }
}

/// The answer to a request whose body arrived too slowly.
fn too_slow() -> Response {
    let text = "The body arrived too slowly. Send at least 16 kB per minute.\n";
    (StatusCode::REQUEST_TIMEOUT, text).into_response()
}
