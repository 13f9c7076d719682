//! Nothing that identifies a reader is written.

use std::{fs, path::Path};

use super::{BROWSER, HOST, publish, views_are};
use crate::{agent::write_site, observing::Logged, server::Setup, sites::ask};

/// Whether a file below a folder contains a text, in any case.
fn found_in(folder: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(found_in(&path, text));
        } else if let Ok(bytes) = fs::read(&path)
            && bytes.to_ascii_lowercase().windows(text.len()).any(|part| part == text.as_bytes())
        {
            found.push(path.display().to_string());
        }
    }
    found
}

#[tokio::test(flavor = "multi_thread")]
async fn addresses_and_user_agents_are_not_written() {
    let setup = Setup::built_in(write_site, &[]);
    let command = setup.service(&[("DOCWRIGHT_TRUSTED_PROXIES", "127.0.0.1/32")]);
    let service = Logged::start(command, "info");
    let api = setup.api(&service.process);
    publish(&api).await;
    let user_agent = format!("{BROWSER} Unmistakable/77.1");
    let addresses = ["203.0.113.77", "2001:db8:77:77::77"];
    for address in addresses {
        for path in ["/page-0", "/gone"] {
            let headers = [("user-agent", user_agent.as_str()), ("x-forwarded-for", address)];
            ask(&service.process.address, (HOST, &format!("GET {path}")), &headers).await;
        }
    }
    // The script reports too: with an address that readers typed into the search, and with a link that has a secret.
    let events = serde_json::json!([
        { "view": { "referrer": "https://unmistakable.example/unmistakable" } },
        { "search": ["unmistakable@mail.example", 0] },
        { "link": "https://other.example/?unmistakable=1" },
    ]);
    let body = serde_json::json!({ "page": "page-0", "events": events });
    let request = api.client.post(format!("{}/_docwright/reading", service.process.address));
    let request = request.header("host", HOST).header("user-agent", &user_agent);
    let request = request.header("x-forwarded-for", addresses[0]).json(&body);
    assert_eq!(request.send().await.unwrap().status(), 204);
    views_are(&api, &setup, 3, 0).await;
    // The key of the day is in one file, which backups don't contain.
    let cache = setup.data().join("cache");
    let files = fs::read_dir(&cache).unwrap().map(|entry| entry.unwrap().path());
    let key = files.filter(|path| path.is_file()).collect::<Vec<_>>();
    assert_eq!(key.len(), 1, "{key:?}");
    let text = fs::read_to_string(&key[0]).unwrap();
    assert_eq!(found_in(&setup.data(), text.trim()), [key[0].display().to_string()]);
    assert!(!found_in(&setup.data(), "page-0").is_empty(), "the search finds what is there");
    for text in [
        "unmistakable/77",
        "unmistakable@",
        "unmistakable=",
        "firefox/133",
        addresses[0],
        addresses[1],
        "2001:db8:77",
    ] {
        assert_eq!(found_in(&setup.data(), text), [""; 0], "{text}");
        assert!(!service.text().to_ascii_lowercase().contains(text), "{text} is in the log");
    }
}
