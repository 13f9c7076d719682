//! `cargo xtask bench peers`: builds one plain corpus with docwright and with the installed peers, and writes a
//! table and charts. `bench/README.md` says what each of them does and doesn't do. It is never a test.

mod chart;
mod corpus;
mod layout;
mod measure;
mod peer;
mod table;

use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};

use self::{
    chart::Bar,
    corpus::Corpus,
    measure::Sample,
    peer::{Installed, PEERS, Peer},
    table::Row,
};
use crate::{grouped::grouped, process};

/// Pages of the large docs root.
const LARGE_PAGES: &str = "100000";

/// Arguments of the comparison.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Pages of the corpus
    #[arg(long, value_name = "COUNT", default_value_t = 1000)]
    pages: usize,
    /// Runs of each tool
    #[arg(long, value_name = "COUNT", default_value_t = 5)]
    runs: u32,
    /// Folder for the table and the charts [default: target/peers]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Program to measure [default: a new release build]
    #[arg(long, value_name = "FILE")]
    binary: Option<PathBuf>,
    /// Clone of the theme hugo-book
    #[arg(long, value_name = "DIR")]
    hugo_book: Option<PathBuf>,
    /// Comma-separated tools, such as docwright,hugo [default: all that are installed]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    only: Vec<String>,
    /// Also measure docwright on 100,000 pages in ten languages
    #[arg(long)]
    large: bool,
}

/// A tool that takes part, with its source.
struct Entrant {
    peer: &'static Peer,
    installed: Installed,
    folder: PathBuf,
    samples: Vec<Sample>,
}

/// Measures all tools in turns. `time` is GNU time, `build` builds docwright.
pub(crate) fn run(
    arguments: &Arguments,
    time: &Path,
    build: impl FnOnce() -> anyhow::Result<PathBuf>,
) -> anyhow::Result<()> {
    ensure!(arguments.pages > 0 && arguments.runs > 0, "--pages and --runs must be at least 1");
    for name in &arguments.only {
        let keys: Vec<_> = PEERS.iter().map(|peer| peer.key).collect();
        ensure!(keys.contains(&name.as_str()), "unknown tool {name}; use {}", keys.join(", "));
    }
    let binary = match &arguments.binary {
        Some(binary) => absolute(binary)?,
        None => build()?,
    };
    let out = arguments.out.clone().unwrap_or_else(|| process::root().join("target/peers"));
    std::fs::create_dir_all(&out)?;
    let out = absolute(&out)?;
    let theme = arguments.hugo_book.as_deref().map(absolute).transpose()?;
    let mut report = introduction(arguments)?;
    let (entrants, mut left_out) = prepare(arguments, &binary, theme.as_deref())?;
    let rows = compare(entrants, arguments, time, &mut left_out);
    report += &table::write(&rows);
    draw_charts(&out, &rows)?;
    if arguments.large {
        match measure_large(&binary, time) {
            Ok(rows) => {
                report += "\n100,000 pages in ten languages, one run:\n\n";
                report += &table::write(&rows);
            }
            Err(error) => {
                println!("{error:#}");
                left_out.push("- 100,000 pages in ten languages: the build failed\n".to_owned());
            }
        }
    }
    if !left_out.is_empty() {
        report += &format!("\nLeft out:\n\n{}", left_out.concat());
    }
    let file = out.join("comparison.md");
    std::fs::write(&file, &report)?;
    println!("\n{report}\n{}", file.display());
    Ok(())
}

fn absolute(path: &Path) -> anyhow::Result<PathBuf> {
    path.canonicalize().with_context(|| format!("cannot find {}", path.display()))
}

/// The folder for sources and sites. Node.js finds packages in the folders above a file, so it is below those of
/// the peers.
fn sites() -> PathBuf {
    process::root().join("bench/peers/target")
}

fn introduction(arguments: &Arguments) -> anyhow::Result<String> {
    let (pages, runs) = (grouped(arguments.pages), arguments.runs);
    let cores = std::thread::available_parallelism()?;
    Ok(format!(
        "{pages} pages of plain Markdown, {cores} cores, medians of {runs} runs in turns, without caches. \
         Memory is that of the largest process.\n\n"
    ))
}

/// Writes the source of each installed tool. Returns the tools, and a line for each missing one.
fn prepare(
    arguments: &Arguments,
    binary: &Path,
    theme: Option<&Path>,
) -> anyhow::Result<(Vec<Entrant>, Vec<String>)> {
    let (mut entrants, mut left_out) = (Vec::new(), Vec::new());
    let chosen = |peer: &&Peer| {
        arguments.only.is_empty() || arguments.only.iter().any(|name| name == peer.key)
    };
    for peer in PEERS.iter().filter(chosen) {
        let Some(installed) = peer.find(binary, theme) else {
            left_out.push(format!("- {}: not installed; {}\n", peer.name, peer.install));
            continue;
        };
        let folder = sites().join(peer.key);
        remove(&folder)?;
        peer.layout.write(&folder, Corpus { pages: arguments.pages }, theme)?;
        entrants.push(Entrant { peer, installed, folder, samples: Vec::new() });
    }
    Ok((entrants, left_out))
}

