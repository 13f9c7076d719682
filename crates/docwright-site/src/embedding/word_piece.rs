//! Divides texts into the pieces that a model knows, as BERT does: `tokenizer.json` of a model lists them.
//!
//! A text is normalized, divided at spaces and punctuation, and each word is divided into the longest known pieces
//! from its start. Pieces that continue a word start with `##`.

use std::collections::HashMap;

use icu_properties::{CodePointMapData, props::GeneralCategory};
use rustc_hash::FxBuildHasher;
use serde::Deserialize;
use unicode_normalization::UnicodeNormalization;

/// Longest word that is divided, in characters, if the file names none.
const LONGEST_WORD: usize = 100;

/// A tokenizer of a model.
#[derive(Debug)]
pub(super) struct WordPiece {
    vocabulary: HashMap<Box<str>, u32, FxBuildHasher>,
    /// The token of unknown words.
    unknown: u32,
    /// What starts a piece that continues a word.
    prefix: String,
    longest_word: usize,
    normalizer: Normalizer,
}

/// `tokenizer.json`, as far as it is read.
#[derive(Deserialize)]
struct TokenizerFile {
    model: Model,
    normalizer: Option<Kind<Normalizer>>,
    pre_tokenizer: Option<Kind<()>>,
}

#[derive(Deserialize)]
struct Model {
    #[serde(rename = "type")]
    kind: Option<String>,
    unk_token: Option<String>,
    continuing_subword_prefix: Option<String>,
    max_input_chars_per_word: Option<usize>,
    #[serde(default)]
    vocab: serde_json::Value,
}

/// A part of a tokenizer with its type.
#[derive(Deserialize)]
struct Kind<T> {
    #[serde(rename = "type")]
    name: String,
    #[serde(flatten)]
    settings: T,
}

/// How texts are normalized.
#[derive(Debug, Clone, Copy, Deserialize)]
struct Normalizer {
    #[serde(default = "is_usual")]
    clean_text: bool,
    #[serde(default = "is_usual")]
    handle_chinese_chars: bool,
    /// As `lowercase`, if nothing is said.
    strip_accents: Option<bool>,
    #[serde(default = "is_usual")]
    lowercase: bool,
}

const fn is_usual() -> bool {
    true
}

impl WordPiece {
    /// Reads `tokenizer.json`. An error says what is wrong with it.
    pub(super) fn read(json: &[u8]) -> Result<Self, String> {
        let TokenizerFile { model, normalizer, pre_tokenizer } =
            serde_json::from_slice(json).map_err(|error| format!("it can't be read: {error}"))?;
        let kind = model.kind.as_deref().unwrap_or("none");
        if kind != "WordPiece" {
            return Err(format!("its model is `{kind}`; only `WordPiece` works"));
        }
        let normalizer = match normalizer {
            Some(Kind { name, settings }) if name == "BertNormalizer" => settings,
            other => {
                let name = other.map_or_else(|| "none".to_owned(), |other| other.name);
                return Err(format!("its normalizer is `{name}`; only `BertNormalizer` works"));
            }
        };
        match pre_tokenizer {
            Some(Kind { name, .. }) if name == "BertPreTokenizer" => {}
            other => {
                let name = other.map_or_else(|| "none".to_owned(), |other| other.name);
                return Err(format!(
                    "its pre-tokenizer is `{name}`; only `BertPreTokenizer` works"
                ));
            }
        }
        let mut vocabulary = HashMap::default();
        for (token, number) in model.vocab.as_object().into_iter().flatten() {
            let number = number.as_u64().and_then(|number| u32::try_from(number).ok());
            let number = number.ok_or_else(|| format!("the number of `{token}` isn't valid"))?;
            vocabulary.insert(token.as_str().into(), number);
        }
        let name = model.unk_token.as_deref().unwrap_or("[UNK]");
        let Some(unknown) = vocabulary.get(name).copied() else {
            return Err(format!("its vocabulary has no token `{name}` for unknown words"));
        };
        Ok(Self {
            vocabulary,
            unknown,
            prefix: model.continuing_subword_prefix.unwrap_or_else(|| "##".to_owned()),
            longest_word: model.max_input_chars_per_word.unwrap_or(LONGEST_WORD),
            normalizer,
        })
    }

    /// The largest number of a token.
    pub(super) fn largest(&self) -> u32 {
        self.vocabulary.values().copied().max().unwrap_or_default()
    }

    /// The first tokens of a text, this many at most. Unknown words are left out.
    pub(super) fn tokens(&self, text: &str, most: usize) -> Vec<u32> {
        let mut tokens = Vec::new();
        let mut word = String::new();
        let text = self.normalizer.normalize(text);
        for letter in text.chars() {
            let is_punctuation = is_punctuation(letter);
            if is_punctuation || letter.is_whitespace() {
                self.divide(&word, &mut tokens);
                word.clear();
            }
            if is_punctuation {
                self.divide(letter.encode_utf8(&mut [0; 4]), &mut tokens);
            } else if !letter.is_whitespace() {
                word.push(letter);
            }
            if tokens.len() >= most {
                break;
            }
        }
        self.divide(&word, &mut tokens);
        tokens.truncate(most);
        tokens
    }

    /// Adds the pieces of a word; nothing if a part of it is unknown.
    fn divide(&self, word: &str, tokens: &mut Vec<u32>) {
        if word.is_empty() || word.chars().count() > self.longest_word {
            return;
        }
        let first = tokens.len();
        let (mut start, mut piece) = (0, String::new());
        while start < word.len() {
            piece.clear();
            if start > 0 {
                piece.push_str(&self.prefix);
            }
            let before = piece.len();
            piece.push_str(&word[start..]);
            let found = loop {
                if let Some(token) = self.vocabulary.get(piece.as_str()) {
                    break Some(*token);
                }
                piece.pop();
                if piece.len() <= before {
                    break None;
                }
            };
            match found {
                Some(token) if token != self.unknown => tokens.push(token),
                _ => return tokens.truncate(first),
            }
            start += piece.len() - before;
        }
    }
}

