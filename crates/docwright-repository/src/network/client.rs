//! HTTP requests to other hosts, only at checked addresses. Each redirect is another host to check.

use std::{error::Error, io, time::Duration};

use reqwest::{Client, Response, StatusCode, header, redirect::Policy};
use url::Url;

use super::{MAXIMUM_REDIRECTS, Network, NetworkError, shown};

/// Time limit of connecting.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

impl Network {
    /// A client for one host: it connects to the addresses that were checked now, follows no redirects, and uses
    /// no proxy.
    pub async fn client(&self, url: &Url) -> Result<Client, NetworkError> {
        let sockets = self.sockets(url).await?;
        let client = Client::builder()
            .no_proxy()
            .redirect(Policy::none())
            .connect_timeout(CONNECT_TIMEOUT)
            .user_agent("docwright")
            .resolve_to_addrs(url.host_str().unwrap_or_default(), &sockets);
        client.build().map_err(|error| failure(url, &error))
    }

    /// Sends a request and follows redirects. `authorization` goes only to its own host.
    pub async fn get(
        &self,
        address: &Url,
        timeout: Duration,
        authorization: Option<&str>,
    ) -> Result<Response, NetworkError> {
        let mut url = address.clone();
        for _ in 0..=MAXIMUM_REDIRECTS {
            let mut request = self.client(&url).await?.get(url.clone()).timeout(timeout);
            if let Some(value) = authorization.filter(|_| url.origin() == address.origin()) {
                request = request.header(header::AUTHORIZATION, value);
            }
            let response = request.send().await.map_err(|error| failure(&url, &error))?;
            match redirect_target(&url, &response)? {
                Some(target) => url = target,
                None => return Ok(response),
            }
        }
        Err(redirect(&url, "redirects too often"))
    }
}

/// The target of a redirect, if the response is one.
pub(super) fn redirect_target(url: &Url, response: &Response) -> Result<Option<Url>, NetworkError> {
    let follow = [
        StatusCode::MOVED_PERMANENTLY,
        StatusCode::FOUND,
        StatusCode::SEE_OTHER,
        StatusCode::TEMPORARY_REDIRECT,
        StatusCode::PERMANENT_REDIRECT,
    ];
    if !follow.contains(&response.status()) {
        return Ok(None);
    }
    let target = response.headers().get(header::LOCATION).and_then(|value| value.to_str().ok());
    let target = target.and_then(|target| url.join(target).ok());
    let target = target.ok_or_else(|| redirect(url, "redirects to an invalid address"))?;
    if url.scheme() == "https" && target.scheme() != "https" {
        return Err(redirect(url, "redirects to an address without encryption"));
    }
    Ok(Some(target))
}

fn redirect(url: &Url, reason: &str) -> NetworkError {
    NetworkError::Redirect { host: shown(url), reason: reason.to_owned() }
}

/// Why a request failed, without its path and query.
pub fn failure(url: &Url, error: &reqwest::Error) -> NetworkError {
    let host = url.host_str().unwrap_or_default().to_owned();
    if let Some(reason) = encryption_problem(error) {
        return NetworkError::Certificate { host, reason };
    }
    let reason = if error.is_timeout() {
        "it did not respond in time"
    } else if error.is_connect() {
        "the connection failed"
    } else {
        "it breaks off"
    };
    NetworkError::Unreachable { host, reason: reason.to_owned() }
}

/// Why TLS failed, if that is the reason. TLS reports it as invalid data.
fn encryption_problem(error: &reqwest::Error) -> Option<String> {
    let mut source = error.source();
    while let Some(cause) = source {
        let mut inner = cause.downcast_ref::<io::Error>();
        while let Some(error) = inner {
            if error.kind() == io::ErrorKind::InvalidData {
                return Some(error.to_string());
            }
            inner = error.get_ref().and_then(|error| error.downcast_ref());
        }
        source = cause.source();
    }
    None
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use axum::{
        Router,
        extract::{Request, State},
        response::{IntoResponse, Response as HttpResponse},
    };

    use super::{
        super::{AllowedHosts, tests::Names},
        *,
    };

    const TIMEOUT: Duration = Duration::from_secs(10);

    /// A host whose path says where it redirects to. Returns its port and the requests that it got.
    async fn host() -> (u16, Arc<Mutex<Vec<String>>>) {
        async fn answer(
            State(asked): State<Arc<Mutex<Vec<String>>>>,
            request: Request,
        ) -> HttpResponse {
            let text = |name| {
                let value = request.headers().get(name);
                value.and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned()
            };
            let line = format!("{} {}", text(header::HOST), text(header::AUTHORIZATION));
            asked.lock().unwrap().push(line.trim_end().to_owned());
            match request.uri().query() {
                Some(target) => {
                    (StatusCode::FOUND, [(header::LOCATION, target.to_owned())]).into_response()
                }
                None => "here".into_response(),
            }
        }
        let asked = Arc::<Mutex<Vec<String>>>::default();
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let router = Router::new().fallback(answer).with_state(Arc::clone(&asked));
        tokio::spawn(axum::serve(listener, router).into_future());
        (port, asked)
    }

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[tokio::test]
    async fn every_hop_is_checked() {
        let (port, asked) = host().await;
        let names = Names::of(&[
            ("one.example", &[&["127.0.0.1"]]),
            ("two.example", &[&["127.0.0.1"]]),
            ("inside.example", &[&["127.0.0.1"]]),
        ]);
        let allowed: AllowedHosts = "one.example,two.example".parse().unwrap();
        let network = Network::with_resolver(allowed, names);
        let first = format!("http://one.example:{port}/");
        let to = |target: &str| url(&format!("{first}?{target}"));
        let second = to(&format!("http://two.example:{port}/"));
        let good = network.get(&second, TIMEOUT, Some("s3cret"));
        assert_eq!(good.await.unwrap().text().await.unwrap(), "here");
        let hosts = [format!("one.example:{port} s3cret"), format!("two.example:{port}")];
        assert_eq!(*asked.lock().unwrap(), hosts, "credentials stay with the first host");
        asked.lock().unwrap().clear();
        for target in [
            format!("http://inside.example:{port}/"),
            format!("http://127.0.0.1:{port}/"),
            format!("http://2130706433:{port}/"),
            "http://169.254.169.254/latest/meta-data".to_owned(),
        ] {
            let error = network.get(&to(&target), TIMEOUT, None).await.unwrap_err();
            assert!(matches!(error, NetworkError::Private { .. }), "{target}: {error}");
        }
        assert_eq!(asked.lock().unwrap().len(), 4, "only the first host was ever asked");
        let round = to(&format!("{first}?{first}?{first}?{first}?{first}?{first}?{first}"));
        let again = network.get(&round, TIMEOUT, None);
        assert!(again.await.unwrap_err().to_string().contains("too often"));
        let file = network.get(&to("file:///etc/passwd"), TIMEOUT, None).await.unwrap_err();
        assert!(matches!(file, NetworkError::Address(_)), "{file}");
    }

    #[tokio::test]
    async fn connection_uses_addresses_that_were_checked() {
        let (port, asked) = host().await;
        // Nothing listens at the first address; the host listens at the second.
        let names = Names::of(&[("rebound.example", &[&["127.0.0.2"], &["127.0.0.1"]])]);
        let allowed = "rebound.example".parse().unwrap();
        let network = Network::with_resolver(allowed, names);
        let address = url(&format!("http://rebound.example:{port}/"));
        let client = network.client(&address).await.unwrap();
        assert!(client.get(address.clone()).send().await.is_err());
        assert!(asked.lock().unwrap().is_empty());
    }
}
