//! Checks addresses on other hosts. A host gets one request at a time, with a pause after each; a host that
//! requests a long pause, or does not respond, gets no more requests.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use reqwest::{Client, Method, Response, StatusCode, header};
use tokio::time::Instant;
use url::Url;

use super::{MAXIMUM_REDIRECTS, Network, NetworkError, client};

/// The client's address.
const AGENT: &str = concat!(
    "docwright/",
    env!("CARGO_PKG_VERSION"),
    " (link check; +",
    env!("CARGO_PKG_REPOSITORY"),
    ")"
);
/// Time limit of a host.
const TIMEOUT: Duration = Duration::from_secs(15);
/// Pause between two requests to a host.
const PAUSE: Duration = Duration::from_millis(200);
/// A host that requests a longer pause than this gets no more requests.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// Consecutive failures of a host that are tolerated.
const MAXIMUM_FAILURES: u32 = 3;

/// Result for an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It exists.
    Good,
    /// It does not exist, with the proof.
    Dead(String),
    /// The host does not tell, and why.
    Unchecked(String),
    /// The name of its host is unknown, or no name can be resolved at present.
    UnknownName,
}

/// Checks addresses on hosts.
#[derive(Debug)]
pub struct Probe {
    network: Network,
    hosts: Mutex<HashMap<String, Arc<Host>>>,
    /// Whether the name of any host was resolved.
    knows_names: AtomicBool,
}

/// State of a host; the holder of the lock can send a request.
#[derive(Debug, Default)]
struct Host(tokio::sync::Mutex<HostState>);

#[derive(Debug, Default)]
struct HostState {
    /// Clients by origin.
    clients: HashMap<String, Client>,
    /// When the next request is allowed.
    free_at: Option<Instant>,
    /// Consecutive failures.
    failures: u32,
    /// Why it gets no more requests.
    given_up: Option<String>,
}

/// Why there is no response.
enum Silence {
    Network(NetworkError),
    GivenUp(String),
}

impl Probe {
    /// A probe that asks over a network.
    pub fn new(network: Network) -> Self {
        Self { network, hosts: Mutex::default(), knows_names: AtomicBool::new(false) }
    }

    /// Whether the name of any requested host was resolved; if not, the machine is most likely offline.
    pub fn knows_names(&self) -> bool {
        self.knows_names.load(Ordering::Relaxed)
    }

    /// Checks an address.
    pub async fn ask(&self, url: &Url) -> Verdict {
        match self.follow(&Method::HEAD, url).await {
            Ok(status) if status.is_success() => Verdict::Good,
            // Many hosts don't support HEAD, or answer it wrongly.
            Ok(_) => match self.follow(&Method::GET, url).await {
                Ok(status) => judge(status),
                Err(silence) => silence.into_verdict(),
            },
            Err(silence) => silence.into_verdict(),
        }
    }

    /// The status after redirects.
    async fn follow(&self, method: &Method, address: &Url) -> Result<StatusCode, Silence> {
        let mut url = address.clone();
        for _ in 0..=MAXIMUM_REDIRECTS {
            let response = self.request(method, &url).await?;
            match client::redirect_target(&url, &response).map_err(Silence::Network)? {
                Some(target) => url = target,
                None => return Ok(response.status()),
            }
        }
        Err(Silence::GivenUp("it redirects too often".to_owned()))
    }

    /// One request to one host, after its pause.
    async fn request(&self, method: &Method, url: &Url) -> Result<Response, Silence> {
        let host = self.host(url);
        let mut host = host.0.lock().await;
        for is_last in [false, true] {
            if let Some(reason) = &host.given_up {
                return Err(Silence::GivenUp(reason.clone()));
            }
            if let Some(free_at) = host.free_at {
                tokio::time::sleep_until(free_at).await;
            }
            let answer = self.send(&mut host, method, url).await;
            host.free_at = Some(Instant::now() + PAUSE);
            let response = match answer {
                Ok(response) => response,
                Err(error) => {
                    if matches!(error, NetworkError::Unreachable { .. }) {
                        host.failures += 1;
                    }
                    if host.failures >= MAXIMUM_FAILURES {
                        host.given_up = Some(error.to_string());
                    }
                    return Err(Silence::Network(error));
                }
            };
            host.failures = 0;
            let Some(pause) = wanted_pause(&response) else { return Ok(response) };
            if is_last || pause > LONGEST_PAUSE {
                let reason = format!("the host wants to be asked later ({})", response.status());
                host.given_up = Some(reason);
            } else {
                host.free_at = Some(Instant::now() + pause.max(PAUSE));
            }
        }
        Err(Silence::GivenUp(host.given_up.clone().unwrap_or_default()))
    }

