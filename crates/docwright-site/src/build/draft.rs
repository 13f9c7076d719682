//! One page with a text that isn't saved, for people who write it: everything else is as in the docs root.

use super::{BuildError, STACK, Site, same_text::SameText};
use crate::{
    Diagnostic, Options,
    content::{Content, PageKind, links::output_path},
    output::Memory,
    render::RenderContext,
    source::Source,
    theme::SiteFonts,
};

/// A compiled draft.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// The HTML document of the page. It has what files of a published site can't have yet: its styles for classes of
    /// the author, and its scripts.
    pub html: String,
    /// What is wrong in its file.
    pub diagnostics: Vec<Diagnostic>,
}

/// Compiles the page of a file. `None` if no page is made of it, such as for a file that the site excludes.
pub fn draft(source: &Source, options: &Options, file: &str) -> Result<Option<Draft>, BuildError> {
    let threads = rayon::ThreadPoolBuilder::new().num_threads(1).stack_size(STACK).build()?;
    threads.install(|| {
        let (content, mut diagnostics) = Content::load(source)?;
        diagnostics.retain(|each| each.path == file);
        let mut pages = content.pages.values();
        let page = pages.find(|page| page.kind == PageKind::File && page.path == file);
        let Some(page) = page else { return Ok(None) };
        let (context, _) = RenderContext::new(source, &content);
        let (fonts, _) = SiteFonts::new(&content.config, source);
        let site = Site::new(context, fonts, options)?;
        let output = Memory::default();
        let facts = site.render_page(page, &mut SameText::default(), &output)?.facts;
        diagnostics.extend(facts.diagnostics);
        let mut files = output.into_files();
        let html = files.remove(&output_path(&page.slug)).unwrap_or_default();
        let mut html = String::from_utf8_lossy(&html).into_owned();
        // The other files are the scripts of the page.
        for (path, script) in &files {
            html = with_script(&html, path, &String::from_utf8_lossy(script));
        }
        let html = with_styles(&html, &site.styles_of_pages(&facts.classes, None));
        Ok(Some(Draft { html, diagnostics }))
    })
}

/// The document with a script in it instead of its file.
fn with_script(html: &str, path: &str, script: &str) -> String {
    let ending = format!("{path}\"");
    let attribute = html.find(&ending).and_then(|end| {
        let start = html[..end].rfind('"')? + 1;
        Some(start..end + path.len())
    });
    let Some(attribute) = attribute else { return html.to_owned() };
    let script = percent_encoding::utf8_percent_encode(script, percent_encoding::NON_ALPHANUMERIC);
    let mut html = html.to_owned();
    html.replace_range(attribute, &format!("data:text/javascript;charset=utf-8,{script}"));
    html
}

/// The document with a style sheet after those of the site.
fn with_styles(html: &str, styles: &str) -> String {
    match html.find("</head>") {
        // A style sheet can't contain the end of its element, however authors name classes.
        Some(end) if !styles.is_empty() && !styles.contains("</") => {
            format!("{}<style>{styles}</style>{}", &html[..end], &html[end..])
        }
        _ => html.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_and_styles_are_in_the_document() {
        let html = r#"<head><script defer src="../_docwright/a1.js"></script></head>"#;
        let html = with_script(html, "_docwright/a1.js", "let a = \"</script>\";");
        let expected =
            "src=\"data:text/javascript;charset=utf-8,let%20a%20%3D%20%22%3C%2Fscript%3E%22%3B\"";
        assert!(html.contains(expected), "{html}");
        assert_eq!(with_script(&html, "_docwright/b2.js", ""), html, "no such script");
        assert!(with_styles(&html, ".a{}").ends_with("<style>.a{}</style></head>"));
        assert_eq!(with_styles(&html, "</style>"), html);
    }
}
