//! Attacks on a listener with TLS, mostly over HTTP/2.

use axum::body::Bytes;
use docwright_testing::wait::eventually;
use h2::{
    Reason,
    client::{Builder, SendRequest},
};
use rcgen::{CertificateParams, KeyPair};
use rustls::{
    ClientConfig, RootCertStore,
    pki_types::{CertificateDer, PrivateKeyDer, ServerName},
};
use tokio::{io::AsyncWriteExt, task::JoinHandle, time::sleep, time::timeout};
use tokio_rustls::{TlsConnector, client::TlsStream};

use super::{
    tests::{DEADLINE, FAST, Server, rest},
    *,
};

struct Secure {
    server: Server,
    trusted: CertificateDer<'static>,
}

type Requests = SendRequest<Bytes>;

impl Secure {
    async fn start() -> Self {
        let key = KeyPair::generate().unwrap();
        let made = CertificateParams::new(vec!["a.example".to_owned()]).unwrap().self_signed(&key);
        let trusted = made.unwrap().der().clone();
        let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let builder = ServerConfig::builder_with_provider(provider);
        let builder = builder.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
        let mut config = builder.with_single_cert(vec![trusted.clone()], key).unwrap();
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        let server =
            Server::start_with(100, TrustedProxies::default(), Some(Arc::new(config))).await;
        Self { server, trusted }
    }

    async fn shake(&self, protocol: &[u8]) -> TlsStream<TcpStream> {
        let mut roots = RootCertStore::empty();
        roots.add(self.trusted.clone()).unwrap();
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let builder = ClientConfig::builder_with_provider(provider);
        let builder = builder.with_safe_default_protocol_versions().unwrap();
        let mut config = builder.with_root_certificates(roots).with_no_client_auth();
        config.alpn_protocols = vec![protocol.to_vec()];
        let name = ServerName::try_from("a.example").unwrap();
        let stream = self.server.connect().await;
        TlsConnector::from(Arc::new(config)).connect(name, stream).await.unwrap()
    }

    /// A connection of HTTP/2, and the task that ends with it.
    async fn http2(&self, builder: &Builder) -> (Requests, JoinHandle<Result<(), h2::Error>>) {
        let stream = self.shake(b"h2").await;
        let (requests, connection) = builder.handshake(stream).await.unwrap();
        (requests, tokio::spawn(connection))
    }

    async fn is_served(&self) -> bool {
        let (mut requests, _connection) = self.http2(&Builder::new()).await;
        text(&mut requests, "/").await.as_deref() == Some("hello")
    }
}

fn request(path: &str) -> hyper::Request<()> {
    hyper::Request::builder().uri(format!("https://a.example{path}")).body(()).unwrap()
}

async fn text(requests: &mut Requests, path: &str) -> Option<String> {
    fetch(requests, path).await.ok()
}

async fn fetch(requests: &mut Requests, path: &str) -> Result<String, h2::Error> {
    futures::future::poll_fn(|context| requests.poll_ready(context)).await?;
    let (answer, _) = requests.send_request(request(path), true)?;
    let mut body = answer.await?.into_body();
    let mut all = Vec::new();
    while let Some(part) = body.data().await {
        let part = part?;
        body.flow_control().release_capacity(part.len())?;
        all.extend_from_slice(&part);
    }
    Ok(String::from_utf8_lossy(&all).into_owned())
}

#[tokio::test]
async fn both_protocols_are_spoken() {
    let secure = Secure::start().await;
    assert!(secure.is_served().await);
    let mut stream = secure.shake(b"http/1.1").await;
    stream.write_all(b"GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n").await.unwrap();
    let mut answer = String::new();
    drop(tokio::io::AsyncReadExt::read_to_string(&mut stream, &mut answer).await);
    assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("hello"), "{answer}");
    // Many at once, over one connection.
    let (mut requests, _connection) = secure.http2(&Builder::new()).await;
    // After the first answer the client knows the limit of streams, and holds back the others.
    assert_eq!(fetch(&mut requests, "/").await.unwrap(), "hello");
    let all = (0..300).map(|_| {
        let mut requests = requests.clone();
        async move { fetch(&mut requests, "/").await }
    });
    let all = timeout(DEADLINE, futures::future::join_all(all)).await.expect("they are answered");
    for (number, text) in all.into_iter().enumerate() {
        assert_eq!(text.expect("it is answered"), "hello", "{number}");
    }
}

#[tokio::test]
async fn half_sent_handshake_is_cut_off() {
    let secure = Secure::start().await;
    for half in [b"".as_slice(), b"\x16\x03\x01\x02\x00\x01\x00", b"GET / HTTP/1.1\r\n\r\n"] {
        let mut stream = secure.server.connect().await;
        stream.write_all(half).await.unwrap();
        rest(&mut stream).await;
    }
    // So are connections that send nothing in their protocol, or only pings.
    let (requests, connection) = secure.http2(&Builder::new()).await;
    timeout(DEADLINE, connection).await.expect("it ends").unwrap().ok();
    drop(requests);
    let stream = secure.shake(b"h2").await;
    let (mut requests, mut connection) =
        Builder::new().handshake::<_, Bytes>(stream).await.unwrap();
    let mut pings = connection.ping_pong().unwrap();
    let connection = tokio::spawn(connection);
    assert!(text(&mut requests, "/").await.is_some());
    let pinging = async { while pings.ping(h2::Ping::opaque()).await.is_ok() {} };
    timeout(DEADLINE, pinging).await.expect("pings keep nothing open");
    drop(connection);
}

