//! Writes the files of a page, or takes them from the cache.

use std::{
    io,
    sync::{Arc, PoisonError, atomic::Ordering},
};

use super::{
    Site,
    body::{Body, BodyParts, KeptBody, start_of},
    cached_pages::CachedPages,
    rendered_page::{PageFacts, PageFiles, PageScripts, RenderedPage},
    same_text::SameText,
    watch::{OpenPart, Part},
};
use crate::{
    content::{Page, config::Config, links::output_path, navigation::view::NavigationView},
    generated,
    output::{Discard, Output},
    packed_text::PackedText,
    render::{self, DeadAnchors, FeedItem, RenderContext, Rendered},
    result_cache::{ContentName, Key},
    search,
    theme::{self, PageView},
};

impl<'a> Site<'a> {
    /// Writes the files of a page, as an earlier build did if it can.
    pub(super) fn render_page(
        &self,
        page: &'a Page,
        same: &mut SameText<'a>,
        output: &dyn Output,
    ) -> io::Result<RenderedPage<'a>> {
        let alternates = self.navigation.alternates(&page.slug);
        let mut facts = match &self.cached {
            None => {
                let context = same.context(&self.context);
                let (facts, _) = self.write_page((&context, same), page, &alternates, output)?;
                self.write_markdown(page, &facts, output)?;
                facts
            }
            Some(cached) => {
                let key = cached.key(self, page);
                let reused = cached.reuse::<PageFacts>((self, page), &key, output)?;
                if let Some(facts) = reused.filter(|facts| cached.has_document(facts)) {
                    self.reused.fetch_add(1, Ordering::Relaxed);
                    self.reuse_markdown(page, &facts, output)?;
                    facts
                } else {
                    self.write_and_keep((cached, same), (page, key), &alternates, output)?
                }
            }
        };
        let description = generated::description(page, &facts.markdown);
        self.write_feed(page, (&facts.updates, &description), output)?;
        facts.updates = Vec::new();
        let markdown = std::mem::take(&mut facts.markdown);
        // All versions and languages of a large site have as much text as the rest of the build.
        let markdown = self.is_in_llms(page).then(|| PackedText::new(&markdown));
        Ok(RenderedPage { page, alternates, description, markdown, facts })
    }

    /// Writes the files of a page, with the body of an earlier build if it can, and keeps them for later builds.
    fn write_and_keep(
        &self,
        (cached, same): (&CachedPages<'a>, &mut SameText<'a>),
        (page, key): (&'a Page, Key),
        alternates: &[(String, String)],
        output: &dyn Output,
    ) -> io::Result<PageFacts> {
        let context = same.context(&self.context);
        let body_key = cached.body_key(self, page);
        let body = match self.reuse_body((cached, &body_key), &context, output)? {
            Some(body) => {
                self.reused_bodies.fetch_add(1, Ordering::Relaxed);
                body
            }
            None => Body::render(&context, page, same, self.watch),
        };
        let reads = cached.with_fingerprints(self, context.reads());
        let (parts, length) = (BodyParts::of(&body.rendered), body.rendered.html.len());
        let (mut facts, files) = self.assemble(&context, page, (body, alternates), output)?;
        let kept_body = reads.zip(files.body_start).map(|(reads, start)| KeptBody {
            reads,
            page: key.hash,
            start,
            length,
            parts,
        });
        facts.markdown_file = self.write_markdown(page, &facts, output)?;
        if cached.keep_document(&mut facts) {
            let body = kept_body.as_ref().map(|_| body_key);
            let is_kept = cached.add((self, key), context.reads(), (files, body, &facts));
            if let Some(body) = kept_body.filter(|_| is_kept) {
                cached.add_body(body_key, &body);
            }
        }
        Ok(facts)
    }

    /// Writes the Markdown version of a page, if the whole site is written.
    fn write_markdown(
        &self,
        page: &Page,
        facts: &PageFacts,
        output: &dyn Output,
    ) -> io::Result<Option<ContentName>> {
        if !self.is_whole {
            return Ok(None);
        }
        let of = (&self.content.config, self.options);
        let text = generated::page_markdown(page, &facts.markdown, of);
        output.write_named(&generated::markdown_path(page), text.as_bytes())
    }

    /// Writes the feed of a page with updates, if the whole site is written.
    fn write_feed(
        &self,
        page: &Page,
        entries: (&[FeedItem], &str),
        output: &dyn Output,
    ) -> io::Result<()> {
        let of = (self.content, self.options);
        let Some(feed) = generated::feed(page, entries, of).filter(|_| self.is_whole) else {
            return Ok(());
        };
        let path = format!("{}/rss.xml", page.slug);
        if self.source.contains(&path) { Ok(()) } else { output.write(&path, feed.as_bytes()) }
    }

    /// Writes the Markdown version of a page as an earlier build did if it can.
    fn reuse_markdown(
        &self,
        page: &Page,
        facts: &PageFacts,
        output: &dyn Output,
    ) -> io::Result<()> {
        if let Some(name) = &facts.markdown_file
            && output.reuse(&generated::markdown_path(page), name)?
        {
            return Ok(());
        }
        self.write_markdown(page, facts, output).map(drop)
    }

    /// The document of the page with a path, once more: the cache should have it, and doesn't.
    pub(super) fn make_document(&self, path: &str) -> io::Result<search::Document> {
        let page = self.pages.iter().find(|page| output_path(&page.slug) == path);
        let page = page.ok_or(io::ErrorKind::NotFound)?;
        let mut context = self.context.for_page();
        // As in the first pass, which didn't know them.
        context.set_dead_anchors(DeadAnchors::new());
        let alternates = self.navigation.alternates(&page.slug);
        let same = &mut SameText::default();
        let (facts, _) = self.write_page((&context, same), page, &alternates, &Discard)?;
        facts.document.ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// Writes a page some of whose anchors are missing once more.
    pub(super) fn render_without_anchors(
        &self,
        RenderedPage { page, alternates, facts, .. }: &RenderedPage<'a>,
        output: &dyn Output,
    ) -> io::Result<()> {
        let cached = self.cached.as_ref();
        let key = |cached: &CachedPages<'_>| {
            cached.key_without_anchors((self, page), &self.context, facts)
        };
        let cached = cached.map(|cached| (cached, key(cached)));
        if let Some((cached, key)) = &cached
            && cached.reuse::<()>((self, page), key, output)?.is_some()
        {
            return Ok(());
        }
        let context = self.context.for_page();
        let part = OpenPart::begin(self.watch, Part::Render);
        let rendered = render::render_page(&context, page);
        drop(part);
        let view = self.navigation.view(&page.slug);
        let files = self.write_html(&context, (page, &view), (&rendered, alternates), output)?;
        if let Some((cached, key)) = cached {
            cached.add((self, key), context.reads(), (files, None, &()));
        }
        Ok(())
    }

    fn write_page(
        &self,
        (context, same): (&RenderContext<'a>, &mut SameText<'a>),
        page: &'a Page,
        alternates: &[(String, String)],
        output: &dyn Output,
    ) -> io::Result<(PageFacts, PageFiles)> {
        let body = Body::render(context, page, same, self.watch);
        self.assemble(context, page, (body, alternates), output)
    }

    /// Writes the HTML of a page and its scripts, and returns what else is known of it.
    fn assemble(
        &self,
        context: &RenderContext<'a>,
        page: &'a Page,
        (body, alternates): (Body, &[(String, String)]),
        output: &dyn Output,
    ) -> io::Result<(PageFacts, PageFiles)> {
        let Body { mut rendered, markdown, fingerprint, text } = body;
        let view = self.navigation.view(&page.slug);
        let files = self.write_html(context, (page, &view), (&rendered, alternates), output)?;
        let searched = self.options.features.search.is_on() && page.visibility.search;
        let document = searched.then(|| self.document(page, &view, &rendered, text));
        let api = rendered.api.as_mut();
        let request_origins = api.map(|api| std::mem::take(&mut api.request_origins));
        let facts = PageFacts {
            has_playground: theme::has_playground(self.options, &rendered),
            ids: rendered.ids,
            anchor_links: rendered.anchor_links,
            updates: rendered.updates,
            classes: rendered.classes,
            diagnostics: rendered.diagnostics,
            fingerprint,
            markdown,
            markdown_file: None,
            document,
            kept_document: None,
            request_origins: request_origins.unwrap_or_default(),
        };
        Ok((facts, files))
    }

    /// Writes the HTML of a page and its scripts.
    fn write_html(
        &self,
        context: &RenderContext<'a>,
        (page, view): (&'a Page, &NavigationView),
        (rendered, alternates): (&Rendered, &[(String, String)]),
        output: &dyn Output,
    ) -> io::Result<PageFiles> {
        let config = self.config_of(page);
        let part = OpenPart::begin(self.watch, Part::Assemble);
        let html = theme::page(&PageView {
            config: config.as_ref().unwrap_or(&self.content.config),
            options: self.options,
            page,
            rendered,
            navigation: view,
            long_sidebar: self.long_sidebar(view.sidebar_number),
            alternates,
            custom_styles: &self.styles,
            custom_scripts: &self.scripts,
            last_modified: self.last_modified(page),
            fonts: &self.fonts,
            icons: &self.icons,
            home: self.home(),
            anywhere: false,
            has_file: &|path| self.has_file(path),
            image_size: &|path| context.image_size(path),
        });
        drop(part);
        let scripts = self.write_scripts(rendered, output)?;
        let body_start = self.cached.as_ref().and_then(|_| start_of(&rendered.html, &html));
        let html = output.write_named(&output_path(&page.slug), html.as_bytes())?;
        Ok(PageFiles { html, body_start, scripts })
    }

    /// The page, as search sees it.
    fn document(
        &self,
        page: &Page,
        view: &NavigationView,
        rendered: &Rendered,
        text: Option<Arc<search::PageText>>,
    ) -> search::Document {
        let frontmatter = &page.frontmatter;
        let path = output_path(&page.slug);
        let boost = frontmatter.boost.or_else(|| self.navigation.boost(&page.slug));
        let is_api = rendered.api.is_some();
        let tag = frontmatter.tag.as_deref().unwrap_or_default().to_lowercase();
        search::Document {
            kind: search::Kind::of(is_api, rendered.update_count, &path, &frontmatter.title),
            path,
            title: frontmatter.title.clone(),
            sidebar_title: frontmatter.sidebar_title.clone().unwrap_or_default(),
            description: frontmatter.description.clone().unwrap_or_default(),
            breadcrumbs: view.breadcrumbs.iter().map(|crumb| crumb.label.clone()).collect(),
            language: page.language.clone(),
            version: self.navigation.version(&page.slug),
            is_default: self.navigation.is_default(&page.slug),
            deprecated: frontmatter.deprecated || tag == "deprecated" || tag == "legacy",
            keywords: frontmatter.keywords.clone(),
            listed: page.visibility.navigation,
            boost: boost.unwrap_or(1.0),
            body: text.unwrap_or_else(|| search::extract(&rendered.html).into()),
        }
    }

    /// Scripts are named by their contents, so another page might have written them already.
    fn write_scripts(&self, rendered: &Rendered, output: &dyn Output) -> io::Result<PageScripts> {
        let mut scripts = PageScripts::new();
        for (path, contents) in &rendered.scripts {
            let mut written = self.written_scripts.lock().unwrap_or_else(PoisonError::into_inner);
            let name = match written.get(path) {
                Some(name) => *name,
                None => output.write_named(path, contents.as_bytes())?,
            };
            written.insert(path.clone(), name);
            scripts.insert(path.clone(), name);
        }
        Ok(scripts)
    }

    /// Writes a script with contents of an earlier build, unless another page did. Returns `false` if it can't.
    pub(super) fn reuse_script(
        &self,
        path: &str,
        name: &ContentName,
        output: &dyn Output,
    ) -> io::Result<bool> {
        let mut written = self.written_scripts.lock().unwrap_or_else(PoisonError::into_inner);
        if !written.contains_key(path) {
            if !output.reuse(path, name)? {
                return Ok(false);
            }
            written.insert(path.to_owned(), Some(*name));
        }
        Ok(true)
    }

    /// The configuration with the overrides of the page's language; `None` if there are none.
    fn config_of(&self, page: &Page) -> Option<Config> {
        let overrides = self.navigation.overrides(&page.slug)?;
        let mut config = self.content.config.clone();
        if let Some(navbar) = &overrides.navbar {
            config.navbar = navbar.clone();
        }
        if let Some(footer) = &overrides.footer {
            config.footer = footer.clone();
        }
        if let Some(banner) = &overrides.banner {
            config.banner = Some(banner.clone());
        }
        Some(config)
    }

    /// The date of the last change that the page shows.
    pub(super) fn last_modified(&self, page: &'a Page) -> Option<&str> {
        let shown = page.frontmatter.timestamp.unwrap_or(self.content.config.timestamp);
        let known = || self.options.last_modified.get(&page.path).map(String::as_str);
        page.frontmatter.last_updated.as_deref().or_else(known).filter(|_| shown)
    }
}
