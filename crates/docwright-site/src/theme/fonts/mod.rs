//! The fonts of a site: which ones, their files, and their part of the style sheet.
//!
//! A site carries every font that it shows, so no reader's browser asks another host. Fonts come from three places:
//! docwright includes the faces of its themes and some families more; authors put files into their repository; and
//! files on other hosts are fetched before a build. Until a font arrives, a font of the reader's system takes its
//! place, fitted so that nothing moves.

mod choose;
mod css;
mod families;
mod file;
mod themes;

use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, PoisonError},
};

use choose::Chooser;
pub use css::fallback_faces;
use families::{Face, Family};
pub use file::FontFile;

use crate::{Diagnostic, content::config::Config, hashed_path::hashed_path, source::Source};

/// Folder of font files that aren't files of the repository, below the site root.
const FOLDER: &str = "_docwright/fonts";
/// Weight of text. Headings and labels have others.
const TEXT_WEIGHT: u16 = 400;

/// The fonts of a site.
#[derive(Debug)]
pub struct SiteFonts {
    body: Font,
    heading: Font,
    code: Font,
    /// Whether `fonts` names that of text, or of headings; otherwise it is the theme's.
    is_configured: (bool, bool),
    /// Weights of text and headings.
    weights: (Option<f64>, Option<f64>),
    preloads: Mutex<Preloads>,
}

/// What pages load first, by the subset of their language and whether they have code.
type Preloads = HashMap<(&'static str, bool), Arc<[Preload]>>;

/// A font of a site.
#[derive(Debug, Clone, PartialEq)]
struct Font {
    /// A family that only readers can have.
    unavailable: Option<String>,
    /// What readers without it see.
    loaded: Loaded,
}

/// A font that pages load.
#[derive(Debug, Clone)]
enum Loaded {
    /// A family that docwright includes.
    Included(&'static Family),
    /// A file of an author.
    File(AuthorFile),
}

/// A font file of an author.
#[derive(Debug, Clone, PartialEq)]
struct AuthorFile {
    /// Name of its family in the style sheet.
    family: String,
    /// Where it is, below the site root.
    path: String,
    /// Its contents, if it isn't a file of the repository.
    contents: Option<Vec<u8>>,
    /// What it is.
    kind: FontFile,
    /// Weights of text that it is for.
    weights: String,
}

impl PartialEq for Loaded {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Included(one), Self::Included(other)) => one.id == other.id,
            (Self::File(one), Self::File(other)) => one == other,
            _ => false,
        }
    }
}

/// A font file that a page loads in any case.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Preload {
    /// Path below the site root.
    pub(super) path: String,
    /// Its content type.
    pub(super) content_type: String,
}

impl SiteFonts {
    /// Chooses the fonts of a site. Fonts that can't be loaded are reported, and those of the theme are in their
    /// place.
    pub fn new(config: &Config, source: &Source) -> (Self, Vec<Diagnostic>) {
        let faces = themes::faces(&config.theme);
        let mut chooser = Chooser::new(source);
        let (body, heading) = (&config.fonts.body, &config.fonts.heading);
        let (has_body, has_heading) = (is_named(body), is_named(heading));
        let of_body = chooser.choose(body, faces.body, None);
        let is_same = has_body && (!has_heading || is_same_font(body, heading));
        let of_heading = if is_same {
            of_body.clone()
        } else {
            chooser.choose(heading, faces.heading, Some(&of_body))
        };
        let fonts = Self {
            code: chooser.choose(&crate::content::config::Font::default(), faces.code, None),
            weights: (body.weight, heading.weight),
            is_configured: (has_body, has_body || has_heading),
            body: of_body,
            heading: of_heading,
            preloads: Mutex::default(),
        };
        (fonts, chooser.into_diagnostics())
    }

    /// Files that the site has for its fonts: path below the site root, and contents.
    pub fn files(&self) -> BTreeMap<String, Cow<'_, [u8]>> {
        let mut files = BTreeMap::new();
        for font in [&self.body, &self.heading, &self.code] {
            match &font.loaded {
                Loaded::Included(family) => {
                    let license = family.license.as_bytes();
                    let path = hashed_path(FOLDER, license, &format!("{}.LICENSE.txt", family.id));
                    files.insert(path, Cow::Borrowed(license));
                    for face in family.faces {
                        files.insert(face_path(family, face), Cow::Borrowed(face.file));
                    }
                }
                Loaded::File(AuthorFile { path, contents: Some(contents), .. }) => {
                    files.insert(path.clone(), Cow::Borrowed(contents));
                }
                Loaded::File(_) => {}
            }
        }
        files
    }

    /// The fonts that a page in a language shows first.
    pub(super) fn preloads(&self, language: &str, has_code: bool) -> Arc<[Preload]> {
        let subset = subset(language);
        let mut known = self.preloads.lock().unwrap_or_else(PoisonError::into_inner);
        let found = known.entry((subset, has_code));
        // Their paths have the hashes of their contents.
        Arc::clone(found.or_insert_with(|| self.find_preloads(subset, has_code).into()))
    }

    fn find_preloads(&self, subset: &str, has_code: bool) -> Vec<Preload> {
        let mut preloads = Vec::new();
        let code = has_code.then_some(&self.code);
        for font in [&self.body, &self.heading].into_iter().chain(code) {
            match &font.loaded {
                Loaded::Included(family) => {
                    let subsets = ["latin", subset];
                    let first =
                        |face: &&Face| face.style == "normal" && subsets.contains(&face.subset);
                    // A family with several files for weights: text is seen before headings.
                    let faces = family.faces.iter().filter(first);
                    let faces = faces.filter(|face| face.has_weight(TEXT_WEIGHT));
                    preloads.extend(faces.map(|face| Preload {
                        path: face_path(family, face),
                        content_type: "font/woff2".to_owned(),
                    }));
                }
                Loaded::File(file) => preloads.push(Preload {
                    path: file.path.clone(),
                    content_type: format!("font/{}", file.kind.extension),
                }),
            }
        }
        let mut known = std::collections::BTreeSet::new();
        preloads.retain(|preload| known.insert(preload.path.clone()));
        preloads
    }
}

fn is_named(font: &crate::content::config::Font) -> bool {
    font.family.is_some() || font.source.is_some()
}

fn is_same_font(one: &crate::content::config::Font, other: &crate::content::config::Font) -> bool {
    (&one.family, &one.source, &one.format) == (&other.family, &other.source, &other.format)
}

/// Where a file of an included family is.
fn face_path(family: &Family, face: &Face) -> String {
    let weight =
        if face.weights.contains(' ') { String::new() } else { format!("-{}", face.weights) };
    let style = if face.style == "normal" { String::new() } else { format!("-{}", face.style) };
    hashed_path(FOLDER, face.file, &format!("{}-{}{weight}{style}.woff2", family.id, face.subset))
}

/// The subset that text in a language needs besides Latin.
fn subset(language: &str) -> &'static str {
    match language.split('-').next().unwrap_or_default() {
        "be" | "bg" | "kk" | "mk" | "ru" | "sr" | "uk" => "cyrillic",
        "el" => "greek",
        "vi" => "vietnamese",
        "cs" | "hr" | "hu" | "lt" | "lv" | "pl" | "ro" | "sk" | "sl" | "tr" => "latin-ext",
        _ => "latin",
    }
}
