//! Buttons on an image: `<img actions="copy,download" actionsPlacement="top-right" />`.

use maud::{Markup, html};

use super::{Element, PageRenderer, Value};
use crate::content::words::{Word, word};

const PLACEMENTS: &[&str] =
    &["bottom-center", "bottom-left", "bottom-right", "top-center", "top-left", "top-right"];
/// Classes that show an image in one color mode only. The buttons belong to it.
const VISIBILITY: &[&str] = &["block", "hidden", "dark:block", "dark:hidden"];

/// The buttons of an image.
#[derive(Debug, Clone, Copy)]
struct Actions {
    copy: bool,
    download: bool,
}

impl Actions {
    /// The buttons that an image asks for. All of them without a list; `None` if it has none.
    fn of(element: &Element<'_>) -> Option<Self> {
        let actions = match element.value("actions")? {
            Value::Text(list) if !matches!(list.trim(), "" | "true" | "false") => {
                let has = |name: &str| list.split(',').any(|each| each.trim() == name);
                Self { copy: has("copy"), download: has("download") }
            }
            _ if element.flag("actions") == Some(false) => return None,
            _ => Self { copy: true, download: true },
        };
        (actions.copy || actions.download).then_some(actions)
    }
}

impl PageRenderer<'_> {
    /// Puts the buttons of an image around it. Images in links have none.
    pub(super) fn with_actions(&self, element: &Element<'_>, image: Markup) -> Markup {
        let Some(actions) = Actions::of(element).filter(|_| !self.in_link) else { return image };
        let text = |name: &str| element.value(name).and_then(Value::to_text);
        let placement = text("actionsPlacement");
        let placement = placement.as_deref().filter(|name| PLACEMENTS.contains(name));
        let classes = text("className").or_else(|| text("class")).unwrap_or_default();
        let classes = classes.split_whitespace().filter(|class| VISIBILITY.contains(class));
        let classes = ["dw-image"].into_iter().chain(classes).collect::<Vec<_>>().join(" ");
        let label = |label| word(&self.page.language, label);
        html! {
            span class=(classes) {
                (image)
                span.dw-image-actions data-placement=(placement.unwrap_or(PLACEMENTS[0])) {
                    @if actions.copy {
                        button type="button" data-copy-image aria-label=(label(Word::Copy)) title=(label(Word::Copy)) { (self.glyph("copy")) }
                    }
                    @if actions.download {
                        button type="button" data-download-image aria-label=(label(Word::Download)) title=(label(Word::Download)) { (self.glyph("download")) }
                    }
                }
            }
        }
    }
}
