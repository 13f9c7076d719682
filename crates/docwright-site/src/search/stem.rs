//! Stems: words without their common endings, by language. The index and queries use the same rules, so related
//! words only need the same stem, not a correct one. `browser/terms.js` does the same.

use std::sync::OnceLock;

/// Maximum length of a word in characters. Longer words are cut.
pub(super) const MAXIMUM_LENGTH: usize = 32;
/// Letters that endings of a table leave.
const LEAST: usize = 4;

/// The stemmer of a language.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stemmer {
    /// Nothing for English and languages without a table.
    table: Option<&'static Table>,
    /// Whether the language writes compounds as one word.
    pub(super) compounds: bool,
}

impl Stemmer {
    /// The stemmer of a language code.
    pub(super) fn of(language: &str) -> Self {
        let code = language.split(['-', '_']).next().unwrap_or_default();
        let table = match code {
            "fr" => Some(&FRENCH),
            "de" => Some(&GERMAN),
            "es" => Some(&SPANISH),
            "pt" => Some(&PORTUGUESE),
            "it" => Some(&ITALIAN),
            "nl" => Some(&DUTCH),
            "sv" | "da" | "no" | "nb" | "nn" => Some(&SCANDINAVIAN),
            "ru" | "uk" => Some(&SLAVIC),
            _ => None,
        };
        let compounds = matches!(code, "de" | "nl" | "sv" | "da" | "no" | "nb" | "nn" | "fi");
        Self { table, compounds }
    }

    /// The table for the script: rounds separated by `|`; an ending, and after `>` its replacement.
    pub(super) fn table(self) -> &'static str {
        self.table.map_or("", |table| table.text)
    }

    /// The stem of a word in lower case without accents.
    pub(super) fn stem(self, mut word: String) -> String {
        if let Some((end, _)) = word.char_indices().nth(MAXIMUM_LENGTH) {
            word.truncate(end);
        }
        match self.table {
            None => english(&mut word),
            Some(table) if word.chars().all(char::is_alphabetic) => table.cut(&mut word),
            Some(_) => {}
        }
        word
    }
}

/// The endings of a language.
#[derive(Debug)]
struct Table {
    text: &'static str,
    rounds: OnceLock<Vec<Vec<Rule>>>,
}

/// An ending and its replacement.
type Rule = (&'static str, &'static str);

impl Table {
    const fn new(text: &'static str) -> Self {
        Self { text, rounds: OnceLock::new() }
    }

    fn rounds(&self) -> &[Vec<Rule>] {
        let rule = |rule: &'static str| rule.split_once('>').unwrap_or((rule, ""));
        let round = |round: &'static str| round.split(' ').map(rule).collect();
        self.rounds.get_or_init(|| self.text.split('|').map(round).collect())
    }

    /// Replaces the first ending of each round that fits.
    fn cut(&self, word: &mut String) {
        for round in self.rounds() {
            let fits = |(ending, instead): &&Rule| {
                let rest = word.strip_suffix(ending);
                rest.is_some_and(|rest| rest.chars().count() + instead.chars().count() >= LEAST)
            };
            if let Some((ending, instead)) = round.iter().find(fits) {
                word.truncate(word.len() - ending.len());
                word.push_str(instead);
            }
        }
    }
}

static FRENCH: Table = Table::new(
    "eaux>eau aux>al s x|issements issement ements ement ations ation atrice ateur itions ition \
    euse eur ives ive ifs if|iser ises isee ees ee es er ez ant ons ent ir e i",
);
static GERMAN: Table =
    Table::new("ungen heiten keiten innen ung heit keit erin ern|em en er es et st e s n t");
