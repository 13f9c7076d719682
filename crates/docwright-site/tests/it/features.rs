//! What is in the files of a site for each type of deployment. A feature that is off leaves no trace in them.

use docwright_site::{
    Options,
    build::{Report, build},
    output::Memory,
    source::Source,
};
use docwright_types::deployment::{
    Analytics, Assistant, DeploymentType, Features, Playground, PlaygroundMode, Switch, Switched,
};

const CONFIG: &str = r##"{"theme":"mint","name":"S","colors":{"primary":"#007700"},
    "navigation":{"groups":[{"group":"G","pages":["index","GET /things"],"openapi":"api.json"}]},
    "integrations":{"plausible":{"domain":"docs.example.com"}}}"##;
const SPEC: &str = r#"{"openapi":"3.1.0","info":{"title":"T","version":"1"},
    "servers":[{"url":"https://api.example.com"}],
    "paths":{"/things":{"get":{"summary":"List","responses":{"200":{"description":"Good"}}}}}}"#;

/// Texts that only files with a feature contain, and parts of their paths.
const SEARCH: &[&str] = &["_docwright/search", "data-search-open", "docwrightSearch"];
const PLAYGROUND: &[&str] =
    &["_docwright/playground", "data-playground-open", "dw-playground", "docwright-playground"];
const ASSISTANT: &[&str] = &[
    "_docwright/assistant.js",
    "_docwright/assistant/panel.js",
    "_docwright/assistant/en.js",
    "_docwright/assistant/widget.js",
    "data-assistant-open",
    "dw-assistant",
    "docwright-assistant",
];
const ANALYTICS: &[&str] = &["_docwright/reading.js", "data-script", "sendBeacon(data"];
const INTEGRATIONS: &[&str] = &["plausible.io"];

fn source() -> Source {
    let files = [("docs.json", CONFIG), ("index.mdx", "Hello"), ("api.json", SPEC)];
    Source::from_files(files.map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec())))
}

fn report(features: Features) -> Report {
    let options = Options { features, ..Options::default() };
    build(&source(), &options, &Memory::default(), &|_| {}).expect("the site can be built")
}

/// The paths and texts of a site with these features, one after another.
fn files(features: Features) -> String {
    let (output, options) = (Memory::default(), Options { features, ..Options::default() });
    build(&source(), &options, &output, &|_| {}).expect("the site can be built");
    let mut files = output.into_files();
    // The author's own file names the services.
    files.remove("docs.json");
    let text =
        |(path, bytes): (String, Vec<u8>)| format!("{path}\n{}\n", String::from_utf8_lossy(&bytes));
    files.into_iter().map(text).collect()
}

fn has(files: &str, marks: &[&str], expected: bool) {
    for mark in marks {
        assert_eq!(files.contains(mark), expected, "{mark}");
    }
}

fn with(kind: DeploymentType, change: impl FnOnce(&mut Features)) -> String {
    let mut features = Features::of(kind);
    change(&mut features);
    features.check(kind).expect("the type allows these features");
    files(features)
}

fn without_search(features: &mut Features) {
    features.search.mode = Switch::Off;
}

fn playground(mode: PlaygroundMode) -> impl FnOnce(&mut Features) {
    move |features| features.playground = Playground { mode, base_url: None, hosts: Vec::new() }
}

fn assistant(address: Option<&str>) -> impl FnOnce(&mut Features) {
    let address = address.map(str::to_owned);
    move |features| features.assistant = Assistant { mode: Switch::On, address, ..Assistant::OFF }
}

#[test]
fn cloud_site_has_search_unless_it_is_off() {
    has(&with(DeploymentType::Cloud, |_| {}), SEARCH, true);
    has(&with(DeploymentType::Cloud, without_search), SEARCH, false);
}

#[test]
fn client_hosted_site_has_search_unless_it_is_off() {
    has(&with(DeploymentType::ClientHosted, |_| {}), SEARCH, true);
    has(&with(DeploymentType::ClientHosted, without_search), SEARCH, false);
}

#[test]
fn air_gapped_site_has_search_unless_it_is_off() {
    has(&with(DeploymentType::AirGapped, |_| {}), SEARCH, true);
    has(&with(DeploymentType::AirGapped, without_search), SEARCH, false);
}

#[test]
fn cloud_site_has_playground_unless_it_is_off() {
    has(&with(DeploymentType::Cloud, |_| {}), PLAYGROUND, true);
    has(&with(DeploymentType::Cloud, playground(PlaygroundMode::Off)), PLAYGROUND, false);
}

#[test]
fn client_hosted_site_has_playground_unless_it_is_off() {
    has(&with(DeploymentType::ClientHosted, |_| {}), PLAYGROUND, true);
    has(&with(DeploymentType::ClientHosted, playground(PlaygroundMode::Off)), PLAYGROUND, false);
}

#[test]
fn air_gapped_site_has_playground_only_if_it_is_configured() {
    has(&with(DeploymentType::AirGapped, |_| {}), PLAYGROUND, false);
    has(&with(DeploymentType::AirGapped, playground(PlaygroundMode::Show)), PLAYGROUND, true);
}

