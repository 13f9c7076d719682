//! Tests whether a bucket works: before anything depends on it, and before a missing object counts as lost.

use std::time::Duration;

use bytes::Bytes;
use futures::TryStreamExt;

use super::{ObjectError, Retries, S3Settings, s3::S3};

/// How long requests to an unresponsive store are repeated.
const PATIENCE: Retries = Retries {
    first_wait: Duration::from_millis(100),
    longest_wait: Duration::from_secs(1),
    give_up_after: Duration::from_secs(5),
};
const CONTENTS: &[u8] = b"docwright writes, reads, and removes this to test the bucket\n";

/// Writes, reads, and removes a small object.
pub(super) async fn probe(settings: &S3Settings) -> Result<(), ObjectError> {
    let s3 = S3::connect(&settings.clone().with_retries(PATIENCE))?;
    if let Err(error) = s3.client.credentials().get_credential().await {
        let error = ObjectError::of_store(&error, "");
        return Err(ObjectError::Settings(format!(
            "there are no credentials for the object store: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or run where a role of the machine or container gives them ({error})"
        )));
    }
    match round(&s3, &probe_key()).await {
        Ok(()) => Ok(()),
        Err(error) if error.is_transient() => {
            tracing::warn!(%error, "object storage didn't respond; started without it");
            Ok(())
        }
        Err(error) => Err(ObjectError::Settings(sentence(settings, &error))),
    }
}

/// Writes, reads, and removes a small object of an open bucket. An unresponsive store is given up soon.
pub(super) async fn test(s3: &S3) -> Result<(), ObjectError> {
    let round = tokio::time::timeout(PATIENCE.give_up_after, round(s3, &probe_key())).await;
    round.unwrap_or_else(|_| Err(ObjectError::Unavailable("it took too long".to_owned())))
}

/// Whether the bucket works and does not have an object.
pub(super) async fn is_gone(s3: &S3, key: &str) -> Result<bool, ObjectError> {
    // `HEAD` has no body to distinguish a missing bucket from a missing object.
    if is_there(s3, key).await? {
        return Ok(false);
    }
    round(s3, &probe_key()).await?;
    Ok(!is_there(s3, key).await?)
}

async fn is_there(s3: &S3, key: &str) -> Result<bool, ObjectError> {
    match s3.get(key, Some(0..1)).await {
        Ok(_) => Ok(true),
        Err(ObjectError::Missing(_)) => Ok(false),
        Err(error) => Err(error),
    }
}

fn probe_key() -> String {
    format!("probe/{}", uuid::Uuid::now_v7().simple())
}

async fn round(s3: &S3, key: &str) -> Result<(), ObjectError> {
    let mut upload = s3.upload(key);
    upload.write(CONTENTS).await?;
    upload.finish().await?;
    let read: Vec<Bytes> = s3.get(key, None).await?.try_collect().await?;
    s3.list("probe").await?;
    s3.remove(key).await?;
    if read.concat() == CONTENTS {
        return Ok(());
    }
    Err(ObjectError::Settings(
        "the object store returned different bytes than were written".to_owned(),
    ))
}

fn sentence(settings: &S3Settings, error: &ObjectError) -> String {
    let bucket = settings.bucket();
    let code = if let ObjectError::Refused { code, .. } = error { code.as_str() } else { "" };
    let advice = match code {
        "NoSuchBucket" => "create the bucket, or name another one in --objects",
        "InvalidAccessKeyId" | "NotSignedUp" => "check AWS_ACCESS_KEY_ID",
        "SignatureDoesNotMatch" => "check AWS_SECRET_ACCESS_KEY",
        "InvalidToken" => "check AWS_SESSION_TOKEN",
        "PermanentRedirect"
        | "AuthorizationHeaderMalformed"
        | "IllegalLocationConstraintException" => "check AWS_REGION and AWS_ENDPOINT_URL",
        "RequestTimeTooSkewed" => "set the clock of this machine",
        _ => {
            "give the key s3:PutObject, s3:GetObject, s3:DeleteObject, s3:AbortMultipartUpload, s3:ListBucket, and s3:ListBucketMultipartUploads"
        }
    };
    format!("the bucket `{bucket}` can't be used: {error}; {advice}")
}
