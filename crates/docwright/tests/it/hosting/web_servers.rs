//! nginx and Caddy at the root of a host and below a path.

use std::{collections::BTreeMap, fs};

use docwright_testing::ports::Port;

use super::{
    Hosted, ask,
    recipes::{WebServer, recipe, replaced},
};

const PAGE: &str = "host/servers.mdx";

/// A source that would redirect to itself on other hosts, so they omit it. docwright's server responds with
/// 404.
const LEFT_OUT: &str = "leads from /en/same/x to itself";

/// Characters that a Caddyfile can't contain: quotes and braces.
const CADDY: &[&str] = &["/qu%22", "/a;"];

impl Hosted {
    fn own_host(&self) -> &str {
        self.own.address.strip_prefix("http://").unwrap()
    }

    /// Compares another server's responses with docwright's below a base path, except for sources that the
    /// server can't express. nginx writes `%24` for `$` in redirects.
    async fn compare(&self, server: &WebServer, site: &str, base: &str, left_out: &[&str]) {
        let mut differences = BTreeMap::new();
        for address in self.addresses(site) {
            if left_out.iter().any(|source| address.starts_with(source)) {
                continue;
            }
            let mut own = ask(self.own_host(), &address).await;
            let mut other = ask(&server.host, &format!("{base}{address}")).await;
            own.location = own.location.map(|location| {
                let stays = location.starts_with('/') && !location.starts_with("//");
                if stays { format!("{base}{location}") } else { location }
            });
            other.location = other.location.map(|location| location.replace("%24", "$"));
            // Scripts and feeds have several content types.
            let same_kind = |kind: Option<String>| {
                kind.map(|kind| {
                    kind.replace("application/javascript", "text/javascript")
                        .replace("application/xml", "text/xml")
                })
            };
            own.kind = same_kind(own.kind);
            other.kind = same_kind(other.kind);
            if let Some(file) = self.file(site, &address, other.status) {
                assert!(other.body == file, "{base}{address} is another file");
            }
            (own.body, other.body) = (Vec::new(), Vec::new());
            if own != other {
                differences.insert(address, (own, other));
            }
        }
        assert!(differences.is_empty(), "differences: {differences:#?}");
    }

    /// The contents of an address's file, or of the not-found page.
    fn file(&self, site: &str, address: &str, status: u16) -> Option<Vec<u8>> {
        let name = match address.trim_start_matches('/').replace("%C3%B6", "ö") {
            _ if status == 404 => "404.html".to_owned(),
            name if name.is_empty() => "index.html".to_owned(),
            name => name.replace("%c3%b6", "ö"),
        };
        let path = self.www().join(site).join(name);
        let page = path.with_added_extension("html");
        let path = if path.is_file() { path } else { page };
        (status == 200 || status == 404).then(|| std::fs::read(path).unwrap())
    }

    /// Starts nginx with the manual's recipe.
    async fn nginx(&self, words: &str) -> WebServer {
        let recipe =
            replaced(&recipe(PAGE, "nginx", words), "/var/www", self.www().to_str().unwrap());
        let port = Port::take();
        let listen = format!("listen 127.0.0.1:{};", port.number());
        let listens = replaced(&recipe, "listen 80;", &listen);
        let name = listens.lines().find(|line| line.contains("server_name")).unwrap();
        WebServer::nginx(port, &replaced(&listens, name, "server_name _;")).await
    }

