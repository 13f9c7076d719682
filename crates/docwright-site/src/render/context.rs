//! State that the pages of a site share during rendering, from several threads.

use std::{
    cell::RefCell,
    collections::{BTreeMap, HashMap},
    ops::Deref,
    sync::{Arc, RwLock},
};

use super::{
    code::Highlighter,
    evaluate::Scope,
    icons::Icons,
    mermaid::Diagrams,
    module::Module,
    reads::{Read, Reads},
    svg,
};
use crate::script::{self, Script, SyntaxError};
use crate::{
    Diagnostic,
    content::{
        Content, document, frontmatter, is_markdown,
        links::{Links, Resolution},
        openapi::Part,
    },
    source::Source,
};

/// A script, or the error.
type ReadScript = Result<Arc<Script>, SyntaxError>;

/// Bytes of an image that are read for its size.
const IMAGE_HEAD: usize = 64 * 1024;

/// What the pages of a site share during rendering; caches are filled on demand.
#[derive(Debug)]
pub struct SharedContext<'a> {
    /// The files. Rendering reads their contents through [`RenderContext`], which records it.
    pub source: &'a Source,
    /// The content model.
    pub content: &'a Content,
    /// The targets of links. Bodies resolve them with [`RenderContext::resolve`], which records it.
    pub links: Links<'a>,
    /// Icons by name.
    pub icons: Icons,
    /// Code in color.
    pub highlighter: Highlighter,
    /// Files with the grammars of code, with their contents.
    pub grammars: Vec<(String, Option<String>)>,
    /// Diagrams by source.
    pub diagrams: Diagrams,
    /// The page of each part of an API spec that has one, by slug.
    parts: HashMap<&'a Part, &'a str>,
    snippets: RwLock<HashMap<String, Option<Arc<Module>>>>,
    scripts: RwLock<HashMap<String, Option<ReadScript>>>,
    image_sizes: RwLock<HashMap<String, Option<(usize, usize)>>>,
}

/// The view of one page on the shared state. It records what the page reads.
#[derive(Debug)]
pub struct RenderContext<'a> {
    shared: Arc<SharedContext<'a>>,
    /// Missing anchors by slug and id, with the certain correction if known.
    dead_anchors: Arc<DeadAnchors>,
    reads: Reads,
}

/// Missing anchors by slug and id, with the certain correction if known.
pub type DeadAnchors = BTreeMap<(String, String), Option<String>>;

impl<'a> Deref for RenderContext<'a> {
    type Target = SharedContext<'a>;

    fn deref(&self) -> &SharedContext<'a> {
        &self.shared
    }
}

impl<'a> RenderContext<'a> {
    /// Prepares the rendering of a site. Errors in its code themes become diagnostics.
    pub fn new(source: &'a Source, content: &'a Content) -> (Self, Vec<Diagnostic>) {
        Self::prepare(source, content, |_| {})
    }

    /// Prepares the rendering of a site whose HTML is discarded: code gets no colors.
    pub fn without_colors(source: &'a Source, content: &'a Content) -> (Self, Vec<Diagnostic>) {
        Self::prepare(source, content, Highlighter::turn_off)
    }

    fn prepare(
        source: &'a Source,
        content: &'a Content,
        change: impl FnOnce(&mut Highlighter),
    ) -> (Self, Vec<Diagnostic>) {
        let grammars = RefCell::new(Vec::new());
        let (mut highlighter, diagnostics) = Highlighter::new(&content.config, |path| {
            let text = source.text(path).map(str::to_owned);
            grammars.borrow_mut().push((path.to_owned(), text.clone()));
            text
        });
        change(&mut highlighter);
        let shared = SharedContext {
            source,
            content,
            links: Links::new(content, source),
            icons: Icons::new(&content.config.icon_library),
            highlighter,
            grammars: grammars.into_inner(),
            diagrams: Diagrams::default(),
            parts: content
                .pages
                .values()
                .rev()
                .filter_map(|page| Some((page.part.as_ref()?, page.slug.as_str())))
                .collect(),
            snippets: RwLock::default(),
            scripts: RwLock::default(),
            image_sizes: RwLock::default(),
        };
        let (dead_anchors, reads) = (Arc::default(), Reads::default());
        (Self { shared: Arc::new(shared), dead_anchors, reads }, diagnostics)
    }

    /// The view of another page, which has read nothing yet.
    #[must_use]
    pub fn for_page(&self) -> Self {
        let (shared, dead_anchors) = (Arc::clone(&self.shared), Arc::clone(&self.dead_anchors));
        Self { shared, dead_anchors, reads: Reads::default() }
    }

    /// The view of a page with copies, whose targets of links are recorded.
    #[must_use]
    pub fn for_page_with_copies(&self) -> Self {
        Self { reads: Reads::with_link_targets(), ..self.for_page() }
    }

    /// What the page has read so far.
    pub fn reads(&self) -> &Reads {
        &self.reads
    }

