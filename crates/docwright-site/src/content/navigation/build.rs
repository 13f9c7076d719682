//! From the JSON of `navigation` to the typed tree.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::{
    Division, DivisionKind, Entry, Navigation, Overrides,
    given::{GivenForPage, GivenSpecs, NamedSpecs},
};
use crate::{
    Diagnostic, Rule,
    content::{
        Page,
        closest::closest_slug,
        config::{self, read_overrides},
        document::Document,
        openapi::{self, Spec},
        slug,
    },
    source::Source,
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

/// Values that nodes inherit.
#[derive(Clone, Default)]
pub(super) struct Inherited<'a> {
    /// Descriptions that are given for it; empty where none are named.
    pub(super) given: Vec<NamedSpecs<'a>>,
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

/// Builds the tree, and records which API specs it assigns to pages. Pages generated from descriptions are added
/// to `pages`.
pub(in crate::content) fn build<'a>(
    source: &'a Source,
    document: &'a Document<'_>,
    specs: &'a [Spec],
    pages: &mut BTreeMap<String, Page>,
    diagnostics: &mut Vec<Diagnostic>,
) -> (Navigation, GivenSpecs<'a>) {
    let mut builder =
        Builder { source, document, specs, pages, given: BTreeMap::new(), diagnostics };
    let api = document.root.get("api").and_then(|api| api.get("openapi"));
    let inherited = Inherited { given: builder.given_by(api), directory: None };
    let everywhere = GivenForPage::new(&inherited.given, builder.specs);
    let Some(Value::Object(root)) = document.root.get("navigation") else {
        let missing =
            Diagnostic::new(Rule::MissingNavigation, document.path, "there is no `navigation`")
                .help(
                    "list the pages of the site there; every page is shown in one group meanwhile",
                );
        builder.diagnostics.push(missing);
        let navigation = Navigation { entries: builder.everything(), global: Vec::new() };
        return (navigation, GivenSpecs { everywhere, pages: builder.given });
    };
    let entries = builder.children(root, &inherited);
    let global = match root.get("global") {
        Some(Value::Object(global)) => builder.divisions_of(global, &inherited),
        _ => Vec::new(),
    };
    (Navigation { entries, global }, GivenSpecs { everywhere, pages: builder.given })
}

pub(super) struct Builder<'a, 'd> {
    pub(super) source: &'a Source,
    pub(super) document: &'a Document<'a>,
    pub(super) specs: &'a [Spec],
    pub(super) pages: &'d mut BTreeMap<String, Page>,
    given: BTreeMap<String, GivenForPage<'a>>,
    pub(super) diagnostics: &'d mut Vec<Diagnostic>,
}

