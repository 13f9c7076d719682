//! Detects moved files: an agent can move a file, or write it again and delete the old one.

use std::{
    collections::{BTreeMap, HashMap},
    hash::{DefaultHasher, Hash, Hasher},
};

use super::{Change, Workspace};

/// Largest number of files that are compared with each other if their names differ.
const MAXIMUM_COMPARED: usize = 200;

impl Workspace {
    /// New paths of deleted files: a new file with at least half of their lines.
    pub fn moves(&self) -> BTreeMap<String, String> {
        let mut moves = BTreeMap::new();
        let mut gone = Vec::new();
        let mut new = Vec::new();
        for (path, change) in self.changes.iter() {
            match change {
                Change::Deleted => gone.push(path),
                Change::Moved(from) => drop(moves.insert(from.clone(), path.clone())),
                Change::Written(text) if !self.files.contains(path) => {
                    new.push((path, Lines::of(text)));
                }
                Change::Written(_) => {}
            }
        }
        if new.is_empty() {
            return moves;
        }
        gone.retain(|path| !moves.contains_key(*path));
        let mut gone: Vec<_> = gone
            .into_iter()
            .filter_map(|path| Some((path, Lines::of(&self.read_base(path).ok()?))))
            .collect();
        // Most files keep their name or folder; only the rest is compared with all others.
        for (same, limit) in [
            (same_name as fn(&str, &str) -> bool, usize::MAX),
            (same_folder, MAXIMUM_COMPARED),
            (any, MAXIMUM_COMPARED),
        ] {
            if gone.len().min(new.len()) > limit {
                break;
            }
            gone.retain(|(from, lines)| {
                let like = |(to, other): &(&String, Lines)| {
                    let can = same(from, to) && ending(from) == ending(to);
                    can.then(|| lines.in_common(other)).filter(|share| *share >= 0.5)
                };
                let shares =
                    new.iter().enumerate().filter_map(|(at, each)| Some((like(each)?, at)));
                let best = shares.max_by(|one, other| one.0.total_cmp(&other.0));
                if let Some((_, at)) = best {
                    moves.insert((*from).clone(), new.swap_remove(at).0.clone());
                }
                best.is_none()
            });
        }
        moves
    }
}

fn same_name(from: &str, to: &str) -> bool {
    from.rsplit('/').next() == to.rsplit('/').next()
}

fn same_folder(from: &str, to: &str) -> bool {
    from.rsplit_once('/').map(|(folder, _)| folder) == to.rsplit_once('/').map(|(folder, _)| folder)
}

const fn any(_: &str, _: &str) -> bool {
    true
}

fn ending(path: &str) -> Option<&str> {
    path.rsplit_once('.').map(|(_, ending)| ending)
}

/// Number of occurrences of each line in a text.
struct Lines {
    counts: HashMap<u64, usize>,
    total: usize,
}

impl Lines {
    fn of(text: &str) -> Self {
        let mut counts = HashMap::new();
        let mut total = 0;
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let mut hasher = DefaultHasher::new();
            line.hash(&mut hasher);
            *counts.entry(hasher.finish()).or_default() += 1;
            total += 1;
        }
        Self { counts, total }
    }

    /// The share of common lines.
    fn in_common(&self, other: &Self) -> f64 {
        let most = self.total.max(other.total);
        if most == 0 {
            return 1.0;
        }
        let both = self
            .counts
            .iter()
            .map(|(line, count)| other.counts.get(line).map_or(0, |have| *have.min(count)));
        #[expect(clippy::cast_precision_loss, reason = "files have far fewer lines")]
        {
            both.sum::<usize>() as f64 / most as f64
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::{Changes, Limits};

    #[test]
    fn moved_files_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let text = |word: &str| {
            format!("---\ntitle: {word}\n---\n\n{word} one\n\n{word} two\n\n{word} three\n")
        };
        for name in ["a", "b", "c", "d", "e"] {
            std::fs::create_dir_all(folder.path().join("old")).unwrap();
            std::fs::write(folder.path().join(format!("old/{name}.mdx")), text(name)).unwrap();
        }
        std::fs::write(folder.path().join("p.png"), [0xff, 0xfe]).unwrap();
        let mut workspace =
            Workspace::open(folder.path(), Changes::default(), Limits::default()).unwrap();
        workspace.rename("old/a.mdx", "new/a.mdx").unwrap();
        workspace.rename("old/b.mdx", "old/other.mdx").unwrap();
        workspace.rename("p.png", "q.png").unwrap();
        // Written again, with a change.
        workspace.write("new/third.mdx", text("c").replace("three", "3")).unwrap();
        workspace.delete("old/c.mdx").unwrap();
        // Deleted, and another page written.
        workspace.delete("old/d.mdx").unwrap();
        workspace.write("new/d.mdx", text("something else")).unwrap();
        // Still exists.
        workspace.write("new/e.mdx", text("e")).unwrap();
        let moves: Vec<_> = workspace.moves().into_iter().collect();
        let expected = [
            ("old/a.mdx", "new/a.mdx"),
            ("old/b.mdx", "old/other.mdx"),
            ("old/c.mdx", "new/third.mdx"),
            ("p.png", "q.png"),
        ];
        assert_eq!(moves, expected.map(|(from, to)| (from.to_owned(), to.to_owned())));
    }

    #[test]
    fn thousand_moves_are_found() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("old")).unwrap();
        for number in 0..1000 {
            let text = format!("page {number}\nand more of {number}\nthe same everywhere\n");
            std::fs::write(folder.path().join(format!("old/{number}.mdx")), text).unwrap();
        }
        let mut workspace =
            Workspace::open(folder.path(), Changes::default(), Limits::default()).unwrap();
        for number in 0..1000 {
            workspace.rename(&format!("old/{number}.mdx"), &format!("new/{number}.mdx")).unwrap();
        }
        let moves = workspace.moves();
        assert_eq!(moves.len(), 1000);
        assert!(moves.iter().all(|(from, to)| from.replace("old", "new") == *to));
    }
}
