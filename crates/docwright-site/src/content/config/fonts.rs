//! `fonts`: families, files, and weights, of headings and of text.

use std::collections::BTreeSet;

use super::fields::Fields;
use crate::{
    content::{document::Document, links::is_remote},
    source::Source,
};

/// `fonts`.
#[derive(Debug, Clone, Default)]
pub struct Fonts {
    /// The font of headings; without a family, it is that of text.
    pub heading: Font,
    /// The font of text.
    pub body: Font,
}

/// One font.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Font {
    /// Name of the family.
    pub family: Option<String>,
    /// Path or address of its file.
    pub source: Option<String>,
    /// Format of that file, as the author has it: `woff` or `woff2`.
    pub format: Option<String>,
    /// Weight of the text, from 1 to 1,000.
    pub weight: Option<f64>,
}

impl Font {
    /// The address of its file, if that is on another host. The address of a stylesheet isn't one.
    pub fn address(&self) -> Option<&str> {
        self.source.as_deref().filter(|source| is_remote(source) && !is_style_sheet(source))
    }
}

/// Whether an address is that of a style sheet of a font service.
pub fn is_style_sheet(address: &str) -> bool {
    let path = address.split(['?', '#']).next().unwrap_or_default();
    path.contains("://fonts.googleapis.com/")
        || path.contains("://fonts.bunny.net/css")
        || path.ends_with(".css")
}

/// Addresses of the fonts on other hosts that the configuration names.
pub fn remote_fonts(source: &Source) -> BTreeSet<String> {
    let mut ignored = Vec::new();
    let Ok(document) = Document::read(source, &mut ignored) else { return BTreeSet::new() };
    let mut ignored = Vec::new();
    let fonts = read(&mut Fields::new(&document.root, &document, &mut ignored));
    [fonts.heading, fonts.body]
        .iter()
        .filter_map(|font| font.address().map(str::to_owned))
        .collect()
}

/// Reads `fonts`. What it says itself is for both; its weight is only for text, since headings of that weight would be
/// none.
pub(super) fn read(top: &mut Fields<'_, '_>) -> Fonts {
    let Some(mut fields) = top.object("fonts") else { return Fonts::default() };
    let both = font(&mut fields);
    let mut of = |key: &str| fields.object(key).map(|mut each| font(&mut each)).unwrap_or_default();
    let (heading, body) = (of("heading"), of("body"));
    let weight = heading.weight;
    Fonts { heading: Font { weight, ..or(heading, &both) }, body: or(body, &both) }
}

/// A font with what both have, as far as it has nothing itself. A file belongs to its family.
fn or(own: Font, both: &Font) -> Font {
    let weight = own.weight.or(both.weight);
    let font = if own.family.is_none() && own.source.is_none() { both.clone() } else { own };
    Font { family: font.family.or_else(|| both.family.clone()), weight, ..font }
}

fn font(fields: &mut Fields<'_, '_>) -> Font {
    Font {
        family: family(fields),
        source: fields.text("source").filter(|source| !source.is_empty()),
        format: format(fields),
        weight: weight(fields),
    }
}

/// A name that can be one in a style sheet.
fn family(fields: &mut Fields<'_, '_>) -> Option<String> {
    let family = fields.text("family")?;
    let family = family.trim();
    let is_name = |letter: char| letter.is_alphanumeric() || " -_.+&".contains(letter);
    if !family.is_empty() && family.len() <= 100 && family.chars().all(is_name) {
        return Some(family.to_owned());
    }
    fields.refuse("family", "isn't the name of a font", "use its name only, such as `Inter`");
    None
}

fn format(fields: &mut Fields<'_, '_>) -> Option<String> {
    let format = fields.text("format")?.to_ascii_lowercase();
    if ["woff", "woff2"].contains(&format.as_str()) {
        return Some(format);
    }
    fields.refuse("format", "isn't a format of fonts", "use `woff2` or `woff`");
    None
}

fn weight(fields: &mut Fields<'_, '_>) -> Option<f64> {
    let text = fields.text("weight")?;
    let weight = match text.as_str() {
        "normal" => Some(400.0),
        "bold" => Some(700.0),
        number => number.parse().ok().filter(|weight| (1.0..=1000.0).contains(weight)),
    };
    if weight.is_none() {
        fields.refuse("weight", "isn't a weight", "use a number from 1 to 1000, such as `400`");
    }
    weight
}
