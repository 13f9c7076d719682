//! A built site that can be asked: its search, and the Markdown versions of its pages.

use std::{collections::BTreeMap, fmt, io, sync::Arc};

use super::{GoldenQuestion, JudgedQuestion, Method, judge};
use crate::{
    answer::{self, Answer, Meaning},
    embedding::{Embedder, SectionVectors},
    search::{Query, RankedSections, SearchError, Searcher, languages_of, main_language},
};

/// Returns the text of a file of a site.
type Read = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

type VectorsByLanguage = BTreeMap<String, Arc<SectionVectors>>;

/// A site that can be asked.
pub struct SearchedSite {
    pub(super) searcher: Searcher,
    read: Read,
    /// Its languages, sorted.
    pub(super) languages: Vec<String>,
    /// The language of questions that name none.
    pub(super) language: String,
    /// What embeds questions, and the vectors of the sections by language.
    meaning: Option<(Arc<dyn Embedder>, VectorsByLanguage)>,
}

impl fmt::Debug for SearchedSite {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("SearchedSite")
            .field("languages", &self.languages)
            .finish_non_exhaustive()
    }
}

impl SearchedSite {
    /// A site with files at some paths; `None` if it has no search index. `read` returns the text of a file.
    pub fn new<'a>(
        paths: impl Iterator<Item = &'a str>,
        read: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
    ) -> io::Result<Option<Self>> {
        let mut languages: Vec<String> = languages_of(paths).map(str::to_owned).collect();
        if languages.is_empty() {
            return Ok(None);
        }
        languages.sort_unstable();
        let language = main_language(languages.iter().map(String::as_str)).to_owned();
        let read: Read = Arc::new(read);
        let own = Arc::clone(&read);
        let searcher = Searcher::new(move |path| own(path))?;
        Ok(Some(Self { searcher, read, languages, language, meaning: None }))
    }

    /// Finds sections by meaning too: with vectors by language, of the model of an embedder.
    pub fn embed(
        &mut self,
        embedder: Arc<dyn Embedder>,
        vectors: BTreeMap<String, Arc<SectionVectors>>,
    ) {
        self.meaning = Some((embedder, vectors));
    }

    /// Its languages, sorted.
    pub fn languages(&self) -> &[String] {
        &self.languages
    }

    /// The answer to a question without a model.
    pub(super) fn answer(&self, question: &GoldenQuestion) -> Result<Answer, SearchError> {
        let (asked, ranked) = self.rank(question, || false)?;
        Ok(answer::quote(&ranked, |path| (self.read)(path), &asked))
    }

    /// Asks a question, and compares what was found with what it expects; `is_over` cancels it.
    pub(super) fn judge(
        &self,
        question: &GoldenQuestion,
        method: Method,
        is_over: impl Fn() -> bool + Send + Sync + 'static,
    ) -> Result<JudgedQuestion, SearchError> {
        let read = |path: &str| (self.read)(path);
        let (asked, ranked) = self.rank(question, is_over)?;
        let answer = match method {
            Method::Retrieval => None,
            Method::Extract => Some(answer::quote(&ranked, read, &asked)),
        };
        Ok(judge::judge(question, &ranked, answer.as_ref(), read))
    }

    /// The meaning of a question, if it can be found.
    fn meaning(&self, asked: &Query) -> Option<Meaning> {
        let (embedder, vectors) = self.meaning.as_ref()?;
        Meaning::of(&**embedder, vectors.get(&asked.language)?, &asked.text).ok().flatten()
    }

    fn rank(
        &self,
        question: &GoldenQuestion,
        is_over: impl Fn() -> bool + Send + Sync + 'static,
    ) -> Result<(Query, RankedSections), SearchError> {
        let asked = Query {
            language: question.language.clone().unwrap_or_else(|| self.language.clone()),
            text: question.question.clone(),
            version: question.version.clone(),
            ..Query::default()
        };
        let meaning = self.meaning(&asked);
        let ranked = answer::rank(&self.searcher, &asked, meaning.as_ref(), is_over)?;
        Ok((asked, ranked))
    }
}
