//! Slugs: addresses of pages below the site root.

/// The slug of a page file: its path without extension; `dir/index` is `dir`.
pub fn of_path(path: &str) -> String {
    let stem = path.strip_suffix(".mdx").or_else(|| path.strip_suffix(".md")).unwrap_or(path);
    match stem.strip_suffix("/index") {
        Some(folder) => folder.to_owned(),
        None => stem.to_owned(),
    }
}

/// The slug of a navigation entry or link: leading, trailing, and doubled slashes are ignored, an extension is
/// optional, and `/` is `index`.
pub fn of_reference(reference: &str) -> String {
    let parts: Vec<_> =
        reference.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    let path = parts.join("/");
    if path.is_empty() { "index".to_owned() } else { of_path(&path) }
}

/// A part of a generated path: lower-case letters and digits, with dashes for everything else.
pub fn of_title(title: &str) -> String {
    let mut slug = String::with_capacity(title.len());
    for letter in title.chars().flat_map(char::to_lowercase) {
        if letter.is_alphanumeric() {
            slug.push(letter);
        } else if !matches!(letter, '\'' | '’' | '`') && !slug.ends_with('-') && !slug.is_empty()
        {
            slug.push('-');
        }
    }
    slug.trim_end_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slugs_follow_the_format() {
        assert_eq!(of_path("index.mdx"), "index");
        assert_eq!(of_path("a/index.md"), "a");
        assert_eq!(of_path("v1.2/Notes.mdx"), "v1.2/Notes");
        assert_eq!(of_reference("//a//b.mdx"), "a/b");
        assert_eq!(of_reference("/"), "index");
        assert_eq!(of_reference("releases/v1.2"), "releases/v1.2");
        assert_eq!(of_title("List all Users (v2)"), "list-all-users-v2");
    }
}
