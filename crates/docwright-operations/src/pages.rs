//! The pages of a project's sites, as their navigation shows them, with what is known about each.

mod draft;
mod edit;
mod line_endings;
mod outlines;
mod source;

use std::{collections::HashMap, sync::Arc};

use docwright_site::outline::OutlinePage;
use docwright_storage::database::{
    AnalyticsFilter, AnalyticsRange, PageRequest, Position, Project,
};
use docwright_types::{
    stored_diagnostic::StoredDiagnostics,
    timestamp::{DAY, Timestamp},
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

pub use draft::{
    CompiledPage, DraftAccess, DraftDiagnostic, DraftHosts, draft_access, preview_draft,
};
pub use edit::{EditPage, PageEdit, edit};
pub use source::{GetPageSource, MAXIMUM_TEXT, PageSource, source};

pub(crate) use self::outlines::of_project;
use self::outlines::{Outline, SiteOutline, of_site};
use crate::{
    Allowed, OperationError, Operations, can,
    fields::SiteDomain,
    lists::{Page, Search},
    web,
};

/// The time in which views and ratings are counted. Milliseconds.
const COUNTED: Timestamp = 30 * DAY;
/// Most pages with views or ratings that are read.
const MOST_COUNTED: i64 = 100_000;

/// Which pages to list.
#[derive(Debug, Default, Deserialize, Serialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ListPages {
    /// Domain of the site. Defaults to the first domain of the project, by name, with an active release; default domains come
    /// last.
    #[param(inline, required = false)]
    pub domain: Option<SiteDomain>,
    /// Return only pages whose title, path, or file contains this text. The case of letters is ignored.
    #[param(value_type = String, required = false, max_length = 200, pattern = r"^[^\x00]*$", example = "install")]
    pub search: Option<Search>,
}

/// A page of a site.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProjectPage {
    /// Path of the page, below the root of the site.
    #[schema(example = "guides/start")]
    pub path: String,
    /// Title of the page.
    #[schema(example = "Start here")]
    pub title: String,
    /// Names of the divisions that contain the page in the navigation, the outermost first.
    #[schema(example = json!(["Guides", "First steps"]))]
    pub sections: Vec<String>,
    /// Whether the navigation lists the page.
    #[schema(example = true)]
    pub listed: bool,
    /// Path of its file, relative to the root of the repository; null for a page of an API spec.
    #[schema(example = "docs/guides/start.mdx")]
    pub file: Option<String>,
    /// URL of the page, if known.
    #[schema(format = "uri", example = "https://docs.example.com/guides/start")]
    pub url: Option<String>,
    /// URL of the file on the git host, if known.
    #[schema(
        format = "uri",
        example = "https://github.com/acme/docs/blob/8f2c1e0b/docs/guides/start.mdx"
    )]
    pub file_url: Option<String>,
    /// Date of the last change, if the site shows such dates; null otherwise.
    #[schema(example = "2026-11-22")]
    pub last_modified: Option<String>,
    /// Number of errors in the file, among the first 2,000 diagnostics of the release.
    #[schema(minimum = 0, example = 0)]
    pub errors: usize,
    /// Number of warnings in the file, among the first 2,000 diagnostics of the release.
    #[schema(minimum = 0, example = 2)]
    pub warnings: usize,
    /// Views by people in the last 30 days; null if the site doesn't count its readers.
    #[schema(minimum = 0, example = 120)]
    pub views: Option<i64>,
    /// Number of helpful ratings in the last 30 days.
    #[schema(minimum = 0, example = 12)]
    pub thumbs_up: i64,
    /// Number of not helpful ratings in the last 30 days.
    #[schema(minimum = 0, example = 3)]
    pub thumbs_down: i64,
}

/// A page of the pages of a site, in the order of its navigation. Pages that the navigation doesn't list come last.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProjectPageList {
    /// Domain of the site; null if the project has no site with an active release.
    #[schema(example = "docs.example.com")]
    pub domain: Option<String>,
    /// ID of the active release.
    #[schema(example = "rel_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    pub release_id: Option<String>,
    /// The pages.
    pub pages: Vec<ProjectPage>,
    /// Number of pages that match the search.
    #[schema(minimum = 0, example = 61)]
    pub total: usize,
    /// Cursor of the next page; null on the last page.
    pub next_cursor: Option<String>,
}

