//! Builds with results of earlier ones: after any change, their bundle equals that of a build without any, byte for byte,
//! and they render only what changed.

mod bodies;
mod folders;
mod measured;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use docwright_site::{
    Options,
    build::{Report, build},
    bundle::BundleWriter,
    content::{config, frontmatter},
    result_cache::{Kind, ResultCache},
    source::Source,
};
use serde_json::{Value, json};

use crate::reference::{Files, around, configuration, docs_root, options, set};

/// Larger than the caches of these tests.
const ROOM: u64 = 1024 * 1024 * 1024;

/// A docs root with other files from elsewhere.
#[derive(Clone, Default)]
struct Root {
    files: Files,
    remote: BTreeMap<String, String>,
    options: Options,
}

/// A built bundle, and what the build said.
struct Bundled {
    bytes: Vec<u8>,
    report: Report,
}

impl Root {
    fn source(&self) -> Source {
        let mut source = Source::from_files(self.files.clone());
        for (address, text) in &self.remote {
            source.add_remote(address, text);
        }
        source
    }

    fn text(&self, path: &str) -> String {
        String::from_utf8(self.files[path].clone()).unwrap()
    }

    fn with(&self, path: &str, contents: impl AsRef<[u8]>) -> Self {
        let mut root = self.clone();
        root.files.insert(path.to_owned(), contents.as_ref().to_vec());
        root
    }

    fn without(&self, path: &str) -> Self {
        let mut root = self.clone();
        root.files.remove(path);
        root
    }

    fn cold(&self) -> Bundled {
        bundle(&self.source(), &self.options, None)
    }

    fn warm(&self, cache: &Cache) -> Bundled {
        let opened = cache.open();
        let bundled = bundle(&self.source(), &self.options, Some(Arc::clone(&opened)));
        opened.save().unwrap();
        bundled
    }

    /// Builds with the cache, and checks that the bundle and the report are those of a build without it.
    fn check(&self, cache: &Cache, what: &str) -> Bundled {
        let (cold, warm) = (self.cold(), self.warm(cache));
        same(&cold, &warm, what);
        warm
    }
}

fn same(cold: &Bundled, warm: &Bundled, what: &str) {
    let report = Report { reused_pages: 0, reused_bodies: 0, ..clone(&warm.report) };
    assert_eq!(report, cold.report, "{what}: the report");
    assert!(warm.bytes == cold.bytes, "{what}: {}", differing(&cold.bytes, &warm.bytes).join(", "));
}

/// Reports can be sent to other processes, so a copy is what arrives, with the guidance.
fn clone(report: &Report) -> Report {
    let text = serde_json::to_string(report).unwrap();
    Report { guidance: report.guidance.clone(), ..serde_json::from_str(&text).unwrap() }
}

/// The files in which two bundles differ.
fn differing(cold: &[u8], warm: &[u8]) -> Vec<String> {
    let [cold, warm] = [cold, warm].map(|bytes| {
        let mut archive = tar::Archive::new(flate2::read::MultiGzDecoder::new(bytes));
        let files = archive.entries().unwrap().map(|file| {
            let mut file = file.unwrap();
            let mut contents = Vec::new();
            std::io::Read::read_to_end(&mut file, &mut contents).unwrap();
            (file.path().unwrap().to_string_lossy().into_owned(), contents)
        });
        files.collect::<BTreeMap<_, _>>()
    });
    let paths: BTreeSet<_> = cold.keys().chain(warm.keys()).collect();
    let differs = |path: &&&String| cold.get(**path) != warm.get(**path);
    paths.iter().filter(differs).map(|path| (*path).clone()).collect()
}

fn bundle(source: &Source, options: &Options, cache: Option<Arc<ResultCache>>) -> Bundled {
    let spool = tempfile::tempfile().unwrap();
    let writer = match cache {
        Some(cache) => BundleWriter::with_cache(spool, cache),
        None => BundleWriter::new(spool),
    };
    let report = build(source, options, &writer, &|_| {}).expect("the site can be built");
    let mut bytes = Vec::new();
    writer.finish(report.about(), &mut bytes).unwrap();
    Bundled { bytes, report }
}

/// The results of earlier builds, in a folder.
struct Cache(tempfile::TempDir);

