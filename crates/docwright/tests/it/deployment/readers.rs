//! Readers of a deployment: what it counts, and who sees the numbers.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
};

use docwright_testing::wait::eventually;
use reqwest::{Client, Response};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    agent::write_site,
    observing::Logged,
    server::{Process, docwright},
    sites::{SiteResponse, ask},
};

const BROWSER: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0";
const AGENT: (&str, &str) = ("user-agent", BROWSER);
const HOST: &str = "intranet.example.com";
const PASSWORD: &str = "correct horse";
const PAGE: &str = "/_docwright/analytics";

/// A folder to deploy in.
struct Place {
    folder: TempDir,
}

/// A running deployment.
struct Deployed {
    process: Process,
    base: &'static str,
}

impl Place {
    /// With a bundle that was exported with these flags.
    fn new(flags: &[&str]) -> Self {
        let place = Self { folder: tempfile::tempdir().unwrap() };
        write_site(Path::new(&place.path("docs")));
        let (docs, bundle) = (place.path("docs"), place.path("bundle.tar.gz"));
        let export = [&["export", &docs, "--out", &bundle], flags].concat();
        assert!(docwright(&export).status().unwrap().success());
        fs::write(place.path("password"), format!("{PASSWORD}\n")).unwrap();
        let values = format!(
            "staticExport:\n  bundleUrl: \"{bundle}\"\nanalytics:\n  passwordFile: \"{}\"\n",
            place.path("password")
        );
        fs::write(place.path("values.yaml"), values).unwrap();
        place
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    fn data(&self) -> String {
        self.path("data")
    }

    fn command(&self, flags: &[&str]) -> Command {
        let (values, data) = (self.path("values.yaml"), self.data());
        let deploy = ["deploy", "--listen", "127.0.0.1:0", "--values", &values, "--data", &data];
        let proxies = ["--trusted-proxies", "127.0.0.1/32"];
        docwright(&[&deploy[..], &proxies, flags].concat())
    }

    async fn deploy(&self, flags: &[&'static str]) -> Deployed {
        let base = flags.iter().skip_while(|flag| **flag != "--base-path").nth(1);
        let process = Process::start(self.command(flags));
        let deployed = Deployed { process, base: base.copied().unwrap_or_default() };
        deployed.counts().await;
        deployed
    }

    /// Starts it, and waits for nothing.
    fn start(&self) -> Deployed {
        Deployed { process: Process::start(self.command(&[])), base: "" }
    }
}

impl Deployed {
    /// Waits until readers count.
    async fn counts(&self) {
        eventually("readers count", async || {
            let page = self.ask("HEAD /page-0", &[]).await;
            page.header("server-timing").is_some_and(|offers| offers.contains("reading;desc="))
        })
        .await;
    }

    async fn ask(&self, start: &str, headers: &[(&str, &str)]) -> SiteResponse {
        let (method, path) = start.split_once(' ').unwrap();
        let start = format!("{method} {}{path}", self.base);
        ask(&self.process.address, (HOST, &start), headers).await
    }

    /// The first answer of the site with a page.
    async fn first_page(&self) -> SiteResponse {
        eventually("the site is served", async || {
            let shown = self.ask("GET /page-0", &[AGENT]).await;
            if shown.status == 200 { Ok(shown) } else { Err(shown.status) }
        })
        .await
    }

    async fn read(&self, path: &str, headers: &[(&str, &str)]) -> u16 {
        self.ask(&format!("GET {path}"), headers).await.status
    }

    async fn report(&self, page: &str, events: Value, origin: &str) -> u16 {
        let address = format!("{}{}/_docwright/reading", self.process.address, self.base);
        let request = Client::new().post(address).header("host", HOST).header(AGENT.0, AGENT.1);
        let request =
            request.header("origin", origin).json(&json!({ "page": page, "events": events }));
        request.send().await.unwrap().status().as_u16()
    }

    async fn analytics(&self, path: &str, password: Option<&str>) -> Response {
        let request =
            Client::new().get(format!("{}{}{PAGE}{path}", self.process.address, self.base));
        let request = match password {
            Some(password) => request.basic_auth("anyone", Some(password)),
            None => request,
        };
        request.send().await.unwrap()
    }

    /// A table of the page.
    async fn table(&self, name: &str) -> Value {
        let table = self.analytics(&format!("/json?table={name}"), Some(PASSWORD)).await;
        assert_eq!(table.status(), 200);
        table.json().await.unwrap()
    }

    /// Waits until a table is as expected.
    async fn table_is(&self, name: &str, expected: Value) {
        eventually(&format!("{name} is {expected}"), async || {
            let found = self.table(name).await;
            if found == expected { Ok(()) } else { Err(found) }
        })
        .await;
    }
}

fn views(pages: &[(&str, u64, u64)]) -> Value {
    let row = |(page, people, agents): &(&str, u64, u64)| json!({ "page": page, "people": people, "ai_agents": agents, "total": people + agents });
    pages.iter().map(row).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn views_and_reports_of_a_deployment_are_shown_with_a_password() {
    let place = Place::new(&["--analytics"]);
    let deployed = place.deploy(&["--base-path", "/docs"]).await;
    let own = ("referer", "http://intranet.example.com/docs/page-0");
    let other = ("referer", "https://search.example/find?q=secret");
    for (path, headers, status) in [
        ("/page-0", &[AGENT, other][..], 200),
        ("/page-0", &[AGENT, ("sec-purpose", "prefetch")], 200),
        ("/page-1", &[AGENT, own], 200),
        ("/page-1", &[("user-agent", "Claude-User/1.0")], 200),
        ("/page-1.md", &[("user-agent", "curl/8.5.0")], 200),
        ("/page-1", &[("user-agent", "Googlebot/2.1")], 200),
        ("/gone", &[AGENT, own], 404),
    ] {
        assert_eq!(deployed.read(path, headers).await, status, "{path}");
    }
    let events =
        json!([{ "view": {} }, { "search": ["How  To", 3] }, { "search": ["nothing", 0] }]);
    let origin = format!("http://{HOST}");
    assert_eq!(deployed.report("page-2", events.clone(), &origin).await, 204);
    assert_eq!(deployed.report("page-2", events.clone(), "https://evil.example").await, 403);
    assert_eq!(deployed.report("none", events, &origin).await, 400);
    let expected = views(&[("page-1", 1, 2), ("page-0", 1, 0), ("page-2", 1, 0)]);
    deployed.table_is("pages", expected).await;
    deployed.table_is("referrers", json!([{ "host": "search.example", "views": 1 }])).await;
    deployed.table_is("empty-searches", json!([{ "query": "nothing", "searches": 1 }])).await;
    let links = json!([{ "path": "/gone", "from_this_site": 1, "from_elsewhere": 0, "total": 1 }]);
    deployed.table_is("dead-links", links).await;

    let page = deployed.analytics("", Some(PASSWORD)).await;
    assert_eq!(page.status(), 200);
    let policy = page.headers()["content-security-policy"].to_str().unwrap().to_owned();
    assert!(policy.contains("sandbox") && policy.contains("default-src 'none'"), "{policy}");
    assert!(!policy.contains("script-src") && !policy.contains("allow-same-origin"), "{policy}");
    let page = page.text().await.unwrap();
    for part in ["page-1", "search.example", "nothing", "/docs/_docwright/analytics?range=week"] {
        assert!(page.contains(part), "{part} is not in {page}");
    }
    for part in ["<script", "/projects/", "unread-pages", "/organizations", "/sign-out"] {
        assert!(!page.contains(part), "{part} is in {page}");
    }
    let style = page.split("rel=\"stylesheet\" href=\"").nth(1).unwrap().split('"').next().unwrap();
    let style = reqwest::get(format!("{}{style}", deployed.process.address)).await.unwrap();
    assert_eq!(style.status(), 200, "the style needs no password");
    let live = deployed.analytics("/live", Some(PASSWORD)).await;
    assert!(live.headers().contains_key("refresh"));
    assert!(live.text().await.unwrap().contains("page-1"));
}

#[tokio::test(flavor = "multi_thread")]
async fn first_reader_of_a_deployment_counts() {
    let place = Place::new(&["--analytics"]);
    let deployed = place.start();
    // Until a version is active, the status is 503, and no reader counts.
    let shown = deployed.first_page().await;
    assert!(shown.header("server-timing").is_some_and(|offers| offers.contains("reading;desc=")));
    deployed.table_is("pages", views(&[("page-0", 1, 0)])).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn deployment_is_served_while_its_database_cannot_be_opened() {
    let place = Place::new(&["--analytics"]);
    let folder = Path::new(&place.data()).join("analytics");
    fs::create_dir_all(folder.parent().unwrap()).unwrap();
    fs::write(&folder, "a file in place of the folder").unwrap();
    let deployed = place.start();
    let shown = deployed.first_page().await;
    assert!(!shown.header("server-timing").unwrap_or_default().contains("reading"));
    drop(deployed);
    // Another process holds the database, and doesn't end.
    fs::remove_file(&folder).unwrap();
    fs::create_dir(&folder).unwrap();
    let lock = fs::File::create(folder.join("docwright.db.lock")).unwrap();
    lock.lock().unwrap();
    let deployed = place.start();
    let shown = deployed.first_page().await;
    assert!(!shown.header("server-timing").unwrap_or_default().contains("reading"));
    drop(lock);
    deployed.counts().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn page_is_there_only_with_the_password() {
    let place = Place::new(&["--analytics"]);
    let deployed = place.deploy(&[]).await;
    for path in ["", "/live", "/csv?table=pages", "/json?table=pages", "/none"] {
        for password in [None, Some(""), Some("wrong")] {
            let refused = deployed.analytics(path, password).await;
            // Wrong ones are limited.
            assert!(matches!(refused.status().as_u16(), 401 | 429), "{path} {password:?}");
            assert_eq!(refused.headers()["cache-control"], "no-store");
            let text = refused.text().await.unwrap();
            assert!(!text.contains("page-0"), "{text}");
        }
    }
    // A new password has effect immediately; another address isn't limited by the wrong ones.
    fs::write(place.path("password"), "another horse").unwrap();
    let send = async |password: &str, headers: &[(&str, &str)]| {
        let mut request = Client::new().get(format!("{}{PAGE}", deployed.process.address));
        request = request.header("x-forwarded-for", "203.0.113.9");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.basic_auth("", Some(password)).send().await.unwrap().status().as_u16()
    };
    assert_eq!(send(PASSWORD, &[]).await, 401);
    assert_eq!(send("another horse", &[]).await, 200);
    let own = ("sec-fetch-site", "same-origin");
    assert_eq!(send("another horse", &[own, ("sec-fetch-mode", "cors")]).await, 403);
    let iframe = [own, ("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "iframe")];
    assert_eq!(send("another horse", &iframe).await, 403);
    fs::remove_file(place.path("password")).unwrap();
    assert_eq!(send("another horse", &[]).await, 503);
    assert_eq!(deployed.read("/page-0", &[AGENT]).await, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn deployment_without_password_counts_and_shows_nothing() {
    let place = Place::new(&["--analytics"]);
    let values = format!("staticExport:\n  bundleUrl: \"{}\"\n", place.path("bundle.tar.gz"));
    fs::write(place.path("values.yaml"), values).unwrap();
    let deployed = place.deploy(&[]).await;
    assert_eq!(deployed.read("/page-0", &[AGENT]).await, 200);
    assert_eq!(deployed.analytics("", Some("")).await.status(), 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn bundle_without_analytics_counts_no_readers() {
    for flags in [
        &["--deployment-type", "air-gapped"][..],
        &[],
        &["--analytics", "--analytics-address", "https://reports.example/reading"],
    ] {
        let place = Place::new(flags);
        let deployed = place.start();
        let page = deployed.first_page().await;
        assert!(!page.header("server-timing").unwrap_or_default().contains("reading"));
        let text = String::from_utf8_lossy(&page.body).into_owned();
        assert_eq!(text.contains("https://reports.example/reading"), flags.len() == 3);
        let origin = format!("http://{HOST}");
        assert_eq!(deployed.report("page-0", json!([{ "view": {} }]), &origin).await, 405);
        assert_eq!(deployed.analytics("", Some(PASSWORD)).await.status(), 404);
        assert!(!Path::new(&place.data()).join("analytics").exists(), "nothing is stored");
    }
    let air_gapped = ["--deployment-type", "air-gapped", "--analytics"];
    let place = Place::new(&[]);
    let (docs, bundle) = (place.path("docs"), place.path("other.tar.gz"));
    let export = [&["export", &docs, "--out", &bundle][..], &air_gapped].concat();
    let output = docwright(&export).stderr(Stdio::piped()).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && error.contains("air-gapped deployment"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn counts_of_a_deployment_survive_kills() {
    let place = Place::new(&["--analytics"]);
    let mut total = 0;
    for round in 1..=3 {
        let mut deployed = place.deploy(&[]).await;
        for _ in 0..round {
            assert_eq!(deployed.read("/page-0", &[AGENT]).await, 200);
        }
        total += round;
        // Once the sums are written, a kill loses nothing.
        deployed.table_is("pages", views(&[("page-0", total, 0)])).await;
        deployed.process.kill();
    }
    let deployed = place.deploy(&[]).await;
    assert_eq!(deployed.table("pages").await, views(&[("page-0", total, 0)]));
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn stopped_deployment_writes_what_it_counted() {
    let place = Place::new(&["--analytics"]);
    let mut deployed = place.deploy(&[]).await;
    for _ in 0..4 {
        assert_eq!(deployed.read("/page-1", &[AGENT]).await, 200);
    }
    deployed.process.signal("TERM");
    assert!(deployed.process.wait().success());
    let deployed = place.deploy(&[]).await;
    assert_eq!(deployed.table("pages").await, views(&[("page-1", 4, 0)]));
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn counts_of_a_deployment_stay_in_memory_while_its_disk_is_full() {
    let place = Place::new(&["--analytics"]);
    let folder = Path::new(&place.data()).to_owned();
    let Some(disk) = crate::disk_full::SmallDisk::mount(&folder, 24) else { return };
    let deployed = place.deploy(&[]).await;
    disk.fill();
    for page in 0..12 {
        assert_eq!(deployed.read(&format!("/page-{}", page % 3), &[AGENT]).await, 200);
        assert_eq!(deployed.read(&format!("/gone-{page}"), &[AGENT]).await, 404);
    }
    disk.make_room();
    let all = [("page-0", 4, 0), ("page-1", 4, 0), ("page-2", 4, 0)];
    deployed.table_is("pages", views(&all)).await;
    assert_eq!(deployed.table("dead-links").await.as_array().unwrap().len(), 12);
}

#[tokio::test(flavor = "multi_thread")]
async fn deployment_writes_nothing_about_a_reader() {
    let place = Place::new(&["--analytics"]);
    let Logged { process, lines } = Logged::start(place.command(&[]), "debug");
    let deployed = Deployed { process, base: "" };
    deployed.counts().await;
    let agent = format!("{BROWSER} Unmistakable/77.1");
    for (path, status) in [("/page-0", 200), ("/page-1", 200), ("/gone", 404)] {
        let headers = [("user-agent", agent.as_str()), ("x-forwarded-for", "203.0.113.77")];
        assert_eq!(deployed.read(path, &headers).await, status);
    }
    deployed.table_is("pages", views(&[("page-0", 1, 0), ("page-1", 1, 0)])).await;
    let visitors = deployed.analytics("", Some(PASSWORD)).await.text().await.unwrap();
    assert!(visitors.contains("Visitors"));
    drop(deployed);
    let mut files = vec![lines.lock().unwrap().join("\n").into_bytes()];
    collect(Path::new(&place.data()), &mut files);
    let found = |mark: &str| {
        let mark = mark.as_bytes();
        files.iter().any(|bytes| bytes.windows(mark.len()).any(|part| part == mark))
    };
    assert!(found("page-1"), "the search finds what is written");
    for mark in ["Unmistakable", "Firefox/133", "203.0.113", "cb00714d", "\u{cb}\0qM"] {
        assert!(!found(mark), "{mark}");
    }
}

/// The contents of all files in a folder but the bundles.
fn collect(folder: &Path, files: &mut Vec<Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_none_or(|ending| ending != "gz") {
            files.push(fs::read(path).unwrap());
        }
    }
}
