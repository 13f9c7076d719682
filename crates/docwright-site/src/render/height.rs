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
/// Lines that a collapsed block of code shows.
const COLLAPSED_LINES: usize = 11;
/// Height of an image, in pixels.
const IMAGE: usize = 320;

/// The height of HTML in pixels, estimated from the length of its texts. What is closed, collapsed, or in a tab that
/// isn't chosen takes no room.
pub fn estimated_height(html: &str) -> usize {
    let mut height = 0;
    let mut letters = 0;
    let mut places = Places::default();
    // Lines of the present block of code that count; none outside of code.
    let mut code_lines = None;
    let mut is_collapsed = false;
    for piece in html.split('<') {
        let (tag, text) = piece.split_once('>').unwrap_or(("", piece));
        let name = tag.split(|letter: char| !letter.is_alphanumeric() && letter != '/').next();
        let name = name.unwrap_or_default();
        places.pass(name, tag);
        if places.are_hidden() {
            continue;
        }
        match name {
            "div" => is_collapsed = tag.contains(" data-expandable"),
            "pre" => {
                code_lines = Some(if is_collapsed { COLLAPSED_LINES } else { usize::MAX });
                height += CODE_GAP + CODE_LINE;
            }
            "/pre" => code_lines = None,
            "img" | "video" | "iframe" => height += IMAGE,
            "p" | "li" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "tr" | "summary"
            | "blockquote" => {
                height += prose(letters) + GAP;
                letters = 0;
            }
            _ => {}
        }
        if let Some(left) = &mut code_lines {
            let lines = text.matches('\n').count().min(*left);
            *left -= lines;
            height += lines * CODE_LINE;
        } else {
            letters += text.trim().chars().count();
        }
    }
    height + prose(letters)
}

fn prose(letters: usize) -> usize {
    letters.div_ceil(LINE_LENGTH) * LINE
}

/// Where in the elements that can hide what they contain a piece of HTML is.
#[derive(Default)]
struct Places {
    depth: usize,
    hidden_from: Option<usize>,
    in_summary: bool,
}

impl Places {
    fn pass(&mut self, name: &str, tag: &str) {
        match name {
            "details" | "div" => {
                self.depth += 1;
                let is_closed = name == "details" && !tag.contains(" open");
                let is_other_tab = tag.contains("dw-tab-panel") && !tag.contains(" active");
                if is_closed || is_other_tab {
                    self.hidden_from.get_or_insert(self.depth);
                }
            }
            "/details" | "/div" => {
                if self.hidden_from == Some(self.depth) {
                    self.hidden_from = None;
                }
                self.depth = self.depth.saturating_sub(1);
            }
            "summary" => self.in_summary = true,
            "/summary" => self.in_summary = false,
            _ => {}
        }
    }

    /// A summary is seen while what it opens is not.
    fn are_hidden(&self) -> bool {
        self.hidden_from.is_some_and(|from| !self.in_summary || self.depth > from)
    }
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
        let code =
            estimated_height("<pre tabindex=\"0\"><code>a\nb\n<span>c</span>\nd</code></pre>");
        assert!((100..180).contains(&code), "{code}");
        assert!(estimated_height("<p><img src=\"x\"></p>") > 300);
        assert_eq!(estimated_height(""), 0);
    }

    #[test]
    fn hidden_content_takes_no_room() {
        let words = "word ".repeat(1000);
        let seen = "<p>Seen.</p>";
        for hidden in [
            format!(
                "<details class=\"a\"><summary>More</summary><div><p>{words}</p></div></details>"
            ),
            format!("<div class=\"dw-tab-panel dw-prose\"><div></div><p>{words}</p></div>"),
            format!("<div data-expandable><pre>{}</pre></div>", "line\n".repeat(1000)),
        ] {
            let height = estimated_height(&format!("{hidden}{seen}"));
            assert!((39..450).contains(&height), "{hidden:.40}: {height}");
        }
        let open = format!("<details open><summary>More</summary><p>{words}</p></details>");
        assert!(estimated_height(&open) > 1000);
    }
}
