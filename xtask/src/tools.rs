//! Programs that the checks need: found, installed if possible, or reported as missing.

use std::path::PathBuf;

use anyhow::{Context, bail, ensure};

use crate::process;

/// The cargo-deny version in CI.
const CARGO_DENY: &str = "0.20.2";
/// The cargo-mutants version that the target percentage refers to.
const CARGO_MUTANTS: &str = "27.1.0";

/// Fails with a list of missing programs that can't be installed from here.
pub(crate) fn require_base() -> anyhow::Result<()> {
    let needed = [
        ("git", "--version", "install git"),
        ("node", "--version", "install Node.js 20 or later"),
        ("npm", "--version", "install npm, which comes with Node.js"),
        ("cc", "--version", "install a C compiler, such as gcc"),
        ("openssl", "version", "install OpenSSL, which makes the certificates of tests"),
    ];
    let missing: Vec<_> = needed
        .iter()
        .filter(|(program, question, _)| process::output(program, &[question]).is_none())
        .map(|(program, _, advice)| format!("{program} is missing: {advice}"))
        .collect();
    if missing.is_empty() { Ok(()) } else { bail!("{}", missing.join("; ")) }
}

/// Chromium for browser tests: its shell without windows, which takes less processor time for the same pages, or else
/// a whole browser.
pub(crate) fn chromium() -> anyhow::Result<PathBuf> {
    if let Some(named) = std::env::var_os("DOCWRIGHT_TEST_CHROMIUM").map(PathBuf::from) {
        ensure!(
            named.exists(),
            "DOCWRIGHT_TEST_CHROMIUM is `{}`, which isn't there",
            named.display()
        );
        return Ok(named);
    }
    let first = |paths: &[&str]| paths.iter().map(PathBuf::from).find(|path| path.exists());
    let shell = || first(&["/usr/bin/chromium-headless-shell"]);
    let browser =
        || first(&["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]);
    find_or_install(shell, &["chromium-headless-shell"])
        .or_else(|_| find_or_install(browser, &["chromium"]))
        .context("Chromium is missing: install it, or set DOCWRIGHT_TEST_CHROMIUM to its path")
}

/// A Python that can create virtual environments.
pub(crate) fn python() -> anyhow::Result<PathBuf> {
    let find = || {
        let found = process::output("python3", &["-c", "import ensurepip, venv"]);
        found.map(|_| PathBuf::from("python3"))
    };
    find_or_install(find, &["python3-venv"])
        .context("Python is missing: install Python 3.10 or later with its venv module")
}

/// Programs that must be able to read bundles.
pub(crate) fn archivers() -> anyhow::Result<()> {
    for (program, question, package) in
        [("bsdtar", "--version", "libarchive-tools"), ("7z", "i", "p7zip-full")]
    {
        let find = || process::output(program, &[question]).map(|_| PathBuf::from(program));
        find_or_install(find, &[package])
            .with_context(|| format!("{program} is missing: install it"))?;
    }
    Ok(())
}

/// Web servers of the manual's recipes.
pub(crate) fn web_servers() -> anyhow::Result<()> {
    for (program, question, package) in
        [("nginx", "-v", "nginx-light"), ("caddy", "version", "caddy")]
    {
        let find = || process::output(program, &[question]).map(|_| PathBuf::from(program));
        find_or_install(find, &[package])
            .with_context(|| format!("{program} is missing: install it"))?;
    }
    Ok(())
}

/// Programs of the CI recipes.
pub(crate) fn recipe_programs() -> anyhow::Result<()> {
    for program in ["curl", "jq"] {
        let find = || process::output(program, &["--version"]).map(|_| PathBuf::from(program));
        find_or_install(find, &[program])
            .with_context(|| format!("{program} is missing: install it"))?;
    }
    Ok(())
}

/// What a few tests need, which say so and are left out if it is missing: `wget`, and the lists of an ad blocker. The
/// package for Chromium would put the ad blocker into the browser of other tests.
pub(crate) fn optional() {
    let lists = "/usr/share/mozilla/extensions/{ec8030f7-c20a-464f-9b0e-13a3a9e97384}";
    let wget = || process::output("wget", &["--version"]).map(|_| PathBuf::from("wget"));
    let lists = || Some(PathBuf::from(lists)).filter(|path| path.exists());
    for found in [
        find_or_install(wget, &["wget"]),
        find_or_install(lists, &["webext-ublock-origin-firefox"]),
    ] {
        if let Err(error) = found {
            println!("{error:#}: its tests are left out");
        }
    }
}

/// Valgrind, which counts instructions. An error says why counts here can't be compared with the committed ones.
pub(crate) fn valgrind() -> anyhow::Result<PathBuf> {
    let processors = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    ensure!(
        has_avx2(&processors),
        "the committed counts are of Linux on x86-64 processors with AVX2"
    );
    let find = || process::output("valgrind", &["--version"]).map(|_| PathBuf::from("valgrind"));
    find_or_install(find, &["valgrind"]).context("Valgrind is missing: install it")
}

/// Whether the processors of `/proc/cpuinfo` have the instructions that libraries choose faster code for.
fn has_avx2(processors: &str) -> bool {
    processors.split_whitespace().any(|word| word == "avx2")
}

/// A certificate authority for orders in tests.
pub(crate) fn certificate_authority() -> anyhow::Result<()> {
    let find = || process::output("pebble", &["-help"]).map(|_| PathBuf::from("pebble"));
    find_or_install(find, &["pebble"]).context("pebble is missing: install it").map(drop)
}

/// The folder of PostgreSQL's server programs.
pub(crate) fn postgres() -> anyhow::Result<PathBuf> {
    let find = || {
        let packaged = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
        let mut folders: Vec<_> = packaged.map(|entry| entry.path().join("bin")).collect();
        folders.sort();
        folders.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
        folders.into_iter().rev().find(|path| path.join("initdb").exists())
    };
    find_or_install(find, &["postgresql"])
        .context("PostgreSQL is missing: install its server, so that `initdb` is on the PATH")
}

/// Installs this version of cargo-deny unless it exists.
pub(crate) fn cargo_deny() -> anyhow::Result<()> {
    cargo_tool("deny", CARGO_DENY)
}

/// Installs this version of cargo-mutants unless it exists.
pub(crate) fn cargo_mutants() -> anyhow::Result<()> {
    cargo_tool("mutants", CARGO_MUTANTS)
}

/// Installs a version of a Cargo command unless it exists.
fn cargo_tool(name: &str, version: &str) -> anyhow::Result<()> {
    let found = process::output("cargo", &[name, "--version"]);
    if found.is_some_and(|found| found.ends_with(version)) {
        return Ok(());
    }
    let package = format!("cargo-{name}");
    let install = ["install", "--locked", "--quiet", &package, "--version", version];
    process::run(&mut process::command("cargo", &install))
}

/// Installs the Node packages of a folder from its lock file.
pub(crate) fn install_packages(folder: &str) -> anyhow::Result<PathBuf> {
    let folder = process::root().join(folder);
    let mut install =
        process::command("npm", &["ci", "--ignore-scripts", "--no-audit", "--no-fund"]);
    process::run(install.current_dir(&folder))?;
    Ok(folder)
}

/// Finds a program. As root on a Debian-like system, installs its package if it is missing.
pub(crate) fn find_or_install(
    find: impl Fn() -> Option<PathBuf>,
    packages: &[&str],
) -> anyhow::Result<PathBuf> {
    if let Some(path) = find() {
        return Ok(path);
    }
    let root = process::output("id", &["-u"]).as_deref() == Some("0");
    if root && process::output("apt-get", &["--version"]).is_some() {
        process::run(&mut process::command("apt-get", &["update", "-qq"]))?;
        let install = ["install", "--yes", "-qq", "--no-install-recommends"];
        let mut command = process::command("apt-get", &install);
        process::run(command.args(packages).env("DEBIAN_FRONTEND", "noninteractive"))?;
    }
    find().with_context(|| format!("{} is not installed", packages.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::has_avx2;

    #[test]
    fn processors_with_avx2_are_known() {
        assert!(has_avx2("model name : One\nflags : fpu avx avx2 bmi2\n"));
        for processors in ["", "flags : fpu avx avx512f", "Features : fp asimd sve2"] {
            assert!(!has_avx2(processors), "{processors}");
        }
    }
}
