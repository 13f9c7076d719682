//! The renderer of one page: what Markdown elements and components can ask for.

use std::{collections::HashMap, sync::Arc};

use maud::{Markup, PreEscaped, html};

use super::{
    AnchorLink, BrokenLink, ContentsEntry, Element, ExternalLink, RenderContext, Rendered, Value,
    components::Nesting, evaluate::Scope, footnotes::Footnotes, heading_id::heading_id,
    links::safe, module::Module, month::Month, word_breaks::breakable_title,
};
use crate::{
    Diagnostic, Rule, Severity,
    content::{
        Page, frontmatter,
        links::{self, Resolution},
    },
    mdx::Node,
};

/// Snippets inside snippets end here.
pub(super) const MAXIMUM_FRAMES: usize = 24;
/// Nodes that one page can render, its snippets counted each time they are included.
const MAXIMUM_NODES: usize = 2_000_000;
/// Text that one page can render, counted in the same way. Bytes.
const MAXIMUM_TEXT: usize = 64 * 1024 * 1024;

/// The file that is being rendered: the page, or a snippet in it.
#[derive(Debug, Clone)]
pub(super) struct Frame {
    /// Path below the docs root.
    pub(super) path: String,
    /// Its text.
    pub(super) module: Arc<Module>,
    /// Constants and props.
    pub(super) scope: Scope,
    /// What stands between the tags of the snippet's use, rendered.
    pub(super) children: Option<String>,
    /// The same as it was written.
    pub(super) children_slot: Option<usize>,
}

/// Renders one page and gathers what the rest of the site needs to know of it.
#[derive(Debug)]
pub struct PageRenderer<'a> {
    pub(super) context: &'a RenderContext<'a>,
    pub(super) page: &'a Page,
    pub(super) rendered: Rendered,
    /// The page, then the snippets around the present place; never empty.
    pub(super) frames: Vec<Frame>,
    pub(super) footnotes: Footnotes,
    /// Inside a link, where no other link can stand.
    pub(super) in_link: bool,
    /// The built-in components around the present place; theirs to keep.
    pub(super) nesting: Nesting,
    /// Level of the last heading.
    heading_level: u8,
    /// How many closed elements, such as accordions, are around the present place.
    pub(super) closed: u32,
    used_ids: HashMap<String, u32>,
    next_number: u32,
    /// What the page's diagrams need.
    pub(super) diagram_scripts: super::mermaid::DiagramScripts,
    nodes_left: usize,
    text_left: usize,
    has_image: bool,
    pub(super) output: String,
    /// Code of the author that the page runs.
    pub(super) code: super::scripted::Code,
}

impl<'a> PageRenderer<'a> {
    pub(super) fn new(context: &'a RenderContext<'a>, page: &'a Page, module: Arc<Module>) -> Self {
        let scope = context.constants(&page.path, &module);
        Self {
            context,
            page,
            rendered: Rendered::default(),
            frames: vec![Frame {
                path: page.path.clone(),
                module,
                scope,
                children: None,
                children_slot: None,
            }],
            footnotes: Footnotes::default(),
            in_link: false,
            nesting: Nesting::default(),
            heading_level: 1,
            closed: 0,
            used_ids: HashMap::new(),
            next_number: 0,
            diagram_scripts: super::mermaid::DiagramScripts::default(),
            nodes_left: MAXIMUM_NODES,
            text_left: MAXIMUM_TEXT,
            has_image: false,
            code: super::scripted::Code::default(),
            output: links::output_path(&page.slug),
        }
    }

    /// The file at the present place.
    pub(super) fn frame(&self) -> &Frame {
        // The first frame is never taken away.
        &self.frames[self.frames.len() - 1]
    }

    /// Counts a node and its text; `false` once the page has used up its budget.
    pub(super) fn spend(&mut self, bytes: usize) -> bool {
        if self.nodes_left == 0 {
            return false;
        }
        self.nodes_left -= 1;
        self.text_left = self.text_left.saturating_sub(bytes);
        if self.nodes_left > 0 && self.text_left > 0 {
            return true;
        }
        self.nodes_left = 0;
        let message = "the page is too large with all its snippets; its rest is left out";
        let path = self.page.path.clone();
        let help = "include snippets less often, or split the page";
        self.push(Diagnostic::new(Rule::PageTooLarge, path, message).help(help));
        false
    }

