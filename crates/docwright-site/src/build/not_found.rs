//! The page for addresses without one.

use std::{collections::BTreeMap, io};

use super::Site;
use crate::{
    content::{
        Page, PageKind, Visibility,
        frontmatter::Frontmatter,
        words::{self, Word},
    },
    output::Output,
    render::Rendered,
    theme::{self, PageView},
};

impl Site<'_> {
    /// `404.html`, unless the repository has its own.
    pub(super) fn write_not_found(&self, output: &dyn Output) -> io::Result<()> {
        if self.source.contains("404.html") {
            return Ok(());
        }
        let config = &self.content.config;
        let navigation = self.navigation.view("404");
        let language = self.not_found_language();
        let title = config.not_found.title.clone();
        let title = title.unwrap_or_else(|| words::word(&language, Word::NotFound).to_owned());
        let page = unlisted_page(title, language);
        let languages = self.languages_by_folder(&page.language);
        let view = PageView {
            config,
            options: self.options,
            page: &page,
            rendered: &Rendered::default(),
            navigation: &navigation,
            long_sidebar: self.long_sidebar(navigation.sidebar_number),
            alternates: &[],
            custom_styles: &self.styles,
            custom_scripts: &self.scripts,
            last_modified: None,
            fonts: &self.fonts,
            icons: &self.icons,
            home: self.home(),
            anywhere: true,
            has_file: &|path| self.has_file(path),
            image_size: &|path| self.context.image_size(path),
        };
        let html = theme::not_found(&view, &languages);
        output.write("404.html", html.as_bytes())
    }

    /// The language of `404.html`.
    pub(super) fn not_found_language(&self) -> String {
        self.navigation.view("404").language.unwrap_or_else(|| "en".to_owned())
    }

    /// The first folders of addresses whose pages are in another language than this one.
    fn languages_by_folder(&self, usual: &str) -> BTreeMap<&str, &str> {
        let pages = self.content.pages.values();
        let folders = pages.filter_map(|page| Some((page.slug.split_once('/')?.0, page)));
        let folders = folders.map(|(folder, page)| (folder, page.language.as_str()));
        folders.filter(|(_, language)| *language != usual).collect()
    }
}

/// A page at the root of the site that is in no navigation.
pub(super) fn unlisted_page(title: String, language: String) -> Page {
    Page {
        slug: "404".to_owned(),
        path: String::new(),
        frontmatter: Frontmatter { title, ..Frontmatter::default() }.into(),
        body_offset: 0,
        body_line: 1,
        kind: PageKind::Generated { content: String::new() },
        part: None,
        missing_specs: Vec::new(),
        visibility: Visibility::default(),
        language,
    }
}
