//! `docwright confine`: runs the command of an external agent with its own environment and home, and with only the
//! files that it needs. [`sandbox`] lists those files and sets the kernel's rules.
//!
//! Only docwright itself starts this. Values of variables are never on the command line, where other processes can
//! read them: the command inherits the variables on the list of names.

use std::{
    env,
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};

use anyhow::Context;

use crate::sandbox;

/// Variables that every program can need: to find programs, to show text, to use the network. Variables with the
/// prefix `LC_` belong to them.
const VARIABLES: &[&str] = &[
    "PATH",
    "LANG",
    "LANGUAGE",
    "TERM",
    "TZ",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
];

/// Variables that name files or folders of certificates.
const CERTIFICATES: &[&str] = &[
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "GIT_SSL_CAINFO",
    "NIX_SSL_CERT_FILE",
];

/// Run a command with an environment and files of its own
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Empty folder that becomes the command's home; it can write there
    #[arg(long, value_name = "DIR")]
    home: PathBuf,
    /// Folder that the command can write to as well
    #[arg(long, value_name = "DIR")]
    write: Vec<PathBuf>,
    /// Folder that the command can read and run programs from, besides those of the system
    #[arg(long, value_name = "DIR")]
    read: Vec<PathBuf>,
    /// Variable of the environment that the command can see, besides the usual ones
    #[arg(long, value_name = "NAME")]
    environment: Vec<String>,
    /// The command and its arguments
    #[arg(last = true, required = true)]
    command: Vec<OsString>,
}

/// Becomes the command. Returns only if the command can't be started.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let program = find_program(&arguments.command[0])?;
    let variables: Vec<_> =
        env::vars_os().filter(|(name, _)| passes(name, &arguments.environment)).collect();
    let mut command = Command::new(&program);
    command.args(&arguments.command[1..]).env_clear().envs(variables);
    command.envs(home_variables(&arguments.home)).current_dir(&arguments.home);
    for folder in ["tmp", "run"] {
        let folder = arguments.home.join(folder);
        std::fs::create_dir_all(&folder)
            .with_context(|| format!("cannot create {}", folder.display()))?;
    }
    let mut writable = arguments.write;
    writable.push(arguments.home);
    let mut readable = arguments.read;
    readable.extend(CERTIFICATES.iter().filter_map(env::var_os).map(PathBuf::from));
    readable.extend(named_files(&program, &arguments.command[1..], &writable));
    // Missing kernel support is reported once, when the service starts.
    let _enforced = sandbox::enter(&readable, &writable)?;
    start(command)
}

/// The path of the program, also through links, and absolute paths among its arguments.
fn named_files(program: &Path, arguments: &[OsString], writable: &[PathBuf]) -> Vec<PathBuf> {
    let mut private = writable.to_vec();
    private.extend(env::home_dir());
    let named = arguments.iter().map(PathBuf::from).filter(|path| path.is_absolute());
    let paths = [program.to_owned()].into_iter().chain(program.canonicalize()).chain(named);
    paths.filter_map(|path| surroundings(&path, &private)).collect()
}

fn passes(name: &OsStr, listed: &[String]) -> bool {
    let Some(name) = name.to_str() else { return false };
    VARIABLES.contains(&name)
        || CERTIFICATES.contains(&name)
        || name.starts_with("LC_")
        || listed.iter().any(|each| each == name)
}

/// Folders of programs' files, by the conventions of Unix and of the XDG base directories.
/// <https://specifications.freedesktop.org/basedir-spec/latest/>
fn home_variables(home: &Path) -> [(&'static str, PathBuf); 7] {
    [
        ("HOME", home.to_owned()),
        ("TMPDIR", home.join("tmp")),
        ("XDG_CONFIG_HOME", home.join(".config")),
        ("XDG_CACHE_HOME", home.join(".cache")),
        ("XDG_DATA_HOME", home.join(".local/share")),
        ("XDG_STATE_HOME", home.join(".local/state")),
        ("XDG_RUNTIME_DIR", home.join("run")),
    ]
}

/// The path of a program: as specified, or from the folders in `PATH`.
fn find_program(name: &OsStr) -> anyhow::Result<PathBuf> {
    let path = Path::new(name);
    if path.components().count() > 1 {
        return Ok(std::path::absolute(path)?);
    }
    let folders = env::var_os("PATH").unwrap_or_default();
    let found =
        env::split_paths(&folders).map(|folder| folder.join(path)).find(|path| path.is_file());
    found.with_context(|| {
        format!("`{}` isn't in a folder of PATH; use its full path", path.display())
    })
}

/// Readable paths for a program, script, or folder of the command: its folder with everything in it, or the folder
/// itself. If that folder contains a private one, such as docwright's data, only the file itself.
fn surroundings(path: &Path, private: &[PathBuf]) -> Option<PathBuf> {
    let folder = if path.is_dir() { Some(path) } else { path.parent() };
    let is_wide = |folder: &&Path| private.iter().any(|each| each.starts_with(folder));
    let narrow = folder.filter(|folder| !is_wide(folder));
    narrow.or_else(|| path.is_file().then_some(path)).map(Path::to_owned)
}

#[cfg(unix)]
fn start(mut command: Command) -> anyhow::Result<ExitCode> {
    use std::os::unix::process::CommandExt;
    Err(command.exec()).context("cannot start the external agent")
}

#[cfg(not(unix))]
fn start(mut command: Command) -> anyhow::Result<ExitCode> {
    let status = command.status().context("cannot start the external agent")?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folder_with_private_folder_inside_is_hidden() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        std::fs::create_dir_all(root.join("agent/data")).unwrap();
        std::fs::write(root.join("agent/main.mjs"), "").unwrap();
        let script = root.join("agent/main.mjs");
        let agent = root.join("agent");
        assert_eq!(surroundings(&script, &[root.join("data")]), Some(agent.clone()));
        assert_eq!(surroundings(&agent, &[root.join("data")]), Some(agent.clone()));
        let private = [agent.join("data")];
        assert_eq!(surroundings(&script, &private), Some(script.clone()));
        assert_eq!(surroundings(&agent, &private), None);
    }

    #[test]
    fn variables_pass_by_name_only() {
        let listed = ["MODEL_KEY".to_owned()];
        for name in ["PATH", "LC_ALL", "https_proxy", "SSL_CERT_FILE", "MODEL_KEY"] {
            assert!(passes(OsStr::new(name), &listed), "{name}");
        }
        for name in ["HOME", "PGPASSWORD", "AWS_SECRET_ACCESS_KEY", "DOCWRIGHT_KEY", "LCX", "KEY"] {
            assert!(!passes(OsStr::new(name), &listed), "{name}");
        }
    }
}
