//! The tables of keys: every key changes the built site, and the manual's reference matches them.

use std::{collections::BTreeMap, fmt::Write as _, path::Path};

use docwright_site::{
    Options, Rule, build::build, content::config, content::frontmatter, content::key::Key,
    output::Memory, render::components::ALL, source::Source,
};
use docwright_types::deployment::{DeploymentType, Features, Switch, Switched};
use docwright_types::git_host::{GitHostKind, RepositoryFolder};
use serde_json::{Map, Value, json};

/// A site on which every key can have an effect.
pub(crate) fn configuration() -> Value {
    json!({
        "theme": "mint",
        "name": "Site",
        "colors": { "primary": "#0f766e" },
        "appearance": { "default": "system" },
        "api": { "mdx": { "server": "https://hand.example.com" } },
        "navigation": {
            "groups": [
                { "group": "Start", "pages": [{ "group": "Nested", "pages": ["third"] }, "index", "second"] },
                { "group": "API", "pages": ["GET /things"], "openapi": "openapi.json" },
                { "group": "By hand", "pages": ["by-hand", "by-description"], "root": "root" },
            ],
        },
    })
}

const OPENAPI: &str = r##"{"openapi":"3.1.0","info":{"title":"T","version":"1"},
    "servers":[{"url":"https://api.example.com"}],
    "paths":{"/things":{"get":{"summary":"List","x-codeSamples":[{"lang":"curl","source":"curl x"}],"parameters":[
        {"name":"limit","in":"query","example":5,"schema":{"type":"integer","x-beta":true}}],
        "requestBody":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/Thing"}}}},
        "responses":{"200":{"description":"All"}}}}},
    "components":{"schemas":{"Thing":{"type":"object","properties":{"at":{"type":"object","properties":{"x":{"type":"string"}}}}}}}}"##;
const ASYNCAPI: &str = r##"{"asyncapi":"3.0.0","info":{"title":"E","version":"1"},"channels":{"chat":{"address":"chat","messages":{"m":{"payload":{"type":"object"}}}}},
    "operations":{"say":{"action":"send","channel":{"$ref":"#/channels/chat"}}}}"##;

const GRAMMAR: &str = r#"{"name":"own","scopeName":"source.own","patterns":[{"match":"key","name":"keyword.control.own"}]}"#;

pub(crate) type Files = BTreeMap<String, Vec<u8>>;

/// The files of a docs root with a configuration, and with additional frontmatter on the second page, the handwritten
/// page, and a hidden page.
pub(crate) fn docs_root(configuration: &Value, frontmatter: &str) -> Files {
    let file = |path: &str, text: String| (path.to_owned(), text.into_bytes());
    let page = |title: &str, more: &str| {
        format!(
            "---\ntitle: {title}\n{more}---\n\nIt is {{{{ga4}}}}, and $x^2$.\n\n```js\n1\n```\n\n```own\nkey\n```\n"
        )
    };
    let written = |own: &str| {
        let key = frontmatter.split(':').next().unwrap_or_default();
        let own: String = own
            .lines()
            .filter(|line| !line.starts_with(&format!("{key}:")))
            .fold(String::new(), |all, line| all + line + "\n");
        format!("---\n{own}{frontmatter}---\n\n<Update label=\"One\">Text.</Update>\n")
    };
    BTreeMap::from([
        file("docs.json", configuration.to_string()),
        file("index.mdx", page("Home", "")),
        file("second.mdx", written("title: Second\n")),
        file("third.mdx", page("Third", "")),
        file("by-hand.mdx", written("title: By hand\napi: GET /x\n")),
        file(
            "by-description.mdx",
            written("title: By description\nopenapi: openapi.json GET /things\n"),
        ),
        file("root.mdx", page("Root", "openapi: GET /things\n")),
        file("unlisted.mdx", page("Unlisted", "")),
        file("logo.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>".to_owned()),
        file("other.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>".to_owned()),
        file("body.woff2", format!("wOF2{}", "\0".repeat(60))),
        file("api.json", OPENAPI.replace("List", "Other")),
        file("openapi.json", OPENAPI.to_owned()),
        file("events.json", ASYNCAPI.to_owned()),
        file("grammar.json", GRAMMAR.to_owned()),
    ])
}

