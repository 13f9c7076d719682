//! The plain corpus as each tool wants it: folders, frontmatter, links, and the least configuration that builds it.

use std::path::Path;

use anyhow::Context;
use serde_json::json;

use super::corpus::{self, Corpus, Page};

/// How a tool wants its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    /// `docs.json` and MDX.
    Docwright,
    /// Hugo with a layout of one line.
    Hugo,
    /// Hugo with the theme `hugo-book`.
    HugoBook,
    /// Zola with a template of one line.
    Zola,
    /// Astro with Starlight.
    Starlight,
    /// `VitePress` with its own theme and search.
    VitePress,
    /// mdBook with `SUMMARY.md`.
    MdBook,
    /// Zensical with its own theme.
    Zensical,
}

/// A layout of one line, in the language of Hugo.
const HUGO_TEMPLATE: &str =
    "<!doctype html><title>{{ .Title }}</title><h1>{{ .Title }}</h1>{{ .Content }}\n";
/// The same in the language of Zola.
const ZOLA_TEMPLATE: &str = "<!doctype html><title>{{ THIS.title }}</title>\
    <h1>{{ THIS.title }}</h1>{{ THIS.content | safe }}\n";
const STARLIGHT_CONTENT: &str = "import { defineCollection } from \"astro:content\";
import { docsLoader } from \"@astrojs/starlight/loaders\";
import { docsSchema } from \"@astrojs/starlight/schema\";

export const collections = { docs: defineCollection({ loader: docsLoader(), schema: docsSchema() }) };
";

impl Layout {
    /// Writes the source to a folder. `theme` is a clone of `hugo-book`.
    pub(super) fn write(
        self,
        folder: &Path,
        corpus: Corpus,
        theme: Option<&Path>,
    ) -> anyhow::Result<()> {
        for (path, text) in self.configuration(corpus, theme) {
            write(folder, &path, &text)?;
        }
        let (below, extension) = self.content();
        write(folder, &self.start(), &self.format(&start(corpus, |number| self.link(number, ""))))?;
        for number in 0..corpus.pages {
            let page = corpus.page(number, |target| self.link(target, "../"));
            write(
                folder,
                &format!("{below}{}.{extension}", corpus::path(number)),
                &self.format(&page),
            )?;
        }
        Ok(())
    }

    /// The folder of pages, and their extension.
    fn content(self) -> (&'static str, &'static str) {
        match self {
            Self::Docwright => ("docs/", "mdx"),
            Self::Zensical => ("docs/", "md"),
            Self::Hugo | Self::HugoBook | Self::Zola => ("content/", "md"),
            Self::Starlight => ("src/content/docs/", "md"),
            Self::VitePress => ("", "md"),
            Self::MdBook => ("src/", "md"),
        }
    }

    /// The file of the first page.
    fn start(self) -> String {
        let (below, extension) = self.content();
        let name = match self {
            Self::Hugo | Self::HugoBook | Self::Zola => "_index",
            _ => "index",
        };
        format!("{below}{name}.{extension}")
    }

    /// The target of a link. `up` leads from the page's folder to the folder of pages.
    fn link(self, number: usize, up: &str) -> String {
        let path = corpus::path(number);
        match self {
            Self::Docwright | Self::VitePress => format!("/{path}"),
            Self::Hugo | Self::HugoBook | Self::Starlight => format!("/{path}/"),
            Self::Zola => format!("@/{path}.md"),
            Self::MdBook | Self::Zensical => format!("{up}{path}.md"),
        }
    }

    /// A page with its title where the tool looks for it.
    fn format(self, Page { title, description, body }: &Page) -> String {
        match self {
            Self::Zola => {
                format!("+++\ntitle = \"{title}\"\ndescription = \"{description}\"\n+++\n\n{body}")
            }
            Self::MdBook => format!("# {title}\n\n{body}"),
            Self::VitePress => {
                format!("---\ndescription: \"{description}\"\n---\n\n# {title}\n\n{body}")
            }
            _ => {
                format!("---\ntitle: \"{title}\"\ndescription: \"{description}\"\n---\n\n{body}")
            }
        }
    }

