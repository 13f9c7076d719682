//! A rough height of HTML, for parts of pages that are laid out late.
//!
//! It keeps the scroll bar steady until the true height is known; nothing else depends on it.

/// Letters on a line of prose, in a window of usual width.
const LINE_LENGTH: usize = 85;
/// Height of a line of prose, and of a line of code, in pixels.
const LINE: usize = 27;
const CODE_LINE: usize = 23;
/// Space around a block, and around a block of code, in pixels.
const GAP: usize = 12;
const CODE_GAP: usize = 48;
/// Height of an image, in pixels.
const IMAGE: usize = 320;

/// The height of HTML in pixels, estimated from the length of its texts.
pub fn estimated_height(html: &str) -> usize {
    let mut height = 0;
    let mut letters = 0;
    let mut in_code = false;
    for piece in html.split('<') {
        let (tag, text) = piece.split_once('>').unwrap_or(("", piece));
        let name = tag.split(|letter: char| !letter.is_alphanumeric() && letter != '/').next();
        match name.unwrap_or_default() {
            "pre" => {
                in_code = true;
                height += CODE_GAP + CODE_LINE;
            }
            "/pre" => in_code = false,
            "img" | "video" | "iframe" => height += IMAGE,
            "p" | "li" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "tr" | "summary" | "blockquote" => {
                height += prose(letters) + GAP;
                letters = 0;
            }
            _ => {}
        }
        if in_code {
            height += text.matches('\n').count() * CODE_LINE;
        } else {
            letters += text.trim().chars().count();
        }
    }
    height + prose(letters)
}

fn prose(letters: usize) -> usize {
    letters.div_ceil(LINE_LENGTH) * LINE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn height_grows_with_text_code_and_images() {
        let words = "word ".repeat(100);
        let short = estimated_height("<p>One.</p>");
        assert!((30..60).contains(&short), "{short}");
        let long = estimated_height(&format!("<p>{words}</p>"));
        assert!((150..220).contains(&long), "{long}");
        let code = estimated_height("<pre tabindex=\"0\"><code>a\nb\n<span>c</span>\nd</code></pre>");
        assert!((100..180).contains(&code), "{code}");
        assert!(estimated_height("<p><img src=\"x\"></p>") > 300);
        assert_eq!(estimated_height(""), 0);
    }
}
