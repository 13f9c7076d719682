//! The location of a project's files: allowed locations for each caller, and the stored form.

use std::path::Path;

use docwright_repository::location::{BUILT_IN, Location};
use url::Url;

use crate::{Caller, OperationError, Operations, error::sentence};

/// Parses the location of files. The operator can use a folder or a bare repository of the server. Others can use
/// what their own credentials open, or public repositories: never the server's disk, nor a host for which the
/// operator set credentials, since these would open repositories of others.
pub(crate) async fn read(
    operations: &Operations,
    caller: &Caller,
    text: &str,
) -> Result<(Location, String), OperationError> {
    if text == BUILT_IN {
        return Ok((Location::BuiltIn, text.to_owned()));
    }
    if caller.is_operator() {
        let text = text.to_owned();
        let read = tokio::task::spawn_blocking(move || of_operator(&text)).await;
        return read.map_err(|error| OperationError::Internal(error.to_string()))?;
    }
    let location = Location::parse_public(text).map_err(invalid)?;
    if let Location::Remote(address) = &location
        && operations.repositories.hosts.opens(address)
    {
        return Err(OperationError::Forbidden(format!(
            "Only the operator can use repositories on {}, because the instance has credentials for it. Ask the operator to set this repository.",
            address.host()
        )));
    }
    let stored = location.to_string();
    Ok((location, stored))
}

/// Every form is allowed. A bare repository of the server becomes an address that git clones.
fn of_operator(text: &str) -> Result<(Location, String), OperationError> {
    let location = Location::parse(text).map_err(invalid)?;
    let Location::Folder(folder) = &location else {
        let stored = location.to_string();
        return Ok((location, stored));
    };
    let invalid = |what: String| Err(OperationError::Invalid(what));
    if !folder.is_absolute() {
        return invalid(format!("{} isn't an absolute path. Use the full path.", folder.display()));
    }
    let Ok(folder) = std::fs::canonicalize(folder) else {
        return invalid(format!("Folder {} not found.", folder.display()));
    };
    let shown = folder.display().to_string();
    if !folder.is_dir() {
        return invalid(format!("{shown} is a file. Use a folder or a URL."));
    }
    if !is_git_folder(&folder) {
        return Ok((Location::Folder(folder), shown));
    }
    if let Some(checkout) = folder.parent().filter(|_| folder.ends_with(".git")) {
        let checkout = checkout.display();
        return invalid(format!(
            "{shown} belongs to git. Use {checkout}, the folder with the files."
        ));
    }
    let Ok(address) = Url::from_file_path(&folder) else {
        return invalid(format!("{shown} isn't a valid path."));
    };
    let location = Location::parse(address.as_str()).map_err(self::invalid)?;
    Ok((location, address.into()))
}

/// Whether this folder is itself a git repository, so it has no files.
fn is_git_folder(folder: &Path) -> bool {
    folder.join("HEAD").is_file() && folder.join("objects").is_dir() && folder.join("refs").is_dir()
}

#[expect(clippy::needless_pass_by_value, reason = "it maps an error")]
fn invalid(error: docwright_repository::location::LocationError) -> OperationError {
    OperationError::Invalid(sentence(&error.to_string()))
}
