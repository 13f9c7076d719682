//! `cargo xtask diagrams`: compares the Mermaid diagrams of documentation repositories with what mermaid.js draws
//! of them: texts, connections, groups, sizes, overlaps, and colors in both modes. Contact sheets show both. Sizes
//! compare only if Chromium has a font for each script: Debian has `fonts-noto-cjk` for Chinese, Japanese, and Korean.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::{bench, process, tools};

/// Diagrams on each page of the site that is built for the comparison.
const DIAGRAMS_PER_PAGE: usize = 25;

/// What to compare.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Folders with Markdown or MDX files
    #[arg(value_name = "DIR", required = true)]
    folders: Vec<PathBuf>,
    /// Program to compare, instead of one that is built for release
    #[arg(long, value_name = "FILE")]
    docwright: Option<PathBuf>,
    /// Folder for the contact sheets
    #[arg(long, value_name = "DIR", default_value = "target/diagrams")]
    out: PathBuf,
}

/// A diagram, and the first file that has it.
struct Diagram {
    file: String,
    source: String,
}

/// Collects the diagrams, builds a site of them, and compares it.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let chromium = tools::chromium()?;
    let packages = tools::install_packages("tests/diagrams")?;
    ensure!(
        pinned(&packages.join("package.json"), "devDependencies")?
            == pinned(
                &process::root().join("crates/docwright-site/assets/package.json"),
                "dependencies"
            )?,
        "tests/diagrams and docwright-site have different versions of mermaid; use the same one"
    );
    let binary = match &arguments.docwright {
        Some(binary) => binary.canonicalize().with_context(|| binary.display().to_string())?,
        None => bench::release_binary()?,
    };
    let mut diagrams = BTreeMap::new();
    for folder in &arguments.folders {
        collect(folder, &mut diagrams)?;
    }
    std::fs::create_dir_all(&arguments.out)?;
    let scratch = tempfile::tempdir()?;
    let (source, site) = (scratch.path().join("source"), scratch.path().join("site"));
    let list = write_site(&source, &diagrams)?;
    let listed = scratch.path().join("list.json");
    std::fs::write(&listed, list.to_string())?;
    let mut build = process::command(&binary.display().to_string(), &["build", "--no-cache"]);
    let output = build.arg(&source).arg("--out").arg(&site).output()?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "cannot build the site of diagrams: {errors}");
    let mut compare = process::command("node", &["compare.mjs"]);
    compare.arg(&site).arg(&listed).arg(arguments.out.canonicalize()?);
    process::run(compare.env("DOCWRIGHT_TEST_CHROMIUM", chromium).current_dir(&packages))
}

/// The version of mermaid that a package asks for.
fn pinned(file: &Path, kind: &str) -> anyhow::Result<String> {
    let text = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
    let package: Value = serde_json::from_str(&text)?;
    let version = package[kind]["mermaid"].as_str().map(str::to_owned);
    version.with_context(|| format!("{} names no version of mermaid", file.display()))
}

/// Adds the diagrams of all Markdown files below a folder, by the digest of their text.
fn collect(folder: &Path, diagrams: &mut BTreeMap<String, Diagram>) -> anyhow::Result<()> {
    let entries = std::fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_symlink() || name == ".git" || name == "node_modules" {
            continue;
        }
        if path.is_dir() {
            collect(&path, diagrams)?;
        } else if name.ends_with(".md") || name.ends_with(".mdx") {
            let text = std::fs::read(&path)?;
            for source in fences(&String::from_utf8_lossy(&text)) {
                let key = hex::encode(Sha256::digest(&source))[..12].to_owned();
                let file = path.display().to_string();
                diagrams.entry(key).or_insert(Diagram { file, source });
            }
        }
    }
    Ok(())
}

/// The text of each Mermaid fence, without the indentation of the fence.
fn fences(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let opening = line.trim_start();
        let ticks = &opening[..opening.len() - opening.trim_start_matches('`').len()];
        let language = opening[ticks.len()..].trim_start().to_ascii_lowercase();
        if ticks.len() < 3 || !language.starts_with("mermaid") {
            continue;
        }
        let indent = line.len() - opening.len();
        let mut source = String::new();
        for line in lines.by_ref().take_while(|line| line.trim() != ticks) {
            let blanks = line.len() - line.trim_start().len();
            source.push_str(&line[indent.min(blanks)..]);
            source.push('\n');
        }
        found.push(source);
    }
    found
}

/// Writes a docs root with all diagrams, and returns which is on which page.
fn write_site(folder: &Path, diagrams: &BTreeMap<String, Diagram>) -> anyhow::Result<Value> {
    std::fs::create_dir_all(folder)?;
    let (mut list, mut pages) = (Vec::new(), Vec::new());
    let entries: Vec<_> = diagrams.iter().collect();
    for (number, chunk) in entries.chunks(DIAGRAMS_PER_PAGE).enumerate() {
        let page = format!("page-{number}");
        let mut text = format!("---\ntitle: Page {number}\n---\n");
        for (key, diagram) in chunk {
            text += &format!(
                "\n<div id=\"d-{key}\">\n\n`````mermaid\n{}`````\n\n</div>\n",
                diagram.source
            );
            list.push(json!({
                "key": key, "page": page, "file": diagram.file, "source": diagram.source,
            }));
        }
        std::fs::write(folder.join(format!("{page}.mdx")), text)?;
        pages.push(page);
    }
    let config = json!({
        "theme": "mint", "name": "Diagrams", "colors": { "primary": "#0f766e" },
        "navigation": { "pages": pages },
    });
    std::fs::write(folder.join("docs.json"), config.to_string())?;
    Ok(list.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fences_lose_their_indentation() {
        let text = "a\n  ```mermaid actions={true}\n  graph LR\n    A --> B\n  ```\n```js\nx\n```\n````Mermaid\npie\n```\n````\n";
        assert_eq!(fences(text), ["graph LR\n  A --> B\n", "pie\n```\n"]);
    }
}
