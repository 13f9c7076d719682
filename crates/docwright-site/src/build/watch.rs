//! What a build is doing, for its caller to show or to measure: the compiler has no clock.

use super::Progress;

/// Follows a build. Stages follow each other; pages, and so their parts, are on several threads.
pub trait Watch: Sync {
    /// A stage begins, and the one before it is over.
    fn begin_stage(&self, _stage: Stage) {}

    /// A part of a page begins on this thread.
    fn begin_part(&self, _part: Part) {}

    /// The part of a page is over that began on this thread.
    fn end_part(&self, _part: Part) {}

    /// A page is rendered.
    fn report(&self, _progress: Progress) {}
}

/// A stage of a build.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// The configuration, navigation, frontmatter, and API specs.
    Configuration,
    /// Parsing, rendering, and compressing pages, or taking them from the cache.
    Pages,
    /// Links to anchors.
    Anchors,
    /// The search index, styles, scripts, and static files.
    Index,
    /// The sitemap, feeds, and files for agents.
    Generated,
}

/// A part of the work for one page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Its MDX.
    Parse,
    /// The HTML and the Markdown of its body.
    Render,
    /// The page around the body.
    Assemble,
}

/// Ignores everything.
pub(super) struct NoWatch;

impl Watch for NoWatch {}

/// Passes on only how many pages are rendered.
pub(super) struct OnlyProgress<'p>(pub(super) &'p (dyn Fn(Progress) + Sync));

impl Watch for OnlyProgress<'_> {
    fn report(&self, progress: Progress) {
        (self.0)(progress);
    }
}

/// A part of a page that is over when this is dropped.
pub(super) struct OpenPart<'w> {
    watch: &'w dyn Watch,
    part: Part,
}

impl<'w> OpenPart<'w> {
    /// Begins a part.
    pub(super) fn begin(watch: &'w dyn Watch, part: Part) -> Self {
        watch.begin_part(part);
        Self { watch, part }
    }
}

impl Drop for OpenPart<'_> {
    fn drop(&mut self) {
        self.watch.end_part(self.part);
    }
}