    async fn send(
        &self,
        host: &mut HostState,
        method: &Method,
        url: &Url,
    ) -> Result<Response, NetworkError> {
        let origin = url.origin().ascii_serialization();
        if !host.clients.contains_key(&origin) {
            let made = self.network.client(url).await;
            if !matches!(made, Err(NetworkError::UnknownName { .. } | NetworkError::Address(_))) {
                self.knows_names.store(true, Ordering::Relaxed);
            }
            host.clients.insert(origin.clone(), made?);
        }
        let client = &host.clients[&origin];
        let request = client.request(method.clone(), url.clone()).timeout(TIMEOUT);
        let request = request.header(header::USER_AGENT, AGENT).header(header::ACCEPT, "*/*");
        request.send().await.map_err(|error| client::failure(url, &error))
    }

    fn host(&self, url: &Url) -> Arc<Host> {
        let name =
            format!("{}:{:?}", url.host_str().unwrap_or_default(), url.port_or_known_default());
        let mut hosts = self.hosts.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        Arc::clone(hosts.entry(name).or_default())
    }
}

impl Silence {
    fn into_verdict(self) -> Verdict {
        match self {
            Self::Network(NetworkError::UnknownName { .. }) => Verdict::UnknownName,
            Self::Network(error @ NetworkError::Certificate { .. }) => {
                Verdict::Dead(error.to_string())
            }
            Self::Network(error) => Verdict::Unchecked(error.to_string()),
            Self::GivenUp(reason) => Verdict::Unchecked(reason),
        }
    }
}

fn judge(status: StatusCode) -> Verdict {
    match status {
        StatusCode::NOT_FOUND | StatusCode::GONE => {
            Verdict::Dead(format!("the host answers {status}"))
        }
        status if status.is_success() => Verdict::Good,
        status => Verdict::Unchecked(format!("the host answers {status}")),
    }
}

