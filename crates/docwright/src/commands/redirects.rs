//! `docwright build --redirects`: writes the redirects of a built site for hosts that support them.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, bail, ensure};
use clap::ValueEnum;
use docwright_site::{
    content::{config::Redirect, redirects::prepared::Prepared},
    hosting::{self, Host, Site, Written},
};
use docwright_types::printable::printable_line;

/// The first words of each file, so that no other file is replaced. JSON has no comments.
const MARK: &str = "Made by docwright";

/// Selects hosts to write redirects for.
#[derive(Debug, clap::Args)]
pub(crate) struct RedirectArguments {
    /// Also write redirects for these hosts, such as `nginx,caddy`
    ///
    /// The files of `nginx`, `caddy`, and `cloudfront` are next to the folder of the site. The others are
    /// in it.
    #[arg(long, value_name = "HOST", value_delimiter = ',')]
    redirects: Vec<HostName>,
}

/// A host by its name on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
enum HostName {
    /// `SITE.nginx.conf`, for a `server` block to include
    Nginx,
    /// `SITE.caddy`, for a site block to import
    Caddy,
    /// `_redirects` for Netlify
    Netlify,
    /// `_redirects` for Cloudflare Pages
    Cloudflare,
    /// `_redirects` for GitLab Pages
    Gitlab,
    /// `vercel.json`
    Vercel,
    /// `SITE.cloudfront.js`, a function for a bucket of AWS
    Cloudfront,
}

impl HostName {
    const fn host(self) -> Host {
        match self {
            Self::Nginx => Host::Nginx,
            Self::Caddy => Host::Caddy,
            Self::Netlify => Host::Netlify,
            Self::Cloudflare => Host::Cloudflare,
            Self::Gitlab => Host::Gitlab,
            Self::Vercel => Host::Vercel,
            Self::Cloudfront => Host::Cloudfront,
        }
    }

    fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }

    /// The name of its file for a folder.
    fn file(self, site: &Path, base: &str) -> anyhow::Result<PathBuf> {
        let beside = |ending: &str| site.with_added_extension(ending);
        Ok(match self {
            Self::Nginx => beside("nginx.conf"),
            Self::Caddy => beside("caddy"),
            Self::Cloudfront => beside("cloudfront.js"),
            // Its base isn't a folder: GitLab prefixes addresses with the name of the project.
            Self::Gitlab => site.join("_redirects"),
            Self::Netlify | Self::Cloudflare => published(site, base, self)?.join("_redirects"),
            Self::Vercel => published(site, base, self)?.join("vercel.json"),
        })
    }
}

/// The folder that a host publishes: that of the site, or one above it if the site is below a path.
fn published<'a>(site: &'a Path, base: &str, host: HostName) -> anyhow::Result<&'a Path> {
    let below = Path::new(base.trim_start_matches('/'));
    if !site.ends_with(below) {
        bail!(
            "--redirects {} needs an --out that ends in {base}, as the path of --site-url does: {0} \
             publishes the folder above it, and reads its file there",
            host.name()
        );
    }
    let above = below.components().count();
    site.ancestors().nth(above).context("--out has no folder above it")
}

/// The path of a URL where a site is mounted, without a slash at its end.
fn base_of(address: Option<&url::Url>) -> &str {
    address.map_or("", |address| address.path().trim_end_matches('/'))
}

impl RedirectArguments {
    /// Whether there is nothing to write.
    pub(crate) const fn is_empty(&self) -> bool {
        self.redirects.is_empty()
    }

    /// The names of its files in the folder of the site.
    pub(crate) fn names_in(&self, site: &Path, address: Option<&url::Url>) -> Vec<String> {
        let base = base_of(address);
        let Ok(site) = site.canonicalize() else { return Vec::new() };
        let targets = self.redirects.iter().filter_map(|name| name.file(&site, base).ok());
        let names = targets.filter(|target| target.parent() == Some(site.as_path()));
        names.filter_map(|target| Some(target.file_name()?.to_str()?.to_owned())).collect()
    }

