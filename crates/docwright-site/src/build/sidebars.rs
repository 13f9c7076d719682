//! Scripts of long sidebars. Pages only name them, so their contents aren't kept.

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
    theme::{self, PageView, SidebarScript},
};

/// The scripts of a site's sidebars by number, once a page needs them; `None` for a short sidebar.
pub(super) type SidebarScripts = Vec<OnceLock<Option<SidebarScript>>>;

impl Site<'_> {
    /// The script of a sidebar.
    pub(super) fn sidebar_script(&self, number: usize) -> Option<&SidebarScript> {
        let script = &self.sidebar_scripts[number];
        script.get_or_init(|| Some(self.make_sidebar_script(number)?.0)).as_ref()
    }

    /// Writes the scripts of the sidebars that pages show.
    pub(super) fn write_sidebar_scripts(&self, output: &dyn Output) -> io::Result<()> {
        let numbers = self.pages.iter().map(|page| self.navigation.sidebar_number(&page.slug));
        let numbers: BTreeSet<_> = numbers.collect();
        // Sidebars with the same list have the same script.
        let scripts = numbers.into_par_iter().filter_map(|number| self.make_sidebar_script(number));
        let scripts = scripts.map(|(script, contents)| (script.path, contents));
        let scripts: BTreeMap<_, _> = scripts.collect();
        scripts.par_iter().try_for_each(|(path, contents)| output.write(path, contents.as_bytes()))
    }

    fn make_sidebar_script(&self, number: usize) -> Option<(SidebarScript, String)> {
        let page = unlisted_page(String::new(), String::new());
        theme::sidebar_script(&PageView {
            config: &self.content.config,
            options: self.options,
            page: &page,
            rendered: &Rendered::default(),
            navigation: &self.navigation.sidebar_alone(number),
            sidebar_script: None,
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
