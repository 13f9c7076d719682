//! The home page of a site in several languages.

use std::{fs, path::Path};

use docwright_testing::wait::eventually;
use serde_json::json;

use super::{SiteResponse, ask};
use crate::server::Setup;

const HOST: &str = "example.com";

fn write_languages(folder: &Path) {
    let config = json!({
        "theme": "mint", "name": "Test", "colors": { "primary": "#0f766e" },
        "navigation": { "languages": [
            { "language": "en", "pages": ["index"] },
            { "language": "fr", "pages": ["fr/depart"] },
        ] },
    });
    fs::create_dir_all(folder.join("fr")).unwrap();
    fs::write(folder.join("docs.json"), config.to_string()).unwrap();
    fs::write(folder.join("index.mdx"), "---\ntitle: Start\n---\n").unwrap();
    fs::write(folder.join("fr/depart.mdx"), "---\ntitle: Départ\n---\n").unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn home_page_opens_in_language_of_reader() {
    let setup = Setup::with_repository(write_languages);
    setup.admin(&["domain", "create", "example.com/docs", "--project", &setup.project]);
    let process = setup.serve();
    setup.admin(&["release", "create", "--domain", "example.com/docs"]);
    let get = async |start: &str, headers: &[(&str, &str)]| -> SiteResponse {
        ask(&process.address, (HOST, start), headers).await
    };
    eventually("the site is there", async || get("GET /docs/", &[]).await.status == 200).await;

    let french = ("accept-language", "fr-CH, fr;q=0.9, en;q=0.8");
    let opened = get("GET /docs/?utm=x", &[french]).await;
    assert_eq!((opened.status, opened.header("location")), (302, Some("/docs/fr/depart?utm=x")));
    let varies = Some("Accept, Accept-Encoding, Accept-Language, Cookie");
    assert_eq!(opened.header("vary"), varies);
    assert_eq!(opened.header("cache-control"), Some("no-cache"));
    let default = get("GET /docs/", &[("accept-language", "en")]).await;
    assert_eq!(default.status, 200);
    assert_eq!(default.header("vary"), varies);
    let chosen = get("GET /docs/", &[french, ("cookie", "docwright_language=en")]).await;
    assert_eq!(chosen.status, 200);
    // Only the home page depends on the language.
    assert_eq!(get("GET /docs/fr/depart", &[("accept-language", "en")]).await.status, 200);
}
