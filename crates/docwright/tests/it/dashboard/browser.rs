//! A browser without scripts. It keeps cookies, doesn't follow redirects, and sends forms as browsers do.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

use reqwest::{
    Client, Method, RequestBuilder, Response, StatusCode, header::HeaderMap, redirect::Policy,
};

/// A browser with its own cookies.
pub(crate) struct Browser {
    client: Client,
    pub(crate) base: String,
    cookies: Mutex<BTreeMap<String, String>>,
}

/// The response to a request.
#[derive(Debug, Clone)]
pub(crate) struct Page {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
}

impl Browser {
    /// Opens a browser that isn't signed in.
    pub(crate) fn new(base: &str) -> Self {
        let client =
            Client::builder().redirect(Policy::none()).build().expect("the client can be built");
        Self { client, base: base.to_owned(), cookies: Mutex::default() }
    }

    /// Copies the browser with its cookies, like a thief.
    pub(crate) fn copy(&self) -> Self {
        let other = Self::new(&self.base);
        *other.cookies.lock().unwrap() = self.cookies.lock().unwrap().clone();
        other
    }

    /// The cookies by name.
    pub(crate) fn cookies(&self) -> BTreeMap<String, String> {
        self.cookies.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Requests a page.
    pub(crate) async fn get(&self, path: &str) -> Page {
        self.send(self.request(Method::GET, path)).await
    }

    /// Sends a form from one of the dashboard's own pages.
    pub(crate) async fn post(&self, path: &str, fields: &[(&str, &str)]) -> Page {
        self.send(self.form(path, fields).header("origin", &self.base)).await
    }

    /// Sends a form and follows redirects. Returns the final page.
    pub(crate) async fn submit(&self, path: &str, fields: &[(&str, &str)]) -> Page {
        let mut page = self.post(path, fields).await;
        while let Some(next) = page.location() {
            page = self.get(&next).await;
        }
        page
    }

    /// Builds a request that the test can change.
    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let path = path.strip_prefix(&self.base).unwrap_or(path);
        let request = self.client.request(method, format!("{}{path}", self.base));
        let request = request.header("accept", "text/html");
        let cookies = self.cookies();
        let cookies: Vec<_> =
            cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        if cookies.is_empty() { request } else { request.header("cookie", cookies.join("; ")) }
    }

    /// Builds a form request without an origin. The test can change it.
    pub(crate) fn form(&self, path: &str, fields: &[(&str, &str)]) -> RequestBuilder {
        let mut body = url::form_urlencoded::Serializer::new(String::new());
        let request = self.request(Method::POST, path).body(body.extend_pairs(fields).finish());
        request.header("content-type", "application/x-www-form-urlencoded")
    }

    /// Sends a request and keeps the response's cookies.
    pub(crate) async fn send(&self, request: RequestBuilder) -> Page {
        let answer = request.send().await.expect("the service answers");
        self.keep(&answer);
        let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
        Page { status, headers, text: answer.text().await.expect("the body is text") }
    }

    fn keep(&self, answer: &Response) {
        let mut cookies = self.cookies.lock().unwrap_or_else(PoisonError::into_inner);
        for line in answer.headers().get_all("set-cookie") {
            let line = line.to_str().expect("cookies are text");
            let (pair, attributes) = line.split_once(';').unwrap_or((line, ""));
            let (name, value) = pair.split_once('=').expect("a cookie has a value");
            if attributes.contains("Max-Age=0;") {
                cookies.remove(name);
            } else {
                cookies.insert(name.to_owned(), value.to_owned());
            }
        }
    }
}

impl Page {
    /// The target of a redirect.
    pub(crate) fn location(&self) -> Option<String> {
        Some(self.headers.get("location")?.to_str().expect("the header is text").to_owned())
    }

    /// The lines of the response's cookies.
    pub(crate) fn set_cookies(&self) -> Vec<String> {
        let lines = self.headers.get_all("set-cookie").iter();
        lines.map(|line| line.to_str().expect("cookies are text").to_owned()).collect()
    }

    /// Checks that a page succeeded and contains a text.
    #[track_caller]
    pub(crate) fn says(&self, words: &str) -> &Self {
        assert!(self.text.contains(words), "{words:?} is not in {}: {}", self.status, self.text);
        self
    }

    /// Checks that a page doesn't contain a text.
    #[track_caller]
    pub(crate) fn lacks(&self, words: &str) -> &Self {
        assert!(!self.text.contains(words), "{words} is in: {}", self.text);
        self
    }

    /// Checks the status.
    #[track_caller]
    pub(crate) fn is(&self, status: StatusCode) -> &Self {
        assert_eq!(self.status, status.as_u16(), "{}", self.text);
        self
    }

    /// The text after a given text, up to the next quotation mark or angle bracket.
    #[track_caller]
    pub(crate) fn after(&self, text: &str) -> String {
        let rest =
            self.text.split_once(text).unwrap_or_else(|| panic!("{text:?}: {}", self.text)).1;
        rest.split(['"', '<']).next().unwrap_or_default().to_owned()
    }
}
