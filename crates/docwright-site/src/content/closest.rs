//! The name that was most likely meant by a misspelt one.

/// Names longer than this are not compared: the work grows with the product of the lengths.
const MAXIMUM_LENGTH: usize = 120;

/// The candidate nearest to `name`, if it is near enough to be meant: a third of its letters may
/// differ. The first of several equally near.
pub fn closest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name: Vec<char> = name.chars().take(MAXIMUM_LENGTH).collect();
    let limit = name.len().div_ceil(3).max(1);
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        if candidate.len().abs_diff(name.len()) > limit * 2 {
            continue;
        }
        let distance = distance(&name, candidate);
        if distance <= limit && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Levenshtein distance, letter case ignored.
fn distance(name: &[char], candidate: &str) -> usize {
    let lower = |letter: char| letter.to_lowercase().next().unwrap_or(letter);
    let mut row: Vec<usize> = (0..=name.len()).collect();
    for (index, letter) in candidate.chars().take(MAXIMUM_LENGTH).enumerate() {
        let mut diagonal = row[0];
        row[0] = index + 1;
        for (column, other) in name.iter().enumerate() {
            let substituted = diagonal + usize::from(lower(letter) != lower(*other));
            diagonal = row[column + 1];
            row[column + 1] = substituted.min(row[column] + 1).min(diagonal + 1);
        }
    }
    row[name.len()]
}

#[cfg(test)]
mod tests {
    use super::closest;

    #[test]
    fn a_typing_error_finds_its_name() {
        let names = ["Accordion", "AccordionGroup", "Card", "Cards"];
        assert_eq!(closest("Acordion", names), Some("Accordion"));
        assert_eq!(closest("card", names), Some("Card"));
        assert_eq!(closest("Unrelated", names), None);
    }
}
