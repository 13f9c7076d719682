//! The docs roots of a repository, from the paths of its files.

use docwright_repository::listing::Paths;
use docwright_site::{content::is_page_path, source::roots_among};

use super::{DocsRoot, RepositoryCheck, RepositoryField, RepositoryProblem};
use crate::projects::DocsPath;

/// Docs roots that a check lists.
const LISTED: usize = 100;
/// Longest path of a docs root that a project can store, in characters.
const LONGEST: usize = 1000;

impl RepositoryCheck {
    /// Finds the docs roots, and the one that a project with this docs path would publish.
    pub(super) fn find(&mut self, paths: &Paths, docs_path: Option<&DocsPath>) {
        let files = || paths.paths.iter().map(String::as_str);
        let start = docs_path.map_or("", DocsPath::as_str).trim_matches('/');
        let start = if start == "." { "" } else { start };
        let described = |folders: Vec<String>| {
            let named = folders.into_iter().filter(|folder| is_storable(folder));
            let counted =
                named.take(LISTED).map(|path| DocsRoot { pages: pages(files(), &path), path });
            counted.collect::<Vec<_>>()
        };
        let mut below = described(roots_among(files(), start));
        let all =
            if start.is_empty() { below.clone() } else { described(roots_among(files(), "")) };
        if all.is_empty() && below.is_empty() {
            // Files that aren't listed can have one.
            self.docs_roots = paths.is_complete.then(Vec::new);
            return;
        }
        self.problem = match below.len() {
            1 => None,
            0 if !paths.is_complete => None,
            0 => Some(format!("Folder `{start}` has no docs.json. Choose a folder that has one.")),
            _ => Some("Several folders have a docs.json. Choose one.".to_owned()),
        }
        .map(|message| RepositoryProblem { field: RepositoryField::Path, message });
        self.docs_root = (below.len() == 1).then(|| below.remove(0));
        let chosen = self.docs_root.clone().filter(|chosen| !all.contains(chosen));
        self.docs_roots = Some(all.into_iter().chain(chosen).collect());
    }
}

/// Whether a project can have this docs path.
fn is_storable(path: &str) -> bool {
    path.chars().count() <= LONGEST && !path.chars().any(char::is_control)
}

fn pages<'p>(files: impl Iterator<Item = &'p str>, root: &str) -> u64 {
    let below = files.filter_map(|path| {
        if root.is_empty() { Some(path) } else { path.strip_prefix(root)?.strip_prefix('/') }
    });
    below.filter(|path| is_page_path(path)).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(paths: &[&str], docs_path: &str) -> RepositoryCheck {
        let mut check = RepositoryCheck::of("https://e.org/a".to_owned());
        let paths = paths.iter().map(|path| (*path).to_owned()).collect();
        let path = DocsPath::try_from(docs_path.to_owned()).unwrap();
        check.find(&Paths { paths, is_complete: true }, Some(&path));
        check
    }

    fn root(path: &str, pages: u64) -> DocsRoot {
        DocsRoot { path: path.to_owned(), pages }
    }

    #[test]
    fn only_docs_root_is_found_and_its_pages_are_counted() {
        let files = [
            "README.md",
            "docs/docs.json",
            "docs/a.mdx",
            "docs/b/c.md",
            "docs/README.md",
            "docs/snippets/x.mdx",
            "docs/.github/y.md",
            "docs/build/z.mdx",
            "src/main.rs",
        ];
        for path in ["", "docs", "docs/", "."] {
            let check = found(&files, path);
            assert_eq!((check.docs_root, check.problem), (Some(root("docs", 2)), None), "{path}");
        }
    }

    #[test]
    fn wrong_folder_is_a_problem_with_others_to_choose() {
        let check = found(&["docs/docs.json", "web/docs.json", "web/a.md", "src/x.rs"], "src");
        let problem = check.problem.unwrap();
        assert_eq!(problem.field, RepositoryField::Path);
        assert_eq!(problem.message, "Folder `src` has no docs.json. Choose a folder that has one.");
        assert_eq!(check.docs_roots, Some(vec![root("docs", 0), root("web", 1)]));
        assert_eq!(check.docs_root, None);
    }

    #[test]
    fn several_docs_roots_need_a_choice() {
        let files = ["docs/docs.json", "web/docs.json"];
        let check = found(&files, "");
        assert_eq!(check.problem.unwrap().message, "Several folders have a docs.json. Choose one.");
        assert_eq!(check.docs_root, None);
        assert_eq!(found(&files, "web").docs_root, Some(root("web", 0)));
    }

    #[test]
    fn docs_root_below_another_one_can_be_chosen() {
        let check = found(&["docs.json", "sdk/docs/docs.json", "sdk/docs/a.mdx"], "sdk/docs");
        assert_eq!(check.docs_root, Some(root("sdk/docs", 1)));
        assert_eq!(check.docs_roots, Some(vec![root("", 1), root("sdk/docs", 1)]));
        assert_eq!(check.problem, None);
    }

    #[test]
    fn branch_without_docs_root_is_no_problem() {
        for path in ["", "docs"] {
            let check = found(&["README.md"], path);
            assert_eq!((check.docs_roots, check.problem), (Some(Vec::new()), None));
        }
        let long = format!("{}/docs.json", "a".repeat(2000));
        assert_eq!(found(&["a\n/docs.json", &long], "").docs_roots, Some(Vec::new()));
    }

    #[test]
    fn unlisted_files_can_have_a_docs_root() {
        let mut check = RepositoryCheck::of(String::new());
        check.find(&Paths { paths: vec!["a.md".to_owned()], is_complete: false }, None);
        assert_eq!((check.docs_roots, check.problem), (None, None));
    }
}
