//! From the JSON of `navigation` to the typed tree.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::{Division, DivisionKind, Entry, Navigation, Overrides};
use crate::{
    Diagnostic,
    content::{
        Page,
        closest::closest,
        config::{self, Pair, SpecSource, read_overrides},
        document::Document,
        openapi::{self, Operation, Reference, Spec},
        pages, slug,
    },
};

/// Name key, list key and kind of each division.
const DIVISIONS: &[(&str, &str, DivisionKind)] = &[
    ("group", "groups", DivisionKind::Group),
    ("tab", "tabs", DivisionKind::Tab),
    ("item", "menu", DivisionKind::MenuItem),
    ("anchor", "anchors", DivisionKind::Anchor),
    ("dropdown", "dropdowns", DivisionKind::Dropdown),
    ("product", "products", DivisionKind::Product),
    ("version", "versions", DivisionKind::Version),
    ("language", "languages", DivisionKind::Language),
];

/// Folder of pages that are made from descriptions, unless the configuration names one.
const GENERATED_FOLDER: &str = "api-reference";

/// What a node hands down to those inside it.
#[derive(Clone, Default)]
struct Inherited {
    specs: Vec<SpecSource>,
    directory: Option<String>,
}

/// Slugs that the navigation names, before it is known which of them exist.
pub(in crate::content) fn listed(document: &Document<'_>) -> BTreeSet<String> {
    let mut slugs = BTreeSet::new();
    if let Some(navigation) = document.root.get("navigation") {
        collect_slugs(navigation, &mut slugs);
    }
    slugs
}

fn collect_slugs(value: &Value, slugs: &mut BTreeSet<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| match item {
            Value::String(text) => drop(slugs.insert(slug::of_reference(text))),
            other => collect_slugs(other, slugs),
        }),
        Value::Object(map) => {
            if let Some(Value::String(root)) = map.get("root") {
                slugs.insert(slug::of_reference(root));
            }
            map.values()
                .filter(|value| !value.is_string())
                .for_each(|value| collect_slugs(value, slugs));
        }
        _ => {}
    }
}

