//! Search, pages, and answers of sites for the API.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use docwright_assistant::{Exchange, Pages, Question, rank};
use docwright_operations::{
    OperationError,
    discovery::{
        AssistantCaller, FoundSection, SearchSite, SectionMetadata, SitePage, SiteQuestion,
        SiteReader,
    },
};
use docwright_site::{
    answer,
    embedding::Embedder,
    search::{Query, RankedSections, SearchError, main_language},
};
use docwright_types::assistant::{AskedFrom, Event};
use futures::{FutureExt, future::BoxFuture, stream::BoxStream};

use super::Sites;
use crate::site::{OpenSite, SitePages};

/// Time limit of a search.
const SEARCH_TIME: Duration = Duration::from_secs(5);

impl SiteReader for Sites {
    fn search<'a>(
        &'a self,
        caller: &'a AssistantCaller,
        search: SearchSite,
    ) -> BoxFuture<'a, Result<Vec<FoundSection>, OperationError>> {
        async move {
            let site = self.site_of(caller).await?;
            self.assistant.count_search(&caller.domain, caller.address)?;
            let embedder = self.assistant.embedder();
            let searching = move || sections((site, embedder), search);
            let found = tokio::task::spawn_blocking(searching).await;
            found.map_err(|error| OperationError::Internal(error.to_string()))?
        }
        .boxed()
    }

    fn page<'a>(
        &'a self,
        caller: &'a AssistantCaller,
        path: String,
    ) -> BoxFuture<'a, Result<SitePage, OperationError>> {
        async move {
            let site = self.site_of(caller).await?;
            self.assistant.count_search(&caller.domain, caller.address)?;
            let read = tokio::task::spawn_blocking(move || read_page(&site, &path)).await;
            read.map_err(|error| OperationError::Internal(error.to_string()))?
        }
        .boxed()
    }

    fn ask<'a>(
        &'a self,
        caller: &'a AssistantCaller,
        question: SiteQuestion,
    ) -> BoxFuture<'a, Result<BoxStream<'static, Event>, OperationError>> {
        async move {
            let site = self.site_of(caller).await?;
            if !site.about().assistant {
                let sentence = "This domain has no assistant. Turn it on in the cloud deployment.";
                return Err(OperationError::NotFound(sentence.to_owned()));
            }
            let from = if caller.is_page { AskedFrom::Widget } else { AskedFrom::Api };
            let named = (caller.domain.as_str(), &site);
            let events = self.assistant.begin(named, asked(question), (from, caller.address));
            Ok(events.await?)
        }
        .boxed()
    }
}

impl Sites {
    /// The site of a caller's domain.
    async fn site_of(&self, caller: &AssistantCaller) -> Result<Arc<OpenSite>, OperationError> {
        self.wait_for_own_changes().await;
        let Some(serving) = self.domains.serving(&caller.domain) else {
            let sentence = "This domain has no active release yet.";
            return Err(OperationError::NotFound(sentence.to_owned()));
        };
        self.open_release(&serving.bundle).await
    }
}

/// The question for the assistant.
fn asked(asked: SiteQuestion) -> Question {
    let SiteQuestion { question, history, thread, page, selection, language, version } = asked;
    let history = history.into_iter().map(|(question, answer)| Exchange { question, answer });
    let history = history.collect();
    Question { question, page, selection, language, version, thread, history }
}

/// Searches a site. This blocks.
fn sections(
    (site, embedder): (Arc<OpenSite>, Option<Arc<dyn Embedder>>),
    search: SearchSite,
) -> Result<Vec<FoundSection>, OperationError> {
    let pages = SitePages(site);
    let results = search.results();
    let SearchSite { query, score_threshold, filter, .. } = search;
    let filter = filter.unwrap_or_default();
    let languages = pages.languages();
    let language = filter.language.filter(|language| languages.contains(language));
    let main = || main_language(languages.iter().map(String::as_str)).to_owned();
    let query = Query {
        language: language.unwrap_or_else(main),
        text: query.into(),
        version: filter.version,
        ..Query::default()
    };
    let end = Instant::now() + SEARCH_TIME;
    let ranked = rank((&pages, embedder.as_deref()), &query, end);
    let mut ranked = ranked.map_err(|error| match error {
        SearchError::TooLong => {
            OperationError::Invalid("The search took too long. Use fewer words.".to_owned())
        }
        SearchError::Failed(cause) => OperationError::Internal(cause),
    })?;
    if let Some(tag) = &filter.tag {
        keep_division(&mut ranked, tag);
    }
    let least = score_threshold.map_or(0.0, |share| share.0);
    let scored = answer::scored(&ranked, |path| pages.read(path), &query, results);
    let found = scored.into_iter().filter(|(score, _)| *score >= least).map(|(score, quote)| {
        let page = quote.page.strip_suffix(".html").unwrap_or(&quote.page);
        let path = match quote.anchor.as_str() {
            "" => format!("/{page}"),
            anchor => format!("/{page}#{anchor}"),
        };
        let metadata = SectionMetadata { title: quote.title, heading: quote.heading, score };
        FoundSection { content: quote.text.trim().to_owned(), path, metadata }
    });
    Ok(found.collect())
}

/// Leaves out sections of pages that aren't in a division with a name.
fn keep_division(ranked: &mut RankedSections, name: &str) {
    let is_in = |page: usize| {
        let page = ranked.pages.get(page);
        page.is_some_and(|page| page.breadcrumbs.iter().any(|division| division == name))
    };
    let kept = ranked.sections.iter().filter(|section| is_in(section.page)).cloned().collect();
    ranked.sections = kept;
}

/// Reads a page. This blocks.
fn read_page(site: &OpenSite, path: &str) -> Result<SitePage, OperationError> {
    let path = path.split(['#', '?']).next().unwrap_or_default().trim_matches('/');
    let path = path.trim_end_matches(".html").trim_end_matches(".md");
    let path = if path.is_empty() { "index" } else { path };
    let is_page = site.find(&format!("{path}.html")).is_some();
    let content = site.bundle().read_text(&format!("{path}.md")).filter(|_| is_page);
    let missing = || OperationError::NotFound("Page not found. Search for it.".to_owned());
    Ok(SitePage { path: format!("/{path}"), content: content.ok_or_else(missing)? })
}
