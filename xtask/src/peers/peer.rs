//! The tools of the comparison: where they are found, how they are started, and what they write.

use std::path::{Path, PathBuf};

use super::layout::Layout;
use crate::process;

/// A way to build the corpus.
#[derive(Debug)]
pub(super) struct Peer {
    /// Its name on the command line, and the name of its folder.
    pub(super) key: &'static str,
    /// Its name in tables.
    pub(super) name: &'static str,
    /// How it wants its source.
    pub(super) layout: Layout,
    /// The program.
    program: Program,
    /// Arguments of a build in the folder of its source.
    build: &'static [&'static str],
    /// The folder or file with the site.
    pub(super) output: &'static str,
    /// Caches of earlier runs.
    pub(super) caches: &'static [&'static str],
    /// What to do if it's missing.
    pub(super) install: &'static str,
}

/// Where a program is.
#[derive(Debug)]
enum Program {
    /// The program to compare.
    Docwright,
    /// On the PATH, with the argument that prints its version.
    Path(&'static str, &'static str),
    /// Of npm, in `bench/peers`, with the package whose version counts.
    Npm(&'static str, &'static str),
    /// In the Python environment of `bench/peers`.
    Python(&'static str),
}

/// All tools. The first is the one that others are compared with.
pub(super) const PEERS: &[Peer] = &[
    Peer {
        key: "docwright",
        name: "docwright build",
        layout: Layout::Docwright,
        program: Program::Docwright,
        build: &["build", "docs", "--no-cache", "--out", "site"],
        output: "site",
        caches: &[],
        install: "pass --binary",
    },
    Peer {
        key: "export",
        name: "docwright export",
        layout: Layout::Docwright,
        program: Program::Docwright,
        build: &["export", "docs", "--no-cache", "--out", "bundle.tar.gz"],
        output: "bundle.tar.gz",
        caches: &[],
        install: "pass --binary",
    },
    Peer {
        key: "hugo",
        name: "Hugo, one-line layout",
        layout: Layout::Hugo,
        program: Program::Path("hugo", "version"),
        build: &["--ignoreCache", "--noBuildLock"],
        output: "public",
        caches: &["resources"],
        install: "put Hugo 0.158 or later on the PATH (https://gohugo.io/installation/)",
    },
    Peer {
        key: "hugo-book",
        name: "Hugo, hugo-book",
        layout: Layout::HugoBook,
        program: Program::Path("hugo", "version"),
        build: &["--ignoreCache", "--noBuildLock"],
        output: "public",
        caches: &["resources"],
        install: "put Hugo on the PATH, clone https://github.com/alex-shpak/hugo-book, and pass --hugo-book",
    },
    Peer {
        key: "zola",
        name: "Zola, one-line template",
        layout: Layout::Zola,
        program: Program::Path("zola", "--version"),
        build: &["build"],
        output: "public",
        caches: &[],
        install: "put Zola on the PATH (https://www.getzola.org/documentation/getting-started/installation/)",
    },
    Peer {
        key: "starlight",
        name: "Starlight",
        layout: Layout::Starlight,
        program: Program::Npm("astro", "@astrojs/starlight"),
        build: &["build"],
        output: "dist",
        caches: &[".cache", ".astro", "node_modules"],
        install: "run `npm ci` in bench/peers, with Node.js 22.12 or later",
    },
    Peer {
        key: "vitepress",
        name: "VitePress",
        layout: Layout::VitePress,
        program: Program::Npm("vitepress", "vitepress"),
        build: &["build"],
        output: ".vitepress/dist",
        caches: &[".vitepress/cache", ".vitepress/.temp"],
        install: "run `npm ci` in bench/peers",
    },
    Peer {
        key: "mdbook",
        name: "mdBook",
        layout: Layout::MdBook,
        program: Program::Path("mdbook", "--version"),
        build: &["build"],
        output: "book",
        caches: &[],
        install: "run `cargo install mdbook`",
    },
    Peer {
        key: "zensical",
        name: "Zensical",
        layout: Layout::Zensical,
        program: Program::Python("zensical"),
        build: &["build", "--clean"],
        output: "site",
        caches: &[".cache"],
        install: "run `python3 -m venv .venv` and `.venv/bin/pip install -r requirements.txt` in bench/peers",
    },
];

/// A program that runs here.
#[derive(Debug)]
pub(super) struct Installed {
    /// Its path, or its name on the PATH.
    pub(super) program: PathBuf,
    /// Its version.
    pub(super) version: String,
}

impl Peer {
    /// Finds the program and asks it for its version. `binary` is docwright, `theme` a clone of `hugo-book`.
    pub(super) fn find(&self, binary: &Path, theme: Option<&Path>) -> Option<Installed> {
        if self.layout == Layout::HugoBook && !theme?.join("theme.toml").exists() {
            return None;
        }
        let peers = process::root().join("bench/peers");
        let (program, version) = match self.program {
            Program::Docwright => (binary.to_owned(), printed_version(binary, "--version")?),
            Program::Path(name, question) => {
                (PathBuf::from(name), printed_version(Path::new(name), question)?)
            }
            Program::Npm(name, package) => {
                let packages = peers.join("node_modules");
                (packages.join(".bin").join(name), package_version(&packages.join(package))?)
            }
            Program::Python(name) => {
                let program = peers.join(".venv/bin").join(name);
                let version = printed_version(&program, "--version")?;
                (program, version)
            }
        };
        Some(Installed { program, version })
    }

