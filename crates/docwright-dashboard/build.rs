//! Packs the npm packages of the dashboard: htmx and the font.
//!
//! Node.js is a build tool only. The packages are fixed by `assets/package-lock.json`, installed below
//! `OUT_DIR` without running any of their scripts, and deleted again.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, exit};
use std::{env, fs};

/// Files of the packages, and their names here.
const FILES: [(&str, &str); 2] = [
    ("htmx.org/dist/htmx.min.js", "htmx.js"),
    ("@fontsource-variable/inter/files/inter-latin-wght-normal.woff2", "inter.woff2"),
];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if let Err(error) = pack() {
        println!("cargo::error={error}");
        exit(1);
    }
}

fn pack() -> Result<(), Box<dyn Error>> {
    packages(&PathBuf::from(env::var("OUT_DIR")?))
}

/// Installs the packages and keeps the files that the dashboard sends. Reinstalls them only if the lock file has
/// changed.
fn packages(out: &Path) -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=assets/package-lock.json");
    let lock = fs::read("assets/package-lock.json")?;
    let installed = out.join("package-lock.json");
    let complete = FILES.iter().all(|(_, name)| out.join(name).exists());
    if complete && fs::read(&installed).is_ok_and(|installed| installed == lock) {
        return Ok(());
    }
    let packages = out.join("npm");
    fs::create_dir_all(&packages)?;
    for file in ["package.json", "package-lock.json"] {
        fs::copy(Path::new("assets").join(file), packages.join(file))?;
    }
    let npm = if cfg!(windows) { "npm.cmd" } else { "npm" };
    let arguments = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];
    let output = Command::new(npm).args(arguments).current_dir(&packages).output();
    let output = output.map_err(|error| {
        format!("npm can't be started, install Node.js 20 or newer with npm: {error}")
    })?;
    if !output.status.success() {
        let reason = String::from_utf8_lossy(&output.stderr).trim().replace('\n', "; ");
        return Err(format!("npm could not install the packages of assets/: {reason}").into());
    }
    for (file, name) in FILES {
        let bytes = fs::read(packages.join("node_modules").join(file));
        let bytes = bytes.map_err(|error| format!("{file}: {error}"))?;
        fs::write(out.join(name), bytes)?;
    }
    fs::remove_dir_all(&packages)?;
    Ok(fs::write(installed, lock)?)
}
