//! `_docwright/pages.json`: a fingerprint of the text of each page, independent of the site's URL.
//!
//! Markdown versions contain the URL of their site, so those of a preview and of the published site differ even if
//! no text does.

use std::{collections::BTreeMap, io};

use sha2::{Digest, Sha256};

use super::PageSummary;
use crate::{content::Page, output::Output, render::PageMarkdown};

/// Path of the file: an object of page paths and fingerprints.
pub const FINGERPRINTS: &str = "_docwright/pages.json";
/// Bytes of a hash that distinguishes texts.
const LENGTH: usize = 16;

/// The fingerprint of a page with a Markdown version, before the URL of the site is inserted.
pub fn fingerprint(page: &Page, markdown: &PageMarkdown) -> String {
    let mut hash = Sha256::new();
    let description = page.frontmatter.description.as_deref().unwrap_or_default();
    for part in [&page.frontmatter.title, description, &markdown.text] {
        hash.update(part.len().to_le_bytes());
        hash.update(part);
    }
    hash.update(markdown.props);
    hex::encode(&hash.finalize()[..LENGTH])
}

pub(super) fn write(pages: &[PageSummary], output: &dyn Output) -> io::Result<()> {
    let pages: BTreeMap<_, _> =
        pages.iter().map(|page| (page.slug.as_str(), page.fingerprint.as_str())).collect();
    output.write(FINGERPRINTS, &serde_json::to_vec(&pages)?)
}
