//! Scripts of long sidebars, which the pages share.

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    sync::OnceLock,
};

use rayon::prelude::*;

use super::{Site, not_found::unlisted_page};
use crate::{
    output::Output,
    render::Rendered,
    theme::{self, LongSidebar, PageView},
};

/// The long sidebars of a site by number, once a page needs them; `None` for others.
pub(super) type LongSidebars = Vec<OnceLock<Option<LongSidebar>>>;

impl Site<'_> {
    /// The sidebar with a number, if it is long.
    pub(super) fn long_sidebar(&self, number: usize) -> Option<&LongSidebar> {
        self.long_sidebars[number].get_or_init(|| self.make_long_sidebar(number)).as_ref()
    }

    /// Writes the scripts of the sidebars that pages show.
    pub(super) fn write_sidebar_scripts(&self, output: &dyn Output) -> io::Result<()> {
        let numbers = self.pages.iter().map(|page| self.navigation.sidebar_number(&page.slug));
        let numbers: BTreeSet<_> = numbers.collect();
        let sidebars = numbers.into_par_iter().filter_map(|number| self.long_sidebar(number));
        let scripts = sidebars.filter_map(|sidebar| sidebar.script.as_ref());
        // Sidebars with the same list have the same script.
        let scripts: BTreeMap<_, _> =
            scripts.map(|script| (&script.path, &script.contents)).collect();
        scripts.par_iter().try_for_each(|(path, contents)| output.write(path, contents.as_bytes()))
    }

    fn make_long_sidebar(&self, number: usize) -> Option<LongSidebar> {
        let page = unlisted_page(String::new(), String::new());
        theme::long_sidebar(&PageView {
            config: &self.content.config,
            options: self.options,
            page: &page,
            rendered: &Rendered::default(),
            navigation: &self.navigation.sidebar_alone(number),
            long_sidebar: None,
            alternates: &[],
            custom_styles: &[],
            custom_scripts: &[],
            last_modified: None,
            fonts: &self.fonts,
            icons: &self.icons,
            home: self.home(),
            anywhere: false,
            has_file: &|path| self.has_file(path),
            image_size: &|_| None,
        })
    }
}
