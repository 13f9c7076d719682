//! QR codes, which phones can scan from the screen.

use maud::{Markup, html};
use qrcode::{Color, QrCode};

/// Width of the quiet zone around a code, in modules.
const QUIET: usize = 4;

/// The code of a text, dark on light in every theme since scanners expect that. `None` if the text is too long.
pub(crate) fn qr(text: &str, label: &str) -> Markup {
    let Ok(code) = QrCode::new(text) else { return Markup::default() };
    let (width, size) = (code.width(), code.width() + 2 * QUIET);
    let dark = code.to_colors().into_iter().enumerate().filter(|(_, color)| *color == Color::Dark);
    let module =
        |(place, _)| format!("M{} {}h1v1h-1z", place % width + QUIET, place / width + QUIET);
    let path: String = dark.map(module).collect();
    html! {
        svg.qr role="img" aria-label=(label) viewBox={ "0 0 " (size) " " (size) } width="208" height="208"
            shape-rendering="crispEdges" {
            rect width=(size) height=(size) fill="#fff" {}
            path d=(path) fill="#000" {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_has_corners_and_quiet_border() {
        let shown = qr("otpauth://totp/a:b?secret=GEZDGNBVGY3TQOJQ", "Code").into_string();
        assert!(shown.contains("aria-label=\"Code\""), "{shown}");
        assert!(shown.contains("d=\"M4 4h1v1h-1zM5 4h1v1h-1z"), "{shown}");
        assert!(!shown.contains("M3 ") && !shown.contains(" 3h1"), "{shown}");
        assert_eq!(qr(&"x".repeat(10_000), "Code").into_string(), "");
    }
}
