//! Services that read a redirects file. Their own matchers run if available.

use std::{
    collections::BTreeMap,
    fs,
    io::Write as _,
    path::Path,
    process::{Command, Stdio},
};

use serde_json::Value;

use super::{Answered, Hosted, ask};
use crate::{agent::mocks, server::docwright};

/// The host's response to each address, according to its file.
fn answers(host: &str, file: &Path, addresses: &[String]) -> BTreeMap<String, Value> {
    let mut child = Command::new("node")
        .args([&mocks::script("hosts.mjs"), host, file.to_str().unwrap()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let input = serde_json::to_vec(addresses).unwrap();
    child.stdin.take().unwrap().write_all(&input).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{host}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// GitLab has no wildcards within a segment, ignores case, and treats a slash before a wildcard as optional.
const GITLAB: [&str; 4] = ["/x-", "/CASE", "/Old", "/v1x"];
const ORIGIN: &str = "https://docs.example.com";

/// Whether a service must respond like docwright's server. Addresses with a query can
/// differ, and so can redirects that only remove a slash.
fn is_compared(address: &str, own: &Answered) -> bool {
    let slash = own.location.as_deref().is_some_and(|to| to == address.trim_end_matches('/'));
    !(slash || address.contains('?'))
}

/// Vercel's redirect target of a page's file.
fn home(address: &str) -> &str {
    let page = address.trim_end_matches(".html");
    page.strip_suffix("index").unwrap_or(page)
}

impl Hosted {
    /// Compares a host's responses with those of docwright's server, except for sources that start with an
    /// entry of `left_out`.
    async fn compare_service(&self, host: &str, file: &str, base: &str, left_out: &[&str]) {
        let site = if base.is_empty() { "site" } else { "docs" };
        let addresses: Vec<_> = self.addresses(site).into_iter().collect();
        let asked: Vec<_> = addresses.iter().map(|address| format!("{base}{address}")).collect();
        let answers = answers(host, &self.www().join(file), &asked);
        let mut redirects = 0;
        for address in addresses {
            let own = ask(self.own.address.strip_prefix("http://").unwrap(), &address).await;
            let is_left_out = left_out.iter().any(|source| address.starts_with(source));
            if !is_compared(&address, &own) || is_left_out {
                continue;
            }
            let answer = &answers[&format!("{base}{address}")];
            let place = format!("{host}: {address}: {answer}, ours is {own:?}");
            let found = answer["location"].as_str().unwrap_or_default();
            assert!(!found.starts_with("//") && !found.contains('\\'), "{place}");
            // The function removes a trailing slash before it checks for a page.
            let bare = format!("{base}{}", address.trim_end_matches('/'));
            if host == "cloudfront" && own.status == 404 && address.ends_with('/') && found == bare
            {
                continue;
            }
            // Vercel redirects from `.html` addresses to those without.
            if host == "vercel" && address.ends_with(".html") {
                let page = format!("{base}{}", home(&address));
                assert_eq!(found.trim_end_matches('/'), page.trim_end_matches('/'), "{place}");
                continue;
            }
            // Cloudflare first removes the slash from the address of a redirect page.
            let page = self.www().join(site).join(format!("{}.html", address.trim_matches('/')));
            let page = page.to_str().unwrap().replace("%20", " ");
            let page = address.ends_with('/') && Path::new(&page).is_file();
            if address.contains("//") || (host == "cloudflare" && page) {
                continue;
            }
            match own.status {
                // Existing files win on these hosts unless a rule is forced.
                200 if matches!(host, "netlify" | "gitlab") => {
                    assert!(answer["forced"] != true, "{place}");
                }
                200 | 404 => assert!(answer["location"].is_null(), "{place}"),
                status => {
                    let permanent = matches!(answer["status"].as_u64(), Some(301 | 308));
                    assert_eq!(permanent, status == 308, "{place}");
                    let location = own.location.clone().unwrap();
                    let stays = location.starts_with('/');
                    let location = if stays { format!("{base}{location}") } else { location };
                    let found = found.strip_prefix(ORIGIN).unwrap_or(found);
                    // These hosts keep a trailing slash, while docwright removes it.
                    assert_eq!(
                        found.trim_end_matches('/'),
                        location.trim_end_matches('/'),
                        "{place}"
                    );
                    redirects += 1;
                }
            }
        }
        assert!(redirects > 15, "{host}: {redirects}");
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the packages of tests/mocks"]
async fn services_redirect_as_docwright_does() {
    let hosted = Hosted::new().await;
    for (host, file, count, left_out) in [
        ("netlify", "site/_redirects", 20, &[][..]),
        // Omits redirects that would hide pages.
        ("cloudflare", "site/_redirects", 19, &["/v2"][..]),
        ("gitlab", "site/_redirects", 19, &GITLAB),
        ("vercel", "site/vercel.json", 19, &["/v2"]),
        ("cloudfront", "site.cloudfront.js", 19, &["/v2"]),
    ] {
        let said = hosted.build("site", &["--redirects", host, "--site-url", ORIGIN]);
        assert!(said.contains(&format!("{host}: {count} of 21 redirects")), "{said}");
        hosted.compare_service(host, file, "", left_out).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the packages of tests/mocks"]
async fn services_redirect_below_a_path() {
    let hosted = Hosted::new().await;
    for (host, file, left_out) in [
        ("netlify", "_redirects", &[][..]),
        ("gitlab", "docs/_redirects", &GITLAB[..]),
        ("vercel", "vercel.json", &["/v2"]),
        ("cloudfront", "docs.cloudfront.js", &["/v2"]),
    ] {
        hosted.build("docs", &["--redirects", host, "--site-url", "https://example.com/docs"]);
        hosted.compare_service(host, file, "/docs", left_out).await;
        // The homepage's links are relative to the address with a slash.
        if matches!(host, "vercel" | "cloudfront") {
            let home = ["/docs", "/docs/"].map(str::to_owned);
            let answers = answers(host, &hosted.www().join(file), &home);
            assert_eq!(answers["/docs"]["location"], "/docs/", "{host}");
            assert!(answers["/docs/"]["location"].is_null(), "{host}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the packages of tests/mocks"]
async fn cloudfront_function_finds_file_of_path() {
    let hosted = Hosted::new().await;
    hosted.build("site", &["--redirects", "cloudfront"]);
    let addresses: Vec<_> = hosted.addresses("site").into_iter().collect();
    let answers = answers("cloudfront", &hosted.www().join("site.cloudfront.js"), &addresses);
    let mut found = 0;
    for (address, answer) in answers {
        let own = ask(hosted.own.address.strip_prefix("http://").unwrap(), &address).await;
        let Some(file) = answer["file"].as_str() else { continue };
        let file = file.replace("%C3%B6", "ö").replace("%c3%b6", "ö");
        let path = hosted.www().join("site").join(file.trim_start_matches('/'));
        assert_eq!(path.is_file(), own.status == 200, "{address} is {file}");
        found += usize::from(own.status == 200);
    }
    assert!(found > 30, "{found}");
}

/// Behind a second slash, the wildcard's text would be a hostname.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the packages of tests/mocks"]
async fn wildcard_redirects_to_no_other_host() {
    let hosted = Hosted::new().await;
    let file = hosted.www().join("site/_redirects");
    let attacked = |host: &str| {
        let attack = "/any//evil.example".to_owned();
        answers(host, &file, std::slice::from_ref(&attack))[&attack]["location"].clone()
    };
    let said = hosted.build("site", &["--redirects", "netlify"]);
    assert!(said.contains("/any/* would lead to any host"), "{said}");
    assert!(attacked("netlify").is_null());
    hosted.build("site", &["--redirects", "netlify", "--site-url", ORIGIN]);
    assert_eq!(attacked("netlify"), format!("{ORIGIN}//evil.example"));
    hosted.build("site", &["--redirects", "cloudflare"]);
    assert_eq!(attacked("cloudflare"), "/");
}

#[tokio::test(flavor = "multi_thread")]
async fn redirect_pages_are_left_out_if_they_would_hide_redirects() {
    let hosted = Hosted::new().await;
    hosted.build("site", &["--redirects", "netlify"]);
    assert!(hosted.www().join("site/old.html").is_file());
    hosted.build("site", &["--redirects", "gitlab"]);
    assert!(!hosted.www().join("site/old.html").exists());
    assert!(hosted.www().join("site/guides.html").is_file());
}

#[tokio::test(flavor = "multi_thread")]
async fn contradictory_options_are_refused() {
    let hosted = Hosted::new().await;
    let refused = |name: &str, arguments: &[&str]| {
        let out = hosted.www().join(name);
        let docs = hosted.folder.path().join("docs");
        let mut command = docwright(&["build", docs.to_str().unwrap(), "--out"]);
        let output = command.arg(out).args(arguments).stderr(Stdio::piped()).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    let both = refused("site", &["--redirects", "netlify,cloudflare"]);
    assert!(both.contains("is the file of more than one host"), "{both}");
    let elsewhere = ["--redirects", "vercel", "--site-url", "https://example.com/docs"];
    let elsewhere = refused("site", &elsewhere);
    assert!(elsewhere.contains("needs an --out that ends in /docs"), "{elsewhere}");
    fs::write(hosted.www().join("other.nginx.conf"), "server { }\n").unwrap();
    let foreign = refused("other", &["--redirects", "nginx"]);
    assert!(foreign.contains("wasn't created by docwright"), "{foreign}");
    let kept = fs::read_to_string(hosted.www().join("other.nginx.conf")).unwrap();
    assert_eq!(kept, "server { }\n");
    fs::write(hosted.folder.path().join("docs/vercel.json"), r#"{"cleanUrls": false}"#).unwrap();
    let own = refused("site", &["--redirects", "vercel"]);
    assert!(own.contains("wasn't created by docwright"), "{own}");
}
