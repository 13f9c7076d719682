//! Example pages for a new project on docwright's own git host.

use std::{fs, io, path::Path};

use serde_json::{Value, json};

const CONFIGURATION: &str = include_str!("../../starter/docs.json");
const PAGES: [(&str, &str); 3] = [
    ("index.mdx", include_str!("../../starter/index.mdx")),
    ("quickstart.mdx", include_str!("../../starter/quickstart.mdx")),
    ("components.mdx", include_str!("../../starter/components.mdx")),
];

/// Writes the pages and their configuration, for a site with this name.
pub(super) fn write(folder: &Path, name: &str) -> io::Result<()> {
    let mut configuration: Value = serde_json::from_str(CONFIGURATION)?;
    configuration["name"] = json!(name);
    fs::write(folder.join("docs.json"), format!("{configuration:#}\n"))?;
    PAGES.iter().try_for_each(|(path, text)| fs::write(folder.join(path), text))
}