impl Cache {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("results")
    }

    fn open(&self) -> Arc<ResultCache> {
        Arc::new(ResultCache::open(&self.path(), ROOM))
    }

    /// Damages all entries of a kind, and returns their number. The layout is that of `result_cache::index`.
    fn damage(&self, kind: Kind) -> usize {
        let mut bytes = fs::read(self.path()).unwrap();
        let number = |bytes: &[u8], at: usize| {
            usize::try_from(u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())).unwrap()
        };
        let newest = [32, 80].into_iter().max_by_key(|slot| bytes[*slot]).unwrap();
        let (start, length) = (number(&bytes, newest + 4), number(&bytes, newest + 12));
        let index = bytes[start..start + length].to_vec();
        let of_kind = index.chunks_exact(57).filter(|entry| entry[0] == kind as u8);
        let places: Vec<_> = of_kind.map(|entry| number(entry, 33)).collect();
        for place in &places {
            bytes[*place] ^= 1;
        }
        fs::write(self.path(), bytes).unwrap();
        places.len()
    }
}

/// A picture of a size, as far as its header says.
fn picture(width: u32, height: u32) -> Vec<u8> {
    let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    png.extend(width.to_be_bytes());
    png.extend(height.to_be_bytes());
    png.extend([8, 2, 0, 0, 0, 0xff, 0xfe]);
    png
}

/// The configuration of a site with an input of each kind.
fn site_configuration() -> Value {
    json!({
        "theme": "mint", "name": "Site", "colors": { "primary": "#0f766e" },
        "logo": "/logo.png", "metadata": { "timestamp": true },
        "codeblocks": null,
        "styling": { "codeblocks": { "languages": { "custom": ["/grammar.json"] } } },
        "variables": { "product": "Acme" },
        "redirects": [{ "source": "/old", "destination": "/guide" }],
        "navigation": { "groups": [
            { "group": "Start", "pages": ["index", "guide", "code", "diagram", "news"] },
            { "group": "API", "openapi": "openapi.json", "pages": ["GET /things", "schema"] },
        ] },
    })
}

/// Its API spec.
fn spec() -> Value {
    json!({
        "openapi": "3.1.0", "info": { "title": "T", "version": "1" },
        "servers": [{ "url": "https://api.example.com" }],
        "paths": { "/things": { "get": {
            "summary": "List things",
            "parameters": [{ "name": "limit", "in": "query", "schema": { "type": "integer" } }],
            "responses": { "200": { "description": "All", "content": { "application/json": {
                "schema": { "$ref": "#/components/schemas/Thing" } } } } } } } },
        "components": { "schemas": { "Thing": { "$ref": "thing.json" } } },
    })
}