/// Lists the pages of a site.
pub async fn list(
    operations: &Operations,
    caller: &Allowed<can::ListPages>,
    project_id: &str,
    asked: &ListPages,
    page: &Page,
) -> Result<ProjectPageList, OperationError> {
    let project = caller.project(operations, project_id).await?;
    let page = page.of(("pages", &project.id, asked))?;
    let domain = asked.domain.as_ref().map(|domain| domain.0.as_str());
    let Some(site) = of_site(operations, &project, domain).await? else {
        let (pages, next_cursor) = (Vec::new(), None);
        return Ok(ProjectPageList {
            domain: None,
            release_id: None,
            pages,
            total: 0,
            next_cursor,
        });
    };
    let search = page.searched(asked.search.as_ref()).search.map(str::to_lowercase);
    let found: Vec<&OutlinePage> =
        site.outline.pages.iter().filter(|each| contains(each, search.as_deref())).collect();
    let total = found.len();
    let start = start(&found, page.after());
    let wanted = usize::try_from(page.of_all().limit).unwrap_or_default();
    let rest: Vec<_> = found.into_iter().skip(start).take(wanted).collect();
    let facts = Facts::read(operations, &project.id, &site).await?;
    let web = web::of_project(operations, &project);
    let commit = site.release.commit.sha.as_deref();
    let position = |each: &&OutlinePage| Position::of_id(&each.path);
    let listed = page.cut(rest, position, |each| {
        let file = each.file.as_ref().map(|file| format!("{}{file}", facts.root));
        let url = |file: &String| Some(web.as_ref()?.file(commit?, file, 0).into());
        facts.of(operations, &site, each, (file.as_ref().and_then(url), file.clone()))
    });
    Ok(ProjectPageList {
        domain: Some(site.domain.clone()),
        release_id: Some(site.release.id.clone()),
        pages: listed.items,
        total,
        next_cursor: listed.next_cursor,
    })
}

/// Returns the page that is made of a file of the repository: the domain of the project's first site, and its path.
pub async fn of_file(
    operations: &Operations,
    caller: &Allowed<can::ListPages>,
    project_id: &str,
    file: &str,
) -> Result<Option<(String, String)>, OperationError> {
    let project = caller.project(operations, project_id).await?;
    let Some(site) = of_site(operations, &project, None).await? else { return Ok(None) };
    let root = docs_root(operations, &site).await?;
    let Some(below) = file.strip_prefix(&root) else { return Ok(None) };
    let mut pages = site.outline.pages.iter();
    let page = pages.find(|page| page.file.as_deref() == Some(below));
    Ok(page.map(|page| (site.domain.clone(), page.path.clone())))
}

/// The docs root of a site's release, with a slash at its end if it isn't that of the repository.
async fn docs_root(operations: &Operations, site: &SiteOutline) -> Result<String, OperationError> {
    let configuration = operations.database.configuration_of(&site.release.id).await?;
    let root = configuration.and_then(|found| Some(found.path.rsplit_once('/')?.0.to_owned()));
    Ok(root.map(|root| format!("{root}/")).unwrap_or_default())
}

/// The pages of the first site of a project, if it has one.
pub(crate) async fn outline_of(
    operations: &Operations,
    project: &Project,
) -> Result<Arc<Outline>, OperationError> {
    let site = of_site(operations, project, None).await?;
    Ok(site.map(|site| site.outline).unwrap_or_default())
}

/// Whether the title, the path, or the file of a page contains a text in lowercase.
fn contains(page: &OutlinePage, search: Option<&str>) -> bool {
    let Some(search) = search else { return true };
    let texts = [Some(&page.title), Some(&page.path), page.file.as_ref()];
    texts.into_iter().flatten().any(|text| text.to_lowercase().contains(search))
}

