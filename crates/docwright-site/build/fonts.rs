//! Packs the fonts of npm packages, and computes the metrics of their fallbacks.
//!
//! What is left of a package is its WOFF2 files of some subsets, its license, and what the files say of
//! themselves. It becomes `fonts.rs`, a table that the compiler includes. `assets/fonts.mjs` makes the files smaller
//! that pages of the themes load first.

use std::{error::Error, fmt::Write as _, fs, path::Path, process::Command};

use serde_json::Value;
use ttf_parser::{Face, Tag};

const VARIABLE: &str = "node_modules/@fontsource-variable";
const STATIC: &str = "node_modules/@fontsource";

/// Families with every subset of their package: those of the themes.
const WHOLE: &[&str] = &["inter", "jetbrains-mono"];
/// Serif families: a slanted serif isn't an italic, so they have their own.
const WITH_ITALICS: &[&str] = &["lora", "merriweather", "playfair-display", "source-serif-4"];
/// The subsets of other families.
const LATIN: &[&str] = &["latin", "latin-ext"];
/// Weights of families that have a file for each.
const WEIGHTS: [u16; 4] = [400, 500, 600, 700];
/// What a reduced variable font has: the weights that styles use, and a file with every weight for the others.
const REDUCED: [(&str, &str); 3] =
    [("wght-normal", "400 700"), ("wght-normal-all", "100 399"), ("wght-normal-all", "701 900")];

/// How often each letter occurs in 10,000 letters of English text, and spaces between words.
const FREQUENCIES: [(char, f64); 27] = [
    (' ', 2000.0),
    ('e', 1270.0),
    ('t', 906.0),
    ('a', 817.0),
    ('o', 751.0),
    ('i', 697.0),
    ('n', 675.0),
    ('s', 633.0),
    ('h', 609.0),
    ('r', 599.0),
    ('d', 425.0),
    ('l', 403.0),
    ('c', 278.0),
    ('u', 276.0),
    ('m', 241.0),
    ('w', 236.0),
    ('f', 223.0),
    ('g', 202.0),
    ('y', 197.0),
    ('p', 193.0),
    ('b', 149.0),
    ('v', 98.0),
    ('k', 77.0),
    ('j', 15.0),
    ('x', 15.0),
    ('q', 10.0),
    ('z', 7.0),
];

/// The advance of monospaced fonts of operating systems, in units of an em of 2,048, as their `hmtx` tables have it:
/// of `Courier New`, `Liberation Mono`, and Cousine; of Menlo and `DejaVu Sans Mono`; of Consolas.
const MONOSPACED: [(&str, f64); 3] =
    [("MENLO", 1233.0), ("CONSOLAS", 1126.0), ("COURIER_NEW", 1229.0)];

/// Writes `fonts.rs` and the files it includes.
pub(crate) fn pack(packages: &Path, out: &Path) -> Result<(), Box<dyn Error>> {
    let folder = out.join("fonts");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    reduce(packages)?;
    let system = System::read(packages)?;
    let mut table = String::from("&[\n");
    for (parent, is_variable) in [(VARIABLE, true), (STATIC, false)] {
        let mut packages: Vec<_> =
            fs::read_dir(packages.join(parent))?.collect::<Result<_, _>>()?;
        packages.sort_by_key(fs::DirEntry::file_name);
        for package in packages {
            let id = package.file_name().to_string_lossy().into_owned();
            if ["arimo", "tinos"].contains(&id.as_str()) {
                continue;
            }
            let family = Package { id, folder: package.path(), is_variable };
            family.pack(&folder, &system, &mut table)?;
        }
    }
    table.push(']');
    fs::write(out.join("fonts.rs"), table)?;
    Ok(())
}

/// Runs `assets/fonts.mjs`.
fn reduce(packages: &Path) -> Result<(), Box<dyn Error>> {
    let output = Command::new("node").arg("fonts.mjs").current_dir(packages).output()?;
    if !output.status.success() {
        let reason = String::from_utf8_lossy(&output.stderr).trim().replace('\n', "; ");
        return Err(format!("fonts can't be made smaller: {reason}").into());
    }
    Ok(())
}

