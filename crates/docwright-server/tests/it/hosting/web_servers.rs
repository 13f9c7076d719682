//! nginx and Caddy, at the root of a host and below a path.

use std::collections::BTreeMap;

use super::{
    Hosted, ask,
    recipes::{WebServer, free_port, recipe, replaced},
};

const PAGE: &str = "host/servers.mdx";

/// A source that no other host gets, since it would lead to itself there: our server answers 404.
const LEFT_OUT: &str = "leads from /en/same/x to itself";

impl Hosted {
    fn own_host(&self) -> &str {
        self.own.address.strip_prefix("http://").unwrap()
    }

    /// Compares the answers of another server with those of our own, below a base. A redirect may say
    /// `%24` where we say `$`, which nginx can't.
    async fn compare(&self, server: &WebServer, site: &str, base: &str) {
        let mut differences = BTreeMap::new();
        for address in self.addresses(site) {
            let mut own = ask(self.own_host(), &address).await;
            let mut other = ask(&server.host, &format!("{base}{address}")).await;
            own.location = own.location.map(|location| {
                let stays = location.starts_with('/') && !location.starts_with("//");
                if stays { format!("{base}{location}") } else { location }
            });
            other.location = other.location.map(|location| location.replace("%24", "$"));
            // Types of scripts and feeds have more than one name.
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
        assert!(differences.is_empty(), "ours and the other: {differences:#?}");
    }

    /// What the file at an address holds, or that of the page for none.
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

    /// nginx by the recipe of the manual.
    async fn nginx(&self, words: &str) -> WebServer {
        let recipe =
            replaced(&recipe(PAGE, "nginx", words), "/var/www", self.www().to_str().unwrap());
        let port = free_port();
        let listens = replaced(&recipe, "listen 80;", &format!("listen 127.0.0.1:{port};"));
        let name = listens.lines().find(|line| line.contains("server_name")).unwrap();
        WebServer::nginx(port, &replaced(&listens, name, "server_name _;")).await
    }

    /// Caddy by the recipe of the manual.
    async fn caddy(&self, words: &str) -> WebServer {
        let recipe =
            replaced(&recipe(PAGE, "caddy", words), "/var/www", self.www().to_str().unwrap());
        let name = recipe.lines().next().unwrap().to_owned();
        let port = free_port();
        let recipe = replaced(&recipe, &name, &format!("http://127.0.0.1:{port} {{"));
        WebServer::caddy(port, &recipe).await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nginx_and_caddy_serve_a_site_as_docwright_does() {
    let hosted = Hosted::new().await;
    let said = hosted.build("site", &["--redirects", "nginx,caddy"]);
    assert!(said.contains("nginx: 16 of 17 redirects") && said.contains(LEFT_OUT), "{said}");
    assert!(said.contains("caddy: 16 of 17 redirects"), "{said}");
    for server in
        [hosted.nginx("root /var/www/site;").await, hosted.caddy("root * /var/www/site").await]
    {
        hosted.compare(&server, "site", "").await;
        for outside in ["/%2e%2e/site.nginx.conf", "/../site.caddy", "/..%2fsite.caddy"] {
            assert_ne!(ask(&server.host, outside).await.status, 200, "{outside}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nginx_and_caddy_serve_a_site_below_a_path() {
    let hosted = Hosted::new().await;
    let address = ["--site-url", "https://example.com/docs"];
    hosted.build("docs", &[&["--redirects", "nginx,caddy"], &address[..]].concat());
    for server in [hosted.nginx("root /var/www;").await, hosted.caddy("root * /var/www\n").await] {
        hosted.compare(&server, "docs", "/docs").await;
        let home = ask(&server.host, "/docs").await;
        assert_eq!((home.status, home.location.as_deref()), (308, Some("/docs/")));
        assert_eq!(ask(&server.host, "/old").await.status, 404);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn files_are_compressed_and_kept_as_the_recipes_say() {
    let hosted = Hosted::new().await;
    hosted.build("site", &["--redirects", "nginx,caddy"]);
    let script = super::files(&hosted.www().join("site"));
    let kept = script.iter().find(|path| path.starts_with("_docwright/code/"));
    let client = reqwest::Client::builder().build().unwrap();
    for server in
        [hosted.nginx("root /var/www/site;").await, hosted.caddy("root * /var/www/site").await]
    {
        let get = async |path: &str| {
            let request = client.get(format!("http://{}/{path}", server.host));
            request.header("accept-encoding", "gzip").send().await.unwrap()
        };
        for path in ["", "guides/start", "_docwright/theme.css", "_docwright/theme.js", "llms.txt"]
        {
            let answer = get(path).await;
            let headers = answer.headers();
            assert_eq!(headers["cache-control"], "no-cache", "{path}");
            assert!(headers.contains_key("etag") || path.is_empty(), "{path}: {headers:?}");
            let length = answer.bytes().await.unwrap().len();
            assert!(length < 300 || path.ends_with("txt") || length > 0);
        }
        let page = get("guides/start").await;
        assert_eq!(page.headers()["content-encoding"], "gzip");
        assert_eq!(get("_docwright/theme.css").await.headers()["content-encoding"], "gzip");
        if let Some(path) = kept {
            let answer = get(path).await;
            assert!(answer.headers()["cache-control"].to_str().unwrap().contains("immutable"));
        }
    }
}
