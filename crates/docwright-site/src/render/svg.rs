//! Sanitizes SVG from authors and diagrams: no scripts and no requests to other hosts.

/// Elements that an icon or a diagram has no use for.
const FORBIDDEN: &[&str] =
    &["script", "foreignobject", "iframe", "object", "embed", "link", "meta", "base", "handler"];

/// Removes forbidden elements, event handlers, and references outside the SVG.
pub fn sanitize(svg: &str) -> String {
    let mut clean = String::with_capacity(svg.len());
    let mut rest = svg;
    let mut skipping: Option<String> = None;
    while let Some(open) = rest.find('<') {
        if skipping.is_none() {
            clean.push_str(&rest[..open]);
        }
        let Some(length) = tag_length(&rest[open..]) else { return clean };
        let tag = &rest[open..open + length];
        rest = &rest[open + length..];
        let name = tag_name(tag);
        if let Some(element) = &skipping {
            if tag.starts_with("</") && name == *element {
                skipping = None;
            }
            continue;
        }
        if FORBIDDEN.contains(&name.as_str()) {
            if !tag.starts_with("</") && !tag.ends_with("/>") {
                skipping = Some(name);
            }
        } else if !tag.starts_with("<!") && !tag.starts_with("<?") {
            push_tag(tag, &mut clean);
        }
    }
    if skipping.is_none() {
        clean.push_str(rest);
    }
    clean
}

/// Width and height of an SVG file in pixels, if its first tag has both as numbers.
pub fn size(file: &str) -> Option<(usize, usize)> {
    let tag = &file[file.find("<svg")?..];
    let mut rest = &tag["<svg".len()..tag_length(tag)?];
    let (mut width, mut height) = (None, None);
    while let Some((attribute, after)) = next_attribute(rest) {
        if let Some((name, value)) = attribute.split_once('=') {
            match name.trim() {
                "width" => width = pixels(value),
                "height" => height = pixels(value),
                _ => {}
            }
        }
        rest = after;
    }
    width.zip(height)
}

/// Parses a length in pixels, such as `"24"` or `'24.5px'`, and rounds it. Other units are ignored.
fn pixels(value: &str) -> Option<usize> {
    let number = value.trim().trim_matches(['"', '\'']).trim();
    let number: f64 = number.strip_suffix("px").unwrap_or(number).parse().ok()?;
    if !(1.0..100_000.0).contains(&number) {
        return None;
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 1 and 100,000"
    )]
    let pixels = number.round() as usize;
    Some(pixels)
}

/// Length of the tag at the start of a text. A `>` inside quotes doesn't end it.
fn tag_length(text: &str) -> Option<usize> {
    let mut quote = None;
    for (index, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), byte) if open == byte => quote = None,
            (None, b'>') => return Some(index + 1),
            _ => {}
        }
    }
    None
}

fn tag_name(tag: &str) -> String {
    let name = tag.trim_start_matches(['<', '/']);
    let end = name
        .find(|letter: char| letter.is_whitespace() || matches!(letter, '>' | '/'))
        .unwrap_or(name.len());
    name[..end].to_ascii_lowercase()
}

fn push_tag(tag: &str, clean: &mut String) {
    let name_end = tag.find(|letter: char| letter.is_whitespace()).unwrap_or(tag.len());
    clean.push_str(&tag[..name_end]);
    let mut rest = &tag[name_end..];
    while let Some((attribute, after)) = next_attribute(rest) {
        if is_harmless(attribute) {
            clean.push(' ');
            clean.push_str(attribute.trim());
        }
        rest = after;
    }
    clean.push_str(rest.trim_start());
}

/// The attribute at the start of a text, and the rest.
fn next_attribute(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    if text.is_empty() || text.starts_with(['>', '/']) {
        return None;
    }
    let mut quote = None;
    for (index, letter) in text.char_indices() {
        match (quote, letter) {
            (None, '"' | '\'') => quote = Some(letter),
            (Some(open), letter) if open == letter => {
                return Some(text.split_at(index + letter.len_utf8()));
            }
            (None, letter) if letter.is_whitespace() || letter == '>' => {
                return Some(text.split_at(index));
            }
            _ => {}
        }
    }
    None
}

fn is_harmless(attribute: &str) -> bool {
    let (name, value) = attribute.split_once('=').unwrap_or((attribute, ""));
    let (name, value) =
        (name.trim().to_ascii_lowercase(), value.trim().trim_matches(['"', '\'']).trim());
    let lower = value.to_ascii_lowercase();
    let handler = name.starts_with("on");
    let reference =
        (name == "href" || name.ends_with(":href") || name == "src") && !value.starts_with('#');
    let loads = lower.contains("url(") && !lower.contains("url(#")
        || lower.contains("javascript:")
        || lower.contains("@import");
    !handler && !reference && !loads
}

#[cfg(test)]
mod tests {
    use super::{sanitize, size};

    #[test]
    fn size_is_taken_from_first_tag_in_pixels() {
        for (file, expected) in [
            (
                "<?xml version='1.0'?>\n<svg viewBox=\"0 0 9 9\" width=\"204\" height='56.6px'><rect width=\"1\" height=\"1\"/></svg>",
                Some((204, 57)),
            ),
            ("<svg viewBox=\"0 0 9 9\"><rect width=\"1\" height=\"1\"/></svg>", None),
            ("<svg width=\"100%\" height=\"1e9\"/>", None),
            ("<svg width=\"-4\" height=\"NaN\">", None),
            ("<svg width=\"4", None),
            ("no picture", None),
        ] {
            assert_eq!(size(file), expected, "{file}");
        }
    }

    #[test]
    fn scripts_and_external_links_are_dropped() {
        assert_eq!(
            sanitize("<svg onload='x()'><script>alert(1)</script><path d=\"M0\"/></svg>"),
            "<svg><path d=\"M0\"/></svg>"
        );
        assert_eq!(
            sanitize("<svg><a href=\"https://e.org\"><use href='#a'/></a></svg>"),
            "<svg><a><use href='#a'/></a></svg>"
        );
        assert_eq!(
            sanitize("<svg><path style=\"fill:url(//e.org)\" id=\"a>b\"/></svg>"),
            "<svg><path id=\"a>b\"/></svg>"
        );
    }
}