/// Its files with text.
fn texts() -> Vec<(&'static str, String)> {
    vec![
        ("docs.json", site_configuration().to_string()),
        (
            "index.mdx",
            "---\ntitle: Home\ndescription: First\n---\n\nimport Note from '/snippets/note.mdx'\n\n<Note word=\"one\" />\n\n\
             See [the guide](/guide#set-it-up), [a gap](/guide#set_it_up), [nowhere](/guide#no-such-place), [old](/old), [gone](/gone), and {product}.\n\n\
             ![Picture](/images/one.png)\n\n## Related\n\nText about webhooks."
                .to_owned(),
        ),
        (
            "guide.mdx",
            "---\ntitle: Guide\n---\n\nimport { Counter } from '/snippets/counter.jsx'\n\n## Set it up\n\n<Counter start={2} />\n\n<Snippet file=\"old.mdx\" />\n\n$x^2$"
                .to_owned(),
        ),
        ("code.mdx", "---\ntitle: Code\n---\n\n```own\nkey\n```\n\n```js\nconst a = 1;\n```\n\n<Icon icon=\"book\" />".to_owned()),
        ("diagram.mdx", "---\ntitle: Diagram\n---\n\n```mermaid\ngraph TD; A-->B\n```\n\n{/* docwright-ignore broken-link */}\n\n[x](/none)".to_owned()),
        ("news.mdx", "---\ntitle: News\nrss: true\n---\n\n<Update label=\"May 2026\">Text.</Update>\n\n<Update label=\"April 2026\">More.</Update>".to_owned()),
        ("schema.mdx", "---\ntitle: Thing\nopenapi-schema: Thing\n---\n".to_owned()),
        ("remote.mdx", "---\ntitle: Remote\nopenapi: https://other.example.com/spec.json GET /far\n---\n".to_owned()),
        ("snippets/note.mdx", "import Inner from '/snippets/inner.mdx'\n\nA note of {props.word}.\n\n<Inner />".to_owned()),
        ("snippets/inner.mdx", "export const color = 'red'\n\nInside, it is {color}.".to_owned()),
        ("snippets/old.mdx", "An old snippet with ![a picture](/images/two.png).".to_owned()),
        (
            "snippets/counter.jsx",
            "import { label } from './label.js'\nexport const Counter = ({ start }) => { const [n, set] = useState(start); return <button onClick={() => set(n + 1)}>{label} {n}</button> }"
                .to_owned(),
        ),
        ("snippets/label.js", "export const label = 'Count';".to_owned()),
        ("openapi.json", spec().to_string()),
        ("thing.json", json!({ "type": "object", "properties": { "id": { "type": "string" } } }).to_string()),
        ("grammar.json", r#"{"name":"own","scopeName":"source.own","patterns":[{"match":"key","name":"keyword.control.own"}]}"#.to_owned()),
        ("style.css", "p { color: red }".to_owned()),
        ("script.js", "console.log('here');".to_owned()),
        (".docwright/synonyms.yaml", "- [webhook, callback]\n".to_owned()),
        ("docwright.yaml", "ignore: [missing-title]\n".to_owned()),
        (".mintignore", "drafts/\n".to_owned()),
        ("static/data.txt", "A static file. ".repeat(20)),
    ]
}

/// A site with an input of each kind.
fn site() -> Root {
    let mut files: Files =
        texts().into_iter().map(|(path, text)| (path.to_owned(), text.into_bytes())).collect();
    files.insert("images/one.png".to_owned(), picture(40, 30));
    files.insert("images/two.png".to_owned(), picture(20, 10));
    files.insert("logo.png".to_owned(), picture(100, 20));
    let far = json!({
        "openapi": "3.1.0", "info": { "title": "F", "version": "1" },
        "paths": { "/far": { "get": { "summary": "Far", "responses": {} } } },
    });
    let remote =
        BTreeMap::from([("https://other.example.com/spec.json".to_owned(), far.to_string())]);
    Root { files, remote, options: options() }
}

/// Changes of a file, each with a name.
fn changes(path: &str, contents: &[u8]) -> Vec<(String, Option<Vec<u8>>)> {
    let mut changes = vec![(format!("{path} removed"), None)];
    let Ok(text) = std::str::from_utf8(contents) else {
        changes.push((format!("{path} of another size"), Some(picture(77, 55))));
        return changes;
    };
    let mut change = |name: &str, text: String| {
        changes.push((format!("{path} {name}"), Some(text.into_bytes())));
    };
    if let Ok(value) = serde_json::from_str::<Value>(text) {
        for number in 0..leaves(&value) {
            let mut changed = value.clone();
            change_leaf(&mut changed, &mut { number });
            change(&format!("with value {number} changed"), changed.to_string());
        }
    } else {
        change("longer", format!("{text}\n\nMore words.\n"));
        change("with another start", text.replacen("title: ", "title: Another ", 1));
        change("with other letters", text.replace("one", "three").replace("red", "blue"));
        change("moved down", text.replacen("---\n\n", "---\n\n\n\n", 1));
    }
    changes
}

fn leaves(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.iter().map(leaves).sum(),
        Value::Object(entries) => entries.values().map(leaves).sum(),
        _ => 1,
    }
}

/// Changes the leaf with a number.
fn change_leaf(value: &mut Value, number: &mut usize) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| change_leaf(item, number)),
        Value::Object(entries) => entries.values_mut().for_each(|value| change_leaf(value, number)),
        leaf => {
            if *number == 0 {
                *leaf = match &*leaf {
                    Value::String(text) => json!(format!("{text}x")),
                    Value::Bool(flag) => json!(!*flag),
                    Value::Number(_) => json!(7),
                    _ => json!("x"),
                };
            }
            *number = number.wrapping_sub(1);
        }
    }
}

#[test]
fn unchanged_site_is_not_rendered() {
    let (root, cache) = (site(), Cache::new());
    let first = root.check(&cache, "empty cache");
    assert_eq!(first.report.reused_pages, 0);
    let written = fs::read(cache.path()).unwrap();
    let second = root.check(&cache, "same site");
    assert_eq!(second.report.reused_pages, second.report.pages);
    assert!(fs::read(cache.path()).unwrap() == written, "nothing changed, and something was added");
}

#[test]
fn only_changed_page_is_rendered() {
    let (root, cache) = (site(), Cache::new());
    let pages = root.warm(&cache).report.pages;
    for path in ["index.mdx", "guide.mdx", "code.mdx", "diagram.mdx", "news.mdx", "remote.mdx"] {
        let changed = root.with(path, root.text(path) + "\n\nMore text about things.\n");
        let report = changed.check(&cache, path).report;
        assert_eq!(report.reused_pages, pages - 1, "{path}");
        let report = root.check(&cache, path).report;
        assert_eq!(report.reused_pages, pages, "{path}, changed back");
    }
}