    /// The command of a build in the folder of its source.
    pub(super) fn command(&self, installed: &Installed) -> Vec<String> {
        let program = installed.program.display().to_string();
        std::iter::once(program).chain(self.build.iter().map(|&part| part.to_owned())).collect()
    }
}

/// The version that a program prints, if it starts.
fn printed_version(program: &Path, question: &str) -> Option<String> {
    let printed = process::output(&program.display().to_string(), &[question])?;
    Some(version(&printed).unwrap_or("unknown").to_owned())
}

/// The version of an npm package, since not every program has an option that prints it.
fn package_version(package: &Path) -> Option<String> {
    let text = std::fs::read_to_string(package.join("package.json")).ok()?;
    let facts: serde_json::Value = serde_json::from_str(&text).ok()?;
    Some(facts["version"].as_str()?.to_owned())
}

/// The version in the output of a program: the first numbers that have points between them.
fn version(printed: &str) -> Option<&str> {
    printed
        .split(|letter: char| !letter.is_ascii_digit() && letter != '.')
        .map(|part| part.trim_matches('.'))
        .find(|part| part.contains('.'))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::{PEERS, version};

    #[test]
    fn version_is_found_in_output() {
        for (printed, expected) in [
            ("hugo v0.168.0-e27a6760c55+extended linux/amd64 BuildDate=2026-10-13", "0.168.0"),
            ("docwright 0.1.0 (abc)", "0.1.0"),
            ("zensical, version 0.0.73", "0.0.73"),
            ("See 2 pages... mdbook v0.5.4.", "0.5.4"),
        ] {
            assert_eq!(version(printed), Some(expected));
        }
        assert_eq!(version("no version 7"), None);
    }

    #[test]
    fn keys_are_unique() {
        let keys: HashSet<_> = PEERS.iter().map(|peer| peer.key).collect();
        assert_eq!(keys.len(), PEERS.len());
    }

    #[test]
    fn readme_describes_every_peer() {
        let readme = std::fs::read_to_string(crate::process::root().join("bench/README.md"));
        let readme = readme.expect("bench/README.md");
        for peer in PEERS {
            assert!(
                readme.contains(&format!("**{}**", peer.name)),
                "{} isn't described",
                peer.name
            );
        }
    }
}
