//! Fetching a bundle: with retries, going on where a transfer broke off, up to a size.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context, bail, ensure};
use futures::StreamExt;
use reqwest::{Client, StatusCode, header, redirect};
use tokio::{
    fs::{self, File, OpenOptions},
    io::AsyncWriteExt,
};

/// A transfer is tried this often.
const ATTEMPTS: u32 = 4;
/// The wait before the second try; it doubles.
const FIRST_WAIT: Duration = Duration::from_millis(200);
/// A host that sends nothing for so long is given up.
const SILENCE: Duration = Duration::from_secs(30);

/// A fault, and whether trying again makes sense.
enum Fault {
    Passing(anyhow::Error),
    Final(anyhow::Error),
}

/// Fetches what is behind a link, or takes the file at a path. Returns where it is.
pub(super) async fn fetch(link: &str, data: &Path, maximum: u64) -> anyhow::Result<PathBuf> {
    if !link.starts_with("http://") && !link.starts_with("https://") {
        return local_file(link, maximum);
    }
    let target = data.join("bundle.download");
    remove(&target).await?;
    let client = Client::builder()
        .connect_timeout(SILENCE)
        .read_timeout(SILENCE)
        .redirect(redirect::Policy::limited(5))
        .build()
        .context("cannot prepare the transfer")?;
    let mut wait = FIRST_WAIT;
    for attempt in 1.. {
        match transfer(&client, link, &target, maximum).await {
            Ok(()) => return Ok(target),
            Err(Fault::Passing(error)) if attempt < ATTEMPTS => {
                tracing::warn!(error = %format!("{error:#}"), attempt, "the transfer broke off; trying again");
                tokio::time::sleep(wait).await;
                wait *= 2;
            }
            Err(Fault::Passing(error) | Fault::Final(error)) => return Err(error),
        }
    }
    bail!("the transfer did not come to an end")
}

fn local_file(link: &str, maximum: u64) -> anyhow::Result<PathBuf> {
    let path = PathBuf::from(link.strip_prefix("file://").unwrap_or(link));
    let size = std::fs::metadata(&path)
        .with_context(|| format!("cannot read the bundle {}", path.display()))?
        .len();
    ensure!(size <= maximum, "the bundle has {size} bytes, {maximum} are allowed");
    Ok(path)
}

async fn remove(path: &Path) -> anyhow::Result<()> {
    match fs::remove_file(path).await {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).context("cannot remove an old download")
        }
        _ => Ok(()),
    }
}

/// One try: asks for what is still missing and adds it to the file.
async fn transfer(client: &Client, link: &str, target: &Path, maximum: u64) -> Result<(), Fault> {
    let present = fs::metadata(target).await.map_or(0, |file| file.len());
    let mut request = client.get(link);
    if present > 0 {
        request = request.header(header::RANGE, format!("bytes={present}-"));
    }
    let response = request.send().await.map_err(|error| Fault::Passing(without_link(error)))?;
    let resumed = response.status() == StatusCode::PARTIAL_CONTENT;
    check_status(response.status())?;
    let already = if resumed { present } else { 0 };
    let expected = response.content_length().map(|length| length + already);
    if expected.is_some_and(|length| length > maximum) {
        return Err(Fault::Final(too_large(maximum)));
    }
    let file = if resumed {
        OpenOptions::new().append(true).open(target).await
    } else {
        File::create(target).await
    };
    let mut file = file.context("cannot write the download").map_err(Fault::Final)?;
    let mut received = already;
    let mut body = response.bytes_stream();
    while let Some(part) = body.next().await {
        let part = part.map_err(|error| Fault::Passing(without_link(error)))?;
        received += part.len() as u64;
        if received > maximum {
            return Err(Fault::Final(too_large(maximum)));
        }
        file.write_all(&part).await.context("cannot write the download").map_err(Fault::Final)?;
    }
    file.flush().await.context("cannot write the download").map_err(Fault::Final)?;
    match expected {
        Some(expected) if expected != received => Err(Fault::Passing(anyhow::anyhow!(
            "the transfer ended after {received} of {expected} bytes"
        ))),
        _ => Ok(()),
    }
}

fn check_status(status: StatusCode) -> Result<(), Fault> {
    let fault = || anyhow::anyhow!("the link answers {status}");
    if status.is_success() {
        return Ok(());
    }
    match status {
        StatusCode::FORBIDDEN | StatusCode::UNAUTHORIZED | StatusCode::GONE => {
            Err(Fault::Final(fault().context(
                "the link has expired or is wrong; ask for a fresh one and set bundleUrl to it",
            )))
        }
        status if status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS => {
            Err(Fault::Passing(fault()))
        }
        _ => Err(Fault::Final(fault())),
    }
}

fn too_large(maximum: u64) -> anyhow::Error {
    anyhow::anyhow!(
        "the bundle is larger than the {maximum} bytes that are allowed; see staticExport.maximumBytes"
    )
}

/// A presigned link is a secret; errors go to logs.
fn without_link(error: reqwest::Error) -> anyhow::Error {
    anyhow::Error::new(error.without_url()).context("the bundle can't be fetched")
}