#[test]
fn pages_that_read_a_changed_file_are_rendered() {
    let (root, cache) = (site(), Cache::new());
    let pages = root.warm(&cache).report.pages;
    // The logo is on each page.
    for (path, readers) in [
        ("snippets/note.mdx", 1),
        ("snippets/inner.mdx", 1),
        ("snippets/old.mdx", 1),
        ("snippets/counter.jsx", 1),
        ("snippets/label.js", 1),
        ("images/one.png", 1),
        ("images/two.png", 1),
        ("logo.png", pages),
        ("thing.json", 2),
        ("style.css", 0),
        ("static/data.txt", 0),
    ] {
        let contents = match String::from_utf8(root.files[path].clone()) {
            Ok(text) if path.ends_with(".json") => text.replace("id", "identity"),
            Ok(text) => text + "\n",
            Err(_) => String::new(),
        };
        let contents = if contents.is_empty() { picture(77, 55) } else { contents.into_bytes() };
        root.warm(&cache);
        let report = root.with(path, contents).check(&cache, path).report;
        assert_eq!(report.reused_pages, pages - readers, "{path}");
    }
}

#[test]
fn any_changed_file_gives_the_bundle_of_a_first_build() {
    let (root, cache) = (site(), Cache::new());
    root.warm(&cache);
    for (path, contents) in &root.files {
        for (name, changed) in changes(path, contents) {
            let changed = match changed {
                Some(changed) => root.with(path, changed),
                None if path == "docs.json" => continue,
                None => root.without(path),
            };
            changed.check(&cache, &name);
        }
    }
    for path in ["new.mdx", "images/three.png", "snippets/new.mdx", "new.css", "new.js", "gone.mdx"]
    {
        root.with(path, "New text.").check(&cache, path);
    }
    root.check(&cache, "the first site");
}

#[test]
fn any_changed_option_gives_the_bundle_of_a_first_build() {
    let (root, cache) = (site(), Cache::new());
    root.warm(&cache);
    let value = serde_json::to_value(&root.options).unwrap();
    let mut checked = 0;
    for number in 0..leaves(&value) {
        let mut changed = value.clone();
        change_leaf(&mut changed, &mut { number });
        // Not every value of another text is an option.
        let Ok(options) = serde_json::from_value(changed) else { continue };
        let options = Options { limits: root.options.limits, ..options };
        Root { options, ..root.clone() }.check(&cache, &format!("option {number}"));
        checked += 1;
    }
    assert!(checked > 10, "{checked}");
    let mut dated = root.clone();
    dated.options.last_modified.insert("code.mdx".to_owned(), "2026-02-03".to_owned());
    let report = dated.check(&cache, "date").report;
    assert_eq!(report.reused_pages, report.pages - 1, "one page shows another date");
    let mut remote = root.clone();
    for text in remote.remote.values_mut() {
        *text =
            text.replace("\"responses\":{}", "\"responses\":{\"200\":{\"description\":\"Fine\"}}");
    }
    let report = remote.check(&cache, "remote spec").report;
    assert_eq!(report.reused_pages, report.pages - 1, "one page shows the spec");
}

#[test]
fn any_key_gives_the_bundle_of_a_first_build() {
    let cache = Cache::new();
    let root = |configuration: &Value, frontmatter: &str| Root {
        files: docs_root(configuration, frontmatter),
        options: options(),
        ..Root::default()
    };
    for key in config::keys::KEYS {
        let (before, after) = around(key.name, serde_json::from_str(key.example).unwrap());
        root(&before, "").warm(&cache);
        root(&after, "").check(&cache, key.name);
    }
    let mut dated = configuration();
    set(&mut dated, "metadata.timestamp", json!(true));
    root(&dated, "").warm(&cache);
    for key in frontmatter::keys::KEYS {
        root(&dated, &format!("{}: {}\n", key.name, key.example)).check(&cache, key.name);
    }
}

#[test]
fn each_component_gives_the_bundle_of_a_first_build() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/components");
    let mut root = Root { options: options(), ..Root::default() };
    let mut pages = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        let path = format!("{name}.mdx");
        root = root.with(&path, fs::read(entry.path().join("input.mdx")).unwrap());
        pages.push(name);
    }
    pages.sort();
    assert!(pages.len() > 20, "{pages:?}");
    let configuration = json!({
        "theme": "mint", "name": "Site", "colors": { "primary": "#0f766e" },
        "navigation": { "pages": pages },
    });
    let root = root.with("docs.json", configuration.to_string());
    let cache = Cache::new();
    let count = root.check(&cache, "first build").report.pages;
    assert_eq!(root.check(&cache, "same site").report.reused_pages, count);
    let mut all = root;
    for name in &pages {
        let path = format!("{name}.mdx");
        all = all.with(&path, all.text(&path) + "\n\nMore text.\n");
        assert_eq!(all.check(&cache, name).report.reused_pages, count - 1, "{name}");
    }
}