/// Options with which every key can have an effect.
pub(crate) fn options() -> Options {
    Options {
        site_url: Some("https://docs.example.com".parse().unwrap()),
        features: Features {
            integrations: Switched { mode: Switch::On },
            ..Features::of(DeploymentType::Cloud)
        },
        repository: Some(RepositoryFolder {
            kind: Some(GitHostKind::GitHub),
            address: "https://github.com/owner/name".parse().unwrap(),
            branch: "main".to_owned(),
            folder: String::new(),
        }),
        last_modified: BTreeMap::from([
            ("index.mdx".to_owned(), "2026-01-01".to_owned()),
            ("second.mdx".to_owned(), "2026-01-02".to_owned()),
        ]),
        ..Options::default()
    }
}

/// The files built from such a docs root.
fn built(configuration: &Value, frontmatter: &str) -> Files {
    let source = Source::from_files(docs_root(configuration, frontmatter));
    let output = Memory::default();
    build(&source, &options(), &output, &|_| {}).expect("the site can be built");
    let mut files = output.into_files();
    files.remove("docs.json");
    files
}

/// Sets a key to a value.
pub(crate) fn set(value: &mut Value, path: &str, example: Value) {
    let (first, rest) =
        path.split_once('.').map_or((path, None), |(first, rest)| (first, Some(rest)));
    let name = first.trim_end_matches("[]");
    let name = if name == "*" { "ga4" } else { name };
    if !value.is_object() {
        *value = Value::Object(Map::new());
    }
    let object = value.as_object_mut().unwrap();
    match rest {
        None => drop(object.insert(name.to_owned(), example)),
        Some(rest) if first.ends_with("[]") => {
            set(&mut object[name].as_array_mut().unwrap()[0], rest, example);
        }
        Some(rest) => set(object.entry(name).or_insert(Value::Null), rest, example),
    }
}

#[test]
fn every_configuration_key_changes_site() {
    let mut idle = Vec::new();
    // The repository's specs are found without these keys, which matter for specs on other hosts.
    let known = ["api.asyncapi", "asyncapi"];
    for key in config::keys::KEYS.iter().filter(|key| !known.contains(&key.name)) {
        let example: Value = serde_json::from_str(key.example).expect(key.name);
        let (before, after) = around(key.name, example);
        if built(&before, "") == built(&after, "") {
            idle.push(key.name);
        }
    }
    assert!(idle.is_empty(), "without effect: {idle:#?}");
}

/// The configuration without a key, and with it.
pub(crate) fn around(path: &str, example: Value) -> (Value, Value) {
    let mut before = configuration();
    // Other keys that a key needs.
    let beside = match path.rsplit_once('.') {
        Some(("logo", _)) => json!({ "logo": { "light": "/other.svg", "dark": "/other.svg" } }),
        Some(("fonts", _)) => json!({ "fonts": { "family": "Inter", "source": "/logo.svg" } }),
        Some(("banner", _)) => json!({ "banner": { "content": "News" } }),
        // An old name counts only without the new one.
        Some(("api", "baseUrl")) => json!({ "api": {} }),
        Some(("api.mdx.auth", _)) => {
            json!({ "api": { "mdx": { "server": "https://api.example.com", "auth": { "method": "key" } } } })
        }
        _ => json!({}),
    };
    before.as_object_mut().unwrap().extend(beside.as_object().unwrap().clone());
    let navigation = &mut before["navigation"];
    match path.strip_prefix("navigation.").map(|rest| (rest, rest.split_once("[]."))) {
        Some(("directory", _) | (_, Some(("groups", "directory")))) => {
            navigation["groups"].as_array_mut().unwrap().reverse();
        }
        Some(("openapi" | "asyncapi", _)) => {
            *navigation = json!({ "groups": [{ "group": "Start", "pages": ["index"] }] });
        }
        Some((key, None)) => {
            *navigation = if key == "pages" { json!({}) } else { json!({ "pages": ["index"] }) };
        }
        // A spec supplies pages for a group that lists none.
        Some((_, Some(("groups", "openapi" | "asyncapi")))) => {
            navigation["groups"] =
                json!([{ "group": "Described" }, { "group": "Others", "pages": ["index"] }]);
        }
        None | Some((_, Some(("groups", _)))) => {}
        Some((_, Some((list, _)))) => {
            let kind = list.trim_end_matches('s');
            let division =
                |name: &str, page: &str| json!({ kind: name, "icon": "book", "pages": [page] });
            *navigation = json!({ list: [division("en", "index"), division("fr", "second")] });
            navigation[list][1]["default"] = json!(list == "versions");
        }
    }
    let mut after = before.clone();
    set(&mut after, path, example);
    (before, after)
}