static SPANISH: Table = Table::new(
    "aciones>acion iones>ion es s|amientos amiento imiento aciones acion iciones icion mente ando \
    iendo adores ador adora idad|ar er ir ado ada ido ida ad a o e",
);
static PORTUGUESE: Table = Table::new(
    "acoes>acao coes>cao oes>ao aes>ao ais>al eis>el ns>m es s|amento imento acao icao mente \
    ando endo indo ador adora idade|ar er ir ado ada ido ida ad a o e",
);
static ITALIAN: Table = Table::new(
    "azioni azione izioni izione amenti amento imenti imento mente ando endo atore atrice ita|are \
    ere ire ato ata ati ate ito ita iti ite|a e i o",
);
static DUTCH: Table = Table::new("ingen heden ingen ing heid|eren en er es e s t");
static SCANDINAVIAN: Table = Table::new(
    "ningarna ningar ningen ningene ning|arnas arna erna orna andet heter het|ens ets en et er \
    ar or ad at a e s",
);
/// Endings of Cyrillic words, as they are without marks (`й` becomes `и`).
static SLAVIC: Table = Table::new(
    "ями ами ыми ими ого его ому ему иях ию ии ия ие иеи иеи|ах ях ов ев еи ои ыи ая яя ое ее ые \
    ую юю ом ем ам ям ть ла ло ли ет ит ут ют ат ят|у ю а я о е ы и ь",
);

/// Cuts the most common English endings: `migrates`, `migrating`, and `migration` become one.
fn english(word: &mut String) {
    if word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        singular(word);
        if verb(word) && word.len() > 6 && word.ends_with("at") {
            word.truncate(word.len() - 2);
        }
    }
}

/// Removes an ending from words of at least `least` letters.
fn cut(word: &mut String, ending: &str, least: usize) -> bool {
    let cuts = word.len() >= least && word.ends_with(ending);
    if cuts {
        word.truncate(word.len() - ending.len());
    }
    cuts
}

fn singular(word: &mut String) {
    if cut(word, "ies", 6) {
        word.push('y');
        return;
    }
    let sibilant = ["ses", "xes", "hes"].iter().any(|ending| word.ends_with(ending));
    if sibilant && cut(word, "es", 6) || word.ends_with("ss") || word.ends_with("us") {
        return;
    }
    cut(word, "s", 4);
}

/// Cuts the endings of verbs, nouns derived from verbs, and adverbs. Returns whether one was cut.
fn verb(word: &mut String) -> bool {
    if cut(word, "ically", 8) {
        word.push_str("ic");
        return false;
    }
    if word.ends_with("ally") {
        cut(word, "ly", 7);
        return false;
    }
    if cut(word, "ing", 7) || !word.ends_with("eed") && cut(word, "ed", 6) {
        let mut letters = word.bytes().rev();
        if let (Some(last), Some(before)) = (letters.next(), letters.next())
            && last == before
            && b"bdgmnprt".contains(&last)
        {
            word.pop();
        }
        last_e(word);
        return true;
    }
    let noun = cut(word, "ment", 10)
        || (word.ends_with("tion") || word.ends_with("sion")) && cut(word, "ion", 8);
    last_e(word) || noun
}

/// Cuts a final `e`, since `pricing` lost that of `price`. `state` must not become the stem of `stats`.
fn last_e(word: &mut String) -> bool {
    let short = word.len() == 5 && word.ends_with("ate");
    !short && cut(word, "e", 5)
}

#[cfg(test)]
mod tests {
    use super::Stemmer;

    /// `tests/browser/search.test.mjs` reads the same lines: a language, and forms of a word.
    const FORMS_BY_LANGUAGE: &str = "fr configurer configuration configurations
fr deploiement deploiements
de einstellung einstellungen
de datei dateien
es configurar configuracion configuraciones
pt configurar configuracao configuracoes
it configurare configurazione configurazioni
nl instelling instellingen
sv installning installningar
ru настроика настроики настроику";

    #[test]
    fn forms_of_a_word_have_one_stem_in_each_language() {
        for line in FORMS_BY_LANGUAGE.lines() {
            let (language, forms) = line.split_once(' ').unwrap();
            let stemmer = Stemmer::of(language);
            let stems: Vec<_> =
                forms.split(' ').map(|word| stemmer.stem(word.to_owned())).collect();
            assert!(stems.iter().all(|stem| *stem == stems[0]), "{line}: {stems:?}");
        }
    }

    #[test]
    fn short_words_and_identifiers_keep_their_letters() {
        assert_eq!(Stemmer::of("de").stem("rest".to_owned()), "rest");
        assert_eq!(Stemmer::of("fr").stem("api_keys".to_owned()), "api_keys");
        assert_eq!(Stemmer::of("ja").stem("keys".to_owned()), "key");
    }
}
