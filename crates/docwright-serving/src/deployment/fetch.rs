//! Fetches a bundle into a file: resumes an interrupted transfer if the bundle is unchanged, and stops at a size
//! limit. Callers decide how often to try.

use std::{
    io::{self, Read},
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context, anyhow};
use futures::StreamExt;
use reqwest::{
    Client, RequestBuilder, Response, StatusCode,
    header::{self, HeaderMap, HeaderValue},
    redirect::{self, Attempt},
};
use tokio::{
    fs::{self, File, OpenOptions},
    io::AsyncWriteExt,
};

use super::{source::Link, update_error::UpdateError};

/// A request to a host that sends nothing for this long is stopped.
const SILENCE: Duration = Duration::from_secs(30);
/// Redirects that are followed.
const REDIRECTS: usize = 5;

/// A bundle that is being downloaded to a file.
#[derive(Debug)]
pub(super) struct Download {
    /// Created for the first request, because files need neither a client nor certificates of authorities.
    client: Option<Client>,
    /// Size limit of the bundle, in bytes.
    maximum_bytes: u64,
    target: PathBuf,
    /// The part from before the interruption, if it can be resumed.
    part: Option<Part>,
    received: u64,
}

/// The start of a bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Part {
    length: u64,
    /// Identifies these exact bytes, by the strong comparison of RFC 9110. Without it, it is unknown whether the
    /// rest behind the link belongs to this start.
    tag: HeaderValue,
    total: Option<u64>,
}

impl Download {
    /// A download that has not started, to a file that need not exist.
    pub(super) const fn new(maximum_bytes: u64, target: PathBuf) -> Self {
        Self { client: None, maximum_bytes, target, part: None, received: 0 }
    }

    /// Downloaded bytes.
    pub(super) const fn received(&self) -> u64 {
        self.received
    }

    /// Removes the downloaded part, so the next attempt starts over.
    pub(super) async fn discard(&mut self) {
        (self.part, self.received) = (None, 0);
        // A file that can't be removed now is overwritten by the next attempt, or removed at the next start.
        drop(fs::remove_file(&self.target).await);
    }

    /// One attempt. The next one can resume its result, with another link too: the part is kept only if both have
    /// the same bundle.
    pub(super) async fn attempt(&mut self, link: &Link) -> Result<(), UpdateError> {
        let link = link.reveal();
        let (scheme, rest) = link.split_once("://").unwrap_or(("file", link));
        let outcome = match scheme.to_ascii_lowercase().as_str() {
            "http" | "https" => self.transfer(link).await,
            "file" => self.copy(PathBuf::from(rest)).await,
            _ => Err(UpdateError::Permanent(anyhow!(
                "staticExport.bundleUrl must be the path of a file, or begin with http:// or https://"
            ))),
        };
        let can_go_on = !matches!(outcome, Err(UpdateError::Permanent(_)));
        let goes_on = can_go_on && self.part.is_some();
        if outcome.is_err() && !goes_on {
            // Disk space isn't used needlessly.
            self.discard().await;
        }
        outcome
    }

    /// Copies a local bundle, so it can't change while it is served.
    async fn copy(&self, path: PathBuf) -> Result<(), UpdateError> {
        let (target, maximum) = (self.target.clone(), self.maximum_bytes);
        let copied = tokio::task::spawn_blocking(move || copy(&path, &target, maximum)).await;
        copied.unwrap_or_else(|error| Err(UpdateError::Permanent(error.into())))
    }