/// The pause that a busy host requests.
fn wanted_pause(response: &Response) -> Option<Duration> {
    let is_busy = matches!(
        response.status(),
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE
    );
    let after = response.headers().get(header::RETRY_AFTER);
    match (is_busy, after) {
        (true, Some(after)) => {
            let seconds = after.to_str().ok().and_then(|text| text.trim().parse().ok());
            // A date counts as a long pause.
            Some(seconds.map_or(Duration::MAX, Duration::from_secs))
        }
        (true, None) if response.status() == StatusCode::TOO_MANY_REQUESTS => Some(Duration::MAX),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use axum::{Router, extract::Request, response::IntoResponse};

    use super::{
        super::{AllowedHosts, tests::Names},
        *,
    };

    /// A host that answers with the status in its path, `/STATUS`. Returns its address and the requests that it
    /// got.
    async fn host() -> (String, Arc<Mutex<Vec<String>>>) {
        let asked = Arc::<Mutex<Vec<String>>>::default();
        let log = Arc::clone(&asked);
        let answer = move |request: Request| {
            let log = Arc::clone(&log);
            async move {
                let (method, path) = (request.method().clone(), request.uri().path().to_owned());
                let agent = request.headers()[header::USER_AGENT].to_str().unwrap().to_owned();
                assert!(agent.starts_with("docwright/") && agent.contains("+https://"), "{agent}");
                let earlier = {
                    let mut log = log.lock().unwrap();
                    log.push(format!("{method} {path}"));
                    log.len()
                };
                match path.trim_start_matches('/') {
                    "get-only" if method == Method::HEAD => {
                        StatusCode::METHOD_NOT_ALLOWED.into_response()
                    }
                    "get-only" => "here".into_response(),
                    "busy-once" if earlier == 1 => {
                        (StatusCode::TOO_MANY_REQUESTS, [(header::RETRY_AFTER, "1")])
                            .into_response()
                    }
                    "busy-long" => (StatusCode::TOO_MANY_REQUESTS, [(header::RETRY_AFTER, "3600")])
                        .into_response(),
                    "round" => (StatusCode::FOUND, [(header::LOCATION, "/round")]).into_response(),
                    "moved" => (StatusCode::FOUND, [(header::LOCATION, "/200")]).into_response(),
                    status => {
                        let status =
                            status.parse().ok().and_then(|code| StatusCode::from_u16(code).ok());
                        status.unwrap_or(StatusCode::OK).into_response()
                    }
                }
            }
        };
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let router = Router::new().fallback(answer);
        tokio::spawn(axum::serve(listener, router).into_future());
        (address, asked)
    }

    fn probe(hosts: &str) -> Probe {
        Probe::new(Network::new(hosts.parse::<AllowedHosts>().unwrap()))
    }

    async fn ask(probe: &Probe, address: &str) -> Verdict {
        probe.ask(&Url::parse(address).unwrap()).await
    }

    #[tokio::test]
    async fn only_clear_answer_makes_address_dead() {
        let (address, asked) = host().await;
        let probe = probe("127.0.0.1");
        for (path, expected) in [
            ("200", Verdict::Good),
            ("get-only", Verdict::Good),
            ("moved", Verdict::Good),
            ("404", Verdict::Dead("the host answers 404 Not Found".to_owned())),
            ("410", Verdict::Dead("the host answers 410 Gone".to_owned())),
            ("403", Verdict::Unchecked("the host answers 403 Forbidden".to_owned())),
            ("500", Verdict::Unchecked("the host answers 500 Internal Server Error".to_owned())),
            ("round", Verdict::Unchecked("it redirects too often".to_owned())),
        ] {
            assert_eq!(ask(&probe, &format!("{address}/{path}")).await, expected, "{path}");
        }
        let asked = asked.lock().unwrap();
        assert_eq!(asked[..3], ["HEAD /200", "HEAD /get-only", "GET /get-only"]);
        let round = asked.iter().filter(|line| line.ends_with("/round")).count();
        assert_eq!(round, MAXIMUM_REDIRECTS + 1, "redirects end");
    }

    #[tokio::test(start_paused = true)]
    async fn busy_host_is_retried_or_left_unchecked() {
        let (address, asked) = host().await;
        let started = Instant::now();
        assert_eq!(ask(&probe("127.0.0.1"), &format!("{address}/busy-once")).await, Verdict::Good);
        assert!(started.elapsed() >= Duration::from_secs(1), "it was left alone for a second");
        asked.lock().unwrap().clear();
        let probe = probe("127.0.0.1");
        for path in ["busy-long", "200", "404"] {
            let verdict = ask(&probe, &format!("{address}/{path}")).await;
            assert!(
                matches!(verdict, Verdict::Unchecked(reason) if reason.contains("429")),
                "{path}"
            );
        }
        assert_eq!(*asked.lock().unwrap(), ["HEAD /busy-long"], "it is asked no more");
    }

    #[tokio::test(start_paused = true)]
    async fn host_gets_one_request_at_a_time_with_pauses() {
        let (address, asked) = host().await;
        let (probe, started) = (probe("127.0.0.1"), Instant::now());
        let urls: Vec<_> = (0..4).map(|number| format!("{address}/{}", 200 + number)).collect();
        futures::future::join_all(urls.iter().map(|url| ask(&probe, url))).await;
        assert_eq!(asked.lock().unwrap().len(), 4);
        assert!(started.elapsed() >= PAUSE * 3);
    }

    #[tokio::test]
    async fn failing_host_is_not_requested_again() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let accepted = Arc::new(std::sync::atomic::AtomicUsize::new(0));
        let count = Arc::clone(&accepted);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                count.fetch_add(1, Ordering::SeqCst);
                drop(stream);
            }
        });
        let probe = probe("127.0.0.1");
        for number in 0..10 {
            let verdict = ask(&probe, &format!("{address}/{number}")).await;
            assert!(matches!(verdict, Verdict::Unchecked(_)), "{verdict:?}");
        }
        // A client can repeat a broken connection once itself.
        assert!(accepted.load(Ordering::SeqCst) <= 2 * MAXIMUM_FAILURES as usize);
    }

    #[tokio::test]
    async fn unknown_names_and_private_addresses_are_distinguished() {
        let (address, asked) = host().await;
        let probe = Probe::new(Network::with_resolver(
            AllowedHosts::default(),
            Names::of(&[("known.example", &[&["10.0.0.1"]])]),
        ));
        assert_eq!(ask(&probe, "http://unknown.example/").await, Verdict::UnknownName);
        assert!(!probe.knows_names());
        let private = ask(&probe, "http://known.example/").await;
        assert!(
            matches!(private, Verdict::Unchecked(reason) if reason.contains("private address"))
        );
        assert!(probe.knows_names());
        let refused = ask(&probe, &address).await;
        assert!(
            matches!(refused, Verdict::Unchecked(reason) if reason.contains("--private-hosts"))
        );
        assert!(asked.lock().unwrap().is_empty(), "no request was sent");
        let secure = address.replace("http://", "https://");
        let verdict = ask(&self::probe("127.0.0.1"), &secure).await;
        assert!(
            matches!(&verdict, Verdict::Dead(reason) if reason.contains("TLS failed")),
            "{verdict:?}"
        );
    }
}
