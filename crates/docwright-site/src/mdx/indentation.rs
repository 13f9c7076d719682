//! Restores the indentation that MDX removes from expressions.
//!
//! MDX removes up to two columns from each further line of an expression. Code doesn't change, but template
//! literals with code of another language do.

/// The value of an expression as in the source. `written` is the source between its braces; `container` is the
/// number of columns that surrounding lists remove from each line.
pub(super) fn restore(value: String, written: &str, container: usize) -> String {
    if !value.contains('\n') {
        return value;
    }
    restored(&value, written, container).unwrap_or(value)
}

/// The value of an attribute, whose position in its element is unknown.
pub(super) fn restore_attribute(value: String, element: &str, container: usize) -> String {
    let Some((first, _)) = value.split_once('\n') else { return value };
    let mut starts = element.match_indices('{').map(|(at, _)| &element[at + 1..]);
    let found = starts.find_map(|rest| {
        let written = rest.starts_with(first).then_some(rest)?;
        restored(&value, written, container)
    });
    found.unwrap_or(value)
}

/// `None` if the value doesn't match the start of the source.
fn restored(value: &str, written: &str, container: usize) -> Option<String> {
    let mut result = String::with_capacity(value.len() + value.len() / 8);
    let mut lines = written.split('\n');
    let count = value.split('\n').count();
    for (number, line) in value.split('\n').enumerate() {
        let source = lines.next()?;
        if number == 0 {
            let is_same = if count == 1 { source.starts_with(line) } else { source == line };
            is_same.then(|| result.push_str(line))?;
            continue;
        }
        result.push('\n');
        let is_last = number + 1 == count;
        result.push_str(&restored_line(line, source, container, is_last)?);
    }
    Some(result)
}

fn restored_line(line: &str, source: &str, container: usize, is_last: bool) -> Option<String> {
    let text = line.trim_start_matches(is_blank);
    let own = source.trim_start_matches(is_blank);
    // The rest of the element follows the last line of an attribute.
    let is_same = if is_last { own.starts_with(text) } else { own == text };
    if !is_same {
        // The mark of a quote precedes it.
        return source.ends_with(text).then(|| line.to_owned());
    }
    let margin = &source[..source.len() - own.len()];
    let margin = match margin.get(..container) {
        Some(taken) if taken.bytes().all(|byte| byte == b' ') => &margin[container..],
        Some(_) => return Some(line.to_owned()),
        None => "",
    };
    Some(format!("{margin}{text}"))
}

fn is_blank(letter: char) -> bool {
    matches!(letter, ' ' | '\t')
}

#[cfg(test)]
mod tests {
    fn restore(value: &str, written: &str, container: usize) -> String {
        super::restore(value.to_owned(), written, container)
    }

    #[test]
    fn indentation_is_taken_from_source() {
        assert_eq!(restore("`a\n  b\nc`", "`a\n    b\n  c`", 0), "`a\n    b\n  c`");
        assert_eq!(restore("`a\n  b`", "`a\n\tb`", 0), "`a\n\tb`");
        assert_eq!(restore("`a\n\n b`", "`a\n\n b`", 0), "`a\n\n b`");
    }

    #[test]
    fn indentation_of_list_stays_with_list() {
        assert_eq!(restore("`a\n  b\n\nc`", "`a\n      b\n\n    c`", 2), "`a\n    b\n\n  c`");
        assert_eq!(restore("`a\nb`", "`a\nb`", 2), "`a\nb`", "a lazy line");
    }

    #[test]
    fn values_that_differ_from_source_stay() {
        for (value, written) in
            [("`a\nb`", "`a\nc`"), ("`a\nb`", "`a"), ("`a\n b`", "`a\n> b`"), ("x\ny", "")]
        {
            assert_eq!(restore(value, written, 0), value, "{written}");
        }
    }

    #[test]
    fn attribute_is_found_in_element() {
        let element = "<A b={x} code={`\n    y\n      z`} c=\"d\">{`\n  y`}</A>";
        let value = super::restore_attribute("`\n  y\n    z`".to_owned(), element, 0);
        assert_eq!(value, "`\n    y\n      z`");
    }
}