/// Fonts with the widths of those of operating systems: Arimo has those of Arial, Tinos those of Times New Roman.
struct System {
    arial: [f64; 2],
    times: [f64; 2],
}

impl System {
    fn read(packages: &Path) -> Result<Self, Box<dyn Error>> {
        let widths = |id: &str| -> Result<[f64; 2], Box<dyn Error>> {
            let width = |weight| {
                let name = format!("{STATIC}/{id}/files/{id}-latin-{weight}-normal.woff2");
                Ok::<_, Box<dyn Error>>(Metrics::read(&packages.join(name), None)?.width)
            };
            Ok([width(400)?, width(700)?])
        };
        Ok(Self { arial: widths("arimo")?, times: widths("tinos")? })
    }
}

struct Package {
    id: String,
    folder: std::path::PathBuf,
    is_variable: bool,
}

impl Package {
    fn json(&self, name: &str) -> Result<Value, Box<dyn Error>> {
        Ok(serde_json::from_str(&fs::read_to_string(self.folder.join(name))?)?)
    }

    /// Copies the files of the family, and adds its row to the table.
    fn pack(&self, to: &Path, system: &System, table: &mut String) -> Result<(), Box<dyn Error>> {
        let id = &self.id;
        let (about, ranges) = (self.json("metadata.json")?, self.json("unicode.json")?);
        if about["license"]["type"] != "OFL-1.1" {
            return Err(format!("the font {id} isn't under the OFL").into());
        }
        let kind = match about["category"].as_str() {
            Some("monospace") => "Monospaced",
            Some("serif") => "Serif",
            _ => "Sans",
        };
        fs::copy(self.folder.join("LICENSE"), to.join(format!("{id}.txt")))?;
        let name = about["family"].as_str().ok_or("a font has no name")?;
        writeln!(
            table,
            "Family {{ id: {id:?}, name: {name:?}, kind: Kind::{kind}, \
             license: include_str!(concat!(env!(\"OUT_DIR\"), \"/fonts/{id}.txt\")), faces: &["
        )?;
        let subsets: Vec<_> =
            ["latin", "latin-ext", "cyrillic", "cyrillic-ext", "greek", "greek-ext", "vietnamese"]
                .into_iter()
                .filter(|subset| LATIN.contains(subset) || WHOLE.contains(&id.as_str()))
                .filter(|subset| ranges[*subset].is_string())
                .collect();
        let mut push = |subset: &str, file: &str, style: &str, weights: &str| {
            let file = format!("{id}-{subset}-{file}.woff2");
            fs::copy(self.folder.join("files").join(&file), to.join(&file))?;
            writeln!(
                table,
                "    Face {{ subset: {subset:?}, style: {style:?}, weights: {weights:?}, range: {}, \
                 file: include_bytes!(concat!(env!(\"OUT_DIR\"), \"/fonts/{file}\")) }},",
                ranges[subset],
            )?;
            Ok::<_, Box<dyn Error>>(())
        };
        for (file, style, weights) in self.variants(&about) {
            for subset in &subsets {
                if self.is_reduced(subset) {
                    for (file, weights) in REDUCED {
                        push(subset, file, style, weights)?;
                    }
                } else {
                    push(subset, &file, style, &weights)?;
                }
            }
        }
        writeln!(table, "], fallbacks: &[{}] }},", self.fallbacks(kind, system)?)?;
        Ok(())
    }

