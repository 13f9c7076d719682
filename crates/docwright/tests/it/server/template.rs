//! Data folders that tests copy, so that a test process creates each kind of instance only once.

use std::{
    collections::HashMap,
    fs::{self, Permissions},
    path::{Path, PathBuf},
    sync::{Arc, LazyLock, Mutex, OnceLock},
};

use super::Setup;

/// What an instance has.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    /// An organization and a key.
    Organization,
    /// Also a project that was imported from these files with these flags, and its domain.
    Import(Vec<(PathBuf, Vec<u8>)>, Vec<String>),
}

/// An instance that isn't running.
struct Template {
    data: Vec<Entry>,
    organization: String,
    project: String,
    key: String,
}

/// A file, or a folder, which has no contents.
struct Entry {
    path: PathBuf,
    permissions: Permissions,
    contents: Option<Vec<u8>>,
}

static TEMPLATES: LazyLock<Mutex<HashMap<Kind, Arc<OnceLock<Template>>>>> =
    LazyLock::new(Mutex::default);

impl Kind {
    pub(super) fn import(folder: &Path, flags: &[&str]) -> Self {
        let files = entries(folder).into_iter();
        let mut files: Vec<_> =
            files.filter_map(|entry| Some((entry.path, entry.contents?))).collect();
        files.sort_unstable();
        Self::Import(files, flags.iter().map(|&flag| flag.to_owned()).collect())
    }
}

/// Fills an empty setup with an instance of a kind, which `create` creates if it is the first one.
pub(super) fn fill(setup: &mut Setup, kind: Kind, create: impl FnOnce(&mut Setup)) {
    let template = Arc::clone(TEMPLATES.lock().unwrap().entry(kind).or_default());
    let template = template.get_or_init(|| {
        let mut setup = Setup::empty(tempfile::tempdir().unwrap(), None);
        create(&mut setup);
        let data = entries(&setup.data());
        let Setup { organization, project, key, .. } = setup;
        Template { data, organization, project, key }
    });
    for Entry { path, permissions, contents } in &template.data {
        let path = setup.data().join(path);
        match contents {
            Some(contents) => fs::write(&path, contents).unwrap(),
            None => fs::create_dir(&path).unwrap(),
        }
        fs::set_permissions(path, permissions.clone()).unwrap();
    }
    setup.organization.clone_from(&template.organization);
    setup.project.clone_from(&template.project);
    setup.key.clone_from(&template.key);
}

/// All that a folder has, itself first.
fn entries(folder: &Path) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        entries.push(entry(folder, &next, None));
        for found in fs::read_dir(next).unwrap() {
            let path = found.unwrap().path();
            let contents = if path.is_symlink() {
                fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes()
            } else if path.is_dir() {
                folders.push(path);
                continue;
            } else {
                fs::read(&path).unwrap()
            };
            entries.push(entry(folder, &path, Some(contents)));
        }
    }
    entries
}

fn entry(folder: &Path, path: &Path, contents: Option<Vec<u8>>) -> Entry {
    let permissions = fs::symlink_metadata(path).unwrap().permissions();
    Entry { path: path.strip_prefix(folder).unwrap().to_owned(), permissions, contents }
}