/// Builds the tree. Pages that it makes from API descriptions are added to `pages`.
pub(in crate::content) fn build(
    document: &Document<'_>,
    specs: &[Spec],
    pages: &mut BTreeMap<String, Page>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Navigation {
    let mut builder = Builder { document, specs, pages, diagnostics };
    let api = document.root.get("api").and_then(|api| api.get("openapi"));
    let inherited = Inherited { specs: config::spec_sources(api), directory: None };
    let Some(Value::Object(root)) = document.root.get("navigation") else {
        let missing =
            Diagnostic::error("missing-navigation", document.path, "there is no `navigation`")
                .help(
                    "list the pages of the site there; every page is shown in one group meanwhile",
                );
        builder.diagnostics.push(missing);
        return Navigation { entries: builder.everything(), global: Vec::new() };
    };
    let entries = builder.children(root, &inherited);
    let global = match root.get("global") {
        Some(Value::Object(global)) => builder.divisions_of(global, &inherited),
        _ => Vec::new(),
    };
    Navigation { entries, global }
}

struct Builder<'a, 'd> {
    document: &'a Document<'a>,
    specs: &'a [Spec],
    pages: &'d mut BTreeMap<String, Page>,
    diagnostics: &'d mut Vec<Diagnostic>,
}

impl Builder<'_, '_> {
    /// Without navigation, one group of all pages is better than an empty site.
    fn everything(&self) -> Vec<Entry> {
        self.pages.keys().map(|slug| Entry::Page(slug.clone())).collect()
    }

    /// Everything inside a node, in the order of its keys.
    fn children(&mut self, node: &Map<String, Value>, inherited: &Inherited) -> Vec<Entry> {
        let mut below = inherited.clone();
        let own = config::spec_sources(node.get("openapi"));
        let names_specs = !own.is_empty();
        if names_specs {
            below.specs = own;
        }
        if let Some(directory) = node.get("directory").and_then(Value::as_str) {
            below.directory = Some(directory.to_owned());
        }
        let mut entries = Vec::new();
        for (key, value) in node {
            match (key.as_str(), value) {
                ("pages", Value::Array(items)) => {
                    for item in items {
                        self.page_entry(item, &below, &mut entries);
                    }
                }
                ("global", _) => {}
                (key, Value::Array(items)) => {
                    if let Some((_, _, kind)) = DIVISIONS.iter().find(|(_, list, _)| *list == key) {
                        entries.extend(
                            self.divisions(items, *kind, &below).into_iter().map(Entry::Division),
                        );
                    }
                }
                _ => {}
            }
        }
        if names_specs && !names_operations(node) && !has_pages(node) {
            entries.extend(self.generated_groups(&below));
        }
        if !has_pages(node) {
            entries.extend(self.channels(&config::spec_sources(node.get("asyncapi"))));
        }
        entries
    }

    fn divisions_of(&mut self, node: &Map<String, Value>, inherited: &Inherited) -> Vec<Division> {
        let mut divisions = Vec::new();
        for (key, value) in node {
            let kind = DIVISIONS.iter().find(|(_, list, _)| list == key).map(|(_, _, kind)| *kind);
            if let (Some(kind), Value::Array(items)) = (kind, value) {
                divisions.extend(self.divisions(items, kind, inherited));
            }
        }
        divisions
    }

    fn divisions(
        &mut self,
        items: &[Value],
        kind: DivisionKind,
        inherited: &Inherited,
    ) -> Vec<Division> {
        items.iter().filter_map(|item| self.division(item.as_object()?, kind, inherited)).collect()
    }

    fn division(
        &mut self,
        node: &Map<String, Value>,
        kind: DivisionKind,
        inherited: &Inherited,
    ) -> Option<Division> {
        let text = |key: &str| node.get(key).and_then(Value::as_str).map(str::to_owned);
        let flag = |key: &str| node.get(key).and_then(Value::as_bool);
        let (name_key, ..) = DIVISIONS.iter().find(|(_, _, each)| *each == kind)?;
        let label = text(name_key).or_else(|| text("name")).unwrap_or_default();
        if label.is_empty() && kind != DivisionKind::Group {
            let message = format!("a navigation node has no `{name_key}`");
            let diagnostic =
                Diagnostic::warning("unnamed-division", "", message).help("give it a name");
            self.diagnostics.push(self.document.at(name_key, diagnostic));
        }
        let directory = text("directory")
            .or_else(|| inherited.directory.clone())
            .unwrap_or_else(|| "none".to_owned());
        let root = text("root").map(|root| slug::of_reference(&root));
        let root =
            root.filter(|root| self.exists(root, text("root").as_deref().unwrap_or_default()));
        Some(Division {
            kind,
            label,
            icon: config::icon(node),
            tag: text("tag"),
            description: text("description"),
            href: text("href").or_else(|| text("url")),
            root,
            expanded: flag("expanded"),
            hidden: flag("hidden").unwrap_or(false),
            searchable: flag("searchable"),
            boost: node.get("boost").and_then(Value::as_f64),
            directory,
            color: pair(node.get("color")),
            default: flag("default").unwrap_or(false),
            overrides: (kind == DivisionKind::Language).then(|| self.overrides(node)).flatten(),
            entries: self.children(node, inherited),
        })
    }

    fn overrides(&mut self, node: &Map<String, Value>) -> Option<Box<Overrides>> {
        let any = ["banner", "footer", "navbar"].iter().any(|key| node.contains_key(*key));
        any.then(|| Box::new(read_overrides(node, self.document, self.diagnostics)))
    }

    /// A page, an operation, or a group among the pages of a group.
    fn page_entry(&mut self, item: &Value, inherited: &Inherited, entries: &mut Vec<Entry>) {
        match item {
            Value::String(text) => match openapi::parse_reference(text) {
                Some(reference) if !self.pages.contains_key(&slug::of_reference(text)) => {
                    entries.extend(self.operation_entry(text, &reference, inherited));
                }
                _ => {
                    let slug = slug::of_reference(text);
                    if self.exists(&slug, text) {
                        entries.push(Entry::Page(slug));
                    }
                }
            },
            Value::Object(node) => {
                let kind = DIVISIONS
                    .iter()
                    .find(|(name, ..)| node.contains_key(*name))
                    .map(|(.., kind)| *kind);
                let division = self.division(node, kind.unwrap_or(DivisionKind::Group), inherited);
                entries.extend(division.map(Entry::Division));
            }
            _ => {}
        }
    }

    fn exists(&mut self, slug: &str, written: &str) -> bool {
        if self.pages.contains_key(slug) {
            return true;
        }
        let help = match closest(slug, self.pages.keys().map(String::as_str)) {
            Some(near) => {
                format!("did you mean `{near}`? Otherwise add {slug}.mdx, or remove the entry")
            }
            None => format!("add {slug}.mdx, or remove the entry"),
        };
        let message = format!("navigation lists `{written}`, but there is no such page");
        let diagnostic = Diagnostic::error("missing-page", "", message).help(help);
        self.diagnostics.push(self.document.at(written, diagnostic));
        false
    }

    fn operation_entry(
        &mut self,
        text: &str,
        reference: &Reference<'_>,
        inherited: &Inherited,
    ) -> Option<Entry> {
        let all = self.specs;
        let allowed = |spec: &&Spec| {
            reference.names(&spec.path)
                && (reference.spec.is_some()
                    || inherited.specs.is_empty()
                    || names(&inherited.specs, &spec.path))
        };
        let found = all
            .iter()
            .filter(allowed)
            .find_map(|spec| Some((spec, spec.find(&reference.method, reference.path)?)));
        if let Some((spec, operation)) = found {
            let slug = self.add_operation(spec, operation, inherited);
            return Some(Entry::Page(slug));
        }
        let remote = inherited.specs.iter().any(|spec| spec.source.contains("://"));
        let diagnostic = if remote {
            Diagnostic::note(
                "remote-spec",
                "",
                format!("the API description of `{text}` is not in the repository"),
            )
            .help(openapi::REMOTE_HELP)
        } else {
            Diagnostic::error(
                "missing-operation",
                "",
                format!("no API description has the operation `{text}`"),
            )
            .help("correct its method and path, or the `openapi` of the division around it")
        };
        self.diagnostics.push(self.document.at(text, diagnostic));
        None
    }

    /// Groups by tag, when a division names descriptions but no pages.
    fn generated_groups(&mut self, inherited: &Inherited) -> Vec<Entry> {
        let mut groups: Vec<(Option<String>, Vec<Entry>)> = Vec::new();
        let all = self.specs;
        for spec in all.iter().filter(|spec| names(&inherited.specs, &spec.path)) {
            for operation in spec.operations.iter().filter(|operation| !operation.excluded) {
                let slug = self.add_operation(spec, operation, inherited);
                if operation.hidden {
                    continue;
                }
                match groups.iter_mut().find(|(label, _)| *label == operation.group) {
                    Some((_, entries)) => entries.push(Entry::Page(slug)),
                    None => groups.push((operation.group.clone(), vec![Entry::Page(slug)])),
                }
            }
        }
        groups
            .into_iter()
            .flat_map(|(label, entries)| match label {
                Some(label) => vec![Entry::Division(Division::group(label, entries))],
                None => entries,
            })
            .collect()
    }

    /// A page for each channel, when a division names descriptions of `AsyncAPI` but no pages.
    fn channels(&mut self, sources: &[SpecSource]) -> Vec<Entry> {
        let mut entries = Vec::new();
        let all = self.specs;
        for source in sources {
            let described = all.iter().find(|spec| spec.is_async() && source.means(&spec.path));
            let Some(spec) = described else {
                self.missing_spec(source);
                continue;
            };
            let directory = source.directory.as_deref().unwrap_or(GENERATED_FOLDER);
            for channel in &spec.channels {
                let slug = format!("{directory}/{}", slug::of_title(&channel.title));
                let make = || pages::of_channel(&slug, &spec.path, channel);
                self.pages.entry(slug.clone()).or_insert_with(make);
                entries.push(Entry::Page(slug));
            }
        }
        entries
    }

    fn missing_spec(&mut self, source: &SpecSource) {
        let name = &source.source;
        let diagnostic = if name.contains("://") {
            Diagnostic::note("remote-spec", "", format!("`{name}` is not in the repository"))
                .help(openapi::REMOTE_HELP)
        } else {
            Diagnostic::error("missing-spec", "", format!("there is no API description `{name}`"))
                .help("correct the path, or add the file")
        };
        self.diagnostics.push(self.document.at(name, diagnostic));
    }

    /// The slug of an operation's page, which is made unless a file documents it already.
    fn add_operation(
        &mut self,
        spec: &Spec,
        operation: &Operation,
        inherited: &Inherited,
    ) -> String {
        let source = inherited.specs.iter().find(|each| each.means(&spec.path));
        let directory =
            source.and_then(|source| source.directory.as_deref()).unwrap_or(GENERATED_FOLDER);
        let title = slug::of_title(&operation.title);
        let slug = match (&operation.href, &operation.tag) {
            (Some(href), _) => slug::of_reference(href),
            (None, Some(tag)) => format!("{directory}/{}/{title}", slug::of_title(tag)),
            (None, None) => format!("{directory}/{title}"),
        };
        self.pages
            .entry(slug.clone())
            .or_insert_with(|| pages::of_operation(&slug, &spec.path, operation));
        slug
    }
}

fn names(sources: &[SpecSource], path: &str) -> bool {
    sources.iter().any(|source| source.means(path))
}

fn has_pages(node: &Map<String, Value>) -> bool {
    node.get("pages").and_then(Value::as_array).is_some_and(|pages| !pages.is_empty())
}

/// Whether any entry below names an operation, which switches the automatic listing off.
fn names_operations(node: &Map<String, Value>) -> bool {
    node.values().any(|value| match value {
        Value::Array(items) => items.iter().any(|item| match item {
            Value::String(text) => openapi::parse_reference(text).is_some(),
            Value::Object(map) => names_operations(map),
            _ => false,
        }),
        _ => false,
    })
}

fn pair(value: Option<&Value>) -> Pair {
    match value {
        Some(Value::String(color)) => {
            Pair { light: Some(color.clone()), dark: Some(color.clone()) }
        }
        Some(Value::Object(map)) => {
            let text = |key: &str| map.get(key).and_then(Value::as_str).map(str::to_owned);
            Pair { light: text("light"), dark: text("dark") }
        }
        _ => Pair::default(),
    }
}
