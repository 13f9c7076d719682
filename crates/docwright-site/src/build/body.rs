//! The body of a page, apart from what pages share.
//!
//! A page shows the titles of others, its neighbors, and the whole navigation. Its body follows from less: its own file,
//! what it reads, and the configuration. So if a title or the navigation changes, pages are only put together again, from
//! bodies that an earlier build rendered. The HTML of a body is not kept once more: it is a part of the page's HTML.

use std::{io, sync::Arc};

use serde::{Deserialize, Serialize};

use super::{
    Site,
    cached_pages::{CachedPages, Fingerprint},
    rendered_page::PageFacts,
    same_text::SameText,
    watch::{OpenPart, Part, Watch},
};
use crate::{
    content::Page,
    generated,
    output::Output,
    render::{self, ApiView, ContentsEntry, Read, RelatedLink, RenderContext, Rendered},
    result_cache::{ContentName, Key, Kind},
    search::PageText,
};

/// What the HTML of a page has before its body, with an end that follows.
const BEFORE: &str = "<div class=\"mdx-content ";

/// The body of a page.
pub(super) struct Body {
    pub(super) rendered: Rendered,
    /// The body as Markdown.
    pub(super) markdown: String,
    /// The fingerprint of the page's text.
    pub(super) fingerprint: String,
    /// The body as search sees it, if that is known.
    pub(super) text: Option<Arc<PageText>>,
}

/// The body of a page, as it is in the cache.
#[derive(Serialize, Deserialize)]
pub(super) struct KeptBody {
    /// What it read, as it was.
    pub(super) reads: Vec<(Read, Fingerprint)>,
    /// The hash of the entry of a page with this body.
    pub(super) page: [u8; 32],
    /// Where the body is in the HTML of that page. Bytes.
    pub(super) start: usize,
    /// Its length. Bytes.
    pub(super) length: usize,
    pub(super) parts: BodyParts,
}

/// What a page shows of its body in other places.
#[derive(Serialize, Deserialize)]
pub(super) struct BodyParts {
    contents: Vec<ContentsEntry>,
    panel: Option<String>,
    examples: Option<String>,
    views: Vec<String>,
    api: Option<ApiView>,
    update_count: usize,
    related: Vec<RelatedLink>,
    /// Paths of its scripts, in the order of loading.
    scripts: Vec<String>,
}

impl Body {
    /// Renders the body of a page, or takes from earlier pages what is the same.
    pub(super) fn render<'a>(
        context: &RenderContext<'a>,
        page: &'a Page,
        same: &mut SameText<'a>,
        watch: &dyn Watch,
    ) -> Self {
        let module = same.parse(context, page, watch);
        let _part = OpenPart::begin(watch, Part::Render);
        let (rendered, text) = same.render(context, page, &module);
        let markdown = render::markdown_of_parsed(context, page, module, &rendered.api_markdown);
        let fingerprint = generated::fingerprint(page, &markdown);
        Self { rendered, markdown: markdown.text, fingerprint, text }
    }
}

impl BodyParts {
    /// The parts of a rendered body.
    pub(super) fn of(rendered: &Rendered) -> Self {
        Self {
            contents: rendered.contents.clone(),
            panel: rendered.panel.clone(),
            examples: rendered.examples.clone(),
            views: rendered.views.clone(),
            api: rendered.api.clone(),
            update_count: rendered.update_count,
            related: rendered.related.clone(),
            scripts: rendered.scripts.iter().map(|(path, _)| path.clone()).collect(),
        }
    }

    /// The body with its HTML and what is known of its page. Its scripts are written already, so they are without contents.
    fn into_body(self, html: String, facts: PageFacts, text: Option<Arc<PageText>>) -> Body {
        let rendered = Rendered {
            html,
            contents: self.contents,
            panel: self.panel,
            examples: self.examples,
            views: self.views,
            api: self.api,
            update_count: self.update_count,
            updates: facts.updates,
            related: self.related,
            ids: facts.ids,
            anchor_links: facts.anchor_links,
            classes: facts.classes,
            scripts: self.scripts.into_iter().map(|path| (path, Arc::from(""))).collect(),
            diagnostics: facts.diagnostics,
            ..Rendered::default()
        };
        Body { rendered, markdown: facts.markdown, fingerprint: facts.fingerprint, text }
    }
}

impl<'a> Site<'a> {
    /// The body of a page as an earlier build rendered it, if it can be used again. `context` records what it read.
    pub(super) fn reuse_body(
        &self,
        (cached, key): (&CachedPages<'_>, &Key),
        context: &RenderContext<'a>,
        output: &dyn Output,
    ) -> io::Result<Option<Body>> {
        let Some(kept) = cached.read::<KeptBody>(key) else { return Ok(None) };
        if !cached.are_same(self, &kept.reads) {
            return Ok(None);
        }
        let page = Key { kind: Kind::Page, hash: kept.page };
        let Some((files, facts)) = cached.page(&page, &kept.reads) else { return Ok(None) };
        let Some(html) = body_of(&kept, &files.html, output) else { return Ok(None) };
        for (path, name) in &files.scripts {
            if !self.reuse_script(path, name, output)? {
                return Ok(None);
            }
        }
        let text = cached.document(&facts).map(|document| document.body);
        context.reads().extend(kept.reads.into_iter().map(|(read, _)| read));
        Ok(Some(kept.parts.into_body(html, facts, text)))
    }
}

/// The HTML of a body out of that of its page.
fn body_of(kept: &KeptBody, html: &ContentName, output: &dyn Output) -> Option<String> {
    let mut html = output.contents(html)?;
    let end = kept.start.checked_add(kept.length)?;
    if end > html.len() {
        return None;
    }
    html.truncate(end);
    String::from_utf8(html.split_off(kept.start)).ok()
}

/// Where a body starts in the HTML of its page, in bytes.
pub(super) fn start_of(body: &str, html: &str) -> Option<usize> {
    let before = html.find(BEFORE)?;
    let start = before + html[before..].find('>')? + 1;
    html[start..].starts_with(body).then_some(start)
}
