//! The flow of the compiler: from the files of a docs root to the files of a site.

mod anchors;
mod body;
mod cached_pages;
mod check;
mod draft;
mod external_links;
mod ignore;
mod moved;
mod not_found;
mod pages;
mod rendered_page;
mod repair;
mod report;
mod request_origins;
mod same_text;
mod shared_inputs;
mod sidebars;
mod styles;
mod watch;

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    sync::{
        Mutex, OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
};

use docwright_types::release::SiteConfiguration;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{
    Diagnostic, Options,
    bundle::HomeLanguage,
    content::{
        Content, ContentError, Page, PageKind,
        links::{is_published, relative},
        navigation::{NavigationIndex, view::Target},
        openapi::Spec,
        stylesheets::relative_urls,
    },
    embedding::{self, Embedder, WriteError},
    generated::{self, GeneratedInput, PageSummary},
    output::{Limited, Output},
    render::RenderContext,
    search::{self, SearchedPage},
    source::Source,
    theme::{self, FrameIcons, SiteFonts},
};

use anchors::{DeadLink, broken_anchor, dead_links, places};
use cached_pages::CachedPages;
pub use check::{Checked, check, read_page};
pub use draft::{Draft, draft};
pub use ignore::{Ignored, IgnoredBy};
pub use moved::{MovedLink, moved_links};
use rendered_page::{PageScripts, RenderedPage};
pub use repair::{BrokenLinkReason, LinkToRepair, links_to_repair};
pub use report::{Embedded, Report};
use same_text::{Numbered, SameText};
use sidebars::LongSidebars;
use watch::{NoWatch, OnlyProgress};
pub use watch::{Part, Stage, Watch};

/// Stack of a rendering thread: the deepest tree that parsing lets through needs less. Bytes.
const STACK: usize = 64 * 1024 * 1024;

/// How far a build is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// Pages rendered so far.
    pub rendered: usize,
    /// Pages in all.
    pub total: usize,
}

/// Why a site can't be built at all.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// There is nothing to render from.
    #[error(transparent)]
    Content(#[from] ContentError),
    /// `Options::paths` names a page that does not exist.
    #[error(
        "there is no page `{path}`; paths are addresses below the site root, such as guides/start"
    )]
    UnknownPath {
        /// The path.
        path: String,
    },
    /// The output can't be written.
    #[error(
        "cannot write the site: {0}; check the space on the disk and the permissions of the folder"
    )]
    Output(#[from] io::Error),
    /// The site is larger than [`Options::limits`] allow.
    #[error("the site {0}, the limit; look for text that is included in many pages")]
    TooLarge(String),
    /// The threads can't be started.
    #[error("cannot start rendering: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
}

