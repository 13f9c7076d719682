//! What a confined thread can't do. The kernel confines threads, so each test confines one of its own.

use std::{
    fs,
    io::{self, ErrorKind},
    net::{TcpListener, TcpStream, UdpSocket},
    os::unix::{
        fs::symlink,
        net::{UnixListener, UnixStream},
    },
    path::{Path, PathBuf},
    process::Command,
    thread,
};

use rustix::process::{Pid, Resource, Rlimit, Signal, getrlimit, kill_process, setrlimit};
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, apply_filter};
use tempfile::TempDir;

use super::{Folders, Protection, confine};
use crate::child::confinement::Applied;

/// A folder to read, one to write, and one that is neither.
struct TestFolders {
    _folder: TempDir,
    read: PathBuf,
    write: PathBuf,
    other: PathBuf,
}

impl TestFolders {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let [read, write, other] = ["read", "write", "other"].map(|name| folder.path().join(name));
        for each in [&read, &write, &other] {
            fs::create_dir(each).unwrap();
            fs::write(each.join("file"), "x").unwrap();
        }
        symlink(other.join("file"), read.join("link")).unwrap();
        Self { _folder: folder, read, write, other }
    }

    /// Runs a function in a thread that is confined to these folders.
    fn confined<T: Send>(&self, work: impl Fn(&Self) -> T + Send + Sync) -> T {
        let folders = Folders { read: vec![self.read.clone()], write: vec![self.write.clone()] };
        thread::scope(|scope| {
            let thread = scope.spawn(|| {
                let applied = confine(&folders).unwrap();
                let full = Applied { files: Protection::Full, system_calls: Protection::Full };
                assert_eq!(applied, full, "the kernel of the tests has both");
                work(self)
            });
            thread.join().unwrap()
        })
    }
}

fn refused<T>(outcome: io::Result<T>) -> ErrorKind {
    outcome.err().expect("it is refused").kind()
}

/// A call that fails as unknown to the kernel.
fn unknown<T>(outcome: io::Result<T>) -> bool {
    outcome.err().and_then(|error| error.raw_os_error()) == Some(libc::ENOSYS)
}

#[test]
fn child_reads_only_its_folders() {
    let place = TestFolders::new();
    place.confined(|place| {
        assert_eq!(fs::read_to_string(place.read.join("file")).unwrap(), "x");
        assert_eq!(fs::read_dir(&place.read).unwrap().count(), 2);
        for path in [&place.other.join("file"), &place.read.join("link"), Path::new("/etc/passwd")]
        {
            assert_eq!(refused(fs::read(path)), ErrorKind::PermissionDenied, "{path:?}");
        }
        assert_eq!(refused(fs::read_dir(&place.other)), ErrorKind::PermissionDenied);
        assert_eq!(refused(fs::read_dir("/proc")), ErrorKind::PermissionDenied);
    });
}

#[test]
fn child_writes_only_one_folder() {
    let place = TestFolders::new();
    place.confined(|place| {
        fs::create_dir_all(place.write.join("a/b")).unwrap();
        fs::write(place.write.join("a/b/c"), "y").unwrap();
        fs::copy(place.read.join("file"), place.write.join("a/copy")).unwrap();
        fs::rename(place.write.join("a/b/c"), place.write.join("c")).unwrap();
        fs::remove_dir_all(place.write.join("a")).unwrap();
        for path in [place.read.join("file"), place.read.join("new"), place.other.join("new")] {
            assert_eq!(refused(fs::write(&path, "y")), ErrorKind::PermissionDenied, "{path:?}");
        }
        let gone = fs::remove_file(place.other.join("file"));
        assert_eq!(refused(gone), ErrorKind::PermissionDenied);
        assert!(unknown(symlink("/etc/passwd", place.write.join("link"))));
    });
}

#[test]
fn child_has_no_network() {
    let place = TestFolders::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    place.confined(|place| {
        assert!(unknown(TcpStream::connect(address)));
        assert!(unknown(TcpListener::bind("127.0.0.1:0")));
        assert!(unknown(UdpSocket::bind("127.0.0.1:0")));
        assert!(unknown(UnixListener::bind(place.write.join("socket"))));
        assert!(unknown(UnixStream::pair()));
    });
}

#[test]
fn child_reaches_no_other_process() {
    let place = TestFolders::new();
    let mut other = Command::new("sleep").arg("60").spawn().unwrap();
    let id = Pid::from_child(&other);
    place.confined(|_| {
        assert!(unknown(Command::new("/bin/true").spawn()));
        assert!(unknown(kill_process(id, Signal::KILL).map_err(Into::into)));
        let mut limit: Rlimit = getrlimit(Resource::Nofile);
        limit.current = limit.current.map(|number| number - 1);
        assert!(unknown(setrlimit(Resource::Nofile, limit).map_err(Into::into)));
    });
    assert!(other.try_wait().unwrap().is_none(), "it still runs");
    other.kill().unwrap();
    other.wait().unwrap();
}

#[test]
fn threads_work_and_are_confined_too() {
    let place = TestFolders::new();
    let inner = place.confined(|place| {
        let path = place.other.join("file");
        thread::spawn(move || (refused(fs::read(path)), unknown(UdpSocket::bind("127.0.0.1:0"))))
            .join()
            .unwrap()
    });
    assert_eq!(inner, (ErrorKind::PermissionDenied, true));
}

#[test]
fn error_names_missing_folder() {
    let folders = Folders { read: vec!["/no/such/folder".into()], write: Vec::new() };
    let error = thread::spawn(move || confine(&folders)).join().unwrap().unwrap_err();
    assert!(error.to_string().contains("/no/such/folder"), "{error}");
}

/// Makes this thread's kernel not know some calls.
fn forget(calls: &[i64]) {
    let rules = calls.iter().map(|call| (*call, Vec::new())).collect();
    let unknown = SeccompAction::Errno(libc::ENOSYS.unsigned_abs());
    let architecture = std::env::consts::ARCH.try_into().unwrap();
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, unknown, architecture).unwrap();
    let program: BpfProgram = filter.try_into().unwrap();
    apply_filter(&program).unwrap();
}

#[test]
fn older_kernels_apply_supported_limits() {
    let applied = |calls: &'static [i64]| {
        let confined = thread::spawn(move || {
            forget(calls);
            confine(&Folders::default())
        });
        confined.join().unwrap().unwrap()
    };
    let (full, missing) = (Protection::Full, Protection::Missing);
    let no_landlock = applied(&[libc::SYS_landlock_create_ruleset]);
    assert_eq!(no_landlock, Applied { files: missing, system_calls: full });
    let no_seccomp = applied(&[libc::SYS_seccomp]);
    assert_eq!(no_seccomp, Applied { files: full, system_calls: missing });
}
