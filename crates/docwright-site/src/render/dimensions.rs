//! Widths and heights of images and players: values for HTML attributes, values that need CSS, and the space to
//! reserve for an image before it loads.

use super::{Element, PageRenderer, Value, attributes};

/// Elements whose `width` and `height` are whole numbers of pixels in HTML.
const SIZED: &[&str] = &["img", "iframe", "video", "embed", "object", "canvas"];
/// Utilities that set a height, by the start of their names.
const HEIGHTS: &[&str] = &["h-", "size-", "max-h-", "min-h-", "aspect-"];

/// The `width` and `height` of an element.
#[derive(Debug, Default)]
pub(super) struct Dimensions {
    width: Option<usize>,
    height: Option<usize>,
    /// A value that needs CSS: `width:50%`.
    css: String,
}

impl Dimensions {
    /// Reads the dimensions. For other elements, the attributes stay as they are.
    pub(super) fn of(element: &Element<'_>) -> Self {
        let mut dimensions = Self::default();
        if !SIZED.contains(&element.name) {
            return dimensions;
        }
        for (name, pixels) in [("width", &mut dimensions.width), ("height", &mut dimensions.height)]
        {
            let Some(text) = element.text(name) else { continue };
            let text = text.trim();
            let number = text.strip_suffix("px").unwrap_or(text);
            if let Ok(whole) = number.parse() {
                *pixels = Some(whole);
            } else if is_length(text) {
                dimensions.css += &format!(
                    "{name}:{};",
                    if number.parse::<f64>().is_ok() {
                        format!("{number}px")
                    } else {
                        text.to_owned()
                    }
                );
            }
        }
        dimensions
    }

    /// Whether [`Self::push`] writes an attribute.
    pub(super) fn owns(element: &Element<'_>, attribute: &str) -> bool {
        matches!(attribute, "width" | "height") && SIZED.contains(&element.name)
    }

    /// The `style` attribute with these values.
    pub(super) fn style(&self, value: Option<&Value>) -> Option<String> {
        let own = value.and_then(attributes::declarations).unwrap_or_default();
        let css = self.css.clone() + &own;
        (!css.is_empty()).then(|| css.trim_end_matches(';').to_owned())
    }

    /// Writes the attributes. `natural` is the size of the image file, if that is known.
    pub(super) fn push(
        mut self,
        element: &Element<'_>,
        natural: Option<(usize, usize)>,
        html: &mut String,
    ) {
        if let Some((width, height)) = natural.filter(|_| !fixes_height(element)) {
            // Together, they are the aspect ratio of the reserved space; the stylesheet derives the height from
            // the width.
            match (self.width, self.height) {
                (None, None) => (self.width, self.height) = (Some(width), Some(height)),
                (Some(own), None) => self.height = Some(own.saturating_mul(height).div_ceil(width)),
                _ => {}
            }
        }
        for (name, pixels) in [("width", self.width), ("height", self.height)] {
            if let Some(pixels) = pixels {
                attributes::push(html, name, &pixels.to_string());
            }
        }
    }
}

/// Whether the author sets the height with CSS, which a width from the file would distort.
fn fixes_height(element: &Element<'_>) -> bool {
    let styled = match element.value("style") {
        Some(Value::Object(properties)) => properties.iter().any(|(name, _)| is_height(name)),
        Some(value) => value.to_text().is_some_and(|text| text.contains("height")),
        None => false,
    };
    let classes = element.text("className").or_else(|| element.text("class")).unwrap_or_default();
    styled
        || classes.split_whitespace().any(|class| {
            let utility = class.rsplit(':').next().unwrap_or(class);
            HEIGHTS.iter().any(|start| utility.starts_with(start))
        })
}

fn is_height(property: &str) -> bool {
    property.to_ascii_lowercase().contains("height") || property == "aspectRatio"
}

fn is_length(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_digit() || first == '.')
        && text.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '%'))
}

impl PageRenderer<'_> {
    /// The size of an image's file.
    pub(super) fn natural_size(&self, element: &Element<'_>) -> Option<(usize, usize)> {
        if element.name == "img" { self.size_of(&element.text("src")?) } else { None }
    }
}