/// Builds the site of a docs root into `output`. `progress` is called from several threads.
pub fn build(
    source: &Source,
    options: &Options,
    output: &dyn Output,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Report, BuildError> {
    build_with(source, (options, None), output, progress)
}

/// Builds a site like [`build`], whose sections get vectors of an embedder if its server answers questions. If the
/// embedder fails, they get none, and the report says why.
pub fn build_with(
    source: &Source,
    (options, embedder): (&Options, Option<&dyn Embedder>),
    output: &dyn Output,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Report, BuildError> {
    build_watched(source, (options, embedder), output, &OnlyProgress(progress))
}

/// Builds a site like [`build_with`], for a caller that wants to know what the build is doing.
pub fn build_watched(
    source: &Source,
    (options, embedder): (&Options, Option<&dyn Embedder>),
    output: &dyn Output,
    watch: &dyn Watch,
) -> Result<Report, BuildError> {
    let threads = rayon::ThreadPoolBuilder::new().stack_size(STACK).build()?;
    let limited = Limited::new(output, options.limits);
    let built = threads.install(|| build_into(&limited, source, (options, embedder), watch));
    built.map_err(|error| limited.exceeded().map_or(error, BuildError::TooLarge))
}

fn build_into(
    output: &dyn Output,
    source: &Source,
    (options, embedder): (&Options, Option<&dyn Embedder>),
    watch: &dyn Watch,
) -> Result<Report, BuildError> {
    watch.begin_stage(Stage::Configuration);
    let (content, mut diagnostics) = Content::load(source)?;
    let (context, found) = RenderContext::new(source, &content);
    diagnostics.extend(found);
    let (fonts, found) = SiteFonts::new(&content.config, source);
    diagnostics.extend(found);
    diagnostics.extend(theme::unreadable_colors(&content.config));
    let mut site = Site::new(context, fonts, options)?;
    (site.is_whole, site.watch) = (true, watch);
    site.cached = output.cache().map(|cache| CachedPages::new(cache, &site));
    watch.begin_stage(Stage::Pages);
    let (rendered, published) =
        rayon::join(|| site.render_pages(output), || site.publish_files(output));
    published?;
    let mut rendered = rendered?;
    watch.begin_stage(Stage::Anchors);
    diagnostics.extend(site.resolve_anchors(&mut rendered, output)?);
    site.context.highlighter.forget();
    watch.begin_stage(Stage::Index);
    let mut searched: Vec<_> = rendered.iter_mut().filter_map(RenderedPage::searched).collect();
    // If the cache can't give a document, the page is rendered once more, which reads the specs.
    if searched.iter().all(|page| page.document.is_some()) {
        content.specs.iter().for_each(Spec::forget);
    }
    let embedder = embedder.filter(|_| options.features.has_own_assistant());
    let embedded =
        embedder.map(|embedder| site.embed(&mut searched, embedder, output)).transpose()?;
    let (synonyms, found) = search::read_synonyms(source);
    diagnostics.extend(found.into_iter().chain(crate::answer::golden::diagnostic(source)));
    let (searched, copied) = rayon::join(
        || site.write_search(searched, &synonyms, output),
        || site.write_assets(&rendered, output).and_then(|()| site.write_not_found(output)),
    );
    searched.and(copied)?;
    let pages = rendered.len();
    let request_origins = request_origins::of_site(&options.features.playground, &rendered);
    watch.begin_stage(Stage::Generated);
    diagnostics.extend(site.write_generated(rendered, output)?);
    let config = &content.config;
    let mut report = Report::new(source, pages, diagnostics, config.redirects.clone());
    let (path, name, theme) = (config.path.clone(), config.name.clone(), config.theme.clone());
    (report.languages, report.request_origins) = (site.home_languages(), request_origins);
    report.embedded = embedded;
    report.assistant = options.features.has_own_assistant();
    report.question_days = if report.assistant { options.features.assistant.keep_days } else { 0 };
    report.feedback = theme::asks_for_feedback(config);
    report.analytics = options.features.has_own_analytics();
    report.views_by_script = report.analytics && options.features.analytics.behind_cdn;
    report.configuration = Some(SiteConfiguration { path, name, theme });
    report.reused_pages = site.reused.into_inner();
    report.reused_bodies = site.reused_bodies.into_inner();
    Ok(report)
}

/// Renders only some pages of an unchanged site: for a preview, which shows them immediately and builds the rest
/// later. `content` has everything but the bodies of files. Slugs without a page are left out.
pub fn rebuild_pages(
    source: &Source,
    content: &Content,
    options: &Options,
    slugs: &BTreeSet<String>,
    output: &dyn Output,
) -> Result<Report, BuildError> {
    let threads = rayon::ThreadPoolBuilder::new().stack_size(STACK).build()?;
    threads.install(|| {
        let (context, _) = RenderContext::new(source, content);
        let (fonts, _) = SiteFonts::new(&content.config, source);
        let site = Site::new(context, fonts, options)?;
        let pages: Vec<_> = slugs.iter().filter_map(|slug| content.pages.get(slug)).collect();
        let render = |page: &&Page| {
            let rendered = site.render_page(page, &mut SameText::default(), output)?;
            Ok(rendered.facts.diagnostics)
        };
        let diagnostics = pages.par_iter().map(render).collect::<io::Result<Vec<_>>>()?;
        let diagnostics = diagnostics.into_iter().flatten().collect();
        Ok(Report::new(source, pages.len(), diagnostics, Vec::new()))
    })
}

/// State shared by the stages of a build.
struct Site<'a> {
    source: &'a Source,
    content: &'a Content,
    options: &'a Options,
    context: RenderContext<'a>,
    navigation: NavigationIndex<'a>,
    fonts: SiteFonts,
    icons: FrameIcons,
    long_sidebars: LongSidebars,
    pages: Vec<&'a Page>,
    styles: Vec<String>,
    scripts: Vec<String>,
    written_scripts: Mutex<PageScripts>,
    cached: Option<CachedPages<'a>>,
    /// Whether all files are written, not only some pages.
    is_whole: bool,
    /// How many pages were taken from the cache.
    reused: AtomicUsize,
    /// How many of the others have a body from the cache.
    reused_bodies: AtomicUsize,
    watch: &'a dyn Watch,
}

impl<'a> Site<'a> {
    fn new(
        context: RenderContext<'a>,
        fonts: SiteFonts,
        options: &'a Options,
    ) -> Result<Self, BuildError> {
        let (source, content) = (context.source, context.content);
        let navigation = NavigationIndex::new(content);
        let icons = FrameIcons::new(context.icons, &content.config, &navigation);
        let long_sidebars = (0..navigation.sidebars()).map(|_| OnceLock::new()).collect();
        Ok(Self {
            source,
            content,
            options,
            context,
            navigation,
            fonts,
            icons,
            long_sidebars,
            pages: select_pages(content, options)?,
            styles: site_files(source, ".css", |_| true),
            scripts: site_files(source, ".js", is_browser_script),
            written_scripts: Mutex::default(),
            cached: None,
            is_whole: false,
            reused: AtomicUsize::new(0),
            reused_bodies: AtomicUsize::new(0),
            watch: &NoWatch,
        })
    }

    fn render_pages(&self, output: &dyn Output) -> io::Result<Vec<RenderedPage<'a>>> {
        let done = AtomicUsize::new(0);
        let total = self.pages.len();
        self.watch.report(Progress { rendered: 0, total });
        let render = |group: &Vec<Numbered<'a>>| {
            let mut same = SameText::of(group);
            let render = |(number, page): &Numbered<'a>| {
                let rendered = self.render_page(page, &mut same, output)?;
                self.watch
                    .report(Progress { rendered: done.fetch_add(1, Ordering::Relaxed) + 1, total });
                Ok((*number, rendered))
            };
            group.iter().map(render).collect::<io::Result<Vec<_>>>()
        };
        let groups = SameText::groups(self);
        let rendered = groups.par_iter().map(render).collect::<io::Result<Vec<_>>>()?;
        let mut rendered: Vec<_> = rendered.into_iter().flatten().collect();
        rendered.sort_unstable_by_key(|(number, _)| *number);
        Ok(rendered.into_iter().map(|(_, page)| page).collect())
    }

    /// Reports links to missing anchors, and renders their pages again: such a link leads to the intended anchor,
    /// to the page itself, or nowhere.
    fn resolve_anchors(
        &mut self,
        rendered: &mut [RenderedPage<'a>],
        output: &dyn Output,
    ) -> io::Result<Vec<Diagnostic>> {
        let pages: Vec<_> = rendered.iter().map(RenderedPage::anchors).collect();
        let dead = dead_links(&pages, &places(&pages));
        let place = |dead: &DeadLink<'_>| {
            let link = (dead.link.slug.clone(), dead.link.fragment.clone());
            (link, dead.meant.map(str::to_owned))
        };
        self.context.set_dead_anchors(dead.iter().map(place).collect());
        let slugs: BTreeSet<_> = dead.iter().map(|dead| dead.page.slug.as_str()).collect();
        let has_dead = |page: &&RenderedPage<'_>| slugs.contains(page.page.slug.as_str());
        rendered
            .par_iter()
            .filter(has_dead)
            .try_for_each(|page| self.render_without_anchors(page, output))?;
        let diagnostics = dead.iter().filter_map(broken_anchor).collect();
        for page in rendered {
            page.facts.anchor_links = Vec::new();
        }
        Ok(diagnostics)
    }

    fn home(&self) -> Target {
        if self.has_page("index") {
            return Target::Page("index".to_owned());
        }
        self.navigation.first_page().map_or_else(|| Target::Page("index".to_owned()), Target::Page)
    }

    /// The languages that the site can open in, with the addresses of their pages.
    fn home_languages(&self) -> Vec<HomeLanguage> {
        let Target::Page(home) = self.home() else { return Vec::new() };
        let languages = self.navigation.home_languages(&home).into_iter();
        languages
            .filter_map(|(code, target)| match target {
                Target::Page(slug) => {
                    let slug = if slug == "index" { "" } else { &slug };
                    let path = format!("/{}", relative("index.html", slug));
                    Some(HomeLanguage { code, path })
                }
                Target::Path(_) | Target::External(_) => None,
            })
            .collect()
    }

    fn has_page(&self, slug: &str) -> bool {
        self.content.pages.contains_key(slug)
    }

    /// Whether the site will have a file at a path.
    fn has_file(&self, path: &str) -> bool {
        match path.strip_suffix(".html") {
            Some(slug) => self.has_page(slug) || slug == "index",
            None => self.context.links.has_file(path),
        }
    }

    /// Writes vectors of the sections of pages. Without them, questions find sections by words.
    fn embed(
        &self,
        pages: &mut [SearchedPage],
        embedder: &dyn Embedder,
        output: &dyn Output,
    ) -> io::Result<Embedded> {
        let again = |path: &str| self.make_document(path);
        let documents = pages.par_iter_mut().map(|page| page.take_document(output.cache(), &again));
        let documents = documents.collect::<io::Result<Vec<_>>>()?;
        let written = embedding::write(&documents, embedder, output);
        for (page, document) in pages.iter_mut().zip(documents) {
            page.document = Some(document);
        }
        match written {
            Ok(sections) => Ok(Embedded::Sections(sections)),
            Err(WriteError::Embedding(error)) => Ok(Embedded::Failed(error.to_string())),
            Err(WriteError::Output(error)) => Err(error),
        }
    }

    fn write_search(
        &self,
        pages: Vec<SearchedPage>,
        synonyms: &search::Synonyms,
        output: &dyn Output,
    ) -> io::Result<()> {
        if !self.options.features.search.is_on() {
            return Ok(());
        }
        search::write_index(pages, synonyms, output, &|path| self.make_document(path))?;
        search::assets()
            .iter()
            .try_for_each(|(path, contents)| output.write(path, contents.as_bytes()))
    }

    /// Writes the static files of the repository.
    fn publish_files(&self, output: &dyn Output) -> io::Result<()> {
        let published: Vec<_> = self.source.paths().filter(|path| is_published(path)).collect();
        published.par_iter().try_for_each(|path| match self.source.text(path) {
            Some(css) if path.ends_with(".css") => {
                let exists = |path: &str| self.context.links.has_file(path);
                output.write(path, relative_urls(css, path, exists).as_bytes())
            }
            _ => self.source.publish(path, output),
        })?;
        output.all_copied()
    }

    /// Styles, scripts, and fonts of the theme.
    fn write_assets(&self, rendered: &[RenderedPage<'_>], output: &dyn Output) -> io::Result<()> {
        for (path, contents) in theme::assets(&self.content.config, self.options, &self.fonts) {
            output.write(path, contents.as_bytes())?;
        }
        if rendered.iter().any(|page| page.facts.has_playground) {
            let mut files = theme::PLAYGROUND_FILES.into_iter();
            files.try_for_each(|(path, contents)| output.write(path, contents.as_bytes()))?;
        }
        self.write_sidebar_scripts(output)?;
        let (config, main) = (&self.content.config, self.not_found_language());
        let languages = self.pages.iter().map(|page| &*page.language).chain([&*main]).collect();
        for (path, contents) in theme::assistant_files(config, self.options, &main, &languages) {
            output.write(&path, contents.as_bytes())?;
        }
        for (path, contents) in self.fonts.files() {
            output.write(&path, &contents)?;
        }
        let classes = rendered.iter().flat_map(|page| page.facts.classes.iter().cloned());
        let styles = self.context.highlighter.stylesheet().to_owned()
            + &self.styles_of_pages(&classes.collect(), output.cache());
        output.write(theme::STYLES[1], styles.as_bytes())
    }

    fn write_generated(
        &self,
        rendered: Vec<RenderedPage<'_>>,
        output: &dyn Output,
    ) -> io::Result<Vec<Diagnostic>> {
        let order = self.reading_order();
        let mut diagnostics = Vec::new();
        let mut pages: Vec<_> = rendered
            .into_iter()
            .map(|RenderedPage { page, alternates, description, markdown, facts }| {
                diagnostics.extend(facts.diagnostics);
                PageSummary {
                    slug: page.slug.clone(),
                    file: (page.kind == PageKind::File).then(|| page.path.clone()),
                    listed: page.visibility.navigation,
                    title: page.frontmatter.title.clone(),
                    description,
                    alternates,
                    markdown,
                    ids: facts.ids,
                    last_modified: self.options.last_modified.get(&page.path).cloned(),
                    in_sitemap: page.visibility.sitemap,
                    in_llms: self.is_in_llms(page),
                    other_edition: self.other_edition(page),
                    sections: self.navigation.sections(&page.slug),
                    fingerprint: facts.fingerprint,
                }
            })
            .collect();
        pages.sort_by_key(|page| order.get(page.slug.as_str()).copied().unwrap_or(usize::MAX));
        let first_page = self.navigation.first_page();
        let (source, content, options) = (self.source, self.content, self.options);
        generated::write(
            &GeneratedInput {
                source,
                content,
                options,
                pages: &pages,
                first_page: first_page.as_deref(),
            },
            output,
        )?;
        Ok(diagnostics)
    }

    /// Whether `llms-full.txt` contains a page.
    fn is_in_llms(&self, page: &Page) -> bool {
        page.visibility.llms && self.navigation.is_default(&page.slug)
    }

    /// The language and version of a page for agents that is not of the first ones.
    fn other_edition(&self, page: &Page) -> Option<String> {
        let is_other = page.visibility.llms && !self.navigation.is_default(&page.slug);
        self.navigation.edition(&page.slug).filter(|_| is_other)
    }

    fn reading_order(&self) -> BTreeMap<&str, usize> {
        self.navigation
            .reading_order()
            .into_iter()
            .enumerate()
            .map(|(place, slug)| (slug, place))
            .rev()
            .collect()
    }
}