    async fn transfer(&mut self, link: &str) -> Result<(), UpdateError> {
        let response = self.request(link)?.send().await.map_err(broken)?;
        let continued = match (response.status(), &self.part) {
            (StatusCode::OK, _) => false,
            (StatusCode::PARTIAL_CONTENT, Some(part)) if part.goes_on_with(response.headers()) => {
                true
            }
            (StatusCode::PARTIAL_CONTENT | StatusCode::RANGE_NOT_SATISFIABLE, Some(_)) => {
                self.part = None;
                let error = anyhow!("the bundle behind the link changed during the transfer");
                return Err(UpdateError::Transient(error));
            }
            (status, _) => return Err(refused(status)),
        };
        // Only an interrupted transfer is resumed, so the part is put back only then.
        let part = self.part.take().filter(|_| continued);
        let length = part.as_ref().map_or(0, |part| part.length);
        let total = part.as_ref().map_or(response.content_length(), |part| part.total);
        if total.is_some_and(|total| total > self.maximum_bytes) {
            return Err(too_large(self.maximum_bytes));
        }
        let tag = strong_tag(response.headers());
        let error = match self.receive(response, length).await? {
            Some(error) => broken(error),
            None if total.is_none_or(|total| total == self.received) => return Ok(()),
            None => {
                UpdateError::Transient(anyhow!("the transfer ended after {} bytes", self.received))
            }
        };
        self.part =
            tag.filter(|_| self.received > 0).map(|tag| Part { length: self.received, tag, total });
        Err(error)
    }

    /// Requests the missing rest.
    fn request(&mut self, link: &str) -> Result<RequestBuilder, UpdateError> {
        let client = match &self.client {
            Some(client) => client,
            None => self.client.insert(client().map_err(UpdateError::Permanent)?),
        };
        let request = client.get(link);
        let request = request.header(header::ACCEPT_ENCODING, "identity");
        Ok(match &self.part {
            Some(part) => request
                .header(header::RANGE, format!("bytes={}-", part.length))
                .header(header::IF_RANGE, &part.tag),
            None => request,
        })
    }

    /// Appends the response after the first `length` bytes of the file, up to its end or an interruption.
    async fn receive(
        &mut self,
        response: Response,
        length: u64,
    ) -> Result<Option<reqwest::Error>, UpdateError> {
        let mut file = match length {
            0 => create(&self.target).map(File::from_std).map_err(not_written)?,
            _ => reopen(&self.target, length).await?,
        };
        self.received = length;
        let mut body = response.bytes_stream();
        let mut broke_off = None;
        while let Some(bytes) = body.next().await {
            match bytes {
                Ok(bytes) => {
                    self.received += bytes.len() as u64;
                    if self.received > self.maximum_bytes {
                        return Err(too_large(self.maximum_bytes));
                    }
                    file.write_all(&bytes).await.map_err(not_written)?;
                }
                Err(error) => {
                    broke_off = Some(error);
                    break;
                }
            }
        }
        file.flush().await.map_err(not_written)?;
        Ok(broke_off)
    }
}

/// A client that trusts the authorities of the system.
fn client() -> anyhow::Result<Client> {
    Client::builder()
        .connect_timeout(SILENCE)
        .read_timeout(SILENCE)
        .redirect(redirect::Policy::custom(follow))
        .build()
        .context(
            "cannot prepare the transfer; install the certificates of authorities, such as the package ca-certificates, or name them in SSL_CERT_FILE",
        )
}

/// A separate file: a canceled transfer can still write to another one.
fn create(target: &Path) -> io::Result<std::fs::File> {
    match std::fs::remove_file(target) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => std::fs::File::create_new(target),
    }
}

/// The file with the start of a bundle, to append the rest.
async fn reopen(target: &Path, length: u64) -> Result<File, UpdateError> {
    let file = OpenOptions::new().append(true).open(target).await.map_err(not_written)?;
    if file.metadata().await.map_err(not_written)?.len() == length {
        Ok(file)
    } else {
        Err(UpdateError::Transient(anyhow!("the start of the download was changed")))
    }
}

fn not_written(error: io::Error) -> UpdateError {
    UpdateError::of_disk(error, "cannot write the download")
}

impl Part {
    /// Whether an answer contains the rest of the same bundle after this part. Some hosts ignore `If-Range`, so
    /// their answer must prove it.
    fn goes_on_with(&self, headers: &HeaderMap) -> bool {
        let same = strong_tag(headers).as_ref() == Some(&self.tag);
        let range = headers.get(header::CONTENT_RANGE).and_then(|range| range.to_str().ok());
        same && range.and_then(content_range).is_some_and(|(start, total)| {
            start == self.length && (total.is_none() || self.total.is_none() || total == self.total)
        })
    }
}

