//! One hash of everything that all pages of a site share: if it differs, each page is rendered.
//!
//! Correctness comes before granularity. What can't be shown to be independent of a page is in here, and values are
//! hashed as their `Debug` form, so that a new field can't be forgotten.

use std::fmt::{self, Write};

use rayon::prelude::*;
use sha2::{Digest, Sha256};

use super::Site;
use crate::{Options, content::Page, result_cache::CODE};

/// The hash of what the pages of a site share.
pub(super) fn shared_inputs(site: &Site<'_>) -> [u8; 32] {
    let Site { source, content, context, navigation: _, options, fonts, styles, scripts, .. } =
        site;
    let Options { site_url, site_url_wins, paths, features, repository, .. } = options;
    let mut hash = Text(Sha256::new());
    hash.add(&CODE);
    hash.add(&(site_url, site_url_wins, paths, features, repository));
    hash.add(&(&content.config, &content.navigation, &content.missing_specs));
    hash.add(&(fonts, styles, scripts, &context.grammars));
    hash.add(&content.specs.iter().map(|spec| (&spec.path, spec.is_async)).collect::<Vec<_>>());
    let pages: Vec<_> = content.pages.values().collect();
    for page in pages.par_iter().map(|page| page_inputs(page)).collect::<Vec<_>>() {
        hash.0.update(page);
    }
    for path in source.paths().chain(source.settings()) {
        hash.add(&path);
    }
    hash.add(&"too large");
    for path in source.too_large_paths() {
        hash.add(&(path, source.too_large(path)));
    }
    hash.0.finalize().into()
}

/// The hash of what other pages can show of a page.
fn page_inputs(page: &Page) -> [u8; 32] {
    let Page {
        slug,
        path,
        frontmatter,
        // Only the page itself depends on the length of its frontmatter, and its key has its text.
        body_offset: _,
        body_line: _,
        kind,
        part,
        missing_specs,
        visibility,
        language,
    } = page;
    let mut hash = Text(Sha256::new());
    hash.add(&(slug, path, frontmatter, kind, part, missing_specs, visibility, language));
    hash.0.finalize().into()
}

/// A hash of texts.
struct Text(Sha256);

impl Text {
    /// Adds the `Debug` form of a value, which can't be confused with the next one.
    fn add(&mut self, value: &dyn fmt::Debug) {
        // Writing to a hash doesn't fail.
        let _ = writeln!(self, "{value:?}");
    }
}

impl Write for Text {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.update(text);
        Ok(())
    }
}
