//! Gaps: what readers asked and the pages don't answer. Questions that ask the same are one gap, which an agent job
//! can fill.

mod prompt;

use docwright_site::answer::likeness::{self, AskedQuestion};
use docwright_storage::database::{QuestionSource, UnansweredQuestion};
use docwright_types::timestamp::{Timestamp, iso};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use utoipa::ToSchema;

use crate::{Allowed, OperationError, Operations, can, questions::QuestionRange};

/// Questions that are read: the newest refused ones, and as many of those whose answer didn't help.
const READ: i64 = 1_000;
/// Gaps in the response, the most frequent ones.
const MAXIMUM_GAPS: usize = 100;
/// Questions of a gap in the response, each once.
const MAXIMUM_QUESTIONS: usize = 10;
/// Sections of a gap in the response.
const MAXIMUM_SECTIONS: usize = 5;
/// The language of questions that name none.
const LANGUAGE: &str = "en";

/// Questions of readers that ask the same, and that the pages don't answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Gap {
    /// ID of the gap. It stays the same while its first question is kept.
    #[schema(example = "3f1c9a0b7d2e4c58")]
    pub id: String,
    /// The newest question.
    #[schema(example = "How do I rotate an API key?")]
    pub question: String,
    /// How often readers asked it, in these words or others.
    #[schema(minimum = 1, example = 12)]
    pub count: usize,
    /// How many of these answers were refusals.
    #[schema(minimum = 0, example = 10)]
    pub refused: usize,
    /// How many of these answers were rated not helpful.
    #[schema(minimum = 0, example = 2)]
    pub not_helpful: usize,
    /// The questions in different words, the newest first: at most 10.
    #[schema(example = json!(["How do I rotate an API key?", "rotate keys"]))]
    pub questions: Vec<String>,
    /// Time of the first question.
    #[schema(format = DateTime)]
    pub first_asked_at: String,
    /// Time of the last question.
    #[schema(format = DateTime)]
    pub last_asked_at: String,
    /// Language of the questions.
    #[schema(example = "en")]
    pub language: Option<String>,
    /// Version or product of the newest question.
    #[schema(example = "v2")]
    pub version: Option<String>,
    /// The nearest sections, the most frequent first: at most 5.
    pub sections: Vec<NearSection>,
    /// Prompt for an agent job that fills the gap.
    #[schema(
        example = "Readers asked these questions, and the documentation doesn't answer them: …"
    )]
    pub prompt: String,
}

/// A section that is near to what readers asked.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
pub struct NearSection {
    /// Domain of the site.
    #[schema(example = "docs.example.com")]
    pub domain: String,
    /// Path of the section, below the root of the site.
    #[schema(example = "/run/api-keys#create-a-key")]
    pub path: String,
    /// Title of the page, with the heading.
    #[schema(example = "API keys: Create a key")]
    pub title: String,
}

/// The gaps of a project.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct GapList {
    /// The gaps, the most frequent first: at most 100.
    pub gaps: Vec<Gap>,
    /// Number of gaps.
    #[schema(minimum = 0, example = 14)]
    pub total: usize,
    /// Number of questions that were read: the newest 1,000 refused ones, and as many that were rated not helpful.
    #[schema(minimum = 0, example = 61)]
    pub question_count: usize,
}

/// Lists the gaps of a project.
pub async fn list(
    operations: &Operations,
    caller: &Allowed<can::ListGaps>,
    project_id: &str,
    range: &QuestionRange,
) -> Result<GapList, OperationError> {
    let project = caller.project(operations, project_id).await?;
    let times = range.times()?;
    let read = operations.database.unanswered_questions(&project.id, times, READ).await?;
    let question_count = read.len();
    let grouped = tokio::task::spawn_blocking(move || gather(&read)).await;
    let mut gaps = grouped.map_err(|error| OperationError::Internal(error.to_string()))?;
    let total = gaps.len();
    gaps.truncate(MAXIMUM_GAPS);
    Ok(GapList { gaps, total, question_count })
}

/// A gap of a project.
pub async fn get(
    operations: &Operations,
    caller: &Allowed<can::ListGaps>,
    project_id: &str,
    id: &str,
) -> Result<Gap, OperationError> {
    let list = list(operations, caller, project_id, &QuestionRange::default()).await?;
    let gap = list.gaps.into_iter().find(|gap| gap.id == id);
    gap.ok_or_else(|| {
        OperationError::NotFound(
            "Gap not found. Its questions changed, or were deleted.".to_owned(),
        )
    })
}