    /// Paths and texts of all files that aren't pages.
    fn configuration(self, corpus: Corpus, theme: Option<&Path>) -> Vec<(String, String)> {
        let file = |path: &str, text: String| (path.to_owned(), text);
        match self {
            Self::Docwright => vec![file("docs/docs.json", docs_json(corpus))],
            Self::Hugo => {
                let mut files = sections(corpus, "---\ntitle: \"TITLE\"\n---\n");
                files.push(file("hugo.toml", hugo_settings()));
                for layout in ["single", "list"] {
                    files.push(file(
                        &format!("layouts/_default/{layout}.html"),
                        HUGO_TEMPLATE.to_owned(),
                    ));
                }
                files
            }
            Self::HugoBook => {
                let mut files = sections(corpus, "---\ntitle: \"TITLE\"\n---\n");
                files.push(file("hugo.toml", hugo_settings() + &hugo_book_settings(theme)));
                files
            }
            Self::Zola => {
                let mut files = sections(corpus, "+++\ntitle = \"TITLE\"\n+++\n");
                files.push(file("config.toml", zola_settings()));
                for (name, this) in [("index", "section"), ("section", "section"), ("page", "page")]
                {
                    let template = ZOLA_TEMPLATE.replace("THIS", this);
                    files.push(file(&format!("templates/{name}.html"), template));
                }
                files
            }
            Self::Starlight => vec![
                file("astro.config.mjs", starlight_settings(corpus)),
                file("src/content.config.ts", STARLIGHT_CONTENT.to_owned()),
            ],
            Self::VitePress => vec![file(".vitepress/config.mjs", vitepress_settings(corpus))],
            Self::MdBook => vec![
                file("book.toml", "[book]\ntitle = \"Corpus\"\n".to_owned()),
                file("src/SUMMARY.md", summary(corpus)),
            ],
            Self::Zensical => vec![file(
                "zensical.toml",
                "[project]\nsite_name = \"Corpus\"\nsite_url = \"https://docs.example.com/\"\n"
                    .to_owned(),
            )],
        }
    }
}

fn write(folder: &Path, path: &str, text: &str) -> anyhow::Result<()> {
    let file = folder.join(path);
    std::fs::create_dir_all(file.parent().context("a file without a folder")?)?;
    std::fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))
}

/// The page that opens a site: a link to the first page of each group.
fn start(corpus: Corpus, link: impl Fn(usize) -> String) -> Page {
    let entries = corpus.groups().map(|(group, pages)| {
        let (title, target) = (group_title(&group), link(pages.start));
        format!("- [{title}]({target})\n")
    });
    Page {
        title: "Corpus".to_owned(),
        description: "Generated pages.".to_owned(),
        body: entries.collect(),
    }
}

fn group_title(group: &str) -> String {
    group.replace("group-", "Group ")
}

/// A file for the folder of each group.
fn sections(corpus: Corpus, text: &str) -> Vec<(String, String)> {
    let files = corpus.groups().map(|(group, _)| {
        (format!("content/{group}/_index.md"), text.replace("TITLE", &group_title(&group)))
    });
    files.collect()
}

fn docs_json(corpus: Corpus) -> String {
    let mut groups = vec![json!({ "group": "Start", "pages": ["index"] })];
    groups.extend(corpus.groups().map(|(group, pages)| {
        let pages: Vec<_> = pages.map(corpus::path).collect();
        json!({ "group": group_title(&group), "pages": pages })
    }));
    json!({
        "$schema": "https://mintlify.com/docs.json",
        "theme": "mint",
        "name": "Corpus",
        "colors": { "primary": "#0f766e" },
        "navigation": { "groups": groups },
    })
    .to_string()
}

fn hugo_settings() -> String {
    "baseURL = \"https://docs.example.com/\"\ntitle = \"Corpus\"\n".to_owned()
}

fn hugo_book_settings(theme: Option<&Path>) -> String {
    let part =
        |part: Option<&Path>| part.map(|path| path.display().to_string()).unwrap_or_default();
    let folder = part(theme.and_then(Path::parent));
    let name = part(theme.and_then(Path::file_name).map(Path::new));
    format!("theme = {name:?}\nthemesDir = {folder:?}\n\n[params]\nBookSection = \"*\"\n")
}

fn zola_settings() -> String {
    "base_url = \"https://docs.example.com\"\ntitle = \"Corpus\"\nbuild_search_index = true\n\
     \n[markdown]\nhighlight_code = true\n"
        .to_owned()
}