    /// The icon that `icon` (or `src`, `name`) and `iconType` of an element name; empty without
    /// one. An unknown name gives a diagnostic.
    pub fn icon(&mut self, element: &Element<'_>) -> Markup {
        match element
            .value("icon")
            .or_else(|| element.value("src"))
            .or_else(|| element.value("name"))
        {
            Some(value @ Value::Jsx(_)) => self.value(&value.clone()),
            Some(Value::Text(name)) if !name.is_empty() => {
                let style = element.text("iconType");
                self.named_icon(name, style.as_deref(), element)
            }
            _ => html! {},
        }
    }

    fn named_icon(&mut self, name: &str, style: Option<&str>, element: &Element<'_>) -> Markup {
        if name.trim_start().starts_with("<svg") {
            return PreEscaped(super::svg::sanitize(name));
        }
        if name.contains("://") || name.starts_with('/') || name.contains('.') {
            let src = self.asset(name, element.line, element.column);
            return html! { img.icon.dw-icon src=(src) alt="" loading="lazy"; };
        }
        if let Some(icon) = self.context.icons.find(name, style) {
            return icon;
        }
        // Half of Font Awesome costs money: a name that is not in the free half is no error.
        let severity = if self.context.content.config.icon_library == "fontawesome" {
            Severity::Note
        } else {
            Severity::Warning
        };
        let message = format!("unknown icon `{name}` in the free icons of the site's library");
        let place = (element.line, element.column);
        self.report_as(severity, Rule::UnknownIcon, message, "choose another name", place);
        html! {}
    }

    /// An icon of docwright's own, by its Lucide name.
    pub fn glyph(&self, name: &str) -> Markup {
        self.context.icons.glyph(name)
    }

    /// The address to write for a link as the author wrote it: relative to this page, with
    /// `.html`. `None` when nothing is there: the link is rendered without an address, and a
    /// diagnostic says so.
    pub fn link(&mut self, href: &str, line: u32, column: u32) -> Option<String> {
        let path = self.frame().path.clone();
        match self.context.resolve(&path, href) {
            Resolution::External(href) => {
                self.record_external(&href, line, column);
                Some(safe(&href).to_owned())
            }
            Resolution::Anchor(fragment) if fragment.is_empty() => Some(href.trim().to_owned()),
            Resolution::Anchor(fragment) => {
                let slug = self.page.slug.clone();
                self.record_anchor(href, (&slug, &fragment), line, column);
                let place = self.context.place(&slug, &fragment)?;
                let is_there = place == fragment;
                Some(if is_there { href.trim().to_owned() } else { format!("#{place}") })
            }
            Resolution::Page { slug, suffix } => {
                let page = links::relative(&self.output, &links::output_path(&slug));
                let Some((query, fragment)) =
                    suffix.split_once('#').filter(|(_, fragment)| !fragment.is_empty())
                else {
                    return Some(page + &suffix);
                };
                let fragment =
                    percent_encoding::percent_decode_str(fragment).decode_utf8_lossy().into_owned();
                self.record_anchor(href, (&slug, &fragment), line, column);
                Some(match self.context.place(&slug, &fragment) {
                    Some(place) if place == fragment => page + &suffix,
                    Some(place) => format!("{page}{query}#{place}"),
                    None => page,
                })
            }
            Resolution::File { path, suffix } => {
                Some(links::relative(&self.output, &path) + &suffix)
            }
            Resolution::Loop => {
                self.record_broken_link(href, true, line);
                self.broken_link(
                    href,
                    "its redirects run in a circle",
                    "correct the redirects",
                    line,
                    column,
                );
                None
            }
            Resolution::Missing { slug } => {
                let help = match self.context.links.closest(&slug) {
                    Some(slug) => format!("did you mean /{slug}?"),
                    None => "correct the address, add the page, or add a redirect".to_owned(),
                };
                self.record_broken_link(href, false, line);
                self.broken_link(href, "no such page or file", &help, line, column);
                None
            }
        }
    }

    fn record_anchor(&mut self, href: &str, to: (&str, &str), line: u32, column: u32) {
        let path = self.frame().path.clone();
        let (href, slug, fragment) = (href.to_owned(), to.0.to_owned(), to.1.to_owned());
        self.rendered.anchor_links.push(AnchorLink { href, slug, fragment, path, line, column });
    }

    fn record_broken_link(&mut self, href: &str, runs_in_circle: bool, line: u32) {
        let (href, path) = (href.to_owned(), self.frame().path.clone());
        self.rendered.broken_links.push(BrokenLink { href, runs_in_circle, path, line });
    }

