//! Pages with the same text. Folders of versions are mostly copies of each other, so what follows from the text alone is
//! made once: the parsed text, and the body if all of its links lead to the same addresses relative to the page.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use super::{
    Site,
    watch::{OpenPart, Part, Watch},
};
use crate::{
    content::{
        Page, PageKind,
        links::{Resolution, output_path, relative},
    },
    render::{LinkTargets, Module, Read, RenderContext, Rendered, parse_page, render_parsed},
    search::{self, PageText},
};

/// Pages that one thread renders one after the other, at most.
const GROUP: usize = 32;

/// A page and its number.
pub(super) type Numbered<'a> = (usize, &'a Page);

/// What pages with the same text share.
#[derive(Debug, Default)]
pub(super) struct SameText<'a> {
    /// Whether there is more than one.
    has_copies: bool,
    module: Option<Arc<Module>>,
    first: Option<SharedBody<'a>>,
}

/// The body of the first page.
#[derive(Debug)]
struct SharedBody<'a> {
    page: &'a Page,
    rendered: Rendered,
    text: Arc<PageText>,
    targets: LinkTargets,
    /// Images whose sizes the body has.
    images: Vec<String>,
}

impl<'a> SameText<'a> {
    /// The pages of a site in groups with the same text, of a bounded size.
    pub(super) fn groups(site: &Site<'a>) -> Vec<Vec<Numbered<'a>>> {
        let mut open: HashMap<*const u8, usize> = HashMap::new();
        let mut groups: Vec<Vec<Numbered<'a>>> = Vec::new();
        for (number, page) in site.pages.iter().enumerate() {
            // Files with the same text share it.
            let text = site.source.text(&page.path).filter(|_| page.kind == PageKind::File);
            let known = text.and_then(|text| open.get(&text.as_ptr()).copied());
            if let Some(group) = known.filter(|group| groups[*group].len() < GROUP) {
                groups[group].push((number, page));
            } else {
                open.extend(text.map(|text| (text.as_ptr(), groups.len())));
                groups.push(vec![(number, page)]);
            }
        }
        groups
    }

    /// What the pages of a group share.
    pub(super) fn of(group: &[Numbered<'_>]) -> Self {
        Self { has_copies: group.len() > 1, ..Self::default() }
    }

    /// A context for the next page.
    pub(super) fn context<'s>(&self, site: &RenderContext<'s>) -> RenderContext<'s> {
        if self.has_copies && self.first.is_none() {
            site.for_page_with_copies()
        } else {
            site.for_page()
        }
    }

    /// The parsed body of the next page.
    pub(super) fn parse(
        &mut self,
        context: &RenderContext<'_>,
        page: &Page,
        watch: &dyn Watch,
    ) -> Arc<Module> {
        if let Some(module) = &self.module {
            return Arc::clone(module);
        }
        let _part = OpenPart::begin(watch, Part::Parse);
        let module = Arc::new(parse_page(context, page));
        self.module = self.has_copies.then(|| Arc::clone(&module));
        module
    }

    /// The body of the next page, and its text if that is known.
    pub(super) fn render(
        &mut self,
        context: &RenderContext<'a>,
        page: &'a Page,
        module: &Arc<Module>,
    ) -> (Rendered, Option<Arc<PageText>>) {
        if let Some(first) = &self.first
            && let Some(rendered) = first.copy(context, page)
        {
            debug_assert_eq!(
                format!("{rendered:?}"),
                format!("{:?}", render_parsed(&context.for_page(), page, module)),
                "{} has the body of {}",
                page.path,
                first.page.path,
            );
            return (rendered, Some(Arc::clone(&first.text)));
        }
        let rendered = render_parsed(context, page, module);
        // Code can import what is beside its page.
        if self.has_copies && self.first.is_none() && module.code_text.is_empty() {
            self.first = SharedBody::new(context, page, &rendered);
        }
        let text = self.first.as_ref().filter(|first| std::ptr::eq(first.page, page));
        (rendered, text.map(|first| Arc::clone(&first.text)))
    }
}

impl<'a> SharedBody<'a> {
    /// A body for pages with the same text. `None` if it follows from more than the text, the links, and the images.
    fn new(context: &RenderContext<'_>, page: &'a Page, rendered: &Rendered) -> Option<Self> {
        let Rendered { api, api_markdown, scripts, diagnostics, broken_links, .. } = rendered;
        let is_api = api.is_some() || !api_markdown.is_empty() || names_spec(page);
        let mut texts = diagnostics.iter().flat_map(|each| each.help.iter().chain([&each.message]));
        let names_page = texts.any(|text| text.contains(&page.path));
        if is_api || names_page || !scripts.is_empty() || !broken_links.is_empty() {
            return None;
        }
        let mut images = Vec::new();
        for read in context.reads().all()? {
            match read {
                Read::Text(path) if path == page.path => {}
                Read::ImageSize(path) => images.push(path),
                Read::Text(_) | Read::Spec(_) | Read::Title(_) => return None,
            }
        }
        let targets = context.reads().link_targets()?;
        let text = Arc::new(search::extract(&rendered.html));
        Some(Self { page, rendered: rendered.clone(), text, targets, images })
    }

