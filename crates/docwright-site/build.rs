//! Packs the icons of three npm packages into one compressed table for `render::icons`.
//!
//! A line an icon: `library/style/name`, view box and content, divided by tabs. Node.js is a build
//! tool only: nothing of it is in the binary.

use std::{
    collections::BTreeMap,
    env,
    error::Error,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

type Icons = BTreeMap<String, String>;

fn main() -> Result<(), Box<dyn Error>> {
    for file in ["build.rs", "assets/package.json", "assets/package-lock.json"] {
        println!("cargo::rerun-if-changed={file}");
    }
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let packages = install(&out)?;
    let mut icons = Icons::new();
    add_folder(&mut icons, "lucide/regular", &packages.join("lucide-static/icons"))?;
    for style in ["outline", "filled"] {
        add_folder(&mut icons, &format!("tabler/{style}"), &packages.join("@tabler/icons/icons").join(style))?;
    }
    let awesome = packages.join("@fortawesome/fontawesome-free");
    for style in ["solid", "regular", "brands"] {
        add_folder(&mut icons, &format!("fontawesome/{style}"), &awesome.join("svgs").join(style))?;
    }
    add_aliases(&mut icons, &awesome.join("metadata/icon-families.json"))?;
    let mut table = String::new();
    for (name, content) in &icons {
        table.push_str(name);
        table.push('\t');
        table.push_str(content);
        table.push('\n');
    }
    fs::write(out.join("icons.zst"), zstd::encode_all(table.as_bytes(), 19)?)?;
    Ok(())
}

/// Installs the packages below the build's own folder and returns where they are.
fn install(out: &Path) -> Result<PathBuf, Box<dyn Error>> {
    let folder = out.join("packages");
    fs::create_dir_all(&folder)?;
    for file in ["package.json", "package-lock.json"] {
        fs::copy(Path::new("assets").join(file), folder.join(file))?;
    }
    let install = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"];
    let npm = if cfg!(windows) { "npm.cmd" } else { "npm" };
    let status = Command::new(npm).args(install).current_dir(&folder).status().map_err(|error| {
        format!("cannot run npm, which the build needs to fetch icons: {error}; install Node.js 20 or later")
    })?;
    if !status.success() {
        return Err("`npm ci` failed while fetching icons; see its messages above, and check the network".into());
    }
    Ok(folder.join("node_modules"))
}

fn add_folder(icons: &mut Icons, prefix: &str, folder: &Path) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let (Some(name), Some("svg")) = (path.file_stem(), path.extension().and_then(|extension| extension.to_str())) else {
            continue;
        };
        let svg = fs::read_to_string(&path)?;
        if let Some(content) = minimal(&svg) {
            icons.insert(format!("{prefix}/{}", name.to_string_lossy()), content);
        }
    }
    Ok(())
}

/// View box and content of an SVG file, without comments and line breaks.
fn minimal(svg: &str) -> Option<String> {
    let open = svg.find("<svg")?;
    let head_end = open + svg[open..].find('>')?;
    let head = &svg[open..head_end];
    let view_box = head.split("viewBox=\"").nth(1)?.split('"').next()?;
    let mut content = svg[head_end + 1..svg.rfind("</svg>")?].to_owned();
    while let Some(start) = content.find("<!--") {
        let end = start + content[start..].find("-->")? + 3;
        content.replace_range(start..end, "");
    }
    let invisible = r#"<path stroke="none" d="M0 0h24v24H0z" fill="none" />"#;
    let content = content.replace(invisible, "").replace(" />", "/>");
    let content: Vec<_> = content.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    Some(format!("{view_box}\t{}", content.join("")))
}

/// Older names of Font Awesome icons.
fn add_aliases(icons: &mut Icons, metadata: &Path) -> Result<(), Box<dyn Error>> {
    let metadata: serde_json::Value = serde_json::from_str(&fs::read_to_string(metadata)?)?;
    for (name, family) in metadata.as_object().ok_or("Font Awesome's metadata is not an object")? {
        let aliases = family["aliases"]["names"].as_array().into_iter().flatten();
        for alias in aliases.filter_map(serde_json::Value::as_str) {
            for style in ["solid", "regular", "brands"] {
                let prefix = format!("fontawesome/{style}");
                if let Some(content) = icons.get(&format!("{prefix}/{name}")).cloned() {
                    icons.entry(format!("{prefix}/{alias}")).or_insert(content);
                }
            }
        }
    }
    Ok(())
}