    /// Starts Caddy with the manual's recipe.
    async fn caddy(&self, words: &str) -> WebServer {
        let recipe =
            replaced(&recipe(PAGE, "caddy", words), "/var/www", self.www().to_str().unwrap());
        let name = recipe.lines().next().unwrap().to_owned();
        let port = Port::take();
        let site = format!("http://127.0.0.1:{} {{", port.number());
        let recipe = replaced(&recipe, &name, &site);
        WebServer::caddy(port, &recipe).await
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs nginx and Caddy"]
async fn nginx_and_caddy_serve_site_like_docwright() {
    let hosted = Hosted::new().await;
    let said = hosted.build("site", &["--redirects", "nginx,caddy"]);
    assert!(said.contains("nginx: 20 of 21 redirects") && said.contains(LEFT_OUT), "{said}");
    assert!(said.contains("caddy: 18 of 21 redirects"), "{said}");
    let nginx = hosted.nginx("root /var/www/site;").await;
    hosted.compare(&nginx, "site", "", &[]).await;
    let caddy = hosted.caddy("root * /var/www/site").await;
    hosted.compare(&caddy, "site", "", CADDY).await;
    for (server, outside) in [&nginx, &caddy].into_iter().flat_map(|server| {
        ["/%2e%2e/site.caddy", "/../site.caddy", "/..%2fsite.caddy"].map(|path| (server, path))
    }) {
        assert_ne!(ask(&server.host, outside).await.status, 200, "{outside}");
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs nginx and Caddy"]
async fn nginx_and_caddy_serve_site_below_a_path() {
    let hosted = Hosted::new().await;
    let address = ["--site-url", "https://example.com/docs"];
    hosted.build("docs", &[&["--redirects", "nginx,caddy"], &address[..]].concat());
    for (server, left_out) in [
        (hosted.nginx("root /var/www;").await, &[][..]),
        (hosted.caddy("root * /var/www\n").await, CADDY),
    ] {
        hosted.compare(&server, "docs", "/docs", left_out).await;
        let home = ask(&server.host, "/docs").await;
        assert_eq!((home.status, home.location.as_deref()), (308, Some("/docs/")));
        assert_eq!(ask(&server.host, "/old").await.status, 404);
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs nginx and Caddy"]
async fn files_are_compressed_and_cached_as_in_the_recipes() {
    let hosted = Hosted::new().await;
    hosted.build("site", &["--redirects", "nginx,caddy"]);
    let files = super::files(&hosted.www().join("site"));
    let never_changes = files.iter().find(|path| path.starts_with("_docwright/code/"));
    let never_changes = never_changes.expect("a page has a component").as_str();
    let font = files.iter().find(|path| path.ends_with(".inter-latin.woff2"));
    let font = font.expect("a site has its fonts").as_str();
    // Only a large site has one.
    let sidebar = "_docwright/sidebars/0123456789abcdef.js";
    fs::create_dir_all(hosted.www().join("site/_docwright/sidebars")).unwrap();
    fs::write(hosted.www().join("site").join(sidebar), "").unwrap();
    for server in
        [hosted.nginx("root /var/www/site;").await, hosted.caddy("root * /var/www/site").await]
    {
        let get = async |path: &str, accept: &str| {
            let request = reqwest::Client::new().get(format!("http://{}/{path}", server.host));
            let answer = request.header("accept-encoding", accept).send().await.unwrap();
            (answer.headers().clone(), answer.bytes().await.unwrap().len())
        };
        for path in ["", "guides/start", "guides/start.md", "_docwright/theme.css", "llms.txt"] {
            let (headers, length) = get(path, "gzip").await;
            assert_eq!(headers["cache-control"], "no-cache", "{path}");
            assert!(headers.contains_key("etag"), "{path}");
            let plain = get(path, "identity").await.1;
            if plain > 2000 {
                assert_eq!(headers["content-encoding"], "gzip", "{path}");
                assert!(length * 2 < plain, "{path}: {length} of {plain}");
            }
        }
        for path in [never_changes, font, sidebar] {
            let (headers, _) = get(path, "gzip").await;
            let kept = headers.get_all("cache-control").iter().collect::<Vec<_>>();
            assert_eq!(kept, ["public, max-age=31536000, immutable"], "{path}");
        }
        let (headers, _) = get(font, "gzip").await;
        assert_eq!(headers["content-type"], "font/woff2");
        assert!(!headers.contains_key("content-encoding"), "it is compressed already");
    }
}
