//! Telling TeX from prose, prices and shell variables between two dollar signs.

/// Functions that formulas name without a backslash.
const FUNCTIONS: &[&str] = &[
    "arg", "cos", "det", "dim", "exp", "gcd", "inf", "lcm", "lim", "ln", "log", "max", "min",
    "mod", "sin", "sup", "tan",
];

/// Whether a text is certainly a formula: it contains a command, or an index, an exponent, or a group, and no
/// word of prose.
pub(super) fn is_certain(formula: &str) -> bool {
    if formula.starts_with(|letter: char| letter.is_ascii_digit())
        && !formula.contains(['\\', '^', '='])
    {
        return false;
    }
    has_command(formula) || has_script_or_group(formula) && !has_word(formula)
}

/// `\phi`, `\{`: but not the path `C:\Users`.
fn has_command(formula: &str) -> bool {
    formula.match_indices('\\').any(|(at, _)| {
        let next = formula[at + 1..].chars().next();
        let is_path = formula[..at].ends_with([':', '\\', '/']);
        !is_path && next.is_some_and(|next| next.is_ascii_alphabetic() || "{}|,;:!".contains(next))
    })
}

fn has_script_or_group(formula: &str) -> bool {
    formula.char_indices().any(|(at, letter)| match letter {
        '^' => is_script(formula, at),
        '_' => is_script(formula, at) && !is_within_name(formula, at),
        '{' => is_group(&formula[at + 1..]),
        _ => false,
    })
}

/// An index or exponent of something.
fn is_script(formula: &str, at: usize) -> bool {
    let before = formula[..at].chars().next_back();
    let after = formula[at + 1..].chars().next();
    before.is_some_and(|letter| letter.is_alphanumeric() || ")]}'|".contains(letter))
        && after.is_some_and(|letter| letter.is_alphanumeric() || "{\\-+*'".contains(letter))
}

/// `API_KEY`, `5_000`.
fn is_within_name(formula: &str, at: usize) -> bool {
    let is_part = |letter: &char| letter.is_alphanumeric() || *letter == '_';
    let before: Vec<_> = formula[..at].chars().rev().take_while(is_part).take(2).collect();
    let after: Vec<_> = formula[at + 1..].chars().take_while(is_part).take(2).collect();
    let is_number = |letter: Option<&char>| letter.is_some_and(char::is_ascii_digit);
    before.len() > 1 && after.len() > 1
        || is_number(before.first()) && is_number(after.first())
        || before.contains(&'_')
        || after.contains(&'_')
}

/// Braces around more than a name, which MDX would read as an expression.
fn is_group(rest: &str) -> bool {
    let Some((inside, _)) = rest.split_once('}') else { return false };
    let is_name =
        |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '.' | '$' | ' ');
    !inside.chars().all(is_name)
}

/// Whether a word of prose is outside braces.
fn has_word(formula: &str) -> bool {
    let mut depth = 0_usize;
    let outside: String = formula
        .chars()
        .map(|letter| {
            match letter {
                '{' => depth += 1,
                '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 && letter != '}' { letter } else { '}' }
        })
        .collect();
    outside.split_whitespace().any(|word| {
        let word = word.trim_matches(|letter: char| letter.is_ascii_punctuation());
        word.chars().count() > 1
            && word.chars().all(char::is_alphabetic)
            && !FUNCTIONS.contains(&word)
    })
}

#[cfg(test)]
mod tests {
    use super::is_certain;

    #[test]
    fn formula_differs_from_prose() {
        for formula in [
            r"\phi(x; \theta)",
            "x^2",
            "x_i",
            "a_{max} + b",
            "T_max",
            "log_2 n",
            "{a+b}",
            "10^{-3}",
            r"\{a\}",
            "n^2 mod p",
            r"5 \to 6",
            "f(x)_1",
            "x'^2",
            r"\alpha and \beta",
            "H_2O",
        ] {
            assert!(is_certain(formula), "{formula}");
        }
        for text in [
            "5 and",
            "5_000 or",
            "HOME/{a} or",
            "C_D cost",
            "npm_install {package} and",
            "{price}",
            "API_KEY =",
            "npm i foo@^1.2 and",
            "{a} – {b}",
            r"C:\Users",
            "x",
            "",
            "_",
            "^",
            "{",
            "a _ b",
            "__init__",
            "10 000 000",
            "{props.price} –",
        ] {
            assert!(!is_certain(text), "{text}");
        }
    }
}