#[test]
fn report_has_the_origins_of_requests_only_if_a_server_sends_them() {
    let origins = |change: &dyn Fn(&mut Features)| {
        let mut features = Features::of(DeploymentType::Cloud);
        change(&mut features);
        report(features).about().request_origins
    };
    let api = "https://api.example.com".to_owned();
    assert_eq!(origins(&|_| {}), Some(vec![api.clone()]));
    let more = origins(&|features| {
        features.playground.base_url = Some("http://inside.example:8080/v1".to_owned());
        features.playground.hosts = vec!["https://staging.example.com".to_owned()];
    });
    let inside = "http://inside.example:8080".to_owned();
    assert_eq!(more, Some(vec![inside, api, "https://staging.example.com".to_owned()]));
    for mode in [PlaygroundMode::Browser, PlaygroundMode::Show, PlaygroundMode::Off] {
        assert_eq!(origins(&|features| features.playground.mode = mode), None, "{mode:?}");
    }
    let files = [
        (
            "docs.json",
            r##"{"theme":"mint","name":"S","colors":{"primary":"#007700"},"navigation":{"pages":["index"]}}"##,
        ),
        ("index.mdx", "Hello"),
    ];
    let files = files.map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec()));
    let features = Features::of(DeploymentType::Cloud);
    let options = Options { features, ..Options::default() };
    let built = build(&Source::from_files(files), &options, &Memory::default(), &|_| {}).unwrap();
    assert_eq!(built.request_origins, None, "a site without API pages sends nothing");
}

#[test]
fn site_has_assistant_only_if_it_is_on() {
    for kind in DeploymentType::ALL {
        has(&with(kind, |_| {}).to_lowercase(), &["assistant"], false);
    }
    for kind in [DeploymentType::Cloud, DeploymentType::ClientHosted] {
        has(&with(kind, assistant(None)), ASSISTANT, true);
    }
}

#[test]
fn preview_and_site_with_assistant_elsewhere_have_no_panel() {
    let preview = with(DeploymentType::Cloud, |features| {
        assistant(None)(features);
        *features = features.clone().of_preview();
    });
    has(&preview, ASSISTANT, false);
    let elsewhere = assistant(Some("https://assistant.example.com"));
    has(&with(DeploymentType::ClientHosted, elsewhere), ASSISTANT, false);
}

#[test]
fn instructions_of_the_assistant_are_in_no_file() {
    let instructions = "Codeword heliotrope.";
    let skill = format!("---\nname: Keys\ndescription: Lost keys\n---\n{instructions}");
    for kind in DeploymentType::ALL {
        for is_on in [true, false] {
            let mut features = Features::of(kind);
            if is_on && kind != DeploymentType::AirGapped {
                assistant(None)(&mut features);
            }
            let mut source = source();
            source.write(".docwright/assistant.md", instructions);
            source.write(".mintlify/assistant/skills/keys/skill.mdx", &skill);
            let output = Memory::default();
            let options = Options { features, ..Options::default() };
            let report = build(&source, &options, &output, &|_| {}).unwrap();
            let files = output.into_files();
            assert!(files.len() > 10);
            for (path, contents) in files {
                let contents = String::from_utf8_lossy(&contents);
                assert!(!contents.contains("heliotrope"), "{path}");
            }
            let guidance = report.about().guidance;
            assert_eq!(guidance.is_empty(), !options.features.has_own_assistant(), "{kind:?}");
            assert_eq!(guidance.skills.len(), usize::from(!guidance.is_empty()));
        }
    }
}

#[test]
fn site_reports_reading_only_where_readers_are_counted() {
    let on = |address: Option<&str>| {
        let address = address.map(str::to_owned);
        move |features: &mut Features| {
            features.analytics = Analytics { mode: Switch::On, address, behind_cdn: false };
        }
    };
    let off = |features: &mut Features| features.analytics.mode = Switch::Off;
    has(&with(DeploymentType::Cloud, |_| {}), ANALYTICS, true);
    has(&with(DeploymentType::Cloud, off), ANALYTICS, false);
    has(&with(DeploymentType::ClientHosted, |_| {}), ANALYTICS, false);
    has(&with(DeploymentType::ClientHosted, on(None)), ANALYTICS, true);
    let elsewhere = "https://a.example/reports";
    let files = with(DeploymentType::ClientHosted, on(Some(elsewhere)));
    has(&files, &ANALYTICS[..2], true);
    has(&files, &ANALYTICS[2..], false);
    has(&files, &[elsewhere, "data-all=\"1\"", "data.elsewhere"], true);
    for kind in [DeploymentType::Cloud, DeploymentType::ClientHosted] {
        has(&with(kind, on(None)), &["data-elsewhere", "data.elsewhere"], false);
    }
    has(&with(DeploymentType::AirGapped, |_| {}), ANALYTICS, false);
    let preview = |features: &mut Features| *features = features.clone().of_preview();
    has(&with(DeploymentType::Cloud, preview), ANALYTICS, false);
}

#[test]
fn views_are_by_script_only_behind_a_network() {
    for behind_cdn in [false, true] {
        let mut features = Features::of(DeploymentType::Cloud);
        features.analytics.behind_cdn = behind_cdn;
        assert_eq!(report(features.clone()).about().views_by_script, behind_cdn);
        assert_eq!(files(features).contains("data-all=\"1\""), behind_cdn);
    }
}

#[test]
fn integrations_are_loaded_only_where_they_are_on() {
    let on = |features: &mut Features| features.integrations = Switched { mode: Switch::On };
    for kind in [DeploymentType::Cloud, DeploymentType::ClientHosted] {
        has(&with(kind, |_| {}), INTEGRATIONS, false);
        has(&with(kind, on), INTEGRATIONS, true);
    }
    has(&with(DeploymentType::AirGapped, |_| {}), INTEGRATIONS, false);
}

#[test]
fn site_names_no_other_host_in_an_air_gapped_deployment() {
    let files = with(DeploymentType::AirGapped, |_| {});
    let linked = ["src=\"http", "href=\"http", "url(http"];
    has(&files, &linked, false);
}