impl Normalizer {
    fn normalize(self, text: &str) -> String {
        let mut cleaned = String::with_capacity(text.len());
        for letter in text.chars() {
            if self.clean_text && (matches!(letter, '\0' | '\u{fffd}') || is_control(letter)) {
                continue;
            }
            if self.clean_text && letter.is_whitespace() {
                cleaned.push(' ');
            } else if self.handle_chinese_chars && is_chinese(letter) {
                cleaned.extend([' ', letter, ' ']);
            } else {
                cleaned.push(letter);
            }
        }
        if self.strip_accents.unwrap_or(self.lowercase) {
            let is_mark = |letter: &char| category(*letter) == GeneralCategory::NonspacingMark;
            cleaned = cleaned.nfd().filter(|letter| !is_mark(letter)).collect();
        }
        if self.lowercase {
            cleaned = cleaned.chars().flat_map(char::to_lowercase).collect();
        }
        cleaned
    }
}

fn category(letter: char) -> GeneralCategory {
    CodePointMapData::<GeneralCategory>::new().get(letter)
}

/// Whether a character is removed: those without a form, except white space.
fn is_control(letter: char) -> bool {
    use GeneralCategory::{Control, Format, PrivateUse, Surrogate, Unassigned};
    !matches!(letter, '\t' | '\n' | '\r')
        && matches!(category(letter), Control | Format | PrivateUse | Surrogate | Unassigned)
}

/// Whether a character is a word of its own.
fn is_punctuation(letter: char) -> bool {
    use GeneralCategory::{
        ClosePunctuation, ConnectorPunctuation, DashPunctuation, FinalPunctuation,
        InitialPunctuation, OpenPunctuation, OtherPunctuation,
    };
    letter.is_ascii_punctuation()
        || matches!(
            category(letter),
            ClosePunctuation
                | ConnectorPunctuation
                | DashPunctuation
                | FinalPunctuation
                | InitialPunctuation
                | OpenPunctuation
                | OtherPunctuation
        )
}

/// Whether a character is one of the unified ideographs, each of which BERT takes as a word.
fn is_chinese(letter: char) -> bool {
    matches!(u32::from(letter),
        0x4e00..=0x9fff | 0x3400..=0x4dbf | 0x20000..=0x2a6df | 0x2a700..=0x2b73f
        | 0x2b740..=0x2b81f | 0x2b920..=0x2ceaf | 0xf900..=0xfaff | 0x2f800..=0x2fa1f)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    const WORDS: [&str; 16] = [
        "[PAD]", "[UNK]", "un", "##aff", "##able", "the", "cafe", ".", "-", "state", "中", "文",
        "##s", "'", "”", "stra",
    ];

    fn file() -> Value {
        let numbered = WORDS.iter().enumerate();
        let numbered = numbered.map(|(number, word)| ((*word).to_owned(), json!(number)));
        let vocabulary: serde_json::Map<_, _> = numbered.collect();
        json!({
            "normalizer": { "type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
                "strip_accents": null, "lowercase": true },
            "pre_tokenizer": { "type": "BertPreTokenizer" },
            "model": { "type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                "max_input_chars_per_word": 10, "vocab": vocabulary },
        })
    }

    fn read(file: &Value) -> Result<WordPiece, String> {
        WordPiece::read(file.to_string().as_bytes())
    }

    #[test]
    fn words_are_divided_into_the_longest_known_pieces() {
        let tokenizer = read(&file()).unwrap();
        let pieces = |text: &str| {
            let tokens = tokenizer.tokens(text, 100).into_iter();
            tokens.map(|token| WORDS[token as usize]).collect::<Vec<_>>()
        };
        for (text, expected) in [
            ("unaffable", &["un", "##aff", "##able"][..]),
            ("The  CAFÉ\t.", &["the", "cafe", "."]),
            ("the-state's", &["the", "-", "state", "'"]),
            ("states”", &["state", "##s", "”"]),
            ("中文the", &["中", "文", "the"]),
            // Nothing is left of a word with an unknown part, or of one that is too long.
            ("unknown the", &["the"]),
            ("unaffableable the", &["the"]),
            ("th\u{200d}e\0 \u{fffd}the", &["the", "the"]),
            ("[UNK] [PAD]", &[]),
            ("", &[]),
        ] {
            assert_eq!(pieces(text), expected, "{text}");
        }
        assert_eq!(tokenizer.tokens("the the the the", 3).len(), 3);
    }

    #[test]
    fn other_tokenizers_are_refused() {
        for (pointer, value, expected) in [
            ("/model/type", json!("Unigram"), "its model is `Unigram`"),
            ("/normalizer", Value::Null, "its normalizer is `none`"),
            ("/normalizer/type", json!("NFC"), "its normalizer is `NFC`"),
            ("/pre_tokenizer/type", json!("ByteLevel"), "its pre-tokenizer is `ByteLevel`"),
            ("/model/unk_token", json!("<unk>"), "no token `<unk>`"),
            ("/model/vocab/the", json!(-1), "the number of `the`"),
            ("/model/vocab", json!([]), "no token `[UNK]`"),
            ("/model", json!(1), "it can't be read"),
        ] {
            let mut changed = file();
            *changed.pointer_mut(pointer).unwrap() = value;
            let error = read(&changed).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }
}
