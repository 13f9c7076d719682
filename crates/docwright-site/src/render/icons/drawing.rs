//! An icon as it is shown: inline, or as a mask of the site's stylesheet.

use maud::{Markup, PreEscaped, html};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

use super::{Library, packed::Packed};

/// What can't stand in a URL between double quotes, or in a `style` element.
const ESCAPED: &AsciiSet = &CONTROLS.add(b'"').add(b'#').add(b'%').add(b'<').add(b'>');

/// An icon of a library.
#[derive(Debug, Clone, Copy)]
pub struct Drawing {
    library: Library,
    /// Its name in the library, with the style before it where the library has several: `solid/rocket`.
    name: &'static str,
    view_box: &'static str,
    /// The elements of the SVG.
    body: &'static str,
    /// Attributes of the SVG.
    paint: &'static str,
}

impl Drawing {
    pub(super) fn new(library: Library, packed: Packed, paint: &'static str) -> Self {
        let Packed { key, view_box, body } = packed;
        Self { library, name: key, view_box, body, paint }
    }

    /// Identifies it among the icons of all libraries.
    pub fn key(&self) -> (Library, &'static str) {
        (self.library, self.name)
    }

    /// The SVG itself.
    pub fn inline(&self) -> Markup {
        let Self { view_box, paint, body, .. } = self;
        PreEscaped(format!(
            "<svg class=\"icon dw-icon\" aria-hidden=\"true\" width=\"1em\" height=\"1em\" \
             viewBox=\"{view_box}\" {paint}>{body}</svg>"
        ))
    }

    /// An element that the rule of [`Drawing::rule`] draws. It is no `span`, since styles select spans beside icons.
    pub fn masked(&self) -> Markup {
        html! { i class={ "icon dw-icon dw-masked " (self.class()) } {} }
    }

    /// The CSS rule for [`Drawing::masked`].
    pub fn rule(&self) -> String {
        let Self { view_box, paint, body, .. } = self;
        let svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"{view_box}\" {paint}>{body}</svg>"
        );
        let svg = svg.replace('"', "'");
        let svg = utf8_percent_encode(&svg, ESCAPED);
        format!(".{}{{--icon:url(\"data:image/svg+xml,{svg}\")}}\n", self.class())
    }

    /// The class that its rule selects.
    fn class(&self) -> String {
        format!("dw-icon-{}{}", self.library.prefix(), self.name.replace('/', "-"))
    }
}