fn starlight_settings(corpus: Corpus) -> String {
    let groups = corpus.groups().map(|(group, pages)| {
        let pages: Vec<_> = pages.map(corpus::path).collect();
        json!({ "label": group_title(&group), "items": pages })
    });
    let sidebar = json!(groups.collect::<Vec<_>>());
    format!(
        "import starlight from \"@astrojs/starlight\";\n\
         import {{ defineConfig }} from \"astro/config\";\n\n\
         const sidebar = {sidebar};\n\
         export default defineConfig({{\n  site: \"https://docs.example.com\",\n  \
         cacheDir: \"./.cache\",\n  integrations: [starlight({{ title: \"Corpus\", sidebar }})],\n}});\n"
    )
}

fn vitepress_settings(corpus: Corpus) -> String {
    let groups = corpus.groups().map(|(group, pages)| {
        let link = |number| {
            let title = corpus.page(number, |_| String::new()).title;
            json!({ "text": title, "link": Layout::VitePress.link(number, "") })
        };
        json!({ "text": group_title(&group), "items": pages.map(link).collect::<Vec<_>>() })
    });
    let sidebar = json!(groups.collect::<Vec<_>>());
    format!(
        "const sidebar = {sidebar};\n\
         export default {{ title: \"Corpus\", themeConfig: {{ sidebar, search: {{ provider: \"local\" }} }} }};\n"
    )
}

fn summary(corpus: Corpus) -> String {
    let mut summary = "# Summary\n\n[Corpus](index.md)\n".to_owned();
    for (group, pages) in corpus.groups() {
        summary += &format!("\n# {}\n\n", group_title(&group));
        for number in pages {
            let title = corpus.page(number, |_| String::new()).title;
            summary += &format!("- [{title}]({}.md)\n", corpus::path(number));
        }
    }
    summary
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Corpus, Layout};

    const LAYOUTS: [Layout; 8] = [
        Layout::Docwright,
        Layout::Hugo,
        Layout::HugoBook,
        Layout::Zola,
        Layout::Starlight,
        Layout::VitePress,
        Layout::MdBook,
        Layout::Zensical,
    ];

    fn written(layout: Layout) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        let theme = Path::new("/themes/hugo-book");
        layout.write(folder.path(), Corpus { pages: 60 }, Some(theme)).expect("the source");
        folder
    }

    fn read(folder: &tempfile::TempDir, path: &str) -> String {
        std::fs::read_to_string(folder.path().join(path)).expect(path)
    }

    #[test]
    fn all_tools_get_the_same_paragraphs() {
        let expected = Corpus { pages: 60 }.page(51, |_| "LINK".to_owned());
        let without_links = |text: &str| {
            let parts =
                text.split("](").map(|part| part.split_once(')').map_or(part, |(_, rest)| rest));
            parts.collect::<Vec<_>>().join(" ")
        };
        for layout in LAYOUTS {
            let (below, extension) = layout.content();
            let page = read(&written(layout), &format!("{below}group-1/page-51.{extension}"));
            assert!(page.contains(&expected.title), "{layout:?}");
            assert!(
                without_links(&page).contains(expected.body.split("](").next().expect("text")),
                "{layout:?}"
            );
            let (page, body) = (without_links(&page), without_links(&expected.body));
            assert!(
                page.ends_with(body.split_once('.').expect("a sentence").1),
                "{layout:?}: {page}"
            );
        }
    }

    #[test]
    fn relative_links_lead_to_files() {
        for layout in [Layout::MdBook, Layout::Zensical] {
            let (folder, below) = (written(layout), layout.content().0);
            for (page, from) in [("index.md", ""), ("group-0/page-3.md", "group-0/")] {
                let text = read(&folder, &format!("{below}{page}"));
                let targets: Vec<_> = text.split("](").skip(1).collect();
                assert!(!targets.is_empty());
                for target in targets {
                    let target = target.split(')').next().expect("a target");
                    let file = folder.path().join(below).join(from).join(target);
                    assert!(file.exists(), "{layout:?}: {target}");
                }
            }
        }
    }

    #[test]
    fn every_navigation_has_all_pages() {
        for (layout, path) in [
            (Layout::Docwright, "docs/docs.json"),
            (Layout::Starlight, "astro.config.mjs"),
            (Layout::VitePress, ".vitepress/config.mjs"),
            (Layout::MdBook, "src/SUMMARY.md"),
        ] {
            assert_eq!(read(&written(layout), path).matches("/page-").count(), 60, "{layout:?}");
        }
    }

    #[test]
    fn theme_is_found_in_its_folder() {
        let settings = read(&written(Layout::HugoBook), "hugo.toml");
        assert!(
            settings.contains("theme = \"hugo-book\"\nthemesDir = \"/themes\"\n"),
            "{settings}"
        );
    }
}