    /// Sets the missing anchors with their corrections. They apply to pages that are rendered from now on.
    pub fn set_dead_anchors(&mut self, anchors: DeadAnchors) {
        self.dead_anchors = Arc::new(anchors);
    }

    /// Those of the missing anchors that a page links to, in order.
    pub fn dead_anchors<'k>(
        &self,
        links: impl Iterator<Item = (&'k str, &'k str)>,
    ) -> Vec<(&(String, String), &Option<String>)> {
        let found = |(slug, fragment): (&str, &str)| {
            self.dead_anchors.get_key_value(&(slug.to_owned(), fragment.to_owned()))
        };
        links.filter_map(found).collect()
    }

    /// The anchor of a link, unless it is known to be missing.
    pub(super) fn place<'f>(&'f self, slug: &str, fragment: &'f str) -> Option<&'f str> {
        if self.dead_anchors.is_empty() {
            return Some(fragment);
        }
        match self.dead_anchors.get(&(slug.to_owned(), fragment.to_owned())) {
            Some(meant) => meant.as_deref(),
            None => Some(fragment),
        }
    }

    /// The target of a link in a file of the page.
    pub fn resolve(&self, path: &str, href: &str) -> Resolution {
        let target = self.links.resolve(path, href);
        self.reads.record_target(href, &target);
        target
    }

    /// The slug of the first page that shows a part of an API spec.
    pub(super) fn page_of(&self, part: &Part) -> Option<&'a str> {
        self.parts.get(part).copied()
    }

    /// The title of another page.
    pub(super) fn title(&self, slug: &str) -> Option<&'a String> {
        self.reads.record(Read::Title(slug.to_owned()));
        self.content.pages.get(slug).map(|page| &page.frontmatter.title)
    }

    /// The text of a file other than the page's own; `None` if there is none.
    pub(super) fn text(&self, path: &str) -> Option<&'a str> {
        self.reads.record(Read::Text(path.to_owned()));
        self.source.text(path)
    }

    /// A snippet file, parsed once; `None` if the file doesn't exist.
    pub fn snippet(&self, path: &str) -> Option<Arc<Module>> {
        self.reads.record(Read::Text(path.to_owned()));
        cached(&self.snippets, path, || {
            let text = self.source.text(path)?;
            let split = frontmatter::split(text);
            Some(Arc::new(Module::parse(&text[split.body_offset..], split.body_line)))
        })
    }

    /// The names in a file with known values: its own constants, and those imported from snippets. JSX stays in
    /// its own file, where its names are defined.
    pub(super) fn constants(&self, path: &str, module: &Module) -> Scope {
        let mut scope = Scope::new();
        for import in module.imports.iter().filter(|import| import.is_snippet()) {
            let Some(name) = &import.imported else { continue };
            let target = document::join(path, &import.target).and_then(|path| self.snippet(&path));
            if let Some(value) = target.as_deref().and_then(|target| target.constants.get(name))
                && value.is_data()
            {
                scope.insert(import.local.clone(), value.clone());
            }
        }
        scope.extend(module.constants.clone());
        scope
    }

    /// The code of a file, transpiled once; for a page, which is parsed already, or a snippet, its statements. Empty if the
    /// file doesn't exist.
    pub(super) fn script(
        &self,
        path: &str,
        page: Option<&Arc<Module>>,
    ) -> Result<Arc<Script>, SyntaxError> {
        self.reads.record(Read::Text(path.to_owned()));
        let script = cached(&self.scripts, path, || {
            let script = if is_markdown(path) {
                let module =
                    page.map_or_else(|| self.snippet(path), |page| Some(Arc::clone(page)))?;
                script::transpile_module(&module.code_text, path)
                    .map_err(|error| SyntaxError { line: module.line_of_code(error.line), ..error })
            } else {
                script::transpile_module(self.source.text(path)?, path)
            };
            Some(script.map(Arc::new))
        });
        script.unwrap_or_else(|| Ok(Arc::default()))
    }

    /// Width and height of an image in the repository, in pixels, if its header contains them.
    pub fn image_size(&self, path: &str) -> Option<(usize, usize)> {
        self.reads.record(Read::ImageSize(path.to_owned()));
        cached(&self.image_sizes, path, || {
            let head = self.source.head(path, IMAGE_HEAD)?;
            if path.to_ascii_lowercase().ends_with(".svg") {
                return svg::size(&String::from_utf8_lossy(&head));
            }
            let size = imagesize::blob_size(&head).ok()?;
            (size.width > 0 && size.height > 0).then_some((size.width, size.height))
        })
    }
}

fn cached<T: Clone>(
    cache: &RwLock<HashMap<String, Option<T>>>,
    key: &str,
    make: impl FnOnce() -> Option<T>,
) -> Option<T> {
    if let Ok(cache) = cache.read()
        && let Some(known) = cache.get(key)
    {
        return known.clone();
    }
    let made = make();
    if let Ok(mut cache) = cache.write() {
        cache.insert(key.to_owned(), made.clone());
    }
    made
}
