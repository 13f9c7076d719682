//! Many domains on one machine, and activations while readers read.

use std::{
    collections::HashMap,
    fs,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use docwright_site::{
    bundle::{About, BundleWriter},
    output::Output,
};
use docwright_storage::{
    Database, Keyring, Objects,
    database::{BuildInput, BuildResult, NewProject, Queue, Requested},
    marker::{self, InstanceStorage},
};
use docwright_testing::wait::eventually;
use docwright_types::{
    domain_address::DomainAddress, export_job::StoredBundle, plan::Plan, release::ReleaseCommit,
    release::Trigger, site::Activation,
};
use sha2::{Digest, Sha256};
use tempfile::TempDir;
use tokio::task::JoinSet;

use crate::server::{Process, docwright};

/// Repetitions of a mark on a page, enough to reveal a response that mixes two releases.
const MARKS: usize = 5_000;

/// A data folder with a site for each domain. The test creates the releases itself.
struct World {
    folder: TempDir,
    /// Pages of a site.
    pages: usize,
    database: Database,
    projects: HashMap<String, String>,
    domains: Vec<String>,
}

impl World {
    async fn new(count: usize, pages: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        let database = Database::open_folder(&data).await.unwrap();
        let objects = Objects::open_folder(&data, Keyring::open_folder(&data).unwrap()).unwrap();
        marker::confirm(&database, InstanceStorage::Objects(&objects)).await.unwrap();
        let organization = database.create_organization("Acme", Plan::Enterprise, 1).await.unwrap();
        let (projects, domains) = (HashMap::new(), Vec::new());
        let mut world = Self { folder, pages, database, projects, domains };
        for number in 0..count {
            let domain = format!("site-{number}.example.com");
            let new = NewProject {
                organization_id: &organization.id,
                name: &domain,
                repository: "/r",
                docs_path: "",
                model: None,
                activation: Activation::Automatic,
            };
            let project = world.database.create_project(new, 1).await.unwrap();
            let name = DomainAddress::parse(&domain).unwrap();
            world.database.add_domain(&name, &project.id, None, 1).await.unwrap();
            world.projects.insert(domain.clone(), project.id);
            world.release(&domain, 1).await;
            world.domains.push(domain);
        }
        world
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn serve(&self) -> Process {
        let data = self.data().display().to_string();
        let flags = ["serve", "--role", "api", "--listen", "127.0.0.1:0", "--data", &data];
        Process::start(docwright(&flags))
    }

    /// Creates a release of a domain and activates it, like a worker.
    async fn release(&self, domain: &str, version: usize) {
        let (database, project) = (&self.database, &self.projects[domain]);
        let asked = database.request_update(project, None, Trigger::Api, None, 1).await.unwrap();
        assert!(matches!(asked, Requested::Update(_)));
        let lease = database.claim(Queue::Releases, 60_000, 1).await.unwrap().unwrap().lease;
        let release = database.release(&lease.id).await.unwrap().unwrap();
        let site = database.site(&release.site_id).await.unwrap().unwrap();
        let sha = format!("{version:040x}");
        let commit = ReleaseCommit { sha: Some(sha), ..ReleaseCommit::default() };
        let seen_position = database.last_head_position(&site).await.unwrap();
        let input = BuildInput { commit: &commit, options: "o", seen_position };
        database.begin_build(&lease, input, 1).await.unwrap();
        let bundle = self.store(&format!("{}/bundle.tar.gz", lease.id), &mark(domain, version));
        let result =
            BuildResult { page_count: 1, warnings: &[], warning_count: 0, bundle: &bundle };
        assert!(database.complete_build(&lease, result, 2).await.unwrap());
    }

    fn store(&self, key: &str, mark: &str) -> StoredBundle {
        let writer = BundleWriter::new(tempfile::tempfile().unwrap());
        writer.write("page.html", mark.repeat(MARKS).as_bytes()).unwrap();
        for page in 1..self.pages {
            let text = format!("<p>Page {page} of {mark}</p>");
            writer.write(&format!("folder/page-{page}.html"), text.as_bytes()).unwrap();
        }
        let mut bytes = Vec::new();
        writer.finish(About::default(), &mut bytes).unwrap();
        let path = self.data().join("objects").join(key);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, &bytes).unwrap();
        let sha256 = hex::encode(Sha256::digest(&bytes));
        let size = i64::try_from(bytes.len()).unwrap();
        StoredBundle { key: key.to_owned(), size, sha256, commit: None }
    }
}

/// A text that a page of a release repeats.
fn mark(domain: &str, version: usize) -> String {
    format!("[{domain} {version:06}]")
}

/// The version in a response for a domain. The whole response must be of that version and domain.
fn version_of(domain: &str, body: &str) -> usize {
    let first = body.split_inclusive(']').next().unwrap_or_default();
    let version = first.trim_end_matches(']').rsplit(' ').next().unwrap_or_default();
    let version = version.parse().unwrap_or_else(|_| panic!("{domain}: {first}"));
    assert!(body == mark(domain, version).repeat(MARKS), "{domain}: an answer of several releases");
    version
}

async fn read(client: &reqwest::Client, server: &str, domain: &str) -> usize {
    let answer = client.get(format!("{server}/page")).header("host", domain).send().await.unwrap();
    assert_eq!(answer.status(), 200, "{domain}");
    version_of(domain, &answer.text().await.unwrap())
}

/// Readers request all domains in turn while each gets new releases. Returns the number of responses, and how
/// long the slowest release took to appear.
async fn publish_under_readers(
    (world, server): (&World, &str),
    readers: usize,
    releases: usize,
) -> (usize, Duration) {
    let (done, answers) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let mut reading = JoinSet::new();
    for reader in 0..readers {
        let (done, answers) = (Arc::clone(&done), Arc::clone(&answers));
        let (server, domains) = (server.to_owned(), world.domains.clone());
        reading.spawn(async move {
            let client = reqwest::Client::new();
            let mut last = vec![0; domains.len()];
            let mut turn = reader;
            while !done.load(Ordering::Relaxed) {
                let place = turn % domains.len();
                let version = read(&client, &server, &domains[place]).await;
                assert!(version >= last[place], "{} went back", domains[place]);
                last[place] = version;
                answers.fetch_add(1, Ordering::Relaxed);
                turn += 1;
            }
        });
    }
    let client = reqwest::Client::new();
    let mut slowest = Duration::ZERO;
    for release in 0..releases {
        let domain = &world.domains[release % world.domains.len()];
        let version = 2 + release / world.domains.len();
        world.release(domain, version).await;
        let active = Instant::now();
        eventually(&format!("{domain} {version} is seen"), async || {
            read(&client, server, domain).await == version
        })
        .await;
        // waits: one test prints it; nothing is made of it
        slowest = slowest.max(active.elapsed());
    }
    done.store(true, Ordering::Relaxed);
    while let Some(reader) = reading.join_next().await {
        reader.unwrap();
    }
    (answers.load(Ordering::Relaxed), slowest)
}

#[tokio::test(flavor = "multi_thread")]
async fn readers_see_one_release_at_a_time() {
    let world = World::new(8, 20).await;
    let process = world.serve();
    let (answers, _) = publish_under_readers((&world, &process.address), 8, 12).await;
    assert!(answers > 12, "{answers}");
    #[cfg(target_os = "linux")]
    {
        let open = fs::read_dir(format!("/proc/{}/fd", process.id())).unwrap().flatten();
        let open = open.filter_map(|file| fs::read_link(file.path()).ok());
        let bundles = open.filter(|path| path.ends_with("bundle.tar.gz")).count();
        // A late reader might have reopened a bundle.
        assert!((8..12).contains(&bundles), "{bundles} of 20 are open");
    }
}

/// The same at full size, with its costs: `cargo test --release --test it -- --ignored --nocapture
/// measure_thousand`.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "measures"]
async fn measure_thousand_domains() {
    // Their indexes need memory.
    let world = World::new(1_000, 200).await;
    let process = world.serve();
    let memory = |when| {
        let status = fs::read_to_string(format!("/proc/{}/status", process.id())).unwrap();
        let resident = status.lines().find(|line| line.starts_with("VmRSS")).unwrap();
        println!("memory {when}: {}", resident["VmRSS:".len()..].trim());
    };
    memory("at rest");
    let client = reqwest::Client::new();
    let mut first = Vec::new();
    for domain in &world.domains {
        let asked = Instant::now();
        assert_eq!(read(&client, &process.address, domain).await, 1);
        first.push(asked.elapsed());
    }
    first.sort();
    println!("first request: median {:?}, slowest {:?}", first[first.len() / 2], first[999]);
    memory("after each was asked for once");
    let (answers, slowest) = publish_under_readers((&world, &process.address), 32, 60).await;
    println!(
        "{answers} answers while 60 releases became active; the slowest was seen after {slowest:?}"
    );
    memory("after that");
}