    fn record_external(&mut self, url: &str, line: u32, column: u32) {
        if ExternalLink::is_web(url) {
            let (url, path) = (url.to_owned(), self.frame().path.clone());
            self.rendered.external_links.push(ExternalLink { path, line, column, url });
        }
    }

    fn broken_link(&mut self, href: &str, why: &str, help: &str, line: u32, column: u32) {
        let path = self.frame().path.clone();
        let message = format!("broken link to `{href}`: {why}");
        self.push(Diagnostic::new(Rule::BrokenLink, path, message).at(line, column).help(help));
    }

    /// The address to write for an image or another file. A missing one keeps its address, below
    /// this site, and gives a diagnostic.
    pub fn asset(&mut self, src: &str, line: u32, column: u32) -> String {
        let path = self.frame().path.clone();
        match self.context.resolve(&path, src) {
            Resolution::File { path, suffix } => links::relative(&self.output, &path) + &suffix,
            Resolution::External(href) => {
                self.record_external(&href, line, column);
                safe(&href).to_owned()
            }
            Resolution::Page { .. }
            | Resolution::Anchor(_)
            | Resolution::Loop
            | Resolution::Missing { .. } => {
                let message = format!("file `{src}` not found");
                let help = "correct the path, which is case-sensitive, or add the file";
                self.push(
                    Diagnostic::new(Rule::MissingFile, path, message).at(line, column).help(help),
                );
                MISSING_IMAGE.to_owned()
            }
        }
    }

    /// Width and height of an image by its address, in pixels, so that its place is kept.
    pub(super) fn size_of(&self, src: &str) -> Option<(usize, usize)> {
        self.context.image_size(&self.asset_path(src)?)
    }

