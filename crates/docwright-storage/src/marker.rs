//! Checks that an object storage, or the folder of the built-in git host, belongs to the instance of a database.
//!
//! A marker proves it: a small object or file whose name is the fingerprint in the database. A storage can have
//! several markers, so copies of it keep working, and nodes that start at once don't disturb each other.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use docwright_types::timestamp::Timestamp;
use futures::{StreamExt, TryStreamExt};

use crate::{Database, Objects, StorageError, database::InstancePart};

/// The folder of the markers.
const FOLDER: &str = "instance";
const CONTENTS: &[u8] =
    b"This storage belongs to the docwright instance that knows this name. Keep it.\n";
/// Objects that are listed to find out whether there are bundles.
const POLLED_AT: usize = 1_000;

/// A storage that must belong to an instance.
#[derive(Debug, Clone, Copy)]
pub enum InstanceStorage<'a> {
    /// The object storage.
    Objects(&'a Objects),
    /// The folder of the built-in git host.
    Repositories(&'a Path),
}

/// Why a storage can't be used.
#[derive(Debug, thiserror::Error)]
pub enum MarkerError {
    /// It has no marker of this instance.
    #[error("it isn't that of this instance: it has no `{0}`")]
    Foreign(String),
    /// The storage isn't empty, and the database has never used one.
    #[error("it isn't empty, but the database of this instance has never used it")]
    Unknown,
    /// The storage or the database can't be read.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

impl From<io::Error> for MarkerError {
    fn from(error: io::Error) -> Self {
        Self::Storage(error.into())
    }
}

impl From<crate::ObjectError> for MarkerError {
    fn from(error: crate::ObjectError) -> Self {
        Self::Storage(error.into())
    }
}

/// Checks that a storage belongs to the instance. A new storage gets a marker.
pub async fn confirm(database: &Database, storage: InstanceStorage<'_>) -> Result<(), MarkerError> {
    if let Some(value) = database.fingerprint(storage.part()).await? {
        return storage.require(&value).await;
    }
    if storage.has_contents().await? {
        return Err(MarkerError::Unknown);
    }
    // Written before it is recorded, so that readers of the record find the marker.
    let own = new_value();
    storage.write(&own).await?;
    let value = database.record_fingerprint(storage.part(), &own).await?;
    if value == own {
        return Ok(());
    }
    storage.remove(&own).await?;
    storage.require(&value).await
}

/// The same for a storage that might never be used: a new empty one stays unchanged.
pub async fn confirm_if_used(
    database: &Database,
    storage: InstanceStorage<'_>,
) -> Result<(), MarkerError> {
    if database.fingerprint(storage.part()).await?.is_some() || storage.has_contents().await? {
        return confirm(database, storage).await;
    }
    Ok(())
}

/// Makes a storage belong to the instance, even if it belonged to another.
pub async fn adopt(database: &Database, storage: InstanceStorage<'_>) -> Result<(), MarkerError> {
    let value = database.fingerprint(storage.part()).await?.unwrap_or_else(new_value);
    storage.write(&value).await?;
    Ok(database.replace_fingerprint(storage.part(), &value).await?)
}

fn new_value() -> String {
    uuid::Uuid::now_v7().simple().to_string()
}

/// The name of a marker in its storage.
fn name(value: &str) -> String {
    format!("{FOLDER}/{value}")
}

impl InstanceStorage<'_> {
    const fn part(&self) -> InstancePart {
        match self {
            Self::Objects(_) => InstancePart::Objects,
            Self::Repositories(_) => InstancePart::Repositories,
        }
    }

    async fn require(&self, value: &str) -> Result<(), MarkerError> {
        let name = name(value);
        let is_there = match self {
            Self::Objects(objects) => match objects.size(&name).await {
                Err(crate::ObjectError::Missing(_)) => false,
                found => found.map(|_| true)?,
            },
            Self::Repositories(folder) => folder.join(&name).try_exists()?,
        };
        if is_there { Ok(()) } else { Err(MarkerError::Foreign(name)) }
    }

    async fn write(&self, value: &str) -> Result<(), MarkerError> {
        match self {
            Self::Objects(objects) => {
                let mut upload = objects.upload(&name(value)).await?;
                upload.write(CONTENTS).await?;
                upload.finish().await?;
            }
            Self::Repositories(folder) => {
                fs::create_dir_all(folder.join(FOLDER))?;
                fs::write(folder.join(name(value)), CONTENTS)?;
            }
        }
        Ok(())
    }

    async fn remove(&self, value: &str) -> Result<(), MarkerError> {
        match self {
            Self::Objects(objects) => objects.remove(&name(value)).await?,
            Self::Repositories(folder) => fs::remove_file(folder.join(name(value)))?,
        }
        Ok(())
    }

    /// Whether it contains objects that only an instance creates. Other objects of a bucket don't matter.
    async fn has_contents(&self) -> Result<bool, MarkerError> {
        match self {
            Self::Objects(objects) => {
                let found = objects.older_than(Timestamp::MAX).take(POLLED_AT);
                let mut bundles =
                    found.try_filter(|key| std::future::ready(key.ends_with("/bundle.tar.gz")));
                Ok(bundles.try_next().await?.is_some())
            }
            Self::Repositories(folder) => Ok(!repositories(folder)?.is_empty()),
        }
    }
}

/// The repositories in the folder of the built-in git host.
pub fn repositories(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let paths = entries.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    let is_repository = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "git");
    Ok(paths.into_iter().filter(is_repository).collect())
}
