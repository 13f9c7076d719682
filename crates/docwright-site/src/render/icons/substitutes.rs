//! Icons of Font Awesome's paid edition with similar free ones: real sites use them, and a similar picture is
//! better than a gap.

use std::borrow::Cow;

/// Name of the paid icon, and a name of Font Awesome Free, Lucide, or Tabler, in alphabetical order.
const NEAREST: &[(&str, &str)] = &[
    ("alarm-exclamation", "bell"),
    ("album-collection", "library"),
    ("arrow-progress", "arrow-right-long"),
    ("arrow-up-arrow-down", "arrow-up-down"),
    ("arrows-repeat", "repeat"),
    ("arrows-rotate-reverse", "arrows-rotate"),
    ("ballot-check", "list-check"),
    ("ban-bug", "bug-slash"),
    ("barcode-read", "scan-barcode"),
    ("bars-sort", "arrow-down-wide-short"),
    ("block-quote", "quote-left"),
    ("book-blank", "book"),
    ("book-open-cover", "book-open"),
    ("book-sparkles", "book"),
    ("boot", "shoe-prints"),
    ("box-open-full", "box-open"),
    ("brackets-curly", "braces"),
    ("brackets-square", "brackets"),
    ("browsers", "app-window"),
    ("bullseye-arrow", "bullseye"),
    ("bullseye-pointer", "bullseye"),
    ("calendar-lines", "calendar-days"),
    ("camera-cctv", "cctv"),
    ("cart-flatbed-boxes", "cart-flatbed"),
    ("chart-line-up", "arrow-trend-up"),
    ("chart-mixed", "chart-no-axes-combined"),
    ("chart-waterfall", "chart-gantt"),
    ("circle-bolt", "bolt"),
    ("circle-book-open", "book-open"),
    ("circle-dollar", "circle-dollar-sign"),
    ("clapperboard-play", "clapperboard"),
    ("clipboard-list-check", "clipboard-check"),
    ("code-simple", "code"),
    ("coin-blank", "coins"),
    ("coin-vertical", "coins"),
    ("comment-image", "comment"),
    ("comments-question", "comments"),
    ("comments-question-check", "comments"),
    ("credit-card-front", "credit-card"),
    ("cursor", "mouse-pointer"),
    ("cursor-click", "mouse-pointer-click"),
    ("diagram-subtask", "diagram-project"),
    ("display-code", "laptop-code"),
    ("document", "file"),
    ("face-awesome", "face-grin-stars"),
    ("face-smiling-hands", "face-smile"),
    ("file-plus-minus", "file-diff"),
    ("flask-gear", "flask"),
    ("flow", "workflow"),
    ("folder-grid", "folder-tree"),
    ("gateway", "torii-gate"),
    ("globe-pointer", "globe"),
    ("grid-2", "layout-grid"),
    ("grid-2-plus", "layout-grid"),
    ("grid-round", "layout-grid"),
    ("hand-wave", "hand"),
    ("head-side-gear", "brain-cog"),
    ("image-polaroid", "image"),
    ("input-numeric", "text-cursor-input"),
    ("input-pipe", "text-cursor-input"),
    ("input-text", "text-cursor-input"),
    ("integration", "puzzle-piece"),
    ("key-skeleton", "key"),
    ("laptop-mobile", "monitor-smartphone"),
    ("lightbulb-exclamation", "lightbulb"),
    ("lightbulb-gear", "lightbulb"),
    ("lightbulb-on", "lightbulb"),
    ("lightning", "bolt"),
    ("list-radio", "list"),
    ("memo", "file-lines"),
    ("message-bot", "bot-message-square"),
    ("message-lines", "message-square-text"),
    ("message-text", "message-square-text"),
    ("messages-question", "comments"),
    ("microchip-ai", "microchip"),
    ("monitor-waveform", "display"),
    ("music-magnifying-glass", "music"),
    ("objects-column", "layout-dashboard"),
    ("octagon-exclamation", "octagon-alert"),
    ("pancakes", "layer-group"),
    ("party-horn", "party-popper"),
    ("pen-field", "text-cursor-input"),
    ("person-carry-box", "people-carry-box"),
    ("person-to-portal", "right-to-bracket"),
    ("phone-arrow-down-left", "phone-incoming"),
    ("phone-arrow-right", "phone-forwarded"),
    ("phone-arrow-up-right", "phone-outgoing"),
    ("planet-ringed", "orbit"),
    ("rabbit-running", "rabbit"),
    ("rectangle-code", "square-code"),
    ("rectangle-history", "gallery-vertical-end"),
    ("rectangle-history-circle-user", "gallery-vertical-end"),
    ("rectangle-terminal", "square-terminal"),
    ("rocket-launch", "rocket"),
    ("rotate-reverse", "rotate-left"),
    ("scanner-image", "scan"),
    ("scanner-touchscreen", "scan"),
    ("scroll-old", "scroll"),
    ("sensor", "radio"),
    ("sensor-on", "radio"),
    ("share-all", "share"),
    ("sidebar-flip", "panel-right"),
    ("signal-stream", "tower-broadcast"),
    ("sliders-simple", "sliders"),
    ("snake", "worm"),
    ("spider-web", "spider"),
    ("spinner-third", "spinner"),
    ("square-down", "square-arrow-down"),
    ("table-layout", "table-columns"),
    ("trash-xmark", "trash-can"),
    ("up", "arrow-up"),
    ("user-magnifying-glass", "user-search"),
    ("user-robot", "robot"),
    ("warehouse-full", "warehouse"),
    ("wave-pulse", "activity"),
    ("waveform-lines", "audio-lines"),
    ("waves-sine", "wave-sine"),
    ("wifi-slash", "wifi-off"),
];

/// The free icon nearest to a paid one.
pub(super) fn nearest(name: &str) -> Option<Cow<'static, str>> {
    let name = name.trim_start_matches("fa-");
    if let Ok(at) = NEAREST.binary_search_by_key(&name, |(paid, _)| paid) {
        return Some(Cow::Borrowed(NEAREST[at].1));
    }
    // A letter or a digit in a shape: `circle-1`, `square-k`.
    let (shape, sign) = name.rsplit_once('-')?;
    let mut letters = sign.chars();
    let (letter, None) = (letters.next()?, letters.next()) else { return None };
    let kind = if letter.is_ascii_digit() { "number" } else { "letter" };
    let known = matches!(shape, "circle" | "square" | "hexagon") && letter.is_ascii_alphanumeric();
    known.then(|| Cow::Owned(format!("{shape}-{kind}-{letter}")))
}

#[cfg(test)]
mod tests {
    use super::super::Icons;
    use super::*;

    #[test]
    fn substitutes_exist_and_originals_do_not() {
        let icons = Icons::new("fontawesome");
        assert!(NEAREST.is_sorted());
        for (paid, free) in NEAREST {
            assert!(icons.own_or_other(free, None).is_some(), "{free}");
            assert!(icons.own_or_other(paid, None).is_none(), "{paid} is free");
        }
        assert_eq!(nearest("circle-7").as_deref(), Some("circle-number-7"));
        assert!(icons.find("square-k", None).is_some() && icons.find("circle-1", None).is_some());
        assert_eq!(nearest("circle-dot"), None);
    }
}