    /// The body of another page with the same text; `None` if it isn't the same. `context` records what it read.
    fn copy(&self, context: &RenderContext<'_>, page: &Page) -> Option<Rendered> {
        let Page { frontmatter, language, .. } = self.page;
        if page.language != *language || page.frontmatter != *frontmatter || names_spec(page) {
            return None;
        }
        let mut slugs: BTreeMap<&str, String> = BTreeMap::new();
        for (href, target) in &self.targets {
            let own = context.resolve(&page.path, href);
            if !self.leads_alike(context, target, (page, &own)) {
                return None;
            }
            match own {
                Resolution::Page { slug, .. } => drop(slugs.insert(href, slug)),
                Resolution::Anchor(_) => drop(slugs.insert(href, page.slug.clone())),
                _ => {}
            }
        }
        let mut rendered = self.rendered.clone();
        for link in &mut rendered.anchor_links {
            link.slug = slugs.get(&*link.href)?.clone();
            link.path.clone_from(&page.path);
        }
        for link in &mut rendered.external_links {
            link.path.clone_from(&page.path);
        }
        for diagnostic in &mut rendered.diagnostics {
            diagnostic.path.clone_from(&page.path);
        }
        Some(rendered)
    }

    /// Whether a link of the page has the same address as that of the first page.
    fn leads_alike(
        &self,
        context: &RenderContext<'_>,
        target: &Resolution,
        (page, own): (&Page, &Resolution),
    ) -> bool {
        let (first, second) = (output_path(&self.page.slug), output_path(&page.slug));
        match (target, own) {
            (Resolution::External(one), Resolution::External(other))
            | (Resolution::Anchor(one), Resolution::Anchor(other)) => one == other,
            (
                Resolution::Page { slug: one, suffix },
                Resolution::Page { slug: other, suffix: own },
            ) => {
                suffix == own
                    && relative(&first, &output_path(one)) == relative(&second, &output_path(other))
            }
            (
                Resolution::File { path: one, suffix },
                Resolution::File { path: other, suffix: own },
            ) => {
                let is_same = suffix == own && relative(&first, one) == relative(&second, other);
                is_same
                    && (!self.images.contains(one)
                        || context.image_size(other) == context.for_page().image_size(one))
            }
            _ => false,
        }
    }
}

/// Whether a page can show a part of an API spec.
fn names_spec(page: &Page) -> bool {
    let Page { part, missing_specs, frontmatter, .. } = page;
    let named = [
        &frontmatter.openapi,
        &frontmatter.openapi_schema,
        &frontmatter.asyncapi,
        &frontmatter.api,
    ];
    part.is_some() || !missing_specs.is_empty() || named.into_iter().any(Option::is_some)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{build::NoWatch, content::Content, source::Source};

    const WIDE: &str = r#"<svg xmlns="http://www.w3.org/2000/svg" width="40" height="10"></svg>"#;
    const TALL: &str = r#"<svg xmlns="http://www.w3.org/2000/svg" width="10" height="40"></svg>"#;

    /// Whether the second of two pages with a text takes its body from the first.
    fn is_shared(text: &str) -> bool {
        let files = [
            (
                "docs.json",
                r#"{"name":"Test","navigation":{"languages":[{"language":"en","pages":["v1/page"]},{"language":"en","pages":["v2/page"]}]}}"#,
            ),
            ("v1/page.mdx", text),
            ("v2/page.mdx", text),
            ("v1/other.mdx", "---\ntitle: First\n---\n"),
            ("v2/other.mdx", "---\ntitle: Second\n---\n"),
            ("v2/new.mdx", "New"),
            ("root.svg", WIDE),
            ("v1/same.svg", WIDE),
            ("v2/same.svg", WIDE),
            ("v1/image.svg", WIDE),
            ("v2/image.svg", TALL),
            ("part.mdx", "A part"),
        ];
        let files = files.map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec()));
        let source = Source::from_files(files);
        let (content, _) = Content::load(&source).unwrap();
        let (site, _) = RenderContext::new(&source, &content);
        let mut same = SameText { has_copies: true, ..SameText::default() };
        let [first, second] = ["v1/page", "v2/page"].map(|slug| {
            let (context, page) = (same.context(&site), &content.pages[slug]);
            let module = same.parse(&context, page, &NoWatch);
            same.render(&context, page, &module).1
        });
        first.zip(second).is_some_and(|(first, second)| Arc::ptr_eq(&first, &second))
    }

    #[test]
    fn body_is_shared_if_only_the_text_decides() {
        for text in [
            "",
            "# Title\n\n[Other](./other), [part](other#part), [own](#title), [site](https://e.com)",
            "![Image](./same.svg) ![Image](/root.svg)",
            "<Note>A note</Note>\n\n```js\nconst one = 1;\n```",
            "<Icon icon='no-such-icon' />",
        ] {
            assert!(is_shared(text), "{text}");
        }
        for text in [
            "[New](./new)",
            "[Own page](/v1/page)",
            "![Image](./image.svg)",
            "import Part from '/part.mdx'\n\n<Part />",
            "export const Button = () => <button />\n\n<Button />",
            "---\nrelated: ['./other']\n---\n",
            "---\nopenapi: GET /things\n---\n",
        ] {
            assert!(!is_shared(text), "{text}");
        }
    }
}