#[test]
fn every_frontmatter_key_changes_site() {
    let mut config = configuration();
    set(&mut config, "metadata.timestamp", json!(true));
    let plain = built(&config, "");
    let with_icon = built(&config, "icon: star\n");
    let idle: Vec<_> = frontmatter::keys::KEYS
        .iter()
        .filter(|key| {
            let line = format!("{}: {}\n", key.name, key.example);
            match key.name {
                "iconType" => built(&config, &format!("icon: star\n{line}")) == with_icon,
                // All pages already show their dates.
                "timestamp" => built(&config, "timestamp: false\n") == plain,
                _ => built(&config, &line) == plain,
            }
        })
        .map(|key| key.name)
        .collect();
    assert!(idle.is_empty(), "without effect: {idle:#?}");
}

/// Compares a page of the manual's reference with the tables. `UPDATE=1` writes it.
fn is_current(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference").join(name);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, text).expect("the page can be written");
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(written == text, "docs/reference/{name} is not current; run its test with UPDATE=1");
}

/// The head of a reference page.
fn head(title: &str, description: &str, introduction: &str) -> String {
    format!("---\ntitle: {title}\ndescription: {description}\n---\n\n{introduction}\n\n")
}

/// A table cell with code, escaped so that it doesn't end the cell.
fn code(text: &str) -> String {
    format!("`{}`", text.replace('|', "\\|"))
}

fn list(names: &[&str]) -> String {
    names.iter().map(|name| code(name)).collect::<Vec<_>>().join(", ")
}

/// The section on keys that change nothing.
fn without_effect(keys: &[(&str, &str)]) -> String {
    let mut section = String::from(
        "## Without effect\n\nThese keys are valid but have no effect.\n\n| Key | Why |\n| --- | --- |\n",
    );
    for (name, reason) in keys {
        let _ = writeln!(section, "| {} | {reason} |", code(name));
    }
    section
}

/// Sections of the configuration, with the keys at its top that belong to them.
const SECTIONS: &[(&str, &[&str])] = &[
    ("The site", &["theme", "name", "description", "logo", "favicon", "variables"]),
    ("Appearance", &["colors", "appearance", "fonts", "icons", "background", "styling"]),
    (
        "Around pages",
        &["navbar", "footer", "banner", "contextual", "search", "metadata", "feedback"],
    ),
    ("Navigation", &["navigation", "interaction"]),
    ("URLs", &["redirects", "errors"]),
    ("Search engines and agents", &["seo", "markdown"]),
    ("API pages", &["api", "openapi", "asyncapi"]),
    ("Other services", &["integrations", "analytics"]),
];

const KEYS_HEAD: &str = "| Key | Means | Example |\n| --- | --- | --- |\n";

fn key_line(key: &Key, page: &mut String) {
    let _ = writeln!(page, "| {} | {} | {} |", code(key.name), key.means, code(key.example));
}

