//! Words of the page that edits a page.

pub(crate) const EDIT: &str = "Edit";
pub(crate) const PAGE_TEXT: &str = "Text";
pub(crate) const EDIT_TITLE: &str = "Summary";
pub(crate) const EDIT_TITLE_HINT: &str =
    "One line that says what you changed. It becomes the title of the pull request.";
pub(crate) const EDIT_DESCRIPTION_HINT: &str = "Markdown. Leave empty if the summary says it all.";
pub(crate) const PROPOSE: &str = "Open pull request";
pub(crate) const PREVIEW_HINT: &str =
    "Shows the published page until you preview your text. Nothing is saved by a preview.";
pub(crate) const NO_DRAFT: &str = "Without the file, there is no preview.";
pub(crate) const NO_PULL_REQUESTS_HERE: &str = "No pull requests";
pub(crate) const STALE_EDIT: &str = "Someone changed this page while you wrote";
pub(crate) const STALE_EDIT_WHY: &str = "Your text is still here, but not saved. Take over what changed from the text below, then open the pull request. Your text replaces the text below.";
pub(crate) const CURRENT_TEXT: &str = "Current text";
pub(crate) const EDIT_OPENED: &str = "Your change is a pull request now:";
pub(crate) const NOT_EDITABLE: &str = "This page can't be edited here";

/// The title of the page that edits a page.
pub(crate) fn edit_page(title: &str) -> String {
    format!("Edit \u{201c}{title}\u{201d}")
}

/// The link that edits a page, for people who don't see its row.
pub(crate) fn edit_of(title: &str) -> String {
    format!("Edit {title}")
}

/// The frame with the preview of a page.
pub(crate) fn preview_of(title: &str) -> String {
    format!("Preview of {title}")
}