/// Runs all tools in turns, so that what else happens on the machine affects all of them.
fn compare(
    mut entrants: Vec<Entrant>,
    arguments: &Arguments,
    time: &Path,
    left_out: &mut Vec<String>,
) -> Vec<Row> {
    for run in 1..=arguments.runs {
        let mut failed = Vec::new();
        for (index, entrant) in entrants.iter_mut().enumerate() {
            match entrant.measure(time) {
                Ok(sample) => {
                    println!("run {run} {:<24} {}", entrant.peer.name, describe(sample));
                    entrant.samples.push(sample);
                }
                Err(error) => {
                    println!("{} failed: {error:#}", entrant.peer.name);
                    left_out.push(format!("- {}: its build failed\n", entrant.peer.name));
                    failed.push(index);
                }
            }
        }
        for index in failed.into_iter().rev() {
            entrants.remove(index);
        }
    }
    let mut rows = Vec::new();
    for entrant in &entrants {
        match entrant.row(arguments.pages) {
            Ok(row) => rows.push(row),
            Err(error) => left_out.push(format!("- {}: {error:#}\n", entrant.peer.name)),
        }
    }
    rows
}

fn describe(Sample { wall, processor, memory }: Sample) -> String {
    let memory = table::megabytes(memory);
    format!("{} s, {} processor s, {memory}", table::seconds(wall), table::seconds(processor))
}

impl Entrant {
    /// Runs a build that finds nothing of an earlier one.
    fn measure(&self, time: &Path) -> anyhow::Result<Sample> {
        // Earlier sites stay until the end, because a file system that has just deleted thousands of files creates
        // new ones slowly.
        let aside = self.folder.with_extension(format!("run-{}", self.samples.len()));
        std::fs::create_dir_all(&aside)?;
        for (index, path) in std::iter::once(&self.peer.output).chain(self.peer.caches).enumerate()
        {
            let path = self.folder.join(path);
            if path.exists() {
                std::fs::rename(path, aside.join(index.to_string()))?;
            }
        }
        measure::run(time, &self.peer.command(&self.installed), &self.folder)
    }

    /// The medians and the size of the site. Removes earlier sites.
    fn row(&self, pages: usize) -> anyhow::Result<Row> {
        for run in 0..=self.samples.len() {
            remove(&self.folder.with_extension(format!("run-{run}")))?;
        }
        let site = self.folder.join(self.peer.output);
        let (bytes, html) = measure::written(&site)?;
        ensure!(site.is_file() || html > pages, "{html} HTML files for {pages} pages");
        Ok(Row {
            name: self.peer.name,
            version: self.installed.version.clone(),
            sample: measure::medians(&self.samples).context("no run")?,
            bytes,
            pages: site.is_dir().then_some(html),
        })
    }
}

fn remove(folder: &Path) -> anyhow::Result<()> {
    if folder.exists() {
        std::fs::remove_dir_all(folder)
            .with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    Ok(())
}

fn draw_charts(out: &Path, rows: &[Row]) -> anyhow::Result<()> {
    let draw = |title: &str, figure: fn(&Row) -> (f64, String)| {
        let bars = table::sorted(rows).into_iter().map(|row| {
            let (value, label) = figure(row);
            Bar {
                name: row.name.to_owned(),
                value,
                label,
                accent: row.name.starts_with("docwright"),
            }
        });
        chart::draw(title, &bars.collect::<Vec<_>>())
    };
    let time = |row: &Row| (row.sample.wall, format!("{} s", table::seconds(row.sample.wall)));
    let memory = |row: &Row| {
        let kilobytes = u32::try_from(row.sample.memory / 1000).unwrap_or(u32::MAX);
        (f64::from(kilobytes), table::megabytes(row.sample.memory))
    };
    std::fs::write(out.join("time.svg"), draw("Seconds of a build", time))?;
    std::fs::write(out.join("memory.svg"), draw("Peak memory of a build", memory))?;
    Ok(())
}

/// Measures docwright on a large docs root.
fn measure_large(binary: &Path, time: &Path) -> anyhow::Result<Vec<Row>> {
    let folder = sites().join("large");
    remove(&folder)?;
    std::fs::create_dir_all(&folder)?;
    let docs = folder.join("docs").display().to_string();
    let script =
        ["bench/large.mjs", &docs, LARGE_PAGES, "0", "--languages", "10", "--sections", "3"];
    process::run(&mut process::command("node", &script))?;
    let mut rows = Vec::new();
    for peer in PEERS.iter().filter(|peer| peer.layout == layout::Layout::Docwright) {
        let installed = peer.find(binary, None).context("docwright doesn't start")?;
        let mut entrant = Entrant { peer, installed, folder: folder.clone(), samples: Vec::new() };
        entrant.samples.push(entrant.measure(time)?);
        rows.push(entrant.row(LARGE_PAGES.parse()?)?);
    }
    Ok(rows)
}
