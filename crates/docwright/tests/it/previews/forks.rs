//! Pull requests from forks: isolation and limits of their builds.

use std::{
    fs,
    io::Read,
    net::TcpListener,
    os::unix::fs::symlink,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use docwright_storage::{Database, database::WantedPreview};
use docwright_types::{
    domain_name::DomainName,
    preview::{PreviewAddresses, PreviewSource},
    site_origin::SiteOrigin,
};
use serde_json::Value;

use super::Running;
use crate::{server::git, tenants::ENDLESS};

/// A host that counts its requests.
struct Canary {
    address: String,
    asked: Arc<AtomicUsize>,
}

impl Canary {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let asked = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&asked);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                counter.fetch_add(1, Ordering::SeqCst);
                let mut stream = stream;
                let _read = stream.read(&mut [0; 1024]);
            }
        });
        Self { address, asked }
    }

    fn count(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

/// Stores a commit under a ref that isn't a branch, as git hosts do for pull requests, and opens its preview.
async fn open(
    running: &Running,
    number: i64,
    is_fork: bool,
    write: impl Fn(&std::path::Path),
) -> Value {
    let work = running.setup.folder.path().join(format!("fork-{number}"));
    fs::create_dir(&work).unwrap();
    git(&work, &["init", "--quiet"]);
    write(&work);
    git(&work, &["add", "--all"]);
    git(&work, &["commit", "--quiet", "--message", "Fork"]);
    let head = git(&work, &["rev-parse", "HEAD"]);
    let bare = running.setup.data().join("git").join(format!("{}.git", running.setup.project));
    let git_ref = format!("refs/pull/{number}/head");
    git(&work, &["push", "--quiet", &bare.display().to_string(), &format!("HEAD:{git_ref}")]);
    let url = format!("sqlite://{}", running.setup.data().join("docwright.db").display());
    let database = Database::open(&url).await.unwrap();
    let port = running.process.address.rsplit(':').next().unwrap().parse().ok();
    let domain = DomainName::parse("localhost").unwrap();
    let addresses = PreviewAddresses { domain, origin: SiteOrigin::new("http", port) };
    let wanted = WantedPreview {
        pull_request: number,
        title: "</a><script>alert(1)</script>".to_owned(),
        branch: "main".to_owned(),
        base: "main".to_owned(),
        head,
        source: PreviewSource { git_ref, fork: None, is_fork },
    };
    let now = database.now().await.unwrap();
    database
        .sync_previews(&running.setup.project, vec![wanted], &addresses, (now, now))
        .await
        .unwrap();
    database.close().await;
    running
        .newest(|preview| {
            preview["pullRequest"] == number
                && ["ready", "failed"].contains(&preview["releaseStatus"].as_str().unwrap_or(""))
        })
        .await
}

fn page(text: &str) -> String {
    format!("---\ntitle: Fork\n---\n\n{text}\n")
}

#[tokio::test(flavor = "multi_thread")]
async fn build_of_fork_reads_no_secret_and_sends_no_request() {
    let canary = Canary::start();
    let specs = tempfile::tempdir().unwrap();
    let running = Running::start(&[
        ("DOCWRIGHT_REMOTE_SPECS", &specs.path().display().to_string()),
        ("DOCWRIGHT_PRIVATE_HOSTS", &canary.address),
    ]);
    let service = running.api.base.clone();
    let secret = running.setup.data().join("root-secret");
    let hostile = |folder: &std::path::Path| {
        let config = format!(
            r#"{{"name": "Fork", "navigation": {{"pages": ["index", "secret"], "openapi": ["http://{canary}/openapi.json",
               "http://169.254.169.254/latest/meta-data/", "{service}/openapi.json"]}}}}"#,
            canary = canary.address
        );
        fs::write(folder.join("docs.json"), config).unwrap();
        fs::write(folder.join("index.mdx"), page("Fork text.")).unwrap();
        symlink(&secret, folder.join("secret.mdx")).unwrap();
        symlink("/etc/passwd", folder.join("passwd.txt")).unwrap();
        symlink("/", folder.join("root")).unwrap();
        fs::write(folder.join("huge.mdx"), page(&"x ".repeat(6 * 1024 * 1024))).unwrap();
    };
    let preview = open(&running, 1, true, hostile).await;
    assert_eq!(preview["releaseStatus"], "ready", "{preview}");
    assert_eq!(preview["isFork"], true);
    running.shows(&preview, "index", "Fork text.").await;
    let root_secret = fs::read_to_string(&secret).unwrap();
    for path in ["secret", "secret.md", "passwd.txt", "root/etc/passwd", "llms-full.txt", "index"] {
        let text = running.get(&preview, path).await.text().await.unwrap();
        assert!(!text.contains(root_secret.trim()) && !text.contains("root:x:"), "{path}");
    }
    assert_eq!(canary.count(), 0, "the build sent a request");
    // The same commit from the project's own repository can send requests, so the refusal depends on the
    // fork.
    let preview = open(&running, 2, false, hostile).await;
    assert!(canary.count() > 0, "{preview}");
}

#[tokio::test(flavor = "multi_thread")]
async fn endless_build_of_fork_is_stopped_and_delays_no_other() {
    let running = Running::start(&[("DOCWRIGHT_BUILD_SECONDS", "5")]);
    let preview = open(&running, 1, true, |folder| {
        fs::write(folder.join("docs.json"), r#"{"name": "F", "navigation": ["index"]}"#).unwrap();
        fs::write(folder.join("index.mdx"), page(ENDLESS)).unwrap();
    })
    .await;
    assert_eq!(preview["releaseStatus"], "failed", "{preview}");
    assert!(preview["error"].as_str().unwrap().contains("5 seconds"), "{preview}");
    let export = running.api.start_export().await;
    let exported = running.api.wait_for(&export, &["completed", "failed"]).await;
    assert_eq!(exported["status"], "completed");
}
