//! Small sites in memory, built with the public interface.

use std::collections::BTreeMap;

use docwright_site::{
    Options,
    build::{BuildError, Report, build},
    output::Memory,
    source::Source,
};

/// A site with one page, `index.mdx`, and other files.
#[derive(Clone)]
pub(crate) struct Site {
    files: BTreeMap<String, Vec<u8>>,
    remote: Vec<(String, String)>,
    fonts: Vec<(String, Vec<u8>)>,
}

impl Site {
    pub(crate) fn new() -> Self {
        let config = r##"{"theme":"mint","name":"Test","colors":{"primary":"#0f766e"},"icons":{"library":"lucide"},"navigation":{"pages":["index"]}}"##;
        let files = BTreeMap::from([("docs.json".to_owned(), config.as_bytes().to_vec())]);
        Self { files, remote: Vec::new(), fonts: Vec::new() }
    }

    pub(crate) fn page(text: impl AsRef<[u8]>) -> Self {
        Self::new().file("index.mdx", text)
    }

    pub(crate) fn file(mut self, path: &str, contents: impl AsRef<[u8]>) -> Self {
        self.files.insert(path.to_owned(), contents.as_ref().to_vec());
        self
    }

    pub(crate) fn without(mut self, path: &str) -> Self {
        self.files.remove(path);
        self
    }

    /// Adds a fetched API spec of another host.
    pub(crate) fn remote(mut self, address: &str, text: &str) -> Self {
        self.remote.push((address.to_owned(), text.to_owned()));
        self
    }

    /// A font on another host, fetched.
    pub(crate) fn font(mut self, address: &str, contents: &[u8]) -> Self {
        self.fonts.push((address.to_owned(), contents.to_vec()));
        self
    }

    pub(crate) fn source(&self) -> Source {
        let mut source = Source::from_files(self.files.clone());
        for (address, text) in &self.remote {
            source.add_remote(address, text);
        }
        for (address, contents) in &self.fonts {
            source.add_font(address, contents);
        }
        source
    }

    pub(crate) fn try_build(self) -> Result<Built, BuildError> {
        self.try_build_with(&Options::default())
    }

    fn try_build_with(self, options: &Options) -> Result<Built, BuildError> {
        let source = self.source();
        let output = Memory::default();
        let report = build(&source, options, &output, &|_| {})?;
        Ok(Built { report, files: output.into_files() })
    }

    pub(crate) fn build_with(self, options: &Options) -> Built {
        self.try_build_with(options).expect("the site can be built")
    }

    pub(crate) fn build(self) -> Built {
        self.try_build().expect("the site can be built")
    }
}

/// The result of a build.
pub(crate) struct Built {
    pub(crate) report: Report,
    pub(crate) files: BTreeMap<String, Vec<u8>>,
}

impl Built {
    pub(crate) fn text(&self, path: &str) -> &str {
        let file = self.files.get(path).unwrap_or_else(|| panic!("missing file {path}"));
        std::str::from_utf8(file).expect("the file is text")
    }

    /// The body of a page, without its layout.
    pub(crate) fn body(&self, path: &str) -> &str {
        let html = self.text(path);
        let tag = html.find("mdx-content dw-body prose dw-prose\"").expect("the page has a body");
        let start = tag + html[tag..].find('>').expect("the tag ends") + 1;
        let end = html[start..].find("</article>");
        html[start..start + end.expect("the body ends")]
            .strip_suffix("</div>")
            .expect("the body is closed")
    }

    pub(crate) fn codes(&self) -> Vec<&str> {
        self.report.diagnostics.iter().map(|each| each.rule.code()).collect()
    }
}