    /// The end of the filename, the style, and the weights of each variant.
    fn variants(&self, about: &Value) -> Vec<(String, &'static str, String)> {
        let styles: &[_] = if WITH_ITALICS.contains(&self.id.as_str()) {
            &["normal", "italic"]
        } else {
            &["normal"]
        };
        let axis = &about["variable"]["wght"];
        let bounds = axis["min"].as_str().zip(axis["max"].as_str());
        let has = |weight: &u16| {
            about["weights"].as_array().is_some_and(|all| all.contains(&Value::from(*weight)))
        };
        let of_style = |style: &&'static str| -> Vec<_> {
            if self.is_variable {
                let weights = bounds.map(|(from, to)| format!("{from} {to}")).unwrap_or_default();
                return vec![(format!("wght-{style}"), *style, weights)];
            }
            let weights = WEIGHTS.iter().filter(|weight| has(weight));
            weights
                .map(|weight| (format!("{weight}-{style}"), *style, weight.to_string()))
                .collect()
        };
        styles.iter().flat_map(of_style).collect()
    }

    /// Whether a subset has a file with the usual weights, and one with all.
    fn is_reduced(&self, subset: &str) -> bool {
        self.is_variable && subset == "latin" && WHOLE.contains(&self.id.as_str())
    }

    /// How the fonts of operating systems are fitted to this one.
    fn fallbacks(&self, kind: &str, system: &System) -> Result<String, Box<dyn Error>> {
        let metrics = |weight: u16| {
            let (file, weight) = if self.is_variable {
                ("wght".to_owned(), Some(f32::from(weight)))
            } else {
                (weight.to_string(), None)
            };
            let name = format!("files/{}-latin-{file}-normal.woff2", self.id);
            Metrics::read(&self.folder.join(name), weight)
        };
        let (regular, bold) = (metrics(400)?, metrics(700)?);
        let mut fallbacks = String::new();
        let mut push = |font: &str, metrics: &Metrics, width: f64| -> std::fmt::Result {
            let size = metrics.width / width;
            write!(
                fallbacks,
                "Fallback {{ font: SystemFont::{font}, size: {:.2}, ascent: {:.2}, descent: {:.2}, gap: {:.2} }}, ",
                100.0 * size,
                100.0 * metrics.ascent / size,
                100.0 * metrics.descent / size,
                100.0 * metrics.gap / size,
            )
        };
        if kind == "Monospaced" {
            for (font, width) in MONOSPACED {
                push(font, &regular, width / 2048.0)?;
            }
        } else {
            let (fonts, widths) = match kind {
                "Serif" => (["TIMES", "TIMES_BOLD"], system.times),
                _ => (["ARIAL", "ARIAL_BOLD"], system.arial),
            };
            push(fonts[0], &regular, widths[0])?;
            push(fonts[1], &bold, widths[1])?;
        }
        Ok(fallbacks)
    }
}

/// Measures of a font, in ems.
struct Metrics {
    ascent: f64,
    descent: f64,
    gap: f64,
    /// Average advance of a letter.
    width: f64,
}

impl Metrics {
    /// Reads a WOFF2 file, a variable one at a weight.
    fn read(path: &Path, weight: Option<f32>) -> Result<Self, Box<dyn Error>> {
        let fail = |problem: &str| format!("{}: {problem}", path.display());
        let font = wuff::decompress_woff2(&fs::read(path)?).map_err(|_| fail("isn't WOFF2"))?;
        let mut face = Face::parse(&font, 0).map_err(|error| fail(&error.to_string()))?;
        if let Some(weight) = weight {
            face.set_variation(Tag::from_bytes(b"wght"), weight)
                .ok_or_else(|| fail("has no weights"))?;
        }
        let em = f64::from(face.units_per_em());
        let (mut width, mut letters) = (0.0, 0.0);
        for (letter, frequency) in FREQUENCIES {
            let glyph = face.glyph_index(letter).ok_or_else(|| fail("lacks a letter"))?;
            let advance = face.glyph_hor_advance(glyph).ok_or_else(|| fail("lacks an advance"))?;
            width += frequency * f64::from(advance);
            letters += frequency;
        }
        Ok(Self {
            ascent: f64::from(face.ascender()) / em,
            descent: -f64::from(face.descender()) / em,
            gap: f64::from(face.line_gap()) / em,
            width: width / letters / em,
        })
    }
}
