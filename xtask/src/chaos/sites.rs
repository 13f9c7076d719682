//! Repositories of the organizations: small sites and attacks.

use std::{
    fs::{self, File},
    os::unix::fs::symlink,
    path::Path,
};

use anyhow::Context;
use serde_json::json;

/// Number of pages of a site without an attack.
const PAGES: usize = 8;
/// Number of folders in a graph of links, and the number of links in each.
const GRAPH: (usize, usize) = (140, 10);
/// Number of nested snippets, and how often each shows the next.
const SNIPPETS: (usize, usize) = (9, 10);
/// Number of files that a build keeps in memory, and their size in bytes.
const MEMORY: (usize, u64) = (40, 10 * 1024 * 1024);

/// Native code that the script engine hardly counts.
const ENDLESS: [&str; 2] = [
    "const all = new Array(1e6).fill(1); let n = 0; for (;;) n += all.indexOf(2)",
    "const big = 7n ** 20000n; let n = 0n; for (;;) n = big * big % 3n",
];

/// An attack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Attack {
    /// Pages whose code never ends.
    Endless,
    /// More text than the memory limit of a build.
    Memory,
    /// Folders that link to each other, which creates too many paths to walk.
    Graph,
    /// Nested snippets that would expand to billions.
    Snippets,
    /// A docs path that links to another organization's files.
    LinkOut,
}

impl Attack {
    /// All attacks, with one project each.
    pub(super) const ALL: [Self; 5] =
        [Self::Endless, Self::Memory, Self::Graph, Self::Snippets, Self::LinkOut];

    /// The name in projects and in the report.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Endless => "endless",
            Self::Memory => "memory",
            Self::Graph => "graph",
            Self::Snippets => "snippets",
            Self::LinkOut => "link-out",
        }
    }

    /// The docs root in the repository.
    pub(super) const fn docs_path(self) -> &'static str {
        if matches!(self, Self::LinkOut) { "docs" } else { "" }
    }
}

/// Writes a small site with a unique text.
pub(super) fn write_site(folder: &Path, words: &str) -> anyhow::Result<()> {
    fs::create_dir_all(folder)?;
    let mut pages = vec!["index".to_owned()];
    pages.extend((1..PAGES).map(|number| format!("page-{number}")));
    let groups = json!([{ "group": "Start", "pages": pages }]);
    let config = json!({ "theme": "mint", "name": "Test", "colors": { "primary": "#0f766e" },
        "navigation": { "groups": groups } });
    fs::write(folder.join("docs.json"), format!("{config:#}\n"))?;
    for page in &pages {
        fs::write(folder.join(format!("{page}.mdx")), page_text(page, words))?;
    }
    Ok(())
}

/// A page with a text.
pub(super) fn page_text(title: &str, words: &str) -> String {
    format!(
        "---\ntitle: {title}\n---\n\n## Part\n\nHere it says {words}.\n\n```js\nlet x = '{title}';\n```\n"
    )
}

/// Writes a site with an attack. `victim` is a folder of another organization on the same machine.
pub(super) fn write_attack(folder: &Path, attack: Attack, victim: &Path) -> anyhow::Result<()> {
    write_site(folder, "nothing good")?;
    let write = |path: &str, text: &str| fs::write(folder.join(path), text);
    match attack {
        Attack::Endless => {
            for number in 1..PAGES {
                let code = ENDLESS[number % ENDLESS.len()];
                let text = format!("export const found = (() => {{ {code} }})();\n\n{{found}}\n");
                write(&format!("page-{number}.mdx"), &text)?;
            }
        }
        Attack::Memory => {
            for number in 0..MEMORY.0 {
                // A sparse file takes no disk space.
                File::create(folder.join(format!("{number}.txt")))?.set_len(MEMORY.1)?;
            }
        }
        Attack::Graph => write_graph(folder)?,
        Attack::Snippets => write_snippets(folder)?,
        Attack::LinkOut => symlink(victim, folder.join("docs"))?,
    }
    Ok(())
}

fn write_graph(folder: &Path) -> anyhow::Result<()> {
    let (folders, links) = GRAPH;
    for number in 0..folders {
        let each = folder.join(format!("folder-{number}"));
        fs::create_dir(&each)?;
        fs::write(each.join("page.mdx"), page_text("One of many", "little"))?;
        for link in 1..=links {
            let next = (number + link) % folders;
            symlink(format!("../folder-{next}"), each.join(format!("link-{link}")))
                .with_context(|| format!("cannot create a link in {}", each.display()))?;
        }
    }
    Ok(())
}

fn write_snippets(folder: &Path) -> anyhow::Result<()> {
    let (snippets, times) = SNIPPETS;
    fs::create_dir(folder.join("snippets"))?;
    let show = |next: usize| {
        let import = format!("import Next from '/snippets/part-{next}.mdx';\n\n");
        format!("{import}{}", "<Next />\n\n".repeat(times))
    };
    for number in 0..snippets {
        let path = folder.join(format!("snippets/part-{number}.mdx"));
        let last = number + 1 == snippets;
        fs::write(path, if last { "word ".repeat(200) } else { show(number + 1) })?;
    }
    Ok(fs::write(folder.join("page-1.mdx"), show(0))?)
}