/// Start and total of `bytes START-END/TOTAL`.
fn content_range(text: &str) -> Option<(u64, Option<u64>)> {
    let (range, total) = text.strip_prefix("bytes ")?.split_once('/')?;
    let start = range.split_once('-')?.0.parse().ok()?;
    Some((start, if total == "*" { None } else { Some(total.parse().ok()?) }))
}

fn strong_tag(headers: &HeaderMap) -> Option<HeaderValue> {
    headers.get(header::ETAG).filter(|tag| tag.as_bytes().starts_with(b"\"")).cloned()
}

/// Follows a few redirects, but none from HTTPS to a host that anyone on the way can impersonate.
fn follow(attempt: Attempt<'_>) -> redirect::Action {
    let was_encrypted = attempt.previous().last().is_some_and(|url| url.scheme() == "https");
    if was_encrypted && attempt.url().scheme() != "https" {
        attempt.error("it redirects from https to an unencrypted address")
    } else if attempt.previous().len() > REDIRECTS {
        attempt.error("it redirects too often")
    } else {
        attempt.follow()
    }
}

fn copy(path: &Path, target: &Path, maximum: u64) -> Result<(), UpdateError> {
    let doing = || format!("cannot read the bundle {}", path.display());
    let read =
        |error: io::Error| UpdateError::Permanent(anyhow::Error::new(error).context(doing()));
    if !std::fs::metadata(path).map_err(read)?.is_file() {
        return Err(UpdateError::Permanent(anyhow!("{} is not a file", path.display())));
    }
    let source = std::fs::File::open(path).map_err(read)?;
    let mut file = create(target).map_err(not_written)?;
    let copied = io::copy(&mut source.take(maximum.saturating_add(1)), &mut file);
    if copied.map_err(not_written)? > maximum { Err(too_large(maximum)) } else { Ok(()) }
}

fn refused(status: StatusCode) -> UpdateError {
    let error = anyhow!("the link answers {status}");
    match status {
        StatusCode::FORBIDDEN | StatusCode::UNAUTHORIZED | StatusCode::GONE => {
            UpdateError::Refused(error.context(
                "the link has expired or is wrong; request a new one and set bundleUrl to it",
            ))
        }
        StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_EARLY | StatusCode::TOO_MANY_REQUESTS => {
            UpdateError::Transient(error)
        }
        status if status.is_server_error() => UpdateError::Transient(error),
        _ => UpdateError::Permanent(error),
    }
}

fn too_large(maximum: u64) -> UpdateError {
    UpdateError::Permanent(anyhow!(
        "the bundle exceeds the limit of {maximum} bytes; see staticExport.maximumBytes"
    ))
}

/// An interrupted transfer. A presigned link is secret, and errors go to logs.
fn broken(error: reqwest::Error) -> UpdateError {
    let is_permanent = error.is_builder() || error.is_redirect();
    let error = anyhow::Error::new(error.without_url()).context("the bundle can't be fetched");
    if is_permanent { UpdateError::Permanent(error) } else { UpdateError::Transient(error) }
}

#[cfg(test)]
mod tests {
    use reqwest::header::{self, HeaderMap, HeaderValue};

    use super::{Part, content_range};

    #[test]
    fn transfer_resumes_only_the_same_bundle() {
        let part = Part { length: 10, tag: HeaderValue::from_static("\"a\""), total: Some(30) };
        for (tag, range, expected) in [
            ("\"a\"", "bytes 10-29/30", true),
            ("\"a\"", "bytes 10-29/*", true),
            ("\"b\"", "bytes 10-29/30", false),
            ("W/\"a\"", "bytes 10-29/30", false),
            ("\"a\"", "bytes 0-29/30", false),
            ("\"a\"", "bytes 10-30/31", false),
            ("\"a\"", "bytes */30", false),
            ("\"a\"", "10-29/30", false),
        ] {
            let headers = HeaderMap::from_iter([
                (header::ETAG, HeaderValue::from_str(tag).unwrap()),
                (header::CONTENT_RANGE, HeaderValue::from_str(range).unwrap()),
            ]);
            assert_eq!(part.goes_on_with(&headers), expected, "{tag} {range}");
        }
        assert!(!part.goes_on_with(&HeaderMap::new()));
        assert_eq!(content_range("bytes 99999999999999999999-1/2"), None);
    }
}
