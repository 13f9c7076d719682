//! A static model out of a folder: each piece of a word has a vector, and a text has the mean of its pieces. Such
//! models are those of model2vec: `tokenizer.json`, `model.safetensors`, and `config.json`.

use std::{
    fmt,
    fs::{self, File},
    io::Read,
    path::Path,
};

use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::{Embedder, EmbeddingError, MAXIMUM_DIMENSIONS, tensor::Matrix, word_piece::WordPiece};

/// Longest files, in bytes.
const MAXIMUM_MATRIX: u64 = 1024 * 1024 * 1024;
const MAXIMUM_TOKENIZER: u64 = 64 * 1024 * 1024;
const MAXIMUM_CONFIG: u64 = 1024 * 1024;
/// Tokens of a text that count.
const MAXIMUM_TOKENS: usize = 512;

/// A model out of a folder.
pub struct StaticModel {
    hash: String,
    tokenizer: WordPiece,
    matrix: Matrix,
    is_normalized: bool,
}

/// `config.json`, as far as it is read.
#[derive(Deserialize)]
struct Config {
    /// Whether vectors have the length 1.
    #[serde(default = "is_usual")]
    normalize: bool,
}

const fn is_usual() -> bool {
    true
}

impl fmt::Debug for StaticModel {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("StaticModel").field("hash", &self.hash).finish_non_exhaustive()
    }
}

impl StaticModel {
    /// Reads the model in a folder.
    ///
    /// # Errors
    ///
    /// Says which of its files is missing or can't be used.
    pub fn open(folder: &Path) -> Result<Self, EmbeddingError> {
        let mut hash = Sha256::new();
        let mut contents = |name: &str, most: u64| {
            let path = folder.join(name);
            let contents = read(&path, most)
                .map_err(|why| EmbeddingError(format!("cannot read {}: {why}", path.display())))?;
            hash.update(name);
            hash.update((contents.len() as u64).to_le_bytes());
            hash.update(&contents);
            Ok(contents)
        };
        let config = contents("config.json", MAXIMUM_CONFIG)?;
        let tokenizer = contents("tokenizer.json", MAXIMUM_TOKENIZER)?;
        let matrix = contents("model.safetensors", MAXIMUM_MATRIX)?;
        let hash = hex::encode(hash.finalize());
        let unusable = |name: &str, why: String| {
            let path = folder.join(name);
            EmbeddingError(format!("{} can't be used: {why}", path.display()))
        };
        let config: Config = serde_json::from_slice(&config)
            .map_err(|error| unusable("config.json", format!("it can't be read: {error}")))?;
        let tokenizer =
            WordPiece::read(&tokenizer).map_err(|why| unusable("tokenizer.json", why))?;
        let matrix = Matrix::read(&matrix, MAXIMUM_DIMENSIONS)
            .map_err(|why| unusable("model.safetensors", why))?;
        if matrix.row(tokenizer.largest()).is_none() {
            let (token, rows) = (tokenizer.largest(), matrix.rows());
            let why =
                format!("its matrix has {rows} rows, but `tokenizer.json` has a token {token}");
            return Err(unusable("model.safetensors", why));
        }
        Ok(Self { hash, tokenizer, matrix, is_normalized: config.normalize })
    }

    /// The vector of a text.
    pub fn vector(&self, text: &str) -> Vec<f32> {
        let mut sum = vec![0.0_f32; self.matrix.columns];
        let tokens = self.tokenizer.tokens(text, MAXIMUM_TOKENS);
        for row in tokens.iter().filter_map(|token| self.matrix.row(*token)) {
            for (sum, number) in sum.iter_mut().zip(row) {
                *sum += number;
            }
        }
        #[expect(clippy::cast_precision_loss, reason = "at most 512")]
        let count = tokens.len().max(1) as f32;
        let mean = sum.iter().map(|sum| sum / count);
        let mut mean: Vec<f32> =
            mean.map(|each| if each.is_finite() { each } else { 0.0 }).collect();
        if self.is_normalized {
            super::vectors::normalize(&mut mean);
        }
        mean
    }
}

impl Embedder for StaticModel {
    fn model(&self) -> &str {
        &self.hash
    }

    fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbeddingError> {
        Ok(texts.iter().map(|text| self.vector(text)).collect())
    }
}

