//! Objects in a bucket of an S3-compatible store.

use std::{fmt, ops::Range, time::Duration};

use docwright_types::timestamp::Timestamp;
use futures::{StreamExt, TryStreamExt, future, stream};
use http::Method;
use object_store::{
    Attribute, Attributes, GetOptions, GetRange, GetResult, ObjectMeta, ObjectStore,
    ObjectStoreExt,
    aws::AmazonS3,
    client::{HttpClient, HttpConnector, ReqwestConnector},
    path::Path,
    signer::Signer,
};
use tokio_util::task::TaskTracker;

use super::{ObjectError, ObjectStream, S3Settings, Upload};

/// A download that fails to progress this many times is aborted. Each time lasts as long as a request with all its
/// retries.
const ATTEMPTS: u32 = 3;

/// A bucket.
#[derive(Clone)]
pub(super) struct S3 {
    pub(super) client: AmazonS3,
    /// For requests that `client` does not support.
    pub(super) http: HttpClient,
    bucket: String,
    /// Prefix of keys, with a trailing slash; or empty.
    pub(super) prefix: String,
    /// Background removals of leftovers of failed uploads.
    pub(super) removals: TaskTracker,
}

impl fmt::Debug for S3 {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "S3(s3://{}/{})", self.bucket, self.prefix)
    }
}

impl S3 {
    pub(super) fn connect(settings: &S3Settings) -> Result<Self, ObjectError> {
        let http = ReqwestConnector::default().connect(&settings.client_options());
        Ok(Self {
            client: settings.client()?,
            http: http.map_err(|error| ObjectError::Settings(error.to_string()))?,
            bucket: settings.bucket().to_owned(),
            prefix: settings.prefix().to_owned(),
            removals: TaskTracker::new(),
        })
    }

    /// Location of the object of a key in the bucket.
    pub(super) fn path(&self, key: &str) -> Path {
        Path::from(format!("{}{key}", self.prefix))
    }

    /// The content type of an object. All objects are bundles.
    pub(super) fn attributes() -> Attributes {
        Attributes::from_iter([(Attribute::ContentType, "application/gzip")])
    }

    pub(super) fn upload(&self, key: &str) -> Upload {
        Upload::to_s3(self.clone(), key)
    }

    pub(super) async fn get(
        &self,
        key: &str,
        range: Option<Range<u64>>,
    ) -> Result<ObjectStream, ObjectError> {
        if range.as_ref().is_some_and(Range::is_empty) {
            return Ok(stream::empty().boxed());
        }
        let found = self.open(key, range).await?;
        let download = Download {
            s3: self.clone(),
            key: key.to_owned(),
            rest: found.range.clone(),
            body: found.into_stream().map_err(|error| error.to_string()).boxed(),
            failures: 0,
        };
        Ok(stream::try_unfold(download, Download::next).boxed())
    }

    async fn open(&self, key: &str, range: Option<Range<u64>>) -> Result<GetResult, ObjectError> {
        let options = GetOptions { range: range.map(GetRange::Bounded), ..GetOptions::default() };
        let found = self.client.get_opts(&self.path(key), options).await;
        found.map_err(|error| ObjectError::of_store(&error, key))
    }

    pub(super) async fn size(&self, key: &str) -> Result<u64, ObjectError> {
        let found = self.client.head(&self.path(key)).await;
        Ok(found.map_err(|error| ObjectError::of_store(&error, key))?.size)
    }

    pub(super) async fn remove(&self, key: &str) -> Result<(), ObjectError> {
        match self
            .client
            .delete(&self.path(key))
            .await
            .map_err(|error| ObjectError::of_store(&error, key))
        {
            Err(ObjectError::Missing(_)) => Ok(()),
            removed => removed,
        }
    }

    pub(super) async fn list(&self, prefix: &str) -> Result<Vec<String>, ObjectError> {
        let below = self.path(prefix);
        let found = self.client.list(Some(&below)).map_ok(|found| found.location);
        let found: Vec<Path> =
            found.try_collect().await.map_err(|error| ObjectError::of_store(&error, prefix))?;
        let key = |path: &Path| path.as_ref().strip_prefix(&self.prefix).map(str::to_owned);
        let mut keys: Vec<String> = found.iter().filter_map(key).collect();
        keys.sort_unstable();
        Ok(keys)
    }

    pub(super) fn older_than(
        &self,
        before: Timestamp,
    ) -> stream::BoxStream<'_, Result<String, ObjectError>> {
        let below = self.path("");
        let below = Some(&below).filter(|below| !below.as_ref().is_empty());
        let found = self.client.list(below).map_err(|error| ObjectError::of_store(&error, ""));
        let key = move |found: ObjectMeta| {
            let key = found.location.as_ref().strip_prefix(&self.prefix)?;
            (found.last_modified.timestamp_millis() < before).then(|| key.to_owned())
        };
        found.try_filter_map(move |found| future::ok(key(found))).boxed()
    }

    pub(super) async fn link(&self, key: &str, good_for: Timestamp) -> Result<String, ObjectError> {
        let good_for = Duration::from_millis(u64::try_from(good_for).unwrap_or(0));
        let signed = self.client.signed_url(Method::GET, &self.path(key), good_for).await;
        Ok(signed.map_err(|error| ObjectError::of_store(&error, key))?.into())
    }
}

/// Contents being read. The bytes of a key never change, so after an interruption another stream continues.
struct Download {
    s3: S3,
    key: String,
    rest: Range<u64>,
    body: stream::BoxStream<'static, Result<bytes::Bytes, String>>,
    failures: u32,
}

impl Download {
    async fn next(mut self) -> Result<Option<(bytes::Bytes, Self)>, ObjectError> {
        loop {
            match self.body.next().await {
                Some(Ok(bytes)) => {
                    self.rest.start += bytes.len() as u64;
                    self.failures = 0;
                    return Ok(Some((bytes, self)));
                }
                None if self.rest.is_empty() => return Ok(None),
                broken => {
                    self.failures += 1;
                    if self.failures >= ATTEMPTS {
                        let cause = broken.and_then(Result::err);
                        let cause = cause.unwrap_or_else(|| "it ended too early".to_owned());
                        return Err(ObjectError::Unavailable(cause));
                    }
                    tracing::info!(
                        key = self.key,
                        at = self.rest.start,
                        "download interrupted; resuming"
                    );
                    let found = self.s3.open(&self.key, Some(self.rest.clone())).await?;
                    self.body = found.into_stream().map_err(|error| error.to_string()).boxed();
                }
            }
        }
    }
}
