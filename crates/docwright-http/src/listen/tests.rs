//! Attacks on a listener, over real connections. Its ticks are short, so the tests are fast.

use std::{
    net::{IpAddr, Ipv4Addr},
    sync::atomic::{AtomicUsize, Ordering},
};

use axum::body::{Body, Bytes, to_bytes};
use docwright_testing::wait::eventually;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpSocket,
    sync::oneshot,
    task::JoinHandle,
    time::{sleep, timeout},
};

use super::*;

pub(super) const FAST: Duration = Duration::from_millis(20);
/// The contents of an endless answer.
static CHUNK: [u8; 64 * 1024] = [b'x'; 64 * 1024];
/// Longer than any step of these tests.
pub(super) const DEADLINE: Duration = Duration::from_mins(1);

/// A listener that answers `/` immediately, `/echo` with the length of the body, and `/endless` without end.
pub(super) struct Server {
    pub(super) address: SocketAddr,
    pub(super) stop: Option<oneshot::Sender<()>>,
    pub(super) task: JoinHandle<()>,
    /// Endless answers that are under way.
    endless: Arc<AtomicUsize>,
}

impl Server {
    async fn start(most: usize, proxies: TrustedProxies) -> Self {
        Self::start_with(most, proxies, None).await
    }

    pub(super) async fn start_with(
        most: usize,
        proxies: TrustedProxies,
        tls: Option<Arc<ServerConfig>>,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel();
        let endless = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&endless);
        let bounds = Bounds { most, proxies, tick: FAST, counted: Connections::default(), tls };
        let answer = move |request| answer(request, Arc::clone(&count));
        let task = tokio::spawn(serve(listener, async { drop(stopped.await) }, bounds, answer));
        Self { address, stop: Some(stop), task, endless }
    }

    async fn connect_from(&self, address: IpAddr) -> TcpStream {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind(SocketAddr::new(address, 0)).unwrap();
        socket.connect(self.address).await.unwrap()
    }

    pub(super) async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    async fn send(&self, text: &str) -> TcpStream {
        let mut stream = self.connect().await;
        stream.write_all(text.as_bytes()).await.unwrap();
        stream
    }

    /// Whether a number of endless answers are under way.
    pub(super) fn has_endless(&self, count: usize) -> bool {
        self.endless.load(Ordering::SeqCst) == count
    }

    /// Waits until a number of endless answers are under way.
    pub(super) async fn wait_for_endless(&self, count: usize) {
        let what = format!("{count} endless answers are under way");
        eventually(&what, async || self.has_endless(count)).await;
    }
}

