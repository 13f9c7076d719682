//! The repositories of the organizations: small sites, and those that attack.

use std::{
    fs::{self, File},
    os::unix::fs::symlink,
    path::Path,
};

use anyhow::Context;
use serde_json::json;

/// Pages of a site that attacks nobody.
const PAGES: usize = 8;
/// Folders of a graph of links, each with links to a number of others.
const GRAPH: (usize, usize) = (140, 10);
/// Snippets that each show the next one so often.
const SNIPPETS: (usize, usize) = (9, 10);
/// Files that a build holds in memory, and the bytes of each.
const MEMORY: (usize, u64) = (40, 10 * 1024 * 1024);

/// Code whose work is native, where the script engine counts little of it.
const ENDLESS: [&str; 2] = [
    "const all = new Array(1e6).fill(1); let n = 0; for (;;) n += all.indexOf(2)",
    "const big = 7n ** 20000n; let n = 0n; for (;;) n = big * big % 3n",
];

/// An attack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Attack {
    /// Pages whose code never ends.
    Endless,
    /// More text than a build can hold.
    Memory,
    /// Folders that link to each other, so that there are more paths than anybody can walk.
    Graph,
    /// Snippets within snippets, which would be thousands of millions.
    Snippets,
    /// A docs path that is a link to another organization's files.
    LinkOut,
}

impl Attack {
    /// Every attack: one project each.
    pub(super) const ALL: [Self; 5] =
        [Self::Endless, Self::Memory, Self::Graph, Self::Snippets, Self::LinkOut];

    /// Its name in projects and in the report.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Endless => "endless",
            Self::Memory => "memory",
            Self::Graph => "graph",
            Self::Snippets => "snippets",
            Self::LinkOut => "link-out",
        }
    }

    /// The docs root within the repository.
    pub(super) const fn docs_path(self) -> &'static str {
        if matches!(self, Self::LinkOut) { "docs" } else { "" }
    }
}

/// A site of a few pages, each with words that no other organization has.
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

/// A page that says some words.
pub(super) fn page_text(title: &str, words: &str) -> String {
    format!(
        "---\ntitle: {title}\n---\n\n## Part\n\nHere it says {words}.\n\n```js\nlet x = '{title}';\n```\n"
    )
}

/// A site with an attack. `victim` is a folder of another organization on the same machine.
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
                // A file of zeros takes no room on the disk.
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
