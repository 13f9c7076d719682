//! Writes the vectors of a site: one file a language. They belong to the server of the site, not to readers.

use std::sync::OnceLock;

use rayon::prelude::*;

use super::{
    BATCH, EmbeddedSections, Embedder, EmbeddingError, SectionVectors, WriteError, check_vectors,
    section_texts::{self, SectionText},
};
use crate::{output::Output, search::Document};

/// Folder of the files. No server gives them to readers.
pub const FOLDER: &str = "_docwright/vectors";

impl SectionVectors {
    /// The path of the file of a language, below the site root.
    pub fn path(language: &str) -> String {
        format!("{FOLDER}/{language}.bin")
    }
}

/// Writes the vectors of the sections of pages. The order of the pages means nothing.
///
/// # Errors
///
/// Fails if the model can't be used, and then writes nothing; and if the output can't be written.
pub fn write(
    documents: &[Document],
    embedder: &dyn Embedder,
    output: &dyn Output,
) -> Result<EmbeddedSections, WriteError> {
    let texts = section_texts::of_pages(documents);
    let of_language = |(language, texts): (String, Vec<SectionText>)| {
        Ok::<_, EmbeddingError>((language, vectors(&texts, embedder)?))
    };
    let languages = texts.into_iter().map(of_language).collect::<Result<Vec<_>, _>>()?;
    let mut embedded = EmbeddedSections { model: embedder.model().to_owned(), sections: 0 };
    for (language, vectors) in languages {
        embedded.sections += vectors.len();
        if !vectors.is_empty() {
            output.write(&SectionVectors::path(&language), &vectors.to_bytes())?;
        }
    }
    Ok(embedded)
}

fn vectors(
    texts: &[SectionText],
    embedder: &dyn Embedder,
) -> Result<SectionVectors, EmbeddingError> {
    let failure = OnceLock::new();
    let embed = |part: &[SectionText]| {
        // A model that is away would fail for each thread.
        if let Some(EmbeddingError(reason)) = failure.get() {
            return Err(EmbeddingError(reason.clone()));
        }
        let texts: Vec<_> = part.iter().map(|text| text.text.clone()).collect();
        let vectors =
            embedder.embed(&texts).map_err(|error| failure.get_or_init(|| error).clone())?;
        check_vectors(&vectors, texts.len())?;
        Ok(vectors)
    };
    let found = texts.par_chunks(BATCH).map(embed).collect::<Result<Vec<_>, EmbeddingError>>()?;
    let found = found.concat();
    let dimensions = check_vectors(&found, texts.len())?;
    let mut vectors = SectionVectors::new(embedder.model(), dimensions);
    for (text, vector) in texts.iter().zip(&found) {
        vectors.add(text, vector);
    }
    Ok(vectors)
}