#[test]
fn every_configuration_key_is_in_section() {
    for key in config::keys::KEYS {
        let top = key.name.split('.').next().unwrap_or_default();
        assert!(SECTIONS.iter().any(|(_, objects)| objects.contains(&top)), "{}", key.name);
    }
}

#[test]
fn configuration_reference_is_current() {
    let introduction = "A dot separates a key from its object, `[]` is each object of an array, and `*` is any name. Any object can be in its own file: `{\"$ref\": \"./navigation.json\"}`. Unknown keys cause a warning. So do invalid values; the default is used instead.";
    let mut page = head("docs.json", "Every key of the configuration.", introduction);
    for (section, objects) in SECTIONS {
        let _ = write!(page, "## {section}\n\n{KEYS_HEAD}");
        let is_in = |key: &Key| objects.contains(&key.name.split('.').next().unwrap_or_default());
        for key in config::keys::KEYS.iter().filter(|key| is_in(key)) {
            key_line(key, &mut page);
        }
        page += "\n";
    }
    let _ = write!(
        page,
        "Every site should set `theme`, `name`, `colors.primary`, and `navigation`.\n\n{}",
        without_effect(config::keys::WITHOUT_EFFECT)
    );
    page += "\n## mint.json\n\nA repository without `docs.json` can have the older `mint.json`. Its keys are read as the equivalent keys above. If both exist, `docs.json` is used.\n";
    is_current("configuration.mdx", &page);
}

#[test]
fn frontmatter_reference_is_current() {
    let introduction = "The frontmatter of a page is YAML between two `---` lines at the top of the file. All keys are optional. Unlisted keys have no effect.";
    let mut page = head("Frontmatter", "Every key of a page.", introduction);
    page += KEYS_HEAD;
    for key in frontmatter::keys::KEYS {
        key_line(key, &mut page);
    }
    let _ = write!(page, "\n{}", without_effect(frontmatter::keys::WITHOUT_EFFECT));
    is_current("frontmatter.mdx", &page);
}

#[test]
fn diagnostics_reference_is_current() {
    let introduction = "Rules of the diagnostics that [`check` and `build`](/write/diagnostics) report. An error breaks something for readers. A warning works, but probably not as intended. A note is about a limit of docwright. Some rules report less serious cases with a lower severity.";
    let mut page =
        head("Diagnostic rules", "Every rule, its severity, and what to do.", introduction);
    page += "| Rule | Severity | Means | What to do |\n| --- | --- | --- | --- |\n";
    for rule in Rule::ALL {
        let severity = format!("{:?}", rule.severity()).to_lowercase();
        let (code, means, advice) = (code(rule.code()), rule.meaning(), rule.advice());
        let _ = writeln!(page, "| {code} | {severity} | {means} | {advice} |");
    }
    is_current("diagnostics.mdx", &page);
}

#[test]
fn components_reference_is_current() {
    let introduction = "All components work without an import. Every component also takes `id`, `className`, and `style`. Unknown props cause a warning. [Components](/write/components) shows some of them.";
    let mut page = head("Components and props", "Every component and its props.", introduction);
    for component in ALL {
        let [name, others @ ..] = component.names else { continue };
        let _ = write!(page, "## {name}\n\n{}", component.about);
        if !others.is_empty() {
            let _ = write!(page, " The same syntax works for {}.", list(others));
        }
        page += "\n\n";
        if !component.props.is_empty() {
            page += "| Prop | Means | Example |\n| --- | --- | --- |\n";
        }
        for prop in component.props {
            let required = if prop.required { " (required)" } else { "" };
            let example = code(&format!("{}{}", prop.name, prop.example));
            let _ =
                writeln!(page, "| {}{required} | {} | {example} |", code(prop.name), prop.means);
        }
        if !component.props.is_empty() {
            page += "\n";
        }
        if !component.ignored.is_empty() {
            let _ = write!(page, "Without effect: {}.\n\n", list(component.ignored));
        }
    }
    is_current("components.mdx", &format!("{}\n", page.trim_end()));
}
