//! Packs what the compiler takes from npm packages into the binary: icons, code themes, and fonts.
//!
//! Node.js is a build tool only. The packages are fixed by `assets/package-lock.json`, installed
//! below `OUT_DIR` without running any of their scripts, packed, and deleted again. What is left:
//!
//! - `icons-<library>.zst`: lines `key<TAB>viewBox<TAB>body` in the order of their keys, where a
//!   key is a name or `style/name`; an alias is `key<TAB>=other key`.
//! - `code-themes.zst`: lines `name<TAB>theme`, a theme as JSON with only its code colors.
//! - `preact.js`: Preact as a classic script, for pages with interactive components.
//! - `fonts.rs`: the fonts, as a table; see `build/fonts.rs`.
//! - `mermaid.zst`: mermaid.js as a classic script, for pages with a diagram that the build can't draw.
//! - `tailwind.zst` and `tailwind-theme.css`: the compiler of Tailwind CSS, and its theme.

#[path = "build/code.rs"]
mod code;
#[path = "build/fonts.rs"]
mod fonts;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, exit};
use std::{env, fs, io};

use serde_json::{Value, json};

const FONT_AWESOME: &str = "node_modules/@fortawesome/fontawesome-free";
const LUCIDE: &str = "node_modules/lucide-static";
const TABLER: &str = "node_modules/@tabler/icons";
const MERMAID: &str = "node_modules/mermaid";
const TAILWIND: &str = "node_modules/tailwindcss";

/// Themes that are not under a permissive license.
const LEFT_OUT: [&str; 1] = ["aurora-x"];

/// Body of an icon, or what it is another name of, by key.
type Icons = BTreeMap<String, String>;

fn main() {
    if let Err(error) = code::identify().map_err(Into::into).and_then(|()| pack_changed()) {
        println!("cargo::error={error}");
        exit(1);
    }
}

/// Packs everything, unless the last run packed the same: this program also runs when the compiler changes.
fn pack_changed() -> Result<(), Box<dyn std::error::Error>> {
    let out = env::var("OUT_DIR")?;
    let out = Path::new(&out);
    let (stamp, packed) = (out.join("packed"), code::hash(&["assets", "build", "build.rs"])?);
    if fs::read_to_string(&stamp).is_ok_and(|last| last == packed) {
        return Ok(());
    }
    pack_all(out)?;
    Ok(fs::write(stamp, packed)?)
}

fn pack_all(out: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let packages = out.join("npm");
    install(&packages)?;
    write(out, "icons-fontawesome.zst", &lines(&font_awesome(&packages)?))?;
    write(out, "icons-lucide.zst", &lines(&folder(&packages.join(LUCIDE).join("icons"), "")?))?;
    write(out, "icons-tabler.zst", &lines(&tabler(&packages)?))?;
    write(out, "code-themes.zst", &themes(&packages)?)?;
    fs::write(out.join("preact.js"), preact(&packages)?)?;
    write(out, "mermaid.zst", &fs::read(packages.join(MERMAID).join("dist/mermaid.min.js"))?)?;
    write(out, "tailwind.zst", &fs::read(packages.join(TAILWIND).join("dist/lib.js"))?)?;
    fs::copy(packages.join(TAILWIND).join("theme.css"), out.join("tailwind-theme.css"))?;
    fonts::pack(&packages, out)?;
    fs::remove_dir_all(&packages)?;
    Ok(())
}

/// Preact with its hooks and what it has of React, as one classic script.
fn preact(packages: &Path) -> io::Result<String> {
    let folder = packages.join("node_modules/preact");
    let mut script = String::new();
    for part in ["dist/preact.min.umd.js", "hooks/dist/hooks.umd.js", "compat/dist/compat.umd.js"] {
        let text = fs::read_to_string(folder.join(part))?;
        let code = text.lines().filter(|line| !line.starts_with("//# sourceMappingURL"));
        script.extend(code.flat_map(|line| [line, "\n"]));
    }
    Ok(script)
}

/// Runs `npm ci` in a fresh copy of the package files, beside the script that uses one of the packages.
fn install(packages: &Path) -> Result<(), Box<dyn std::error::Error>> {
    fs::create_dir_all(packages)?;
    for file in ["package.json", "package-lock.json", "fonts.mjs"] {
        fs::copy(Path::new("assets").join(file), packages.join(file))?;
    }
    let npm = if cfg!(windows) { "npm.cmd" } else { "npm" };
    let output = Command::new(npm)
        .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"])
        .current_dir(packages)
        .output()
        .map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => {
                "npm is missing: install Node.js 20 or newer with npm, which \
                 the build needs for icons, code themes, and fonts"
                    .to_owned()
            }
            _ => format!("npm can't be started: {error}"),
        })?;
    if !output.status.success() {
        let reason = String::from_utf8_lossy(&output.stderr).trim().replace('\n', "; ");
        return Err(format!("npm could not install the packages of assets/: {reason}").into());
    }
    Ok(())
}

/// Font Awesome: every style of its folders, its aliases, and the names of version 4.
fn font_awesome(packages: &Path) -> Result<Icons, Box<dyn std::error::Error>> {
    let package = packages.join(FONT_AWESOME);
    let mut icons = Icons::new();
    for style in ["solid", "regular", "brands"] {
        let found = folder(&package.join("svgs").join(style), &format!("{style}/"))?;
        icons.extend(found);
    }
    let families = fs::read_to_string(package.join("metadata/icon-families.json"))?;
    let families: BTreeMap<String, Value> = serde_json::from_str(&families)?;
    for (name, family) in &families {
        for alias in family["aliases"]["names"].as_array().into_iter().flatten() {
            let alias = alias.as_str().unwrap_or_default();
            add_alias(&mut icons, alias, name);
        }
    }
    // An unindented `old:` is followed by an indented `name: new` wherever the name changed.
    let mut old = String::new();
    for line in fs::read_to_string(package.join("metadata/shims.yml"))?.lines() {
        if let Some(new) = line.trim_start().strip_prefix("name:") {
            add_alias(&mut icons, &old, new.trim());
        } else if !line.starts_with(' ') {
            line.trim_end_matches(':').trim_matches('\'').clone_into(&mut old);
        }
    }
    Ok(icons)
}

