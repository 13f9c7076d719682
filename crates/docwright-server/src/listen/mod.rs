//! The connections of a server: accepting them, the limits of each and of all, and letting them end.
//!
//! One task accepts connections and counts ticks of a second. At each tick the `room` looks at every
//! connection: what it does (`connection`) and how fast its client is (`pace`). So a request costs a few
//! stores to memory, and no timers.

mod bind;
mod bodies;
mod connection;
mod pace;
mod room;
mod stream;
#[cfg(test)]
mod tests;

use std::{convert::Infallible, net::SocketAddr, pin::pin, sync::Arc, time::Duration};

use axum::{
    Router,
    extract::Request,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use tokio::{
    net::{TcpListener, TcpStream},
    sync::watch,
    time::{Interval, MissedTickBehavior, interval},
};
use tower::ServiceExt;

pub(crate) use bind::bind;

use bodies::{Answering, RequestBody};
use connection::End;
use room::{Place, Room};
use stream::Stream;

use crate::{
    client::TrustedProxies,
    metrics::{Connections, Refusal},
    signals::Signals,
};

/// How long to wait when the system has no more connections to give.
const PAUSE: Duration = Duration::from_millis(100);
/// How long requests may go on when the process stops.
const LAST_REQUESTS: Duration = Duration::from_secs(5);
/// What a process that only serves needs to stop, and some more.
pub(crate) const STOPPING_TIME: Duration = Duration::from_secs(10);
/// How often connections are looked at.
const TICK: Duration = Duration::from_secs(1);
/// Connections of a listener at most, whatever the system allows: each takes some memory.
const MOST: usize = 16_384;
/// Connections of a listener for probes.
const PROBES: usize = 64;
/// Handles of a process where the system does not say.
const USUAL_HANDLES: usize = 1_024;
/// Longest head of a request. Bytes.
const MAXIMUM_HEAD: usize = 64 * 1024;
/// What a client gets that is refused before it says anything.
const REFUSED: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 5\r\nconnection: close\r\n\
    content-type: text/plain\r\n\r\nThere are too many connections; try again in a while.\n";

/// How a listener treats its clients.
#[derive(Debug, Clone)]
pub(crate) struct Bounds {
    /// Connections at most.
    most: usize,
    proxies: TrustedProxies,
    tick: Duration,
    counted: Connections,
}

impl Bounds {
    /// Those of a listener for everybody. Half of the handles of the process are for connections; files,
    /// git and the database need some as well.
    pub(crate) fn public(proxies: TrustedProxies, counted: Connections) -> Self {
        Self { most: (allow_handles() / 2).min(MOST), proxies, tick: TICK, counted }
    }

    /// Those of a listener for probes. They are few, and never refused because there are many readers.
    pub(crate) fn probes() -> Self {
        let (proxies, counted) = (TrustedProxies::default(), Connections::default());
        Self { most: PROBES, proxies, tick: TICK, counted }
    }
}

/// Answers requests until it is asked to stop; those that have begun then come to their end. Where the
/// future is dropped instead, so are the connections.
pub(crate) async fn serve<A, F>(
    listener: TcpListener,
    stop: impl Future<Output = ()>,
    bounds: Bounds,
    answer: A,
) where
    A: Fn(Request) -> F + Clone + Send + 'static,
    F: Future<Output = Response> + Send + 'static,
{
    let room = Room::new(bounds.most, bounds.proxies);
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
                    let counted = bounds.counted.opened();
                    tokio::spawn(async move {
                        connection(stream, (peer, place), answer).await;
                        drop((counted, closed));
                    });
                }
                Err(refusal) => {
                    bounds.counted.refused(refusal);
                    // It fits into the buffer of a new connection.
                    drop(stream.try_write(REFUSED));
                }
            },
            Err(error) => {
                // A connection that broke off at once costs nothing; too many open ones take time.
                tracing::warn!(%error, "a connection was not accepted");
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
pub(crate) async fn serve_router(
    listener: TcpListener,
    stop: impl Future<Output = ()>,
    bounds: Bounds,
    router: Router,
) {
    serve(listener, stop, bounds, move |request| route(router.clone(), request)).await;
}

/// The same until the process is asked to stop; requests that go on for too long then are cut off.
pub(crate) async fn serve_until(
    listener: TcpListener,
    signals: Signals,
    bounds: Bounds,
    router: Router,
) {
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
pub(crate) async fn route(router: Router, request: Request) -> Response {
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

/// Lets the process have as many handles as the system allows, where the usual limit is low. Returns
/// that number.
fn allow_handles() -> usize {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Resource, getrlimit, setrlimit};

        let mut limit = getrlimit(Resource::Nofile);
        limit.current = limit.maximum;
        // With the usual limit there are fewer of them.
        let _unchanged = setrlimit(Resource::Nofile, limit);
        let handles = getrlimit(Resource::Nofile).current;
        handles.and_then(|handles| usize::try_from(handles).ok()).unwrap_or(USUAL_HANDLES)
    }
    #[cfg(not(target_os = "linux"))]
    USUAL_HANDLES
}

async fn connection<A, F>(stream: TcpStream, (peer, place): (SocketAddr, Place), answer: A)
where
    A: Fn(Request) -> F,
    F: Future<Output = Response>,
{
    let asked = Arc::clone(&place.connection);
    let stream = Stream::new(stream, Arc::clone(&asked));
    let service = service_fn(move |request: hyper::Request<Incoming>| {
        let connection = &place.connection;
        let answering = Answering::begin(connection);
        let connection = Arc::clone(connection);
        let client = place.room.proxies().client(peer.ip(), request.headers());
        let mut request = request.map(|body| RequestBody::body(body, &connection));
        request.extensions_mut().insert(client);
        let response = answer(request);
        async move {
            let mut response = response.await;
            if connection.is_late() {
                response = too_slow();
            }
            Ok::<_, Infallible>(response.map(|body| answering.body(body)))
        }
    });
    let connection = http1::Builder::new()
        .max_buf_size(MAXIMUM_HEAD)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = pin!(connection);
    let ended = loop {
        tokio::select! {
            biased;
            ended = &mut connection => break ended,
            end = asked.asked() => match end {
                End::Gently => connection.as_mut().graceful_shutdown(),
                End::AtOnce => return,
            }
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection broke off");
    }
}

/// The answer to a request whose body came too slowly.
fn too_slow() -> Response {
    let text = "The body came too slowly; send at least 16 kB a minute.\n";
    let mut response = (StatusCode::REQUEST_TIMEOUT, text).into_response();
    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    response
}
