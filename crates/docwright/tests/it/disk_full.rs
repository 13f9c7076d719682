//! Full disks, on a small file system: acknowledged writes aren't lost, reads continue, and writes resume
//! without a restart when there is room.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::Command,
};

use docwright_testing::wait::eventually;
use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    running::ended,
    server::{Process, Setup, git, write_repository},
};

const HOST: &str = "docs.example.com";

/// A file system in memory, unmounted after the test.
pub(crate) struct SmallDisk {
    folder: PathBuf,
}

impl SmallDisk {
    /// Returns `None` and prints the reason if it can't be mounted.
    pub(crate) fn mount(folder: &Path, mebibytes: u32) -> Option<Self> {
        fs::create_dir_all(folder).unwrap();
        let size = format!("size={mebibytes}m");
        let mut command = Command::new("mount");
        command.args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(folder);
        if !command.status().is_ok_and(|status| status.success()) {
            println!("skipped: no file system can be mounted here");
            return None;
        }
        Some(Self { folder: folder.to_owned() })
    }

    /// Moves the data folder of a setup to such a file system.
    pub(crate) fn below(setup: &Setup, mebibytes: u32) -> Option<Self> {
        let data = setup.data();
        let copy = setup.folder.path().join("copy");
        fs::rename(&data, &copy).unwrap();
        let disk = Self::mount(&data, mebibytes)?;
        let all = format!("{}/.", copy.display());
        let copied = Command::new("cp").arg("-a").arg(all).arg(&data).status();
        assert!(copied.unwrap().success());
        Some(disk)
    }

    /// Writes until the disk is full.
    pub(crate) fn fill(&self) {
        let mut file = fs::File::options()
            .create(true)
            .append(true)
            .open(self.folder.join("filling"))
            .unwrap();
        for size in [1 << 20, 1 << 12, 1] {
            let piece = vec![1; size];
            while file.write_all(&piece).is_ok() {}
        }
    }

    /// Remounts the file system with `ro` or `rw`.
    fn remount(&self, how: &str) {
        let how = format!("remount,{how}");
        let status = Command::new("mount").args(["-o", &how]).arg(&self.folder).status();
        assert!(status.unwrap().success());
    }

    pub(crate) fn make_room(&self) {
        fs::remove_file(self.folder.join("filling")).unwrap();
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _unmounted = Command::new("umount").arg("--lazy").arg(&self.folder).status();
    }
}

async fn page(process: &Process, path: &str) -> u16 {
    let request = reqwest::Client::new().get(format!("{}{path}", process.address));
    request.header("host", HOST).send().await.unwrap().status().as_u16()
}

/// Sends a page rating. Returns whether the server stored it.
async fn say(process: &Process) -> bool {
    let request = reqwest::Client::new().post(format!("{}/_docwright/feedback", process.address));
    let request = request
        .header("host", HOST)
        .header("origin", format!("https://{HOST}"))
        .header("sec-fetch-site", "same-origin")
        .json(&json!({ "page": "page-1", "helpful": true }));
    let status = request.send().await.unwrap().status();
    assert!(status.is_success() || status.is_server_error(), "{status}");
    status.is_success()
}

/// Tries each kind of write on the full disk. Acknowledged writes must exist afterward.
#[tokio::test(flavor = "multi_thread")]
async fn full_disk_loses_nothing_and_readers_are_served() {
    let setup = Setup::built_in(|folder| write_repository(folder, 40), &[]);
    let Some(disk) = SmallDisk::below(&setup, 48) else { return };

    // Without the low-disk threshold, so that every write is tried.
    let mut command =
        setup.service(&[("DOCWRIGHT_LOW_DISK", "0"), ("DOCWRIGHT_LEASE_SECONDS", "1")]);
    let log = setup.folder.path().join("log");
    command.stderr(fs::File::create(&log).unwrap());
    let process = Process::start(command);
    let api = setup.api(&process);
    let first = api.start_export().await;
    assert_eq!(api.wait_for(&first, &["completed", "failed"]).await["status"], "completed");
    let clone = format!("{}/git/{}.git", process.address, setup.project);
    let clone = clone.replacen("http://", &format!("http://x:{}@", setup.key), 1);
    git(setup.folder.path(), &["clone", "--quiet", &clone, "pushed"]);
    let pushed = setup.folder.path().join("pushed");
    disk.fill();

    let mut acknowledged = Vec::new();
    let mut feedback = 0;
    for round in 0..20 {
        // The last use of these keys isn't recorded yet.
        assert_eq!(api.job(&first).await["status"], "completed", "reads continue");
        assert_eq!(page(&process, "/page-3").await, 200);
        assert_eq!(api.send(Method::GET, "/readyz", None).await.status(), 200);
        let body = json!({ "domain": HOST, "version": format!("v{round}") });
        let answer = api.send(Method::POST, "/v1/static-export/jobs", Some(body)).await;
        match answer.status().as_u16() {
            202 => {
                let body: Value = answer.json().await.unwrap();
                acknowledged.push(body["jobId"].as_str().unwrap().to_owned());
            }
            status => assert_eq!(status, 503, "{}", fs::read_to_string(&log).unwrap()),
        }
        feedback += i64::from(say(&process).await);
        disk.fill();
    }
    let fresh = Setup::api(&setup, &process);
    assert_eq!(fresh.send(Method::GET, "/v1/static-export/jobs/none", None).await.status(), 404);
    // A push that doesn't fit is refused with an error.
    fs::write(pushed.join("large.bin"), vec![7; 1 << 20]).unwrap();
    let noise: Vec<u8> =
        (0..2_000_000_u32).map(|n| n.wrapping_mul(2_654_435_761).to_be_bytes()[1]).collect();
    fs::write(pushed.join("noise.bin"), noise).unwrap();
    git(&pushed, &["add", "--all"]);
    git(&pushed, &["commit", "--quiet", "--message", "large"]);
    let refused = Command::new("git")
        .arg("-C")
        .arg(&pushed)
        .args(["push", "--quiet", "origin", "HEAD:main"])
        .env("GIT_TERMINAL_PROMPT", "0")
        .output()
        .unwrap();
    assert!(!refused.status.success(), "the push doesn't fit");
    assert_eq!(page(&process, "/page-5").await, 200);

    disk.make_room();
    git(&pushed, &["push", "--quiet", "origin", "HEAD:main"]);
    let last = api.start_export().await;
    assert_eq!(api.wait_for(&last, &["completed", "failed"]).await["status"], "completed");
    for id in &acknowledged {
        let job = api.wait_for(id, &["completed", "failed"]).await;
        assert_eq!(job["status"], "completed", "{job}");
    }
    let count = setup.admin(&["feedback", "list", "--domain", HOST]);
    let kept = count.as_array().unwrap().iter().map(|page| page["helpful"].as_i64().unwrap());
    assert_eq!(kept.sum::<i64>(), feedback, "exactly the acknowledged entries are stored");
}

