//! A browser without scripts: it keeps cookies, follows nothing on its own, and sends forms as browsers do.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

use reqwest::{
    Client, Method, RequestBuilder, Response, StatusCode, header::HeaderMap, redirect::Policy,
};

/// A browser of someone.
pub(crate) struct Browser {
    client: Client,
    pub(crate) base: String,
    cookies: Mutex<BTreeMap<String, String>>,
}

/// What came back.
#[derive(Debug, Clone)]
pub(crate) struct Page {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
}

impl Browser {
    /// A new one, which nobody has signed in with.
    pub(crate) fn new(base: &str) -> Self {
        let client = Client::builder().redirect(Policy::none()).build().expect("it is made");
        Self { client, base: base.to_owned(), cookies: Mutex::default() }
    }

    /// Another one with the same cookies, as a thief would have it.
    pub(crate) fn copy(&self) -> Self {
        let other = Self::new(&self.base);
        *other.cookies.lock().unwrap() = self.cookies.lock().unwrap().clone();
        other
    }

    /// The cookies it has, by name.
    pub(crate) fn cookies(&self) -> BTreeMap<String, String> {
        self.cookies.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Asks for a page.
    pub(crate) async fn get(&self, path: &str) -> Page {
        self.send(self.request(Method::GET, path)).await
    }

    /// Sends a form of one of the dashboard's own pages.
    pub(crate) async fn post(&self, path: &str, fields: &[(&str, &str)]) -> Page {
        self.send(self.form(path, fields).header("origin", &self.base)).await
    }

    /// Sends a form, and follows where it leads: what someone sees then.
    pub(crate) async fn submit(&self, path: &str, fields: &[(&str, &str)]) -> Page {
        let mut page = self.post(path, fields).await;
        while let Some(next) = page.location() {
            page = self.get(&next).await;
        }
        page
    }

    /// A request that can still be changed.
    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let path = path.strip_prefix(&self.base).unwrap_or(path);
        let request = self.client.request(method, format!("{}{path}", self.base));
        let request = request.header("accept", "text/html");
        let cookies = self.cookies();
        let cookies: Vec<_> =
            cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        if cookies.is_empty() { request } else { request.header("cookie", cookies.join("; ")) }
    }

    /// The request of a form that can still be changed; it says not from where it comes.
    pub(crate) fn form(&self, path: &str, fields: &[(&str, &str)]) -> RequestBuilder {
        let mut body = url::form_urlencoded::Serializer::new(String::new());
        let request = self.request(Method::POST, path).body(body.extend_pairs(fields).finish());
        request.header("content-type", "application/x-www-form-urlencoded")
    }

    /// Sends a request and keeps the cookies of its answer.
    pub(crate) async fn send(&self, request: RequestBuilder) -> Page {
        let answer = request.send().await.expect("the service answers");
        self.keep(&answer);
        let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
        Page { status, headers, text: answer.text().await.expect("it is text") }
    }

    fn keep(&self, answer: &Response) {
        let mut cookies = self.cookies.lock().unwrap_or_else(PoisonError::into_inner);
        for line in answer.headers().get_all("set-cookie") {
            let line = line.to_str().expect("it is text");
            let (pair, attributes) = line.split_once(';').unwrap_or((line, ""));
            let (name, value) = pair.split_once('=').expect("it has a value");
            if attributes.contains("Max-Age=0;") {
                cookies.remove(name);
            } else {
                cookies.insert(name.to_owned(), value.to_owned());
            }
        }
    }
}

impl Page {
    /// Where it leads, if it is a redirect.
    pub(crate) fn location(&self) -> Option<String> {
        Some(self.headers.get("location")?.to_str().expect("it is text").to_owned())
    }

    /// The lines of its cookies.
    pub(crate) fn set_cookies(&self) -> Vec<String> {
        let lines = self.headers.get_all("set-cookie").iter();
        lines.map(|line| line.to_str().expect("it is text").to_owned()).collect()
    }

    /// The text, which has to be there and hold some words.
    #[track_caller]
    pub(crate) fn says(&self, words: &str) -> &Self {
        assert!(self.text.contains(words), "{words:?} is not in {}: {}", self.status, self.text);
        self
    }

    /// Fails if a text is on it.
    #[track_caller]
    pub(crate) fn lacks(&self, words: &str) -> &Self {
        assert!(!self.text.contains(words), "{words} is in: {}", self.text);
        self
    }

    /// The status has to be this one.
    #[track_caller]
    pub(crate) fn is(&self, status: StatusCode) -> &Self {
        assert_eq!(self.status, status.as_u16(), "{}", self.text);
        self
    }

    /// What follows a text, to the next quotation mark or angle bracket.
    #[track_caller]
    pub(crate) fn after(&self, text: &str) -> String {
        let rest =
            self.text.split_once(text).unwrap_or_else(|| panic!("{text:?}: {}", self.text)).1;
        rest.split(['"', '<']).next().unwrap_or_default().to_owned()
    }
}
