//! Embeddings: vectors that are close to each other if their texts mean similar things. The sections of a site get
//! theirs when it is built, and a question gets its own when it is asked.
//!
//! An [`Embedder`] makes them: a [`StaticModel`] out of a folder, or a program behind a network, which the caller
//! provides. [`write()`] adds the vectors of a site to its output, in a file that no server gives to readers, and
//! [`SectionVectors`] reads it back. What is done with the nearest sections is decided elsewhere.

mod file;
mod section_texts;
mod static_model;
mod tensor;
mod vectors;
mod word_piece;

use std::{fmt, io};

pub use file::{FOLDER, write};
pub use section_texts::{MAXIMUM_SECTIONS, MAXIMUM_TEXT};
pub use static_model::StaticModel;
pub use vectors::{NearSection, SectionVectors};

/// Most numbers of a vector.
pub const MAXIMUM_DIMENSIONS: usize = 4_096;
/// Texts that an embedder gets at once, at most.
pub const BATCH: usize = 32;

/// Turns texts into vectors.
pub trait Embedder: fmt::Debug + Send + Sync {
    /// The identity of the model: 64 lower-case hexadecimal digits of a SHA-256. Vectors of different models can't be
    /// compared.
    fn model(&self) -> &str;

    /// The vectors of at most [`BATCH`] texts, in their order. All have the same number of finite numbers, from 1 to
    /// [`MAXIMUM_DIMENSIONS`]. A text without a known word has zeros.
    ///
    /// # Errors
    ///
    /// Fails if the model can't be used.
    fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbeddingError>;
}

/// Why there are no vectors.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct EmbeddingError(pub String);

/// Why the vectors of a site weren't written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The model can't be used.
    #[error(transparent)]
    Embedding(#[from] EmbeddingError),
    /// The output can't be written.
    #[error(transparent)]
    Output(#[from] io::Error),
}

/// The vectors of sections in a site.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EmbeddedSections {
    /// The model that they are of, as [`Embedder::model`] names it.
    pub model: String,
    /// Their number.
    pub sections: usize,
}

/// Checks the vectors that an embedder returned for a number of texts. Returns the number of their dimensions.
///
/// # Errors
///
/// Says what is wrong with them.
pub fn check_vectors(vectors: &[Vec<f32>], texts: usize) -> Result<usize, EmbeddingError> {
    let wrong = |text: String| Err(EmbeddingError(text));
    if vectors.len() != texts {
        return wrong(format!("{} vectors were returned for {texts} texts", vectors.len()));
    }
    let dimensions = vectors.first().map_or(0, Vec::len);
    if !(1..=MAXIMUM_DIMENSIONS).contains(&dimensions) && texts > 0 {
        return wrong(format!("a vector has {dimensions} numbers; 1 to {MAXIMUM_DIMENSIONS} work"));
    }
    if let Some(other) = vectors.iter().find(|vector| vector.len() != dimensions) {
        return wrong(format!("one vector has {dimensions} numbers, and another {}", other.len()));
    }
    if vectors.iter().flatten().any(|number| !number.is_finite()) {
        return wrong("a vector has a number that isn't finite".to_owned());
    }
    Ok(dimensions)
}