/// Reads a file within a limit. What it claims to have costs nothing before it is read.
fn read(path: &Path, most: u64) -> Result<Vec<u8>, String> {
    let metadata = fs::metadata(path).map_err(|error| error.to_string())?;
    if !metadata.is_file() {
        return Err("it isn't a file".to_owned());
    }
    if metadata.len() > most {
        return Err(format!("it has {} bytes; {most} are allowed", metadata.len()));
    }
    let file = File::open(path).map_err(|error| error.to_string())?;
    let mut contents = Vec::new();
    let read = file.take(most + 1).read_to_end(&mut contents);
    read.map_err(|error| error.to_string())?;
    if contents.len() as u64 > most { Err("it grew".to_owned()) } else { Ok(contents) }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use serde_json::json;
    use tempfile::TempDir;

    use super::*;

    /// A model of some words with two numbers each.
    fn model(words: &[(&str, [f32; 2])], normalize: bool) -> TempDir {
        let folder = tempfile::tempdir().unwrap();
        let write =
            |name: &str, contents: &[u8]| fs::write(folder.path().join(name), contents).unwrap();
        let vocabulary = words.iter().enumerate();
        let vocabulary = vocabulary.map(|(at, (word, _))| ((*word).to_owned(), json!(at)));
        let vocabulary: serde_json::Map<_, _> = vocabulary.collect();
        let tokenizer = json!({
            "normalizer": { "type": "BertNormalizer" }, "pre_tokenizer": { "type": "BertPreTokenizer" },
            "model": { "type": "WordPiece", "vocab": vocabulary },
        });
        write("tokenizer.json", tokenizer.to_string().as_bytes());
        write("config.json", json!({ "normalize": normalize }).to_string().as_bytes());
        let numbers: Vec<u8> =
            words.iter().flat_map(|(_, row)| row).flat_map(|number| number.to_le_bytes()).collect();
        let header = json!({ "embeddings": { "dtype": "F32", "shape": [words.len(), 2],
            "data_offsets": [0, numbers.len()] } });
        let header = header.to_string();
        let start = (header.len() as u64).to_le_bytes();
        write("model.safetensors", &[&start, header.as_bytes(), &numbers].concat());
        folder
    }

    const WORDS: [(&str, [f32; 2]); 3] =
        [("[UNK]", [9.0, 9.0]), ("key", [3.0, 0.0]), ("token", [3.0, 8.0])];

    #[test]
    fn text_has_the_mean_of_its_words() {
        let folder = model(&WORDS, false);
        let plain = StaticModel::open(folder.path()).unwrap();
        assert_eq!(plain.vector("Key, token?"), [3.0, 4.0]);
        assert_eq!(plain.vector("nothing known"), [0.0, 0.0]);
        let folder = model(&WORDS, true);
        let normalized = StaticModel::open(folder.path()).unwrap();
        assert_eq!(normalized.vector("key token"), [0.6, 0.8]);
        assert_eq!(normalized.vector(""), [0.0, 0.0]);
    }

    #[test]
    fn hash_changes_with_every_file() {
        let hash = |folder: &TempDir| StaticModel::open(folder.path()).unwrap().hash;
        let folder = model(&WORDS, true);
        let first = hash(&folder);
        assert_eq!(first.len(), 64);
        assert_eq!(hash(&model(&WORDS, true)), first);
        assert_ne!(hash(&model(&WORDS, false)), first);
        let tokenizer = folder.path().join("tokenizer.json");
        let text = fs::read_to_string(&tokenizer).unwrap();
        fs::write(tokenizer, format!("{text}\n")).unwrap();
        assert_ne!(hash(&folder), first);
    }

    #[test]
    fn broken_folder_is_named() {
        let broken = |change: &dyn Fn(PathBuf)| {
            let folder = model(&WORDS, true);
            change(folder.path().to_owned());
            StaticModel::open(folder.path()).unwrap_err().to_string()
        };
        let missing = broken(&|folder| fs::remove_file(folder.join("tokenizer.json")).unwrap());
        assert!(missing.contains("tokenizer.json: "), "{missing}");
        let large = broken(&|folder| {
            let file = File::options().write(true).open(folder.join("model.safetensors")).unwrap();
            file.set_len(10_000_000_000).unwrap();
        });
        assert!(large.contains("model.safetensors: it has 10000000000 bytes"), "{large}");
        let folder = broken(&|folder| {
            fs::remove_file(folder.join("config.json")).unwrap();
            fs::create_dir(folder.join("config.json")).unwrap();
        });
        assert!(folder.contains("config.json: it isn't a file"), "{folder}");
        let unread = broken(&|folder| fs::write(folder.join("config.json"), "[").unwrap());
        assert!(unread.contains("config.json can't be used: it can't be read"), "{unread}");
        let more = broken(&|folder| {
            let path = folder.join("tokenizer.json");
            let text = fs::read_to_string(&path).unwrap().replace("\"token\":2", "\"token\":3");
            fs::write(path, text).unwrap();
        });
        assert!(
            more.contains("its matrix has 3 rows, but `tokenizer.json` has a token 3"),
            "{more}"
        );
    }
}