/// Adds an alias in each style that has the icon and not the alias.
fn add_alias(icons: &mut Icons, alias: &str, name: &str) {
    for style in ["solid", "regular", "brands"] {
        let target = format!("{style}/{name}");
        if icons.get(&target).is_some_and(|body| !body.starts_with('=')) {
            icons.entry(format!("{style}/{alias}")).or_insert(format!("={target}"));
        }
    }
}

/// Tabler: outlines by name, filled ones as `filled/name`.
fn tabler(packages: &Path) -> io::Result<Icons> {
    let icons = packages.join(TABLER).join("icons");
    let mut all = folder(&icons.join("outline"), "")?;
    all.extend(folder(&icons.join("filled"), "filled/")?);
    Ok(all)
}

/// The SVG files of a folder, by filename after `prefix`.
fn folder(path: &Path, prefix: &str) -> io::Result<Icons> {
    let mut icons = Icons::new();
    for entry in fs::read_dir(path)? {
        let path = entry?.path();
        if path.extension().is_none_or(|extension| extension != "svg") {
            continue;
        }
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        icons.insert(format!("{prefix}{name}"), minimal(&fs::read_to_string(&path)?));
    }
    Ok(icons)
}

/// `viewBox<TAB>body` of an SVG file, without comments, white space and what is always the same.
fn minimal(svg: &str) -> String {
    let view_box = svg.split("viewBox=\"").nth(1).and_then(|rest| rest.split('"').next());
    let body = svg.split_once("<svg").and_then(|(_, rest)| rest.split_once('>'));
    let mut body = body.map_or("", |(_, rest)| rest).trim_end().trim_end_matches("</svg>");
    if let Some((_, rest)) = body.split_once("-->") {
        body = rest;
    }
    let body = body.split_whitespace().collect::<Vec<_>>().join(" ");
    let body = body
        .replace("<path stroke=\"none\" d=\"M0 0h24v24H0z\" fill=\"none\" />", "")
        .replace(" fill=\"currentColor\"", "")
        .replace("> <", "><")
        .replace(" />", "/>");
    format!("{}\t{}", view_box.unwrap_or("0 0 24 24"), body.trim())
}

fn lines(icons: &Icons) -> Vec<u8> {
    let lines = icons.iter().map(|(key, body)| format!("{key}\t{body}\n"));
    lines.collect::<String>().into_bytes()
}

/// The themes, cut down to what concerns code, as `name<TAB>theme`.
fn themes(packages: &Path) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let mut themes = BTreeMap::new();
    for entry in fs::read_dir(packages.join("node_modules/tm-themes/themes"))? {
        let path = entry?.path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if LEFT_OUT.contains(&name.as_str()) {
            continue;
        }
        let theme: Value = serde_json::from_str(&fs::read_to_string(&path)?)?;
        themes.insert(name, code_theme(&theme).to_string());
    }
    Ok(themes.iter().flat_map(|(name, theme)| format!("{name}\t{theme}\n").into_bytes()).collect())
}

fn code_theme(theme: &Value) -> Value {
    // What editors fall back to where a theme says nothing.
    let plain = if theme["type"] == "light" { "#333333" } else { "#bbbbbb" };
    let colors = &theme["colors"];
    let foreground =
        ["editor.foreground", "foreground"].into_iter().find_map(|key| colors[key].as_str());
    let rules = theme["tokenColors"].as_array().into_iter().flatten();
    json!({
        "colors": {
            "editor.background": colors["editor.background"],
            "editor.foreground": foreground.unwrap_or(plain),
        },
        "tokenColors": rules.filter_map(code_rule).collect::<Vec<_>>(),
    })
}

/// A rule of a theme without what is no color, and with only the selectors that mean something:
/// some themes have slips such as a leading dot, or exclusions, which editors ignore in themes.
fn code_rule(rule: &Value) -> Option<Value> {
    let mut settings = rule["settings"].as_object()?.clone();
    settings.retain(|key, value| {
        key == "fontStyle" || value.as_str().is_some_and(|color| color.starts_with('#'))
    });
    let selectors = match &rule["scope"] {
        Value::String(one) => vec![one.as_str()],
        Value::Array(many) => many.iter().filter_map(Value::as_str).collect(),
        _ => return Some(json!({ "settings": settings })),
    };
    let split = selectors.iter().flat_map(|selectors| selectors.split(',')).map(str::trim);
    let scope: Vec<&str> = split.filter(|selector| is_selector(selector)).collect();
    (!scope.is_empty()).then(|| json!({ "scope": scope, "settings": settings }))
}

fn is_selector(selector: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"_-:.*".contains(&byte);
    !selector.is_empty()
        && selector.split_whitespace().all(|part| {
            part == ">"
                || part != "-"
                    && part.bytes().all(allowed)
                    && part.split('.').all(|name| !name.is_empty())
        })
}

fn write(out: &Path, name: &str, contents: &[u8]) -> io::Result<()> {
    fs::write(out.join(name), zstd::encode_all(contents, 19)?)
}