/// Jobs don't start on a nearly full disk. They start automatically when there is room.
#[tokio::test(flavor = "multi_thread")]
async fn low_disk_starts_no_job_and_reports_reason() {
    let setup = Setup::with_pages(3);
    let Some(disk) = SmallDisk::below(&setup, 64) else { return };
    fs::write(disk.folder.join("filling"), vec![1; 40 << 20]).unwrap();
    // Releases that an operator requests in a shell stay queued.
    let release = setup.admin(&["release", "create", "--domain", HOST]);
    let log = setup.folder.path().join("log");
    let mut command = setup.service(&[("DOCWRIGHT_LOW_DISK", "32")]);
    command.stderr(fs::File::create(&log).unwrap());
    let process = Process::start(command);
    // Only workers check the disk until a request arrives.
    eventually("a worker says so", async || {
        fs::read_to_string(&log).unwrap().contains("disk space low")
    })
    .await;
    let state = || {
        let all = setup.admin(&["release", "list", "--project", &setup.project]);
        assert_eq!(all[0]["id"], release["id"]);
        all[0]["status"].as_str().unwrap().to_owned()
    };
    let api = setup.api(&process);
    let ready = async || api.send(Method::GET, "/readyz", None).await.text().await.unwrap();
    let job = json!({ "domain": HOST });
    let prompt = json!({ "prompt": "fix broken links" });
    for (path, body) in [
        ("/v1/static-export/jobs".to_owned(), Some(job)),
        (format!("/v2/agent/{}/job", setup.project), Some(prompt)),
        (format!("/v1/project/update/{}", setup.project), None),
    ] {
        let answer = api.send(Method::POST, &path, body).await;
        assert_eq!(
            (answer.status().as_u16(), &answer.headers()["retry-after"]),
            (503, &"60".parse().unwrap())
        );
        let said: Value = answer.json().await.unwrap();
        assert_eq!(said["code"], "no_room", "{path}: {said}");
        assert!(said["error"].as_str().unwrap().contains("disk is nearly full"), "{said}");
    }
    assert!(ready().await.starts_with("ready, but the disk is nearly full"));
    assert_eq!(state(), "queued");
    disk.make_room();
    eventually("it is built", async || state() == "ready").await;
    assert_eq!(ready().await, "ready\n");
    let said = fs::read_to_string(&log).unwrap();
    assert_eq!(said.matches("disk space low").count(), 1, "the warning is logged once: {said}");
}

/// The error names the folder if there is no room or no permission.
#[test]
fn start_without_write_access_names_folder() {
    let folder = tempfile::tempdir().unwrap();
    let Some(disk) = SmallDisk::mount(&folder.path().join("disk"), 2) else { return };
    let data = disk.folder.join("data").display().to_string();
    let fails = |todo: &str| {
        for command in
            [&["admin", "organization", "list"][..], &["serve", "--listen", "127.0.0.1:0"]]
        {
            let failed = ended(&[command, &["--data", &data]].concat(), &[]);
            failed.failed_with(&format!("the data folder {data} can't be "));
            failed.failed_with(todo);
        }
    };
    fs::create_dir(&data).unwrap();
    disk.fill();
    fails("No space left on device (os error 28); free disk space, or choose another --data");
    disk.make_room();
    disk.remount("ro");
    fails("mount it for writing, or choose another --data");
    disk.remount("rw");
    let list = ["admin", "organization", "list", "--data", &data];
    ended(&list, &[]).succeeded();
}
