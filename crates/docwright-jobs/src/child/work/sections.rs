//! The embedder of a child process: its parent has the model.

use std::{fmt, sync::Mutex};

use docwright_site::embedding::{Embedder, EmbeddingError};

use crate::child::process::Parent;

/// Embeds sections with the model of the parent.
pub(super) struct ParentEmbedder<'a> {
    parent: &'a Parent,
    model: String,
    /// Answers come in the order of requests, so only one is on its way.
    turn: Mutex<()>,
}

impl fmt::Debug for ParentEmbedder<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ParentEmbedder").field("model", &self.model).finish_non_exhaustive()
    }
}

impl<'a> ParentEmbedder<'a> {
    pub(super) fn new(parent: &'a Parent, model: String) -> Self {
        Self { parent, model, turn: Mutex::default() }
    }
}

impl Embedder for ParentEmbedder<'_> {
    fn model(&self) -> &str {
        &self.model
    }

    fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbeddingError> {
        let _turn = self.turn.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        self.parent.embed(texts.to_vec()).map_err(EmbeddingError)
    }
}