    /// How the next image is loaded: the first of a page is most likely in view, the others wait.
    pub(super) fn image_loading(&mut self) -> Option<&'static str> {
        let is_first = !std::mem::replace(&mut self.has_image, true);
        (!is_first).then_some("lazy")
    }

    /// Path below the docs root of the file that an image's address means.
    pub(super) fn asset_path(&self, src: &str) -> Option<String> {
        match self.context.resolve(&self.frame().path, src) {
            Resolution::File { path, .. } => Some(path),
            _ => None,
        }
    }

    /// An id by the heading rules of the authoring format, unique on the page.
    pub fn unique_id(&mut self, text: &str) -> String {
        self.claim_id(&heading_id(text))
    }

    /// An id as it is, with a number if the page has it already.
    pub fn claim_id(&mut self, id: &str) -> String {
        let base = if id.is_empty() { "section" } else { id };
        let mut count = self.used_ids.get(base).copied().unwrap_or(0) + 1;
        let mut unique = if count == 1 { base.to_owned() } else { format!("{base}-{count}") };
        while count > 1 && self.used_ids.contains_key(&unique) {
            count += 1;
            unique = format!("{base}-{count}");
        }
        self.used_ids.insert(base.to_owned(), count);
        self.used_ids.entry(unique.clone()).or_insert(1);
        self.rendered.ids.push(unique.clone());
        unique
    }

    /// An id that the author gives an element: it stays as it is, and later ones keep away from it.
    pub(super) fn keep_id(&mut self, id: &str) {
        self.used_ids.entry(id.to_owned()).or_insert(1);
        self.rendered.ids.push(id.to_owned());
    }

    /// Whether an id is taken.
    pub(super) fn has_id(&self, id: &str) -> bool {
        self.used_ids.contains_key(id)
    }

    /// Adds an entry to the contents list, at `level` or one below the present heading.
    pub fn add_contents_entry(&mut self, level: Option<u8>, id: &str, title: &str) {
        if self.nesting.is_unlisted() {
            return;
        }
        let level = level.unwrap_or(self.heading_level + 1).clamp(2, 4);
        self.rendered.contents.push(ContentsEntry {
            level,
            id: id.to_owned(),
            title: breakable_title(title).into_string(),
            folded: self.closed > 0,
            month: None,
        });
    }

    /// Lists an update of a changelog in the contents, in the month of its date.
    pub(super) fn add_contents_update(
        &mut self,
        level: u8,
        id: &str,
        title: &str,
        date: Option<Month>,
    ) {
        let count = self.rendered.contents.len();
        self.add_contents_entry(Some(level), id, title);
        for entry in self.rendered.contents.iter_mut().skip(count) {
            entry.month = date;
        }
    }

    /// Renders what readers see only once they open the element around it, unless it `is_open`.
    pub fn folded_nodes(&mut self, nodes: &[Node], is_open: bool) -> Markup {
        let around = self.closed;
        self.closed += u32::from(!is_open);
        let markup = self.nodes(nodes);
        self.closed = around;
        markup
    }

    pub(super) fn set_heading_level(&mut self, level: u8) {
        self.heading_level = level;
    }

    /// A number that no other call on this page gave, for ids that need no meaning.
    pub fn next_number(&mut self) -> u32 {
        self.next_number += 1;
        self.next_number
    }

    /// A warning at an element.
    pub fn warn(&mut self, element: &Element<'_>, rule: Rule, message: String, help: &str) {
        self.report(rule, message, help, element.line, element.column);
    }

    /// A warning at a line of the source.
    pub fn warn_at(&mut self, line: u32, rule: Rule, message: String, help: &str) {
        self.report(rule, message, help, line, 0);
    }

    /// The highlighter of the site.
    pub fn highlighter(&self) -> &'a super::code::Highlighter {
        &self.context.highlighter
    }

    /// The icon library of the site.
    pub fn icons(&self) -> &'a super::icons::Icons {
        &self.context.icons
    }

    /// The diagrams of the site.
    pub fn diagrams(&self) -> &'a super::mermaid::Diagrams {
        &self.context.diagrams
    }

    pub(super) fn report(
        &mut self,
        rule: Rule,
        message: String,
        help: &str,
        line: u32,
        column: u32,
    ) {
        self.report_as(rule.severity(), rule, message, help, (line, column));
    }

    /// Reports a diagnostic that matters more or less than others of its rule.
    pub(super) fn report_as(
        &mut self,
        severity: Severity,
        rule: Rule,
        message: String,
        help: &str,
        (line, column): (u32, u32),
    ) {
        let path = self.frame().path.clone();
        let diagnostic = Diagnostic::new(rule, path, message).severity(severity);
        self.push(diagnostic.at(line, column).help(help));
    }

    fn push(&mut self, diagnostic: Diagnostic) {
        self.rendered.diagnostics.push(diagnostic);
    }

    /// Moves content to the right column (`Panel`).
    pub fn add_panel(&mut self, html: &Markup) {
        self.rendered.panel.get_or_insert_default().push_str(&html.0);
    }

    /// Adds a request or response example to the right column.
    pub fn add_example(&mut self, html: &Markup) {
        self.rendered.examples.get_or_insert_default().push_str(&html.0);
    }

    /// Registers a `<View>` and renders its children inside it.
    pub fn view(&mut self, title: &str, children: &[Node]) -> (usize, Markup) {
        let views = &mut self.rendered.views;
        let number = views.iter().position(|view| view == title).unwrap_or_else(|| {
            views.push(title.to_owned());
            views.len() - 1
        });
        (number, self.nodes(children))
    }

    /// Adds an update to the page's feed.
    pub fn add_update(&mut self, update: super::FeedItem) {
        self.rendered.updates.push(update);
    }

    /// Counts an update, which makes the page a changelog, and returns its number.
    pub fn count_update(&mut self) -> usize {
        self.rendered.update_count += 1;
        self.rendered.update_count
    }

    /// Whether the page has a right column for panels and examples.
    pub fn has_right_column(&self) -> bool {
        self.page.frontmatter.mode == "default"
    }

    /// The Markdown of neighboring nodes as it stands in the present file; `None` if they are not
    /// from there.
    pub fn source_of(&self, nodes: &[Node]) -> Option<&str> {
        let (start, end) = (nodes.first()?.span.start, nodes.last()?.span.end);
        let text = self.context.text(&self.frame().path)?;
        let body = text.get(frontmatter::split(text).body_offset..)?;
        // The indentation of the first line is theirs as well.
        let before = body.get(..start)?.trim_end_matches([' ', '\t']);
        let start = if before.ends_with('\n') { before.len() } else { start };
        body.get(start..end).filter(|source| !source.is_empty())
    }

    /// Notes that what follows stands inside a link, if it does; returns what was the case before.
    pub fn enter_link(&mut self, inside: bool) -> bool {
        let outer = self.in_link;
        self.in_link = outer || inside;
        outer
    }

    /// Undoes [`enter_link`](Self::enter_link) with what it returned.
    pub fn leave_link(&mut self, outer: bool) {
        self.in_link = outer;
    }
}

/// Shown for an image that is not there, so that the page asks for nothing that can't be found.
pub(super) const MISSING_IMAGE: &str = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='160' height='90'%3E%3Crect width='160' height='90' fill='%23888' fill-opacity='.15'/%3E%3C/svg%3E";