/// The number of pages up to one, which is included. A page that is gone by now starts the list again.
fn start(pages: &[&OutlinePage], after: Option<&str>) -> usize {
    let place = after.and_then(|after| pages.iter().position(|each| each.path == after));
    place.map_or(0, |place| place + 1)
}

/// What is known about the pages of a site besides its outline.
struct Facts {
    /// The docs root, with a slash at its end if it isn't that of the repository.
    root: String,
    /// Errors and warnings by file.
    diagnostics: HashMap<String, (usize, usize)>,
    /// Views by people by page.
    views: Option<HashMap<String, i64>>,
    /// Helpful and not helpful ratings by page.
    ratings: HashMap<String, (i64, i64)>,
}

impl Facts {
    async fn read(
        operations: &Operations,
        project_id: &str,
        site: &SiteOutline,
    ) -> Result<Self, OperationError> {
        let (database, now) = (&operations.database, operations.now());
        let range = AnalyticsRange::new((now - COUNTED, now), now);
        let filter = AnalyticsFilter::new(project_id, range);
        let all = || PageRequest::first(MOST_COUNTED);
        let views = if site.outline.has_analytics {
            let views = database.analytics_pages(filter, None, all()).await?;
            Some(views.into_iter().map(|each| (each.page, each.human)).collect())
        } else {
            None
        };
        let ratings = database.analytics_ratings(filter, false, all()).await?.into_iter();
        let ratings = ratings.map(|each| (each.page, (each.helpful, each.unhelpful))).collect();
        let diagnostics = database.diagnostics(&site.release.id).await?.unwrap_or_default();
        let root = docs_root(operations, site).await?;
        Ok(Self { root, diagnostics: by_file(diagnostics), views, ratings })
    }

    fn of(
        &self,
        operations: &Operations,
        site: &SiteOutline,
        page: &OutlinePage,
        (file_url, file): (Option<String>, Option<String>),
    ) -> ProjectPage {
        let found = file.as_ref().and_then(|file| self.diagnostics.get(file));
        let (errors, warnings) = found.copied().unwrap_or_default();
        let (thumbs_up, thumbs_down) = self.ratings.get(&page.path).copied().unwrap_or_default();
        let views = self.views.as_ref();
        let below = if page.path == "index" { "" } else { &page.path };
        ProjectPage {
            path: page.path.clone(),
            title: page.title.clone(),
            sections: page.sections.clone(),
            listed: page.listed,
            url: operations.site_address(&format!("{}/{below}", site.domain)),
            last_modified: page.last_modified.clone(),
            views: views.map(|views| views.get(&page.path).copied().unwrap_or_default()),
            file,
            file_url,
            errors,
            warnings,
            thumbs_up,
            thumbs_down,
        }
    }
}

fn by_file(diagnostics: StoredDiagnostics) -> HashMap<String, (usize, usize)> {
    let mut files: HashMap<String, (usize, usize)> = HashMap::new();
    for each in diagnostics.first {
        let (errors, warnings) = files.entry(each.path).or_default();
        *(if each.is_error { errors } else { warnings }) += 1;
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(path: &str, title: &str) -> OutlinePage {
        OutlinePage {
            path: path.to_owned(),
            title: title.to_owned(),
            sections: Vec::new(),
            file: Some(format!("{path}.mdx")),
            listed: true,
            last_modified: None,
        }
    }

    #[test]
    fn search_finds_text_in_titles_paths_and_files() {
        let page = page("guides/start", "Erste Schritte: Größe");
        for text in ["größe", "schritte", "guides/", ".mdx"] {
            assert!(contains(&page, Some(text)), "{text}");
        }
        assert!(contains(&page, None) && !contains(&page, Some("end")));
    }

    #[test]
    fn list_goes_on_after_the_last_page() {
        let pages = ["b", "a", "c"].map(|path| page(path, path));
        let pages: Vec<_> = pages.iter().collect();
        assert_eq!(start(&pages, None), 0);
        assert_eq!(start(&pages, Some("a")), 2);
        assert_eq!(start(&pages, Some("gone")), 0);
    }
}