/// The gaps of questions, which are the oldest first.
fn gather(questions: &[UnansweredQuestion]) -> Vec<Gap> {
    let asked: Vec<_> = questions
        .iter()
        .map(|question| AskedQuestion {
            text: &question.question,
            language: question.language.as_deref().unwrap_or(LANGUAGE),
        })
        .collect();
    let groups = likeness::group(&asked).into_iter();
    let mut gaps: Vec<(Timestamp, Gap)> = groups
        .filter_map(|group| {
            let members: Vec<&UnansweredQuestion> =
                group.into_iter().filter_map(|number| questions.get(number)).collect();
            gap(&members)
        })
        .collect();
    gaps.sort_by(|(one_last, one), (other_last, other)| {
        (other.count, other_last, &one.id).cmp(&(one.count, one_last, &other.id))
    });
    gaps.into_iter().map(|(_, gap)| gap).collect()
}

/// The gap of questions that ask the same, with the time of the last one.
fn gap(members: &[&UnansweredQuestion]) -> Option<(Timestamp, Gap)> {
    let (first, last) = (members.first()?, members.last()?);
    let mut questions: Vec<String> = Vec::new();
    for member in members.iter().rev() {
        let text = member.question.trim();
        let is_new = !questions.iter().any(|known| known.eq_ignore_ascii_case(text));
        if is_new && questions.len() < MAXIMUM_QUESTIONS {
            questions.push(text.to_owned());
        }
    }
    let count =
        |is: fn(&UnansweredQuestion) -> bool| members.iter().filter(|member| is(member)).count();
    let sections = sections(members);
    let prompt = prompt::fill(&questions, members.len(), &sections);
    let gap = Gap {
        id: hex::encode(&Sha256::digest(&first.id)[..8]),
        question: questions.first().cloned().unwrap_or_default(),
        count: members.len(),
        refused: count(|member| member.refused),
        not_helpful: count(|member| member.not_helpful),
        questions,
        first_asked_at: iso(first.asked_at),
        last_asked_at: iso(last.asked_at),
        language: last.language.clone(),
        version: last.version.clone(),
        sections,
        prompt,
    };
    Some((last.asked_at, gap))
}

/// The sources of all answers, the most frequent first; of equally frequent ones, the first.
fn sections(members: &[&UnansweredQuestion]) -> Vec<NearSection> {
    let mut counted: Vec<(usize, NearSection)> = Vec::new();
    for member in members {
        for source in &member.sources {
            let section = NearSection::of(&member.domain, source);
            match counted.iter_mut().find(|(_, known)| known.path == section.path) {
                Some((count, _)) => *count += 1,
                None => counted.push((1, section)),
            }
        }
    }
    counted.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    counted.into_iter().take(MAXIMUM_SECTIONS).map(|(_, section)| section).collect()
}

impl NearSection {
    fn of(domain: &str, source: &QuestionSource) -> Self {
        let QuestionSource { page, anchor, title, heading } = source;
        let path = if anchor.is_empty() { format!("/{page}") } else { format!("/{page}#{anchor}") };
        let title = if heading.is_empty() || heading == title {
            title.clone()
        } else {
            format!("{title}: {heading}")
        };
        Self { domain: domain.to_owned(), path, title }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(number: i64, text: &str, refused: bool, page: &str) -> UnansweredQuestion {
        let source = QuestionSource {
            page: page.to_owned(),
            anchor: "install".to_owned(),
            title: "Start".to_owned(),
            heading: "Install".to_owned(),
        };
        UnansweredQuestion {
            id: format!("q{number}"),
            domain: "docs.example.com".to_owned(),
            asked_at: number,
            question: text.to_owned(),
            refused,
            not_helpful: !refused,
            sources: vec![source],
            language: None,
            version: None,
        }
    }

    #[test]
    fn questions_that_ask_the_same_are_one_gap() {
        let mut questions = vec![
            question(1, "Can I get a refund?", true, "billing"),
            question(2, "How do I rotate a token?", true, "a"),
            question(3, "how do I rotate a token?", true, "b"),
            question(4, "Rotate my API token", false, "b"),
        ];
        let gaps = gather(&questions);
        assert_eq!(gaps.len(), 2);
        let first = &gaps[0];
        assert_eq!((first.count, first.refused, first.not_helpful), (3, 2, 1));
        assert_eq!(first.question, "Rotate my API token");
        assert_eq!(first.questions, ["Rotate my API token", "how do I rotate a token?"]);
        let paths: Vec<_> = first.sections.iter().map(|section| section.path.as_str()).collect();
        assert_eq!(paths, ["/b#install", "/a#install"]);
        assert_eq!(first.sections[0].title, "Start: Install");
        assert_eq!(gather(&questions), gaps, "the same gaps every time");
        // The id stays while other questions come in.
        questions.push(question(5, "token rotation", true, "c"));
        assert_eq!(gather(&questions)[0].id, first.id);
    }
}
