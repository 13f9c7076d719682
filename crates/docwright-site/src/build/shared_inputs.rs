//! One hash of everything that all pages of a site share: if it differs, each page is rendered.
//!
//! Correctness comes before granularity. What can't be shown to be independent of a page is in here, and values are
//! hashed as their `Debug` form, so that a new field can't be forgotten.

use std::fmt::{self, Write};

use rayon::prelude::*;
use sha2::{Digest, Sha256};

use super::Site;
use crate::{Options, content::Page, result_cache::CODE, source::Source};

/// The hash of what the pages of a site share.
pub(super) fn shared_inputs(site: &Site<'_>) -> [u8; 32] {
    let Site { source, content, context, navigation: _, options, fonts, styles, scripts, .. } =
        site;
    let Options { site_url, site_url_wins, paths, features, repository, .. } = options;
    let mut hash = Text::default();
    hash.add(&CODE);
    hash.add(&(site_url, site_url_wins, paths, features, repository));
    hash.add(&(&content.config, &content.navigation, &content.missing_specs));
    hash.add(&(fonts, styles, scripts, &context.grammars));
    hash.add(&content.specs.iter().map(|spec| (&spec.path, spec.is_async)).collect::<Vec<_>>());
    let pages: Vec<_> = content.pages.values().collect();
    for page in pages.par_iter().map(|page| page_inputs(page)).collect::<Vec<_>>() {
        hash.add_bytes(&page);
    }
    add_paths(&mut hash, source);
    hash.finish()
}

/// The hash of what the bodies of pages share: not the navigation, nor what other pages say about themselves. A body
/// records which titles it shows.
pub(super) fn body_inputs(site: &Site<'_>) -> [u8; 32] {
    let Site { source, content, context, .. } = site;
    let mut hash = Text::default();
    hash.add(&(&content.config, &content.missing_specs, &context.grammars));
    hash.add(&content.specs.iter().map(|spec| (&spec.path, spec.is_async)).collect::<Vec<_>>());
    for page in content.pages.values() {
        hash.add(&(&page.slug, &page.path, &page.part));
    }
    add_paths(&mut hash, source);
    hash.finish()
}

/// Adds the files that there are.
fn add_paths(hash: &mut Text, source: &Source) {
    for path in source.paths().chain(source.settings()) {
        hash.add(&path);
    }
    hash.add(&"too large");
    for path in source.too_large_paths() {
        hash.add(&(path, source.too_large(path)));
    }
}

/// The hash of what other pages can show of a page.
pub(super) fn page_inputs(page: &Page) -> [u8; 32] {
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
    let mut hash = Text::default();
    hash.add(&(slug, path, frontmatter, kind, part, missing_specs, visibility, language));
    hash.finish()
}

/// Bytes that are hashed at once.
const AT_ONCE: usize = 8 * 1024;

/// A hash of texts.
#[derive(Default)]
struct Text {
    hash: Sha256,
    /// What isn't hashed yet: `Debug` writes a few bytes at a time.
    waiting: String,
}

impl Text {
    fn add_bytes(&mut self, bytes: &[u8]) {
        self.hash_waiting();
        self.hash.update(bytes);
    }

    fn hash_waiting(&mut self) {
        self.hash.update(&self.waiting);
        self.waiting.clear();
    }

    fn finish(mut self) -> [u8; 32] {
        self.hash_waiting();
        self.hash.finalize().into()
    }

    /// Adds the `Debug` form of a value, which can't be confused with the next one.
    fn add(&mut self, value: &dyn fmt::Debug) {
        // Writing to a hash doesn't fail.
        let _ = writeln!(self, "{value:?}");
    }
}

impl Write for Text {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.waiting.push_str(text);
        if self.waiting.len() > AT_ONCE {
            self.hash_waiting();
        }
        Ok(())
    }
}
