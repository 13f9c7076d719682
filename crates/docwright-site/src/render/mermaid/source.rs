//! Rewrites what the renderer reads in another way than mermaid.js 11, which authors know.

use std::borrow::Cow;

/// A diagram's source as the renderer takes it.
pub(super) fn prepare(source: &str) -> Cow<'_, str> {
    // In flowcharts, the renderer reads two backslashes as an escaped one; authors who write names
    // of PHP classes with two see two. It draws a written `\n` as a new line, but measures one line.
    let is_flowchart = || {
        let mut words = source.lines().filter_map(|line| line.split_whitespace().next());
        words.any(|word| word == "graph" || word.starts_with("flowchart"))
    };
    if source.contains('\\') && is_flowchart() {
        // Pairs come first, so that `\\n` is no new line.
        let parts = source.split("\\\\").map(|part| part.replace("\\n", "<br/>"));
        return Cow::Owned(parts.collect::<Vec<_>>().join("\\\\\\\\"));
    }
    Cow::Borrowed(source)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backslashes_of_flowcharts_stay() {
        assert_eq!(prepare("graph LR\n A[B\\\\C]"), "graph LR\n A[B\\\\\\\\C]");
        assert_eq!(prepare("graph LR\n A[B\\C]"), "graph LR\n A[B\\C]");
        assert_eq!(prepare("graph LR\n A[B\\nC]"), "graph LR\n A[B<br/>C]");
        assert_eq!(prepare("graph LR\n A[B\\\\nC]"), "graph LR\n A[B\\\\\\\\nC]");
        assert_eq!(prepare("classDiagram\n A : \\\\B"), "classDiagram\n A : \\\\B");
    }
}
