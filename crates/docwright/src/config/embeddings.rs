//! Settings of embeddings: the model that finds sections by their meaning.

use std::{
    fmt,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use anyhow::ensure;
use docwright_agent::models::EmbeddingSettings;
use docwright_jobs::embedding_cache::CachedEmbedder;
use docwright_site::embedding::{Embedder, StaticModel};

use crate::embedder::{Purpose, RemoteEmbedder};

/// The model of embeddings. Each flag has a variable of the same name.
#[derive(Clone, Default, clap::Args)]
#[command(next_help_heading = "Sites")]
pub(crate) struct EmbeddingOptions {
    /// Model that finds sections by meaning: a folder, or the URL of a server
    ///
    /// A folder has a static model: `tokenizer.json`, `model.safetensors`, and `config.json`. A server speaks the
    /// protocol of OpenAI, such as `http://localhost:8000/v1`. Without this option, sections are found by words.
    #[arg(long, value_name = "DIR|URL", env = "DOCWRIGHT_EMBEDDINGS", hide_short_help = true)]
    embeddings: Option<String>,
    /// Name of the model on the server of --embeddings
    #[arg(long, value_name = "NAME", env = "DOCWRIGHT_EMBEDDINGS_MODEL", hide_short_help = true)]
    embeddings_model: Option<String>,
    /// Key for the server of --embeddings
    #[arg(
        long,
        value_name = "KEY",
        env = "DOCWRIGHT_EMBEDDINGS_KEY",
        hide_short_help = true,
        hide_env_values = true
    )]
    embeddings_key: Option<String>,
    /// The model of the folder, which is read once.
    #[arg(skip)]
    folder: OnceLock<Arc<StaticModel>>,
}

impl fmt::Debug for EmbeddingOptions {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("EmbeddingOptions").finish_non_exhaustive()
    }
}

impl EmbeddingOptions {
    /// Whether there is a model.
    pub(crate) fn is_set(&self) -> bool {
        self.place().is_some()
    }

    /// What embeds the sections of sites. Each text costs a server one request, if a folder keeps its vectors.
    pub(crate) fn section_embedder(
        &self,
        folder: Option<PathBuf>,
    ) -> anyhow::Result<Option<Arc<dyn Embedder>>> {
        let embedder = self.embedder(Purpose::Build)?;
        let folder = folder.filter(|_| self.place().is_some_and(is_url));
        let Some((embedder, folder)) = embedder.clone().zip(folder) else { return Ok(embedder) };
        Ok(Some(Arc::new(CachedEmbedder::new(embedder, folder))))
    }

    /// What embeds texts for a purpose, if there is a model. Fails if the model can't be used.
    pub(crate) fn embedder(&self, purpose: Purpose) -> anyhow::Result<Option<Arc<dyn Embedder>>> {
        let Some(place) = self.place() else { return Ok(None) };
        let model = self.embeddings_model.as_deref().filter(|name| !name.is_empty());
        if !is_url(place) {
            ensure!(
                model.is_none(),
                "--embeddings-model names a model of a server, but --embeddings is a folder; remove it"
            );
            return Ok(Some(self.folder(Path::new(place))?));
        }
        let Some(model) = model else {
            anyhow::bail!(
                "--embeddings is the URL of a server; name its model with --embeddings-model"
            );
        };
        let settings = EmbeddingSettings {
            address: place.to_owned(),
            model: model.to_owned(),
            key: self.embeddings_key.clone().unwrap_or_default(),
            patience: purpose.patience(),
        };
        let remote = RemoteEmbedder::new(settings, purpose);
        Ok(Some(Arc::new(remote.map_err(|error| error.context("--embeddings"))?)))
    }

    fn folder(&self, path: &Path) -> anyhow::Result<Arc<StaticModel>> {
        if let Some(known) = self.folder.get() {
            return Ok(Arc::clone(known));
        }
        let read =
            StaticModel::open(path).map_err(|error| anyhow::anyhow!("--embeddings: {error}"))?;
        Ok(Arc::clone(self.folder.get_or_init(|| Arc::new(read))))
    }

    fn place(&self) -> Option<&str> {
        self.embeddings.as_deref().filter(|place| !place.is_empty())
    }
}

fn is_url(place: &str) -> bool {
    place.starts_with("https://") || place.starts_with("http://")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(place: &str, model: Option<&str>) -> String {
        let options = EmbeddingOptions {
            embeddings: Some(place.to_owned()),
            embeddings_model: model.map(str::to_owned),
            embeddings_key: Some("s3cret".to_owned()),
            ..EmbeddingOptions::default()
        };
        let error = options.embedder(Purpose::Question).unwrap_err();
        assert!(!format!("{options:?} {error:#}").contains("s3cret"));
        format!("{error:#}")
    }

    #[test]
    fn wrong_place_is_named() {
        assert!(EmbeddingOptions::default().embedder(Purpose::Build).unwrap().is_none());
        assert!(error("https://host.example/v1", None).contains("--embeddings-model"));
        assert!(error("/nowhere", Some("small")).contains("is a folder"));
        let missing = error("/nowhere", None);
        assert!(missing.starts_with("--embeddings: cannot read /nowhere/"), "{missing}");
    }
}