struct Counted(Arc<AtomicUsize>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

async fn answer(request: Request, endless: Arc<AtomicUsize>) -> Response {
    match request.uri().path() {
        "/echo" => match to_bytes(request.into_body(), usize::MAX).await {
            Ok(bytes) => bytes.len().to_string().into_response(),
            Err(error) => (StatusCode::BAD_REQUEST, error.to_string()).into_response(),
        },
        "/endless" => {
            endless.fetch_add(1, Ordering::SeqCst);
            let counted = Counted(endless);
            let chunks = futures::stream::repeat_with(move || {
                let _until_it_ends = &counted;
                Ok::<_, Infallible>(Bytes::from_static(&CHUNK))
            });
            Response::new(Body::from_stream(chunks))
        }
        _ => "hello".into_response(),
    }
}

const GET: &str = "GET / HTTP/1.1\r\nhost: a\r\n\r\n";
const GET_ENDLESS: &str = "GET /endless HTTP/1.1\r\nhost: a\r\n\r\n";

/// Reads until the server closes the connection.
pub(super) async fn rest(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    // A reset connection has ended too.
    let _end = timeout(DEADLINE, stream.read_to_end(&mut bytes)).await.expect("it ends");
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Reads the answer to [`GET`] and leaves the connection open.
async fn hello(stream: &mut TcpStream) -> bool {
    let mut seen = Vec::new();
    let mut buffer = [0; 1024];
    while !seen.ends_with(b"hello") {
        match timeout(DEADLINE, stream.read(&mut buffer)).await.expect("it answers or ends") {
            Ok(0) | Err(_) => return false,
            Ok(count) => seen.extend_from_slice(&buffer[..count]),
        }
    }
    true
}

async fn is_served(server: &Server) -> bool {
    hello(&mut server.send(GET).await).await
}

#[tokio::test]
async fn half_sent_requests_are_cut_off() {
    let server = Server::start(1_000, TrustedProxies::default()).await;
    let halves = ["", "G", "GET / HTTP/1.1\r\nhost: a\r\nx-", "POST / HTTP/1.1\r\nhost: a\r\n"];
    let mut streams = Vec::new();
    for each in 0..200 {
        streams.push(server.send(halves[each % halves.len()]).await);
    }
    assert!(is_served(&server).await);
    for stream in &mut streams {
        assert_eq!(rest(stream).await, "");
    }
    // A client that trickles is no better, since the time is for the whole head.
    let mut slow = server.send("GET / HTTP/1.1\r\n").await;
    let trickled = async {
        while slow.write_all(b"x-a: b\r\n").await.is_ok() {
            sleep(FAST).await; // waits: a slow client is slow
        }
    };
    timeout(DEADLINE, trickled).await.expect("it is cut off");
}

#[tokio::test]
async fn idle_connection_is_kept_for_a_while() {
    let server = Server::start(10, TrustedProxies::default()).await;
    let mut stream = server.send(GET).await;
    assert!(hello(&mut stream).await);
    // Longer than the time of a head.
    let mut half = server.send("GET / HT").await;
    assert_eq!(rest(&mut half).await, "");
    stream.write_all(GET.as_bytes()).await.unwrap();
    assert!(hello(&mut stream).await);
    // A half-sent request on a kept connection is cut off too.
    stream.write_all(b"GET / HT").await.unwrap();
    assert_eq!(rest(&mut stream).await, "");
    let mut stream = server.send(GET).await;
    assert!(hello(&mut stream).await);
    assert_eq!(rest(&mut stream).await, "");
}

#[tokio::test]
async fn slow_bodies_are_refused_and_steady_bodies_accepted() {
    let server = Server::start(10, TrustedProxies::default()).await;
    let head = "POST /echo HTTP/1.1\r\nhost: a\r\ncontent-length: 100000\r\n\r\n";
    let mut stalled = server.send(&format!("{head}some")).await;
    let answer = rest(&mut stalled).await;
    assert!(answer.starts_with("HTTP/1.1 408") && answer.contains("16 kB per minute"), "{answer}");
    let mut slow = server.send(head).await;
    let trickled = async {
        while slow.write_all(b"x").await.is_ok() {
            sleep(FAST).await; // waits: a slow client is slow
        }
    };
    timeout(DEADLINE, trickled).await.expect("it is cut off");
    let mut steady = server.send(head).await;
    for _ in 0..100 {
        steady.write_all(&[b'x'; 1000]).await.unwrap();
        sleep(FAST).await; // waits: a slow client is slow
    }
    let mut answer = [0; 12];
    steady.read_exact(&mut answer).await.unwrap();
    assert_eq!(&answer, b"HTTP/1.1 200");
}

#[tokio::test]
async fn answer_says_that_an_unread_body_closes_its_connection() {
    let server = Server::start(10, TrustedProxies::default()).await;
    let head = "HTTP/1.1\r\nhost: a\r\ncontent-length: 1000000";
    let mut unread = server.send(&format!("POST / {head}\r\n\r\nsome")).await;
    let answer = rest(&mut unread).await;
    assert!(answer.contains("connection: close") && answer.ends_with("hello"), "{answer}");
    let chunks = "HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n4\r\nsome\r\n0\r\n\r\n";
    let length = "HTTP/1.1\r\nhost: a\r\ncontent-length: 4\r\n\r\nsome";
    for request in [chunks, length] {
        let mut read = server.send(&format!("POST /echo {request}")).await;
        let mut answer = Vec::new();
        while !answer.ends_with(b"\r\n\r\n4") {
            answer.push(timeout(DEADLINE, read.read_u8()).await.expect("it answers").unwrap());
        }
        assert!(!String::from_utf8_lossy(&answer).contains("connection: close"), "{request}");
        read.write_all(GET.as_bytes()).await.unwrap();
        assert!(hello(&mut read).await);
    }
}

#[tokio::test]
async fn unread_answers_are_dropped() {
    let server = Server::start(10, TrustedProxies::default()).await;
    let stream = server.send(GET_ENDLESS).await;
    server.wait_for_endless(1).await;
    server.wait_for_endless(0).await;
    drop(stream);
    // A client that keeps reading is served, for longer than one that does not.
    let mut reader = server.send(GET_ENDLESS).await;
    server.wait_for_endless(1).await;
    let _stalled = server.send(GET_ENDLESS).await;
    let mut buffer = vec![0; 64 * 1024];
    for count in [2, 1] {
        let reached = async {
            while !server.has_endless(count) {
                assert!(reader.read(&mut buffer).await.unwrap() > 0);
            }
        };
        timeout(DEADLINE, reached).await.expect("the other one begins, and is given up");
    }
    assert!(reader.read(&mut buffer).await.unwrap() > 0);
}

#[tokio::test]
async fn idle_connections_close_before_new_ones_are_refused() {
    // Every client is a trusted proxy here, so shares of clients don't matter.
    let everyone = TrustedProxies::new(vec!["127.0.0.0/8".parse().unwrap()]);
    let server = Server::start(8, everyone).await;
    let mut kept = Vec::new();
    for _ in 0..8 {
        let mut stream = server.send(GET).await;
        assert!(hello(&mut stream).await);
        kept.push(stream);
    }
    assert!(is_served(&server).await, "an idle connection makes way");
    assert_eq!(rest(&mut kept[0]).await, "", "the one that waited for the longest");
    let mut busy = Vec::new();
    for count in 1..=8 {
        busy.push(read_on(server.send(GET_ENDLESS).await));
        server.wait_for_endless(count).await;
    }
    let answer = rest(&mut server.connect().await).await;
    assert!(answer.starts_with("HTTP/1.1 503") && answer.contains("Try again"), "{answer}");
    for reader in &busy {
        reader.abort();
    }
    server.wait_for_endless(0).await;
    assert!(is_served(&server).await);
}

#[tokio::test]
async fn slow_clients_close_before_new_ones_are_refused() {
    let everyone = TrustedProxies::new(vec!["127.0.0.0/8".parse().unwrap()]);
    let server = Server::start(8, everyone).await;
    let mut slow = Vec::new();
    for count in 1..=4 {
        slow.push(server.send(GET_ENDLESS).await);
        server.wait_for_endless(count).await;
        let head = "POST /echo HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\n";
        slow.push(server.send(head).await);
    }
    // Before that they have a few ticks.
    eventually("one of them makes way", async || is_served(&server).await).await;
}

/// Reads while bytes arrive.
fn read_on(mut stream: TcpStream) -> JoinHandle<()> {
    tokio::spawn(async move {
        let mut buffer = vec![0; 256 * 1024];
        while matches!(stream.read(&mut buffer).await, Ok(1..)) {}
    })
}

#[tokio::test]
async fn client_uses_at_most_half_of_connections() {
    let server = Server::start(8, TrustedProxies::default()).await;
    let [greedy, other] = [2, 3].map(|last| IpAddr::from(Ipv4Addr::new(127, 0, 0, last)));
    let mut taken = Vec::new();
    for count in 1..=4 {
        let mut stream = server.connect_from(greedy).await;
        stream.write_all(GET_ENDLESS.as_bytes()).await.unwrap();
        server.wait_for_endless(count).await;
        taken.push(read_on(stream));
    }
    let refused = rest(&mut server.connect_from(greedy).await).await;
    assert!(refused.starts_with("HTTP/1.1 503"), "{refused}");
    for _ in 0..4 {
        let mut stream = server.connect_from(other).await;
        stream.write_all(GET.as_bytes()).await.unwrap();
        assert!(hello(&mut stream).await);
    }
}

#[tokio::test]
async fn stopping_finishes_answers_and_closes_the_rest() {
    let mut server = Server::start(10, TrustedProxies::default()).await;
    let (mut silent, mut half) = (server.connect().await, server.send("GET / HT").await);
    let mut kept = server.send(GET).await;
    assert!(hello(&mut kept).await);
    let head = "POST /echo HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\n";
    let mut answered = server.send(&format!("{head}12345")).await;
    // The server has received all of this before it is asked to stop.
    assert!(is_served(&server).await);
    drop(server.stop.take());
    for stream in [&mut silent, &mut half, &mut kept] {
        assert_eq!(rest(stream).await, "");
    }
    answered.write_all(b"67890").await.unwrap();
    let answer = rest(&mut answered).await;
    assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("10"), "{answer}");
    timeout(DEADLINE, server.task).await.expect("it ends").unwrap();
}

#[tokio::test]
async fn endless_answer_ends_with_listener() {
    let mut server = Server::start(10, TrustedProxies::default()).await;
    let mut stream = server.send(GET_ENDLESS).await;
    server.wait_for_endless(1).await;
    drop(server.stop.take());
    server.task.abort();
    server.wait_for_endless(0).await;
    let mut sink = vec![0; 1024 * 1024];
    let ended = async { while !matches!(stream.read(&mut sink).await, Ok(0) | Err(_)) {} };
    timeout(DEADLINE, ended).await.expect("it is closed");
}

#[tokio::test]
async fn handlers_know_the_client() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let proxies = TrustedProxies::new(vec!["127.0.0.1/32".parse().unwrap()]);
    let counted = Connections::default();
    let bounds = Bounds { most: 10, proxies, tick: FAST, counted, tls: None };
    let tell = async |request: Request| {
        let client = crate::client::ClientAddress::of(&request.into_parts().0);
        format!("{:?} {}", client.address, client.scheme()).into_response()
    };
    tokio::spawn(serve(listener, std::future::pending(), bounds, move |request| async move {
        tell(request).await
    }));
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = "GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\nx-forwarded-for: 6.6.6.6, 192.0.2.7\r\nx-forwarded-proto: https\r\n\r\n";
    stream.write_all(request.as_bytes()).await.unwrap();
    let answer = rest(&mut stream).await;
    assert!(answer.ends_with("Some(192.0.2.7) https"), "{answer}");
}
