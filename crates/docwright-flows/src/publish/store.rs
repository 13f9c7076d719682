//! From a folder of HTML to a bundle in storage.

use std::{
    fs::File,
    io::{self, BufWriter, Read, Write},
    path::Path,
};

use docwright_domain::export_job::StoredBundle;
use docwright_site::{
    build::Report,
    bundle::{BundleInfo, pack},
};
use sha2::{Digest, Sha256};

use super::{Publication, PublishError, check_out::DocsRoot};

/// Packs the site and stores it under the job's id: a job that runs again writes the same key.
pub(super) fn store(
    site: &Path,
    report: &Report,
    docs: &DocsRoot,
    publication: &Publication,
) -> Result<StoredBundle, PublishError> {
    let key = format!("{}/bundle.tar.gz", publication.job.id);
    let partial = publication.objects.partial_path(&key)?;
    let info = BundleInfo {
        page_count: report.pages,
        commit: docs.checkout.commit().map(str::to_owned),
        version: publication.job.version.clone(),
        redirects: report.redirects.clone(),
    };
    let mut file = BufWriter::new(File::create(&partial)?);
    pack(site, &info, &mut file)?;
    file.flush()?;
    file.get_ref().sync_all()?;
    let (size, sha256) = measure(&partial)?;
    publication.objects.store(&key)?;
    Ok(StoredBundle { key, size, sha256, commit: docs.checkout.commit().map(str::to_owned) })
}

fn measure(path: &Path) -> io::Result<(i64, String)> {
    let mut file = File::open(path)?;
    let mut hash = Sha256::new();
    let mut size: i64 = 0;
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            return Ok((size, hex::encode(hash.finalize())));
        }
        hash.update(&buffer[..read]);
        size += i64::try_from(read).unwrap_or(0);
    }
}
