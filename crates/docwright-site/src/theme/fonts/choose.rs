//! Finds the file of a font, and reports a missing or invalid one.

use super::{AuthorFile, FOLDER, Font, FontFile, Loaded, families::Family, file::HEADER};
use crate::{
    Diagnostic, Rule,
    content::{
        config::{self, is_style_sheet},
        document::Document,
        links::{is_published, is_remote},
    },
    hashed_path::hashed_path,
    source::Source,
};

/// Name of the family of a file without one.
const UNNAMED: &str = "Site Font";

/// Chooses fonts, and collects what is wrong with them.
pub(super) struct Chooser<'a> {
    source: &'a Source,
    problems: Vec<Problem>,
}

/// Something wrong with a font, and the text of the configuration that is to blame.
#[derive(PartialEq, Eq)]
struct Problem {
    rule: Rule,
    text: String,
    message: String,
    help: String,
}

impl<'a> Chooser<'a> {
    pub(super) fn new(source: &'a Source) -> Self {
        Self { source, problems: Vec::new() }
    }

    /// The font that a site shows for a configured one. Without a family and a file, it is the usual one. A font of
    /// headings is chosen with that of text in view.
    pub(super) fn choose(&mut self, font: &config::Font, usual: &str, text: Option<&Font>) -> Font {
        if let Some(source) = &font.source {
            if is_style_sheet(source) {
                return self.choose_instead_of_sheet(font, source, usual);
            }
            if let Some((file, path, contents)) = self.find_file(source) {
                self.check_format(font, source, &file);
                let file = author_file(font, file, path, contents, text);
                return Font { unavailable: None, loaded: Loaded::File(file) };
            }
        }
        let Some(name) = &font.family else { return included(None, usual) };
        if let Some(family) = Family::named(name) {
            return Font { unavailable: None, loaded: Loaded::Included(family) };
        }
        // A file that is missing was reported already.
        if font.source.is_none() {
            self.report_unknown(name);
        }
        included(Some(name), usual)
    }

    fn choose_instead_of_sheet(&mut self, font: &config::Font, source: &str, usual: &str) -> Font {
        let name = font.family.as_deref();
        let known = name.and_then(Family::named);
        let help = match known {
            Some(family) => format!("remove `source`: docwright includes {}", family.name),
            None => "download the font as WOFF2, put it into the repository, and set `source` to its path".to_owned(),
        };
        let message = format!("`{source}` is a style sheet, not a font file");
        self.report(Rule::InvalidFont, source, message, help);
        match known {
            Some(family) => Font { unavailable: None, loaded: Loaded::Included(family) },
            None => included(name, usual),
        }
    }

    /// The file of a font: what it is, its path below the site root, and its contents if it has to be written there.
    fn find_file(&mut self, source: &str) -> Option<(FontFile, String, Option<Vec<u8>>)> {
        if is_remote(source) {
            let Some(contents) = self.source.font(source) else {
                let message = format!("the font `{source}` is on another host and isn't fetched");
                let help = "allow it to be fetched with --remote-specs DIR, or put a copy into the repository";
                self.report(Rule::RemoteFont, source, message, help.to_owned());
                return None;
            };
            let Some(file) = FontFile::read(contents) else {
                self.report_no_font(source);
                return None;
            };
            let path = hashed_path(FOLDER, contents, &format!("font.{}", file.extension));
            return Some((file, path, Some(contents.to_vec())));
        }
        let path = source.split(['?', '#']).next().unwrap_or_default();
        let path = path.trim_start_matches("./").trim_start_matches('/');
        let Some(start) = self.source.head(path, HEADER) else {
            let message = format!("the font file `{source}` doesn't exist");
            let help = "correct the path, which is case-sensitive, or add the file".to_owned();
            self.report(Rule::MissingFile, source, message, help);
            return None;
        };
        let file = FontFile::read(&start).filter(|_| is_published(path));
        if file.is_none() {
            self.report_no_font(source);
        }
        Some((file?, path.to_owned(), None))
    }

    fn check_format(&mut self, font: &config::Font, source: &str, file: &FontFile) {
        let Some(format) = font.format.as_deref().filter(|format| *format != file.format) else {
            return;
        };
        let message = format!("`format` is `{format}`, but `{source}` is {}", file.format);
        let help = match file.format {
            "woff" | "woff2" => format!("set `format` to `{}`, or correct the path", file.format),
            _ => "convert the file to WOFF2: it is smaller, and browsers load it faster".to_owned(),
        };
        self.report(Rule::InvalidFont, source, message, help);
    }

    fn report_no_font(&mut self, source: &str) {
        let message = format!("`{source}` isn't a font file");
        let help = "name a WOFF2 or WOFF file".to_owned();
        self.report(Rule::InvalidFont, source, message, help);
    }

    fn report_unknown(&mut self, name: &str) {
        let message = format!("docwright doesn't include the font `{name}`");
        let help = if let Some(near) = Family::like(name) {
            format!("did you mean {near}? If not, set `source` to a WOFF2 file")
        } else {
            let names = Family::names().join(", ");
            format!("set `source` to a WOFF2 file in the repository, or use one of: {names}")
        };
        self.report(Rule::UnknownFont, name, message, help);
    }

    fn report(&mut self, rule: Rule, text: &str, message: String, help: String) {
        let problem = Problem { rule, text: text.to_owned(), message, help };
        if !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }

    /// What is wrong, each at its place in the configuration.
    pub(super) fn into_diagnostics(self) -> Vec<Diagnostic> {
        if self.problems.is_empty() {
            return Vec::new();
        }
        let Ok(document) = Document::read(self.source, &mut Vec::new()) else { return Vec::new() };
        let diagnostics = self.problems.into_iter().map(|problem| {
            let diagnostic = Diagnostic::new(problem.rule, "", problem.message).help(problem.help);
            document.at(&problem.text, diagnostic)
        });
        diagnostics.collect()
    }
}

/// A family that docwright includes, after one that only readers can have.
fn included(unavailable: Option<&str>, family: &str) -> Font {
    let family = Family::named(family).expect("themes name families that docwright includes");
    Font { unavailable: unavailable.map(str::to_owned), loaded: Loaded::Included(family) }
}

fn author_file(
    font: &config::Font,
    kind: FontFile,
    path: String,
    contents: Option<Vec<u8>>,
    text: Option<&Font>,
) -> AuthorFile {
    let mut family = font.family.clone().unwrap_or_else(|| UNNAMED.to_owned());
    if let Some(Font { loaded: Loaded::File(file), .. }) = text
        && file.family == family
    {
        family.push_str(" Heading");
    }
    let weights = match font.weight {
        _ if kind.is_variable => "1 1000".to_owned(),
        Some(weight) => weight.to_string(),
        // A file for headings alone has their weight, which a browser must not make bolder.
        None if text.is_some() => "1 1000".to_owned(),
        None => "400".to_owned(),
    };
    AuthorFile { family, path, contents, kind, weights }
}
