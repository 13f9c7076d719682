//! Built-in components: from MDX to the page's HTML.
//!
//! Each folder below `tests/fixtures/components` contains a page, `input.mdx`, and the files it needs.
//! `expected.html` contains the page's body, followed by other results in comments. `expected.md` contains
//! the Markdown version. `UPDATE=1` rewrites both.

mod hostile;
mod props;
mod survey;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use docwright_site::content::Content;
use docwright_site::render::components::ALL;
use docwright_site::render::{RenderContext, Rendered, at_site, markdown_version, render_page};
use docwright_site::source::Source;

const CONFIG: &str = r##"{"theme": "mint", "name": "Fixture", "colors": {"primary": "#0a7a5a"},
    "icons": {"library": "lucide"}, "navigation": {"pages": ["input", "other"]}}"##;

/// Renders the page `input` of a site with these files.
fn render_site(files: impl IntoIterator<Item = (String, Vec<u8>)>) -> Rendered {
    with_site(files, |context, site| render_page(context, &site.pages["input"]))
}

/// The Markdown version of that page.
fn markdown_of(files: impl IntoIterator<Item = (String, Vec<u8>)>) -> String {
    with_site(files, |context, site| {
        at_site(&markdown_version(context, &site.pages["input"], "").text, "https://e.org")
    })
}

fn with_site<T>(
    files: impl IntoIterator<Item = (String, Vec<u8>)>,
    look: impl FnOnce(&RenderContext<'_>, &Content) -> T,
) -> T {
    let own = [("docs.json", CONFIG), ("other.mdx", "## Part"), ("image.png", "")];
    let own = own.map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec()));
    let source = Source::from_files(own.into_iter().chain(files));
    let (site, _) = Content::load(&source).expect("the configuration is valid");
    let (context, _) = RenderContext::new(&source, &site);
    look(&context, &site)
}

fn render(text: &str) -> Rendered {
    render_site([("input.mdx".to_owned(), text.as_bytes().to_vec())])
}

fn fixtures() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/components");
    let entries = fs::read_dir(root).expect("the folder of fixtures exists");
    let mut folders: Vec<_> =
        entries.map(|entry| entry.expect("the folder can be listed").path()).collect();
    folders.sort();
    folders
}

/// The files of a fixture, as in a docs root.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(folder).expect("the folder can be read");
    let paths = entries.map(|entry| entry.expect("the folder can be listed").path());
    let file = |path: PathBuf| {
        let name = path.file_name()?.to_str()?.to_owned();
        Some((name, fs::read(path).ok()?)).filter(|(name, _)| !name.starts_with("expected."))
    };
    paths.filter_map(file).collect()
}

/// Puts each element on its own line, and removes paths of icons, since their library can change.
fn readable(html: &str) -> String {
    let mut readable = String::new();
    for (index, part) in html.split("<svg class=\"icon dw-icon\"").enumerate() {
        let rest =
            if index == 0 { Some(part) } else { part.split_once("</svg>").map(|(_, rest)| rest) };
        readable.push_str(if index == 0 { "" } else { "<svg class=\"icon dw-icon\"/>" });
        readable.push_str(rest.unwrap_or_default());
    }
    readable.replace("><", ">\n<").trim().to_owned() + "\n"
}

/// All results of a page in one text.
fn report(rendered: &Rendered) -> String {
    let mut report = readable(&rendered.html);
    for (name, part) in [("panel", &rendered.panel), ("examples", &rendered.examples)] {
        if let Some(part) = part {
            let _ = write!(report, "<!-- {name} -->\n{}", readable(part));
        }
    }
    for entry in &rendered.contents {
        let (level, id, title) = (entry.level, &entry.id, &entry.title);
        let _ = writeln!(report, "<!-- contents: {level} #{id} {title} -->");
    }
    if !rendered.views.is_empty() {
        let _ = writeln!(report, "<!-- views: {} -->", rendered.views.join(", "));
    }
    for found in &rendered.diagnostics {
        let place = format!("{}:{}:{}", found.path, found.line, found.column);
        let _ = writeln!(report, "<!-- {} {place} {} -->", found.rule, found.message);
    }
    report
}

#[test]
fn fixtures_render_as_expected() {
    for folder in fixtures() {
        let actual = report(&render_site(files(&folder)));
        let expected = folder.join("expected.html");
        if std::env::var_os("UPDATE").is_some() {
            fs::write(&expected, &actual).expect("the fixture can be written");
        }
        let expected = fs::read_to_string(expected).expect("each has an expected.html");
        similar_asserts::assert_eq!(actual, expected, "{}", folder.display());
    }
}

#[test]
fn fixtures_are_written_as_plain_markdown() {
    for folder in fixtures() {
        let actual = markdown_of(files(&folder));
        let expected = folder.join("expected.md");
        if std::env::var_os("UPDATE").is_some() {
            fs::write(&expected, &actual).expect("the fixture can be written");
        }
        let expected = fs::read_to_string(expected).expect("each has an expected.md");
        similar_asserts::assert_eq!(actual, expected, "{}", folder.display());
    }
}

#[test]
fn every_component_has_a_fixture() {
    let inputs: Vec<_> = fixtures()
        .iter()
        .map(|folder| fs::read_to_string(folder.join("input.mdx")).expect("each has an input.mdx"))
        .collect();
    for name in ALL.iter().flat_map(|component| component.names) {
        let opened = |input: &String| {
            [" ", ">", "\n", "/"].iter().any(|end| input.contains(&format!("<{name}{end}")))
        };
        assert!(inputs.iter().any(opened), "no fixture uses <{name}>");
    }
}