    /// Writes the files for a site that was built into a folder, and prints what they contain. The path of the URL
    /// is where the site is mounted.
    pub(crate) fn write(
        &self,
        site: &Path,
        address: Option<&url::Url>,
        redirects: &[Redirect],
    ) -> anyhow::Result<()> {
        if self.redirects.is_empty() {
            return Ok(());
        }
        let site = &site.canonicalize()?;
        let base = base_of(address);
        ensure!(
            base.chars().all(|letter| letter.is_ascii_alphanumeric() || "/-_.~".contains(letter)),
            "the path {base} of --site-url has a character that --redirects can't write for every host; use letters, digits, dashes, and dots"
        );
        let origin = address.map(|address| address.origin().ascii_serialization());
        let origin = origin.as_deref().unwrap_or_default();
        let files = files(site)?;
        let prepared = Prepared::new(redirects, |path| files.contains(path));
        let total = prepared.exact.len() + prepared.wildcards.len();
        let mut written_to: Vec<PathBuf> = Vec::new();
        let hosts: BTreeSet<_> = self.redirects.iter().copied().collect();
        for name in hosts {
            let target = name.file(site, base)?;
            if written_to.contains(&target) {
                bail!(
                    "{} is the file of more than one host in --redirects: build once for each",
                    target.display()
                );
            }
            let written = hosting::write(
                name.host(),
                &Site { redirects: &prepared, files: &files, base, origin },
            );
            replace(&target, &written.text)?;
            if name.host().files_first() {
                remove_pages(site, &files, &written)?;
            }
            say(name, &target, &written, total);
            written_to.push(target);
        }
        Ok(())
    }
}

/// The paths of the files below a folder.
fn files(folder: &Path) -> anyhow::Result<BTreeSet<String>> {
    let mut found = BTreeSet::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in
            fs::read_dir(&next).with_context(|| format!("cannot read {}", next.display()))?
        {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                folders.push(entry.path());
            } else if let Some(path) = entry.path().strip_prefix(folder)?.to_str() {
                found.insert(path.replace('\\', "/"));
            }
        }
    }
    Ok(found)
}

/// Writes a file, unless it is there, or an existing one isn't docwright's.
fn replace(target: &Path, text: &str) -> anyhow::Result<()> {
    let present = fs::read_to_string(target).ok();
    if present.as_deref() == Some(text) {
        return Ok(());
    }
    if present.is_some_and(|present| !is_ours(&present)) {
        bail!(
            "{} already exists and wasn't created by docwright; move it away, or omit its host from --redirects",
            target.display()
        );
    }
    fs::write(target, text).with_context(|| format!("cannot write {}", target.display()))
}

/// Whether docwright created a file. docwright's `vercel.json` has only its own keys.
fn is_ours(text: &str) -> bool {
    let first = text.lines().next().unwrap_or_default();
    let json: Option<serde_json::Map<String, serde_json::Value>> = serde_json::from_str(text).ok();
    let all = ["$schema", "cleanUrls", "redirects"];
    let ours = |key: &String| all.contains(&key.as_str()) || key == "trailingSlash";
    let is_json = |json: serde_json::Map<String, serde_json::Value>| {
        json.keys().all(ours) && all.iter().all(|key| json.contains_key(*key))
    };
    first.contains(MARK) || json.is_some_and(is_json)
}

/// Removes the redirect pages that would hide redirects of the host.
fn remove_pages(site: &Path, files: &BTreeSet<String>, written: &Written) -> anyhow::Result<()> {
    let pages = written.exact.iter().map(|path| format!("{path}.html"));
    for page in pages.filter(|page| files.contains(page)) {
        fs::remove_file(site.join(&page)).with_context(|| format!("cannot remove {page}"))?;
    }
    Ok(())
}

/// Prints how many redirects a file has, and which ones are missing.
fn say(host: HostName, target: &Path, written: &Written, total: usize) {
    let Written { count, left_out, .. } = written;
    eprintln!("{}: {count} of {total} redirects in {}", host.name(), target.display());
    let mut reasons: Vec<(&str, usize, &str)> = Vec::new();
    for one in left_out {
        match reasons.iter_mut().find(|(reason, ..)| *reason == one.reason) {
            Some((_, count, _)) => *count += 1,
            None => reasons.push((&one.reason, 1, &one.source)),
        }
    }
    for (reason, count, source) in reasons {
        let more = if count > 1 { format!(", and {} more", count - 1) } else { String::new() };
        let line = format!("    left out: {source} {reason}{more}");
        eprintln!("{}", printable_line(&line));
    }
}
