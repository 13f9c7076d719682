//! Renders pages only to find problems or to extract text; nothing is written.

use rayon::prelude::*;

use super::{
    BuildError, Report, STACK,
    anchors::{PageAnchors, broken_anchor, dead_links, places},
    external_links,
};
use crate::{
    answer::golden,
    content::{Content, slug},
    render::{self, ExternalLink, RenderContext},
    search,
    source::Source,
    theme::{self, SiteFonts},
};

/// The result of a check.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// The same as of a build.
    pub report: Report,
    /// Links to other hosts, sorted by place.
    pub external_links: Vec<ExternalLink>,
}

/// Finds the problems that [`build`](super::build()) would find, without building the site: no theme, no search,
/// no colors in code.
pub fn check(source: &Source) -> Result<Checked, BuildError> {
    let threads = rayon::ThreadPoolBuilder::new().stack_size(STACK).build()?;
    threads.install(|| {
        let (content, mut diagnostics) = Content::load(source)?;
        let (context, found) = RenderContext::without_colors(source, &content);
        diagnostics.extend(found);
        diagnostics.extend(SiteFonts::new(&content.config, source).1);
        diagnostics.extend(theme::unreadable_colors(&content.config));
        diagnostics.extend(golden::diagnostic(source));
        let pages: Vec<_> = content.pages.values().collect();
        let rendered: Vec<_> =
            pages.par_iter().map(|page| render::render_page(&context, page)).collect();
        let both = pages.iter().copied().zip(&rendered);
        let both: Vec<_> = both.map(|(page, rendered)| PageAnchors::of(page, rendered)).collect();
        let dead = dead_links(&both, &places(&both));
        diagnostics.extend(dead.iter().filter_map(broken_anchor));
        let mut external_links = external_links::of_configuration(source);
        for page in rendered {
            diagnostics.extend(page.diagnostics);
            external_links.extend(page.external_links);
        }
        external_links.sort();
        external_links.dedup();
        let redirects = content.config.redirects.clone();
        let report = Report::new(source, pages.len(), diagnostics, redirects);
        Ok(Checked { report, external_links })
    })
}

/// The text of a page as its readers see it: headings, text and code, components and snippets
/// resolved. `None` if there is no page at a path.
pub fn read_page(source: &Source, path: &str) -> Result<Option<String>, BuildError> {
    let threads = rayon::ThreadPoolBuilder::new().num_threads(1).stack_size(STACK).build()?;
    threads.install(|| {
        let (content, _) = Content::load(source)?;
        let (context, _) = RenderContext::without_colors(source, &content);
        let Some(page) = content.pages.get(&slug::of_reference(path)) else { return Ok(None) };
        let rendered = render::render_page(&context, page);
        let mut text = format!("# {}\n", page.frontmatter.title);
        for section in search::extract(&rendered.html).sections {
            for part in [format!("## {}", section.heading), section.text, section.code] {
                if !part.trim_matches([' ', '#']).is_empty() {
                    text.push_str(&format!("\n{part}\n"));
                }
            }
        }
        Ok(Some(text))
    })
}
