//! Which services wait for a reader's consent, and which sites ask for it.

use std::collections::BTreeMap;

use docwright_site::{Options, build::build, output::Memory, source::Source};
use docwright_types::deployment::{DeploymentType, Features, Switch, Switched};
use serde_json::{Value, json};

/// Words that only sites that ask for consent contain.
const MARKS: [&str; 4] =
    ["docwright-consent", "dw-consent", "data-consent-answer", "data-consent-open"];

/// The site with these integrations: texts by path.
fn built(integrations: &Value, kind: DeploymentType, mode: Switch) -> BTreeMap<String, String> {
    let config = json!({
        "theme": "mint", "name": "S", "colors": { "primary": "#007700" },
        "navigation": { "languages": [
            { "language": "en", "pages": ["index"] },
            { "language": "ar", "pages": ["ar/index"] },
            { "language": "de", "pages": ["de/index"] },
        ] },
        "integrations": integrations,
    });
    let config = config.to_string();
    let files = [("docs.json", &*config), ("index.mdx", "A"), ("ar/index.mdx", "B")];
    let files = files.into_iter().chain([("de/index.mdx", "---\nmode: custom\n---\nC")]);
    let files = files.map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec()));
    let features = Features { integrations: Switched { mode }, ..Features::of(kind) };
    let (output, options) = (Memory::default(), Options { features, ..Options::default() });
    build(&Source::from_files(files), &options, &output, &|_| {}).expect("the site can be built");
    let mut files = output.into_files();
    files.remove("docs.json");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    files.into_iter().map(|(path, bytes)| (path, text(bytes))).collect()
}

fn site(integrations: &Value) -> BTreeMap<String, String> {
    built(integrations, DeploymentType::Cloud, Switch::On)
}

fn assert_asks(files: &BTreeMap<String, String>, expected: bool) {
    let all: String = files.values().map(String::as_str).collect();
    for mark in MARKS {
        assert_eq!(all.contains(mark), expected, "{mark}");
    }
}

/// The statements of the head's script that run without an answer, and those that wait for one.
fn statements(html: &str) -> (&str, &str) {
    let (_, script) = html.split_once("(function(){function load(").expect("services are loaded");
    let (script, _) = script.split_once("</script>").expect("the script ends");
    let (now, later) = script.split_once("function services(){").unwrap_or((script, ""));
    (now, later)
}

#[test]
fn services_that_follow_readers_wait_for_consent() {
    let services = json!({
        "ga4": { "measurementId": "G-1" }, "gtm": { "tagId": "G-2" }, "clarity": { "projectId": "one" },
        "posthog": { "apiKey": "phc_1" }, "adobe": { "launchUrl": "https://assets.example/launch.js" },
        "hotjar": { "hjid": "1", "hjsv": "6" }, "amplitude": { "apiKey": "one" },
        "clearbit": { "publicApiKey": "one" }, "frontchat": { "snippetId": "one" }, "heap": { "appId": "1" },
        "intercom": { "appId": "one" }, "logrocket": { "appId": "one/two" }, "mixpanel": { "projectToken": "one" },
        "segment": { "key": "one" },
    });
    for (service, settings) in services.as_object().expect("an object") {
        let files = site(&json!({ service: settings }));
        assert_asks(&files, true);
        let (now, later) = statements(&files["index.html"]);
        assert!(!now.contains("https://"), "{service}: {now}");
        assert!(later.contains("load('https://"), "{service}: {later}");
    }
}

#[test]
fn services_that_only_count_load_without_banner() {
    let services = json!({
        "plausible": { "domain": "docs.example.com" }, "fathom": { "siteId": "ONE" }, "pirsch": { "id": "one" },
    });
    let files = site(&services);
    assert_asks(&files, false);
    let (now, later) = statements(&files["index.html"]);
    assert_eq!(now.matches("load('https://").count(), 3, "{now}");
    assert_eq!(later, "");
}

#[test]
fn services_without_consent_load_beside_those_that_wait() {
    let files =
        site(&json!({ "plausible": { "domain": "docs.example.com" }, "heap": { "appId": "1" } }));
    let (now, later) = statements(&files["index.html"]);
    assert!(now.contains("plausible.io") && !now.contains("heapanalytics"), "{now}");
    assert!(later.contains("heapanalytics") && !later.contains("plausible.io"), "{later}");
}

#[test]
fn banner_names_services_in_language_of_page() {
    let files = site(&json!({ "ga4": { "measurementId": "G-1" }, "intercom": { "appId": "one" } }));
    let english = &files["index.html"];
    assert!(english.contains("about your visit: Google Analytics, Intercom</p>"), "{english}");
    assert!(english.contains(">Accept</button>") && english.contains(">Decline</button>"));
    assert!(files["ar.html"].contains(">قبول</button>"));
    assert!(files["de.html"].contains(">Ablehnen</button>"));
    // A page without a footer asks, and the answer is changed on the others.
    assert!(!files["de.html"].contains("data-consent-open aria-haspopup"));
    assert!(files["ar.html"].contains("data-consent-open aria-haspopup"));
}

#[test]
fn banner_of_the_author_decides_alone() {
    let files = site(&json!({
        "ga4": { "measurementId": "G-1" }, "plausible": { "domain": "docs.example.com" },
        "cookies": { "key": "agreed", "value": "yes" },
    }));
    assert_asks(&files, false);
    let html = &files["index.html"];
    let (wait, load) = (html.find("getItem('agreed')!=='yes'"), html.find("plausible.io"));
    assert!(wait.is_some() && wait < load, "{html}");
    assert!(html.contains("gtag/js?id=G-1"));
}

#[test]
fn sites_ask_only_where_integrations_are_on() {
    let services = json!({ "ga4": { "measurementId": "G-1" } });
    for kind in [DeploymentType::Cloud, DeploymentType::ClientHosted] {
        assert_asks(&built(&services, kind, Switch::On), true);
        assert_asks(&built(&services, kind, Switch::Off), false);
    }
    assert_asks(&built(&services, DeploymentType::AirGapped, Switch::Off), false);
}

#[test]
fn setting_that_is_no_word_asks_for_nothing() {
    assert_asks(&site(&json!({ "heap": { "appId": "1');alert('" } })), false);
}

#[test]
fn page_for_missing_addresses_loads_no_service() {
    let missing = &site(&json!({ "ga4": { "measurementId": "G-1" } }))["404.html"];
    for mark in MARKS.into_iter().chain(["googletagmanager"]) {
        assert!(!missing.contains(mark), "{mark}");
    }
}