impl<'a> Builder<'a, '_> {
    /// Without navigation, one group of all pages is better than an empty site.
    fn everything(&self) -> Vec<Entry> {
        self.pages.keys().map(|slug| Entry::Page(slug.clone())).collect()
    }

    /// Everything inside a node, in the order of its keys.
    fn children(&mut self, node: &Map<String, Value>, inherited: &Inherited<'a>) -> Vec<Entry> {
        let mut below = inherited.clone();
        let own = self.given_by(node.get("openapi"));
        let names_specs = !own.is_empty();
        // A folder for the pages of operations says that there are such pages, beside those listed.
        let has_folder = own.iter().any(|given| given.source.directory.is_some());
        if names_specs {
            below.given = own;
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
        if names_specs && !names_operations(node) {
            let listed = slugs_in(&entries);
            if !has_pages(node) || (has_folder && !self.document_operations(&listed)) {
                entries.extend(self.generated_groups(&below, &listed));
            }
        }
        if !has_pages(node) {
            entries.extend(self.channels(node.get("asyncapi")));
        }
        entries
    }

    /// Whether any of these pages is the page of an operation.
    fn document_operations(&self, slugs: &BTreeSet<String>) -> bool {
        let mut pages = slugs.iter().filter_map(|slug| self.pages.get(slug));
        pages.any(|page| page.frontmatter.openapi.is_some())
    }

    fn divisions_of(
        &mut self,
        node: &Map<String, Value>,
        inherited: &Inherited<'a>,
    ) -> Vec<Division> {
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
        inherited: &Inherited<'a>,
    ) -> Vec<Division> {
        items.iter().filter_map(|item| self.division(item.as_object()?, kind, inherited)).collect()
    }

    fn division(
        &mut self,
        node: &Map<String, Value>,
        kind: DivisionKind,
        inherited: &Inherited<'a>,
    ) -> Option<Division> {
        let text = |key: &str| node.get(key).and_then(Value::as_str).map(str::to_owned);
        let flag = |key: &str| node.get(key).and_then(Value::as_bool);
        let (name_key, ..) = DIVISIONS.iter().find(|(_, _, each)| *each == kind)?;
        let label = text(name_key).or_else(|| text("name")).unwrap_or_default();
        if label.is_empty() && kind != DivisionKind::Group {
            let message = format!("a navigation node has no `{name_key}`");
            let diagnostic =
                Diagnostic::new(Rule::UnnamedDivision, "", message).help("give it a name");
            self.diagnostics.push(self.document.at(name_key, diagnostic));
        }
        let directory = text("directory")
            .or_else(|| inherited.directory.clone())
            .unwrap_or_else(|| "none".to_owned());
        let root = text("root").map(|root| slug::of_reference(&root));
        let root =
            root.filter(|root| self.exists(root, text("root").as_deref().unwrap_or_default()));
        if let Some(root) = &root {
            self.give(root, inherited);
        }
        Some(Division {
            kind,
            label,
            icon: config::icon(node),
            color: config::color_pair(node.get("color")),
            tag: text("tag"),
            description: text("description"),
            href: text("href").or_else(|| text("url")),
            root,
            expanded: flag("expanded"),
            hidden: flag("hidden").unwrap_or(false),
            searchable: flag("searchable"),
            boost: node.get("boost").and_then(Value::as_f64),
            directory,
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
    fn page_entry(&mut self, item: &Value, inherited: &Inherited<'a>, entries: &mut Vec<Entry>) {
        match item {
            Value::String(text) => match openapi::parse_reference(text) {
                Some(reference) if !self.pages.contains_key(&slug::of_reference(text)) => {
                    entries.extend(self.operation_entry(text, &reference, inherited));
                }
                _ => {
                    let slug = slug::of_reference(text);
                    if self.exists(&slug, text) {
                        self.give(&slug, inherited);
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

    /// Records the descriptions that are assigned to a page where it is listed first.
    fn give(&mut self, slug: &str, inherited: &Inherited<'a>) {
        if !self.given.contains_key(slug) {
            self.given.insert(slug.to_owned(), GivenForPage::new(&inherited.given, self.specs));
        }
    }

    fn exists(&mut self, slug: &str, written: &str) -> bool {
        if self.pages.contains_key(slug) {
            return true;
        }
        let help = match closest_slug(slug, self.pages) {
            Some(near) => {
                format!("did you mean `{near}`? Otherwise add {slug}.mdx, or remove the entry")
            }
            None => format!("add {slug}.mdx, or remove the entry"),
        };
        let message = format!("navigation lists `{written}`, but no such page exists");
        let diagnostic = Diagnostic::new(Rule::MissingPage, "", message).help(help);
        self.diagnostics.push(self.document.at(written, diagnostic));
        false
    }
}

/// The pages of entries and their descendants.
fn slugs_in(entries: &[Entry]) -> BTreeSet<String> {
    let mut slugs = BTreeSet::new();
    for entry in entries {
        match entry {
            Entry::Page(slug) => drop(slugs.insert(slug.clone())),
            Entry::Division(division) => slugs.append(&mut slugs_in(&division.entries)),
        }
    }
    slugs
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
