//! Marks of single lines: highlighted, focused, added, removed.

/// What a line is marked as.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "a line may be several of these")]
pub(super) struct Marks {
    pub(super) highlighted: bool,
    pub(super) focused: bool,
    pub(super) added: bool,
    pub(super) removed: bool,
}

/// Takes `[!code ++]` and its like out of code. Returns the code without them, and the marks of
/// each line, if there are any.
pub(super) fn take_marks(code: &str) -> (String, Vec<Marks>) {
    if !code.contains("[!code") {
        return (code.to_owned(), Vec::new());
    }
    let lines: Vec<_> = code.split('\n').collect();
    let mut marks = vec![Marks::default(); lines.len()];
    let mut kept = Vec::with_capacity(lines.len());
    for (index, line) in lines.iter().enumerate() {
        let Some((without, word, count)) = marker(line) else {
            kept.push((*line).to_owned());
            continue;
        };
        for mark in marks.iter_mut().skip(index).take(count) {
            match word {
                "++" => mark.added = true,
                "--" => mark.removed = true,
                "focus" => mark.focused = true,
                _ => mark.highlighted = true,
            }
        }
        kept.push(without);
    }
    (kept.join("\n"), marks)
}

/// The line without its marker and the comment around it, the marker's word, and how many lines it
/// means.
fn marker(line: &str) -> Option<(String, &str, usize)> {
    let open = line.find("[!code")?;
    let close = open + line[open..].find(']')?;
    let inner = line[open + "[!code".len()..close].trim();
    let (word, count) = match inner.split_once(':') {
        Some((word, count)) => (word.trim(), count.trim().parse().ok()?),
        None => (inner, 1),
    };
    if !matches!(word, "++" | "--" | "focus" | "highlight" | "hl" | "error" | "warning") {
        return None;
    }
    let before = line[..open].trim_end();
    let comments = ["<!--", "{/*", "/*", "//", "--", "#", ";", "%", "'"];
    let before = comments.iter().find_map(|comment| before.strip_suffix(comment)).unwrap_or(before);
    let after = line[close + 1..].trim_start();
    let after = ["-->", "*/}", "*/"].iter().find_map(|end| after.strip_prefix(end)).unwrap_or(after);
    Some((format!("{}{after}", before.trim_end()), word, count))
}

#[cfg(test)]
mod tests {
    use super::take_marks;

    #[test]
    fn markers_are_taken_out() {
        let (code, marks) = take_marks("a // [!code ++]\nb <!-- [!code --] -->\nc # [!code focus:2]\nd\ne");
        assert_eq!(code, "a\nb\nc\nd\ne");
        assert!(marks[0].added && marks[1].removed && marks[2].focused && marks[3].focused && !marks[4].focused);
    }

    #[test]
    fn other_brackets_stay() {
        assert_eq!(take_marks("[!code what]").0, "[!code what]");
    }
}
