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
    views_are(&api, &setup, 2, 0).await;
    assert!(!found_in(&setup.data(), "page-0").is_empty(), "the search finds what is there");
    for text in ["unmistakable", "firefox/133", addresses[0], addresses[1], "2001:db8:77"] {
        assert_eq!(found_in(&setup.data(), text), [""; 0], "{text}");
        assert!(!service.text().to_ascii_lowercase().contains(text), "{text} is in the log");
    }
}