/// The pages to render: all, or those that the options name.
fn select_pages<'a>(content: &'a Content, options: &Options) -> Result<Vec<&'a Page>, BuildError> {
    let Some(paths) = &options.paths else { return Ok(content.pages.values().collect()) };
    let mut slugs = BTreeSet::new();
    for path in paths {
        let slug = crate::content::slug::of_reference(path);
        if !content.pages.contains_key(&slug) {
            return Err(BuildError::UnknownPath { path: path.clone() });
        }
        slugs.insert(slug);
    }
    Ok(slugs.iter().filter_map(|slug| content.pages.get(slug)).collect())
}

/// Style sheets or scripts of the repository, which every page loads.
fn site_files(source: &Source, ending: &str, wanted: impl Fn(&str) -> bool) -> Vec<String> {
    let found = source
        .paths()
        .filter(|path| path.ends_with(ending) && source.text(path).is_some_and(&wanted));
    found.map(str::to_owned).collect()
}

/// Tooling scripts can be next to scripts for readers; these need Node.js, or are modules.
fn is_browser_script(text: &str) -> bool {
    let tool = [
        "require(",
        "module.exports",
        "from \"node:",
        "from 'node:",
        "process.argv",
        "#!/usr/bin/env node",
    ];
    let is_module =
        text.lines().any(|line| line.starts_with("import ") || line.starts_with("export "));
    !is_module && !tool.iter().any(|needle| text.contains(needle))
}
