//! A file of golden questions that passed, so that only lost ones fail: one line of JSON each, sorted.

use std::{collections::BTreeSet, path::Path};

use docwright_site::answer::golden::JudgedQuestion;
use serde::{Deserialize, Serialize};

use crate::baseline_file;

/// Questions that passed.
#[derive(Debug, Default)]
pub(super) struct Baseline(BTreeSet<Line>);

/// A line of the file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Line {
    question: String,
}

/// Questions compared with a baseline.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub(super) struct Compared {
    /// Questions that passed in the baseline and fail now.
    pub(super) lost: Vec<String>,
    /// Questions that pass now and are not in the baseline.
    pub(super) gained: Vec<String>,
    /// Number of questions in the baseline that are no longer asked.
    pub(super) gone: usize,
}

impl Baseline {
    /// Reads a file from [`write`](Self::write).
    pub(super) fn read(file: &Path) -> anyhow::Result<Self> {
        Ok(Self(baseline_file::read(file)?.into_iter().collect()))
    }

    /// A baseline with the questions that passed.
    pub(super) fn of(judged: &[JudgedQuestion]) -> Self {
        let passed = judged.iter().filter(|question| question.has_passed());
        Self(passed.map(|question| Line { question: question.question.clone() }).collect())
    }

    /// Writes the file atomically.
    pub(super) fn write(&self, file: &Path) -> anyhow::Result<()> {
        baseline_file::write(file, &self.0)
    }

    /// Finds the questions that were lost or gained.
    pub(super) fn compare(&self, judged: &[JudgedQuestion]) -> Compared {
        let is_known = |question: &&JudgedQuestion| {
            self.0.contains(&Line { question: question.question.clone() })
        };
        let names = |questions: Vec<&JudgedQuestion>| {
            questions.iter().map(|question| question.question.clone()).collect()
        };
        let (passed, failed): (Vec<_>, Vec<_>) =
            judged.iter().partition(|question| question.has_passed());
        let asked: BTreeSet<_> = judged.iter().map(|question| &*question.question).collect();
        Compared {
            lost: names(failed.into_iter().filter(is_known).collect()),
            gained: names(passed.into_iter().filter(|question| !is_known(question)).collect()),
            gone: self.0.iter().filter(|line| !asked.contains(&*line.question)).count(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn question(name: &str, has_passed: bool) -> JudgedQuestion {
        let failures = if has_passed { Vec::new() } else { vec!["refused".to_owned()] };
        JudgedQuestion { question: name.to_owned(), failures, ..JudgedQuestion::default() }
    }

    #[test]
    fn lost_and_gained_questions_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("baseline.jsonl");
        let before =
            [question("b", true), question("a", true), question("c", false), question("d", true)];
        Baseline::of(&before).write(&file).unwrap();
        let text = fs::read_to_string(&file).unwrap();
        assert_eq!(text.lines().next(), Some(r#"{"question":"a"}"#));
        let now =
            [question("a", false), question("b", true), question("c", true), question("e", false)];
        let compared = Baseline::read(&file).unwrap().compare(&now);
        let expected =
            Compared { lost: vec!["a".to_owned()], gained: vec!["c".to_owned()], gone: 1 };
        assert_eq!(compared, expected);
        fs::write(&file, format!("{text}nonsense\n")).unwrap();
        let error = format!("{:#}", Baseline::read(&file).unwrap_err());
        assert!(error.contains(":4 isn't a line of a baseline; `--write-baseline"), "{error}");
    }
}
