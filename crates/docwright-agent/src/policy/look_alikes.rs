//! Names that people, file systems, or tools confuse: different cases, different forms of a letter, similar
//! letters of other scripts, and invisible characters.

/// Letters of other scripts with the similar ASCII letter, in lower case.
const LETTERS: &[(char, char)] = &[
    // Cyrillic.
    ('\u{430}', 'a'),
    ('\u{432}', 'b'),
    ('\u{441}', 'c'),
    ('\u{501}', 'd'),
    ('\u{435}', 'e'),
    ('\u{451}', 'e'),
    ('\u{43d}', 'h'),
    ('\u{456}', 'i'),
    ('\u{458}', 'j'),
    ('\u{43a}', 'k'),
    ('\u{4cf}', 'l'),
    ('\u{43c}', 'm'),
    ('\u{43e}', 'o'),
    ('\u{440}', 'p'),
    ('\u{51b}', 'q'),
    ('\u{455}', 's'),
    ('\u{442}', 't'),
    ('\u{475}', 'v'),
    ('\u{51d}', 'w'),
    ('\u{445}', 'x'),
    ('\u{443}', 'y'),
    // Greek.
    ('\u{3b1}', 'a'),
    ('\u{3b2}', 'b'),
    ('\u{3f2}', 'c'),
    ('\u{3b5}', 'e'),
    ('\u{3b7}', 'h'),
    ('\u{3b9}', 'i'),
    ('\u{3ba}', 'k'),
    ('\u{3bc}', 'm'),
    ('\u{3bd}', 'n'),
    ('\u{3bf}', 'o'),
    ('\u{3c1}', 'p'),
    ('\u{3c4}', 't'),
    ('\u{3c5}', 'y'),
    ('\u{3c7}', 'x'),
    ('\u{3b6}', 'z'),
    // Latin: the long s, dotless i, and script g.
    ('\u{17f}', 's'),
    ('\u{131}', 'i'),
    ('\u{261}', 'g'),
    // One dot leader, which looks like a period.
    ('\u{2024}', '.'),
];

/// A name in a normal form: look-alikes become equal.
pub(super) fn folded(name: &str) -> String {
    name.chars()
        .filter(|letter| !is_unseen(*letter))
        .flat_map(char::to_lowercase)
        .map(plain)
        .collect()
}

/// Whether a character is invisible, or changes the direction of text: some file systems ignore these in names.
pub(super) const fn is_unseen(letter: char) -> bool {
    matches!(
        letter,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{e0000}'..='\u{e0fff}'
    )
}

fn plain(letter: char) -> char {
    // Full-width forms of ASCII.
    if let '\u{ff01}'..='\u{ff5e}' = letter {
        let ascii = char::from_u32(letter as u32 - 0xfee0);
        return ascii.unwrap_or(letter).to_ascii_lowercase();
    }
    LETTERS.iter().find(|(other, _)| *other == letter).map_or(letter, |(_, ascii)| *ascii)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn look_alike_names_are_equal() {
        for name in [
            "CODEOWNERS",
            "CodeOwners",
            "\u{421}ODE\u{41e}WN\u{415}R\u{405}",
            "\u{ff23}ODEOWNERS",
            "CODE\u{200b}OWNERS",
            "CODEOWNER\u{17f}",
            "C\u{39f}DEOWNERS",
        ] {
            assert_eq!(folded(name), "codeowners", "{name}");
        }
        assert_eq!(folded("\u{43a}\u{43e}\u{434}.mdx"), "ko\u{434}.mdx");
        assert_eq!(folded("caf\u{e9}.mdx"), "caf\u{e9}.mdx");
    }
}