#[tokio::test]
async fn answers_that_client_does_not_take_are_dropped() {
    let secure = Secure::start().await;
    // The window is 0 for many answers at once, so the bytes of the connection show no progress.
    let (requests, connection) = secure
        .http2(Builder::new().initial_window_size(0).initial_connection_window_size(1 << 20))
        .await;
    let mut answers = Vec::new();
    for _ in 0..20 {
        let mut requests = requests.clone();
        futures::future::poll_fn(|context| requests.poll_ready(context)).await.unwrap();
        answers.push(requests.send_request(request("/endless"), true).unwrap().0);
    }
    secure.server.wait_for_endless(20).await;
    secure.server.wait_for_endless(0).await;
    timeout(DEADLINE, connection).await.expect("it ends").unwrap().ok();
    // A client that reads one of two answers steadily doesn't keep the other one open.
    let (mut requests, _connection) = secure.http2(&Builder::new()).await;
    let (steady, _) = requests.send_request(request("/endless"), true).unwrap();
    let (stalled, _) = requests.send_request(request("/endless"), true).unwrap();
    let mut steady = steady.await.unwrap().into_body();
    let _stalled = stalled.await.unwrap();
    let reading = async {
        while let Some(Ok(part)) = steady.data().await {
            drop(steady.flow_control().release_capacity(part.len()));
        }
    };
    timeout(DEADLINE, reading).await.expect("the connection ends");
    secure.server.wait_for_endless(0).await;
    // A client that takes an answer steadily is served, for longer than one that does not.
    let (mut requests, _connection) = secure.http2(&Builder::new()).await;
    let (steady, _) = requests.send_request(request("/endless"), true).unwrap();
    let mut steady = steady.await.unwrap().into_body();
    let (mut others, _other) = secure.http2(Builder::new().initial_window_size(0)).await;
    let _stalled = others.send_request(request("/endless"), true).unwrap();
    for count in [2, 1] {
        let reached = async {
            while !secure.server.has_endless(count) {
                let part = steady.data().await.unwrap().unwrap();
                steady.flow_control().release_capacity(part.len()).unwrap();
            }
        };
        timeout(DEADLINE, reached).await.expect("the other one begins, and is given up");
    }
    assert!(steady.data().await.unwrap().is_ok());
}

#[tokio::test]
async fn bodies_of_one_connection_are_judged_separately() {
    let secure = Secure::start().await;
    let (mut requests, _connection) = secure.http2(&Builder::new()).await;
    let post = || hyper::Request::post("https://a.example/echo").body(()).unwrap();
    let (stalled, mut nothing) = requests.send_request(post(), false).unwrap();
    nothing.send_data(Bytes::from_static(b"some"), false).unwrap();
    let (steady, mut body) = requests.send_request(post(), false).unwrap();
    let sending = async {
        for _ in 0..100 {
            body.send_data(Bytes::from(vec![b'x'; 1000]), false).unwrap();
            sleep(FAST).await; // waits: a slow client is slow
        }
        body.send_data(Bytes::new(), true).unwrap();
        steady.await.unwrap().status()
    };
    let (stalled, steady) =
        timeout(DEADLINE, async { tokio::join!(stalled, sending) }).await.unwrap();
    assert_eq!(stalled.unwrap().status(), 408, "the slow one is refused");
    assert_eq!(steady, 200, "the other one is not");
}

#[tokio::test]
async fn client_that_resets_all_requests_is_cut_off() {
    let secure = Secure::start().await;
    let (mut requests, connection) = secure.http2(&Builder::new()).await;
    for _ in 0..10_000 {
        let ready = futures::future::poll_fn(|context| requests.poll_ready(context)).await;
        let Ok((_, mut body)) =
            ready.and_then(|()| requests.send_request(request("/endless"), false))
        else {
            break;
        };
        body.send_reset(Reason::CANCEL);
    }
    drop(requests);
    timeout(DEADLINE, connection).await.expect("it ends").unwrap().ok();
    secure.server.wait_for_endless(0).await;
    assert!(secure.is_served().await, "others are served");
}

#[tokio::test]
async fn heads_have_a_size_limit() {
    let secure = Secure::start().await;
    let (mut requests, _connection) = secure.http2(&Builder::new()).await;
    let long = hyper::Request::get("https://a.example/").header("x-long", "x".repeat(100_000));
    let answered = match requests.send_request(long.body(()).unwrap(), true) {
        Ok((answer, _)) => timeout(DEADLINE, answer).await.expect("it ends").ok(),
        Err(_) => None,
    };
    assert!(answered.is_none_or(|answer| answer.status() == 431), "it is refused");
    assert!(secure.is_served().await);
}

#[tokio::test]
async fn answers_end_before_the_server_does() {
    let mut secure = Secure::start().await;
    let (mut requests, connection) = secure.http2(&Builder::new()).await;
    let post = hyper::Request::post("https://a.example/echo").body(()).unwrap();
    let (answer, mut body) = requests.send_request(post, false).unwrap();
    body.send_data(Bytes::from_static(b"half"), false).unwrap();
    assert_eq!(text(&mut requests, "/").await.as_deref(), Some("hello"));
    drop(secure.server.stop.take());
    eventually("the server has noticed", async || {
        TcpStream::connect(secure.server.address).await.is_err()
    })
    .await;
    body.send_data(Bytes::from_static(b"whole"), true).unwrap();
    let answer = timeout(DEADLINE, answer).await.unwrap().expect("what was started is answered");
    assert_eq!(answer.status(), 200);
    drop((answer, requests));
    timeout(DEADLINE, connection).await.expect("it ends").unwrap().ok();
    timeout(DEADLINE, &mut secure.server.task).await.expect("it stops").unwrap();
}
