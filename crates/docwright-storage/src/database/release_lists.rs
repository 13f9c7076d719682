//! Lists of releases: of a project, in a state, and searched.

use docwright_types::release::{Release, ReleaseStatus};
use sqlx::AssertSqlSafe;

use super::{
    Database,
    lists::{Order, PageRequest, Position, Rows, containing, text},
    releases::{COLUMNS, read},
};
use crate::StorageError;

/// Releases of a project whose texts are searched.
pub const SEARCHED_RELEASES: i64 = 2_000;
/// Characters from which hexadecimal digits are the beginning of a commit's hash.
const SHORTEST_HASH: usize = 4;
/// The same for digits only, which can also be a number or a year.
const SHORTEST_DECIMAL_HASH: usize = 7;

const COMMIT: &str = text!("commit_sha");

impl Database {
    /// Releases of a project, newest first. `status` filters them. A search for the beginning of a hash finds all of its
    /// releases, grouped by commit. Another one finds, among the newest [`SEARCHED_RELEASES`], the number, and parts of
    /// the message and of the author's name. [`release_position`] is the position of a release in either list.
    pub async fn releases(
        &self,
        project_id: &str,
        status: Option<ReleaseStatus>,
        page: PageRequest<'_>,
    ) -> Result<Vec<Release>, StorageError> {
        let status = status.map(ReleaseStatus::name);
        match page.search {
            Some(search) if !is_hash(search) => {
                self.releases_with_text(project_id, status, (search, page)).await
            }
            _ => {
                let select = format!("SELECT {COLUMNS} FROM releases");
                let rows = Rows::all()
                    .with("project_id", Some(project_id))
                    .with("status", status)
                    .searched(COMMIT, page);
                rows.read(&self.pool, &select, Order::grouped(COMMIT, "id", page), page, read).await
            }
        }
    }

    async fn releases_with_text(
        &self,
        project_id: &str,
        status: Option<&'static str>,
        (search, page): (&str, PageRequest<'_>),
    ) -> Result<Vec<Release>, StorageError> {
        let mut conditions = "project_id = $1".to_owned();
        let values: Vec<_> =
            [("status =", status), ("id <", page.after.map(|after| after.id.as_str()))]
                .into_iter()
                .filter_map(|(condition, value)| Some((condition, value?)))
                .collect();
        for (number, (condition, _)) in (5..).zip(&values) {
            conditions += &format!(" AND {condition} ${number}");
        }
        // An inner list of ids keeps the database from reading the texts of all releases.
        let sql = format!(
            "SELECT {COLUMNS} FROM releases WHERE id IN (SELECT id FROM releases WHERE {conditions} \
             ORDER BY id DESC LIMIT {SEARCHED_RELEASES}) AND (number = $2 OR {COMMIT} LIKE $3 ESCAPE '\\' \
             OR {message} LIKE $4 ESCAPE '\\' OR {author} LIKE $4 ESCAPE '\\') ORDER BY id DESC LIMIT {}",
            page.limit,
            message = text!("commit_message"),
            author = text!("commit_author"),
        );
        // No release has this number.
        let number = search.trim_start_matches('#').parse().unwrap_or(-1_i64);
        let part = containing(search);
        let mut query = sqlx::query(AssertSqlSafe(sql))
            .bind(project_id)
            .bind(number)
            .bind(part.trim_start_matches('%').to_owned())
            .bind(part);
        for (_, value) in values {
            query = query.bind(value.to_owned());
        }
        query.fetch_all(&self.pool).await?.iter().map(read).collect()
    }
}

/// The position of a release in [`Database::releases`].
pub fn release_position(release: &Release, page: PageRequest<'_>) -> Position {
    match page.search {
        Some(search) if is_hash(search) => {
            Position::of_text(release.commit.sha.as_deref().unwrap_or_default(), &release.id)
        }
        _ => Position::of_id(&release.id),
    }
}

/// Whether a search is the beginning of a commit's hash, rather than a word such as "facade" or a number.
fn is_hash(search: &str) -> bool {
    let is_hexadecimal = search.bytes().all(|byte| byte.is_ascii_hexdigit());
    let has_digit = search.bytes().any(|byte| byte.is_ascii_digit());
    let is_decimal = search.bytes().all(|byte| byte.is_ascii_digit());
    let shortest = if is_decimal { SHORTEST_DECIMAL_HASH } else { SHORTEST_HASH };
    is_hexadecimal && has_digit && search.len() >= shortest
}

#[cfg(test)]
mod tests {
    use super::is_hash;

    #[test]
    fn hashes_differ_from_words_and_numbers() {
        for hash in ["8f2c", "8F2C1E0", "1234567", "abc1"] {
            assert!(is_hash(hash), "{hash}");
        }
        for other in ["", "12", "2026", "facade", "defaced", "8f2", "8f2c fix", "#12"] {
            assert!(!is_hash(other), "{other}");
        }
    }
}
