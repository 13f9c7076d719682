//! Stop words of each language. The index omits them, and queries use them only for titles. Words that also
//! mean something in code (`if`, `any`, `not`) aren't stop words.

use std::collections::BTreeSet;

use super::{stem::Stemmer, tokenize::tokenize};

/// The terms of a language's stop words.
pub(super) fn skipped_terms(language: &str, stemmer: Stemmer) -> BTreeSet<String> {
    let mut terms = BTreeSet::new();
    tokenize(words(language), stemmer, |term| {
        terms.insert(term.to_owned());
    });
    terms
}

/// The stop words of a language, separated by spaces.
fn words(language: &str) -> &'static str {
    match language.split(['-', '_']).next().unwrap_or_default() {
        "en" => ENGLISH,
        "fr" => FRENCH,
        "de" => GERMAN,
        "es" => SPANISH,
        "pt" => PORTUGUESE,
        "it" => ITALIAN,
        "nl" => DUTCH,
        "ja" | "jp" => JAPANESE,
        "zh" | "cn" => CHINESE,
        _ => "",
    }
}

const ENGLISH: &str = "a about am an and are as at be been being but by can could did do does doesn doing don \
    for from had happen has have having how i in into is isn it its me my need of on or our possible s should so t \
    than that the their them there these they this those to us want was way we were what when where which while who \
    whose why will with would you your";
const FRENCH: &str = "a ai as au aux avec c ce ces cet cette comment d dans de des doit du elle en est et etre \
    faire il ils j je l la le les leur lui m ma mais mes mon n ne nos notre nous on ont ou par pas peut pour \
    pourquoi puis qu quand que quel quelle quelles quels qui quoi s sa se ses son sont sur t ta tes toi ton tu un \
    une vos votre vous y";
const GERMAN: &str = "aber als am an auch auf aus bei bin bis da damit das dass dem den der des die dies diese \
    dieser dieses doch du durch ein eine einem einen einer eines er es fur habe haben hat hier ich ihr im in \
    ist ja kann kein keine man mein meine mit muss nach nicht noch nur ob oder ohne sein sich sie sind so uber \
    um und uns unser vom von vor wann warum was wenn wer werden wie wir wird wo zu zum zur";
const SPANISH: &str = "a al algo como con cual cuales cuando de del desde donde e el ella en entre era es esa ese \
    eso esta estan este esto estos fue ha hacer hasta hay la las le lo los mas me mi mis muy ni no nos o para \
    pero por porque puede puedo que quien se ser si sin sobre son su sus te tu tus un una uno y ya yo";
const PORTUGUESE: &str = "a ao aos as com como da das de dela dele depois do dos e ela ele em entre era essa esse \
    esta estao este eu fazer foi ha isso isto ja la mais mas me meu minha muito na nao nas no nos nosso o onde \
    os ou para pela pelo pode por porque posso qual quando que quem se sem ser seu seus so sua suas tem um uma \
    voce";
const ITALIAN: &str = "a ad ai al alla alle anche che chi ci come con cosa da dal dalla dei del della delle di \
    dove e ed fare gli ha hanno ho i il in io l la le lei lo loro lui ma mi mia mio ne nei nel nella no noi non \
    o per perche piu posso puo quale quali quando quello questa questo se si sono su sua sul sulla suo ti tra tu \
    un una uno voi";
const DUTCH: &str = "aan als bij dan dat de deze die dit door een en er hebben heeft het hij hoe ik in is je kan \
    kun maar me met mij mijn moet na naar niet nog of om onder ons onze ook op over te tot u uit van voor waar \
    waarom wanneer was wat we wel welke wie wij wordt worden ze zich zijn zo";
/// Pairs of letters, as both languages are cut.
const JAPANESE: &str = "から こと して した する です です とは など には ので まで ます もの より";
const CHINESE: &str = "为什 什么 如何 怎么 怎样 可以 么样";

#[cfg(test)]
mod tests {
    use super::{skipped_terms, words};
    use crate::search::{stem::Stemmer, tokenize::tokenize};

    #[test]
    fn each_skipped_word_is_one_term() {
        for language in ["en", "fr", "de", "es", "pt-BR", "it", "nl", "ja", "zh-Hans"] {
            assert!(!skipped_terms(language, Stemmer::of(language)).is_empty(), "{language}");
            for word in words(language).split_whitespace() {
                let mut found = 0;
                tokenize(word, Stemmer::of(language), |_| found += 1);
                assert_eq!(found, 1, "{language}: {word}");
            }
        }
        assert!(skipped_terms("xx", Stemmer::of("xx")).is_empty());
    }

    #[test]
    fn words_of_code_stay() {
        for word in ["if", "any", "all", "not", "get", "use"] {
            assert!(!skipped_terms("en", Stemmer::of("en")).contains(word), "{word}");
        }
    }
}