#[test]
fn unusable_cache_changes_no_bundle() {
    let root = site();
    let cold = root.cold();
    let cache = Cache::new();
    root.warm(&cache);
    let whole = fs::read(cache.path()).unwrap();
    let length = whole.len();
    for (name, contents) in [
        ("cut off", whole[..length / 2].to_vec()),
        ("without index", whole[..length - 1].to_vec()),
        ("of another program", b"something else".repeat(100)),
        ("empty", Vec::new()),
        ("damaged", whole.chunks(1000).flat_map(|part| [&part[1..], b"x"].concat()).collect()),
    ] {
        fs::write(cache.path(), contents).unwrap();
        same(&cold, &root.warm(&cache), name);
        let again = root.warm(&cache);
        same(&cold, &again, name);
        assert_eq!(again.report.reused_pages, again.report.pages, "{name}");
    }
    // Single bits, of results and of contents.
    for step in 0..40 {
        let mut damaged = whole.clone();
        damaged[128 + step * (length - 129) / 40] ^= 1 << (step % 8);
        fs::write(cache.path(), damaged).unwrap();
        same(&cold, &root.warm(&cache), &format!("bit {step}"));
    }
}

#[test]
fn damaged_entries_of_any_kind_are_made_again() {
    let root = site();
    // The index of the changed page reads the documents of all pages.
    let changed = root.with("code.mdx", root.text("code.mdx") + "\n\nMore text about things.\n");
    for kind in
        [Kind::Page, Kind::Contents, Kind::Document, Kind::SearchIndex, Kind::Body, Kind::Utilities]
    {
        let cache = Cache::new();
        root.warm(&cache);
        assert!(cache.damage(kind) > 0, "{kind:?}");
        changed.check(&cache, &format!("{kind:?} damaged"));
        root.check(&cache, &format!("{kind:?} made again"));
    }
}

#[test]
fn full_cache_changes_no_bundle() {
    let root = site();
    let cold = root.cold();
    for limit in [0, 200, 10_000, 40_000] {
        let cache = Cache::new();
        for _ in 0..3 {
            let opened = Arc::new(ResultCache::open(&cache.path(), limit));
            let warm = bundle(&root.source(), &root.options, Some(Arc::clone(&opened)));
            opened.save().unwrap();
            same(&cold, &warm, &format!("{limit} bytes"));
        }
    }
}

#[test]
fn builds_at_once_give_the_bundle_of_a_first_build() {
    let (root, cache) = (site(), Cache::new());
    let other = root.with("guide.mdx", "Something else.");
    let roots = [&root, &other, &root, &other];
    let cold = [root.cold(), other.cold()];
    for _ in 0..3 {
        std::thread::scope(|scope| {
            let builds: Vec<_> =
                roots.iter().map(|root| scope.spawn(|| root.warm(&cache))).collect();
            for (number, build) in builds.into_iter().enumerate() {
                same(&cold[number % 2], &build.join().unwrap(), &format!("build {number}"));
            }
        });
    }
}

#[test]
fn files_on_disk_give_the_bundle_of_a_first_build() {
    let folder = tempfile::tempdir().unwrap();
    let write = |path: &str, contents: &[u8]| {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, contents).unwrap();
    };
    for (path, contents) in site().files {
        write(&path, &contents);
    }
    let cache = Cache::new();
    // Images that deflating helps, and one that it doesn't.
    let noise: Vec<u8> =
        (0..200_000_u64).map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes()[5]).collect();
    for (name, contents) in [
        ("first", picture(40, 30)),
        ("same", picture(40, 30)),
        ("large", [picture(40, 30), vec![0; 200_000]].concat()),
        ("noise", [picture(41, 30), noise.clone()].concat()),
        ("other noise", [picture(42, 30), noise[1..].to_vec()].concat()),
    ] {
        write("images/one.png", &contents);
        let (source, _) = Source::read(folder.path()).unwrap();
        let opened = cache.open();
        let warm = bundle(&source, &options(), Some(Arc::clone(&opened)));
        opened.save().unwrap();
        same(&bundle(&source, &options(), None), &warm, name);
    }
}
