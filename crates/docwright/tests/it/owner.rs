//! Owner and permissions of the files that commands create.

use std::{
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt, chown},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::{
    agent::write_site,
    server::{Process, Setup, docwright, git, write_repository},
};

/// The user of the service, with an id that no system assigns.
const SERVICE: u32 = 47_011;

/// A folder and everything in it.
fn below(folder: &Path) -> Vec<PathBuf> {
    let mut found = vec![folder.to_owned()];
    let mut next = 0;
    while let Some(path) = found.get(next).cloned() {
        next += 1;
        if path.is_dir() && !path.is_symlink() {
            found.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
        }
    }
    found
}

fn mode(path: &Path) -> u32 {
    path.symlink_metadata().unwrap().permissions().mode() & 0o777
}

/// Files that other users can read, write, or enter.
fn open_to_others(folder: &Path) -> Vec<String> {
    let files = below(folder).into_iter().filter(|path| !path.is_symlink());
    let open = files.filter(|path| mode(path) & 0o077 != 0);
    open.map(|path| format!("{:o} {}", mode(&path), path.display())).collect()
}

/// The program, run by a shell without a umask.
fn without_umask(command: &Command) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", "umask 000; exec \"$@\"", "sh"]).arg(command.get_program());
    shell.args(command.get_args()).stderr(Stdio::null());
    shell
}

#[tokio::test(flavor = "multi_thread")]
async fn data_folder_is_private_under_any_umask() {
    let setup = Setup::built_in(write_site, &[]);
    let data = setup.data().display().to_string();
    let create = docwright(&["admin", "organization", "create", "Second", "--data", &data]);
    assert!(without_umask(&create).stdout(Stdio::null()).status().unwrap().success());
    let process = Process::start(without_umask(&setup.service(&[])));
    let api = setup.api(&process);
    let export = api.start_export().await;
    assert_eq!(api.wait_for(&export, &["completed", "failed"]).await["status"], "completed");
    let job = api.prompt(&setup.project, "add page new titled New").await;
    let job = api.finished(&setup.project, job["id"].as_str().unwrap()).await;
    assert_eq!(job["status"], "completed", "{job}");
    let page = api.client.get(format!("{}/page-0", process.address));
    let page = page.header("host", "docs.example.com").send().await.unwrap();
    assert_eq!(page.status(), 200);
    assert_eq!(open_to_others(&setup.data()), Vec::<String>::new());
    assert!(below(&setup.data()).len() > 50, "the service created all its files");
}

#[test]
fn files_of_earlier_versions_become_private_at_next_start() {
    let setup = Setup::built_in(write_site, &[]);
    let data = setup.data();
    let wide = ["docwright.db", "root-secret"].map(|name| (data.join(name), 0o644));
    let wide = wide.into_iter().chain([(data.join("git"), 0o755), (data.join("work"), 0o775)]);
    let wide: Vec<_> = wide.collect();
    for (path, mode) in &wide {
        fs::set_permissions(path, fs::Permissions::from_mode(*mode)).unwrap();
    }
    setup.admin(&["organization", "list"]);
    for (path, _) in &wide {
        assert_eq!(mode(path) & 0o077, 0, "{}", path.display());
    }
}

#[test]
fn export_follows_the_umask_of_its_user() {
    let folder = tempfile::tempdir().unwrap();
    write_repository(&folder.path().join("docs"), 1);
    let (docs, bundle) = (folder.path().join("docs"), folder.path().join("bundle.tar.gz"));
    let (docs, out) = (docs.display().to_string(), bundle.display().to_string());
    let mut export = without_umask(&docwright(&["export", &docs, "--out", &out]));
    assert!(export.stdout(Stdio::null()).status().unwrap().success());
    assert_eq!(mode(&bundle), 0o666);
}

/// Whether the test can switch users.
fn is_root() -> bool {
    let is_root = rustix::process::geteuid().is_root();
    if !is_root {
        eprintln!("left out: only root can run a command as another user");
    }
    is_root
}

/// A data folder of the service's user, in a folder that this user can enter.
fn of_service(repository: &Path) {
    write_site(repository);
    let folder = repository.parent().unwrap();
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
    let data = folder.join("data");
    fs::create_dir(&data).unwrap();
    chown(data, Some(SERVICE), Some(SERVICE)).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn root_works_as_the_owner_of_the_data_folder() {
    if !is_root() {
        return;
    }
    let setup = Setup::built_in(of_service, &[]);
    let process = setup.serve();
    let running = fs::metadata(format!("/proc/{}", process.id())).unwrap();
    assert_eq!((running.uid(), running.gid()), (SERVICE, SERVICE));
    let status = fs::read_to_string(format!("/proc/{}/status", process.id())).unwrap();
    let groups = status.lines().find_map(|line| line.strip_prefix("Groups:")).unwrap();
    assert_eq!(groups.trim(), "", "root's groups are dropped");

    setup.admin(&["project", "create", "Second", "--organization", &setup.organization]);
    let api = setup.api(&process);
    let export = api.start_export().await;
    let export = api.wait_for(&export, &["completed", "failed"]).await;
    assert_eq!(export["status"], "completed", "{export}");
    let address = process.address.replace("http://", &format!("http://me:{}@", setup.key));
    let address = format!("{address}/git/{}.git", setup.project);
    git(setup.folder.path(), &["clone", "--quiet", &address, "clone"]);
    let clone = setup.folder.path().join("clone");
    git(&clone, &["commit", "--quiet", "--allow-empty", "--message", "Pushed"]);
    git(&clone, &["push", "--quiet", "origin", "HEAD:main"]);

    let foreign = below(&setup.data());
    let foreign = foreign.iter().filter(|path| {
        let found = path.symlink_metadata().unwrap();
        (found.uid(), found.gid()) != (SERVICE, SERVICE)
    });
    assert_eq!(foreign.collect::<Vec<_>>(), Vec::<&PathBuf>::new());
}

#[test]
fn root_command_names_the_user_it_runs_as() {
    if !is_root() {
        return;
    }
    let setup = Setup::built_in(of_service, &[]);
    let data = setup.data().display().to_string();
    let listed = crate::running::ended(&["admin", "organization", "list", "--data", &data], &[]);
    listed.succeeded();
    let note = format!("note: running as user {SERVICE}, the owner of {data}\n");
    assert_eq!(listed.errors, note);
}
